"""Files for ``benchmarks/pdf_tables.py``: PDFs with tables whose rows are known.

    python -m benchmarks.pdf_tables_files html OUT FILING.html ...   # prints five pages of each filing with Chromium
    python -m benchmarks.pdf_tables_files icdar OUT FOLDER           # NAME.pdf with NAME-str.xml beside it

From an HTML filing, the five pages in a row with the most table rows are cut out and printed: text and rows are those
of the HTML. Files of the ICDAR 2013 table competition come with the cells of their tables, so rows alone are known.

The figures of record were made from: filings (10-K, 10-Q) in ``tests/fixtures/html`` of github.com/dgunning/edgartools;
``icdar2013-dataset`` in the test resources of github.com/tabulapdf/tabula-java; put aside: companies of
github.com/alphanome-ai/sec-parser-test-data that are not among the first. None of them is part of this project.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import tempfile
from collections import defaultdict
from pathlib import Path
from typing import Any

import pymupdf
from lxml import etree, html

_PAGES = 5
_HIDDEN = re.compile(r"display:\s*none", re.IGNORECASE)
_BREAK = re.compile(r"(?:page-break|break)-(?:after|before):\s*(?:always|page)", re.IGNORECASE)
_INLINE = {"span", "a", "b", "i", "u", "em", "strong", "font", "sup", "sub", "small"}


def tag_of(element: Any) -> str:
    return element.tag.lower() if isinstance(element.tag, str) else ""


def text_of(element: Any) -> str:
    """The words of an element, blanks where blocks and cells part them."""
    parts: list[str] = []

    def walk(node: Any) -> None:
        inline = tag_of(node) in _INLINE or ":" in tag_of(node)
        if not inline:
            parts.append(" ")
        if tag_of(node):
            parts.append(node.text or "")
        for child in node:
            walk(child)
            parts.append(child.tail or "")
        if not inline:
            parts.append(" ")

    walk(element)
    return " ".join("".join(parts).split())


def rows_of(element: Any) -> list[list[str]]:
    rows = []
    for row in element.iter("tr"):
        if row.xpath(".//table"):
            continue
        cells = [text for cell in row if tag_of(cell) in ("td", "th") and (text := text_of(cell))]
        if len(cells) > 1:
            rows.append(cells)
    return rows


def pages_of(tree: Any) -> list[list[Any]]:
    """The children of the element that holds the filing, parted at its page breaks."""
    holder = max(tree.iter(), key=lambda node: len(node) if tag_of(node) in ("body", "div", "document", "text") else 0)
    pages: list[list[Any]] = [[]]
    for child in holder:
        pages[-1].append(child)
        styles = " ".join(child.xpath("descendant-or-self::*/@style"))
        if _BREAK.search(styles):
            pages.append([])
    return [page for page in pages if page]


def cut_out(source: Path, out: Path, name: str) -> bool:
    """Print the densest pages of a filing with their known text. False where it has no page breaks."""
    tree = html.fromstring(source.read_bytes(), parser=html.HTMLParser(encoding="utf-8"))
    for node in list(tree.iter()):
        hidden = tag_of(node) in ("script", "style", "ix:header", "head") or _HIDDEN.search(node.get("style") or "")
        if node.getparent() is not None and (hidden or not tag_of(node)):
            node.drop_tree()
    pages = pages_of(tree)
    if len(pages) < 2 * _PAGES:
        return False
    counts = [sum(len(rows_of(node)) for node in page) for page in pages]
    start = max(range(len(pages) - _PAGES), key=lambda at: sum(min(count, 40) for count in counts[at : at + _PAGES]))
    body = html.Element("div")
    for page in pages[start : start + _PAGES]:
        for node in page:
            body.append(node)
    markup = html.tostring(body, encoding="unicode")
    with tempfile.TemporaryDirectory() as folder:
        page_file = Path(folder) / "page.html"
        page_file.write_text(f"<!doctype html><meta charset=utf-8><body>{markup}", "utf-8")
        target = out / f"{name}.pdf"
        flags = ["--headless", "--no-sandbox", "--disable-gpu", "--no-pdf-header-footer", f"--user-data-dir={folder}/u"]
        command = ["chromium", *flags, f"--print-to-pdf={target}", page_file.as_uri()]
        subprocess.run(command, check=True, capture_output=True, timeout=120)
    write_truth(target, text_of(body), rows_of(body))
    return True


def write_truth(target: Path, text: str | None, rows: list[list[str]]) -> None:
    with pymupdf.open(target) as document:
        pages = document.page_count
    truth = {"pages": pages, "text": text, "rows": rows}
    target.with_suffix(".truth.json").write_text(json.dumps(truth, ensure_ascii=False, indent=0), "utf-8")


def icdar_rows(path: Path) -> list[list[str]]:
    """Rows of a competition file; cells that span several rows belong to none of them."""
    rows: dict[tuple[str, str, int], dict[int, str]] = defaultdict(dict)
    for number, table in enumerate(etree.parse(str(path)).iter("table")):
        for region in table.iter("region"):
            for cell in region.iter("cell"):
                row = int(cell.get("start-row"))
                text = " ".join((cell.findtext("content") or "").split())
                if text and int(cell.get("end-row") or row) == row:
                    rows[str(number), region.get("id"), row][int(cell.get("start-col"))] = text
    return [[text for _, text in sorted(cells.items())] for _, cells in sorted(rows.items()) if len(cells) > 1]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("kind", choices=("html", "icdar"))
    parser.add_argument("out", type=Path)
    parser.add_argument("sources", type=Path, nargs="+")
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    if arguments.kind == "html":
        for source in arguments.sources:
            print(source.stem, "printed" if cut_out(source, arguments.out, source.stem) else "has no page breaks")
        return
    for source in sorted(arguments.sources[0].rglob("*.pdf")):
        cells = source.with_name(f"{source.stem}-str.xml")
        if cells.exists():
            target = arguments.out / source.name
            target.write_bytes(source.read_bytes())
            write_truth(target, None, icdar_rows(cells))


if __name__ == "__main__":
    main()
