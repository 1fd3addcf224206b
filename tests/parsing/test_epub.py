from __future__ import annotations

import pytest

from core.errors import ParseError
from core.parsing import parse
from core.settings import ParsingSettings
from core.types import Document
from tests.parsing.laws import assert_laws
from tests.parsing.packages import packed

CONTAINER = """<?xml version="1.0"?><container xmlns="urn:oasis:names:tc:opendocument:xmlns:container" version="1.0">
<rootfiles><rootfile full-path="OPS/book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>"""
PACKAGE = """<?xml version="1.0"?>
<package xmlns="http://www.idpf.org/2007/opf" xmlns:dc="http://purl.org/dc/elements/1.1/" version="3.0"><metadata>
<dc:title>Ducks and drakes</dc:title><dc:title>A subtitle</dc:title><dc:creator>Jane Smith</dc:creator>
<dc:creator>Ann Lee</dc:creator><dc:language>en</dc:language><dc:date>2026-06-18</dc:date></metadata>
<manifest><item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>
<item id="b" href="text/two%20b.xhtml" media-type="application/xhtml+xml"/>
<item id="a" href="text/one.xhtml" media-type="application/xhtml+xml"/>
<item id="n" href="notes.xhtml" media-type="application/xhtml+xml"/>
<item id="p" href="cover.svg" media-type="image/svg+xml"/></manifest>
<spine><itemref idref="p"/><itemref idref="nav"/><itemref idref="a"/><itemref idref="b" linear="no"/>
<itemref idref="a"/><itemref idref="n"/><itemref idref="gone"/></spine></package>"""
PAGE = """<?xml version="1.0" encoding="utf-8"?><!DOCTYPE html><html xmlns="http://www.w3.org/1999/xhtml"
xmlns:epub="http://www.idpf.org/2007/ops"><head><title>Head</title></head><body>{}</body></html>"""
ONE = '<h1>One</h1><p>They<a epub:type="noteref" href="../notes.xhtml#n1">1</a> swim.</p><p>Next <br/> line.</p>'
TWO = "<h1>Two</h1><p>Drakes do, too.</p>"
NOTES = '<section epub:type="endnotes"><ol><li id="n1"><p>All of them.</p></li><li><p>Unused.</p></li></ol></section>'
MEMBERS = {
    "META-INF/container.xml": CONTAINER,
    "OPS/book.opf": PACKAGE,
    "OPS/nav.xhtml": PAGE.format("<nav epub:type='toc'><ol><li><a href='text/one.xhtml'>One</a></li></ol></nav>"),
    "OPS/text/one.xhtml": PAGE.format(ONE),
    "OPS/text/two b.xhtml": PAGE.format(TWO),
    "OPS/notes.xhtml": PAGE.format(NOTES),
    "OPS/cover.svg": "<svg/>",
}


def epub(members: dict[str, str] | None = None, **replaced: str) -> bytes:
    return packed({"mimetype": "application/epub+zip", **(MEMBERS if members is None else members), **replaced})


def document(data: bytes) -> Document:
    found = parse(data, "book.epub", ParsingSettings())
    assert_laws(found)
    return found


def test_pages_come_in_the_order_of_the_spine_with_their_notes() -> None:
    found = document(epub())
    assert found.text.split("\n\n") == [
        "One",
        "They[1] swim.",
        "[1] All of them.",
        "Next\nline.",
        "Two",
        "Drakes do, too.",
        "1. Unused.",
    ]
    assert (found.kind, found.title, found.title_span) == ("epub", "Ducks and drakes", None)
    assert found.metadata == {"author": "Jane Smith, Ann Lee", "language": "en", "created": "2026-06-18"}
    assert found.words
    assert found.words.missing == 0


def test_a_title_that_stands_in_the_book_is_found_there() -> None:
    found = document(epub(**{"OPS/text/one.xhtml": PAGE.format("<h2>Ducks and Drakes</h2>")}))
    assert found.title == "Ducks and Drakes"
    assert found.title_span


def test_missing_pages_are_named() -> None:
    members = {name: content for name, content in MEMBERS.items() if "two" not in name}
    assert document(epub(members)).notes == ("Pages named by the book that are not in it: OPS/text/two b.xhtml.",)


def test_a_package_without_its_container_is_found() -> None:
    members = {name: content for name, content in MEMBERS.items() if "META" not in name}
    assert "Drakes" in document(epub(members)).text


ENCRYPTED = """<encryption xmlns="urn:oasis:names:tc:opendocument:xmlns:container"
xmlns:e="http://www.w3.org/2001/04/xmlenc#"><e:EncryptedData><e:EncryptionMethod Algorithm="{}"/><e:CipherData>
<e:CipherReference URI="OPS/text/one.xhtml"/></e:CipherData></e:EncryptedData></encryption>"""


def test_protected_books_say_so_and_disguised_fonts_are_no_protection() -> None:
    method = "http://www.w3.org/2001/04/xmlenc#aes128-cbc"
    with pytest.raises(ParseError, match=r"book\.epub is protected against copying"):
        document(epub(**{"META-INF/encryption.xml": ENCRYPTED.format(method)}))
    fonts = ENCRYPTED.format("http://www.idpf.org/2008/embedding")
    assert "They[1]" in document(epub(**{"META-INF/encryption.xml": fonts})).text


BOMB = "<!DOCTYPE x [<!ENTITY a0 'ha'>{}]>".format(
    "".join(f"<!ENTITY a{n} '{f'&a{n - 1};' * 10}'>" for n in range(1, 10))
)


@pytest.mark.parametrize(
    ("replaced", "says"),
    [
        ({"OPS/book.opf": "no xml"}, "its package file OPS/book.opf cannot be read"),
        ({"META-INF/container.xml": "no xml"}, "its container file cannot be read"),
        ({"OPS/book.opf": PACKAGE.replace("<spine>", "<!--").replace("</spine>", "-->")}, "none of its pages"),
    ],
)
def test_damaged_books_say_so(replaced: dict[str, str], says: str) -> None:
    with pytest.raises(ParseError, match=f"book.epub is damaged: {says}"):
        document(epub(**replaced))


def test_bombs_do_no_harm() -> None:
    found = document(epub(**{"OPS/text/one.xhtml": BOMB + "<html><body><p>x &a9; y</p></body></html>"}))
    assert found.text.startswith("x &a9; y")
    assert len(document(epub(**{"OPS/book.opf": BOMB + PACKAGE.replace("Ducks", "&a9;")})).text) < 500
    with pytest.raises(ParseError, match="exhaust memory"):
        document(epub(**{"OPS/text/one.xhtml": "0" * 60_000_000}))
    data = epub()
    with pytest.raises(ParseError, match=r"book\.epub"):
        document(data[: len(data) // 2])


CONTENTS = """<nav epub:type='toc'><ol><li><a href='text/one.xhtml'>Part</a><ol>
<li><a href='text/one.xhtml#c'>Chapter</a><ol><li><a href='text/two%20b.xhtml'>Section</a></li></ol></li></ol></li>
<li><a href='notes.xhtml#n'>Notes</a></li></ol></nav>"""
NCX = """<ncx xmlns="http://www.daisy.org/z3986/2005/ncx/"><navMap><navPoint><navLabel><text>Part</text></navLabel>
<content src="text/one.xhtml"/><navPoint><content src="text/one.xhtml#c"/><navPoint>
<content src="text/two%20b.xhtml"/></navPoint></navPoint></navPoint><navPoint><content src="notes.xhtml#n"/></navPoint>
</navMap></ncx>"""


@pytest.mark.parametrize("version", [2, 3])
def test_headings_are_nested_as_in_the_table_of_contents(version: int) -> None:
    pages = {
        "OPS/text/one.xhtml": PAGE.format("<h1>Part</h1><div id='c'><h1>Chapter</h1></div><h2>Unnamed</h2>"),
        "OPS/text/two b.xhtml": PAGE.format("<h1>Section</h1><h2>Below</h2>"),
        "OPS/notes.xhtml": PAGE.format("<h1 id='n'>Notes</h1><p>All.</p>"),
    }
    if version == 3:
        pages["OPS/nav.xhtml"] = PAGE.format(CONTENTS)
    else:
        as_page = 'href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"'
        as_ncx = 'href="toc.ncx" media-type="application/x-dtbncx+xml"'
        pages |= {"OPS/toc.ncx": NCX, "OPS/book.opf": PACKAGE.replace(as_page, as_ncx)}
    found = document(epub(**pages))
    assert [(found.text[block.start : block.end], block.level) for block in found.blocks if block.level] == [
        ("Part", 1),
        ("Chapter", 2),
        ("Unnamed", 3),
        ("Section", 3),
        ("Below", 4),
        ("Notes", 1),
    ]
