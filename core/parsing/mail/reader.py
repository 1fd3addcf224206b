"""The reader of mail (EML, RFC 5322 and MIME), with the standard library's parser.

The parser's old policy is used, which keeps headers unparsed: the newer ones need minutes for some hostile headers and
raise on others.
"""

from __future__ import annotations

import re
from binascii import Error as BinasciiError
from binascii import a2b_base64
from collections.abc import Iterator
from dataclasses import dataclass, field
from email import message_from_bytes
from email.generator import BytesGenerator
from email.message import Message
from email.policy import compat32
from io import BytesIO
from mimetypes import guess_extension
from typing import TypeAlias

from core.errors import ParseError
from core.parsing.file_names import display_name
from core.parsing.flow import ParsedFile, Piece
from core.parsing.mail.calendar_reader import read as read_calendar
from core.parsing.mail.pieces import below_subject, html_pieces, mail_reading, pictures_shown, safe_name
from core.parsing.mail.text import decoded, header_text, narrow, plain_pieces

_Part: TypeAlias = "Message[str, str]"
_SHOWN = ("From", "Sender", "Reply-To", "To", "Cc", "Bcc", "Date")
_ONLY_IF_OTHER = ("Sender", "Reply-To")  # programs repeat the address of "From" in them
_MAX_DEPTH = 20
SEALED = "The mail, or a part of it, is sealed: words inside the encryption or signature cannot be read."
_SIGNATURES = frozenset({"application/pgp-signature", "application/pkcs7-signature", "application/x-pkcs7-signature"})
_SEALED = frozenset({"application/pgp-encrypted", "application/pkcs7-mime", "application/x-pkcs7-mime"})
_BASE64_LINES = re.compile(r"(?:[A-Za-z0-9+/=]*[ \t\r]*(?:\n|\Z))*")


def read(data: bytes, name: str) -> ParsedFile:
    """A message's headers, body and attachments. Raises ``ParseError`` where the file is no mail.

    >>> mail = b"Subject: Ducks\\nFrom: Ada\\n\\nTwo of them."
    >>> [piece.words.text for piece in read(mail, "a.eml").pieces]
    ['Ducks', 'From: Ada', 'Two of them.']
    """
    shown = display_name(name)
    try:
        message: _Part = message_from_bytes(narrow(data).lstrip(), policy=compat32)
        walk = _Walk(shown)
        body = walk.pieces(message)
    except RecursionError as error:
        problem = f"{shown} nests its parts in each other hundreds of times, as no mail program does."
        raise ParseError(problem, "Save what it holds as files of their own and add those.") from error
    if not message.keys():
        raise ParseError(f"{shown} is no mail: it has no head.", "Save the mail again as .eml and add that.")
    return mail_reading(
        subject=_field(message, "Subject"),
        fields=_fields(message),
        body=[*body, *walk.invited(shown)],
        attached=walk.attached(),
        identity={"message_id": _field(message, "Message-ID"), "in_reply_to": _field(message, "In-Reply-To")},
        notes=walk.notes,
    )


def head_fields(text: str) -> dict[str, str]:
    """The displayed headers and the subject of ``text``, the headers of a message."""
    message: _Part = message_from_bytes(text.encode("utf-8", "replace"), policy=compat32)
    return {**_fields(message), "Subject": _field(message, "Subject")}


def message_bytes(message: _Part) -> bytes:
    """A message in its transmitted form, with its lines unchanged."""
    written = BytesIO()
    BytesGenerator(written, mangle_from_=False, maxheaderlen=0, policy=compat32).flatten(message)
    return written.getvalue()


def _fields(message: _Part) -> dict[str, str]:
    found = {name: _field(message, name) for name in _SHOWN}
    for name in _ONLY_IF_OTHER:
        if found[name] and _address(found[name]) in found["From"].lower():
            found[name] = ""
    return found


def _field(message: _Part, name: str) -> str:
    """All values of a header, decoded; "" for none."""
    values = (str(value) for key, value in message.raw_items() if key.lower() == name.lower())
    return ", ".join(filter(None, map(header_text, values)))


def _address(value: str) -> str:
    return value.rpartition("<")[2].rstrip("> ").lower()


@dataclass(slots=True)
class _Walk:
    """Walks the parts of one message: bodies become pieces, other parts become attachments."""

    shown: str
    notes: list[str] = field(default_factory=list)
    found: list[tuple[str, bytes, str]] = field(default_factory=list)  # name, bytes, content id of a picture
    shown_pictures: set[str] = field(default_factory=set)
    invitations: list[bytes] = field(default_factory=list)

    def pieces(self, part: _Part, depth: int = 0) -> list[Piece]:
        """The pieces of a part and of the parts in it."""
        kind, children = part.get_content_type(), _children(part)
        if depth > _MAX_DEPTH:
            self.notes.append(f"Parts nested more than {_MAX_DEPTH} deep were left out.")
            return []
        if kind == "message/delivery-status" and children:
            return plain_pieces("\n\n".join(map(_head_lines, children)))
        if part.get_content_maintype() == "message" and children:
            self._keep_messages(part, children)
            return []
        return self._several(part, kind, children, depth) if children else self._one(part, kind)

    def attached(self) -> list[tuple[str, bytes]]:
        """The attachments as (name, bytes), without pictures that the body displays and invitations that it tells."""
        others = [one for one in self.found if one[1] not in self.invitations]
        return [(name, data) for name, data, content_id in others if content_id not in self.shown_pictures]

    def invited(self, shown: str) -> list[Piece]:
        """The pieces of the invitations, each once. Those that cannot be read become attachments."""
        pieces: list[Piece] = []
        for data in list(dict.fromkeys(self.invitations)):
            try:
                pieces += below_subject(read_calendar(data, shown).pieces)
            except ParseError:
                self.invitations = [one for one in self.invitations if one != data]
        return pieces

    def _several(self, part: _Part, kind: str, children: list[_Part], depth: int) -> list[Piece]:
        if kind == "multipart/alternative":
            forms = [(_has_page(child), self.pieces(child, depth + 1)) for child in children]
            # The last is the richest (RFC 2046, 5.1.4); a page wins over what only programs read.
            chosen = next((words for is_page, words in reversed(forms) if is_page and words), None)
            found = chosen or next((words for _, words in reversed(forms) if words), [])
        else:
            found = [piece for child in children for piece in self.pieces(child, depth + 1)]
        if part.epilogue and part.epilogue.strip():  # added by a mailing list or a virus scanner
            found += plain_pieces(decoded(part.epilogue.encode("utf-8", "surrogateescape")))
        return found

    def _one(self, part: _Part, kind: str) -> list[Piece]:
        data = _content(part)
        stated = _file_name(part)
        disposition = part.get_content_disposition() or ""
        is_words = kind in ("text/plain", "text/html", "text/enriched", "text/richtext") or kind.startswith(
            "multipart/"
        )
        if kind in _SEALED:
            self.notes.append(SEALED)
        if not is_words or disposition == "attachment" or (stated and disposition != "inline"):
            if kind in _SIGNATURES or (kind in _SEALED and not data.strip(b"Version: 1\r\n")):
                return []
            content_id = (part.get("Content-ID") or "").strip(" <>\r\n\t")
            picture = content_id if kind.startswith("image/") else ""
            if kind == "text/calendar" and part.get_param("method"):
                self.invitations.append(data)
            if data or stated:
                self.found.append(
                    (stated or f"part-{len(self.found) + 1}.{(guess_extension(kind) or '.bin')[1:]}", data, picture)
                )
            return []
        charset = part.get_content_charset() or ""
        data, behind = _with_words_behind(part, data)
        text = decoded(data, charset)
        if kind == "text/html":
            self.shown_pictures |= pictures_shown(text)
            page, notes = html_pieces(data, text if charset else None, self.shown)
            self.notes += notes
            pieces = list(page)
        else:
            flowed = str(part.get_param("format", "")).lower() == "flowed"
            delete_space = str(part.get_param("delsp", "")).lower() == "yes"
            pieces = plain_pieces(text, flowed=flowed, delete_space=delete_space)
        return pieces + plain_pieces(decoded(behind, charset))

    def _keep_messages(self, part: _Part, messages: list[_Part]) -> None:
        """Add forwarded messages as attachments."""
        for message in messages:
            try:
                data = message_bytes(message)
            except (ValueError, LookupError, TypeError, AttributeError):  # the library's generator, on bad heads
                self.notes.append("An attached message is damaged and was left out.")
                continue
            if data.strip():
                stated = _file_name(part) or _field(message, "Subject").replace("/", "-").replace("\\", "-")
                stem = safe_name(stated, "message").removesuffix(".eml")
                self.found.append((f"{stem}.eml", data, ""))


def _children(part: _Part) -> list[_Part]:
    payload = part.get_payload()
    return [child for child in payload if isinstance(child, Message)] if isinstance(payload, list) else []


def _has_page(part: _Part) -> bool:
    """Whether an alternative of the body is HTML, with or without its pictures."""
    return any(inner.get_content_type() == "text/html" for inner in _shallow(part, _MAX_DEPTH))


def _shallow(part: _Part, depth: int) -> Iterator[_Part]:
    yield part
    if depth and part.get_content_maintype() == "multipart":
        for child in _children(part):
            yield from _shallow(child, depth - 1)


def _content(part: _Part) -> bytes:
    """A part's bytes, decoded from its transfer encoding."""
    data = part.get_payload(decode=True)
    return data if isinstance(data, bytes) else b""


def _with_words_behind(part: _Part, data: bytes) -> tuple[bytes, bytes]:
    """The decoded bytes of a body, and the bytes after its end that are not encoded.

    Mailing lists append footers to encoded bodies, and some programs state an encoding that they do not use.
    """
    payload = part.get_payload()
    if str(part.get("Content-Transfer-Encoding", "")).strip().lower() != "base64" or not isinstance(payload, str):
        return data, b""
    encoded = _BASE64_LINES.match(payload)
    end = encoded.end() if encoded else 0
    if not payload[end:].strip():
        return data, b""
    behind = payload[end:].encode("utf-8", "surrogateescape")
    try:
        return a2b_base64(payload[:end]), behind
    except BinasciiError:  # no whole number of letters: words that look like the encoding
        return b"", payload.encode("utf-8", "surrogateescape")


def _head_lines(part: _Part) -> str:
    return "\n".join(f"{name}: {header_text(str(value))}" for name, value in part.raw_items())


def _file_name(part: _Part) -> str:
    """The file name of a part, "" for none. Some programs encode it like the text of a header."""
    for name, value in list(part.raw_items()):
        if name.lower() in ("content-type", "content-disposition") and not str(value).isascii():
            part.replace_header(name, header_text(str(value)))
    try:
        return header_text(part.get_filename("") or "")
    except (ValueError, LookupError, TypeError):  # RFC 2231 parameters in pieces that do not fit
        return ""
