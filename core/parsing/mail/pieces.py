"""Composes a message of any mail format as a ``ParsedFile``: subject, headers, body and attachments."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from types import MappingProxyType

from core.errors import ParseError
from core.parsing.file_names import display_name, distinct_names
from core.parsing.flow import ParsedFile, Piece, Words
from core.parsing.html.reader import read as read_html
from core.types import Attachment, BlockKind

_MAX_ATTACHMENTS = 500
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_MAX_LEVEL = 6
_CONTENT_ID = re.compile(r"cid:([^\s\"'<>)\\]+)", re.IGNORECASE)


def mail_reading(
    subject: str,
    fields: Mapping[str, str],
    body: Sequence[Piece],
    attached: Sequence[tuple[str, bytes]] = (),
    identity: Mapping[str, str] = MappingProxyType({}),
    notes: Sequence[str] = (),
) -> ParsedFile:
    """The message as a ``ParsedFile``: subject as heading, headers, body, names of attachments.

    ``fields``: displayed headers by name ("From", "To", ...). ``identity``: further metadata.
    ``attached``: names as they are stated, and bytes.

    >>> body = (Piece(BlockKind.PARAGRAPH, Words("Two.")),)
    >>> reading = mail_reading("Ducks", {"From": "Ada", "To": ""}, body, [("a/b.txt", b"")])
    >>> [piece.words.text for piece in reading.pieces]
    ['Ducks', 'From: Ada', 'Two.', 'Attachments: b.txt']
    """
    attachments, left = as_attachments(attached)
    fields = {name: value for name, value in fields.items() if value}
    pieces = [
        Piece(BlockKind.HEADING, Words(subject), level=1),
        Piece(BlockKind.PARAGRAPH, Words("\n".join(f"{name}: {value}" for name, value in fields.items()))),
        *body,
    ]
    if attachments:
        named = ", ".join(attachment.name for attachment in attachments)
        pieces.append(Piece(BlockKind.PARAGRAPH, Words(f"Attachments: {named}")))
    return ParsedFile(
        pieces=tuple(piece for piece in pieces if piece.words.text or piece.items or piece.rows),
        title=subject,
        metadata=_metadata(subject, fields, identity),
        notes=tuple(dict.fromkeys((*notes, *left))),
        attachments=attachments,
    )


def html_pieces(data: bytes, text: str | None, name: str) -> tuple[tuple[Piece, ...], tuple[str, ...]]:
    """The pieces and notes of an HTML body, () for an empty one. ``text``: the decoded body, if its charset is stated.

    Its headings are one level deeper, because the subject is the top heading.
    """
    try:
        reading = read_html(data if text is None else _BYTE_ORDER_MARK + text.encode("utf-8", "replace"), name)
    except ParseError:
        return (), ()
    return below_subject(reading.pieces), reading.notes


def below_subject(pieces: Sequence[Piece]) -> tuple[Piece, ...]:
    """The pieces with their headings one level deeper."""
    return tuple(
        replace(piece, level=min(_MAX_LEVEL, piece.level + 1)) if piece.kind is BlockKind.HEADING else piece
        for piece in pieces
    )


def pictures_shown(page: str) -> set[str]:
    """The content ids of attached pictures that are displayed in an HTML body.

    >>> pictures_shown('<img src="cid:logo@mail"><img src=cid:b>') == {"logo@mail", "b"}
    True
    """
    return {match[1] for match in _CONTENT_ID.finditer(page)}


def iso_date(stated: str) -> str:
    """The date of a mail header in ISO 8601; "" for other text.

    >>> iso_date("Tue, 14 Mar 2023 10:22:31 +0100"), iso_date("14 Mar 2023 10:22:31 -0000"), iso_date("yesterday")
    ('2023-03-14T10:22:31+01:00', '2023-03-14T10:22:31+00:00', '')
    """
    try:
        moment: datetime = parsedate_to_datetime(stated)
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).isoformat()
    except (ValueError, TypeError, IndexError, OverflowError):
        return ""


def safe_name(stated: str, otherwise: str) -> str:
    """A safe file name from an attachment's stated name; ``otherwise`` where nothing is left."""
    name = display_name(stated) if stated.strip() else ""
    return otherwise if name in ("", "untitled") else name


def as_attachments(attached: Sequence[tuple[str, bytes]]) -> tuple[tuple[Attachment, ...], tuple[str, ...]]:
    """The first attachments with safe and distinct names, and the note on those left out; () for none."""
    kept = attached[:_MAX_ATTACHMENTS]
    safe_names = (safe_name(stated, f"attachment-{number}") for number, (stated, _) in enumerate(kept, start=1))
    names = distinct_names(safe_names)
    attachments = tuple(Attachment(name, data) for name, (_, data) in zip(names, kept, strict=True))
    note = f"Only the first {_MAX_ATTACHMENTS} of {len(attached):,} attachments were read."
    return attachments, (note,) if len(attached) > len(kept) else ()


def _metadata(subject: str, fields: Mapping[str, str], identity: Mapping[str, str]) -> dict[str, str]:
    named = {name.lower().replace("-", "_"): value for name, value in fields.items()}
    if "date" in named:
        named["date"] = iso_date(named["date"]) or named["date"]
    return {key: value for key, value in {"subject": subject, **named, **identity}.items() if value}
