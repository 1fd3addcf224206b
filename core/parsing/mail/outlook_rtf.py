"""Bodies that Outlook keeps as compressed RTF: unpacked ([MS-OXRTFCP]), and the HTML inside ([MS-OXRTFEX])."""

from __future__ import annotations

import html
import re
import struct
from dataclasses import replace

from core.parsing.pandoc.rtf_reader import RtfWriter
from core.parsing.pandoc.rtf_tokens import tokens

_PRELOADED = (
    rb"{\rtf1\ansi\mac\deff0\deftab720{\fonttbl;}{\f0\fnil \froman \fswiss \fmodern \fscript \fdecor "
    rb"MS Sans SerifSymbolArialTimes New RomanCourier{\colortbl\red0\green0\blue0"
    b"\r\n"
    rb"\par \pard\plain\f0\fs20\b\i\u\tab\tx"
)
_WINDOW = 4096
_MAX_UNPACKED = 64 << 20
_BREAKS = {b"par": "\n", b"row": "\n", b"sect": "\n", b"cell": "\t"}


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
    writer = _Page()
    for token in tokens(rtf):
        writer.take(token)
    return writer.finish().decode("utf-8", "replace")


class _Page(RtfWriter):
    """Writes HTML: what stands in tags as it is, words between them escaped, and nothing that is for readers of RTF."""

    braces = (b"", b"")

    def _put(self, text: str) -> None:
        if self._group.place == "fonts":
            super()._put(text)
        elif self._group.place in ("", "tag") and not self._group.is_hidden:
            written = text if self._group.place == "tag" else html.escape(text, quote=False)
            self._out += written.encode("utf-8", "replace")

    def _word(self, word: bytes, number: int | None) -> None:
        if word == b"htmlrtf":
            self._group = replace(self._group, is_hidden=number != 0)
        elif word == b"htmltag":
            self._group = replace(self._group, place="tag")
        elif word in _BREAKS:
            self._put(_BREAKS[word])
        elif word != b"plain":  # it ends no part that is for readers of RTF
            super()._word(word, number)

    def _hand_on(self, word: bytes, number: int | None) -> None:
        """What other words say is nothing to a page."""
