"""Decodes bytes to canonical text: detects the encoding, makes newlines ``\\n``, removes the byte order mark."""

from __future__ import annotations

import codecs
import re
from typing import NamedTuple

from core.errors import ParseError

_BYTE_ORDER_MARKS = (  # UTF-32 first, as its little-endian mark begins with that of UTF-16
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_CONTROL_BYTES = bytes(code for code in range(32) if code not in b"\b\t\n\v\f\r\x1b")
_CONTROL_TABLE = dict.fromkeys(_CONTROL_BYTES)
_MAX_CONTROL_SHARE = 0.02
_MAX_REPLACED_SHARE = 0.1
_SAMPLE_BYTES = 400_000
_REPLACEMENT = "\ufffd"
# A symbol between two letters is not Western text: the byte was a letter of another code page.
_IMPLAUSIBLE_WESTERN = re.compile(
    r"(?<=[A-Za-z])[^\x00-\x7fÀ-ÖØ-öø-ÿŒœŠšŽžŸƒªº’‘“”–—…·\xad\xa0«»\ufffd](?=[A-Za-z])|[\x80-\x9f]"
)
_HIGH_LETTERS = re.compile(r"[À-ÖØ-öø-ÿŒœŠšŽžŸƒ]+")
_HIGH_RUN = re.compile(r"[^\x00-\x7f]+")


class Decoded(NamedTuple):
    """``text`` has ``\\n`` newlines and no byte order mark; ``encoding`` is a Python codec's name."""

    text: str
    encoding: str


def decode(data: bytes, name: str = "The file") -> Decoded:
    """Decodes bytes of any encoding. ``name``: of the file, for error messages.

    The encoding is that of the byte order mark, else UTF-16 if NUL bytes show it, else UTF-8, else the most plausible
    code page. Slightly damaged UTF-8 stays UTF-8, with U+FFFD for each broken sequence. Raises ``ParseError`` for empty
    or blank input and for binary data.

    >>> decode(b"\\xef\\xbb\\xbfone\\r\\ntwo\\rthree")
    Decoded(text='one\\ntwo\\nthree', encoding='utf-8')
    >>> decode("né à Orléans".encode("latin-1"))
    Decoded(text='né à Orléans', encoding='latin-1')
    """
    text, encoding = _decode_raw(data)
    text = plain_lines(text)
    if not text.strip("\0 \t\n\v\f\x1c\x1d\x1e\x1f\x85\xa0\u2028\u2029\u200b\ufeff") or text.isspace():
        raise ParseError(f"{name} is empty: it holds no text.", "Save it again with its content and retry.")
    controls = len(text) - len(text.translate(_CONTROL_TABLE))
    if controls > max(2, _MAX_CONTROL_SHARE * len(text)):
        raise ParseError(
            f"{name} is not text: {controls:,} of its {len(text):,} characters are control characters.",
            "Add the original document, not a binary file under another name.",
        )
    return Decoded(text, encoding)


def plain_lines(text: str) -> str:
    """The text with ``\\n`` newlines and no byte order mark.

    >>> plain_lines("\\ufeffone\\r\\ntwo\\rthree")
    'one\\ntwo\\nthree'
    """
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")


def _decode_raw(data: bytes) -> tuple[str, str]:
    for mark, encoding in _BYTE_ORDER_MARKS:
        if data.startswith(mark):
            return data[len(mark) :].decode(encoding, "replace"), encoding
    wide = _wide_encoding(data)
    if wide:
        return data.decode(wide), wide
    try:
        return data.decode("utf-8"), "utf-8"
    except UnicodeDecodeError:
        return _decode_code_page(data)


def _wide_encoding(data: bytes) -> str | None:
    """The encoding of UTF-16 without a byte order mark: its NUL bytes are nearly all at even, or all at odd offsets."""
    sample = data[: _SAMPLE_BYTES & ~1]
    if len(data) % 2 or len(sample) < 4:
        return None
    even, odd = sample[0::2].count(0), sample[1::2].count(0)
    if max(even, odd) < 0.02 * len(sample) / 2 or min(even, odd) > 0.05 * max(even, odd):
        return None
    encoding = "utf-16-le" if odd > even else "utf-16-be"
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError:
        return None
    readable = sum(character.isprintable() or character in "\r\n\t\f" for character in text[:20_000])
    return encoding if readable >= 0.95 * len(text[:20_000]) else None


def _decode_code_page(data: bytes) -> tuple[str, str]:
    """Decodes invalid UTF-8: as damaged UTF-8, a Western code page, or what charset-normalizer detects."""
    repaired = data.decode("utf-8", "replace")
    broken = repaired.count(_REPLACEMENT)
    whole = sum(map(len, _HIGH_RUN.findall(repaired))) - broken
    if broken <= _MAX_REPLACED_SHARE * whole:
        return repaired, "utf-8"
    if _reads_as_western(data[:_SAMPLE_BYTES].decode("cp1252", "replace")):
        plain = not re.search(rb"[\x80-\x9f]", data)
        encoding = "latin-1" if plain else "cp1252"
        return data.decode(encoding, "replace"), encoding
    return _decode_by_statistics(data)


def _reads_as_western(text: str) -> bool:
    """Whether text decoded as cp1252 looks like a Western language: accents are rare, single and inside words."""
    runs = _HIGH_LETTERS.findall(text)
    accents = sum(map(len, runs))
    odd = len(_IMPLAUSIBLE_WESTERN.findall(text)) + text.count(_REPLACEMENT)
    letters = sum(map(str.isalpha, text))
    high = sum(map(len, _HIGH_RUN.findall(text)))
    return odd <= 0.02 * high and accents <= 2 * len(runs) and accents <= 0.35 * letters


def _decode_by_statistics(data: bytes) -> tuple[str, str]:
    from charset_normalizer import from_bytes

    cut = data.rfind(b"\n", 0, _SAMPLE_BYTES) + 1 if len(data) > _SAMPLE_BYTES else len(data)
    best = from_bytes(data[: cut or _SAMPLE_BYTES], cp_exclusion=["utf_7"]).best()
    encoding = best.encoding if best else "cp1252"
    text = data.decode(encoding, "replace")
    # An exotic code page could yield lone surrogates, which cannot be stored or shown.
    return storable(text), encoding


def storable(text: str) -> str:
    """``text`` with lone surrogates, which no encoding can store, as question marks.

    >>> storable("a\\udcffb")
    'a?b'
    """
    return text.encode("utf-8", "replace").decode()
