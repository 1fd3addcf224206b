"""Outlook's messages (MSG, [MS-OXMSG]): properties in the streams of an OLE container, read from its storages.

Only the container is opened with python-oxmsg: its own properties raise where a stream or a code page is missing.
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.header import Header
from email.message import Message
from email.mime.application import MIMEApplication
from email.mime.multipart import MIMEMultipart
from email.mime.text import MIMEText
from email.utils import format_datetime
from io import BytesIO

from olefile import OleFileIO
from oxmsg.domain.encodings import encoding_from_codepage
from oxmsg.domain.model import UnrecognizedCodePageError, UnsupportedEncodingError
from oxmsg.storage import Storage

from core.errors import ParseError
from core.parsing.flow import ParsedFile, Piece
from core.parsing.mail.outlook_rtf import unpacked
from core.parsing.mail.pieces import Mail, html_pieces, mail_reading, pictures_shown, safe_name
from core.parsing.mail.reader import SEALED, head_fields, message_bytes
from core.parsing.mail.text import decoded, plain_pieces
from core.parsing.names import display_name

_EPOCH = datetime(1601, 1, 1, tzinfo=UTC)
_ON_TOP, _EMBEDDED, _ELSEWHERE = 32, 24, 8  # bytes before the first entry of a property stream
_ENTRY = struct.Struct("<HHI8s")
_STRING8, _STRING, _BINARY, _OBJECT = "001E", "001F", "0102", "000D"
_MAX_DEPTH = 20
_MAX_ENTRIES = 20_000
_PICTURE_SUFFIXES = (".png", ".jpg", ".jpeg", ".gif", ".bmp", ".emf", ".wmf", ".tif", ".tiff", ".webp", ".svg")
# Properties by number, [MS-OXPROPS].
_CLASS, _SUBJECT, _HEAD, _BODY, _HTML, _RTF, _MESSAGE_ID, _REPLIES_TO = (
    0x001A, 0x0037, 0x007D, 0x1000, 0x1013, 0x1009, 0x1035, 0x1042,
)  # fmt: skip
_SENT, _DELIVERED, _BODY_PAGE, _STRING_PAGE = 0x0039, 0x0E06, 0x3FDE, 0x3FFD
_SENDER = ((0x0C1A, (0x5D01, 0x0C1F)), (0x0042, (0x5D02, 0x0065)))  # name, and where its address may stand
_SHOWN_TO, _SHOWN_CC, _SHOWN_BCC = 0x0E04, 0x0E03, 0x0E02
_RECIPIENT_KIND, _NAME, _SMTP, _ADDRESS = 0x0C15, 0x3001, 0x39FE, 0x3003
_LONG_NAME, _SHORT_NAME, _DATA, _CONTENT_ID = 0x3707, 0x3704, 0x3701, 0x3712
_RECIPIENTS = {1: "To", 2: "Cc", 3: "Bcc"}


def read(data: bytes, name: str) -> ParsedFile:
    """A message's head, body and attachments. Raises ``ParseError`` for what is no message."""
    shown = display_name(name)
    try:
        with OleFileIO(BytesIO(data)) as container:
            storage = Storage.from_ole(container)
    except (OSError, ValueError, IndexError, KeyError, TypeError, struct.error) as error:
        # olefile checks little before it follows a container's tables.
        problem = f"{shown} is cut off or damaged: its container cannot be read."
        raise ParseError(problem, "Save the message again from Outlook and add that.") from error
    except RecursionError as error:
        problem = f"{shown} nests messages in each other hundreds of times."
        raise ParseError(problem, "Save what it holds as files of their own and add those.") from error
    if not any(stream.name.startswith("__properties") for stream in storage.streams):
        raise ParseError(f"{shown} is no Outlook message.", "Save the message again as .msg and add that.")
    message = _message(storage, _ON_TOP, 0)
    return mail_reading(_as_mail(message, shown))


@dataclass(frozen=True, slots=True)
class _Message:
    """A message's parts. ``page``: its HTML, and as text where its code page is known."""

    subject: str
    fields: tuple[tuple[str, str], ...]
    page: bytes
    page_text: str | None
    plain: str
    attached: tuple[tuple[str, bytes, str], ...]
    identity: dict[str, str]
    notes: tuple[str, ...] = ()


class _Properties:
    """The properties of a message, a recipient or an attachment."""

    def __init__(self, storage: Storage, head: int, page: str = "") -> None:
        """``head``: bytes before the first entry. ``page``: the character set of 8-bit strings that name none."""
        self._streams = {stream.name.upper(): stream.bytes_ for stream in storage.streams}
        entries = self._streams.get("__PROPERTIES_VERSION1.0", b"")[head:]
        self._fixed: dict[int, bytes] = {}
        for place in range(0, min(len(entries), _MAX_ENTRIES * _ENTRY.size) - _ENTRY.size + 1, _ENTRY.size):
            _, number, _, value = _ENTRY.unpack_from(entries, place)
            self._fixed.setdefault(number, value)
        self.page = _encoding(self.number(_STRING_PAGE)) or page

    def text(self, number: int, page: str = "") -> str:
        """A string property, "" where it is missing."""
        wide = self._stream(number, _STRING)
        if wide:
            return wide.decode("utf-16-le", "replace").replace("\0", "")
        return decoded(self._stream(number, _STRING8), page or self.page).replace("\0", "")

    def line(self, number: int) -> str:
        """A string property on one line."""
        return " ".join(self.text(number).split())

    def binary(self, number: int) -> bytes:
        return self._stream(number, _BINARY)

    def number(self, number: int) -> int:
        """A 32-bit number, 0 where it is missing."""
        return int.from_bytes(self._fixed.get(number, b"")[:4], "little")

    def moment(self, number: int) -> datetime | None:
        ticks = int.from_bytes(self._fixed.get(number, b""), "little")
        try:
            return _EPOCH + timedelta(microseconds=ticks // 10) if ticks else None
        except OverflowError:
            return None

    def _stream(self, number: int, kind: str) -> bytes:
        return bytes(self._streams.get(f"__SUBSTG1.0_{number:04X}{kind}", b""))


def _message(storage: Storage, head: int, depth: int) -> _Message:
    properties = _Properties(storage, head)
    body_page = _encoding(properties.number(_BODY_PAGE)) or properties.page
    subject, fields = _head(properties, storage)
    page = properties.binary(_HTML)
    page_text = decoded(page, body_page) if page and body_page else None
    if not page:
        page_text = properties.text(_HTML)
        page = page_text.encode("utf-8", "replace")
    plain = properties.text(_BODY, body_page)
    rtf = b"" if page or plain.strip() else unpacked(properties.binary(_RTF))
    notes: list[str] = []
    kind = properties.text(_CLASS)
    if "smime" in kind.lower():
        notes.append(SEALED)
    return _Message(
        subject=subject,
        fields=fields,
        page=page,
        page_text=page_text,
        plain=plain.replace("\r\n", "\n").replace("\r", "\n"),
        attached=(
            *([("body.rtf", rtf, "")] if rtf else []),  # read as a document of its own
            *_attached(storage, properties.page, depth, notes),
        ),
        identity={
            "message_id": properties.line(_MESSAGE_ID),
            "in_reply_to": properties.line(_REPLIES_TO),
            "message_class": "" if kind.startswith("IPM.Note") else kind,
        },
        notes=tuple(notes),
    )


def _head(properties: _Properties, storage: Storage) -> tuple[str, tuple[tuple[str, str], ...]]:
    """Subject and fields: as they travelled where the message keeps that, else from its properties."""
    subject, travelled = head_fields(properties.text(_HEAD))
    fields = dict(travelled)
    sender = next(
        (
            found
            for name, addresses in _SENDER
            if (found := _person(properties.line(name), *map(properties.line, addresses)))
        ),
        "",
    )
    stated = {"From": sender, **_recipients(storage, properties)}
    moment = properties.moment(_SENT) or properties.moment(_DELIVERED)
    stated["Date"] = format_datetime(moment) if moment else ""
    order = dict.fromkeys((*fields, *stated))
    return properties.line(_SUBJECT) or subject, tuple(
        (name, fields.get(name) or stated.get(name, "")) for name in order
    )


def _recipients(storage: Storage, message: _Properties) -> dict[str, str]:
    people: dict[str, list[str]] = {"To": [], "Cc": [], "Bcc": []}
    for place in storage.iter_recipient_storages():
        recipient = _Properties(place, _ELSEWHERE, message.page)
        person = _person(recipient.line(_NAME), recipient.line(_SMTP), recipient.line(_ADDRESS))
        if person:
            people[_RECIPIENTS.get(recipient.number(_RECIPIENT_KIND) & 0xF, "To")].append(person)
    shown = {"To": _SHOWN_TO, "Cc": _SHOWN_CC, "Bcc": _SHOWN_BCC}
    return {kind: ", ".join(found) or message.line(shown[kind]) for kind, found in people.items()}


def _person(name: str, *addresses: str) -> str:
    """A name and an address as mail shows them; an address of Exchange's own directory says nothing to anyone."""
    address = next((one for one in addresses if one and not one.lower().startswith("/o=")), "")
    if not address or address.lower() in name.lower():
        return name
    return f"{name} <{address}>" if name else address


def _attached(storage: Storage, page: str, depth: int, notes: list[str]) -> Iterator[tuple[str, bytes, str]]:
    for place in storage.iter_attachment_storages():
        properties = _Properties(place, _ELSEWHERE, page)
        name = properties.line(_LONG_NAME) or properties.line(_SHORT_NAME) or properties.line(_NAME)
        inside = next((inner for inner in place.storages if inner.name.upper().endswith(f"{_DATA:04X}{_OBJECT}")), None)
        data = properties.binary(_DATA)
        if data or inside is None:
            is_picture = name.lower().endswith(_PICTURE_SUFFIXES)
            yield name, data, properties.line(_CONTENT_ID) if is_picture else ""
        elif depth >= _MAX_DEPTH:
            notes.append(f"Messages nested more than {_MAX_DEPTH} deep were left out.")
        elif any(stream.name.startswith("__properties") for stream in inside.streams):
            message = _message(inside, _EMBEDDED, depth + 1)
            stem = (name or message.subject or "message").replace("/", "-").replace("\\", "-")
            notes += message.notes
            yield f"{safe_name(stem, 'message').removesuffix('.msg')}.eml", _as_eml(message), ""
        else:
            notes.append(f"An embedded object was not read: {name or 'without a name'}.")


def _as_mail(message: _Message, shown: str) -> Mail:
    words = plain_pieces(message.plain)
    body, notes = html_pieces(message.page, message.page_text, shown) if message.page else ((), ())
    if 2 * _count(body) < _count(words):  # a page that lost most of the words is not what was sent
        body, notes = tuple(words), ()
    text = message.page_text if message.page_text is not None else decoded(message.page)
    shown_pictures = pictures_shown(text)
    return Mail(
        subject=message.subject,
        fields=message.fields,
        body=body,
        attached=[(name, data) for name, data, content_id in message.attached if content_id not in shown_pictures],
        identity=message.identity,
        notes=(*message.notes, *notes),
    )


def _count(pieces: Sequence[Piece]) -> int:
    """Words of a body."""
    return sum(len(words.text.split()) for piece in pieces for words in piece.said())


def _as_eml(message: _Message) -> bytes:
    """A message inside a message, as a file of the open format: the same bytes every time."""
    mark = hashlib.sha256(repr(message).encode("utf-8", "replace")).hexdigest()[:32]
    whole = MIMEMultipart(boundary=f"=_{mark}_1")
    for name, value in (("Subject", message.subject), *message.fields):
        if value:
            whole[name] = value if value.isascii() else Header(value, "utf-8").encode()
    forms = MIMEMultipart("alternative", boundary=f"=_{mark}_2")
    if message.plain:
        forms.attach(MIMEText(_whole(message.plain), "plain", "utf-8"))
    if message.page:
        text = message.page_text if message.page_text is not None else decoded(message.page)
        forms.attach(MIMEText(_whole(text), "html", "utf-8"))
    if forms.get_payload():
        whole.attach(forms)
    for name, data, content_id in message.attached:
        part: Message = MIMEApplication(data)
        part.add_header("Content-Disposition", "attachment", filename=("utf-8", "", name or "attachment"))
        if content_id:
            part.replace_header("Content-Type", "image/unknown")
            part.add_header("Content-ID", f"<{content_id}>")
        whole.attach(part)
    return message_bytes(whole)


def _whole(text: str) -> str:
    return text.encode("utf-8", "replace").decode("utf-8")


def _encoding(page: int) -> str:
    try:
        return encoding_from_codepage(page) if page else ""
    except (UnrecognizedCodePageError, UnsupportedEncodingError):
        return ""
