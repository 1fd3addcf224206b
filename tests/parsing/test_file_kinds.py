from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import ParseError, UnsupportedKindError
from core.parsing import PARSERS, parse, parser_fingerprint
from core.parsing.file_kinds import detect_kind
from core.parsing.file_names import display_name, readable_title
from core.parsing.table_header import cell_value
from core.settings import ParsingSettings
from tests.parsing.outlook_files import container
from tests.parsing.packages import packed

GIF = b"GIF89a" + bytes(64)


OPEN_DOCUMENT = "application/vnd.oasis.opendocument"
MAIL = b"From: a@example.org\r\nTo: b@example.org\r\nSubject: x\r\n folded\r\n\r\nHello"


def zipped(*members: str, mimetype: str = "") -> bytes:
    return packed(({"mimetype": mimetype} if mimetype else {}) | dict.fromkeys(members, "x"))


def compound(*streams: str) -> bytes:
    """An OLE compound file of empty streams."""
    return container(dict.fromkeys(streams, b""))


@pytest.mark.parametrize(
    ("data", "name", "kind"),
    [
        (b"# x", "a.md", "markdown"),
        (b"x", "README", "text"),
        (b"a,b\n1,2", "a.csv", "csv"),
        (b"fn main() {}", "a.rs", "code"),
        (b"FROM x", "Dockerfile", "code"),
        (b"FROM x", "Dockerfile.alpine", "code"),
        (b"# How it is built", "Dockerfile.md", "markdown"),
        (b"a: 1", "config.yaml.sample", "code"),
        (b"Dear Ada", "letter.example", "text"),
        (b"[Unit]", "etcd.service", "code"),
        (b"%PDF-1.7\n", "a.md", "pdf"),
        (b"junk\n%PDF-1.4\n", "a.pdf", "pdf"),
        (b"garbage", "a.pdf", "pdf"),
        (b"A PDF begins with %PDF-1.7, as is known.", "a.txt", "text"),
        (b"1\r\n00:00:00,000 --> 00:00:08,560\r\nDucks swim.\r\n", "a.txt", "subtitles"),
        (b"<p>x", "a.htm", "html"),
        (b"Title\n=====\n", "a.rst", "rst"),
        (b"* Head\n", "a.org", "org"),
        (MAIL, "a.eml", "eml"),
        (b"no headers", "a.eml", "eml"),
        (b"{\\rtf1 x}", "a.doc", "rtf"),
        (b"<svg/>", "a.svg", "code"),
        # content, where the name says nothing or something wrong
        (zipped("[Content_Types].xml", "word/document.xml"), "a.bin", "docx"),
        (zipped("word/document.xml"), "a.md", "docx"),
        (zipped("ppt/presentation.xml"), "a.txt", "pptx"),
        (zipped("xl/workbook.xml"), "a", "xlsx"),
        (zipped("word/document.xml", "word/embeddings/xl/workbook.xml"), "a.docx", "docx"),
        (zipped("OPS/a.opf", mimetype="application/epub+zip"), "a.zip", "epub"),
        (zipped("META-INF/container.xml", "a.xhtml"), "a.epub", "epub"),
        (zipped("content.xml", mimetype=f"{OPEN_DOCUMENT}.text"), "a.zip", "odt"),
        (zipped("content.xml", mimetype=f"{OPEN_DOCUMENT}.spreadsheet"), "a.xlsx", "ods"),
        (zipped("word/document.xml", "x" * 900)[:120], "cut.docx", "docx"),
        (zipped("content.xml", mimetype=f"{OPEN_DOCUMENT}.presentation"), "a.zip", "odp"),
        (zipped("Index/Document.iwa"), "a.pages", "pages"),
        (compound("WordDocument"), "a.bin", "doc"),
        (compound("PowerPoint Document"), "a.txt", "ppt"),
        (compound("Workbook", "WordDocuments"), "a.xls", "xlsx"),
        (compound("Book"), "a", "xlsx"),
        (compound("__properties_version1.0", "WordDocument"), "a.bin", "msg"),
        (b"<!DOCTYPE html><p>x", "report.xls", "html"),
        (b"<!DOCTYPE html><p>Not found", "leaflet.pdf", "html"),
        (b"Not found", "leaflet.pdf", "pdf"),
        (b"Name\tTown\nAnn\tBonn\n", "export.xls", "csv"),
        (b"\xef\xbb\xbf \n<!-- saved -->\n<html lang=en>", "page.aspx", "html"),
        ("<?xml version='1.0'?>\n<html>".encode("utf-16"), "page", "html"),
        (b"<html>", "a.txt", "text"),
        (b"<!doctype htmlx>", "a", "text"),
        (MAIL, "saved", "eml"),
        (b"From: me\nTo: you\n\nA memo.", "memo", "text"),
        (b"From: a\nTo: b\nSubject: c\nand no header", "memo", "text"),
        (
            b'<?xml version="1.0"?>\n<office:document xmlns:x="y" office:mimetype="'
            + OPEN_DOCUMENT.encode()
            + b'.text">',
            "a.fodt",
            "odt",
        ),
        (b"plain words", "old.doc", "text"),
        # damaged: the reader of the kind says so
        (b"\0\1\2\3", "a.docx", "docx"),
        (b"", "a.epub", "epub"),
        (b"\0\1", "a.unknown", "text"),
    ],
)
def test_detect_kind(data: bytes, name: str, kind: str) -> None:
    assert detect_kind(data, name) == kind


@pytest.mark.parametrize(
    ("data", "name", "says"),
    [
        (GIF, "notes.md", "notes.md is a picture, not the .md file its name says."),
        (GIF, "notes.gif", "notes.gif is a picture."),
        (zipped("readme"), "a.md", "an archive, not the .md file its name says. Unpack it"),
        (b"SQLite format 3\0", "a.txt", "an SQLite database"),
        (zipped("xl/workbook.bin"), "a.xlsb", "a.xlsb is a binary Excel workbook. Open it in Excel"),
        (zipped("Index/Document.iwa"), "a.key", "an Apple iWork document"),
        (compound("EncryptedPackage", "EncryptionInfo"), "a.docx", "an encrypted Office document"),
        (compound("Something"), "a.bin", "an old Office document"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\xff" * 600, "a.bin", "an old Office document"),
        (b"\0\1\2", "a.mobi", "an electronic book, which is not read. Convert it to EPUB"),
        (b"", "a.avif", "a picture, which is not read"),
    ],
)
def test_what_nothing_reads_is_named(data: bytes, name: str, says: str) -> None:
    with pytest.raises(UnsupportedKindError, match=says.replace(".", r"\.")) as caught:
        parse(data, name, ParsingSettings())
    assert caught.value.remedy


@given(st.binary(max_size=300), st.sampled_from(["", "PK\3\4", "{\\rtf", "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"]))
def test_any_bytes_have_a_kind_or_a_sentence(data: bytes, start: str) -> None:
    try:
        found = detect_kind(start.encode("latin-1") + data, "file.bin")
    except UnsupportedKindError as error:
        found = str(error)
    assert found in PARSERS or found.startswith("file.bin is ")


@pytest.mark.parametrize(
    "name", ["a.md", "a.txt", "a.py", "a.pdf", "a.html", "a.docx", "a.csv", "a.epub", "a.eml", "a.rst", "a.msg"]
)
@pytest.mark.parametrize("data", [b"", b" \n\t\r\n", b"\xef\xbb\xbf\n"])
def test_an_empty_file_gets_a_sentence(data: bytes, name: str) -> None:
    with pytest.raises(ParseError) as caught:
        parse(data, name, ParsingSettings())
    assert name in str(caught.value)
    assert "empty" in str(caught.value) or name == "a.pdf"


@given(st.text())
def test_names_become_safe_and_never_empty(name: str) -> None:
    shown = display_name(name)
    assert shown.strip()
    assert shown.isprintable()
    assert len(shown) <= 200
    assert not {"/", "\\"} & set(shown)
    assert shown not in (".", "..")
    assert readable_title(name).strip()


def test_fingerprints_tell_parsers_apart() -> None:
    assert len({parser_fingerprint(kind) for kind in PARSERS}) == len(PARSERS)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1,234", 1234),
        ("1,5", 1.5),
        ("12,34,567", "12,34,567"),
        ("1e3", 1000.0),
        ("−4 %", -4),
        ("$-2", -2),
        ("(12)", -12),
        ("(12", "(12"),
        ("2024-01-02", "2024-01-02"),
        ("1.2.3", "1.2.3"),
        ("0", 0),
        ("0.50", 0.5),
        ("007", "007"),
        ("`true`", True),
        ("No", False),
        ("  ", None),
        ("****", "****"),
        ("9" * 59, int("9" * 59)),
        ("€ 1.200,50", 1200.5),
        ("1 000 000", 1000000),
    ],
)
def test_cell_values(text: str, value: object) -> None:
    found = cell_value(text)
    assert found == value
    assert type(found) is type(value)


@given(st.text(alphabet="0123456789.,'eE+-()%$€ *`_|x", max_size=30))
def test_cell_values_never_fail(text: str) -> None:
    assert (cell_value(text) is None) <= (not text.strip("* `_~"))
