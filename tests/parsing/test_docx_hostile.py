"""Word documents that are damaged, hostile, odd or large; and random ones of which no word may be lost."""

from __future__ import annotations

import re
import zipfile
from io import BytesIO

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import ParseError
from core.parsing.word.reader import read
from tests.parsing.docx_builder import (
    abstract,
    cell,
    docx,
    field,
    item,
    level,
    number,
    paragraph,
    row,
    run,
    style,
    table,
    text_box,
)
from tests.parsing.packages import bytes_of, packed
from tests.parsing.test_docx import HEADINGS, document_of, shown, text_of

LEVELS = 3
LISTS = (
    abstract(0, *(level(place, "•", "bullet") for place in range(LEVELS)))
    + abstract(1, *(level(place, f"%{place + 1}.") for place in range(LEVELS)))
    + number(1, 0)
    + number(2, 1)
)


def changed(data: bytes, **members: bytes | None) -> bytes:
    """The package with members, named by their last part's stem, replaced; ``None`` drops one."""
    files = {}
    for name, content in bytes_of(data).items():
        stem = name.rpartition("/")[2].partition(".")[0]
        replacement = members.get(stem, content) if not name.endswith(".rels") else content
        if replacement is not None:
            files[name] = replacement
    return packed(files)


def refusal(data: bytes) -> str:
    with pytest.raises(ParseError) as caught:
        read(data, "folder/report.docx")
    return str(caught.value)


# Odd, and read all the same


def test_the_strict_variant_is_read() -> None:
    files = {
        name: re.sub(rb"http://schemas.openxmlformats.org/(\w+)/2006/", rb"http://purl.oclc.org/ooxml/\1/", content)
        for name, content in bytes_of(docx(paragraph("Kept: http://purl.oclc.org/ooxml/x/y"))).items()
    }
    assert document_of(packed(files)).text == "Kept: http://purl.oclc.org/ooxml/x/y"


def test_a_damaged_part_that_is_no_text_costs_a_note() -> None:
    whole = docx(paragraph("x") + item("y"), styles=HEADINGS, numbering=LISTS)
    document = document_of(changed(whole, numbering=b"<w:numbering", styles=None))
    assert document.text == "x\n\ny"
    assert document.notes == ("The part word/numbering.xml is damaged, what it says is missing.",)


def test_utf_16_is_read() -> None:
    whole = docx(paragraph("Straße"))
    text = bytes_of(whole)["word/document.xml"].decode()
    assert document_of(changed(whole, document=text.encode("utf-16"))).text == "Straße"


# Refused with a sentence


def test_missing_and_malformed_main_parts_say_so() -> None:
    whole = docx(paragraph("x"))
    assert "lacks its main part, word/document.xml" in refusal(changed(whole, document=None))
    assert "is not well-formed XML" in refusal(changed(whole, document=b"<w:document"))
    assert "is not well-formed XML" in refusal(changed(whole, document=b""))
    assert "holds no body of text" in refusal(changed(whole, document=b"<workbook/>"))


def test_archives_that_unpack_beyond_bounds_are_refused() -> None:
    blank = b" " * (40 << 20)
    assert "packed" in refusal(packed({"word/document.xml": blank}))
    assert "holds 20,001 parts" in refusal(packed({f"{count}": b"" for count in range(20_001)}))
    archive = bytearray(packed({"word/document.xml": b"x" * 1000}))
    place = archive.rindex(b"PK\1\2") + 24  # the size the directory states
    archive[place : place + 4] = (600 << 20).to_bytes(4, "little")
    assert "unpacks to 600 MiB" in refusal(bytes(archive))


def test_encrypted_and_unusual_archives_are_refused() -> None:
    archive = bytearray(packed({"word/document.xml": b"x"}))
    for mark, offset in ((b"PK\1\2", 8), (b"PK\3\4", 6)):
        archive[archive.index(mark) + offset] |= 1
    assert "is an encrypted ZIP archive" in refusal(bytes(archive))
    buffer = BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_LZMA) as odd:
        odd.writestr("word/document.xml", "x")
    assert "no Office program" in refusal(buffer.getvalue())


@pytest.mark.parametrize(
    ("start", "end"),
    [
        ("<w:sdt><w:sdtContent>", "</w:sdtContent></w:sdt>"),
        ("<w:tbl><w:tr><w:tc><w:p/></w:tc><w:tc>", "</w:tc></w:tr></w:tbl>"),
        (
            "<w:p><w:r><w:pict><v:textbox><w:txbxContent>",
            "</w:txbxContent></v:textbox></w:pict></w:r></w:p>",
        ),
        ("<m:oMath><m:e>", "</m:e></m:oMath>"),
    ],
)
@pytest.mark.parametrize("share", [0.9, 40])
def test_deep_nesting_is_read_or_refused(start: str, end: str, share: float) -> None:
    """The XML parser goes 256 levels down: below that everything is read, above it refused."""
    times = int(share * 250 / (start.count("<") - start.count("/>") * 2))
    data = docx(start * times + paragraph("deep") + end * times)
    if share > 1:
        assert "is not well-formed XML" in refusal(data)
    else:
        document_of(data)


def test_circles_among_styles_and_lists_end() -> None:
    styles = (
        style("A", "B") + style("B", "A", '<w:pPr><w:outlineLvl w:val="1"/></w:pPr>') + style("C", "C")
        + style("Loop", kind="numbering", inside='<w:pPr><w:numPr><w:numId w:val="7"/></w:numPr></w:pPr>')
    )  # fmt: skip
    numbering = '<w:abstractNum w:abstractNumId="7"><w:numStyleLink w:val="Loop"/></w:abstractNum>' + number(7, 7)
    body = paragraph("a", "A") + paragraph("c", "C") + item("x", 0, 7)
    assert shown(docx(body, styles=styles, numbering=numbering)) == [
        ("heading2", "a"), ("paragraph", "c"), ("paragraph", "x"),
    ]  # fmt: skip


def test_values_out_of_bounds_are_borne() -> None:
    huge = "9" * 30
    body = (
        paragraph("a", properties=f'<w:outlineLvl w:val="{huge}"/>')
        + paragraph("b", properties='<w:outlineLvl w:val="x"/><w:ind w:left="y"/>')
        + item("c", 77, 2)
        + paragraph("d", properties=f'<w:numPr><w:ilvl w:val="-5"/><w:numId w:val="{huge}"/></w:numPr>')
        + table(row(cell("e", '<w:gridSpan w:val="1000000"/>')), row("f", properties='<w:gridBefore w:val="-3"/>'))
        + paragraph('<w:r><w:sym w:font="Symbol" w:char="110000000"/><w:t>g</w:t></w:r>')
        + paragraph('<w:r><w:footnoteReference w:id="404"/><w:drawing><c:chart r:id="none"/></w:drawing></w:r>')
    )
    document = document_of(docx(body, numbering=LISTS))
    assert re.findall(r"[a-g]", document.text.replace("e | ", "")) == list("abcdefg")


# Nothing is lost

WORD = st.text("abcdefgäößж字", min_size=1, max_size=6)
WORDS = st.lists(WORD, min_size=1, max_size=4)


@st.composite
def blocks(draw, depth: int, in_cell: bool) -> tuple[str, list[str]]:
    """A block's XML and patterns of its words in order."""
    kinds = ["paragraph", "heading", "item", "code", "field", "inserted"]
    kind = draw(st.sampled_from([*kinds, "control", "table", "box"] if depth < 3 else kinds))
    said = draw(WORDS)
    text, words = " ".join(said), [f"{word} " for word in said]
    if kind == "heading":
        return paragraph(text, f"heading{draw(st.integers(1, 2))}"), words
    if kind == "item":
        return item(text, draw(st.integers(0, LEVELS - 1)), draw(st.integers(1, 2))), words
    if kind == "code":
        return paragraph(text, "SourceCode"), words
    if kind == "field":
        return paragraph(run("") + field("REF x", run(text))), words
    if kind == "inserted":
        split = draw(st.integers(0, len(said)))
        deleted = "<w:del><w:r><w:delText>gone</w:delText></w:r></w:del>"
        halves = run(" ".join(said[:split]) + " "), f"<w:ins>{run(' '.join(said[split:]))}</w:ins>"
        return paragraph(halves[0] + deleted + halves[1]), words
    if kind == "table":
        return draw(tables(depth, in_cell))
    if kind == "paragraph":
        return paragraph(text), words
    inner, inner_words = draw(stories(depth + 1, in_cell))
    if kind == "control":
        return f"<w:sdt><w:sdtContent>{inner}</w:sdtContent></w:sdt>", inner_words
    return paragraph(run(text) + text_box(inner)), words + inner_words


@st.composite
def tables(draw, depth: int, in_cell: bool) -> tuple[str, list[str]]:
    """A table of random merges, and a pattern of its words: a merged cell's may be repeated, but once within a cell."""
    spans = draw(st.lists(st.integers(1, 3), min_size=1, max_size=3))
    height = draw(st.integers(1, 3))
    is_frame = len(spans) == height == 1
    rows: list[str] = []
    words: list[str] = []
    above: list[list[str]] = []
    for _ in range(height):
        cells, here = [], []
        for column, span in enumerate(spans):
            goes_on = bool(above) and draw(st.booleans())
            inner, inner_words = draw(stories(depth + 1, in_cell or not is_frame))
            merge = "<w:vMerge/>" if goes_on else '<w:vMerge w:val="restart"/>'
            cells.append(cell(paragraph() if goes_on else inner, f'<w:gridSpan w:val="{span}"/>{merge}'))
            here.append(above[column] if goes_on else inner_words)
            if in_cell or is_frame:
                words += here[-1] * (not goes_on)
            else:
                words.append(f"(?:{''.join(here[-1])}){{1,{span}}}")
        above = here
        rows.append(row(*cells))
    return table(*rows), words


@st.composite
def stories(draw, depth: int, in_cell: bool) -> tuple[str, list[str]]:
    parts = draw(st.lists(blocks(depth, in_cell), min_size=1, max_size=2 if depth else 6))
    return "".join(xml for xml, _ in parts), [word for _, words in parts for word in words]


@given(stories(0, in_cell=False))
def test_every_word_of_a_random_document_stands_in_order(story: tuple[str, list[str]]) -> None:
    """With list markers and cell separators between them, and nothing else."""
    body, words = story
    text = text_of(body, styles=HEADINGS, numbering=LISTS)
    found = [f"{word} " for word in text.split() if not re.fullmatch(r"[-|]|\d+\.", word)]
    assert re.fullmatch("".join(words), "".join(found))
