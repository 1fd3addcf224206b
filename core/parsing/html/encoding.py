"""Decodes HTML pages and the pages in web archives."""

from __future__ import annotations

import re
from collections.abc import Iterator
from email import message_from_bytes
from email.message import Message

import webencodings

from core.text.normalise import decode

_STATED_ENCODING = re.compile(
    rb"""<meta[^>]{0,200}?charset\s*=\s*["']?\s*([\w.:-]{2,40})|^\s*<\?xml[^>]{0,200}?encoding\s*=\s*["']([\w.:-]{2,40})""",
    re.IGNORECASE,
)
_STATED_WITHIN = 4096


def codec_named(label: str) -> str:
    """Python's codec for the name of a character set in a page or a mail, "" for unknown names.

    Browsers use a larger character set for many names than Python does (WHATWG Encoding, section 4.2).

    >>> codec_named("Latin1"), codec_named("gb2312"), codec_named("shift_jis"), codec_named("x")
    ('cp1252', 'gb18030', 'cp932', '')
    """
    found = webencodings.lookup(label)
    return "" if found is None else "gb18030" if found.name == "gbk" else found.codec_info.name


def decoded(data: bytes, name: str) -> str:
    """The decoded page. A byte order mark decides; then UTF-8 if the data is valid; then the encoding the page states.

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
    # Pages that were re-saved as UTF-8 may still state the old encoding. Text in other encodings is not valid UTF-8 by
    # chance, except in those with escape sequences, which are ASCII.
    return encoding if encoding == "iso2022_jp" else None


_HEAD = re.compile(rb"\s*(?:[!-9;-~]+:[ \t].*\r?\n(?:[ \t]+\S.*\r?\n)*)+\r?\n")
_PARTED = re.compile(rb"^content-type:\s*multipart/related", re.IGNORECASE | re.MULTILINE)


def page_text(data: bytes, name: str) -> str:
    """The decoded page, or the page in a web archive; the archive's pictures and frames are ignored.

    Raises ``ParseError`` for empty and for binary input.

    >>> head = b"Content-Type: multipart/related; boundary=b\\n\\n"
    >>> page = b"--b\\nContent-Type: text/html\\nContent-Transfer-Encoding: quoted-printable\\n\\nA=3Db\\n--b--"
    >>> page_text(head + page, "a.mhtml")
    'A=b'
    """
    head = _HEAD.match(data)
    root = _root(message_from_bytes(data)) if head and _PARTED.search(head[0]) else None
    payload = root.get_payload(decode=True) if root is not None else data
    if root is None or not isinstance(payload, bytes):
        return decoded(data, name)
    try:
        return payload.decode(root.get_content_charset(""))
    except (LookupError, UnicodeDecodeError):
        return decoded(payload, name)


def _root(message: Message) -> Message | None:
    """The page that the archive's header names as its start, else the first page in it."""
    pages = [part for part in _parts(message) if part.get_content_type() in ("text/html", "application/xhtml+xml")]
    start = message.get_param("start")
    return next((part for part in pages if start and part.get("Content-ID") == start), next(iter(pages), None))


def _parts(message: Message) -> Iterator[Message]:
    return (part for part in message.walk() if not part.is_multipart())
