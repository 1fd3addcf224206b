"""The reader of mailboxes (mbox, RFC 4155): all messages in the file's order, each under its subject as heading."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from core.errors import ParseError
from core.parsing.file_names import readable_title
from core.parsing.flow import ParsedFile, Piece
from core.parsing.mail.pieces import as_attachments
from core.parsing.mail.reader import read as read_message

# The line that separates messages. Inside messages, programs put ">" before such lines.
# The file's first may have any form. Thunderbird and its predecessors name no sender ("From - ", "From ", with time or
# without), and end a message where its last line ends.
_PARTING = re.compile(
    rb"(?:\AFrom [^\n]*|(?<=\n)From -[^\n]*|(?:(?<=\n\n)|(?<=\n\r\n))From (?:[^\n]*\d\d:\d\d[^\n]*|[ \t\r]*))"
    rb"\n(?=[!-9;-~]+:)"
)
_QUOTED = re.compile(rb"^>(>*From )", re.MULTILINE)


def read(data: bytes, name: str) -> ParsedFile:
    """All messages. Unreadable ones are skipped and mentioned in a note. Raises ``ParseError`` where there is none.

    >>> box = b"From a Mon Jan  1 10:00:00 2024\\nSubject: %b\\nFrom: Ada\\n\\nTwo.\\n\\n"
    >>> bare = b"From - \\nSubject: Swans\\nFrom: Ada\\n\\nThree.\\n\\n"
    >>> [piece.words.text for piece in read(box % b"Ducks" + bare + box % b"Geese", "a.mbox").pieces if piece.level]
    ['Ducks', 'Swans', 'Geese']
    """
    pieces: list[Piece] = []
    notes: list[str] = []
    attached: list[tuple[str, bytes]] = []
    number = 0
    for number, message in enumerate(_messages(data), start=1):
        try:
            reading = read_message(message, f"message {number}")
        except ParseError as error:
            notes.append(f"Message {number} was passed over: {error.problem}")
            continue
        pieces += reading.pieces
        notes += reading.notes
        attached += ((one.name, one.data) for one in reading.attachments)
    if not pieces:
        raise ParseError(f"{name} is damaged: it holds no message.", "Export the mailbox again and add that.")
    attachments, left = as_attachments(attached)
    return ParsedFile(
        tuple(pieces),
        title=readable_title(name),
        metadata={"messages": str(number)},
        notes=tuple(dict.fromkeys((*notes, *left))),
        attachments=attachments,
    )


def _messages(data: bytes) -> Iterator[bytes]:
    """The bytes of each message, as an iterator because mailboxes may be large."""
    parted = [match.span() for match in _PARTING.finditer(data)]
    for (_, start), (end, _) in pairwise([*parted, (len(data), 0)]):
        yield _QUOTED.sub(rb"\1", data[start:end])
