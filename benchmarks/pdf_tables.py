"""How whole the rows of PDF tables stay, beside what PyMuPDF and pymupdf4llm make of the same pages.

    python -m benchmarks.pdf_tables FOLDER [--readers lectern,text,sorted,markdown]

FOLDER holds NAME.pdf with NAME.truth.json beside it, as ``benchmarks/pdf_tables_files.py`` writes them:
{"text": the page's words in order, or null; "rows": [[cell, ...], ...]}.

- words: the share of the expected words that are found, each as often as it is expected.
- order: the longest common subsequence of expected and found words, as a share of the expected ones.
- rows: the share of table rows with a figure in them that one line of the reading holds whole, its cells side by side
  and in order. Blanks, marks of Markdown and leading dots do not count.
- s a page: wall time over all pages, engines warm.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import unicodedata
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from time import perf_counter

from rapidfuzz.distance import LCSseq

from core.errors import LecternError
from core.parsing import parse
from core.settings import ParsingSettings

TRUTH = ".truth.json"
_FIGURE = re.compile(r"[-–—$€£¥(\s]*\d[\d,.]*[)%\s]*")
_LEADERS = re.compile(r"(?:\.\s?){3,}|…")
_KEPT = re.compile(r"[^\w.,()%$]|_")

Reader = Callable[[Path], str]


@dataclass(frozen=True, slots=True)
class Figures:
    """What one reader made of one file."""

    name: str
    pages: int
    seconds: float
    words: int
    found: int
    ordered: int
    rows: int
    whole: int


def words_of(text: str) -> list[str]:
    """Letters and digits in runs, case and signs aside."""
    return re.findall(r"[^\W_]+", unicodedata.normalize("NFKC", text).casefold())


def bare(text: str) -> str:
    """A line or row without what readers may set differently.

    >>> bare("| **Net income** | $ 1,200 | (3)")
    'Netincome$1,200(3)'
    """
    plain = unicodedata.normalize("NFKC", text.replace("<br>", " ").replace("\u00ad", ""))
    return _KEPT.sub("", _LEADERS.sub("", plain))


def is_counted(row: Sequence[str]) -> bool:
    """Whether a row has two cells or more and a figure among them."""
    return len(row) > 1 and any(_FIGURE.fullmatch(cell) for cell in row) and sum(map(len, row)) <= 300


def whole_rows(rows: Sequence[Sequence[str]], text: str) -> tuple[int, int, list[str]]:
    """(rows that count, those of them in one line of ``text`` each, the others)."""
    wanted = Counter(bare("".join(row)) for row in rows if is_counted(row))
    lines = [bare(line) for line in text.split("\n")]
    whole, lost = 0, []
    for row, times in wanted.items():
        found = min(times, sum(line.count(row) for line in lines if len(line) >= len(row)))
        whole += found
        lost += [row] * (times - found)
    return sum(wanted.values()), whole, lost


def lectern(path: Path) -> str:
    return parse(path.read_bytes(), path.name, ParsingSettings()).text


def by_pymupdf(*, sort: bool) -> Reader:
    def read(path: Path) -> str:
        import pymupdf

        with pymupdf.open(path) as document:
            return "\n".join(page.get_text(sort=sort) for page in document)

    return read


def markdown(path: Path) -> str:
    import pymupdf4llm

    return str(pymupdf4llm.to_markdown(str(path), use_ocr=False))


READERS: dict[str, tuple[str, Reader]] = {
    "lectern": ("Lectern", lectern),
    "text": ("PyMuPDF get_text()", by_pymupdf(sort=False)),
    "sorted": ("PyMuPDF get_text(sort=True)", by_pymupdf(sort=True)),
    "markdown": ("pymupdf4llm", markdown),
}


def measured(path: Path, read: Reader, *, show: bool) -> Figures:
    truth = json.loads(path.with_name(path.stem + TRUTH).read_text("utf-8"))
    started = perf_counter()
    try:
        text = read(path)
    except LecternError as error:
        print(f"{path.name}: {error}", file=sys.stderr)
        text = ""
    seconds = perf_counter() - started
    rows, whole, lost = whole_rows(truth["rows"], text)
    if show and lost:
        print(f"-- {path.name}: {whole} of {rows}")
        print("\n".join(f"   {row}" for row in lost))
    wanted = words_of(truth["text"] or "")
    words = words_of(text) if wanted else []
    found = sum((Counter(wanted) & Counter(words)).values())
    ordered = LCSseq.similarity(wanted, words) if wanted else 0
    return Figures(path.stem, truth["pages"], seconds, len(wanted), found, ordered, rows, whole)


def share(part: int, whole: int) -> str:
    return f"{part / whole:7.3f}" if whole else "      -"


def line(name: str, files: Sequence[Figures]) -> str:
    words = sum(file.words for file in files)
    rows = sum(file.rows for file in files)
    return (
        f"{name:30} {share(sum(f.found for f in files), words)} {share(sum(f.ordered for f in files), words)} "
        f"{share(sum(f.whole for f in files), rows)} {sum(f.seconds for f in files) / sum(f.pages for f in files):7.3f}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--readers", default=",".join(READERS))
    parser.add_argument("--only", default="", help="files whose names contain this")
    parser.add_argument("--files", action="store_true", help="a line for every file")
    parser.add_argument("--lost", action="store_true", help="the rows that were not kept whole")
    arguments = parser.parse_args()
    paths = [path for path in sorted(arguments.folder.glob("*.pdf")) if arguments.only in path.name]
    results: dict[str, list[Figures]] = {}
    for key in arguments.readers.split(","):
        name, read = READERS[key]
        if key == "markdown" and not find_spec("pymupdf4llm"):
            continue
        read(paths[0])  # warm
        results[name] = [measured(path, read, show=arguments.lost) for path in paths]
    print(f"{'reader':30} {'words':>7} {'order':>7} {'rows':>7} {'s/page':>7}")
    for name, files in results.items():
        if arguments.files:
            for file in files:
                print(line(f"  {file.name[:28]}", [file]))
        print(line(name, files))
    total = next(iter(results.values()))
    print(f"{len(total)} files, {sum(f.pages for f in total)} pages, {sum(f.rows for f in total)} rows")


if __name__ == "__main__":
    main()
