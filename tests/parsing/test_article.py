"""What is not a saved page's article is marked, and nothing else about the page changes."""

from __future__ import annotations

import quopri

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.chunking import chunk
from core.chunking.auditing import BESIDE_ARTICLE, audit
from core.chunking.chunkers import CHUNKERS
from core.embedding.tokenizer import packaged_counter
from core.parsing import parse, parser_fingerprint
from core.parsing.flow import Piece, TableCell, Words, compose
from core.parsing.html import article, reader
from core.settings import ChunkingSettings, ParsingSettings
from core.types import BlockKind

PROSE = "".join(
    f"<p>Ducks of kind {number} swim on the lake in spring, and in autumn they fly to the south of the country.</p>"
    for number in ("one", "two", "three", "four", "five", "six")
)
MENU = "<div class=menu><ul><li><a href=/a>Weather</a><li><a href=/b>Sport and games</a></ul></div>"
COOKIES = "<div id=cookie-banner><p>We value your privacy. Accept all cookies?</p></div>"
RELATED = "<div class=related><h3>Read next</h3><ul><li><a href=/c>Geese of the north</a></ul></div>"
PAGE = f"<title>Ducks</title>{COOKIES}{MENU}<article><h1>Ducks</h1>{PROSE}</article>{RELATED}"


def chunked(page: str) -> str:
    """What is no furniture of the page, as the worker reads it."""
    flow = compose(article.read(page.encode(), "page.html").pieces)
    return "\n".join(flow.text[block.start : block.end] for block in flow.blocks if block.kind != BlockKind.FURNITURE)


def test_what_stands_around_the_article_is_set_aside_and_the_heading_stays() -> None:
    text = chunked(PAGE)
    assert text.startswith("Ducks\nDucks of kind one swim")
    assert text.endswith("of the country.")
    assert not any(words in text for words in ("Sport", "cookies", "Geese", "Read next"))


@pytest.mark.parametrize(
    "page",
    [
        PAGE.replace("</article>", "<pre><code>duck.swim()</code></pre></article>"),
        f"<title>Index</title>{MENU}<ul>{''.join(f'<li><a href={n}>Duck number {n}</a>' for n in range(60))}</ul>",
        f"<title>Order</title>{MENU}<p>Order ducks.</p><form>{'<p>Name <input type=text></p>' * 12}</form>{PROSE}",
        f"<title>Ducks</title>{MENU}<p>Closed.",
    ],
    ids=["code", "index", "form", "hardly a text"],
)
def test_a_page_that_is_no_article_loses_nothing(page: str) -> None:
    own = reader.read(page.encode(), "page.html").pieces
    assert article.read(page.encode(), "page.html").pieces == own


def test_a_judge_that_takes_a_chapter_for_the_page_does_not_cost_the_book() -> None:
    chapters = [Piece(BlockKind.PARAGRAPH, Words(f"Chapter {number} tells of ducks. " * 30)) for number in range(20)]
    whole = article.set_aside(chapters, chapters[3].words.text)
    assert not any(piece.aside for piece in whole)
    teasers = [Piece(BlockKind.PARAGRAPH, Words("More on geese, every day.")) for _ in range(20)]
    judged = article.set_aside([*teasers, chapters[3]], chapters[3].words.text)
    assert [piece.aside for piece in judged] == [True] * 20 + [False]


def test_captions_tables_and_repeats_within_the_article_stay_though_the_judge_passed_over_them() -> None:
    parts = [Piece(BlockKind.PARAGRAPH, Words(f"Part {number} tells of ducks. " * 30)) for number in range(3)]
    caption = Piece(BlockKind.CAPTION, Words("A duck on the lake, seen from the northern shore in the spring of 1921."))
    words, teaser = (
        Words("Teals and mallards, counted in the morning"),
        Words("More on geese", links=((0, 13, "/geese"),)),
    )
    plain, linked = (Piece(BlockKind.TABLE, rows=((TableCell(words), TableCell(one)),)) for one in (words, teaser))
    page = [parts[0], caption, plain, parts[1], linked, parts[2], parts[0], caption]
    judged = article.set_aside(page, "\n".join(part.words.text for part in parts))
    assert [piece.aside for piece in judged] == [False, False, False, False, True, False, False, True]


SECTIONS = st.sampled_from(
    [PROSE, MENU, COOKIES, RELATED, "<table><tr><th>a<tr><td>1</table>", "<h2>Lakes</h2>", "<hr>"]
)


@settings(max_examples=15)
@given(st.lists(SECTIONS, max_size=6))
def test_setting_aside_changes_marks_alone(sections: list[str]) -> None:
    page = f"<title>Ducks</title>{''.join(sections)}".encode()
    judged = compose(article.read(page, "page.html").pieces)
    whole = compose(reader.read(page, "page.html").pieces)
    assert (judged.text, judged.links) == (whole.text, whole.links)
    assert [block.span for block in judged.blocks] == [block.span for block in whole.blocks]
    changed = [block for block, other in zip(judged.blocks, whole.blocks, strict=True) if block != other]
    assert all(block.kind is BlockKind.FURNITURE for block in changed)


def test_no_leaf_and_no_parent_holds_what_is_set_aside_and_the_audit_names_it() -> None:
    torn = PAGE.replace(
        "<p>Ducks of kind four",
        "<div class=share>Tell it to your friends and share it with all.</div><p>Ducks of kind four",
    )
    document = parse(torn.encode(), "ducks.html", ParsingSettings())
    aside = [document.text[block.start : block.end] for block in document.blocks if block.kind is BlockKind.FURNITURE]
    assert len(aside) == 5
    counter = packaged_counter()
    for chunker in CHUNKERS:
        tree = chunk(document, ChunkingSettings(chunker=chunker), counter)
        assert not [words for words in aside for one in tree.chunks if one.level < 2 and words in one.text], chunker
        told = audit(tree)
        assert {gap.reason for gap in told.gaps} == {BESIDE_ARTICLE}
        assert told.characters - told.covered == sum(len("".join(words.split())) for words in aside)


def test_the_whole_page_is_kept_where_it_is_wanted() -> None:
    document = parse(PAGE.encode(), "ducks.html", ParsingSettings(web_pages="whole"))
    assert BlockKind.FURNITURE not in {block.kind for block in document.blocks}
    assert parser_fingerprint("html", ParsingSettings(web_pages="whole")) != parser_fingerprint("html"), "read anew"


ARCHIVE = (
    "From: <Saved by Blink>\r\nSubject: Ducks\r\nMIME-Version: 1.0\r\n"
    'Content-Type: multipart/related;\r\n\ttype="text/html";\r\n\tboundary="--=b"\r\n\r\n'
    '----=b\r\nContent-Type: text/css\r\n\r\na {{ b: c }}\r\n----=b\r\nContent-Type: text/html; charset="{charset}"'
    "\r\nContent-Transfer-Encoding: {coding}\r\n\r\n"
)


def test_a_web_archive_is_read_as_its_page() -> None:
    page = PAGE.replace("Ducks of kind one", "Enten für alle").encode("utf-8")
    data = (
        ARCHIVE.format(charset="utf-8", coding="quoted-printable").encode()
        + quopri.encodestring(page)
        + b"\r\n----=b--"
    )
    plain = parse(page, "ducks.html", ParsingSettings())
    archived = parse(data, "ducks.mhtml", ParsingSettings())
    assert archived.kind == "html"
    assert archived.text == plain.text
    assert "Enten für alle" in archived.text
    assert archived.blocks == plain.blocks
    assert archived.words is not None
    assert archived.words.missing == 0
