"""Presentations: decks are built with python-pptx and read back to the very text a person sees."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from io import BytesIO

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pptx import Presentation
from pptx.chart.data import BubbleChartData, CategoryChartData, XyChartData
from pptx.dml.color import RGBColor
from pptx.enum.chart import XL_CHART_TYPE
from pptx.enum.dml import MSO_THEME_COLOR
from pptx.oxml import parse_xml
from pptx.oxml.ns import qn
from pptx.util import Emu, Inches, Pt

from core.parsing.flow import compose
from core.parsing.slides.reader import read
from core.parsing.slides.shapes import reading_order
from core.types import BlockKind, Document
from tests.parsing.laws import composed, kinds
from tests.parsing.packages import bytes_of, packed

A = "http://schemas.openxmlformats.org/drawingml/2006/main"
P = "http://schemas.openxmlformats.org/presentationml/2006/main"
RELATION = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/"
TITLE_AND_BODY, TITLE_ONLY, BLANK = 1, 5, 6
PICTURE = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c4890000000d49444154789c6360000002000001e221bc33"
    "0000000049454e44ae426082"
)


def saved(deck) -> bytes:
    target = BytesIO()
    deck.save(target)
    return target.getvalue()


def slide_of(deck, layout: int = TITLE_AND_BODY, title: str = ""):
    slide = deck.slides.add_slide(deck.slide_layouts[layout])
    if title:
        slide.shapes.title.text_frame.text = title
    return slide


def text_box(slide, text: str, left: float = 1, top: float = 1, width: float = 3, height: float = 1):
    """A text box, its place in inches."""
    box = slide.shapes.add_textbox(Inches(left), Inches(top), Inches(width), Inches(height))
    box.text_frame.text = text
    return box


def parsed(deck) -> Document:
    return composed(read(deck if isinstance(deck, bytes) else saved(deck), "a deck.pptx"), "pptx")


def edited(data: bytes, parts: Mapping[str, bytes | Callable[[bytes], bytes]]) -> bytes:
    """The package with parts added, or changed by a function."""
    held = bytes_of(data)
    return packed(held | {name: part(held[name]) if callable(part) else part for name, part in parts.items()})


def related(kind: str, target: str, identity: str = "rId900") -> Callable[[bytes], bytes]:
    """Adds a relation to a part's relations."""
    entry = f'<Relationship Id="{identity}" Type="{kind}" Target="{target}"/></Relationships>'
    return lambda content: content.replace(b"</Relationships>", entry.encode())


def bulleted(paragraph, bullet: str, level: int = 0) -> None:
    paragraph.level = level
    paragraph._p.get_or_add_pPr().append(parse_xml(f'<a:{bullet} xmlns:a="{A}"/>'))


def test_titles_paragraphs_and_lists_inherited_from_the_master() -> None:
    deck = Presentation()
    slide = slide_of(deck, title="Growing\vducks")
    frame = slide.placeholders[1].text_frame
    frame.text = "Find a pond"
    for text, level in (("Not too deep", 1), ("Nor too cold", 1), ("Wait", 0)):
        paragraph = frame.add_paragraph()
        paragraph.text, paragraph.level = text, level
    plain = frame.add_paragraph()
    plain.text = "That is\vall."
    bulleted(plain, "buNone")
    second = slide_of(deck, layout=0, title="The end")
    second.placeholders[1].text_frame.text = "A subtitle has no bullet"
    found = parsed(deck)
    assert found.text == (
        "Growing ducks\n\n- Find a pond\n  - Not too deep\n  - Nor too cold\n- Wait\n\nThat is\nall.\n\n"
        "The end\n\nA subtitle has no bullet"
    )
    assert [block.level for block in found.blocks if block.kind is BlockKind.HEADING] == [1, 1]
    assert [box.page for box in found.boxes] == [1] * 6 + [2] * 2


def test_automatic_numbers_are_counted_as_powerpoint_counts_them() -> None:
    deck = Presentation()
    frame = text_box(slide_of(deck, BLANK), "An introduction").text_frame
    for text, level, bullet in (
        ("one", 0, 'buAutoNum type="arabicPeriod"'),
        ("sub", 1, 'buAutoNum type="alphaLcParenR"'),
        ("sub", 1, 'buAutoNum type="alphaLcParenR"'),
        ("two", 0, 'buAutoNum type="arabicPeriod"'),
        ("again from a", 1, 'buAutoNum type="alphaLcParenR"'),
        ("a dash", 0, 'buChar char="•"'),
        ("one again", 0, 'buAutoNum type="arabicPeriod"'),
        ("", 0, 'buAutoNum type="arabicPeriod"'),
        ("two again", 0, 'buAutoNum type="arabicPeriod"'),
        ("nine", 0, 'buAutoNum type="romanUcPeriod" startAt="9"'),
        ("ten", 0, 'buAutoNum type="romanUcPeriod" startAt="9"'),
        ("both", 0, 'buAutoNum type="alphaUcParenBoth"'),
        ("done", 0, 'buFont typeface="Wingdings"'),
    ):
        paragraph = frame.add_paragraph()
        paragraph.text = text
        bulleted(paragraph, bullet, level)
        if text == "done":
            bulleted(paragraph, 'buChar char="ü"')
    assert parsed(deck).text == (
        "An introduction\n\n1. one\n  a) sub\n  b) sub\n2. two\n  a) again from a\n- a dash\n1. one again\n"
        "2. two again\nIX. nine\nX. ten\n(A) both\n✓ done"
    )


def test_a_sign_font_draws_signs_and_leaves_the_words_behind_them() -> None:
    deck = Presentation()
    slide = slide_of(deck, BLANK)
    for top, text in enumerate(("\uf0e0 available from May", "\u00e8", "plain words")):
        run = text_box(slide, text, top=top).text_frame.paragraphs[0].runs[0]
        run._r.get_or_add_rPr().append(parse_xml(f'<a:sym xmlns:a="{A}" typeface="Wingdings"/>'))
    assert parsed(deck).text == "→ available from May\n\n➔\n\nplain words"


def test_columns_are_read_one_after_the_other_and_rows_downwards() -> None:
    deck = Presentation()
    slide = slide_of(deck, TITLE_ONLY, "Columns")
    text_box(slide, "Right, lower", 5, 4)
    text_box(slide, "Below everything", 0.5, 6, 9, 0.8)
    text_box(slide, "Right, upper", 5, 2, 4, 1.9)
    text_box(slide, "Left, from top to bottom", 0.5, 2.2, 4, 3)
    assert parsed(deck).text.split("\n\n") == [
        "Columns", "Left, from top to bottom", "Right, upper", "Right, lower", "Below everything",
    ]  # fmt: skip


def test_groups_stay_together_and_their_shapes_stand_where_they_are_seen() -> None:
    deck = Presentation()
    slide = slide_of(deck, BLANK)
    group = slide.shapes.add_group_shape()
    for text, top in (("lower", 200), ("upper", 100)):
        box = group.shapes.add_textbox(Pt(0), Pt(top), Pt(100), Pt(40))
        box.text_frame.text = text
    # Drawn at half the size, with its corner at (300, 50).
    frame = group._element.find(qn("p:grpSpPr")).find(qn("a:xfrm"))
    for name, x, y in (("off", 300, 50), ("chOff", 0, 100)):
        frame.find(qn(f"a:{name}")).set("x", str(Pt(x)))
        frame.find(qn(f"a:{name}")).set("y", str(Pt(y)))
    frame.find(qn("a:ext")).set("cx", str(Pt(50)))
    frame.find(qn("a:ext")).set("cy", str(Pt(70)))
    text_box(slide, "outside, between them", 0.1, 1, 2, 0.2)
    found = parsed(deck)
    assert found.text == "outside, between them\n\nupper\n\nlower"
    upper, lower = found.boxes[1:]
    assert (upper.x0, upper.y0, upper.x1, upper.y1) == (300, 50, 350, 70)
    assert (lower.x0, lower.y0, lower.x1, lower.y1) == (300, 100, 350, 120)


def test_boxes_are_clamped_to_the_slide() -> None:
    deck = Presentation()
    slide = slide_of(deck, BLANK)
    text_box(slide, "half outside", -1, -1, 2, 2)
    text_box(slide, "far away", 900, 900, 2, 2)
    found = parsed(deck)
    assert (found.pages[0].width, found.pages[0].height) == (720, 540)
    assert sorted((box.x0, box.y0, box.x1, box.y1) for box in found.boxes) == [(0, 0, 72, 72), (720, 540, 720, 540)]


def test_tables_repeat_merged_cells_and_know_their_header() -> None:
    deck = Presentation()
    slide = slide_of(deck, TITLE_ONLY, "A table")
    shape = slide.shapes.add_table(4, 3, Inches(1), Inches(2), Inches(6), Inches(2))
    table = shape.table
    rows = (("", "Sales", ""), ("", "Day", "Night"), ("North", "1,200", "a|b"), ("", "", "3 %"))
    for row, cells in enumerate(rows):
        for column, text in enumerate(cells):
            table.cell(row, column).text = text
    table.cell(0, 1).merge(table.cell(0, 2))
    table.cell(2, 0).merge(table.cell(3, 0))
    found = parsed(deck)
    block = found.blocks[1]
    assert found.text[block.start : block.end] == (
        "| Sales | Sales\n| Day | Night\nNorth | 1,200 | a\\|b\nNorth |  | 3 %"
    )
    assert block.header is not None
    assert found.text[block.header.start : block.header.end].endswith("Night")
    assert [cell.value for cell in block.cells if cell.row == 2] == ["North", 1200, "a\\|b"]
    table.first_row = False
    assert parsed(deck).blocks[1].header is None


def chart_deck(kind: XL_CHART_TYPE, data: object, title: str = "") -> bytes:
    deck = Presentation()
    slide = slide_of(deck, TITLE_ONLY, "Figures")
    frame = slide.shapes.add_chart(kind, Inches(1), Inches(2), Inches(6), Inches(4), data)
    frame.chart.has_title = bool(title)
    if title:
        frame.chart.chart_title.text_frame.text = title
    return saved(deck)


def test_charts_bring_their_figures() -> None:
    bars = CategoryChartData()
    bars.categories = ["Spring", "Autumn"]
    bars.add_series("Ducks", (120, 130))
    bars.add_series("Geese", (80, None))
    found = parsed(chart_deck(XL_CHART_TYPE.COLUMN_CLUSTERED, bars, "Birds seen"))
    assert kinds(found)[1:] == [
        ("caption", "Birds seen"),
        ("table", "| Ducks | Geese\nSpring | 120 | 80\nAutumn | 130 |"),
    ]
    dots = XyChartData()
    series = dots.add_series("Growth")
    series.add_data_point(1, 2.5)
    series.add_data_point(2, 4)
    assert kinds(parsed(chart_deck(XL_CHART_TYPE.XY_SCATTER, dots)))[1:] == [("table", "x | Growth\n1 | 2.5\n2 | 4")]
    bubbles = BubbleChartData()
    bubbles.add_series("Ponds").add_data_point(1, 2, 30)
    assert kinds(parsed(chart_deck(XL_CHART_TYPE.BUBBLE, bubbles)))[1:] == [("table", "x | Ponds | size\n1 | 2 | 30")]


def test_speaker_notes_stand_behind_their_slide() -> None:
    deck = Presentation()
    for title, notes in (("First", "Smile.\nSpeak slowly."), ("Second", "")):
        slide = slide_of(deck, TITLE_ONLY, title)
        if notes:
            slide.notes_slide.notes_text_frame.text = notes
    found = parsed(deck)
    assert kinds(found) == [
        ("heading", "First"), ("footnote", "Notes: Smile.\nSpeak slowly."), ("heading", "Second"),
    ]  # fmt: skip
    notes = found.boxes[1]
    assert (notes.page, notes.x0, notes.y0, notes.x1, notes.y1) == (1, 0, 0, 720, 540)


def test_hidden_slides_are_kept_and_hidden_shapes_are_not() -> None:
    deck = Presentation()
    for title in ("Seen", "Unseen", "Unseen too"):
        slide_of(deck, TITLE_ONLY, title)._element.set("show", "1" if title == "Seen" else "0")
    secret = text_box(deck.slides[0], "three secret words")
    secret._element.find(qn("p:nvSpPr")).find(qn("p:cNvPr")).set("hidden", "1")
    reading = read(saved(deck), "deck.pptx")
    assert compose(reading.pieces).text == "Seen\n\nUnseen\n\nUnseen too"
    assert reading.notes == (
        "Slides 2 and 3 are hidden.",
        "3 words of hidden shapes were left out.",
        "3 words that nobody sees are read as text, on slide 2 first: “Unseen Unseen too”.",
    )


def coloured(box, colour: str):
    """A box of letters of this colour: RGB, or one of the theme's."""
    fill = box.text_frame.paragraphs[0].runs[0].font.fill
    fill.solid()
    if len(colour) == 6:
        fill.fore_color.rgb = RGBColor.from_string(colour)
    else:
        fill.fore_color.theme_color = MSO_THEME_COLOR[colour.upper()]
    return box


def painted(shape, colour: str):
    shape.fill.solid()
    shape.fill.fore_color.rgb = RGBColor.from_string(colour)
    return shape


def test_letters_that_nobody_sees_are_read_and_told_of() -> None:
    deck = Presentation()
    first, second = slide_of(deck, BLANK), slide_of(deck, BLANK)
    painted(first.shapes.add_shape(1, Inches(5), Inches(1), Inches(4), Inches(2)), "1F5470")
    coloured(text_box(first, "on dark", 6, 1.5), "FFFFFF")
    coloured(painted(text_box(first, "own ground", 1, 5), "202020"), "FFFFFF")
    coloured(text_box(first, "plain", 1, 3), "C00000")
    coloured(text_box(second, "white", 1, 1), "FFFFFF")
    coloured(text_box(second, "paper", 1, 2), "background_1")
    coloured(painted(text_box(second, "red", 1, 3), "C00000"), "C00000")
    text_box(second, "tiny", 1, 4).text_frame.paragraphs[0].runs[0].font.size = Pt(1)
    text_box(second, "away", 1, 9)
    clear = coloured(text_box(second, "clear", 1, 5), "000000")
    clear._element.find(f".//{qn('a:srgbClr')}").append(parse_xml(f'<a:alpha xmlns:a="{A}" val="0"/>'))
    second.shapes.add_picture(BytesIO(PICTURE), Inches(5), Inches(1), Inches(4), Inches(2))
    coloured(text_box(second, "on a picture", 6, 1.5), "FFFFFF")
    reading = read(saved(deck), "deck.pptx")
    said = compose(reading.pieces).text.split()
    assert sorted(said) == sorted("on dark own ground plain white paper red tiny away clear on a picture".split())
    (note,) = reading.notes
    assert note == "6 words that nobody sees are read as text, on slide 2 first: “white paper red tiny away clear”."
    second.background.fill.solid()
    second.background.fill.fore_color.rgb = RGBColor.from_string("202020")
    assert [note.split()[0] for note in read(saved(deck), "deck.pptx").notes] == ["4"]


CLASSIC = f"""<p:cmLst xmlns:p="{P}"><p:cm authorId="0" dt="2026-01-01T08:30:00.000" idx="1"><p:text>Is this
right?</p:text></p:cm><p:cm authorId="0" dt="2026-01-02T09:00:00" idx="2"><p:text>Another matter</p:text></p:cm>
<p:cm authorId="1" dt="2026-01-03T10:00:00" idx="1"><p:text>It is.</p:text><p:extLst><p:ext uri="x">
<p15:threadingInfo xmlns:p15="http://schemas.microsoft.com/office/powerpoint/2012/main"><p15:parentCm authorId="0"
idx="1"/></p15:threadingInfo></p:ext></p:extLst></p:cm></p:cmLst>"""
AUTHORS = f"""<p:cmAuthorLst xmlns:p="{P}"><p:cmAuthor id="0" name="Ada Holt" initials="AH"/>
<p:cmAuthor id="1" name="Jo" initials="J"/></p:cmAuthorLst>"""
THREADS = f"""<q:cmLst xmlns:q="http://schemas.microsoft.com/office/powerpoint/2018/8/main" xmlns:a="{A}">
<q:cm id="{{1}}" authorId="{{A}}" created="2026-06-18T17:35:35.236"><q:replyLst><q:reply id="{{2}}" authorId="{{B}}"
created="2026-06-19T08:00:00"><q:txBody><a:p><a:r><a:t>Yes</a:t></a:r></a:p></q:txBody></q:reply></q:replyLst>
<q:txBody><a:bodyPr/><a:p><a:r><a:t>Shall </a:t></a:r><a:r><a:t>we?</a:t></a:r></a:p></q:txBody></q:cm></q:cmLst>"""
THREAD_AUTHORS = """<q:authorLst xmlns:q="http://schemas.microsoft.com/office/powerpoint/2018/8/main"><q:author
id="{A}" name="Ada Holt" initials="AH"/><q:author id="{B}" name="" initials="JB"/></q:authorLst>"""


@pytest.mark.parametrize(
    ("comments", "authors", "kind", "expected"),
    [
        (
            CLASSIC, AUTHORS, "commentAuthors",
            ["Comment by Ada Holt, 2026-01-01 08:30: Is this\nright?",
             "Comment by Ada Holt, 2026-01-02 09:00: Another matter", "Reply by Jo, 2026-01-03 10:00: It is."],
        ),
        (
            THREADS, THREAD_AUTHORS, "authors",
            ["Comment by Ada Holt, 2026-06-18 17:35: Shall we?", "Reply by JB, 2026-06-19 08:00: Yes"],
        ),
    ],
    ids=["older", "threads"],
)  # fmt: skip
def test_comments_and_their_replies(comments: str, authors: str, kind: str, expected: list[str]) -> None:
    deck = Presentation()
    slide_of(deck, TITLE_ONLY, "Discussed")
    slide_of(deck, TITLE_ONLY, "Next")
    data = edited(
        saved(deck),
        {
            "ppt/comments/comment1.xml": comments.encode(),
            "ppt/people.xml": authors.encode(),
            "ppt/slides/_rels/slide1.xml.rels": related(f"{RELATION}comments", "../comments/comment1.xml"),
            "ppt/_rels/presentation.xml.rels": related(f"{RELATION}{kind}", "people.xml"),
        },
    )
    found = parsed(data)
    assert kinds(found) == [
        ("heading", "Discussed"), *(("footnote", text) for text in expected), ("heading", "Next"),
    ]  # fmt: skip


def running(slide, kind: str, content: str) -> None:
    """A footer, date or number on a slide, with runs and fields as XML."""
    slide.shapes._spTree.append(
        parse_xml(
            f'<p:sp xmlns:p="{P}" xmlns:a="{A}"><p:nvSpPr><p:cNvPr id="99" name="x"/><p:cNvSpPr/><p:nvPr>'
            f'<p:ph type="{kind}" idx="50"/></p:nvPr></p:nvSpPr><p:spPr/><p:txBody><a:bodyPr/><a:p>{content}</a:p>'
            "</p:txBody></p:sp>"
        )
    )


def test_footers_and_what_stands_on_the_master_come_once_and_numbers_not_at_all() -> None:
    deck = Presentation()
    for number in (1, 2, 3):
        slide = slide_of(deck, TITLE_ONLY, f"Slide {number}")
        running(slide, "ftr", "<a:r><a:t>Duck &amp; Co</a:t></a:r>")
        running(slide, "dt", "<a:fld id='{0}' type='datetime1'><a:t>1 May 2026</a:t></a:fld>")
        running(slide, "sldNum", f"<a:fld id='{{0}}' type='slidenum'><a:t>{number}</a:t></a:fld>")
    box = deck.slides[0].shapes.add_textbox(Emu(0), Emu(0), Inches(4), Inches(1))
    box.text_frame.text = "Confidential"
    deck.slide_layouts[TITLE_ONLY].slide_master.shapes._spTree.append(box._element)
    found = parsed(deck)
    assert kinds(found) == [
        *(("heading", f"Slide {number}") for number in (1, 2, 3)),
        ("furniture", "Duck & Co"),
        ("furniture", "1 May 2026"),
        ("furniture", "Confidential"),
    ]


def test_links_lead_where_they_say() -> None:
    deck = Presentation()
    slide = slide_of(deck, TITLE_ONLY, "Links")
    paragraph = text_box(slide, "See ", 1, 2).text_frame.paragraphs[0]
    for text, address in (("the pond", "https://pond.example/a?b=1"), (" and ", ""), ("not this", "javascript:go()")):
        run = paragraph.add_run()
        run.text = text
        if address:
            run.hyperlink.address = address
    whole = text_box(slide, "Click anywhere", 1, 4)
    whole.click_action.hyperlink.address = "mailto:a@b.example"
    found = parsed(deck)
    assert [(found.text[link.start : link.end], link.target) for link in found.links] == [
        ("the pond", "https://pond.example/a?b=1"),
        ("Click anywhere", "mailto:a@b.example"),
    ]


@pytest.mark.parametrize(
    ("description", "expected"),
    [
        ("A duck on a pond", [("caption", "A duck on a pond")]),
        ("A duck. Description automatically generated with medium confidence", [("caption", "A duck.")]),
        ("picture 4", []),
        ("IMG_4411.JPG", []),
    ],
)
def test_pictures_bring_their_description(description: str, expected: list[tuple[str, str]]) -> None:
    deck = Presentation()
    slide = slide_of(deck, TITLE_ONLY, "Pictures of birds")
    picture = slide.shapes.add_picture(BytesIO(PICTURE), Inches(1), Inches(2), Inches(1), Inches(1))
    picture._element.nvPicPr.cNvPr.set("descr", description)
    assert kinds(parsed(deck))[1:] == expected


def test_what_the_file_states_of_itself() -> None:
    deck = Presentation()
    slide_of(deck, TITLE_ONLY, "Shown")
    deck.core_properties.title, deck.core_properties.author = "Stated title", "Ada"
    reading = read(saved(deck), "deck.pptx")
    assert reading.title == "Stated title"
    assert reading.metadata["author"] == "Ada"
    assert "title" not in reading.metadata
    deck.core_properties.title = "PowerPoint Presentation"
    assert read(saved(deck), "deck.pptx").title == ""


def whole_deck() -> bytes:
    """One of everything."""
    deck = Presentation()
    slide = slide_of(deck, title="Everything")
    slide.placeholders[1].text_frame.text = "A point"
    slide.notes_slide.notes_text_frame.text = "A note"
    table = slide.shapes.add_table(2, 2, Inches(1), Inches(5), Inches(3), Inches(1)).table
    table.cell(0, 0).text = "Cell"
    data = CategoryChartData()
    data.categories = ["a"]
    data.add_series("b", (1,))
    slide.shapes.add_chart(XL_CHART_TYPE.PIE, Inches(4), Inches(4), Inches(3), Inches(2), data)
    slide_of(deck, TITLE_ONLY, "Second")
    return saved(deck)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (rb'cx="\d+"', b'cx="99999999999999999999"'),
        (rb'x="\d+"', b'x="NaN"'),
        (rb'gridSpan="\d"', b'gridSpan="99999"'),
        (rb"<a:tc>", b'<a:tc gridSpan="99999" rowSpan="99999">'),
        (rb'type="\w+"', b'type=""'),
        (rb'idx="\d+"', b'idx="\xc2\xb2"'),
        (rb"<a:pPr", b'<a:pPr lvl="77" '),
        (rb'r:id="\w+"', b'r:id="rId1"'),
        (rb"<p:spPr/>", b"<p:spPr><a:xfrm rot='5400000'/></p:spPr>"),
        (rb"<a:p>", b"<a:p><a:pPr><a:buAutoNum type='x' startAt='99999999999'/></a:pPr>"),
    ],
)
def test_nonsense_in_a_slide_hurts_nobody(before: bytes, after: bytes) -> None:
    hostile = edited(whole_deck(), {"ppt/slides/slide1.xml": lambda content: re.sub(before, after, content)})
    found = parsed(hostile)
    assert "Second" in found.text


WORDS = st.text(st.characters(exclude_categories=("Cs", "Cc", "Cf", "Co", "Cn", "Zl", "Zp")), min_size=1, max_size=12)
CHECKED = st.lists(WORDS.filter(str.strip), min_size=1, max_size=4)


@settings(max_examples=settings.default.max_examples // 3)
@given(titles=CHECKED, points=CHECKED, notes=CHECKED, boxes=CHECKED)
def test_no_word_of_any_deck_is_lost(titles, points, notes, boxes) -> None:
    deck = Presentation()
    for title in titles:
        slide = slide_of(deck, title=title)
        slide.placeholders[1].text_frame.text = "\n".join(points)
        slide.notes_slide.notes_text_frame.text = "\n".join(notes)
        for place, text in enumerate(boxes):
            text_box(slide, text, left=place % 2 * 4, top=place)
    found = parsed(deck)
    kept = found.text.split()
    for text in (*titles, *points, *notes, *boxes):
        for word in text.split():
            assert word in kept
    assert [box.page for box in found.boxes] == sorted(box.page for box in found.boxes)


RECTANGLES = st.tuples(*[st.integers(-50, 800)] * 4).map(
    lambda sides: (*map(float, (min(sides[0], sides[2]), min(sides[1], sides[3]))), float(max(sides[0], sides[2])), float(max(sides[1], sides[3])))  # noqa: E501
)  # fmt: skip


@given(st.lists(RECTANGLES, max_size=30), st.booleans())
def test_the_order_of_reading_names_each_shape_once(boxes, right_to_left) -> None:
    assert sorted(reading_order(boxes, right_to_left)) == list(range(len(boxes)))
