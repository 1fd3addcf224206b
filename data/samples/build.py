"""Makes the parts of the samples that are derived: five documents from ``sources``, questions.jsonl from gold.toml.

    python data/samples/build.py [--into FOLDER]

Run again it gives the same bytes. Nothing else writes to these files. It needs what ``requirements-dev.txt`` names.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import tomllib
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
SOURCES = HERE / "sources"
DERIVED = (
    "autumn-review.pptx",
    "capacity-plan.xlsx",
    "field-manual.epub",
    "quarterly-report.pdf",
    "security-policy.docx",
)
BOOK_DATE = datetime(2026, 9, 7, tzinfo=UTC)


def find_quote(text: str, quote: str, occurrence: int = 1) -> tuple[int, int]:
    """The half-open span of a quote in a text; runs of white space and of ``|`` stand for each other.

    Raises ``LookupError`` where the text holds fewer than ``occurrence`` such passages.

    >>> find_quote("Never\\n| promise | a time", "promise a time")
    (8, 24)
    """
    words = [re.escape(word) for word in re.split(r"[\s|]+", quote.strip(" |")) if word]
    found = list(re.finditer(r"[\s|]+".join(words), text))
    if len(found) < occurrence:
        raise LookupError(f"found {len(found)} times, not {occurrence}: {quote!r}")
    return found[occurrence - 1].span()


def question_lines(questions: list[dict[str, Any]], texts: dict[str, str]) -> list[str]:
    """The lines of questions.jsonl. ``texts``: canonical text by document name."""
    lines = []
    for number, entry in enumerate(questions, start=1):
        gold = []
        for piece in entry["gold"]:
            start, end = find_quote(texts[piece["document"]], piece["quote"], piece.get("occurrence", 1))
            gold.append({"document": piece["document"], "start": start, "end": end})
        line = {"id": f"sample-{number:02}", "question": entry["question"], "gold": gold}
        line |= {"answer": entry["answer"], "kind": entry["kind"]}
        lines.append(json.dumps(line, ensure_ascii=False))
    return lines


def canonical_texts(paths: list[Path]) -> dict[str, str]:
    """The documents as Lectern reads them, by name."""
    from core.parsing import parse
    from core.settings import ParsingSettings

    return {path.name: parse(path.read_bytes(), path.name, ParsingSettings()).text for path in paths}


def make_documents(folder: Path) -> None:
    """Writes every derived document to ``folder``."""
    from office import made, presentation, word_document, workbook
    from packing import book
    from typeset import typeset_file

    makers: dict[str, Callable[[dict[str, Any]], bytes]] = {
        "autumn-review": presentation,
        "capacity-plan": workbook,
        "security-policy": word_document,
    }
    for name in DERIVED:
        stem, target = name.split(".")[0], folder / name
        if stem in makers:
            target.write_bytes(made(makers[stem], SOURCES / f"{stem}.toml"))
        elif stem == "field-manual":
            target.write_bytes(book(SOURCES / f"{stem}.md", BOOK_DATE))
        else:
            typeset_file(SOURCES / f"{stem}.txt", target)


def build(into: Path) -> None:
    """Writes the derived documents into ``into/documents``, and ``into/questions.jsonl``."""
    documents = into / "documents"
    documents.mkdir(parents=True, exist_ok=True)
    make_documents(documents)
    names = sorted(path.name for path in (HERE / "documents").iterdir() if path.is_file())
    folders = {name: documents if name in DERIVED else HERE / "documents" for name in names}
    texts = canonical_texts([folder / name for name, folder in folders.items()])
    questions = tomllib.loads((HERE / "gold.toml").read_text(encoding="utf-8"))["question"]
    lines = question_lines(questions, texts)
    (into / "questions.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8", newline="\n")


def main() -> None:
    reader = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    reader.add_argument("--into", type=Path, default=HERE, help="folder to write to (default: the samples themselves)")
    sys.path.insert(0, str(HERE.parents[1]))
    sys.dont_write_bytecode = True  # the folder is a suite: nothing may be left in it
    build(reader.parse_args().into)


if __name__ == "__main__":
    main()
