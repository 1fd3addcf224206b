"""Edits by hand: wishes about the text, not about chunks, so that they outlive every chunker, dial and changed file.

What each kind asks for, wherever the chunker would have cut:

- *merge* at a place: no leaf begins there;
- *split* at a place: a leaf begins there;
- *move* from one place to another: no leaf begins at the first, one does at the second;
- *disable* a stretch: no leaf covers it; it becomes a gap of the audit, switched off by hand;
- *pin* a stretch: it is exactly one leaf.

A place is where a leaf begins or could: a non-blank character that opens a grapheme, with text before it.
``core.chunking.edits.replay`` carries edits out, ``core.chunking.edits.following`` takes them to a changed text.
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
    """A place or a stretch of a text, and the words that tell where it is.

    A place is the blanks between its two sides: ``end`` is where a leaf begins or could, ``quote`` is blank or "". Of
    a stretch ``quote`` is its text. ``before``, ``after``: what stands around it, up to 80 characters of each.
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

    def stands(self, text: str) -> bool:
        """Whether its words, and those around it, are where it says."""
        start, end = max(0, self.start - len(self.before)), self.end + len(self.after)
        return text[start:end] == self.before + self.quote + self.after


@dataclass(frozen=True, slots=True)
class Edit:
    """One wish. ``at``: the place, or the stretch of "disable" and "pin"; ``to``: of a "move", where it goes.

    ``id``: its number in the library, 0 for a draft; later edits have higher ones. ``text_hash``: of the text in which
    it lay last, "" for a draft.
    """

    kind: str
    version_id: str
    at: Anchor
    to: Anchor | None = None
    text_hash: str = ""
    id: int = field(default=0, compare=False)

    def stands(self, text: str) -> bool:
        """Whether the words it is anchored to are where it says."""
        return self.at.stands(text) and (self.to is None or self.to.stands(text))


@dataclass(frozen=True, slots=True)
class Conflict:
    """An edit that is not, or not wholly, in force, and the sentence that says why."""

    edit: Edit
    sentence: str


def merge(document: Document, position: int) -> Edit:
    """What stands before a position, or the blanks it is in, stays in one leaf with what stands after it.

    >>> merge(Document("v", "text", "T", "One. Two."), 4).at.span
    Span(start=4, end=5)
    """
    return Edit("merge", document.version_id, _place(document.text, position))


def split(document: Document, position: int) -> Edit:
    """A leaf begins at a position, or after the blanks it is in. Raises ``LecternError`` where none can."""
    return Edit("split", document.version_id, _cut(document.text, position))


def move(document: Document, position: int, target: int) -> Edit:
    """The boundary at one position lies at another instead. Raises ``LecternError`` as ``split``."""
    at, to = _place(document.text, position), _cut(document.text, target)
    if at.end == to.end:
        raise LecternError("The boundary would stay where it is.", "Choose another place for it.")
    return Edit("move", document.version_id, at, to)


def disable(document: Document, start: int, end: int) -> Edit:
    """No leaf covers ``[start, end)``: it is not searched. Raises ``LecternError`` for blanks and torn characters."""
    return Edit("disable", document.version_id, _stretch(document.text, start, end))


def pin(document: Document, start: int, end: int) -> Edit:
    """``[start, end)`` without blanks at its edges is one leaf, whatever the dials. Raises as ``disable``."""
    return Edit("pin", document.version_id, _stretch(document.text, start, end))


def edits_fingerprint(edits: Sequence[Edit]) -> str:
    """Names what edits ask for, in their order; "" without any.

    >>> edits_fingerprint(())
    ''
    """
    if not edits:
        return ""
    told = [(edit.kind, edit.at.span, edit.to.span if edit.to else None) for edit in edits]
    return hashlib.sha256(repr(told).encode()).hexdigest()[:16]


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
    """A place where a leaf may begin."""
    place = _place(text, position)
    if not is_boundary(text, place.end):
        raise LecternError("A cut here would tear one character in two.", "Choose a place between two characters.")
    return place


def _stretch(text: str, start: int, end: int) -> Anchor:
    if not 0 <= start < end <= len(text):
        raise LecternError(
            f"The passage [{start}, {end}) is not one of this document, which has {len(text)} characters.",
            "Select it again.",
        )
    kept = trim(text, start, end)
    if kept is None:
        raise LecternError("The passage holds nothing but blanks.", "Select words.")
    if not is_boundary(text, kept.start) or not is_boundary(text, kept.end):
        raise LecternError("The passage ends inside one character.", "Select whole characters.")
    return Anchor.on(text, kept)
