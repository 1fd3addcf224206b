from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import ParseError
from core.text.normalise import decode

GERMAN = "Die Größe der Straße: „schön“ – 20 €.\nÄpfel, Öl und Übermut."
FRENCH = "Élève déçu, où êtes-vous ? Ça va, merci. Noël à la plage l’été."
RUSSIAN = "Все счастливые семьи похожи друг на друга, каждая несчастливая семья несчастлива по-своему.\n" * 3
JAPANESE = "吾輩は猫である。名前はまだ無い。どこで生れたかとんと見当がつかぬ。\n" * 3


@pytest.mark.parametrize("text", [GERMAN, FRENCH, RUSSIAN, JAPANESE, "plain words\n"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_unicode_encodings_are_read_right(text: str, encoding: str) -> None:
    assert decode(text.encode(encoding)).text == text


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("text", [GERMAN, FRENCH, "ab\n", RUSSIAN])
def test_utf16_without_a_mark_is_told_by_its_nul_bytes(text: str, encoding: str) -> None:
    assert decode(text.encode(encoding)) == (text, encoding)


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("né à Orléans", "latin-1"),
        ("Gruesse: Gr\u00fc\u00dfe", "latin-1"),
        ("El ni\u00f1o a\u00f1ora la ma\u00f1ana.", "latin-1"),
        (GERMAN, "cp1252"),
        (FRENCH, "cp1252"),
        ("It\u2019s \u201cquoted\u201d \u2014 really\u2026", "cp1252"),
        ("20 \u00b0C \u00b1 2 \u00b5m", "latin-1"),
    ],
)
def test_western_code_pages_are_read_right(text: str, encoding: str) -> None:
    assert decode(text.encode(encoding)) == (text, encoding)


@pytest.mark.parametrize(("text", "encoding"), [(RUSSIAN, "cp1251"), (RUSSIAN, "koi8-r"), (JAPANESE, "shift_jis")])
def test_other_code_pages_are_found(text: str, encoding: str) -> None:
    assert decode(text.encode(encoding)).text == text


def test_a_few_broken_bytes_do_not_spoil_utf8() -> None:
    data = (GERMAN * 5).encode() + b"\xff broken \xc3("
    text, encoding = decode(data)
    assert encoding == "utf-8"
    assert text.startswith(GERMAN)
    assert text.count("\ufffd") == 2


def test_newlines_and_marks() -> None:
    assert decode(b"a\r\nb\rc\n\r\nd").text == "a\nb\nc\n\nd"
    assert decode("\ufeffa\ufeffb".encode()).text == "a\ufeffb"


@pytest.mark.parametrize("data", [b"", b"\n \t\r\n", b"\xff\xfe", "\ufeff \n".encode("utf-16"), b"\0\0"])
def test_nothing_is_an_error_with_a_sentence(data: bytes) -> None:
    with pytest.raises(ParseError, match=r"notes\.txt is empty"):
        decode(data, "notes.txt")


@pytest.mark.parametrize("data", [bytes(range(256)) * 8, b"\x89PNG\r\n\x1a\n" + bytes(200), b"abc" + b"\1\2\3\4" * 9])
def test_binary_is_an_error_with_a_sentence(data: bytes) -> None:
    with pytest.raises(ParseError, match=r"notes\.txt is not text"):
        decode(data, "notes.txt")


def test_escape_codes_of_logs_are_text() -> None:
    assert decode(b"\x1b[31mred\x1b[0m\n" * 50).text.count("red") == 50


@given(st.binary(max_size=400))
def test_any_bytes_are_text_or_a_parse_error(data: bytes) -> None:
    try:
        text, encoding = decode(data)
    except ParseError:
        return
    assert "\r" not in text
    text.encode("utf-8")
    "".encode(encoding)


@given(st.text(alphabet=st.characters(exclude_categories=["Cs", "Cc"]), min_size=1))
def test_utf8_comes_back_whole(text: str) -> None:
    try:
        assert decode(text.encode()).text == text.removeprefix("\ufeff")
    except ParseError:
        assert not text.strip(" \u00a0\u2028\u2029\u200b\ufeff") or text.isspace()
