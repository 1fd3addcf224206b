from __future__ import annotations

import io
import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import ParseError, UnsupportedKindError
from core.parsing import PARSERS, detect_kind, display_name, parse, parser_fingerprint, readable_title
from core.parsing.cells import cell_value
from core.settings import ParsingSettings

PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + bytes(64)


def zipped(member: str) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr(member, "x")
    return buffer.getvalue()


@pytest.mark.parametrize(
    ("data", "name", "kind"),
    [
        (b"# x", "a.md", "markdown"),
        (b"# x", "A.MARKDOWN", "markdown"),
        (b"x", "README", "text"),
        (b"a,b\n1,2", "a.csv", "text"),
        (b"fn main() {}", "a.rs", "code"),
        (b"FROM x", "Dockerfile", "code"),
        (b"a: 1", "a.yaml", "code"),
        (b"%PDF-1.7\n", "a.md", "pdf"),
        (b"junk\n%PDF-1.4\n", "a.pdf", "pdf"),
        (b"garbage", "a.pdf", "pdf"),
        (b"A PDF begins with %PDF-1.7, as is known.", "a.txt", "text"),
    ],
)
def test_detect_kind(data: bytes, name: str, kind: str) -> None:
    assert detect_kind(data, name) == kind


@pytest.mark.parametrize(
    ("data", "name", "says"),
    [
        (PNG, "notes.md", "notes.md is a PNG picture, not the .md file its name says."),
        (PNG, "notes.png", "notes.png is a PNG picture."),
        (zipped("word/document.xml"), "a.txt", "a Word document"),
        (zipped("readme"), "a.md", "a ZIP archive"),
        (b"<html>", "a.html", "not yet read"),
        (b"PK\3\4" + b"xl/", "a.xlsx", "an Excel workbook"),
        (b"SQLite format 3\0", "a.txt", "an SQLite database"),
    ],
)
def test_what_nothing_reads_is_named(data: bytes, name: str, says: str) -> None:
    with pytest.raises(UnsupportedKindError, match=says.replace(".", r"\.")):
        parse(data, name, ParsingSettings())


@pytest.mark.parametrize("name", ["a.md", "a.txt", "a.py", "a.pdf"])
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
