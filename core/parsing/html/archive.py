"""Web archives (MHTML, RFC 2557): a page and all it shows in one file, as browsers save it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from email import message_from_bytes
from email.message import Message

from core.parsing.html.encoding import decoded

_HEAD = re.compile(rb"\s*(?:[!-9;-~]+:[ \t].*\r?\n(?:[ \t]+\S.*\r?\n)*)+\r?\n")
_PARTED = re.compile(rb"^content-type:\s*multipart/related", re.IGNORECASE | re.MULTILINE)


def page_text(data: bytes, name: str) -> str:
    """The characters of a page, or of the page in a web archive: pictures and frames in it are left where they are.

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
    """The part the archive says it starts with, else the first page in it."""
    pages = [part for part in _parts(message) if part.get_content_type() in ("text/html", "application/xhtml+xml")]
    start = message.get_param("start")
    return next((part for part in pages if start and part.get("Content-ID") == start), next(iter(pages), None))


def _parts(message: Message) -> Iterator[Message]:
    return (part for part in message.walk() if not part.is_multipart())
