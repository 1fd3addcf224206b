"""What assembly reads of the catalogue, and what the prompt says above a passage because of it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from core.assembly.budget import Budget
from core.assembly.prompt import REPEATED, TABLE_HEADER, above
from core.expansion import leaf_at
from core.storage.leaves import LeafTable
from core.types import PrefixPart

_BLANK_LINE = re.compile(r"\n[^\S\n]*\n")


@dataclass(frozen=True, slots=True)
class LeafFacts:
    """What a reader is told of a leaf: read from the catalogue for the few leaves that are shown."""

    chunk_id: str
    headings: tuple[str, ...]
    prefix: tuple[PrefixPart, ...]


class Reads(Protocol):
    """The catalogue as assembly needs it. Documents are ordinals of the leaf snapshot."""

    def text(self, document: int) -> str:
        """The document's canonical text."""

    def kind(self, document: int) -> str:
        """The document's kind, as the catalogue names it."""

    def facts(self, leaves: Sequence[int]) -> Mapping[int, LeafFacts]:
        """Facts by leaf index."""

    def page(self, document: int, offset: int) -> int | None:
        """The page an offset stands on, if the document has pages."""


class Notes:
    """What is said of a passage that begins at a place, each leaf's facts read once.

    ``number``: the passage's number that sizes are counted with.
    """

    def __init__(self, leaves: LeafTable, reads: Reads, number: int) -> None:
        self._leaves, self._reads, self._number = leaves, reads, number
        self._facts: dict[int, LeafFacts] = {}
        self._at: dict[tuple[int, int], int] = {}

    def expect(self, leaves: Sequence[int], places: Sequence[tuple[int, int]]) -> None:
        """Read the facts of these leaves, and of those that hold the places (document, offset), in one go."""
        wanted = {*leaves, *(self._leaf_at(*place) for place in places)} - self._facts.keys()
        if wanted:
            self._facts.update(self._reads.facts(sorted(wanted)))

    def chunk_id(self, leaf: int) -> str:
        """The public id of a leaf."""
        return self._of(leaf).chunk_id

    def headings(self, document: int, start: int) -> tuple[str, ...]:
        """The heading path of the leaf a passage begins in."""
        return self._of(self._leaf_at(document, start)).headings

    def prefix(self, document: int, start: int) -> tuple[PrefixPart, ...]:
        """What a passage that begins there is parted from: of what the leaf repeats, only what still belongs to it."""
        leaf = self._leaf_at(document, start)
        prefix = self._of(leaf).prefix
        if not any(part.kind in REPEATED for part in prefix):
            return prefix
        before = self._reads.text(document)[int(self._leaves.starts[leaf]) : start]
        if not before.strip():
            return prefix
        # Inside the leaf a table ends with a blank line; where a turn or a function does, the text alone cannot tell.
        kept = () if _BLANK_LINE.search(before) else (TABLE_HEADER,)
        return tuple(part for part in prefix if part.kind not in REPEATED or part.kind in kept)

    def page(self, document: int, start: int) -> int | None:
        """The page a passage begins on, if the document has pages."""
        return self._reads.page(document, start)

    def above(self, document: int, start: int) -> str:
        """What the prompt has above such a passage, under the number that costs most."""
        return above(
            self._number,
            self._leaves.titles[document],
            self.headings(document, start),
            self.page(document, start),
            self.prefix(document, start),
        )

    def _of(self, leaf: int) -> LeafFacts:
        if leaf not in self._facts:
            self.expect([leaf], ())
        return self._facts[leaf]

    def _leaf_at(self, document: int, start: int) -> int:
        place = (document, start)
        if place not in self._at:
            self._at[place] = leaf_at(self._leaves, document, start)
        return self._at[place]


def widest_number(count: int, budget: Budget) -> int:
    """A passage's number that costs as much as any up to ``count``: its own is known only when the context is done.

    Of numbers with one or two digits none costs more than another; of longer ones ("343", "1000") some do.
    """
    if not budget.headed or count < 100:
        return count
    return max(range(100, count + 1), key=lambda number: budget.size(f"[{number}]"))
