"""Documents written by the tests from known text, with the Markdown that says what a reader should find in them.

The program that writes a file is never the one that reads it: python-docx, python-pptx, openpyxl, pandoc, zipfile, ...
"""

from __future__ import annotations

import csv
import html
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from email.message import EmailMessage
from io import BytesIO, StringIO
from zipfile import ZipFile

from core.parsing.pandoc import convert

_VOCABULARY = (
    "access account agency analysis answer approach archive average balance benefit building capital careful change "
    "citizen climate committee company concern condition control council country culture customer decision department "
    "design direction distance document economy effect election energy engine equipment evidence example exchange "
    "experience family figure finance forest function future government growth history hospital image industry "
    "information interest knowledge language letter library machine manager market material measure meeting member "
    "memory method mountain movement nature network number officer opinion paper partner pattern payment period "
    "picture policy position practice pressure problem process product programme project quality question railway "
    "record region relation report research resource result river science season section service society solution "
    "station strategy structure subject summer surface system teacher theory traffic valley village weather "
    "élan façade naïve Zürich Gdańsk Ελλάδα Москва 東京 señor Ærø İzmir"
).split()
Rows = list[list[str]]


@dataclass(frozen=True, slots=True)
class Known:
    """A file, and the text it should be read as."""

    name: str
    data: bytes
    expected: str


class Story:
    """Headings, paragraphs, lists and tables from one seed."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def words(self, low: int, high: int) -> str:
        return " ".join(self._random.choices(_VOCABULARY, k=self._random.randint(low, high)))

    def title(self) -> str:
        return self.words(2, 5).capitalize()

    def sentence(self) -> str:
        return f"{self.words(6, 16).capitalize()}."

    def paragraph(self) -> str:
        return " ".join(self.sentence() for _ in range(self._random.randint(2, 5)))

    def items(self) -> list[str]:
        return [self.words(2, 7) for _ in range(self._random.randint(2, 5))]

    def table(self, width: int = 4) -> Rows:
        """A header, and rows of a name and figures."""
        body = [
            [self.words(1, 2), *(self.figure() for _ in range(width - 1))] for _ in range(self._random.randint(3, 7))
        ]
        return [[self.words(1, 2).capitalize() for _ in range(width)], *body]

    def figure(self) -> str:
        whole = self._random.randint(1, 99_999)
        return self._random.choice([str(whole), f"{whole:,}", f"{whole / 100:.2f}", f"{whole % 100} %", "n/a"])


def pipes(rows: Rows) -> str:
    """A pipe table."""
    lines = ["| " + " | ".join(cell.replace("|", r"\|").replace("\n", " ") for cell in row) + " |" for row in rows]
    return "\n".join([lines[0], "|" + " - |" * len(rows[0]), *lines[1:]])


def bullets(items: Sequence[str], indent: str = "") -> str:
    return "\n".join(f"{indent}- {item}" for item in items)


def markdown(seed: int) -> Known:
    story = Story(seed)
    parts = [f"# {story.title()}"]
    for _ in range(4):
        parts += [f"## {story.title()}", story.paragraph(), bullets(story.items()), pipes(story.table())]
        parts += [f"> {story.sentence()}", f"```python\n{story.words(3, 6)}\n```", story.paragraph()]
    text = "\n\n".join(parts)
    return Known(f"known-{seed}.md", text.encode(), text)


def web_page(seed: int) -> Known:
    """Nested lists, a table whose cells span rows and columns, things that are not shown."""
    story = Story(seed)
    title, expected, body = story.title(), [], []
    expected.append(f"# {title}")
    body.append(f"<h1>{title}</h1><script>var lost = 'nothing';</script><p hidden>Nobody sees this.</p>")
    for _ in range(4):
        heading, text, outer, inner, rows = (
            story.title(),
            story.paragraph(),
            story.items(),
            story.items(),
            story.table(),
        )
        group, link = story.words(1, 2), story.words(1, 3)
        expected += [f"## {heading}", f"{text} {link}", bullets(outer), bullets(inner, "  ")]
        expected += [pipes([[group] * 4, *rows]), story_quote := story.sentence()]
        nested = "".join(f"<li>{item}" for item in inner)
        cells = "".join("<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
        body.append(
            f"<h2>{heading}</h2><p>{text} <a href='/a?b=1&amp;c=2'><b>{link}</b></a></p>"
            f"<ul>{''.join(f'<li>{item}</li>' for item in outer[:-1])}<li>{outer[-1]}<ul>{nested}</ul></li></ul>"
            f"<table><tr><th colspan=4>{group}</th></tr>{cells}</table><blockquote>{story_quote}</blockquote>"
        )
    page = f"<!DOCTYPE html><html><head><meta charset=utf-8><title>{title}</title></head><body>{''.join(body)}</body>"
    return Known(f"known-{seed}.html", page.encode(), "\n\n".join(expected))


def word(seed: int) -> Known:
    """Lists, a merged table, a running header, a comment."""
    import docx

    story = Story(seed)
    document, expected = docx.Document(), []
    running = story.title()
    document.sections[0].header.paragraphs[0].text = running
    for level in (0, 1, 2, 1):
        heading = story.title()
        document.add_heading(heading, level)
        expected.append(f"{'#' * max(1, level)} {heading}")
        text, remark = story.paragraph(), story.sentence()
        paragraph = document.add_paragraph(text)
        document.add_comment(paragraph.runs, text=remark, author="Jane Smith", initials="JS")
        expected += [text, f"Comment by Jane Smith {remark}"]
        items, rows, group = story.items(), story.table(), story.words(1, 2)
        for item in items:
            document.add_paragraph(item, style="List Bullet")
        expected.append(bullets(items))
        table = document.add_table(len(rows) + 1, len(rows[0]))
        for number, row in enumerate(rows, 1):
            for column, cell in enumerate(row):
                table.cell(number, column).text = cell
        table.cell(0, 1).merge(table.cell(0, 3)).text = group
        expected.append(pipes([["", group, group, group], *rows]))
        broken = story.sentence()
        document.add_paragraph(broken).add_run().add_break()
        expected.append(broken)
    numbered = story.items()
    for item in numbered:
        document.add_paragraph(item, style="List Number")
    expected.append("\n".join(f"{number}. {item}" for number, item in enumerate(numbered, 1)))
    expected.append(running)
    file = BytesIO()
    document.save(file)
    return Known(f"known-{seed}.docx", file.getvalue(), "\n\n".join(expected))


def slides(seed: int) -> Known:
    """Bullets of two levels, a merged table, a chart, notes."""
    import pptx
    from pptx.chart.data import CategoryChartData
    from pptx.enum.chart import XL_CHART_TYPE
    from pptx.util import Inches

    story = Story(seed)
    deck, expected = pptx.Presentation(), []
    for _ in range(3):
        slide = deck.slides.add_slide(deck.slide_layouts[1])
        title, items, rows, notes = story.title(), story.items(), story.table(), story.paragraph()
        slide.shapes.title.text = title
        frame = slide.placeholders[1].text_frame
        frame.text = items[0]
        for level, item in enumerate(items[1:]):
            paragraph = frame.add_paragraph()
            paragraph.text, paragraph.level = item, level % 2
        expected += [f"# {title}", bullets(items)]
        shape = slide.shapes.add_table(len(rows), len(rows[0]), Inches(1), Inches(4), Inches(8), Inches(1))
        for number, row in enumerate(rows):
            for column, cell in enumerate(row):
                shape.table.cell(number, column).text = cell
        shape.table.cell(0, 0).merge(shape.table.cell(0, 1))
        merged = f"{rows[0][0]} {rows[0][1]}"  # PowerPoint joins what it merges
        expected.append(pipes([[merged, merged, *rows[0][2:]], *rows[1:]]))
        slide.notes_slide.notes_text_frame.text = notes
        expected.append(f"Notes: {notes}")
        other = deck.slides.add_slide(deck.slide_layouts[5])
        data, names = CategoryChartData(), story.items()
        data.categories = names
        label, heading = story.words(1, 2), story.title()
        data.add_series(label, [float(number) for number in range(1, len(names) + 1)])
        other.shapes.title.text = heading
        other.shapes.add_chart(XL_CHART_TYPE.BAR_CLUSTERED, Inches(1), Inches(2), Inches(6), Inches(4), data)
        expected += [f"# {heading}", pipes([["", label], *([name, str(n)] for n, name in enumerate(names, 1))])]
    file = BytesIO()
    deck.save(file)
    return Known(f"known-{seed}.pptx", file.getvalue(), "\n\n".join(expected))


def workbook(seed: int) -> Known:
    """Two tables a sheet, figures with formats, dates, a merged title, a comment."""
    import openpyxl
    from openpyxl.comments import Comment

    story = Story(seed)
    book, expected = openpyxl.Workbook(), []
    book.remove(book.active)
    for number in range(1, 4):
        name, title, remark = f"Plan {number}", story.title(), story.sentence()
        sheet = book.create_sheet(name)
        sheet.append([title])
        sheet.merge_cells("A1:D1")
        sheet.append([])
        first, second = story.table(), story.table(3)
        first = [
            first[0],
            *([row[0], str(n), f"{n / 4:g}", f"{2020 + n}-03-1{n}"] for n, row in enumerate(first[1:], 1)),
        ]
        sheet.append(first[0])
        for row in first[1:]:
            sheet.append([row[0], int(row[1]), float(row[2]), date.fromisoformat(row[3])])
        sheet.append([])
        sheet.append([])
        for row in second:
            sheet.append(row)
        sheet["A3"].comment = Comment(remark, "Jane Smith")
        expected += [f"# {name}", title, pipes(first), f"Comment by Jane Smith {remark}", pipes(second)]
    file = BytesIO()
    book.save(file)
    return Known(f"known-{seed}.xlsx", file.getvalue(), "\n\n".join(expected))


def separated(seed: int) -> Known:
    """Quotation marks, line breaks in cells, and one of four separators."""
    story = Story(seed)
    mark = ",;\t|"[seed % 4]
    rows = [*story.table(5), [f"a{mark} b", 'said "yes"', "two\nlines", "", "last"]]
    file = StringIO()
    csv.writer(file, delimiter=mark, lineterminator="\n").writerows(rows)
    suffix = "tsv" if mark == "\t" else "csv"
    return Known(f"known-{seed}.{suffix}", file.getvalue().encode(), pipes(rows))


def book(seed: int) -> Known:
    """An EPUB whose spine has another order than its files."""
    story = Story(seed)
    chapters = {}
    expected = []
    order = [3, 1, 2]
    for number in order:
        title, texts, rows = story.title(), [story.paragraph() for _ in range(3)], story.table()
        cells = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows)
        chapters[number] = (
            f'<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title>{title}</title></head><body>'
            f"<h1>{title}</h1>{''.join(f'<p>{text}</p>' for text in texts)}<table>{cells}</table></body></html>"
        )
        expected += [f"# {title}", *texts, pipes(rows)]
    items = "".join(f'<item id="c{n}" href="c{n}.xhtml" media-type="application/xhtml+xml"/>' for n in sorted(order))
    spine = "".join(f'<itemref idref="c{n}"/>' for n in order)
    file = BytesIO()
    with ZipFile(file, "w") as package:
        package.writestr("mimetype", "application/epub+zip")
        package.writestr(
            "META-INF/container.xml",
            '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container" version="1.0"><rootfiles>'
            '<rootfile full-path="in/book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>',
        )
        package.writestr(
            "in/book.opf",
            '<package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="i"><metadata '
            'xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:identifier id="i">x</dc:identifier><dc:title>A Known Book'
            f"</dc:title><dc:language>en</dc:language></metadata><manifest>{items}</manifest><spine>{spine}</spine>"
            "</package>",
        )
        for number, chapter in chapters.items():
            package.writestr(f"in/c{number}.xhtml", chapter)
    return Known(f"known-{seed}.epub", file.getvalue(), "\n\n".join(expected))


def mail(seed: int) -> Known:
    story = Story(seed)
    subject, texts = story.title(), [story.paragraph() for _ in range(3)]
    message = EmailMessage()
    message["Subject"], message["From"], message["To"] = subject, "Ada <ada@example.org>", "Bob <bob@example.org>"
    message.set_content("\n\n".join(texts))
    message.add_alternative("".join(f"<p>{text}</p>" for text in texts), subtype="html")
    return Known(f"known-{seed}.eml", bytes(message), "\n\n".join(texts))


def by_pandoc(target: str) -> Callable[[int], Known]:
    """The Markdown of a seed as pandoc writes it in another format."""

    def make(seed: int) -> Known:
        source = markdown(seed)
        data = convert(
            source.data, "gfm", target, memory_megabytes=512, timeout_seconds=60, standalone=target in {"rtf", "odt"}
        )
        return Known(f"known-{seed}.{target}", data, source.expected.replace("```python", "```"))

    return make


MAKERS: dict[str, Callable[[int], Known]] = {
    "markdown": markdown,
    "html": web_page,
    "docx": word,
    "pptx": slides,
    "xlsx": workbook,
    "csv": separated,
    "epub": book,
    "odt": by_pandoc("odt"),
    "rtf": by_pandoc("rtf"),
    "rst": by_pandoc("rst"),
    "org": by_pandoc("org"),
    "eml": mail,
}
