"""The second, plain reading of a file, for the loss audit: its text nodes, in no layout and no structure.

It shares no code with the readers (but the telling of an encoding), so that what one of them overlooks the other
finds. It asks little: which words stand in the file, which of them a reader may leave out, and why.
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
from core.parsing.audit.gathering import HIDDEN, NAMES, SHEET_NAMES, Gathering
from core.parsing.audit.markups import MARKED, read_jats, read_subtitles, read_text, read_xml
from core.parsing.audit.packages import read_package, read_page
from core.parsing.audit.word_audit import SecondReading
from core.parsing.mail.text import decoded, narrow

# What people read and the library passes over; what it would read and nobody wrote; what Word hides.
_SHOWN = re.compile(r"(?:\\\*)?\\(?:footnote|annotation|shp|shpinst|shptxt|do|dptxbxtext)(?![a-z])")
_COUNTED = re.compile(r"\\(?=(?:listtext|pntext|shprslt|atnid|atnauthor|atndate)\b)")
_HIDDEN_RUN = re.compile(r"(\\(?:v|deleted)(?![a-z\d])[^{}]*?)(?=\\v0|\\deleted0|\\plain|[{}]|\Z)")
_CODE_PAGE = re.compile(r"\\ansicpg\d{1,5}")


def read_rtf(data: bytes, found: Gathering) -> None:
    """An RTF document's words, as striprtf finds them; of notes, comments and text boxes, too."""
    text = _COUNTED.sub(r"\\*\\", _SHOWN.sub(r"\\par ", data.decode("latin-1")))
    head = f"{{\\rtf1{''.join(_CODE_PAGE.findall(text)[:1])} "
    for run in _HIDDEN_RUN.findall(text):
        found.put(HIDDEN, rtf_to_text(head + run + "}", errors="replace") + "\n")
    found.put("", rtf_to_text(_HIDDEN_RUN.sub("", text), errors="replace"))


_OTHER_FORM = "the message's other form"
# Properties of a message and of its attachments, as [MS-OXPROPS] numbers them.
_SUBJECT, _SENDER, _TO, _COPY, _BODY, _PAGE, _LONG_NAME = "0037", "0C1A", "0E04", "0E03", "1000", "1013", "3707"
_FAILURES = (
    *(ParseError, zipfile.BadZipFile, ExpatError, python_calamine.CalamineError, OSError, EOFError, MemoryError),
    *(ValueError, LookupError, TypeError, AttributeError, RuntimeError),
)


def second_reading(data: bytes, kind: str, name: str) -> SecondReading | None:
    """All words of a file as a plain extraction finds them; ``None`` where none can be made of it.

    ``kind``: as in ``Document.kind``. Never raises for what a file holds: the audit is worth no document.

    >>> second_reading(b"<p>Hello <b>there</b></p><script>x()</script>", "html", "a.html").words
    ('hello', 'there', 'x')
    """
    found = Gathering()
    read, reader = _READERS.get(kind, (read_text, "the file's own text"))
    try:
        read(data, found)
    except _FAILURES:
        # Damaged or hostile: zipfile, email and the binary formats fail in all these ways. The reader says what is
        # wrong with the file; here there is nothing to compare with.
        return None
    return found.reading(reader)


def _read_mail(data: bytes, found: Gathering) -> None:
    """People, subject, date, the body (of two forms the page) and the names of what is attached."""
    message = message_from_bytes(narrow(data), _class=EmailMessage, policy=policy.default)
    found.put("", "".join(f"{message.get(header, '')}\n" for header in ("subject", "from", "to", "cc")))
    found.put("", "".join(f"{value}\n" for header, value in message.raw_items() if header.lower() == "date"))
    plain, page = message.get_body(("plain",)), message.get_body(("html",))
    if page is not None:
        read_page(_content(page).encode("utf-8", "replace"), found)
    if plain is not None:
        found.put(_OTHER_FORM if page is not None else "", f"{_content(plain)}\n")
    for part in message.iter_attachments():
        drawn = part.get_content_maintype() == "image" and part.get("content-id")
        found.put(NAMES if drawn else "", f"{part.get_filename('')}\n")


def _read_mailbox(data: bytes, found: Gathering) -> None:
    """Every message of a mailbox, parted where an empty line and one that begins with "From " follow each other."""
    for message in re.split(rb"(?:\A|\n\r?\n)From .*\d:\d\d.*\n(?=[\w-]+:)", data)[1:]:
        _read_mail(message, found)


def _content(part: Message) -> str:
    """A text part decoded, also where its character set is unknown or a lie."""
    payload = part.get_payload(decode=True)
    return decoded(payload, part.get_content_charset("")) if isinstance(payload, bytes) else ""


def _read_message(data: bytes, found: Gathering) -> None:
    """An Outlook message: subject, people, body and the names of its attachments. Source: [MS-OXMSG] 2.1.3."""
    with olefile.OleFileIO(BytesIO(data)) as container:

        def stream(place: str) -> bytes:
            return bytes(container.openstream(place).read()) if container.exists(place) else b""

        def text(number: str, folder: str = "") -> str:
            place = f"{folder}__substg1.0_{number}"
            return stream(f"{place}001F").decode("utf-16-le", "replace") or decoded(stream(f"{place}001E"))

        found.put("", "".join(f"{text(number)}\n" for number in (_SUBJECT, _SENDER, _TO, _COPY, _BODY)))
        if not text(_BODY):
            read_page(stream(f"__substg1.0_{_PAGE}0102") or text(_PAGE).encode("utf-8", "replace"), found)
        folders = {path[0] for path in container.listdir() if path[0].startswith("__attach")}
        found.put("", "".join(f"{text(_LONG_NAME, f'{folder}/')}\n" for folder in sorted(folders)))


def _read_workbook(data: bytes, found: Gathering) -> None:
    """A workbook: values of its cells, text of its other parts. A date is a number that the text shows otherwise."""
    if data.startswith(b"PK"):
        read_package(data, found)
    with python_calamine.CalamineWorkbook.from_filelike(BytesIO(data)) as book:
        for sheet in book.sheets_metadata:
            hidden = HIDDEN if sheet.visible is not python_calamine.SheetVisibleEnum.Visible else ""
            found.put(hidden or SHEET_NAMES, f"{sheet.name}\n")
            for row in book.get_sheet_by_name(sheet.name).iter_rows():
                for value in row:
                    if isinstance(value, str | int | float):  # a truth value counts as a whole number, and is none
                        shown = f"{value:.15g}" if isinstance(value, float) else str(value)
                        found.put(hidden, f"{shown}\n")


_PACKAGE_READER = "the text of the package's XML parts"
_READERS: dict[str, tuple[Callable[[bytes, Gathering], None], str]] = {
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
    "jats": (read_jats, "the article's text nodes"),
    "xml": (read_xml, "the document's text nodes"),
    "mbox": (_read_mailbox, "the messages' decoded parts"),
    "eml": (_read_mail, "the mail's decoded parts"),
    "msg": (_read_message, "the message's text streams"),
}
