"""Makes the parts of the samples that are derived: the PDF from report.txt, questions.jsonl from gold.toml.

    python data/samples/build.py [--into FOLDER]

Run again it gives the same bytes. Nothing else writes to these two files.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import tomllib
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
REPORT = "quarterly-report.pdf"


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


def build(into: Path) -> None:
    """Writes ``into/documents/quarterly-report.pdf`` and ``into/questions.jsonl``."""
    from typeset import typeset_file

    documents = into / "documents"
    documents.mkdir(parents=True, exist_ok=True)
    typeset_file(HERE / "report.txt", documents / REPORT)
    written = [path for path in sorted((HERE / "documents").iterdir()) if path.is_file() and path.name != REPORT]
    texts = canonical_texts([*written, documents / REPORT])
    questions = tomllib.loads((HERE / "gold.toml").read_text(encoding="utf-8"))["question"]
    lines = question_lines(questions, texts)
    (into / "questions.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8", newline="\n")


def main() -> None:
    reader = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    reader.add_argument("--into", type=Path, default=HERE, help="folder to write to (default: the samples themselves)")
    sys.path.insert(0, str(HERE.parents[1]))
    build(reader.parse_args().into)


if __name__ == "__main__":
    main()
