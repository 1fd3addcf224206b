"""Decodes the text of mail: character sets, header values, plain bodies with quotations.

RFC 2047 (encoded words), RFC 3676 (flowed text).
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator, Sequence
from email.errors import HeaderParseError
from email.header import decode_header
from itertools import groupby

from core.errors import ParseError
from core.parsing.flow import Item, Piece, Words
from core.parsing.html.encoding import codec_named
from core.parsing.plain.plain import MARKER, text_blocks
from core.text.normalise import decode, plain_lines, storable
from core.types import Block, BlockKind

_ONE_BYTE = ("us-ascii", "ascii", "iso-8859", "iso8859", "latin", "windows-125", "cp125", "koi8", "utf-8", "utf8")
_ENOUGH_TO_TELL = 64  # bytes from which an encoding can be detected statistically
_FOLD = re.compile(r"[\r\n]+[ \t]*")
_QUOTED = re.compile(r"(?:>[ ]?)+")
_SIGNATURE = re.compile(r"--[ ]?")
_MAX_HEADER = 100_000  # characters of a header's value that are read
_MAX_DEPTH = 12


def decoded(data: bytes, charset: str = "") -> str:
    """Bytes as text with ``\\n`` newlines: in the character set they claim where that can be, else in what they look
    like. Never raises.

    >>> decoded("né".encode("utf-8"), "iso-8859-1"), decoded(b"n\\xe9", "utf-8"), decoded(b"n\\xe9", "x-unknown")
    ('né', 'né', 'né')
    """
    charset = charset.strip().lower()
    # Programs claim a Western set for what is UTF-8; no other encoding of one byte a letter is valid UTF-8 by chance.
    claims = ("utf-8", charset) if not charset or charset.startswith(_ONE_BYTE) else (charset, "utf-8")
    for claim in filter(None, claims):
        try:
            text = data.decode(codec_named(claim) or codecs.lookup(claim).name)
        except (LookupError, UnicodeError, ValueError, OSError):  # OSError: a codec's file, behind shut doors
            continue
        return _plain(text)
    if len(data) >= _ENOUGH_TO_TELL:
        try:
            return _plain(decode(data).text)
        except ParseError:  # no text at all: shown as far as it can be
            pass
    return _plain(data.decode("cp1252", "replace"))


def narrow(data: bytes) -> bytes:
    """A message in UTF-8, if it was saved in UTF-16; any other unchanged.

    Raises ``ParseError`` where it cannot be decoded.

    >>> narrow("To: né".encode("utf-16-be")) == narrow("To: né".encode("utf-16")) == "To: né".encode()
    True
    """
    wide = b"\0" in data[:2] or data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    return decode(data).text.encode("utf-8", "replace") if wide else data


def header_text(value: str) -> str:
    """A header's value on one line: unfolded, with its encoded words decoded.

    >>> header_text("=?utf-8?q?D=C3=BCck?=\\r\\n =?utf-8?b?ZW4=?= <a@b.example>"), header_text("=?x?z?bad?=")
    ('Dücken <a@b.example>', '=?x?z?bad?=')
    """
    value = _FOLD.sub(" ", value[:_MAX_HEADER])
    found = []
    try:
        parts = decode_header(value) if "=?" in value else [(value, None)]
    except HeaderParseError:  # a broken one is shown as it is
        parts = [(value, None)]
    for words, charset in parts:
        # Between encoded words the library hands on what was none in an escaped form.
        plain = words if isinstance(words, str) else "" if charset else words.decode("raw-unicode-escape", "replace")
        found.append(decoded(words, charset) if isinstance(words, bytes) and charset else decoded(_raw(plain)))
    # A word may hold line breaks, which must not begin lines of their own.
    return " ".join("".join(found).split())


def plain_pieces(text: str, *, flowed: bool = False, delete_space: bool = False) -> list[Piece]:
    """A plain body as paragraphs, lists and quotations. Quotations keep their marks: "> > ".

    ``flowed`` and ``delete_space``: the parameters of RFC 3676, by which continued lines are joined.

    >>> [(piece.kind.value, piece.words.text) for piece in plain_pieces("Yes.\\n> Shall we?\\n>> Hm\\n-- \\nAda")]
    [('paragraph', 'Yes.'), ('quote', '> Shall we?'), ('quote', '> > Hm'), ('paragraph', '-- \\nAda')]
    """
    lines = [_parted(line) for line in text.split("\n")]
    if flowed:
        lines = list(_unfolded(lines, delete_space))
    pieces: list[Piece] = []
    for depth, run in groupby(lines, key=lambda line: line[0]):
        words = [line for _, line in run]
        pieces += _quotes(words, depth) if depth else _unquoted(words)
    return pieces


def _raw(text: str) -> bytes:
    """The original bytes of a header: the mail parser keeps those beyond ASCII as surrogates."""
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:  # a half character that no parser made
        return text.encode("utf-8", "replace")


def _plain(text: str) -> str:
    """Newlines as ``\\n``, no byte order mark, no half characters."""
    return storable(plain_lines(text))


def _parted(line: str) -> tuple[int, str]:
    """The quotation depth of a line, and its text."""
    match = _QUOTED.match(line)
    return (match[0].count(">"), line[match.end() :]) if match else (0, line)


def _unfolded(lines: Sequence[tuple[int, str]], delete_space: bool) -> Iterator[tuple[int, str]]:
    """The lines, with those that end with a blank joined with the next one of the same depth. "-- " is never joined."""
    held: tuple[int, str] | None = None
    for depth, raw in lines:
        line = raw.removeprefix(" ") if not depth else raw  # space-stuffed
        if held is not None and (held[0] != depth or line == "-- "):
            yield held
            held = None
        whole = line if held is None else held[1] + line
        if line.endswith(" ") and line != "-- ":
            held = depth, whole[:-1] if delete_space else whole
        else:
            yield depth, whole
            held = None
    if held is not None:
        yield held


def _quotes(lines: Sequence[str], depth: int) -> Iterator[Piece]:
    marks = "> " * depth
    for is_blank, run in groupby(lines, key=lambda line: not line.strip()):
        if not is_blank:
            yield Piece(BlockKind.QUOTE, Words("\n".join(f"{marks}{line.strip()}" for line in run)))


def _unquoted(lines: Sequence[str]) -> Iterator[Piece]:
    start = 0
    cuts = [number for number, line in enumerate(lines) if _SIGNATURE.fullmatch(line)]
    for cut in (*cuts, len(lines)):
        text = "\n".join(lines[start:cut])
        for block in text_blocks(text):
            yield _listed(text, block) if block.kind is BlockKind.LIST else _paragraph(text, block)
        start = cut


def _paragraph(text: str, block: Block) -> Piece:
    kind = BlockKind.RULE if block.kind is BlockKind.RULE else BlockKind.PARAGRAPH
    return Piece(kind, Words(text[block.start : block.end]))


def _listed(text: str, block: Block) -> Piece:
    items = []
    for part in block.parts:
        words = text[part.start : part.end]
        match = MARKER.match(words)
        column = part.start - (text.rfind("\n", 0, part.start) + 1)
        marker = match["marker"] if match else ""
        items.append(Item(Words(words[match.end() :] if match else words), marker, min(_MAX_DEPTH, column // 2)))
    return Piece(BlockKind.LIST, items=tuple(items))
