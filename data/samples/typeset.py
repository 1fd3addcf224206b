"""Sets the quarterly report: a small text format in, a deterministic A4 PDF out.

The format, one block between blank lines: ``= title``, ``== subtitle``, ``# heading``, ``## heading``, ``- item``
lines, ``!lead`` and ``!small`` paragraphs, ``!table CAPTION`` and ``!bars CAPTION`` with ``a | b`` lines,
``!note MARK | text`` (set at the foot of its page), ``!sign NAME | ROLE`` lines, ``!pagebreak``. ``^1^`` is a raised
mark. The lines before the first blank line are ``key: value`` metadata.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

import pymupdf

WIDTH, HEIGHT = 595.0, 842.0
LEFT, RIGHT, TOP, BOTTOM = 82.0, 513.0, 104.0, 752.0
INK, SOFT, ACCENT = (0.13, 0.15, 0.18), (0.42, 0.46, 0.50), (0.04, 0.33, 0.42)
TINT, LINE, ALERT = (0.945, 0.965, 0.97), (0.78, 0.83, 0.85), (0.72, 0.30, 0.10)
SERIF, SERIF_BOLD, SANS, SANS_BOLD = "tiro", "tibo", "helv", "hebo"
BODY_SIZE, BODY_LEADING = 11.0, 16.0


@dataclass
class Sheet:
    """The PDF under way: the current page, the height reached on it, its pending notes, and the outline."""

    metadata: dict[str, str]
    pdf: Any = field(default_factory=pymupdf.open)
    fonts: dict[str, Any] = field(default_factory=dict)
    outline: list[list[Any]] = field(default_factory=list)
    notes: list[tuple[str, str]] = field(default_factory=list)
    page: Any = None
    y: float = TOP

    def font(self, name: str) -> Any:
        if name not in self.fonts:
            self.fonts[name] = pymupdf.Font(name)
        return self.fonts[name]

    def width(self, text: str, font: str, size: float) -> float:
        return float(self.font(font).text_length(text, size))

    def put(self, x: float, y: float, text: str, font: str, size: float, color: tuple[float, ...] = INK) -> None:
        writer = pymupdf.TextWriter(self.page.rect)
        writer.append((x, y), text, font=self.font(font), fontsize=size)
        writer.write_text(self.page, color=color)

    def put_right(self, x: float, y: float, text: str, font: str, size: float, color: tuple[float, ...] = INK) -> None:
        self.put(x - self.width(text, font, size), y, text, font, size, color)

    def rule(self, y: float, color: tuple[float, ...] = LINE, width: float = 0.6) -> None:
        self.page.draw_line((LEFT, y), (RIGHT, y), color=color, width=width)

    def new_page(self) -> None:
        self.finish_page()
        self.page = self.pdf.new_page(width=WIDTH, height=HEIGHT)
        self.y = TOP

    def finish_page(self) -> None:
        """Sets the waiting notes at the foot of the page."""
        if not self.notes:
            return
        lines = [(mark, wrap(self, text, SERIF, 9, RIGHT - LEFT - 14)) for mark, text in self.notes]
        y = BOTTOM - 12.5 * sum(len(rows) for _, rows in lines)
        self.page.draw_line((LEFT, y - 16), (LEFT + 120, y - 16), color=SOFT, width=0.6)
        for mark, rows in lines:
            self.put(LEFT, y - 3, mark, SERIF, 6.5)
            for row in rows:
                self.put(LEFT + 8, y, row, SERIF, 9)
                y += 12.5
        self.notes = []


def wrap(sheet: Sheet, text: str, font: str, size: float, width: float) -> list[str]:
    """Greedy lines that fit ``width``; raised marks are measured at full size."""
    lines: list[str] = []
    for word in text.split():
        if lines and sheet.width(f"{lines[-1]} {word}", font, size) <= width:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return lines


def put_line(sheet: Sheet, x: float, text: str, font: str, size: float, color: tuple[float, ...] = INK) -> None:
    """One line, with ``^1^`` raised."""
    for piece in re.split(r"(\^\d+\^)", text):
        raised = piece.startswith("^")
        shown, points = (piece.strip("^"), size * 0.65) if raised else (piece, size)
        if shown:
            sheet.put(x, sheet.y - (size * 0.33 if raised else 0), shown, font, points, color)
            x += sheet.width(shown, font, points)


def paragraph(
    sheet: Sheet,
    text: str,
    *,
    font: str = SERIF,
    size: float = BODY_SIZE,
    leading: float = BODY_LEADING,
    color: tuple[float, ...] = INK,
    indent: float = 0.0,
    after: float = 8.0,
) -> None:
    for line in wrap(sheet, text, font, size, RIGHT - LEFT - indent):
        if sheet.y > BOTTOM:
            sheet.new_page()
        put_line(sheet, LEFT + indent, line, font, size, color)
        sheet.y += leading
    sheet.y += after


def heading(sheet: Sheet, text: str, level: int) -> None:
    sheet.y += 16 if level == 1 and sheet.y > TOP + 1 else 4
    size = 15.0 if level == 1 else 11.5
    sheet.outline.append([level, text, sheet.pdf.page_count, {"kind": 1, "to": pymupdf.Point(LEFT, sheet.y - 20)}])
    sheet.put(LEFT, sheet.y, text, SANS_BOLD, size, ACCENT if level == 1 else INK)
    sheet.y += 22 if level == 1 else 18


def bullets(sheet: Sheet, lines: list[str]) -> None:
    for line in lines:
        sheet.put(LEFT + 4, sheet.y, "\u2022", SERIF, BODY_SIZE, ACCENT)
        paragraph(sheet, line.removeprefix("- "), indent=18, after=2.5)
    sheet.y += 6


def caption(sheet: Sheet, text: str) -> None:
    sheet.y += 6
    sheet.put(LEFT, sheet.y, text, SANS_BOLD, 9, SOFT)
    sheet.y += 9


def table(sheet: Sheet, title: str, rows: list[list[str]]) -> None:
    """Cells are tinted rectangles side by side, so that the columns are there for a machine too."""
    caption(sheet, title)
    longest = max(sheet.width(row[0], SANS_BOLD, 9) for row in rows)
    first = max(longest + 14, (RIGHT - LEFT) * 0.25)
    rest = (RIGHT - LEFT - first) / (len(rows[0]) - 1)
    edges = [LEFT, *(LEFT + first + rest * number for number in range(len(rows[0])))]
    for number, row in enumerate(rows):
        head, height = number == 0, 22.0
        for x0, x1 in pairwise(edges):
            fill = ACCENT if head else TINT if number % 2 == 0 else (1.0, 1.0, 1.0)
            box = pymupdf.Rect(x0, sheet.y, x1, sheet.y + height)
            sheet.page.draw_rect(box, color=ACCENT if head else LINE, fill=fill, width=0.4)
        total = row[0] == "Together"
        for column, cell in enumerate(row):
            color = (1.0, 1.0, 1.0) if head else ALERT if cell == "no" and row[0] != "4.1" else INK
            font = SANS_BOLD if head or total or (cell == "no" and color == ALERT) else SANS
            baseline = sheet.y + 14.5
            if column == 0:
                sheet.put(edges[0] + 7, baseline, cell, font, 9, color)
            else:
                sheet.put_right(edges[column + 1] - 7, baseline, cell, font, 9, color)
        sheet.y += height
    sheet.y += 24


def bars(sheet: Sheet, title: str, rows: list[list[str]]) -> None:
    caption(sheet, title)
    sheet.y += 8
    scale = (RIGHT - LEFT - 130) / max(float(value) for _, value in rows)
    for number, (name, value) in enumerate(rows):
        length = float(value) * scale
        sheet.put_right(LEFT + 62, sheet.y + 9, name, SANS, 9)
        box = pymupdf.Rect(LEFT + 72, sheet.y, LEFT + 72 + length, sheet.y + 11.5)
        sheet.page.draw_rect(box, color=None, fill=ACCENT if number >= 3 else (0.62, 0.75, 0.79))
        sheet.put(LEFT + 80 + length, sheet.y + 9, value, SANS, 9)
        sheet.y += 17
    sheet.y += 20


def signatures(sheet: Sheet, lines: list[str]) -> None:
    for line in lines:
        sheet.y += 52
        name, role = (part.strip() for part in line.removeprefix("!sign ").split("|"))
        sheet.page.draw_line((LEFT, sheet.y - 16), (LEFT + 170, sheet.y - 16), color=SOFT, width=0.6)
        sheet.put(LEFT, sheet.y, name, SANS_BOLD, 9.5)
        sheet.put(LEFT, sheet.y + 13, role, SANS, 9, SOFT)


def place(sheet: Sheet, block: str) -> None:
    """Sets one block of the source."""
    lines = block.split("\n")
    joined = " ".join(lines)
    mark, _, rest = joined.partition(" ")
    if mark == "=":
        sheet.y += 6
        sheet.page.draw_rect(pymupdf.Rect(LEFT, sheet.y - 34, LEFT + 46, sheet.y - 30), color=None, fill=ACCENT)
        sheet.put(LEFT, sheet.y, rest, SANS_BOLD, 27, ACCENT)
        sheet.y += 24
    elif mark == "==":
        sheet.put(LEFT, sheet.y, rest, SANS, 13.5, INK)
        sheet.y += 19
    elif mark in ("#", "##"):
        heading(sheet, rest, len(mark))
    elif mark == "-":
        bullets(sheet, lines)
    elif mark == "!lead":
        paragraph(sheet, rest, size=12.5, leading=18.5, after=6)
    elif mark == "!small":
        paragraph(sheet, rest, font=SANS, size=9.5, color=SOFT, after=14)
    elif mark in ("!table", "!bars"):
        rows = [[cell.strip() for cell in line.split("|")] for line in lines[1:]]
        (table if mark == "!table" else bars)(sheet, lines[0].partition(" ")[2], rows)
    elif mark == "!note":
        number, _, text = rest.partition("|")
        sheet.notes.append((number.strip(), text.strip()))
    elif mark == "!sign":
        signatures(sheet, lines)
    elif mark == "!pagebreak":
        sheet.new_page()
    else:
        paragraph(sheet, joined)
    if sheet.y > BOTTOM + BODY_LEADING:
        raise ValueError(f"Page {sheet.pdf.page_count} is too full at: {joined[:60]}")


def furniture(sheet: Sheet) -> None:
    """The running header and footer of every page; the first has no header."""
    owner, footer = sheet.metadata["header"].replace("|", "\u2013"), sheet.metadata["footer"].replace("|", "\u2013")
    for number in range(1, sheet.pdf.page_count + 1):
        sheet.page = sheet.pdf[number - 1]
        if number > 1:
            sheet.put(LEFT, 58, owner, SANS, 8.5, SOFT)
            sheet.rule(66)
        sheet.rule(786)
        sheet.put(LEFT, 800, footer, SANS, 8.5, SOFT)
        sheet.put_right(RIGHT, 800, f"Page {number} of {sheet.pdf.page_count}", SANS, 8.5, SOFT)


def typeset(source: str) -> bytes:
    """The report as PDF. The same source and the same PyMuPDF give the same bytes. Raises ``ValueError``."""
    head, _, body = source.partition("\n\n")
    sheet = Sheet(dict(line.split(": ", 1) for line in head.split("\n")))
    sheet.new_page()
    for block in re.split(r"\n{2,}", body.strip()):
        place(sheet, block)
    sheet.finish_page()
    furniture(sheet)
    sheet.pdf.set_toc(sheet.outline)
    stamp = f"D:{sheet.metadata['date'].replace('-', '')}090000Z"
    sheet.pdf.set_metadata(
        {
            "title": sheet.metadata["title"],
            "author": sheet.metadata["author"],
            "producer": "Lectern samples",
            "creationDate": stamp,
            "modDate": stamp,
        }
    )
    sheet.pdf.subset_fonts()
    return bytes(sheet.pdf.tobytes(garbage=4, deflate=True, deflate_fonts=True, no_new_id=True))


def typeset_file(source: Path, target: Path) -> None:
    """Writes ``target`` from ``source``, leaving it alone when it already has these bytes."""
    data = typeset(source.read_text(encoding="utf-8"))
    if not target.exists() or target.read_bytes() != data:
        target.write_bytes(data)
