"""Tokenises RTF, and resolves its fonts and their code pages (Rich Text Format Specification 1.9.1)."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

_TOKEN = re.compile(
    rb"(?P<text>[^\\{}\r\n]+)|\\'(?P<code>[0-9a-fA-F]{2})|\\(?P<word>[a-zA-Z]{1,32})(?P<number>-?\d{1,10})? ?"
    rb"|(?P<open>\{)|(?P<close>\})|[\r\n]+|\\(?P<symbol>[^a-zA-Z])"
)
_CHARSETS = {
    0: 1252, 77: 10000, 128: 932, 129: 949, 130: 1361, 134: 936, 136: 950, 161: 1253, 162: 1254, 163: 1258, 177: 1255,
    178: 1256, 186: 1257, 204: 1251, 222: 874, 238: 1250, 254: 437, 255: 850,
}  # fmt: skip
_CODECS = {10000: "mac_roman", 65001: "utf-8", 1361: "johab", 708: "iso8859_6", 10007: "mac_cyrillic"}
_DEFAULT_CODEC = "cp1252"


class Token(NamedTuple):
    """``kind``: "text", "code" (a byte written as two digits), "word", "symbol", "open" or "close".

    ``data``: the text, byte or word. ``number``: a word's parameter, ``None`` for none.
    """

    kind: str
    data: bytes
    number: int | None = None


def tokens(data: bytes) -> Iterator[Token]:
    """Everything in the file but line ends, which say nothing; binary data behind ``\\\\bin`` is skipped.

    >>> [token.data for token in tokens(b"{\\\\b caf\\\\'e9}")]
    [b'{', b'b', b'caf', b'\\xe9', b'}']
    """
    place = 0
    while match := _TOKEN.search(data, place):
        place = match.end()
        kind = match.lastgroup
        if kind == "text":
            yield Token("text", match["text"])
        elif kind == "code":
            yield Token("code", bytes([int(match["code"], 16)]))
        elif kind in ("word", "number"):
            number = int(match["number"]) if match["number"] else None
            if match["word"] == b"bin":
                place += max(0, number or 0)
            else:
                yield Token("word", match["word"], number)
        elif kind is not None:
            yield Token(kind, match[kind])


def codec_of(page: int) -> str:
    """Python's codec for a code page; that of Western Europe for unknown ones.

    >>> codec_of(1251), codec_of(65001), codec_of(99999)
    ('cp1251', 'utf-8', 'cp1252')
    """
    name = _CODECS.get(page, f"cp{page}")
    try:
        return codecs.lookup(name).name
    except LookupError:
        return _DEFAULT_CODEC


@dataclass(slots=True)
class Font:
    """A font of the font table. ``codec``: "" for the document's own code page."""

    name: str = ""
    codec: str = ""

    def note(self, word: bytes, number: int | None) -> None:
        """Apply one control word of the font's entry."""
        if word == b"fcharset" and number in _CHARSETS:
            self.codec = codec_of(_CHARSETS[number])
        elif word == b"cpg" and number:
            self.codec = codec_of(number)


SKIPPED = frozenset(
    b"colortbl pict objdata objclass objname objalias themedata colorschememapping datastore latentstyles "
    b"revtbl rsidtbl generator xmlnstbl filetbl userprops nonshppict nonesttables shprslt xe tc txe "
    b"rxe bkmkstart bkmkend ftnsep ftnsepc ftncn aftnsep aftnsepc aftncn atnid atnref fldtype template "
    b"private1 mhtmltag background protusertbl falt panose upr".split()
)
READ_WHEN_STARRED = frozenset(
    b"shpinst shptxt annotation atnauthor fldinst footnote shppict do dptxbxtext company listtable "
    b"listoverridetable list".split()
)
INFO = {
    b"title": "title",
    b"author": "author",
    b"subject": "subject",
    b"keywords": "keywords",
    b"doccomm": "description",
    b"company": "company",
    b"category": "category",
}
RUNNING = frozenset(b"header headerl headerr headerf footer footerl footerr footerf".split())
SIGNS = {
    b"emdash": "—", b"endash": "–", b"bullet": "•", b"lquote": "‘", b"rquote": "’", b"ldblquote": "“",
    b"rdblquote": "”", b"emspace": " ", b"enspace": " ", b"qmspace": " ", b"tab": "\t", b"line": "\n", b"lbr": "\n",
    b"page": "\n", b"column": "\n",
}  # fmt: skip
SYMBOLS = {b"~": "\xa0", b"_": "-", b"\t": "\t"}
LITERALS = (b"{", b"}", b"\\")
CHARACTER_SETS = {b"mac": "mac_roman", b"pc": "cp437", b"pca": "cp850"}
