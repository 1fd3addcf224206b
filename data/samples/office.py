"""The Word document, the presentation and the workbook of the samples, made from the TOML files in ``sources``.

What the samples are about is done as a person does it in the program: numbers of clauses are Word's own, cells are
joined, notes and comments are notes and comments.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from io import BytesIO
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

from docx import Document
from docx.opc.constants import RELATIONSHIP_TYPE
from docx.opc.packuri import PackURI
from docx.opc.part import Part
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls, qn
from docx.shared import Pt
from openpyxl import Workbook
from openpyxl.comments import Comment
from openpyxl.styles import Alignment, Font, PatternFill
from openpyxl.utils import get_column_letter
from packing import repacked
from pptx import Presentation
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE, XL_LEGEND_POSITION
from pptx.opc.package import Part as SlidePart
from pptx.opc.packuri import PackURI as SlideURI
from pptx.util import Inches

LEFT, ABOVE = "<", "^"
Joins = list[tuple[int, int, int, int]]  # first row, first column, last row, last column, from 0


def joined(rows: Sequence[Sequence[Any]]) -> Joins:
    """The rectangles of cells that ``<`` and ``^`` join, in reading order.

    >>> joined([["a", "<", "b"], ["c", "d", "^"]])
    [(0, 0, 0, 1), (0, 2, 1, 2)]
    """
    found: Joins = []
    for top, row in enumerate(rows):
        for left, cell in enumerate(row):
            if cell in (LEFT, ABOVE):
                continue
            right, bottom = left, top
            while right + 1 < len(row) and row[right + 1] == LEFT:
                right += 1
            while bottom + 1 < len(rows) and left < len(rows[bottom + 1]) and rows[bottom + 1][left] == ABOVE:
                bottom += 1
            if (right, bottom) != (left, top):
                found.append((top, left, bottom, right))
    return found


def shown(rows: Sequence[Sequence[Any]]) -> Iterator[tuple[int, int, Any]]:
    """Row, column and content of every cell that has content of its own."""
    for number, row in enumerate(rows):
        for column, cell in enumerate(row):
            if cell not in (LEFT, ABOVE, ""):
                yield number, column, cell


# Word

_NUMBERS = f"""<w:abstractNum {nsdecls("w")} w:abstractNumId="90"><w:multiLevelType w:val="multilevel"/>
<w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:pStyle w:val="Heading1"/><w:lvlText w:val="%1."/>
<w:lvlJc w:val="left"/><w:pPr><w:ind w:left="567" w:hanging="567"/></w:pPr></w:lvl>
<w:lvl w:ilvl="1"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:lvlText w:val="%1.%2"/>
<w:lvlJc w:val="left"/><w:pPr><w:ind w:left="567" w:hanging="567"/></w:pPr></w:lvl></w:abstractNum>"""
_NOTE = """<w:footnote w:id="{number}"><w:p><w:r><w:footnoteRef/></w:r>
<w:r><w:t xml:space="preserve"> {text}</w:t></w:r></w:p></w:footnote>"""
_RULES = """<w:footnote w:type="separator" w:id="-1"><w:p><w:r><w:separator/></w:r></w:p></w:footnote>
<w:footnote w:type="continuationSeparator" w:id="0"><w:p><w:r><w:continuationSeparator/></w:r></w:p></w:footnote>"""
_FOOTNOTES_TYPE = "application/vnd.openxmlformats-officedocument.wordprocessingml.footnotes+xml"


def word_document(source: dict[str, Any]) -> bytes:
    """The policy: numbered headings and clauses, a table with joined cells, footnotes, comments, running lines."""
    document = Document()
    _properties(document.core_properties, source)
    document.styles["Normal"].font.size = Pt(11)
    numbering = document.part.numbering_part.element
    numbering.insert(0, parse_xml(_NUMBERS))
    numbering.append(parse_xml(f'<w:num {nsdecls("w")} w:numId="90"><w:abstractNumId w:val="90"/></w:num>'))
    _number(document.styles["Heading 1"].element, 0)
    page = document.sections[0]
    page.header.paragraphs[0].text, page.footer.paragraphs[0].text = source["header"], source["footer"]
    document.add_paragraph(source["title"], style="Title")
    document.add_paragraph(source["subtitle"], style="Subtitle")
    document.add_paragraph(source["preamble"])
    for section in source["section"]:
        document.add_paragraph(section["heading"], style="Heading 1")
        if "text" in section:
            document.add_paragraph(section["text"])
        for clause in section.get("clauses", ()):
            paragraph = document.add_paragraph()
            _number(paragraph._p, 1)
            _write_clause(document, paragraph, clause, source)
        if "table" in section:
            document.add_paragraph(section["table"]["caption"], style="Caption")
            _word_table(document, section["table"]["rows"])
    notes = "".join(_NOTE.format(number=n, text=escape(note["text"])) for n, note in enumerate(source["footnote"], 1))
    blob = f"<w:footnotes {nsdecls('w')}>{_RULES}{notes}</w:footnotes>".encode()
    part = Part(PackURI("/word/footnotes.xml"), _FOOTNOTES_TYPE, blob, document.part.package)
    document.part.relate_to(part, RELATIONSHIP_TYPE.FOOTNOTES)
    return _saved(document.save, source["created"])


def _number(element: Any, level: int) -> None:
    """Have Word number a paragraph, or all that have a style; the parts must stand in the order of the schema."""
    numbered = element.get_or_add_pPr().get_or_add_numPr()
    numbered.get_or_add_ilvl().val, numbered.get_or_add_numId().val = level, 90


def _write_clause(document: Any, paragraph: Any, clause: str, source: dict[str, Any]) -> None:
    """The clause, with the comment on its words, and with the marks of the footnotes behind theirs."""
    comment = next((item for item in source["comment"] if item["on"] in clause), None)
    if comment is None:
        paragraph.add_run(clause)
    else:
        before, after = clause.split(comment["on"])
        paragraph.add_run(before)
        run = paragraph.add_run(comment["on"])
        paragraph.add_run(after)
        added = document.add_comment(run, comment["text"], author=comment["author"], initials=comment["initials"])
        added._comment_elm.set(qn("w:date"), comment["date"].strftime("%Y-%m-%dT%H:%M:%SZ"))
    for number, note in enumerate(source["footnote"], 1):
        if clause.endswith(note["after"]):
            run = paragraph.add_run()
            run.font.superscript = True
            run._r.append(parse_xml(f'<w:footnoteReference {nsdecls("w")} w:id="{number}"/>'))


def _word_table(document: Any, rows: Sequence[Sequence[str]]) -> None:
    table = document.add_table(len(rows), len(rows[0]), style="Table Grid")
    for top, left, bottom, right in joined(rows):
        table.cell(top, left).merge(table.cell(bottom, right))
    for row, column, text in shown(rows):
        table.cell(row, column).paragraphs[0].text = text
    heading_rows = 1 + max((bottom for top, _, bottom, _ in joined(rows) if top == 0), default=0)
    for row in table.rows[:heading_rows]:
        row._tr.get_or_add_trPr().append(parse_xml(f"<w:tblHeader {nsdecls('w')}/>"))


# PowerPoint

_PML = 'xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main"'
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_COMMENT_TYPES = "application/vnd.openxmlformats-officedocument.presentationml.{kind}+xml"


def presentation(source: dict[str, Any]) -> bytes:
    """The review: bullets, a chart with its data, a table, speaker notes, a reviewer's comment."""
    slides = Presentation()
    _properties(slides.core_properties, source)
    for content in source["slide"]:
        first = content.get("layout") == "title"
        plain = "chart" in content or "table" in content
        slide = slides.slides.add_slide(slides.slide_layouts[0 if first else 5 if plain else 1])
        slide.shapes.title.text = content["title"]
        if content["lines"]:
            _bullets(slide.placeholders[1].text_frame, content["lines"])
        if "chart" in content:
            _chart(slide, content["chart"])
        if "table" in content:
            _slide_table(slide, content["table"]["rows"])
        if "comment" in content:
            _slide_comment(slides, slide, content["comment"])
        slide.notes_slide.notes_text_frame.text = content["notes"]
    return _saved(slides.save, source["created"])


def _bullets(frame: Any, lines: Sequence[str]) -> None:
    frame.text = lines[0]
    for line in lines[1:]:
        paragraph = frame.add_paragraph()
        paragraph.level, paragraph.text = int(line.startswith("- ")), line.removeprefix("- ")


def _chart(slide: Any, content: dict[str, Any]) -> None:
    data = CategoryChartData(number_format="#,##0")
    data.categories = content["categories"]
    for series in content["series"]:
        data.add_series(series["name"], series["values"])
    place = Inches(0.8), Inches(1.6), Inches(8.4), Inches(5.2)
    chart = slide.shapes.add_chart(XL_CHART_TYPE.COLUMN_CLUSTERED, *place, data).chart
    chart.has_title = chart.has_legend = True
    chart.chart_title.text_frame.text = content["title"]
    chart.legend.position, chart.legend.include_in_layout = XL_LEGEND_POSITION.BOTTOM, False


def _slide_table(slide: Any, rows: Sequence[Sequence[str]]) -> None:
    place = Inches(0.8), Inches(1.8), Inches(8.4), Inches(2.5)
    table = slide.shapes.add_table(len(rows), len(rows[0]), *place).table
    for row, column, text in shown(rows):
        table.cell(row, column).text = text


def _slide_comment(slides: Any, slide: Any, comment: dict[str, Any]) -> None:
    """A comment of the kind that every version of the program can show: python-pptx makes none."""
    name, initials, date = comment["author"], comment["initials"], comment["date"].strftime("%Y-%m-%dT%H:%M:%S.000")
    author = f'<p:cmAuthor id="0" name="{escape(name)}" initials="{initials}" lastIdx="1" clrIdx="0"/>'
    place = '<p:pos x="10" y="10"/>'
    said = f'<p:cm authorId="0" dt="{date}" idx="1">{place}<p:text>{escape(comment["text"])}</p:text></p:cm>'
    for owner, part, kind, tag, content in (
        (slides.part, "/ppt/commentAuthors.xml", "commentAuthors", "cmAuthorLst", author),
        (slide.part, "/ppt/comments/comment1.xml", "comments", "cmLst", said),
    ):
        blob = f'<?xml version="1.0" encoding="UTF-8" standalone="yes"?><p:{tag} {_PML}>{content}</p:{tag}>'.encode()
        made_part = SlidePart(SlideURI(part), _COMMENT_TYPES.format(kind=kind), slides.part.package, blob)
        owner.relate_to(made_part, f"{_OFFICE}/{kind}")


# Excel


def workbook(source: dict[str, Any]) -> bytes:
    """The plan: joined headers, shares as percentages, dates as dates, notes on cells."""
    book = Workbook()
    book.remove(book.active)
    for content in source["sheet"]:
        sheet, rows = book.create_sheet(content["name"]), content["rows"]
        for row, column, value in shown(rows):
            cell = sheet.cell(row + 1, column + 1, value)
            if not isinstance(value, str):
                cell.number_format = content.get("formats", {}).get(str(column + 1), "General")
            elif row + 1 in content["header_rows"]:
                cell.font, cell.fill = Font(bold=True), PatternFill("solid", fgColor="E6EEF1")
                cell.alignment = Alignment(wrap_text=True, vertical="top")
        for top, left, bottom, right in joined(rows):
            sheet.merge_cells(None, top + 1, left + 1, bottom + 1, right + 1)
        for number, width in enumerate(content["widths"], start=1):
            sheet.column_dimensions[get_column_letter(number)].width = width
        for note in content.get("notes", ()):
            sheet[note["cell"]].comment = Comment(note["text"], note["author"], height=110, width=320)
        sheet.freeze_panes = sheet.cell(content["header_rows"][-1] + 1, 2)
    book.properties.title, book.properties.creator = source["title"], source["author"]
    return _saved(book.save, source["created"])


def _properties(properties: Any, source: dict[str, Any]) -> None:
    properties.title, properties.author = source["title"], source["author"]
    properties.last_modified_by, properties.comments = source["author"], ""


def _saved(save: Callable[[BytesIO], object], when: datetime) -> bytes:
    held = BytesIO()
    save(held)
    return repacked(held.getvalue(), when)


def made(kind: Callable[[dict[str, Any]], bytes], source: Path) -> bytes:
    """The bytes of the file that ``kind`` makes of a TOML file."""
    return kind(tomllib.loads(source.read_text(encoding="utf-8")))
