"""The second, plain reading of a file, for the loss audit: standard library only, no layout, no structure.

It shares no code with the readers (but the telling of a text file's encoding), so that what one of them overlooks the
other finds. It asks little: which words stand in the file, and which of them a reader may leave out, and why.
"""

from __future__ import annotations

import re
import struct
import zipfile
from collections.abc import Callable
from email import message_from_bytes, policy
from email.errors import MessageError
from email.message import EmailMessage, Message
from xml.parsers.expat import ExpatError

from core.errors import ParseError
from core.parsing.second_binary import MESSAGE_READER, RTF_READER, read_message, read_rtf
from core.parsing.second_gathering import Gathering, decoded
from core.parsing.second_markup import HTML_READER, read_html
from core.parsing.second_packages import (
    PACKAGE_READER,
    read_book,
    read_opendocument,
    read_slides,
    read_word,
)
from core.parsing.second_sheets import WORKBOOK_READER, read_cells, read_workbook
from core.parsing.word_audit import SecondReading
from core.text.normalise import decode

_TEXT_READER = "the file's own text"
_MAIL_READER = "the mail's decoded parts"
_PACKAGE = b"PK"
_MARKUP, _OTHER_FORM = "markup", "the message's other form"
# What the two plain markups write that no reader of the page sees.
_RST_MARKUP = re.compile(
    r"^[ \t]*\.\.[ ]+(?:\|[^|\n]*\|[ ]*)?[\w:+-]+::.*$"  # a directive and its argument
    r"|^[ \t]*\.\.[ ]+(?!\[).*(?:\n[ \t]+\S.*)*"  # a comment, a target
    r"|^[ \t]*:[^:\n]+:.*$|:[\w:+.-]+:(?=`)|<[^<>\n]+>`?__?|<[^<>\n]+>(?=`)",
    re.MULTILINE,
)
_ORG_MARKUP = re.compile(
    r"^[ \t]*#.*$|^[ \t]*:[\w@#%-]+:.*$|(?<=\[\[)[^\]\n]*(?=\]\[)|^\*+[ ]+(?:TODO|DONE|\[#\w\])+|:[\w@#%:]+:[ \t]*$"
    r"|^[ \t]*(?:CLOSED|SCHEDULED|DEADLINE|CLOCK):.*$|[<\[]\d{4}-\d\d-\d\d[^>\]\n]*[>\]]",
    re.MULTILINE,
)


_FAILURES = (
    *(ParseError, zipfile.BadZipFile, ExpatError, MessageError, struct.error, OSError, EOFError, MemoryError),
    *(ValueError, LookupError, TypeError, AttributeError, RuntimeError),
)


def second_reading(data: bytes, kind: str, name: str) -> SecondReading | None:
    """All words of a file as a plain extraction finds them; ``None`` where none can be made of it.

    ``kind``: as in ``Document.kind``. Never raises for what a file holds: the audit is worth no document.

    >>> second_reading(b"<p>Hello <b>there</b></p><script>x()</script>", "html", "a.html").words
    ('hello', 'there', 'x')
    """
    found = Gathering()
    read, reader = _READERS.get(kind, (_read_text, _TEXT_READER))
    if kind == "xlsx" and not data.startswith(_PACKAGE):
        read, reader = read_workbook, WORKBOOK_READER
    try:
        read(data, found)
    except _FAILURES:
        # Damaged or hostile: zipfile, email and the binary formats fail in all these ways. The reader says what is
        # wrong with the file; here there is nothing to compare with.
        return None
    return found.reading(reader)


def _read_text(data: bytes, found: Gathering) -> None:
    found.keep(decode(data).text)


def _read_rst(data: bytes, found: Gathering) -> None:
    _read_marked(decode(data).text, _RST_MARKUP, found)


def _read_org(data: bytes, found: Gathering) -> None:
    _read_marked(decode(data).text, _ORG_MARKUP, found)


def _read_marked(text: str, markup: re.Pattern[str], found: Gathering) -> None:
    """All of the text is kept but for the markup, which may stand in the document or not."""
    place = 0
    for match in markup.finditer(text):
        found.keep(text[place : match.start()] + " ")
        found.drop(_MARKUP, match[0])
        place = match.end()
    found.keep(text[place:])


def _read_mail(data: bytes, found: Gathering) -> None:
    message = message_from_bytes(data, policy=policy.default)
    if not isinstance(message, EmailMessage):
        raise MessageError("no message")
    for header in ("subject", "from", "to", "cc", "date"):
        found.keep(f"{message.get(header, '')}\n")
    plain, page = message.get_body(("plain",)), message.get_body(("html",))
    if plain is not None:
        found.keep(f"{_content(plain)}\n")
    if page is not None:
        inner = Gathering()
        read_html(_content(page).encode(), inner)
        if plain is None:
            found.take(inner)
        else:
            found.drop(_OTHER_FORM, "".join(inner.kept))
    for part in message.iter_attachments():
        found.keep(f"{part.get_filename('')}\n")


def _content(part: Message) -> str:
    """A text part decoded, also where its character set is unknown or a lie."""
    payload = part.get_payload(decode=True)
    if not isinstance(payload, bytes):
        return ""
    charset = part.get_content_charset("utf-8")
    try:
        return payload.decode(charset)
    except (LookupError, UnicodeDecodeError):
        return decoded(payload)


_READERS: dict[str, tuple[Callable[[bytes, Gathering], None], str]] = {
    "html": (read_html, HTML_READER),
    "docx": (read_word, PACKAGE_READER),
    "pptx": (read_slides, PACKAGE_READER),
    "xlsx": (read_cells, PACKAGE_READER),
    "ods": (read_opendocument, PACKAGE_READER),
    "odt": (read_opendocument, PACKAGE_READER),
    "epub": (read_book, HTML_READER),
    "rtf": (read_rtf, RTF_READER),
    "rst": (_read_rst, _TEXT_READER),
    "org": (_read_org, _TEXT_READER),
    "eml": (_read_mail, _MAIL_READER),
    "msg": (read_message, MESSAGE_READER),
}
