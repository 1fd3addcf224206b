"""What growing may ask of the catalogue: as little as each strategy needs, and counted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from core.enriching.features import Reference
from core.types import Span


class ExpansionReads(Protocol):
    """The catalogue as expansion needs it. Documents are ordinals, leaves are indices of the leaf table.

    "flat" asks nothing, "parent" at most for kinds, "window" and "anchored" for texts alone, "auto-merge" for ancestors
    and "neighbours" for references, and these two only of the leaves they need them of, all at once.
    """

    @property
    def count(self) -> int:
        """How often the catalogue itself was asked so far: what is held in memory costs nothing, and does not count."""

    def text(self, document: int) -> str:
        """The document's canonical text."""

    def sentences(self, document: int, start: int, end: int) -> Sequence[Span]:
        """The sentences of ``[start, end)`` of its text, trimmed, in order."""

    def kind(self, document: int) -> str:
        """The kind of file the document was, such as "markdown" or "pdf"."""

    def ancestors(self, leaves: Sequence[int]) -> Mapping[int, Sequence[Span]]:
        """What each leaf stands in, its direct parent first, the top of its tree last; () without a parent."""

    def references(self, leaves: Sequence[int]) -> Mapping[int, Sequence[Reference]]:
        """The words in each leaf that point elsewhere, in text order; () where none are kept."""
