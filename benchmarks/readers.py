"""How well files are read: words in reading order and tables cell by cell, against a text that says what is right.

    python -m benchmarks.readers FOLDER [--reader own] [--reader unstructured]

Beside a measured FILE stands ``FILE.expected.md``. Words: the share of the expected ones that the document has in the
expected order, by the longest common subsequence; Markdown's marks, case and punctuation aside. A word read twice or
one too many costs nothing, a paragraph in the wrong place costs its words.

Tables: ``benchmarks.readers_tables`` says how their cells are compared.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from statistics import fmean
from time import perf_counter

from rapidfuzz.distance import LCSseq

from benchmarks.readers_tables import document_tables, markdown_tables, matched_cells, plain_words
from core.errors import LecternError
from core.parsing import parse
from core.settings import ParsingSettings
from core.types import Document, WordAudit

EXPECTED = ".expected.md"


@dataclass(frozen=True, slots=True)
class FileReading:
    """What became of one file. Shares are in [0, 1]; ``None``: nothing to compare with.

    ``cells``: expected non-empty ones. ``broken``: the law of spans that does not hold, "" when all do. ``failure``:
    the sentence why it was not read.
    """

    name: str
    kind: str
    seconds: float
    words: int = 0
    word_share: float | None = None
    cells: int = 0
    cell_share: float | None = None
    audit: WordAudit | None = None
    broken: str = ""
    failure: str = ""


def read_folder(folder: Path, settings: ParsingSettings) -> Iterator[FileReading]:
    """Every file below a folder, read and measured, in the order of their names; hidden ones are passed over."""
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder)
        if path.is_file() and not path.name.endswith(EXPECTED) and not any(part[0] == "." for part in name.parts):
            yield read_file(path, name.as_posix(), settings)


def read_file(path: Path, name: str, settings: ParsingSettings) -> FileReading:
    """One file, measured against what stands beside it."""
    started = perf_counter()
    try:
        document = parse(path.read_bytes(), path.name, settings)
    except LecternError as error:
        return FileReading(name, path.suffix[1:].lower(), perf_counter() - started, failure=str(error))
    seconds = perf_counter() - started
    beside = path.with_name(path.name + EXPECTED)
    return measure(document, name, beside.read_text(encoding="utf-8") if beside.exists() else None, seconds)


def measure(document: Document, name: str, expected: str | None, seconds: float = 0.0) -> FileReading:
    """A document against its expected Markdown; without one, its audit and its laws alone."""
    found = plain_words(document.text)
    wanted = plain_words(expected) if expected is not None else []
    tables = markdown_tables(expected or "")
    matched = matched_cells(tables, document_tables(document)) if tables else 0
    cells = sum(map(len, tables))
    return FileReading(
        name=name,
        kind=document.kind,
        seconds=seconds,
        words=len(found),
        word_share=LCSseq.similarity(wanted, found) / len(wanted) if wanted else None,
        cells=cells,
        cell_share=matched / cells if cells else None,
        audit=document.words,
        broken=broken_law(document),
    )


def means(files: Iterable[FileReading]) -> dict[str, dict[str, float | int | None]]:
    """Mean shares by kind, over the files that have one; "all" last."""
    measured = sorted((file for file in files if not file.failure), key=lambda file: file.kind)
    groups = [(kind, list(group)) for kind, group in groupby(measured, key=lambda file: file.kind)]
    return {
        kind: {
            "files": len(group),
            "word_share": _mean(file.word_share for file in group),
            "cell_share": _mean(file.cell_share for file in group),
            "seconds": sum(file.seconds for file in group),
            "missing": sum(file.audit.missing for file in group if file.audit),
        }
        for kind, group in [*groups, ("all", measured)]
    }


def _mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return fmean(known) if known else None


def summary(files: Sequence[FileReading]) -> str:
    """A line for each file and each kind, for a terminal."""
    lines = [
        f"{'file':44} {'kind':9} {'words':>7} {'in order':>8} {'cells':>7} {'missing':>12} {'seconds':>7}  remarks"
    ]
    for file in files:
        audited = f"{file.audit.missing} of {file.audit.words}" if file.audit else "-"
        lines.append(
            f"{file.name[-44:]:44} {file.kind:9} {file.words:>7} {_percent(file.word_share):>8} "
            f"{_percent(file.cell_share):>7} {audited:>12} {file.seconds:>7.2f}  {file.failure or file.broken}".rstrip()
        )
    for kind, mean in means(files).items():
        name = f"{kind}: {mean['files']} files"
        lines.append(
            f"{name:62} {_percent(mean['word_share']):>8} {_percent(mean['cell_share']):>7} "
            f"{mean['missing']:>12} {mean['seconds']:>7.2f}"
        )
    return "\n".join(lines)


def _percent(share: float | int | None) -> str:
    return "-" if share is None else f"{100 * share:.1f} %"


def broken_law(document: Document) -> str:
    """The first law of spans a document breaks, in words; "" when it keeps them all.

    That blocks, links and boxes lie in the text and blocks do not overlap, its construction has proved.
    """
    text, place = document.text, 0
    for block in document.blocks:
        if text[place : block.start].strip():
            return f"[{place}, {block.start}) has text outside every block"
        if block.start == block.end or text[block.start].isspace() or text[block.end - 1].isspace():
            return f"the {block.kind} at {block.start} is empty or has blank edges"
        inner = block.start
        for part in block.parts:
            if part.start < inner:
                return f"the parts of the {block.kind} at {block.start} overlap"
            inner = part.end
        place = block.end
    if text[place:].strip():
        return f"[{place}, {len(text)}) has text outside every block"
    ends = [0, *(link.end for link in document.links)]
    if any(link.start < end for link, end in zip(document.links, ends, strict=False)):
        return "links overlap or are out of order"
    return "" if document.title.strip() else "the title is blank"


def main() -> None:
    """Print a table for each reader."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--reader", action="append", dest="readers", help="own or unstructured; repeat to compare")
    options = parser.parse_args()
    for reader in options.readers or ["own"]:
        files = list(read_folder(options.folder, ParsingSettings(reader=reader)))
        print(f"reader: {reader}\n{summary(files)}\n", flush=True)


if __name__ == "__main__":
    main()
