"""Saved web pages: how much of what is chunked is the article, and what pages without an article lose.

    python -m benchmarks.web_pages ARTICLES... [--whole FOLDER] [--part even|odd]

``ARTICLES``: folders of pages with known text, laid out as article-extraction-benchmark (``ground-truth.json`` and
``html/*.html.gz``) or as readability's ``test-pages`` (``*/source.html`` and ``*/expected.html``). Each gives a row for
the whole page, for ours with the rest set aside, and for trafilatura's own text. Precision and recall are means over
pages of the shares of common runs of four words; F1 is of these two means, as article-extraction-benchmark has it.
``--whole``: a folder of pages that should lose nothing; those that do are listed with their words.
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean
from time import perf_counter

from core.parsing.flow import ParsedFile, compose
from core.parsing.html import article, reader
from core.parsing.html.encoding import page_text
from core.types import BlockKind

RUN = 4
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Page:
    """A saved page and the text of its article."""

    name: str
    data: bytes
    expected: str


def pages(folder: Path) -> Iterator[Page]:
    """The pages of a folder in a stable order, in either layout."""
    truth = folder / "ground-truth.json"
    if truth.exists():
        for name, row in sorted(json.loads(truth.read_text(encoding="utf-8")).items()):
            data = gzip.decompress((folder / "html" / f"{name}.html.gz").read_bytes())
            yield Page(name, data, row["articleBody"])
    for place in sorted(folder.glob("*/expected.html")):
        expected = compose(reader.read(place.read_bytes(), place.name).pieces).text
        yield Page(place.parent.name, (place.parent / "source.html").read_bytes(), expected)


def chunked(reading: ParsedFile) -> str:
    """What chunks hold of a reading: all but furniture."""
    flow = compose(reading.pieces)
    return "\n".join(flow.text[block.start : block.end] for block in flow.blocks if block.kind != BlockKind.FURNITURE)


def runs(text: str) -> Counter[tuple[str, ...]]:
    """The runs of four words of a text; of a shorter one all its words.

    >>> list(runs("one two three four five"))
    [('one', 'two', 'three', 'four'), ('two', 'three', 'four', 'five')]
    """
    words = _WORD.findall(text)
    found = [tuple(words[place : place + RUN]) for place in range(max(1, len(words) - RUN + 1))]
    return Counter(run for run in found if run)


def shares(expected: str, found: str) -> tuple[float, float]:
    """Precision and recall over runs of words."""
    wanted, got = runs(expected), runs(found)
    common = (wanted & got).total()
    return (common / got.total() if got else 0.0), (common / wanted.total() if wanted else 1.0)


def compare(folder: Path, part: str) -> None:
    """Print a row for each way of reading a folder's pages."""
    rows: dict[str, list[tuple[float, float]]] = {"whole page": [], "article": [], "trafilatura": []}
    chosen, seconds = list(pages(folder))[slice(part == "odd", None, 2 if part else 1)], 0.0
    for page in chosen:
        rows["whole page"].append(shares(page.expected, chunked(reader.read(page.data, page.name))))
        begun = perf_counter()
        judged = article.read(page.data, page.name)
        seconds += perf_counter() - begun
        rows["article"].append(shares(page.expected, chunked(judged)))
        extracted = article.article_text(page_text(page.data, page.name))
        rows["trafilatura"].append(shares(page.expected, extracted))
    print(f"\n{folder.name} {part}: {len(chosen)} pages, {seconds / max(1, len(chosen)):.3f} s a page\n")
    print("| what is chunked | F1 | precision | recall |\n|---|---|---|---|")
    for name, found in rows.items():
        precision, recall = (mean(column) for column in zip(*found, strict=True))
        f1 = 2 * precision * recall / max(precision + recall, 1e-9)
        print(f"| {name} | {f1:.3f} | {precision:.3f} | {recall:.3f} |")


def lost(folder: Path) -> None:
    """Print how many words pages lose that should lose none, and which pages those are."""
    found = []
    for place in sorted(path for path in folder.rglob("*") if path.is_file()):
        data = place.read_bytes()
        before = Counter(_WORD.findall(chunked(reader.read(data, place.name))))
        after = Counter(_WORD.findall(chunked(article.read(data, place.name))))
        found.append((place.name, before.total(), before - after))
    total, gone = sum(words for _, words, _ in found), sum(words.total() for _, _, words in found)
    print(f"\n{folder.name}: {len(found)} pages, {total:,} words, {gone:,} set aside\n")
    for name, words, missing in found:
        if missing:
            print(f"- {name}: {missing.total()} of {words} words: {' '.join(list(missing)[:12])}")


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("articles", nargs="*", type=Path)
    parser.add_argument("--whole", type=Path)
    parser.add_argument("--part", choices=("even", "odd"), default="")
    options = parser.parse_args(arguments)
    for folder in options.articles:
        compare(folder, options.part)
    if options.whole:
        lost(options.whole)


if __name__ == "__main__":
    main()
