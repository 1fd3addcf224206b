"""The characters of a page whose encoding is stated in it, or is not."""

from __future__ import annotations

import re

import webencodings

from core.text.normalise import decode

_STATED_ENCODING = re.compile(
    rb"""<meta[^>]{0,200}?charset\s*=\s*["']?\s*([\w.:-]{2,40})|^\s*<\?xml[^>]{0,200}?encoding\s*=\s*["']([\w.:-]{2,40})""",
    re.IGNORECASE,
)
_STATED_WITHIN = 4096


def codec_named(label: str) -> str:
    """Python's codec for what a page or a mail means by a character set's name, "" for unknown ones.

    Programs and browsers mean a larger set by many a name than Python does (WHATWG Encoding, section 4.2).

    >>> codec_named("Latin1"), codec_named("gb2312"), codec_named("shift_jis"), codec_named("x")
    ('cp1252', 'gb18030', 'cp932', '')
    """
    found = webencodings.lookup(label)
    return "" if found is None else "gb18030" if found.name == "gbk" else found.codec_info.name


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
    encoding = codec_named((found[1] or found[2]).decode("ascii", "replace")) if found else ""
    if not encoding or encoding.startswith("utf"):
        return None
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return encoding
    # Pages re-saved as UTF-8 keep their old statement; no other encoding's letters are valid UTF-8 by chance, save
    # those of escape sequences, which are ASCII to look at.
    return encoding if encoding == "iso2022_jp" else None
