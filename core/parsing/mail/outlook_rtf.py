"""Bodies that Outlook keeps as compressed RTF: unpacked ([MS-OXRTFCP]), and the HTML or text inside ([MS-OXRTFEX])."""

from __future__ import annotations

import html
import re
import struct
from dataclasses import dataclass, field, replace

from core.parsing.pandoc.rtf_tokens import LITERALS, SIGNS, SYMBOLS, Font, codec_of, tokens

_PRELOADED = (
    rb"{\rtf1\ansi\mac\deff0\deftab720{\fonttbl;}{\f0\fnil \froman \fswiss \fmodern \fscript \fdecor "
    rb"MS Sans SerifSymbolArialTimes New RomanCourier{\colortbl\red0\green0\blue0"
    b"\r\n"
    rb"\par \pard\plain\f0\fs20\b\i\u\tab\tx"
)
_WINDOW = 4096
_MAX_UNPACKED = 64 << 20
_NO_TEXT = frozenset(
    b"fonttbl colortbl stylesheet info pict object objdata listtable listoverridetable generator xmlnstbl themedata "
    b"colorschememapping datastore latentstyles filetbl revtbl rsidtbl pntext mhtmltag header footer".split()
)
_LETTERS = {
    **SIGNS,
    **SYMBOLS,
    **{mark: mark.decode() for mark in LITERALS},
    **dict.fromkeys((b"par", b"row", b"sect", b"\n", b"\r"), "\n"),
    b"cell": "\t",
}


def unpacked(data: bytes) -> bytes:
    """The RTF in a ``PidTagRtfCompressed``; b"" where it holds none.

    >>> unpacked(struct.pack("<III", 19, 7, 0x414C454D) + bytes(4) + b"{\\\\rtf1}")
    b'{\\\\rtf1}'
    """
    if len(data) < 16:
        return b""
    _, size, kind = struct.unpack_from("<III", data)
    if kind == 0x414C454D:  # "MELA": not compressed
        return data[16 : 16 + size]
    if kind != 0x75465A4C:  # "LZFu"
        return b""
    window = bytearray(_PRELOADED.ljust(_WINDOW, b"\0"))
    position = len(_PRELOADED)
    out = bytearray()
    place = 16
    while place < len(data) and len(out) < _MAX_UNPACKED:
        flags = data[place]
        place += 1
        for bit in range(8):
            if flags >> bit & 1:
                if place + 1 >= len(data):
                    return bytes(out)
                reference = data[place] << 8 | data[place + 1]
                place += 2
                start = reference >> 4
                if start == position % _WINDOW:
                    return bytes(out)
                for step in range((reference & 15) + 2):
                    byte = window[(start + step) % _WINDOW]
                    window[position % _WINDOW] = byte
                    position += 1
                    out.append(byte)
            elif place < len(data):
                window[position % _WINDOW] = data[place]
                position += 1
                out.append(data[place])
                place += 1
    return bytes(out)


def html_inside(rtf: bytes) -> str:
    """The HTML that Outlook wrapped in RTF, "" where there is none.

    >>> html_inside(rb"{\\rtf1\\fromhtml1{\\*\\htmltag <p>}a \\'e9 < b\\htmlrtf\\par\\htmlrtf0 {\\*\\htmltag </p>}}")
    '<p>a é &lt; b</p>'
    """
    if not re.search(rb"\\fromhtml1?(?![0-9a-zA-Z])", rtf[:4096]):
        return ""
    return _Walk(is_html=True).text_of(rtf)


def text_inside(rtf: bytes) -> str:
    """The words of RTF, paragraphs as lines.

    >>> text_inside(rb"{\\rtf1{\\fonttbl{\\f0 Arial;}}Dear \\b Ada\\b0 ,\\par caf\\u233?}")
    'Dear Ada,\\ncafé'
    """
    return _Walk(is_html=False).text_of(rtf)


@dataclass(frozen=True, slots=True)
class _State:
    """What holds inside one pair of braces."""

    silent: bool = False  # a destination without text
    tag: bool = False  # what is written is HTML as it stands
    rtf_only: bool = False  # for readers of RTF, in place of HTML
    fonts: bool = False
    substitutes: int = 1  # characters for older readers behind a Unicode one
    font: int = -1


@dataclass(slots=True)
class _Walk:
    is_html: bool
    parts: list[str] = field(default_factory=list)
    codec: str = "cp1252"
    known: dict[int, Font] = field(default_factory=dict)
    pending: bytearray = field(default_factory=bytearray)  # bytes of a character that may need another one
    to_skip: int = 0

    def text_of(self, rtf: bytes) -> str:
        state = _State()
        outer: list[_State] = []
        starred = False
        for kind, data, number in tokens(rtf):
            if kind in ("text", "code"):
                self.pending += data[self.to_skip :]
                self.to_skip = max(0, self.to_skip - len(data))
                if kind == "code":
                    continue
            self._flush(state)
            if kind in ("open", "close"):
                self.to_skip = 0
                if kind == "open":
                    outer.append(state)
                elif outer:
                    state = outer.pop()
            elif kind == "symbol":
                self._put(_LETTERS.get(data, ""), state)
            elif kind == "word":
                state = self._control(data, number, state, starred)
            starred = kind == "symbol" and data == b"*"
        self._flush(state)
        # Characters beyond 16 bits come as two halves.
        return "".join(self.parts).encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")

    def _control(self, word: bytes, number: int | None, state: _State, starred: bool) -> _State:
        if word == b"htmlrtf":
            return replace(state, rtf_only=number != 0)
        if word == b"htmltag" and self.is_html:
            return replace(state, tag=True)
        if word == b"fonttbl":
            return replace(state, silent=True, fonts=True)
        if word in _NO_TEXT or starred:
            return replace(state, silent=True)
        if word == b"ansicpg" and number:
            self.codec = codec_of(number)
        elif word == b"uc" and number is not None:
            return replace(state, substitutes=max(0, number))
        elif word == b"u" and number is not None:
            self._put(chr(number % 65_536), state)
            self.to_skip = state.substitutes
        elif word == b"f" and number is not None:
            return replace(state, font=number)
        elif state.fonts:
            self.known.setdefault(state.font, Font()).note(word, number)
        elif word in _LETTERS:
            self._put(_LETTERS[word], state)
        return state

    def _flush(self, state: _State) -> None:
        if self.pending:
            codec = self.known.get(state.font, Font()).codec or self.codec
            self._put(self.pending.decode(codec, "replace"), state)
            self.pending.clear()

    def _put(self, text: str, state: _State) -> None:
        if state.silent or (self.is_html and state.rtf_only):
            return
        self.parts.append(text if state.tag or not self.is_html else html.escape(text, quote=False))
