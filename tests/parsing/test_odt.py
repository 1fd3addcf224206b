from __future__ import annotations

import pytest

from core.errors import ParseError
from core.parsing import parse
from core.settings import ParsingSettings
from core.types import BlockKind, Document
from tests.parsing.laws import assert_laws
from tests.parsing.packages import packed

SPACES = " ".join(
    f'xmlns:{prefix}="{address}"'
    for prefix, address in {
        "dc": "http://purl.org/dc/elements/1.1/",
        "xlink": "http://www.w3.org/1999/xlink",
        "math": "http://www.w3.org/1998/Math/MathML",
        "draw": "urn:oasis:names:tc:opendocument:xmlns:drawing:1.0",
        **{
            name: f"urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"
            for name in ("office", "text", "table", "style", "meta", "chart", "manifest")
        },
        "svg": "urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0",
        "fo": "urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0",
    }.items()
)
STYLES = f"""<office:document-styles {SPACES}><office:styles>
<style:style style:name="Title" style:family="paragraph"/>
<style:style style:name="Quotations" style:family="paragraph">
<style:paragraph-properties fo:margin-left="1cm"/></style:style>
</office:styles>
<office:master-styles><style:master-page style:name="Standard"><style:header><text:p>Duck News</text:p></style:header>
<style:footer><text:p>Page <text:page-number>3</text:page-number></text:p></style:footer></style:master-page>
<style:master-page style:name="Unused"><style:header><text:p>Not in use</text:p></style:header></style:master-page>
</office:master-styles></office:document-styles>"""
AUTOMATIC = """<style:style style:name="P1" style:family="paragraph" style:parent-style-name="Heading"/>
<style:style style:name="Q" style:family="paragraph" style:parent-style-name="Quotations"/>
<style:style style:name="H" style:family="text"><style:text-properties text:display="none"/></style:style>
<text:list-style style:name="N"><text:list-level-style-number text:level="1" style:num-format="1" style:num-suffix="."/>
<text:list-level-style-number text:level="2" style:num-format="a" style:num-prefix="(" style:num-suffix=")"/>
</text:list-style><text:list-style style:name="B"><text:list-level-style-bullet text:level="1" text:bullet-char="x"/>
<text:list-level-style-number text:level="2" style:num-format="i" style:num-suffix=")" text:start-value="4"/>
</text:list-style>"""
META = f"""<office:document-meta {SPACES}><office:meta><dc:title>Keeping ducks</dc:title><meta:initial-creator>
Jane Smith</meta:initial-creator><meta:keyword>ducks</meta:keyword><meta:keyword>ponds</meta:keyword>
</office:meta></office:document-meta>"""


def content(body: str) -> str:
    return (
        f"<office:document-content {SPACES}><office:automatic-styles>{AUTOMATIC}</office:automatic-styles>"
        f"<office:body><office:text>{body}</office:text></office:body></office:document-content>"
    )


def odt(body: str, **others: str) -> bytes:
    parts = {"content.xml": content(body), "styles.xml": STYLES, "meta.xml": META, **others}
    return packed({"mimetype": "application/vnd.oasis.opendocument.text", **parts})


def document(body: str, **others: str) -> Document:
    found = parse(odt(body, **others), "ducks.odt", ParsingSettings())
    assert_laws(found)
    assert found.words
    assert found.words.missing == 0, found.words
    return found


def body_of(found: Document) -> str:
    """The text without the page style's lines."""
    text = found.text.removesuffix("\n\nDuck News\n\nPage")
    assert text != found.text
    return text


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ("<text:p>one  <text:span>two</text:span>\n three<text:line-break/>four<text:tab/>five</text:p>",
         "one two three\nfour five"),
        (("<text:h text:outline-level='1'>A</text:h><text:h text:outline-level='2'>B</text:h>"
         "<text:h text:outline-level='2' text:is-list-header='true'>C</text:h>"
         "<text:h text:outline-level='2'>D</text:h><text:h text:outline-level='1'>E</text:h>"
         "<text:h text:outline-level='2'>F</text:h>"),
         "A\n\nB\n\nC\n\nD\n\nE\n\nF"),
        (("<text:list text:style-name='N'><text:list-item><text:p>a</text:p><text:p>more</text:p><text:list>"
         "<text:list-item><text:p>b</text:p></text:list-item><text:list-item><text:p>c</text:p></text:list-item>"
         "</text:list></text:list-item><text:list-item><text:p>d</text:p></text:list-item>"
         "<text:list-header><text:p>no number</text:p></text:list-header></text:list>"
         "<text:p>between</text:p><text:list text:style-name='N' text:continue-numbering='true'>"
         "<text:list-item><text:p>e</text:p></text:list-item></text:list>"),
         "1. a\n  more\n  a. b\n  b. c\n2. d\n  no number\n\nbetween\n\n3. e"),
        (("<text:list text:style-name='B'><text:list-item><text:p>a</text:p><text:list><text:list-item><text:p>b"
         "</text:p></text:list-item></text:list></text:list-item></text:list>"), "- a\n  iv. b"),
        (("<text:list text:style-name='N'><text:list-item><text:h text:outline-level='1'>Head</text:h></text:list-item>"
         "</text:list>"), "Head"),
        (("<text:p>Words<text:note text:note-class='footnote'><text:note-citation>1</text:note-citation>"
         "<text:note-body><text:p>The note.</text:p></text:note-body></text:note> go"
         "<office:annotation><dc:creator>Jane Smith</dc:creator><dc:date>2026-06-18T09:00:00</dc:date>"
         "<text:p>Why?</text:p></office:annotation> on.</text:p><text:p>Next.</text:p>"),
         "Words[1] go on.\n\n[1] The note.\n\nComment by Jane Smith, 2026-06-18: Why?\n\nNext."),
        (("<text:p>Anchor <draw:frame><draw:text-box><text:p>In the box</text:p></draw:text-box></draw:frame>"
         "</text:p><text:p>after</text:p>"), "Anchor\n\nIn the box\n\nafter"),
        ("<text:p><draw:frame><draw:image/><svg:desc>A duck asleep</svg:desc></draw:frame></text:p>", "A duck asleep"),
        (("<text:tracked-changes><text:changed-region><text:deletion><text:p>gone</text:p></text:deletion>"
         "</text:changed-region></text:tracked-changes><text:p>old <text:change-start/>new<text:change-end/></text:p>"),
         "old new"),
        (("<text:section><text:p>in a section</text:p></text:section><text:table-of-content><text:index-body>"
         "<text:index-title><text:p>Contents</text:p></text:index-title><text:p>A<text:tab/>1</text:p>"
         "</text:index-body></text:table-of-content>"), "in a section\n\nContents\n\nA 1"),
        ("<text:p><text:ruby><text:ruby-base>漢</text:ruby-base><text:ruby-text>kan</text:ruby-text></text:ruby></text:p>",
         "漢(kan)"),
    ],
)  # fmt: skip
def test_text(body: str, text: str) -> None:
    assert body_of(document(body)) == text


def test_kinds_metadata_and_hidden_text() -> None:
    found = document(
        "<text:p text:style-name='Title'>Keeping Ducks</text:p><text:p text:style-name='Q'>quoted</text:p>"
        "<text:p>seen <text:span text:style-name='H'>not seen</text:span></text:p>"
        "<text:section text:display='none'><text:p>nor this</text:p></text:section>"
        "<text:p><text:a xlink:href='pond.html'>the pond</text:a></text:p>"
    )
    assert [block.kind.value for block in found.blocks] == [
        *("heading", "quote", "paragraph", "paragraph", "furniture", "furniture")
    ]
    assert (found.title, found.metadata) == ("Keeping Ducks", {"author": "Jane Smith", "keywords": "ducks, ponds"})
    assert found.title_span
    assert found.notes == ("Hidden text was left out: 4 words.",)
    assert [(found.text[link.start : link.end], link.target) for link in found.links] == [("the pond", "pond.html")]


TABLE = """<table:table><table:table-column/><table:table-header-rows><table:table-row>
<table:table-cell><text:p>Duck</text:p></table:table-cell><table:table-cell><text:p>kg</text:p></table:table-cell>
</table:table-row></table:table-header-rows>
<table:table-row><table:table-cell table:number-rows-spanned="2"><text:p>Teal</text:p></table:table-cell>
<table:table-cell office:value-type="float" office:value="0.3"><text:p>0,3 kg</text:p></table:table-cell>
</table:table-row><table:table-row><table:covered-table-cell/><table:table-cell><text:p>one</text:p><text:p>two</text:p></table:table-cell>
</table:table-row><table:table-row><table:table-cell table:number-columns-spanned="2"><text:p>both</text:p>
</table:table-cell><table:covered-table-cell/></table:table-row></table:table>"""


def test_cells_and_rows_that_stand_for_several_are_written_out() -> None:
    cell = "<table:table-cell{}><text:p>{}</text:p></table:table-cell>".format
    blank = '<table:table-cell table:number-columns-repeated="2"/>'
    rows = (
        ("", cell("", "a") + cell(' table:number-columns-repeated="3"', "x")),
        (' table:number-rows-repeated="2"', cell("", "b") + blank + cell("", "last")),
    )
    table = "".join(f"<table:table-row{times}>{cells}</table:table-row>" for times, cells in rows)
    found = parse(odt(f"<table:table>{table}</table:table>"), "a.odt", ParsingSettings())
    assert found.text.startswith("a | x | x | x\nb |  |  | last\nb |  |  | last\n")


def test_tables_repeat_merged_cells() -> None:
    found = document(TABLE)
    assert body_of(found) == "Duck | kg\nTeal | 0,3 kg\nTeal | one two\nboth |"
    table = next(block for block in found.blocks if block.kind is BlockKind.TABLE)
    assert [cell.value for cell in table.cells][:4] == ["Duck", "kg", "Teal", "0,3 kg"]
    assert table.header


CHART = f"""<office:document-content {SPACES}><office:body><office:chart><chart:chart><chart:title><text:p>Ducks a year
</text:p></chart:title><table:table><table:table-header-rows><table:table-row><table:table-cell><text:p/></table:table-cell>
<table:table-cell><text:p>Ducks</text:p></table:table-cell></table:table-row></table:table-header-rows><table:table-rows>
<table:table-row><table:table-cell><text:p>2026</text:p></table:table-cell><table:table-cell office:value-type="float"
office:value="7"><text:p>7</text:p></table:table-cell></table:table-row></table:table-rows></table:table></chart:chart>
</office:chart></office:body></office:document-content>"""


def test_charts_and_formulas() -> None:
    formula = f"<math:math {SPACES}><math:mi>a</math:mi><math:mo>=</math:mo><math:mi>b</math:mi></math:math>"
    body = "<text:p>See<draw:frame><draw:object xlink:href='./Object 1'/></draw:frame></text:p>" * 2
    body = body[: len(body) // 2] + body[len(body) // 2 :].replace("Object 1", "Object 2")
    found = document(body, **{"Object 1/content.xml": CHART, "Object 2/content.xml": formula})
    assert body_of(found) == "See\n\nDucks a year\n\n| Ducks\n2026 | 7\n\nSee a = b"


def test_paragraphs_in_the_style_of_all_headings_are_headings_but_not_the_title() -> None:
    body = (
        "<text:p text:style-name='P1'>Present</text:p><text:p>Ann</text:p><text:p text:style-name='P1'>Agenda</text:p>"
    )
    data = odt(body + "<text:p>Ponds</text:p>", **{"meta.xml": META.replace("Keeping ducks", "")})
    found = parse(data, "2024-05-01 - Minutes.odt", ParsingSettings())
    assert [found.text[b.start : b.end] for b in found.blocks if b.kind is BlockKind.HEADING] == ["Present", "Agenda"]
    assert found.title == "2024 05 01 Minutes"


def test_the_first_section_below_a_text_is_not_the_title() -> None:
    body = "<text:p>We met.</text:p><text:h text:outline-level='{}'>Present</text:h><text:p>Ann</text:p>"
    more = "<text:h text:outline-level='1'>Agenda</text:h>"
    meta = {"meta.xml": META.replace("Keeping ducks", "")}
    assert parse(odt(body.format(1) + more, **meta), "minutes.odt", ParsingSettings()).title == "Minutes"
    assert parse(odt(body.format(1), **meta), "minutes.odt", ParsingSettings()).title == "Present"


def test_a_flat_document_is_read_as_well() -> None:
    inner = content("<text:p>flat words</text:p>").partition("<office:automatic-styles>")[2]
    page = (
        f'<?xml version="1.0"?>\n<office:document {SPACES} office:mimetype="application/vnd.oasis.opendocument.text">'
        f"<office:automatic-styles>{inner.replace('</office:document-content>', '</office:document>')}"
    )
    assert parse(page.encode(), "a.fodt", ParsingSettings()).text == "flat words"


def test_damaged_and_locked_files_say_so() -> None:
    manifest = f"<manifest:manifest {SPACES}><manifest:encryption-data/></manifest:manifest>"
    for data, says in [
        (odt("<text:p>x</text:p>", **{"META-INF/manifest.xml": manifest}), "is encrypted with a password"),
        (odt("</oops>"), "its text .content.xml. cannot be read"),
        (odt("<text:p/>", **{"styles.xml": ""}), "holds no text"),
        (odt("<text:p>x</text:p>")[:300], "cut off or damaged"),
    ]:
        with pytest.raises(ParseError, match=rf"ducks\.odt.*{says}"):
            parse(data, "ducks.odt", ParsingSettings())


def test_bombs_do_no_harm() -> None:
    entities = "".join(f"<!ENTITY a{n} '{f'&a{n - 1};' * 10}'>" for n in range(1, 12))
    bomb = f"<!DOCTYPE x [<!ENTITY a0 'ha'>{entities}]>" + content("<text:p>x &a9; y</text:p>")
    with pytest.raises(ParseError, match=r"a\.odt is damaged"):
        parse(odt("", **{"content.xml": bomb}), "a.odt", ParsingSettings())
    cell = '<table:table-cell table:number-columns-repeated="1000"><text:p>x</text:p></table:table-cell>'
    row = f'<table:table-row table:number-rows-repeated="1000">{cell}</table:table-row>'
    with pytest.raises(ParseError, match="table cells"):
        parse(odt(f"<table:table>{row * 20}</table:table>"), "a.odt", ParsingSettings())
    deep = "<text:list><text:list-item>" * 100 + "<text:p>deep</text:p>" + "</text:list-item></text:list>" * 100
    assert parse(odt(deep), "a.odt", ParsingSettings()).text.startswith("1. deep")
