"""Word documents built from raw XML, and the exact text, blocks and links that come of them."""

from __future__ import annotations

import pytest

from core.parsing.word.reader import read
from core.types import Document
from tests.parsing.docx_builder import (
    abstract,
    cell,
    docx,
    field,
    item,
    level,
    number,
    paragraph,
    picture,
    row,
    run,
    style,
    table,
    text_box,
)
from tests.parsing.laws import composed

BULLETS = abstract(0, level(0, "\uf0b7", "bullet"), level(1, "o", "bullet")) + number(1, 0)
HEADINGS = (
    style("heading 1", inside='<w:pPr><w:outlineLvl w:val="0"/></w:pPr>')
    + style("heading 2", inside='<w:pPr><w:outlineLvl w:val="1"/></w:pPr>')
    + style("Title")
    + style("Subtitle")
    + style("caption")
    + style("Quote")
    + style("Intense Quote")
    + style("Source Code")
)


def document_of(data: bytes, name: str = "a.docx") -> Document:
    return composed(read(data, name), "docx")


def shown(data: bytes) -> list[tuple[str, str]]:
    """Kind (with a heading's level) and text of every block."""
    document = document_of(data)
    return [
        (f"{block.kind.value}{block.level or ''}", document.text[block.start : block.end]) for block in document.blocks
    ]


def text_of(body: str, **parts) -> str:
    return document_of(docx(body, **parts)).text


def links_of(data: bytes) -> list[tuple[str, str]]:
    document = document_of(data)
    return [(document.text[link.start : link.end], link.target) for link in document.links]


# Text


def test_content_is_found_inside_whatever_wraps_it() -> None:
    control = "<w:sdt><w:sdtPr/><w:sdtContent>{}</w:sdtContent></w:sdt>"
    body = (
        paragraph("one")
        + control.format(paragraph("two") + control.format(table(row("three", "four"))))
        + f"<w:customXml>{paragraph('five')}</w:customXml>"
        + f"<w:p><w:smartTag>{run('six ')}</w:smartTag>{control.format(run('seven '))}"
        + f"<w:bdo>{run('eight ')}</w:bdo><w:hyperlink>{run('nine')}</w:hyperlink></w:p>"
        + "<w:p><m:oMathPara><m:oMath><m:r><m:t>ten</m:t></m:r></m:oMath></m:oMathPara></w:p>"
    )
    assert text_of(body) == "one\n\ntwo\n\nthree | four\n\nfive\n\nsix seven eight nine\n\nten"


def test_insertions_are_text_and_deletions_are_not() -> None:
    deleted = '<w:del><w:r><w:delText xml:space="preserve">never mind </w:delText></w:r></w:del>'
    body = (
        f"<w:p>{run('We ')}{deleted}<w:ins>{run('gladly ')}</w:ins><w:moveFrom>{run('there ')}</w:moveFrom>"
        f"<w:moveTo>{run('here ')}</w:moveTo>{run('stay.')}</w:p>"
        f"<w:ins>{paragraph('New.')}</w:ins><w:del>{paragraph('Old.')}</w:del>"
        + table(row("kept"), row("gone", properties="<w:del/>"), row("new", properties="<w:ins/>"))
    )
    document = document_of(docx(body))
    assert document.text == "We gladly here stay.\n\nNew.\n\nkept\nnew"
    assert document.notes == ("Deletions that are still tracked were left out: 2 words.",)


def test_a_paragraph_whose_end_is_deleted_runs_into_the_next() -> None:
    ended = "<w:rPr><w:del/></w:rPr>"
    body = paragraph("Swim", properties=ended) + paragraph("ming ", properties=ended) + paragraph("is fun.")
    body += paragraph("Last", properties=ended)
    assert text_of(body) == "Swimming is fun.\n\nLast"


def test_hidden_text_is_left_out_and_said_so() -> None:
    hidden = style("Secret", kind="character", inside="<w:rPr><w:vanish/></w:rPr>")
    hidden += style("Hidden", inside="<w:rPr><w:vanish/></w:rPr>")
    runs = (
        run("seen ")
        + run("two words ", "<w:vanish/>")
        + run("this", '<w:rStyle w:val="Secret"/>')
        + run("too", '<w:vanish w:val="0"/>')
    )
    body = (
        paragraph(runs) + paragraph("never", "Hidden") + paragraph(run("shown", '<w:vanish w:val="false"/>'), "Hidden")
    )
    document = document_of(docx(body, styles=hidden))
    assert document.text == "seen too\n\nshown"
    assert document.notes == ("Hidden text was left out: 4 words.",)


def test_what_runs_hold_besides_text() -> None:
    greek = run("b", '<w:rFonts w:ascii="Symbol" w:hAnsi="Symbol"/>')
    body = (
        "<w:p><w:r><w:t>co\u00adop</w:t><w:softHyphen/><w:t>erate</w:t><w:noBreakHyphen/><w:t>now</w:t><w:tab/>"
        '<w:t>a</w:t><w:br/><w:t>b</w:t><w:cr/><w:t>c</w:t><w:br w:type="page"/></w:r>'
        '<w:r><w:sym w:font="Wingdings" w:char="F0FC"/><w:sym w:font="Symbol" w:char="F061"/>'
        '<w:sym w:font="Wingdings" w:char="zz"/></w:r>'
        f"{greek}"
        "<w:r><w:ruby><w:rubyPr/><w:rt><w:r><w:t>かんじ</w:t></w:r></w:rt><w:rubyBase><w:r><w:t>漢字</w:t></w:r>"
        "</w:rubyBase></w:ruby></w:r></w:p>"
    )
    assert text_of(body) == "cooperate-now a\nb\nc\n✓αβ漢字(かんじ)"


def test_formulas_are_one_line() -> None:
    def part(name: str, text: str) -> str:
        return f"<m:{name}><m:r><m:t>{text}</m:t></m:r></m:{name}>"

    sign = '<m:naryPr><m:chr m:val="∑"/></m:naryPr>'
    formulas = (
        f"<m:f>{part('num', 'a+b')}{part('den', '2')}</m:f>",
        f"<m:sSup>{part('e', 'x')}{part('sup', '2')}</m:sSup>",
        f"<m:sSubSup>{part('e', 'x')}{part('sub', 'i')}{part('sup', 'n+1')}</m:sSubSup>",
        f"<m:nary>{sign}{part('sub', 'i=1')}{part('sup', 'n')}{part('e', 'i')}</m:nary>",
        f'<m:rad><m:radPr><m:degHide m:val="1"/></m:radPr><m:deg/>{part("e", "y")}</m:rad>',
        f'<m:d><m:dPr><m:begChr m:val="["/><m:endChr m:val="]"/></m:dPr>{part("e", "p")}{part("e", "q")}</m:d>',
        f"<m:func>{part('fName', 'sin')}{part('e', 't')}</m:func>",
        f"<m:m><m:mr>{part('e', '1')}{part('e', '0')}</m:mr><m:mr>{part('e', '0')}{part('e', '1')}</m:mr></m:m>",
        f"<m:limLow>{part('e', 'lim')}{part('lim', 'n')}</m:limLow>",
        f"<m:acc>{part('e', 'v')}</m:acc>",
    )
    body = "".join(f"<w:p><m:oMath>{formula}</m:oMath></w:p>" for formula in formulas)
    assert text_of(body).split("\n\n") == [
        "(a+b)/2", "x^2", "x_i^(n+1)", "∑_(i=1)^n i", "√(y)", "[p|q]", "sin t", "[1, 0; 0, 1]", "lim_n", "v",
    ]  # fmt: skip


# Headings and other roles


def test_headings_by_style_name_outline_and_ancestors() -> None:
    styles = (
        HEADINGS
        + style("Chapter", "heading1")
        + style("Clause", inside='<w:pPr><w:outlineLvl w:val="2"/></w:pPr>')
        + style("Flat", "heading1", inside='<w:pPr><w:outlineLvl w:val="9"/></w:pPr>')
        + style("Überschrift 4")
        + style("TOC Heading", "heading1", inside='<w:pPr><w:outlineLvl w:val="9"/></w:pPr>')
        + style("Author", "Title")
    )
    body = (
        paragraph("Ducks", "Title")
        + paragraph("A life", "Subtitle")
        + paragraph("Jane Smith", "Author")
        + paragraph("Contents", "TOCHeading")
        + paragraph("Water", "Chapter")
        + paragraph("Ponds", "heading2")
        + paragraph("Depth", "Clause")
        + paragraph("Plain", "Flat")
        + paragraph("Fish", "Überschrift4")
        + paragraph("Marked", properties='<w:outlineLvl w:val="4"/>')
        + paragraph("Unmarked", "heading1", '<w:outlineLvl w:val="9"/>')
        + paragraph("Deep", "Heading9")
        + paragraph("It goes on. " * 30, "heading2")
    )
    data = docx(body, styles=styles)
    assert shown(data)[:-1] == [
        ("heading1", "Ducks"),
        ("heading2", "A life"),
        ("paragraph", "Jane Smith"),
        ("heading1", "Contents"),
        ("heading1", "Water"),
        ("heading2", "Ponds"),
        ("heading3", "Depth"),
        ("paragraph", "Plain"),
        ("heading4", "Fish"),
        ("heading5", "Marked"),
        ("paragraph", "Unmarked"),
        ("heading6", "Deep"),
    ]
    assert shown(data)[-1][0] == "paragraph"
    assert read(data, "a.docx").title == "Ducks"


def test_captions_quotes_and_code_by_style() -> None:
    styles = HEADINGS + style("Image Caption", "caption") + style("Source Reference") + style("Postal Code")
    body = (
        paragraph("Figure 1: A duck", "caption")
        + paragraph("Figure 2: A pond", "ImageCaption")
        + paragraph("Be water.", "Quote")
        + paragraph("Be wet.", "IntenseQuote")
        + paragraph("def f():", "SourceCode")
        + paragraph("", "SourceCode")
        + paragraph("<w:r><w:tab/><w:t>return\u00a01</w:t></w:r>", "SourceCode")
        + paragraph("See the source.", "SourceReference")
        + paragraph("10115 Berlin", "PostalCode")
    )
    assert shown(docx(body, styles=styles)) == [
        ("caption", "Figure 1: A duck"),
        ("caption", "Figure 2: A pond"),
        ("quote", "Be water."),
        ("quote", "Be wet."),
        ("code", "def f():\n\n\treturn 1"),
        ("paragraph", "See the source."),
        ("paragraph", "10115 Berlin"),
    ]


def test_monospaced_lines_are_code_when_they_read_so() -> None:
    face = '<w:rFonts w:ascii="Courier New" w:hAnsi="Courier New"/>'
    body = (
        paragraph(run("for x in y:", face))
        + paragraph(properties=f"<w:rPr>{face}</w:rPr>")
        + paragraph(run("    go on", face))
        + paragraph("Prose between.")
        + paragraph(run("Dear Jane, this letter is typewritten.", face))
        + paragraph(run("Call ") + run("f(x);", face) + run(" at once."))
    )
    assert shown(docx(body)) == [
        ("code", "for x in y:\n\n    go on"),
        ("paragraph", "Prose between."),
        ("paragraph", "Dear Jane, this letter is typewritten."),
        ("paragraph", "Call f(x); at once."),
    ]


# Links and fields


def test_links_stand_over_their_words() -> None:
    within = field('HYPERLINK \\l "place"', run("inside"))
    across = field('HYPERLINK "https://across.test"', run("begins") + "</w:p><w:p>" + run("ends"))
    body = (
        f'<w:p>{run("See ")}<w:hyperlink r:id="out">{run("the ")}{run("site")}</w:hyperlink>'
        f'{run(", ")}<w:hyperlink w:anchor="_Toc1">{run("below")}</w:hyperlink>'
        f'{run(" or ")}<w:hyperlink r:id="out" w:anchor="top">{run("its top")}</w:hyperlink></w:p>'
        f"<w:p>{field('HYPERLINK https://plain.test', run('field'))}"
        f"{run(' and ')}{within}</w:p>"
        f"<w:p>{across}</w:p>"
        f'<w:p><w:fldSimple w:instr="HYPERLINK &quot;x.html&quot;">{run("simple")}</w:fldSimple></w:p>'
        f'<w:p><w:hyperlink r:id="missing">{run("nowhere")}</w:hyperlink></w:p>'
    )
    assert links_of(docx(body, links={"out": "https://a.test/?q=1&r=2"})) == [
        ("the site", "https://a.test/?q=1&r=2"),
        ("below", "#_Toc1"),
        ("its top", "https://a.test/?q=1&r=2#top"),
        ("field", "https://plain.test"),
        ("inside", "#place"),
        ("begins", "https://across.test"),
        ("ends", "https://across.test"),
        ("simple", "x.html"),
    ]


def test_fields_show_their_result() -> None:
    nested = field('IF "1" = "1"', run("yes ")).replace("</w:instrText>", f"</w:instrText>{field('PAGE', run('7'))}", 1)
    check = (
        '<w:r><w:fldChar w:fldCharType="begin"><w:ffData><w:checkBox><w:default w:val="0"/><w:checked/></w:checkBox>'
        "</w:ffData></w:fldChar></w:r><w:r><w:instrText>FORMCHECKBOX</w:instrText></w:r>"
        '<w:r><w:fldChar w:fldCharType="end"/></w:r>'
    )
    choice = check.replace("FORMCHECKBOX", "FORMDROPDOWN").replace(
        '<w:checkBox><w:default w:val="0"/><w:checked/></w:checkBox>',
        '<w:ddList><w:result w:val="1"/><w:listEntry w:val="no"/><w:listEntry w:val=" maybe"/></w:ddList>',
    )
    button = '<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText>MACROBUTTON None Press</w:instrText></w:r>'
    button += '<w:r><w:fldChar w:fldCharType="end"/></w:r>'
    body = (
        f"<w:p>{run('Figure ')}{field('SEQ Figure', run('3'))}{run(' on page ')}{field('PAGEREF x', run('9'))}</w:p>"
        f"<w:p>{nested}{check}{choice}</w:p><w:p>{button}</w:p>"
    )
    assert text_of(body) == "Figure 3 on page 9\n\nyes ☒ maybe\n\nPress"


def test_a_field_that_never_ends_swallows_nothing() -> None:
    begin = '<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText>TOC</w:instrText></w:r>'
    end = '<w:r><w:fldChar w:fldCharType="end"/></w:r>'
    assert text_of(f"<w:p>{begin}</w:p>" + paragraph("a") + f"<w:p>{end}{end}{run('b')}</w:p>") == "a\n\nb"


# Notes


NOTES = {
    "footnotes": (
        '<w:footnote w:type="separator" w:id="0"><w:p><w:r><w:separator/></w:r></w:p></w:footnote>'
        f'<w:footnote w:id="2"><w:p><w:r><w:footnoteRef/></w:r>{run(" Swans too.")}</w:p>{paragraph("And geese.")}'
        f'</w:footnote><w:footnote w:id="3">{paragraph("Not in winter.")}</w:footnote>'
        f'<w:footnote w:id="4">{paragraph("* By hand.")}</w:footnote>'
    ),
    "endnotes": f'<w:endnote w:id="1">{paragraph("The end.")}</w:endnote>',
    "comments": (
        f'<w:comment w:id="5" w:author="Jane Smith" w:date="2026-06-18T09:00:00Z" w:initials="JS">'
        f"<w:p><w:r><w:annotationRef/></w:r>{run('Is this so?')}</w:p></w:comment>"
        f'<w:comment w:id="6">{paragraph("Nobody asks this.")}</w:comment>'
    ),
}


def reference(kind: str, name: int, extra: str = "") -> str:
    return f'<w:r><w:{kind}Reference w:id="{name}"{extra}/></w:r>'


def test_notes_and_comments_stand_behind_their_block() -> None:
    body = (
        paragraph(
            run("Ducks swim.") + reference("footnote", 3) + run(" They fly") + reference("footnote", 2) + run(".")
        )
        + paragraph(
            f'<w:commentRangeStart w:id="5"/>{run("They dive")}<w:commentRangeEnd w:id="5"/>'
            + reference("comment", 5)
            + reference("endnote", 1)
        )
        + paragraph(run("They hide") + reference("footnote", 4, ' w:customMarkFollows="1"') + run("*"))
        + paragraph("Last.")
    )
    assert shown(docx(body, parts=NOTES)) == [
        ("paragraph", "Ducks swim.[1] They fly[2]."),
        ("footnote", "[1] Not in winter."),
        ("footnote", "[2] Swans too.\nAnd geese."),
        ("paragraph", "They dive[i]"),
        ("footnote", "Comment by Jane Smith, 2026-06-18: Is this so?"),
        ("footnote", "[i] The end."),
        ("paragraph", "They hide*"),
        ("footnote", "* By hand."),
        ("paragraph", "Last."),
        ("footnote", "Comment: Nobody asks this."),
    ]


def test_notes_of_a_list_and_a_table_stand_behind_it() -> None:
    listed = '<w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr>'
    body = (
        paragraph(run("one") + reference("footnote", 2), properties=listed)
        + item("two")
        + table(row(cell(paragraph(run("a") + reference("footnote", 3))), "b"))
    )
    assert shown(docx(body, numbering=BULLETS, parts=NOTES))[:4] == [
        ("list", "- one[1]\n- two"),
        ("footnote", "[1] Swans too.\nAnd geese."),
        ("table", "a[2] | b"),
        ("footnote", "[2] Not in winter."),
    ]


# Drawings


def test_a_text_box_stands_once_at_its_anchor() -> None:
    inner = table(row("cell"), row(cell(paragraph("and ") + paragraph("more"))))
    body = (
        paragraph(run("before") + text_box(paragraph("boxed"), item("listed"), inner) + run(" after"))
        + paragraph("next")
        + table(row("left", cell(paragraph(run("right") + text_box(paragraph("in the cell"))))))
    )
    assert shown(docx(body, numbering=BULLETS)) == [
        ("paragraph", "before after"),
        ("paragraph", "boxed"),
        ("list", "- listed"),
        ("table", "cell\nand more"),
        ("paragraph", "next"),
        ("table", "left | right in the cell"),
    ]


def test_shapes_in_groups_old_shapes_and_word_art() -> None:
    box = "<w:txbxContent>{}</w:txbxContent>"
    group = (
        "<w:r><w:drawing><wp:anchor><a:graphic><a:graphicData><wpg:wgp>"
        f"<wps:wsp><wps:txbx>{box.format(paragraph('one'))}</wps:txbx></wps:wsp>"
        f"<wpg:grpSp><wps:wsp><wps:txbx>{box.format(paragraph('two'))}</wps:txbx></wps:wsp></wpg:grpSp>"
        "</wpg:wgp></a:graphicData></a:graphic></wp:anchor></w:drawing></w:r>"
    )
    old = f"<v:group><v:shape><v:textbox>{box.format(paragraph('three'))}</v:textbox></v:shape></v:group>"
    art = '<w:r><w:pict><v:shape><v:textpath string="DRAFT"/></v:shape></w:pict></w:r>'
    ink = (
        '<w:r><mc:AlternateContent><mc:Choice Requires="wpi"><w:drawing/></mc:Choice><mc:Fallback><w:pict>'
        f"<v:textbox>{box.format(paragraph('four'))}</v:textbox></w:pict></mc:Fallback></mc:AlternateContent></w:r>"
    )
    canvas = "<a:sp><a:txBody><a:p><a:r><a:t>fi</a:t></a:r><a:r><a:t>ve</a:t></a:r></a:p></a:txBody></a:sp>"
    body = paragraph(f"{group}<w:r><w:pict>{old}</w:pict></w:r>{art}{ink}<w:r><w:drawing>{canvas}</w:drawing></w:r>")
    assert text_of(body) == "one\n\ntwo\n\nthree\n\nDRAFT\n\nfour\n\nfive"


def test_descriptions_of_pictures_are_captions_when_they_say_something() -> None:
    body = (
        paragraph(run("A lake.") + picture("Two ducks\n\nDescription automatically generated"))
        + paragraph(picture("image1.png") + picture("Picture 3") + picture("C:\\pictures\\duck.jpg"))
        + paragraph(picture("Ornament", '<a:ext><adec:decorative val="1"/></a:ext>'))
        + paragraph(run("Ducklings grow.") + picture("Duck"))
        + table(row("a", cell(paragraph(picture("A goose")))))
    )
    assert shown(docx(body, styles=HEADINGS)) == [
        ("paragraph", "A lake."),
        ("caption", "Two ducks"),
        ("paragraph", "Ducklings grow."),
        ("caption", "Duck"),
        ("table", "a | A goose"),
    ]


def graphic(inside: str) -> str:
    return (
        f"<w:r><w:drawing><wp:inline><a:graphic><a:graphicData>{inside}</a:graphicData></a:graphic></wp:inline>"
        "</w:drawing></w:r>"
    )


CHART = graphic('<c:chart r:id="chart1"/>')


def points(*values: str, kind: str = "str", code: str = "") -> str:
    shown_as = f"<c:formatCode>{code}</c:formatCode>" if code else ""
    inside = "".join(f'<c:pt idx="{at}"><c:v>{value}</c:v></c:pt>' for at, value in enumerate(values) if value)
    return f"<c:{kind}Ref><c:f>Sheet1!A1</c:f><c:{kind}Cache>{shown_as}{inside}</c:{kind}Cache></c:{kind}Ref>"


def test_a_chart_is_its_title_and_a_table_of_its_data() -> None:
    title = "<c:title><c:tx><c:rich><a:p><a:r><a:t>{}</a:t></a:r></a:p></c:rich></c:tx></c:title>"
    series = "<c:ser><c:tx>{}</c:tx><c:cat>{}</c:cat><c:val>{}</c:val></c:ser>"
    years = points("2024", "2025")
    chart = (
        f"<c:chart>{title.format('Ducks a year')}<c:plotArea><c:barChart>"
        + series.format(points("Pond"), years, points("12", "", kind="num"))
        + series.format(points("Lake"), years, points("0.30000000000000004", "15", kind="num", code="General"))
        + series.format(points("Share"), points("a"), points("0.256", kind="num", code="0.0%"))
        + f"</c:barChart><c:valAx><c:delete val='0'/>{title.format('ducks')}</c:valAx>"
        f"<c:catAx><c:delete/>{title.format('unseen')}</c:catAx></c:plotArea></c:chart>"
    )
    data = docx(paragraph(run("See:") + CHART + CHART), parts={"chart1": chart})
    assert shown(data) == [
        ("paragraph", "See:"),
        ("caption", "Ducks a year\nducks"),
        ("table", "| Pond | Lake\n2024 | 12 | 0.3\n2025 |  | 15"),
        ("table", "| Share\na | 25.6%"),
    ]
    document = document_of(data)
    assert [cell.value for cell in document.blocks[2].cells] == [
        None, "Pond", "Lake", 2024, 12, 0.3, 2025, None, 15,
    ]  # fmt: skip


def test_a_diagram_is_a_list_of_its_words() -> None:
    def point(name: int, text: str, kind: str = "") -> str:
        stated = f' type="{kind}"' if kind else ""
        return f'<dgm:pt modelId="{name}"{stated}><dgm:t><a:p><a:r><a:t>{text}</a:t></a:r></a:p></dgm:t></dgm:pt>'

    def link(above: int, below: int, order: int) -> str:
        return f'<dgm:cxn modelId="9{below}" srcId="{above}" destId="{below}" srcOrd="{order}"/>'

    diagram = (
        f"<dgm:ptLst>{point(1, '', 'doc')}{point(3, 'Second')}{point(2, 'First')}{point(4, 'Below')}"
        f"{point(5, 'unseen', 'parTrans')}</dgm:ptLst>"
        f"<dgm:cxnLst>{link(1, 3, 1)}{link(1, 2, 0)}{link(2, 4, 0)}</dgm:cxnLst>"
    )
    drawing = graphic('<dgm:relIds r:dm="diagram1"/>')
    assert text_of(paragraph(drawing), parts={"diagram1": diagram}) == "- First\n  - Below\n- Second"


# Around the text


def test_headers_and_footers_come_last_each_distinct_one_once() -> None:
    def section(*names: str) -> str:
        return "".join(f'<w:{name[:6]}Reference w:type="default" r:id="{name}"/>' for name in names)

    page = run("Page ") + field("PAGE", run("3")) + run(" of ") + field("NUMPAGES", run("12"))
    body = paragraph("First.", properties=f"<w:sectPr>{section('header1', 'footer1')}</w:sectPr>") + paragraph(
        "Second."
    )
    body += f"<w:sectPr>{section('header2', 'header3', 'footer1', 'footer2')}</w:sectPr>"
    parts = {
        "header1": paragraph("<w:r><w:t>Duck</w:t><w:tab/><w:t>Report</w:t></w:r>"),
        "header2": table(row("Duck", "Report")),
        "header3": paragraph("Annex"),
        "footer1": paragraph(page),
        "footer2": paragraph(page) + paragraph("Confidential"),
    }
    assert shown(docx(body, parts=parts)) == [
        ("paragraph", "First."),
        ("paragraph", "Second."),
        ("furniture", "Duck Report"),
        ("furniture", "Annex"),
        ("furniture", "Confidential"),
    ]


@pytest.mark.parametrize("tag", ["altChunk", "subDoc"])
def test_embedded_files_are_named_in_a_note(tag: str) -> None:
    data = docx(paragraph("a") + f'<w:{tag} r:id="page"/>', links={"page": "page.html"})
    document = document_of(data)
    assert (document.text, document.notes) == (
        "a",
        ("A file embedded as a part of the text was not read: page.html.",),
    )
