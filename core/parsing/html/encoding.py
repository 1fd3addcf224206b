"""The characters of a page whose encoding is stated in it, or is not."""

from __future__ import annotations

import re

from core.text.normalise import decode

_STATED_ENCODING = re.compile(
    rb"""<meta[^>]{0,200}?charset\s*=\s*["']?\s*([\w.:-]{2,40})|^\s*<\?xml[^>]{0,200}?encoding\s*=\s*["']([\w.:-]{2,40})""",
    re.IGNORECASE,
)
_STATED_WITHIN = 4096
_WEB_ENCODINGS = {  # WHATWG Encoding, section 4.2: labels that mean another encoding than Python's of that name
    **dict.fromkeys(("ascii", "us-ascii", "iso-8859-1", "iso8859-1", "latin1", "latin-1", "l1"), "cp1252"),
    **dict.fromkeys(("iso-8859-9", "latin5"), "cp1254"),
    **dict.fromkeys(("iso-8859-11", "tis-620", "windows-874"), "cp874"),
    **dict.fromkeys(("gb2312", "gbk", "gb_2312-80", "x-gbk", "gb18030"), "gb18030"),
    **dict.fromkeys(("shift_jis", "shift-jis", "sjis", "x-sjis", "windows-31j"), "cp932"),
    **dict.fromkeys(("euc-kr", "ks_c_5601-1987", "korean", "windows-949"), "cp949"),
    **dict.fromkeys(("big5", "big5-hkscs", "cn-big5", "x-x-big5"), "big5hkscs"),
    **dict.fromkeys(("macintosh", "x-mac-roman"), "mac_roman"),
    **{f"windows-125{n}": f"cp125{n}" for n in range(9)},
    **{f"iso-8859-{n}": f"iso8859_{n}" for n in (2, 3, 4, 5, 6, 7, 8, 10, 13, 14, 15, 16)},
    **{name: name for name in ("euc-jp", "iso-2022-jp", "koi8-r", "koi8-u", "cp1251", "cp1252", "cp866", "ibm866")},
}


def decoded(data: bytes, name: str) -> str:
    """The page's characters. A byte order mark decides, then plain UTF-8, then what the page states of itself.

    Raises ``ParseError`` for empty and for binary input.

    >>> decoded('<meta charset="windows-1251"><p>Мир'.encode("cp1251"), "a.html")
    '<meta charset="windows-1251"><p>Мир'
    """
    stated = _stated_encoding(data)
    if stated:
        data = data.decode(stated, "replace").encode("utf-8", "replace")
    return decode(data, name).text


def _stated_encoding(data: bytes) -> str | None:
    if data.startswith((b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")):
        return None
    found = _STATED_ENCODING.search(data[:_STATED_WITHIN])
    label = (found[1] or found[2]).decode("ascii", "replace").lower() if found else ""
    encoding = _WEB_ENCODINGS.get(label)
    if encoding is None:
        return None
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return encoding
    # Pages re-saved as UTF-8 keep their old statement; no other encoding's letters are valid UTF-8 by chance, save
    # those of escape sequences, which are ASCII to look at.
    return encoding if encoding == "iso-2022-jp" else None
