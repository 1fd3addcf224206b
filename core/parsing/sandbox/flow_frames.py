"""Readings as JSON, for the pipe between a reader's process and this one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any

from core.parsing.flow import ParsedFile
from core.types import Attachment

if TYPE_CHECKING:
    from pydantic import TypeAdapter


@cache
def _readings() -> TypeAdapter[ParsedFile]:
    from pydantic import TypeAdapter  # not before a file is read: it takes a tenth of a second

    return TypeAdapter(ParsedFile)


def to_json(reading: ParsedFile) -> dict[str, Any]:
    """A reading as JSON, without its attachments, which travel apart as bytes, and without what is as it is usually."""
    bare = replace(reading, attachments=())
    found: dict[str, Any] = _readings().dump_python(bare, mode="json", exclude_defaults=True)
    return found


def from_json(value: dict[str, Any], attachments: Sequence[Attachment] = ()) -> ParsedFile:
    """The reading back. Raises ``ValueError`` for what no reader wrote.

    >>> from core.parsing.flow import Piece, Words
    >>> from core.types import BlockKind
    >>> reading = ParsedFile((Piece(BlockKind.HEADING, Words("A", ((0, 1, "b:"),)), level=2),), title="T")
    >>> from_json(to_json(reading)) == reading
    True
    """
    return replace(_readings().validate_python(value), attachments=tuple(attachments))
