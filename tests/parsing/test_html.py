from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.errors import ParseError
from core.parsing import parse
from core.parsing.flow import compose
from core.parsing.html.reader import read
from core.settings import ParsingSettings
from core.types import BlockKind, Document
from tests.parsing.laws import assert_laws


def shown(page: str) -> str:
    return compose(read(page.encode(), "page.html").pieces).text


def blocks(page: str) -> list[tuple[str, str]]:
    flow = compose(read(page.encode(), "page.html").pieces)
    return [(block.kind.value, flow.text[block.start : block.end]) for block in flow.blocks]


def links(page: str) -> list[tuple[str, str]]:
    flow = compose(read(page.encode(), "page.html").pieces)
    return [(flow.text[link.start : link.end], link.target) for link in flow.links]


def document(page: str, name: str = "page.html") -> Document:
    found = parse(page.encode(), name, ParsingSettings())
    assert_laws(found)
    return found


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("<p>one<b>two</b> <i>three</i>\n  four", "onetwo three four"),
        ("<p>a<p>b<div>c</div>d", "a\n\nb\n\nc\n\nd"),
        ("one<br>two<br />three", "one\ntwo\nthree"),
        ("one<br>\n<br>two", "one\n\ntwo"),
        ("<p>one<h2>two</h2>three</p>four", "one\n\ntwo\n\nthree\n\nfour"),
        ("<p><span>one<p>two</span>three", "one\n\ntwothree"),
        ("H<sub>2</sub>O, x<sup>2</sup>", "H2O, x2"),
        ("a&nbsp;b &lt;c&gt; AT&T &#8364;&#x20AC; &amp;amp;", "a b <c> AT&T €€ &amp;"),
        ("Donau&shy;dampf<wbr>schiff", "Donaudampfschiff"),
        ("<q>said</q> <ruby>漢<rp>(</rp><rt>kan</rt><rp>)</rp></ruby>", "“said” 漢(kan)"),
        ("<math><mi>a</mi><mo>+</mo><mi>b</mi><annotation>a + b</annotation></math>", "a+b"),
        ("<div style='white-space: pre-wrap'>one\n  two</div>", "one\ntwo"),
        ("<span style='display:block'>one</span><span>two</span>", "one\n\ntwo"),
        ("<details><summary>More</summary>Inside</details>", "More\n\nInside"),
        ("<button>Go</button><button>Stop</button>", "Go Stop"),
        ("<label>Name</label><input value='Ann'><input type=submit value=Send>", "Name Ann Send"),
        ("<select><option>One<option>Two</select>", "One\nTwo"),
        ("<fieldset><legend>Who</legend><textarea>me\nyou</textarea></fieldset>", "Who\n\nme\nyou"),
        ("<body><p>in</body></html><p>behind", "in\n\nbehind"),
        ("<frameset><noframes>No frames here</noframes></frameset>", "No frames here"),
        ("<svg><title>t</title><text>drawn</text><text>words</text></svg>", "drawn words"),
        ("<font>one<table><tr><td>two<td>three</table>", "one\n\ntwo | three"),
        ("<![if !x]>kept<![endif]><!-- not --><?php nor ?>", "kept"),
        ("no markup at all", "no markup at all"),
    ],
)
def test_text_is_what_a_browser_shows(page: str, text: str) -> None:
    assert shown(page) == text


def test_a_long_list_to_choose_from_is_furniture() -> None:
    years = "".join(f"<option>{year}</option>" for year in range(1990, 2010))
    page = f"<p>Read on.</p><form><select><option>Small</option></select><select>{years}</select></form>"
    assert [kind for kind, _ in blocks(page)] == ["paragraph", "paragraph", "furniture"]


@pytest.mark.parametrize(
    "hidden",
    [
        "<script>x()</script>",
        "<style>p {}</style>",
        "<template>x</template>",
        "<noscript>x</noscript>",
        "<p hidden>x</p>",
        "<p style='Display : none'>x<b>y</b></p>",
        "<span style='visibility:hidden'>x</span>",
        "<span aria-hidden=true>x</span>",
        "<dialog>x</dialog>",
        "<video>x</video>",
        "<iframe>x</iframe>",
        "<input type=hidden value=x>",
        "<head><meta name=a content=x></head>",
        "<a href='#r' role='doc-backlink'>x</a>",
    ],
)
def test_what_a_browser_hides_is_left_out(hidden: str) -> None:
    assert shown(f"<p>before</p>{hidden}<p>after</p>") == "before\n\nafter"


def test_hidden_words_are_counted_and_a_page_behind_a_dialog_is_read() -> None:
    assert read(b"<p>a<span hidden>b c</span>", "a.html").notes == ("Hidden text was left out: 2 words.",)
    assert shown("<body><div aria-hidden=true>The page</div><div role=dialog>Accept?</div>") == "The page\n\nAccept?"


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("<ul><li>a<li>b<ul><li>c</ul><li>d</ul>", "- a\n- b\n  - c\n- d"),
        ("<ol start=3><li>a<li value=7>b<li>c</ol>", "3. a\n7. b\n8. c"),
        ("<ol reversed><li>a<li>b</ol>", "2. a\n1. b"),
        ("<ol type=a><li>a</ol><ol type=I><li>b</ol>", "a. a\n\nI. b"),
        ("<ol style='list-style-type: lower-roman'><li>a<li>b</ol>", "i. a\nii. b"),
        ("<ul><li><p>a</p><p>b</p><li><b>c</b></ul>", "- a\n  b\n- c"),
        ("<ul><li>a<pre>x\n y</pre>b<li>c</ul>", "- a\n\nx\n y\n\nb\n- c"),
        ("<ol><li>a<table><tr><th>h<tr><td>1</table><li>b</ol>", "1. a\n\nh\n1\n\n2. b"),
        ("<dl><dt>Duck<dd>A bird.<dd>A dip.<dt>Hen</dl>", "Duck\n  A bird.\n  A dip.\nHen"),
        ("<ul><li><font>a<li><font>b</ul>", "- a\n- b"),
        ("<li>stray", "- stray"),
        ("<ul><li><input type=checkbox checked> done<li><input type=checkbox> open</ul>", "- ☒ done\n- ☐ open"),
        ("<ul><li><ul><li>deep</ul></ul>", "- deep"),
    ],
)
def test_lists_keep_the_markers_their_readers_see(page: str, text: str) -> None:
    assert shown(page) == text


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("<table><caption>Ducks</caption><tr><th>a<th>b<tr><td>1<td>2</table>", "Ducks\n\na | b\n1 | 2"),
        ("<table><tr><th colspan=2>ab<tr><td>1<td>2</table>", "ab | ab\n1 | 2"),
        ("<table><tr><th>h<th>i<tr><td rowspan=2>1<td>2<tr><td>3</table>", "h | i\n1 | 2\n1 | 3"),
        ("<table><tr><td colspan=2>wide<tr><td colspan=2>too</table>", "wide\n\ntoo"),
        ("<table><tfoot><tr><td>f<td>g</tfoot><thead><tr><th>a<th>b</thead><tr><td>1<td>2</table>",
         "a | b\n1 | 2\nf | g"),
        ("<table><tr><th>k<th>v<tr><td>a|b<td><p>x<p>y</table>", "k | v\na\\|b | x y"),
        ("<table><tr><th>k<tr><td><ol><li>x<li>y</ol></table>", "k\n1. x 2. y"),
        ("<table><tr><td>1<td><table><tr><td>2<td>3</table></table>", "1 | 2 3"),
        ("<table role=presentation><tr><td>a<td>b</table>", "a\n\nb"),
        ("<table><tr><td><h2>Head</h2>text<td>side</table>", "Head\n\ntext\n\nside"),
        ("<table>stray<tr><td>a<td>b</table>", "stray\n\na | b"),
        ("<table><form><tr><td>a<td>b</form></table>", "a | b"),
        ("<table><tr><td>a<td rowspan=0>b<tr><td>c<tr><td>d</table>", "a | b\nc | b\nd | b"),
    ],
)  # fmt: skip
def test_tables(page: str, text: str) -> None:
    assert shown(page) == text


_STATEMENT = """<table>
<tr><td><td><td><td><td><td><td><td><td><td></tr>
<tr><td colspan=3><td colspan=6>Year ended<td></tr>
<tr><td colspan=3><td colspan=3>2024<td colspan=3>2023<td></tr>
<tr><td colspan=3>Sales:<td colspan=3><td colspan=3><td></tr>
<tr><td colspan=3>Ducks<td>$<td>1,200<td><td>$<td>900<td><td></tr>
<tr><td colspan=3>Costs<td colspan=2>(300<td>)<td colspan=2>(250<td>)<td></tr>
<tr><td colspan=3>Growth<td colspan=2>33<td>%<td colspan=2>—<td><td></tr>
</table>"""


def test_columns_that_only_space_a_table_out_are_no_columns() -> None:
    (table,) = read(_STATEMENT.encode(), "statement.html").pieces
    assert [[cell.words.text for cell in row] for row in table.rows[1:]] == [
        ["", "Year ended", "Year ended"],
        ["", "2024", "2023"],
        ["Sales:", "", ""],
        ["Ducks", "$1,200", "$900"],
        ["Costs", "(300)", "(250)"],
        ["Growth", "33%", "—"],
    ]
    assert table.header_rows == 3  # with the empty row above them, which is not written


@pytest.mark.parametrize(
    ("rows", "header"),
    [
        ("<tr><td>Name<td>Bob<tr><td>City<td>Rome", 0),  # pairs of words: which of them heads the other is not said
        ("<tr><td>Year<td>Ducks<tr><td>2019<td>12<tr><td>2020<td>15", 1),
        ("<tr><td>Duck<td>12<tr><td>Goose<td>15<tr><td>Swan<td>3", 0),
    ],
)
def test_a_table_that_states_no_header_has_one_where_a_row_looks_other_than_those_under_it(
    rows: str, header: int
) -> None:
    (table,) = read(f"<table>{rows}</table>".encode(), "table.html").pieces
    assert table.header_rows == header


def test_a_table_knows_its_headers_and_its_values() -> None:
    found = document("<p>x<table><thead><tr><th>Duck<th>kg</thead><tr><th>Teal<td>0.3<tr><td>Eider<td>2,1</table>")
    table = next(block for block in found.blocks if block.kind is BlockKind.TABLE)
    assert table.header
    assert found.text[table.header.start : table.header.end] == "Duck | kg"
    assert [(cell.row, cell.value, cell.header) for cell in table.cells if cell.column == 1] == [
        (0, "kg", True),
        (1, 0.3, False),
        (2, 2.1, False),
    ]
    assert [cell.header for cell in table.cells if cell.column == 0] == [True, True, False]


@pytest.mark.parametrize(
    ("page", "language", "text"),
    [
        ("<pre>\n  one\n    two\n</pre>", "", "one\n  two"),
        ("<pre><code class='language-py'>x = 1\ny = 2</code></pre>", "python", "x = 1\ny = 2"),
        ("<pre class='sourceCode rust'>fn</pre>", "rust", "fn"),
        ("<div class='highlight-sql notranslate'><div><pre><span>SELECT</span> 1</pre></div></div>", "sql", "SELECT 1"),
        ("<pre class='brush: js'>a<br>b</pre>", "javascript", "a\nb"),
        ("<pre><div>a</div><div>b</div></pre>", "", "a\nb"),
        ("<pre>a\tb</pre>", "", "a\tb"),
    ],
)
def test_code_keeps_its_lines_and_names_its_language(page: str, language: str, text: str) -> None:
    flow = compose(read(page.encode(), "a.html").pieces)
    assert [(block.kind, block.language) for block in flow.blocks] == [(BlockKind.CODE, language)]
    assert flow.text == text


def test_kinds_and_levels() -> None:
    page = """<h1>A</h1><blockquote><p>quoted</p><h4>B</h4></blockquote><div role=heading aria-level=3>C</div>
    <figure><img src=x alt="A teal"><figcaption>A teal at dawn</figcaption></figure><address>Here</address>"""
    assert blocks(page) == [
        ("heading", "A"),
        ("quote", "quoted"),
        ("heading", "B"),
        ("heading", "C"),
        ("caption", "A teal at dawn"),
        ("paragraph", "Here"),
    ]
    flow = compose(read(page.encode(), "a.html").pieces)
    assert [block.level for block in flow.blocks if block.level] == [1, 4, 3]


def test_pictures_speak_where_they_say_something() -> None:
    assert blocks("<p>Text <img alt='A duck on a pond'> goes on</p><img alt='IMG_01.jpg'><img alt=''>") == [
        ("paragraph", "Text goes on"),
        ("caption", "A duck on a pond"),
    ]
    assert shown("<p>ducks <img class=emoji alt='🦆'> swim") == "ducks 🦆 swim"
    assert shown("<table><tr><th>a<tr><td><a href=x><img alt='The map'></a></table>") == "a\nThe map"
    assert shown("<ul><li><img alt='New'> item</ul>") == "- item New"


def test_links_lie_over_their_words() -> None:
    page = "<p>See <a href='a.html#x'>the <b>site</b> </a>or <a>none</a> or <a href='javascript:x()'>run</a>."
    assert links(page) == [("the site", "a.html#x")]
    assert links("<a href=b><h2>Title</h2><p>Words</p></a>") == [("Title", "b"), ("Words", "b")]
    assert links("<table><tr><th>k<tr><td>a|b <a href=c>c|d</a></table>") == [("c\\|d", "c")]


def test_navigation_goes_behind_all_else_but_a_table_of_contents_stays() -> None:
    assert blocks("<nav><a href='/'>Home</a></nav><nav><ul><li><a href='#a'>A</a></ul></nav><h1>A</h1>") == [
        ("list", "- A"),
        ("heading", "A"),
        ("furniture", "Home"),
    ]
    assert blocks("<nav><a href='/'>Home</a></nav>") == [("paragraph", "Home")]


def test_footnotes_stand_behind_their_block() -> None:
    page = """<p>One<a href="#n1" role="doc-noteref"><sup>1</sup></a> two.</p><p>Three.</p>
    <section><ol><li id="n1"><p>The note.<a href="#r" role="doc-backlink">↩</a></p></ol></section>"""
    assert blocks(page) == [("paragraph", "One[1] two."), ("footnote", "[1] The note."), ("paragraph", "Three.")]


@pytest.mark.parametrize(
    ("page", "title", "in_text"),
    [
        ("<title>Duck - Wikipedia</title><p>x<h1>Duck</h1>", "Duck", True),
        ("<title>The whole guide</title><h1>Start</h1>", "The whole guide", False),
        ("<title>Untitled</title><h2>First</h2><h1>Chief</h1>", "Chief", True),
        ("<h2>First</h2>text", "First", True),
        ("text", "My page", False),
        ("<h1>2.7.0</h1><h2>Fixed</h2>x<h1>2.6.10</h1>", "My page", False),
    ],
)
def test_titles(page: str, title: str, in_text: bool) -> None:
    found = document(page, "my_page.html")
    assert found.title == title
    assert (found.title_span is not None) is in_text


def test_metadata() -> None:
    page = """<html lang=en><meta name=author content="Jane  Smith"><meta property="og:description" content="About">
    <meta name="date" content="2026-06-18"><p>x"""
    assert read(page.encode(), "a.html").metadata == {
        "author": "Jane Smith",
        "description": "About",
        "created": "2026-06-18",
        "language": "en",
    }


@pytest.mark.parametrize(
    ("data", "text"),
    [
        ("<meta charset='windows-1251'><p>Привет, мир".encode("cp1251"), "Привет, мир"),
        ("<meta http-equiv=x content='text/html; charset=Shift_JIS'><p>日本語です".encode("cp932"), "日本語です"),
        ("<?xml version='1.0' encoding='ISO-8859-1'?><html><p>né</html>".encode("latin-1"), "né"),
        ("<meta charset=iso-8859-1><p>“né” €".encode("cp1252"), "“né” €"),
        ("<meta charset=iso-8859-1><p>né — re-saved".encode(), "né — re-saved"),
        ("<p>né à Orléans".encode("latin-1"), "né à Orléans"),
        ("<p>né".encode("utf-16"), "né"),
        (b"\xef\xbb\xbf<p>n\xc3\xa9", "né"),
        (b"<meta charset=rot13><meta charset=idna><p>plain", "plain"),
        (b"<p>a\0b\x01c, and so on", "abc, and so on"),
    ],
)
def test_encodings(data: bytes, text: str) -> None:
    assert compose(read(data, "a.html").pieces).text == text


def test_xhtml_may_hold_cdata_and_declarations() -> None:
    page = '<?xml version="1.0"?><!DOCTYPE html [<!ENTITY a "aa">]><html><p>x <![CDATA[1 < 2]]> &a;</p></html>'
    assert shown(page) == "x 1 < 2 &a;"
    ended, unended = "<p>x <![CDATA[1 < 2]]>", "<p>y <![CDATA[3 <b>4</b>" * 20_000
    assert shown(f'<html xmlns="x">{ended}{unended}').startswith("x 1 < 2\n")
    closed = '<!DOCTYPE html><html xmlns="x"><script src="a"/><p>x<span hidden=""/>y<br/>z</p></html>'
    assert shown(closed) == "xy\nz"
    assert links('<html xmlns="x"><p>See <a href=http://a.org/>the place</a> now') == [("the place", "http://a.org/")]


def test_a_heading_that_nobody_closed_does_not_hold_the_page() -> None:
    assert blocks("<h2><a href=x><b>One<p>two</a><ul><li>three<h3>Four<p>five</ul><h2><table><td>six<td>7</table>") == [
        ("heading", "One"),
        ("paragraph", "two"),
        ("list", "- three"),
        ("heading", "Four"),
        ("list", "five"),
        ("table", "six | 7"),
    ]
    assert blocks("<h1><p>One</p></h1><p>two") == [("heading", "One"), ("paragraph", "two")]


# Any nesting, sensible or not, end tags forgotten: what a page of fifty thousand authors looks like.
TAGS = (
    "p div span b i a section article ul ol li blockquote h1 h2 h6 pre table tr td th dl dt dd figure figcaption "
    "details summary button label center font header footer main form fieldset em code sup caption tbody thead"
).split()
TREES = st.recursive(
    st.sampled_from(["word", "br", "hr", "img"]),
    lambda inner: st.tuples(st.sampled_from(TAGS), st.lists(inner, max_size=4), st.booleans()),
    max_leaves=40,
)


def written(tree: object, count: list[int]) -> str:
    if tree == "word":
        count[0] += 1
        return f"w{count[0]} "
    if isinstance(tree, str):
        return f"<{tree}>"
    tag, inner, is_closed = tree  # type: ignore[misc]
    return f"<{tag}>{''.join(written(part, count) for part in inner)}{f'</{tag}>' if is_closed else ''}"


@given(st.lists(TREES, max_size=6))
def test_every_word_is_there_once_and_in_order(trees: list[object]) -> None:
    count = [0]
    page = "<!doctype html>" + "".join(written(tree, count) for tree in trees)
    found = [int(word) for word in re.findall(r"\bw(\d+)\b", shown(page))]
    assert sorted(found) == list(range(1, count[0] + 1))
    if "<table" not in page:  # captions and head rows come first, and words between rows before the table
        assert found == sorted(found)


@given(st.text(alphabet="<>/=\"'&;! abpdivtrulstyle-[]#x0\né", max_size=200))
@settings(max_examples=200)
def test_no_markup_makes_it_fail(page: str) -> None:
    if not page.strip():
        with pytest.raises(ParseError, match=r"page\.html is empty"):
            shown(page)
        return
    flow = compose(read(page.encode(), "page.html").pieces)
    assert_laws(Document("0", "html", "T", flow.text, tuple(flow.blocks), links=tuple(flow.links)))


@pytest.mark.parametrize(
    "page",
    [
        "<div>" * 10_000 + "deep" + "</div>" * 10_000 + "<p>after",
        "<b><i>" * 50_000 + "deep" + "<p>after",
        "<table><tr><td>" * 3_000 + "deep" + "</table>" * 3_000 + "<p>after",
        "<ul><li>" * 5_000 + "deep" + "</ul>" * 5_000 + "<p>after",
        "<p title='" + "x" * 12_000_000 + "'>deep<p>after",
        "<!DOCTYPE html [<!ENTITY a 'bbbb'><!ENTITY c '&a;&a;&a;&a;'>]>deep<p>after",
        "<table>" + "<tr><td colspan=1000 rowspan=65534>" * 300 + "deep</table><p>after",
        "<a href=x>" * 20_000 + "deep<p>after",
        "<p><table><td>" + "<span>" * 5_000 + "<div>" * 5_000 + "deep</table><p>after",
    ],
    ids=["divs", "inline", "tables", "lists", "attribute", "entities", "spans", "links", "unclosed"],
)
def test_hostile_pages_are_read(page: str) -> None:
    text = shown(page)
    assert "deep" in text
    assert text.endswith("after")


def test_long_texts_are_whole() -> None:
    assert shown("<pre>" + "word " * 2_400_000 + "end</pre>").endswith("word end")
    many = read(b"<p>One of <b>many</b>.\n" * 10_000, "a.html").pieces
    assert len(many) == 10_000
    assert {piece.words.text.strip() for piece in many} == {"One of many."}


_FILING = """<div style="font-size:9pt">
<p style="font-size:14pt"><span style="font-weight:700">Ducks &amp; Sons</span></p>
<div style="font-weight:700">PART I</div>
<table><tr><td><b>Item 1.</b><td><b>Business</b></table>
<p>We raise ducks on three ponds and sell their down.</p>
<table><tr><td>•<td>teals</table><table><tr><td>•<td>mallards</table>
<p>• <a href="#x">geese</a></p>
<p>Ducks &amp; Sons | 1</p><hr style="page-break-after:always">
<p><b>Item 2. Ponds</b></p><p>They lie in the north, and one of them is deep enough for diving ducks.</p>
<p>Ducks &amp; Sons | 2</p><hr style="page-break-after:always">
<div style="font-weight:700">PART II</div>
<p><b>Item 3. Sales</b></p><p>Sales went up, as everybody who saw the ponds had expected they would.</p>
<p>Ducks &amp; Sons | 3</p><hr style="page-break-after:always"><p><b>Chapter 4</b></p><p>The end of it all.</p></div>"""


def test_a_page_that_states_no_headings_has_those_that_look_so_and_no_running_lines() -> None:
    pieces = read(_FILING.encode(), "filing.html").pieces
    assert [(piece.level, piece.words.text) for piece in pieces if piece.kind is BlockKind.HEADING] == [
        (1, "Ducks & Sons"),
        (1, "PART I"),
        (1, "Item 1. Business"),
        (1, "Item 2. Ponds"),
        (1, "PART II"),
        (1, "Item 3. Sales"),
        (1, "Chapter 4"),
    ]
    assert [piece.words.text for piece in pieces if piece.kind is BlockKind.FURNITURE] == [
        f"Ducks & Sons | {page}" for page in (1, 2, 3)
    ]
    (items,) = [piece.items for piece in pieces if piece.kind is BlockKind.LIST]
    assert [(item.marker, item.words.text) for item in items] == [("-", "teals"), ("-", "mallards"), ("-", "geese")]
    assert items[2].words.links == ((0, 5, "#x"),)


def test_a_page_that_states_its_headings_has_no_others() -> None:
    page = "<h1>Ducks</h1><h2>Teals</h2><p><b>Bold</b></p><p>They swim on ponds and dive in lakes.</p>"
    assert [text for kind, text in blocks(page) if kind == "heading"] == ["Ducks", "Teals"]


def test_a_chapter_on_every_sheet_is_no_running_line() -> None:
    sheet = '<p style="page-break-before:always">Chapter {n}</p><p>{words}</p>'
    page = "".join(sheet.format(n=n, words=f"Ducks swim {word} and far.") for n, word in enumerate("abcdef"))
    assert all(kind == "paragraph" for kind, _ in blocks(page))


def test_the_stated_title_is_a_heading_where_it_stands_and_no_tag_says_so() -> None:
    page = "<title>Pond: Duck Class</title><p>v2.0</p><div>Duck Class</div><h2>Members</h2><p>Swims.</p>"
    assert levels(page) == [
        (0, "v2.0"),
        (1, "Duck Class"),
        (2, "Members"),
        (0, "Swims."),
    ]


def test_a_row_of_short_words_is_one_line_of_a_table_that_lays_out_a_page() -> None:
    row = "<tr><td>int </td><td><a href=#f>feed</a> ()</td></tr>"
    page = f"<table><tr><td colspan=2><h2>Members</h2></td></tr>{row}</table>"
    assert levels(page) == [(2, "Members"), (0, "int feed ()")]


def levels(page: str) -> list[tuple[int, str]]:
    return [(piece.level, " ".join(piece.words.text.split())) for piece in read(page.encode(), "a.html").pieces]
