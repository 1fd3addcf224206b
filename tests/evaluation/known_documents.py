"""Documents written by the tests from known text, with the Markdown that says what a reader should find in them.

The program that writes a file is never the one that reads it: pandoc from Markdown, openpyxl, csv, email.
"""

from __future__ import annotations

import csv
import html
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from email.message import EmailMessage
from functools import cache
from io import BytesIO, StringIO

from core.parsing.pandoc.program import convert

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


def mail(seed: int) -> Known:
    story = Story(seed)
    subject, texts = story.title(), [story.paragraph() for _ in range(3)]
    message = EmailMessage()
    message["Subject"], message["From"], message["To"] = subject, "Ada <ada@example.org>", "Bob <bob@example.org>"
    message.set_content("\n\n".join(texts))
    message.add_alternative("".join(f"<p>{text}</p>" for text in texts), subtype="html")
    return Known(f"known-{seed}.eml", bytes(message), "\n\n".join(texts))


STANDALONE = {"docx", "pptx", "epub", "rtf", "odt"}


def by_pandoc(target: str) -> Callable[[int], Known]:
    """The Markdown of a seed as pandoc writes it in another format, once for all that ask."""

    @cache
    def make(seed: int) -> Known:
        source = markdown(seed)
        data = convert(
            source.data, "gfm", target, memory_megabytes=512, timeout_seconds=60, standalone=target in STANDALONE
        )
        return Known(f"known-{seed}.{target}", data, source.expected.replace("```python", "```"))

    return make


MAKERS: dict[str, Callable[[int], Known]] = {
    "markdown": markdown,
    "html": web_page,
    "docx": by_pandoc("docx"),
    "pptx": by_pandoc("pptx"),
    "xlsx": workbook,
    "csv": separated,
    "epub": by_pandoc("epub"),
    "odt": by_pandoc("odt"),
    "rtf": by_pandoc("rtf"),
    "rst": by_pandoc("rst"),
    "org": by_pandoc("org"),
    "eml": mail,
}
