"""The edits that a person can make. They refer to text, not to chunks, so they survive other settings and new versions.

What each kind demands, whatever the chunker would do:

- *merge* at a place: no leaf begins there.
- *split* at a place: a leaf begins there.
- *move* from one place to another: no leaf begins at the first, one begins at the second.
- *disable* a passage: no leaf covers it; the audit reports it as switched off by hand.
- *pin* a passage: it is exactly one leaf.

A place is where a leaf could begin: a non-blank character that starts a grapheme, with text before it.
``core.chunking.edits.replay`` applies edits to a tree, ``core.chunking.edits.following`` moves them to a changed text.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field

from core.errors import LecternError
from core.text.anchoring import surroundings
from core.text.spans import trim
from core.text.tokens import is_boundary
from core.types import Document, Span


@dataclass(frozen=True, slots=True)
class Anchor:
    """A place or passage of a text, with the text around it, by which it is found again in a changed text.

    A passage is ``[start, end)``, and ``quote`` is its text. A place is the blanks between two words: ``end`` is where
    a leaf may begin, and ``quote`` is blank or "". ``before``, ``after``: up to 80 characters on each side.
    """

    start: int
    end: int
    quote: str
    before: str
    after: str

    @classmethod
    def on(cls, text: str, span: Span) -> Anchor:
        """The anchor of a span of a text."""
        return cls(span.start, span.end, text[span.start : span.end], *surroundings(text, span))

    @property
    def span(self) -> Span:
        return Span(self.start, self.end)

    def matches(self, text: str) -> bool:
        """Whether the quote and the text around it are at these offsets of a text."""
        start, end = max(0, self.start - len(self.before)), self.end + len(self.after)
        return text[start:end] == self.before + self.quote + self.after


@dataclass(frozen=True, slots=True)
class Edit:
    """One edit. ``at``: the place, or the passage of "disable" and "pin". ``to``: the new place of a "move".

    ``text_hash``: of the text in which it was last found, "" for a draft. ``id``: its number in the library, 0 for a
    draft; later edits have higher numbers.
    """

    kind: str
    version_id: str
    at: Anchor
    to: Anchor | None = None
    text_hash: str = ""
    id: int = field(default=0, compare=False)

    def matches(self, text: str) -> bool:
        """Whether its anchors match a text."""
        return self.at.matches(text) and (self.to is None or self.to.matches(text))


@dataclass(frozen=True, slots=True)
class Conflict:
    """An edit that is not in force, or only in part, and a sentence that says why."""

    edit: Edit
    sentence: str


def merge(document: Document, position: int) -> Edit:
    """An edit that keeps the text before and after a position, or the blanks around it, in one leaf.

    >>> merge(Document("v", "text", "T", "One. Two."), 4).at.span
    Span(start=4, end=5)
    """
    return Edit("merge", document.version_id, _place(document.text, position))


def split(document: Document, position: int) -> Edit:
    """An edit that begins a leaf at a position, or after the blanks around it.

    Raises ``LecternError`` where no leaf can begin.
    """
    return Edit("split", document.version_id, _cut(document.text, position))


def move(document: Document, position: int, target: int) -> Edit:
    """An edit that moves the boundary at one position to another. Raises ``LecternError`` as ``split`` does."""
    at, to = _place(document.text, position), _cut(document.text, target)
    if at.end == to.end:
        raise LecternError("The boundary would stay where it is.", "Choose another place for it.")
    return Edit("move", document.version_id, at, to)


def disable(document: Document, start: int, end: int) -> Edit:
    """An edit that excludes ``[start, end)`` from all leaves, and so from search.

    Raises ``LecternError`` for a passage that is blank, outside the text, or ends inside a grapheme.
    """
    return Edit("disable", document.version_id, _passage(document.text, start, end))


def pin(document: Document, start: int, end: int) -> Edit:
    """An edit that makes ``[start, end)``, trimmed, one leaf under any settings. Raises as ``disable`` does."""
    return Edit("pin", document.version_id, _passage(document.text, start, end))


def edits_fingerprint(edits: Sequence[Edit]) -> str:
    """A hash of what edits demand, in their order; "" without any.

    >>> edits_fingerprint(())
    ''
    """
    if not edits:
        return ""
    demands = [(edit.kind, edit.at.span, edit.to.span if edit.to else None) for edit in edits]
    return hashlib.sha256(repr(demands).encode()).hexdigest()[:16]


def _place(text: str, position: int) -> Anchor:
    """The blanks around a position, with text on both sides."""
    if not 0 <= position <= len(text):
        raise LecternError(f"The place {position} is outside the document, which has {len(text)} characters.")
    left, right = text[:position].rstrip(), text[position:].lstrip()
    if not left or not right:
        raise LecternError(
            "There is text on one side of this place only, so no boundary can be here.", "Choose a place inside it."
        )
    return Anchor.on(text, Span(len(left), len(text) - len(right)))


def _cut(text: str, position: int) -> Anchor:
    """The same, where a leaf may begin."""
    place = _place(text, position)
    if not is_boundary(text, place.end):
        raise LecternError("A cut here would tear one character in two.", "Choose a place between two characters.")
    return place


def _passage(text: str, start: int, end: int) -> Anchor:
    """The passage ``[start, end)``, trimmed."""
    if not 0 <= start < end <= len(text):
        raise LecternError(
            f"The passage [{start}, {end}) is not one of this document, which has {len(text)} characters.",
            "Select it again.",
        )
    span = trim(text, start, end)
    if span is None:
        raise LecternError("The passage holds nothing but blanks.", "Select words.")
    if not is_boundary(text, span.start) or not is_boundary(text, span.end):
        raise LecternError("The passage ends inside one character.", "Select whole characters.")
    return Anchor.on(text, span)
