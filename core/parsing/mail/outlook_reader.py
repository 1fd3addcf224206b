"""The reader of Outlook messages (MSG, [MS-OXMSG]): they are converted to EML and read as such.

python-oxmsg only opens the container, because its properties raise where a stream or a code page is missing.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from email.encoders import encode_base64
from email.header import Header
from email.message import Message
from email.mime.application import MIMEApplication
from email.mime.multipart import MIMEMultipart
from email.mime.nonmultipart import MIMENonMultipart
from email.utils import format_datetime
from io import BytesIO

from compressed_rtf import decompress
from compressed_rtf.compressed_rtf import COMPRESSED
from compressed_rtf.crc32 import crc32
from olefile import OleFileIO
from oxmsg.domain.encodings import encoding_from_codepage
from oxmsg.domain.model import UnrecognizedCodePageError, UnsupportedEncodingError
from oxmsg.storage import Storage

from core.errors import ParseError
from core.parsing.file_names import display_name
from core.parsing.flow import ParsedFile
from core.parsing.mail.pieces import html_pieces, safe_name
from core.parsing.mail.reader import SEALED, head_fields, message_bytes
from core.parsing.mail.reader import read as read_mail
from core.parsing.mail.text import decoded
from core.text.normalise import plain_lines

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
    """A message's headers, body and attachments. Raises ``ParseError`` where the file is no message."""
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
    notes: list[str] = []
    reading = read_mail(_as_eml(storage, _ON_TOP, 0, notes), name)
    kind = _Properties(storage, _ON_TOP).text(_CLASS)
    return replace(
        reading,
        metadata=reading.metadata | ({} if not kind or kind.startswith("IPM.Note") else {"message_class": kind}),
        notes=tuple(dict.fromkeys((*notes, *reading.notes))),
    )


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


def _as_eml(storage: Storage, head: int, depth: int, notes: list[str]) -> bytes:
    """A message as EML, always with the same bytes. Notes for the user are appended to ``notes``."""
    properties = _Properties(storage, head)
    whole = MIMEMultipart(boundary="=_parts")  # no body holds these: all are written in base64
    for name, value in _head(properties, storage):
        if value:
            whole[name] = value if value.isascii() else Header(value, "utf-8").encode()
    forms = MIMEMultipart("alternative", boundary="=_forms")
    body_page = _encoding(properties.number(_BODY_PAGE)) or properties.page
    plain = plain_lines(properties.text(_BODY, body_page))
    if plain:
        forms.attach(_body("plain", plain))
    page = properties.binary(_HTML)
    shown = (decoded(page, body_page) if page and body_page else page) or properties.text(_HTML)
    if shown and 2 * _count(shown) >= len(plain.split()):  # a page that lost most of the words is not what was sent
        forms.attach(_body("html", shown))
    if forms.get_payload():
        whole.attach(forms)
    packed = b"" if shown or plain.strip() else properties.binary(_RTF)
    rtf = _unpacked(packed)
    if packed and not rtf:
        notes.append("The body of the message is damaged; it was left out.")
    if rtf:
        whole.attach(_attachment("body.rtf", rtf))  # read as a document of its own
    for name, data, content_id in _attached(storage, properties.page, depth, notes):
        whole.attach(_attachment(name, data, content_id))
    if "smime" in properties.text(_CLASS).lower():
        notes.append(SEALED)
    return message_bytes(whole)


def _body(kind: str, words: str | bytes) -> Message:
    """An alternative of the body. ``words`` as bytes: a page that may state its own encoding."""
    part = MIMENonMultipart("text", kind)
    if isinstance(words, str):
        part.set_param("charset", "utf-8")
    part.set_payload(words.encode("utf-8", "replace") if isinstance(words, str) else words)
    encode_base64(part)
    return part


def _attachment(name: str, data: bytes, content_id: str = "") -> Message:
    part = MIMEApplication(data)
    part.add_header("Content-Disposition", "attachment", filename=("utf-8", "", name or "attachment"))
    if content_id:
        part.replace_header("Content-Type", "image/unknown")
        part.add_header("Content-ID", f"<{content_id}>")
    return part


def _count(page: str | bytes) -> int:
    """The number of words of a page."""
    pieces, _ = html_pieces(page, None, "") if isinstance(page, bytes) else html_pieces(b"", page, "")
    return sum(len(words.text.split()) for piece in pieces for words in piece.all_words())


def _unpacked(data: bytes) -> bytes:
    """The RTF of a ``PidTagRtfCompressed``, even if truncated; b"" where there is none or it is damaged."""
    for contents in (data[16:], data[16:-1]):  # where it is cut off, the last byte may be half of two
        stated = crc32(contents) if data[8:12] == COMPRESSED else 0
        with suppress(Exception):  # the library raises nothing more exact
            return bytes(decompress(struct.pack("<I8sI", len(contents) + 12, data[4:12], stated) + contents))
    return b""


def _head(properties: _Properties, storage: Storage) -> Iterator[tuple[str, str]]:
    """The headers by name: as transmitted where the message keeps them, else from its properties."""
    travelled = head_fields(properties.text(_HEAD))
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
    yield "Subject", properties.line(_SUBJECT) or travelled.pop("Subject", "")
    for name in dict.fromkeys((*travelled, *stated)):
        if name != "Subject":
            yield name, travelled.get(name) or stated.get(name, "")
    yield "Message-ID", properties.line(_MESSAGE_ID)
    yield "In-Reply-To", properties.line(_REPLIES_TO)


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
    """A name and an address as mail displays them, without addresses of Exchange's internal directory."""
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
            stem = name or _Properties(inside, _EMBEDDED).line(_SUBJECT) or "message"
            stem = safe_name(stem.replace("/", "-").replace("\\", "-"), "message").removesuffix(".msg")
            yield f"{stem}.eml", _as_eml(inside, _EMBEDDED, depth + 1, notes), ""
        else:
            notes.append(f"An embedded object was not read: {name or 'without a name'}.")


def _encoding(page: int) -> str:
    try:
        return encoding_from_codepage(page) if page else ""
    except (UnrecognizedCodePageError, UnsupportedEncodingError):
        return ""
