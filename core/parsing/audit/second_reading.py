"""The second reading of a file for the loss audit: its words, without layout or structure.

It shares no code with the readers except the detection of encodings, so that it finds what a reader misses. It answers
three questions: which words are in the file, which of them a reader may leave out, and why.
"""

from __future__ import annotations

import re
import zipfile
from collections.abc import Callable
from email import message_from_bytes, policy
from email.message import EmailMessage, Message
from io import BytesIO
from xml.parsers.expat import ExpatError

import olefile
import python_calamine
from striprtf.striprtf import rtf_to_text

from core.errors import ParseError
from core.parsing.audit.content_lines import read_calendar, read_contacts
from core.parsing.audit.gathering import HIDDEN, NAMES, SHEET_NAMES, WordCollector
from core.parsing.audit.json_values import read_strings
from core.parsing.audit.markups import MARKED, read_jats, read_subtitles, read_text, read_xml
from core.parsing.audit.packages import read_package, read_page
from core.parsing.audit.word_audit import SecondReading
from core.parsing.mail.text import decoded, narrow

# RTF destinations that striprtf skips although they hold text (_SHOWN) or reads although they hold none (_COUNTED:
# list numbers, metadata of comments), and hidden or deleted runs.
_SHOWN = re.compile(r"(?:\\\*)?\\(?:footnote|annotation|shp|shpinst|shptxt|do|dptxbxtext)(?![a-z])")
_COUNTED = re.compile(r"\\(?=(?:listtext|pntext|shprslt|atnid|atnauthor|atndate)\b)")
_HIDDEN_RUN = re.compile(r"(\\(?:v|deleted)(?![a-z\d])[^{}]*?)(?=\\v0|\\deleted0|\\plain|[{}]|\Z)")
_CODE_PAGE = re.compile(r"\\ansicpg\d{1,5}")


def read_rtf(data: bytes, collector: WordCollector) -> None:
    """Collect the words of an RTF document as striprtf finds them, with those of notes, comments and text boxes."""
    text = _COUNTED.sub(r"\\*\\", _SHOWN.sub(r"\\par ", data.decode("latin-1")))
    header = f"{{\\rtf1{''.join(_CODE_PAGE.findall(text)[:1])} "
    for run in _HIDDEN_RUN.findall(text):
        collector.put(HIDDEN, rtf_to_text(header + run + "}", errors="replace") + "\n")
    collector.put("", rtf_to_text(_HIDDEN_RUN.sub("", text), errors="replace"))


_OTHER_FORM = "the message's other form"
# Properties of a message and of its attachments, as [MS-OXPROPS] numbers them.
_SUBJECT, _SENDER, _TO, _COPY, _BODY, _PAGE, _LONG_NAME = "0037", "0C1A", "0E04", "0E03", "1000", "1013", "3707"
_FAILURES = (
    *(ParseError, zipfile.BadZipFile, ExpatError, python_calamine.CalamineError, OSError, EOFError, MemoryError),
    *(ValueError, LookupError, TypeError, AttributeError, RuntimeError),
)


def second_reading(data: bytes, kind: str, name: str) -> SecondReading | None:
    """All words of a file, as a plain extraction finds them; ``None`` where the extraction fails.

    ``kind``: as in ``Document.kind``. Never raises because of a file's content: an audit must not cost the document.

    >>> second_reading(b"<p>Hello <b>there</b></p><script>x()</script>", "html", "a.html").words
    ('hello', 'there', 'x')
    """
    collector = WordCollector()
    read, reader = _READERS.get(kind, (read_text, "the file's own text"))
    try:
        read(data, collector)
    except _FAILURES:
        # zipfile, email and the binary formats raise all of these on damaged files. The reader reports the damage; the
        # audit has nothing to compare with.
        return None
    return collector.reading(reader)


def _read_mail(data: bytes, collector: WordCollector) -> None:
    """Collect people, subject, date, body (HTML rather than plain text) and the names of attachments."""
    message = message_from_bytes(narrow(data), _class=EmailMessage, policy=policy.default)
    collector.put("", "".join(f"{message.get(header, '')}\n" for header in ("subject", "from", "to", "cc")))
    collector.put("", "".join(f"{value}\n" for header, value in message.raw_items() if header.lower() == "date"))
    plain, page = message.get_body(("plain",)), message.get_body(("html",))
    if page is not None:
        read_page(_content(page).encode("utf-8", "replace"), collector)
    if plain is not None:
        collector.put(_OTHER_FORM if page is not None else "", f"{_content(plain)}\n")
    invitations = [part for part in message.walk() if part.get_content_type() == "text/calendar"]
    told = [_content(part) for part in invitations if part.get_param("method")]
    for text in dict.fromkeys(told):
        read_calendar(text.encode("utf-8", "replace"), collector)
    for part in message.iter_attachments():
        if _content(part) in told:
            continue
        drawn = part.get_content_maintype() == "image" and part.get("content-id")
        collector.put(NAMES if drawn else "", f"{part.get_filename('')}\n")


def _read_mailbox(data: bytes, collector: WordCollector) -> None:
    """Collect every message of a mailbox. A message begins with a "From " line, at the start or after a blank line."""
    for message in re.split(rb"(?:\A|\n\r?\n)From .*\d:\d\d.*\n(?=[\w-]+:)", data)[1:]:
        _read_mail(message, collector)


def _content(part: Message) -> str:
    """A text part, decoded even where its declared character set is unknown or wrong."""
    payload = part.get_payload(decode=True)
    return decoded(payload, part.get_content_charset("")) if isinstance(payload, bytes) else ""


def _read_message(data: bytes, collector: WordCollector) -> None:
    """Collect an Outlook message: subject, people, body and attachments' names. Source: [MS-OXMSG] 2.1.3."""
    with olefile.OleFileIO(BytesIO(data)) as container:

        def stream(path: str) -> bytes:
            return bytes(container.openstream(path).read()) if container.exists(path) else b""

        def text(number: str, folder: str = "") -> str:
            path = f"{folder}__substg1.0_{number}"
            return stream(f"{path}001F").decode("utf-16-le", "replace") or decoded(stream(f"{path}001E"))

        collector.put("", "".join(f"{text(number)}\n" for number in (_SUBJECT, _SENDER, _TO, _COPY, _BODY)))
        if not text(_BODY):
            read_page(stream(f"__substg1.0_{_PAGE}0102") or text(_PAGE).encode("utf-8", "replace"), collector)
        folders = {path[0] for path in container.listdir() if path[0].startswith("__attach")}
        collector.put("", "".join(f"{text(_LONG_NAME, f'{folder}/')}\n" for folder in sorted(folders)))


def _read_workbook(data: bytes, collector: WordCollector) -> None:
    """Collect a workbook: values of its cells, without dates, whose text differs from their value, and other parts."""
    if data.startswith(b"PK"):
        read_package(data, collector)
    with python_calamine.CalamineWorkbook.from_filelike(BytesIO(data)) as book:
        for sheet in book.sheets_metadata:
            hidden = HIDDEN if sheet.visible is not python_calamine.SheetVisibleEnum.Visible else ""
            collector.put(hidden or SHEET_NAMES, f"{sheet.name}\n")
            for row in book.get_sheet_by_name(sheet.name).iter_rows():
                for value in row:
                    if isinstance(value, str | int | float):  # bool, a subclass of int, is collected too
                        shown = f"{value:.15g}" if isinstance(value, float) else str(value)
                        collector.put(hidden, f"{shown}\n")


_PACKAGE_READER = "the text of the package's XML parts"
_READERS: dict[str, tuple[Callable[[bytes, WordCollector], None], str]] = {
    "html": (read_page, "the standard library's HTML parser"),
    "docx": (read_package, _PACKAGE_READER),
    "pptx": (read_package, _PACKAGE_READER),
    "xlsx": (_read_workbook, "calamine's values of the cells"),
    "ods": (read_package, _PACKAGE_READER),
    "odt": (read_package, _PACKAGE_READER),
    "epub": (read_package, _PACKAGE_READER),
    "rtf": (read_rtf, "striprtf's text of it"),
    **{kind: (read, "the file's own text") for kind, read in MARKED.items()},
    "subtitles": (read_subtitles, "the file's own text"),
    "calendar": (read_calendar, "the file's own lines"),
    "contacts": (read_contacts, "the file's own lines"),
    "jats": (read_jats, "the article's text nodes"),
    "xml": (read_xml, "the document's text nodes"),
    "records": (read_strings, "every string in the JSON"),
    "mbox": (_read_mailbox, "the messages' decoded parts"),
    "eml": (_read_mail, "the mail's decoded parts"),
    "msg": (_read_message, "the message's text streams"),
}
