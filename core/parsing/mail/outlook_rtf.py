"""Bodies that Outlook keeps as compressed RTF, unpacked ([MS-OXRTFCP])."""

from __future__ import annotations

import struct

_PRELOADED = (
    rb"{\rtf1\ansi\mac\deff0\deftab720{\fonttbl;}{\f0\fnil \froman \fswiss \fmodern \fscript \fdecor "
    rb"MS Sans SerifSymbolArialTimes New RomanCourier{\colortbl\red0\green0\blue0"
    b"\r\n"
    rb"\par \pard\plain\f0\fs20\b\i\u\tab\tx"
)
_WINDOW = 4096
_MAX_UNPACKED = 64 << 20


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
