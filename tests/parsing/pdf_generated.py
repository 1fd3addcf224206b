"""PDFs set from known text, as papers, reports and manuals set it, with what a reader should find in them.

``GENERATED`` names them; each is deterministic. Words stand in the order in which a person reads them: columns one
after the other, a caption with its figure or table, a footnote behind the paragraph at whose column's foot it stands;
running headers, footers and page numbers last.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import product

import pymupdf

Table = list[list[str]]

_WIDTH, _HEIGHT = 595.0, 842.0
_TOP, _BOTTOM = 84.0, 760.0
_ESCAPED = str.maketrans({"(": r"\(", ")": r"\)", "\\": r"\\"})
_SERIF, _BOLD, _ITALIC = "tiro", "tibo", "tiit"
_SYLLABLES = ("nal", "tion", "sel", "ment", "per", "ric", "des", "ty")
_VOCABULARY = ["".join(parts) for parts in product(("con", "re", "ma", "pro"), ("ter", "vi", "du", "lo"), _SYLLABLES)]
_SMALL = "the of and to in a is that for it as was with on by at from are this which or an be has not".split()


@dataclass(slots=True)
class Made:
    """A PDF, and what it holds in reading order: words, and tables at their place as texts of cells."""

    data: bytes
    content: list[str | Table]

    @property
    def words(self) -> list[str]:
        """All of them, the tables' too."""
        parts = [[part] if isinstance(part, str) else [cell for row in part for cell in row] for part in self.content]
        return [word for part in parts for text in part for word in text.split()]

    @property
    def markdown(self) -> str:
        """The same as Markdown, the tables as pipe tables."""
        return "\n".join(part if isinstance(part, str) else f"\n{_pipe_table(part)}\n" for part in self.content)


def _pipe_table(rows: Table) -> str:
    return "\n".join([_pipes(rows[0]), _pipes(["-"] * len(rows[0])), *map(_pipes, rows[1:])])


def _pipes(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell.replace("|", r"\|") for cell in cells) + " |"


@cache
def width(text: str, font: str, size: float) -> float:
    """Points a text takes up."""
    return float(pymupdf.get_text_length(text, font, size))


class Prose:
    """Sentences that read like a report's, from one seed."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def sentence(self) -> str:
        count = self.random.randint(7, 20)
        words = [self.random.choice(_SMALL if self.random.random() < 0.42 else _VOCABULARY) for _ in range(count)]
        words[0] = words[0].capitalize()
        if count > 12:
            words[count // 2] += ","
        if self.random.random() < 0.2:
            words[-2] = f"{self.random.randint(2, 9000):,}"
        return " ".join(words) + "."

    def paragraph(self, words: int) -> str:
        sentences: list[str] = []
        while sum(len(sentence.split()) for sentence in sentences) < words:
            sentences.append(self.sentence())
        return " ".join(sentences)

    def title(self, words: int = 4) -> str:
        return " ".join(self.random.choice(_VOCABULARY).capitalize() for _ in range(words))


@dataclass(slots=True)
class Sheet:
    """Pages under way: blocks flow down columns, and what stands in them is noted as it is set.

    ``full_width``: blocks run over all columns until ``begin_columns``. ``hyphenated``: words break at a line's end.
    """

    columns: int = 1
    gap: float = 22.0
    margin: float = 62.0
    header: str = ""
    footer: str = ""
    hyphenated: bool = True
    leading: float = 1.2
    size: float = 10.0
    full_width: bool = False
    body: list[str | Table] = field(default_factory=list)
    furniture: list[str] = field(default_factory=list)
    _pages: list[list[str]] = field(default_factory=list)
    _column: int = 0
    _y: float = 0.0
    _foot: float = _BOTTOM
    _notes: list[str] = field(default_factory=list)
    _waiting: list[tuple[int, str]] = field(default_factory=list)
    _top: float = _TOP

    @property
    def column_width(self) -> float:
        inner = _WIDTH - 2 * self.margin
        return inner if self.full_width else (inner - (self.columns - 1) * self.gap) / self.columns

    @property
    def left(self) -> float:
        return self.margin + (0 if self.full_width else self._column * (self.column_width + self.gap))

    @property
    def page_count(self) -> int:
        return len(self._pages)

    @property
    def _operators(self) -> list[str]:
        if not self._pages:
            self.new_page()
        return self._pages[-1]

    def write(self, x: float, y: float, text: str, font: str, size: float) -> None:
        """Text with its baseline at ``y``. Operators of the PDF language: the library's own calls take minutes."""
        raw = text.translate(_ESCAPED)
        self._operators.append(f"BT /{font} {size} Tf {x:.2f} {_HEIGHT - y:.2f} Td ({raw}) Tj ET")

    def line(self, x0: float, y0: float, x1: float, y1: float, thickness: float = 0.5) -> None:
        self._operators.append(f"{thickness} w {x0:.2f} {_HEIGHT - y0:.2f} m {x1:.2f} {_HEIGHT - y1:.2f} l S")

    def frame(self, x0: float, y0: float, x1: float, y1: float, paint: str = "S") -> None:
        """``paint``: "S" draws the edges, "B" fills the inside too."""
        self._operators.append(
            f"0.9 0.92 0.98 rg {x0:.2f} {_HEIGHT - y1:.2f} {x1 - x0:.2f} {y1 - y0:.2f} re {paint} 0 g"
        )

    def new_page(self) -> None:
        self._close_column()
        self._pages.append([])
        number = self.page_count
        self._column, self._y, self._top, self._foot = 0, _TOP, _TOP, _BOTTOM
        if self.header:
            text = self.header if number % 2 else f"{number} {self.header}"
            self.write(self.margin, 48, text, _SERIF, 8.5)
            self.furniture += text.split()
        if self.footer:
            text = f"{self.footer} {number}"
            x = (_WIDTH - width(text, _SERIF, 8.5)) / 2
            self.write(x, 806, text, _SERIF, 8.5)
            self.furniture += text.split()

    def room(self, height: float) -> None:
        """Go on in the next column or page unless there is room."""
        if not self._pages:
            self.new_page()
        if self._y + height <= self._foot:
            return
        self._close_column()
        if self._column + 1 < self.columns and not self.full_width:
            self._column += 1
            self._y, self._foot = self._top, _BOTTOM
        else:
            self.new_page()

    def _close_column(self) -> None:
        """Set the notes of the column at its foot."""
        y = self._foot + 14
        if self._notes:
            self.line(self.left, y - 10, self.left + 60, y - 10)
        for note in self._notes:
            for line in self._broken(note, 7.5, _SERIF):
                self.write(self.left, y, line, _SERIF, 7.5)
                y += 9
            self.body += note.split()
        self._notes = []

    def _broken(self, text: str, size: float, font: str, indent: float = 0.0) -> list[str]:
        """Lines of a paragraph; words that do not fit are hyphenated where that leaves three letters on either side."""
        lines: list[str] = []
        line = ""
        room = self.column_width
        for word in text.split():
            tried = f"{line} {word}".strip()
            limit = room - (indent if not lines else 0)
            if width(tried, font, size) <= limit:
                line = tried
                continue
            for cut in range(len(word) - 3, 2, -1) if self.hyphenated and word.isalpha() else ():
                if width(f"{line} {word[:cut]}-".strip(), font, size) <= limit:
                    lines.append(f"{line} {word[:cut]}-".strip())
                    line = word[cut:]
                    break
            else:
                lines.append(line)
                line = word
        return [*lines, line]

    def paragraph(self, text: str, *, indent: float = 12.0, note: str = "", size: float = 0.0) -> None:
        size = size or self.size
        lines = self._broken(text, size, _SERIF, indent)
        step = size * self.leading
        for number, line in enumerate(lines):
            self.room(step + (34 if note and number == 0 else 0))
            if note and number == 0:
                self._notes.append(note)
                self._foot -= 9 * len(self._broken(note, 7.5, _SERIF)) + (14 if len(self._notes) == 1 else 0)
            x = self.left + (indent if number == 0 else 0)
            self._justified(line, x, size, last=number == len(lines) - 1)
            self._y += step
        self.body += text.split()

    def _justified(self, line: str, x: float, size: float, *, last: bool) -> None:
        words = line.split()
        baseline = self._y + size
        slack = self.left + self.column_width - x - width(line, _SERIF, size)
        if last or len(words) < 3:
            self.write(x, baseline, line, _SERIF, size)
            return
        for word in words:
            self.write(x, baseline, word, _SERIF, size)
            x += width(f"{word} ", _SERIF, size) + slack / (len(words) - 1)

    def heading(self, text: str, size: float) -> None:
        self.room(4 * size)
        self._y += 0.8 * size
        for line in self._broken(text, size, _BOLD):
            self.write(self.left, self._y + size, line, _BOLD, size)
            self._y += 1.25 * size
        self._y += 0.3 * size
        self.body += text.split()

    def items(self, items: Sequence[str], bullet: str = "\u2022") -> None:
        self._y += 3
        for item in items:
            lines = self._broken(item, self.size, _SERIF, 14)
            for number, line in enumerate(lines):
                self.room(self.size * self.leading)
                if number == 0:
                    self.write(self.left + 4, self._y + self.size, bullet, _SERIF, self.size)
                self.write(self.left + 14, self._y + self.size, line, _SERIF, self.size)
                self._y += self.size * self.leading
            self.body += [bullet, *item.split()]
        self._y += 3

    def caption(self, text: str) -> None:
        self._y += 4
        for line in self._broken(text, 9, _ITALIC):
            self.write(self.left, self._y + 9, line, _ITALIC, 9)
            self._y += 11
        self._y += 4
        self.body += text.split()

    def figure(self, caption: str, labels: Sequence[str]) -> None:
        """A drawing with words in it, its caption below; the words are expected behind the caption."""
        self.room(140)
        top, left, right = self._y + 8, self.left, self.left + self.column_width
        self.frame(left, top, right, top + 90)
        for number, label in enumerate(labels):
            x = left + 14 + (number % 2) * self.column_width / 2
            y = top + 20 + 28 * (number // 2)
            self.frame(x - 4, y - 10, x + 70, y + 6, "B")
            self.write(x, y, label, "helv", 7.5)
        self._y = top + 94
        self.caption(caption)
        self.body += " ".join(labels).split()
        self._y += 8

    def table(self, rows: Table, style: str, caption: str = "", widths: Sequence[float] = ()) -> None:
        """``style``: "ruled" (a full grid), "booktabs" (three rules), "plain" (white space alone).

        A cell may hold several lines, parted by newlines; columns of figures stand flush right.
        """
        size, pad = self.size - 0.5, 4.0
        step = 1.15 * size
        heights = [max(cell.count("\n") + 1 for cell in row) * step + 2 * pad for row in rows]
        if style == "plain":
            heights = [height - pad for height in heights]
        self.room(sum(heights) + 60)
        if caption:
            self.caption(caption)
        shares = list(widths) or [1 / len(rows[0])] * len(rows[0])
        edges = [self.left + self.column_width * sum(shares[:index]) for index in range(len(shares) + 1)]
        figures = [all(_is_number(row[column]) for row in rows[1:]) for column in range(len(rows[0]))]
        y = self._y + 2
        if style != "plain":
            self.line(edges[0], y, edges[-1], y, 0.8)
        for number, (row, height) in enumerate(zip(rows, heights, strict=True)):
            for column, cell in enumerate(row):
                font = _BOLD if number == 0 else _SERIF
                for line_number, line in enumerate(cell.split("\n")):
                    x = edges[column] + pad
                    if figures[column]:
                        x = edges[column + 1] - pad - width(line, font, size)
                    baseline = y + pad + size * 0.9 + step * line_number
                    self.write(x, baseline, line, font, size)
            y += height
            if style == "ruled" or (style == "booktabs" and number in (0, len(rows) - 1)):
                self.line(edges[0], y, edges[-1], y)
        if style == "ruled":
            for x in edges:
                self.line(x, self._y + 2, x, y)
        self._y = y + 12
        self.body.append([[" ".join(cell.split()) for cell in row] for row in rows])

    def begin_columns(self, columns: int) -> None:
        """From here on the page is set in columns."""
        self._y += 14
        self.full_width, self.columns, self._column, self._top = False, columns, 0, self._y

    def made(self) -> Made:
        self._close_column()
        pdf, resources = pymupdf.open(), ""
        for operators in self._pages:
            page = pdf.new_page(width=_WIDTH, height=_HEIGHT)
            if page.number == 0:
                for font in (_SERIF, _BOLD, _ITALIC, "helv"):
                    page.insert_font(fontname=font)
                resources = pdf.xref_get_key(page.xref, "Resources")[1]
            pdf.xref_set_key(page.xref, "Resources", resources)
            contents = pdf.get_new_xref()
            pdf.update_object(contents, "<<>>")
            pdf.update_stream(contents, "\n".join(operators).encode("cp1252"))
            page.set_contents(contents)
        return Made(bytes(pdf.tobytes(deflate=True)), [*self.body, *self.furniture])


def _is_number(cell: str) -> bool:
    return bool(cell) and all(char in "0123456789.,%-+ " for char in cell)


def _figures(prose: Prose, rows: int, columns: int) -> Table:
    head = ["Region", *(f"Year {2018 + index}" for index in range(columns - 1))]
    names = prose.random.sample([word.capitalize() for word in _VOCABULARY if len(word) > 6], rows)
    body = [[name, *(f"{prose.random.uniform(1, 9000):,.1f}" for _ in range(columns - 1))] for name in names]
    return [head, *body]


def _words(prose: Prose, rows: int) -> Table:
    body = [
        [prose.title(1), f"{prose.title(2)}\n{prose.random.choice(_VOCABULARY)}", f"{prose.random.randint(1, 99)} %"]
        for _ in range(rows)
    ]
    return [["Method", "Purpose", "Share"], *body]


def paper(seed: int = 1) -> Made:
    """Two columns under a title, running headers, hyphens, footnotes, a figure, booktabs and plain tables."""
    prose = Prose(seed)
    sheet = Sheet(columns=2, header="A Study of Rivers and Mills", full_width=True)
    sheet.heading(prose.title(7), 19)
    sheet.paragraph(f"Abstract. {prose.paragraph(80)}", indent=0, size=9)
    sheet.begin_columns(2)
    for section in range(1, 5):
        sheet.heading(f"{section} {prose.title(3)}", 13)
        sheet.paragraph(prose.paragraph(110), indent=0)
        sheet.paragraph(prose.paragraph(90), note=f"{section} {prose.sentence()}")
        if section % 2:
            sheet.table(_figures(prose, 6, 3), "booktabs", f"Table {section}: {prose.sentence()}")
        else:
            sheet.figure(f"Figure {section}: {prose.sentence()}", ["First valve", "Second pump", "Outer tank", "Inlet"])
        sheet.heading(f"{section}.1 {prose.title(2)}", 11)
        sheet.paragraph(prose.paragraph(120), indent=0)
        if section == 2:
            sheet.table(_figures(prose, 5, 3), "plain", f"Table {section}: {prose.sentence()}")
        sheet.paragraph(prose.paragraph(100))
    return sheet.made()


def report(seed: int = 2) -> Made:
    """One column with headers, footers and page numbers; lists, ruled tables with wrapped cells, plain tables."""
    prose = Prose(seed)
    sheet = Sheet(header="Annual Report of the Water Board", footer="Water Board, page", size=10.5, leading=1.3)
    sheet.heading(prose.title(4), 22)
    for chapter in range(1, 4):
        sheet.heading(f"{chapter}. {prose.title(3)}", 15)
        sheet.paragraph(prose.paragraph(150), indent=0)
        sheet.paragraph(prose.paragraph(120), indent=0, note=f"{chapter} {prose.sentence()}")
        sheet.items([prose.sentence() for _ in range(4)])
        sheet.table(_words(prose, 5), "ruled", f"Table {chapter}.1: {prose.sentence()}", (0.25, 0.55, 0.2))
        sheet.heading(f"{chapter}.1 {prose.title(2)}", 12)
        sheet.paragraph(prose.paragraph(140), indent=0)
        sheet.table(_figures(prose, 8, 5), "plain")
        sheet.paragraph(prose.paragraph(130), indent=0)
        sheet.table(_words(prose, 4), "booktabs", f"Table {chapter}.2: {prose.sentence()}", (0.3, 0.5, 0.2))
        sheet.paragraph(prose.paragraph(90), indent=0)
    return sheet.made()


GENERATED: dict[str, Callable[[], Made]] = {"paper.pdf": paper, "report.pdf": report}
