"""Expansion to parents, and what all strategies share: ``Extent``, ``Growth`` and index arithmetic over leaves.

Siblings are adjacent in the leaf table, so that parents are found without reading the catalogue.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from core.chunking.signals.turns import find_turns
from core.search.expansion.relevance import Values
from core.search.ranking.catalogue_reads import CatalogueReads
from core.search.ranking.stage_scores import Ranking
from core.settings import GENRES, ExpansionSettings
from core.storage.index.leaves import LeafTable
from core.text.sentences import is_in_sentences
from core.types import Span

_FIRST_STEP = 64  # leaves compared in the first step of ``_run_length``; the number doubles with every step
_TURN_CONTEXT = 2000  # characters around a passage that are searched for turns of a conversation


@dataclass(frozen=True, slots=True)
class Extent:
    """The text ``[start, end)`` of a document to read for a leaf.

    ``child``: the leaf's index. ``document``: its ordinal in the leaf table. ``reason``: why this much, for the user.
    ``relevance``: the order in which extents get the budget. It is the child's final score; for merged and linked
    passages see ``core.search.expansion.relevance``.
    """

    child: int
    document: int
    start: int
    end: int
    reason: str
    relevance: float


def family(leaves: LeafTable, child: int) -> tuple[int, int]:
    """First and last index of the child and its siblings, which are adjacent. Without a parent: the child alone."""
    parents = leaves.parent_rows
    first = last = child
    if parents[child] >= 0:
        first -= _run_length(parents[:child][::-1], parents[child])
        last += _run_length(parents[child + 1 :], parents[child])
    return first, last


def _run_length(rows: NDArray[np.int64], row: np.int64) -> int:
    """The number of leading entries that equal ``row``."""
    start, step = 0, _FIRST_STEP
    while start < len(rows):
        different = rows[start : start + step] != row
        if different.any():
            return start + int(different.argmax())
        start, step = start + step, 2 * step
    return len(rows)


def leaves_of(leaves: LeafTable, document: int) -> tuple[int, int]:
    """The half-open range of indices of a document's leaves."""
    # searchsorted converts the whole column unless the value has its type.
    ordinal = leaves.documents.dtype.type
    first, end = np.searchsorted(leaves.documents, [ordinal(document), ordinal(document + 1)])
    return int(first), int(end)


def leaf_at(leaves: LeafTable, document: int, offset: int) -> int:
    """The last leaf of a document that starts at or before the offset, else its first leaf; it must have one."""
    first, end = leaves_of(leaves, document)
    return max(first, first + int(np.searchsorted(leaves.starts[first:end], offset, side="right")) - 1)


def leaves_at(leaves: LeafTable, positions: Sequence[tuple[int, int]]) -> list[int]:
    """``leaf_at`` of every (document, offset)."""
    return [leaf_at(leaves, document, offset) for document, offset in positions]


def leaves_within(leaves: LeafTable, document: int, span: Span) -> tuple[int, int]:
    """First and last index of the leaves inside a span of a document; last < first for none."""
    low, high = leaves_of(leaves, document)
    first, after = np.searchsorted(leaves.starts[low:high], [span.start, span.end])
    last = low + int(after) - 1
    while last >= low + first and leaves.ends[last] > span.end:  # overlaps the end of the span
        last -= 1
    return low + int(first), last


Sizes = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Growth:
    """What a strategy works on, and the helpers that strategies share.

    ``children``: leaf indices of the kept leaves, best first; methods take a child's position in it. ``relevances``,
    ``confidences``: aligned with ``children``. ``sizes``: of every leaf of the snapshot, in the budget's unit.
    ``budget``: the size of the whole context. ``first``: strategies that read texts expand only this many children;
    ``None``: all.
    """

    ranking: Ranking
    settings: ExpansionSettings
    sizes: Sizes
    budget: int
    reads: CatalogueReads
    children: Sequence[int]
    relevances: Values
    confidences: Values
    first: int | None = None

    @property
    def leaves(self) -> LeafTable:
        return self.ranking.leaves

    def limit(self, position: int) -> int:
        """The share of the budget for the passage of a child; a child alone may be larger."""
        return int(self.budget * self.settings.max_share / (position + 1) ** self.settings.share_decay)

    def characters(self, position: int, amount: int) -> int:
        """An amount of the budget in characters, estimated by the child's characters per unit."""
        child = self.children[position]
        return int(amount * self.span(child, child).length / max(1, int(self.sizes[child])))

    def room(self, position: int) -> int:
        """``limit`` in characters."""
        return self.characters(position, self.limit(position))

    def size(self, first: int, last: int) -> int:
        """The size of the leaves from ``first`` to ``last`` together."""
        return int(self.sizes[first]) if first == last else int(self.sizes[first : last + 1].sum())

    def score(self, leaf: int) -> float:
        """The leaf's ``Ranking.pool_scores``; minus infinity for an unranked leaf."""
        score = float(self.ranking.values(self.ranking.pool_scores, [leaf])[0])
        return -np.inf if np.isnan(score) else score

    def span(self, first: int, last: int) -> Span:
        """The text from the leaf ``first`` to the leaf ``last``."""
        leaves = self.leaves
        end = leaves.ends[first] if first == last else leaves.ends[first : last + 1].max()
        return Span(int(leaves.starts[first]), int(end))

    def alone(self, position: int, reason: str) -> Extent:
        """The extent of a child without expansion."""
        return self.run(position, self.children[position], self.children[position], f"the child alone: {reason}")

    def run(self, position: int, first: int, last: int, reason: str) -> Extent:
        """The extent of a child that covers the leaves from ``first`` to ``last``."""
        child, leaves = self.children[position], self.ranking.leaves
        start, end = int(leaves.starts[first]), int(leaves.ends[first : last + 1].max())
        return Extent(child, int(leaves.documents[child]), start, end, reason, float(self.relevances[position]))

    def text(self, position: int, span: Span, reason: str) -> Extent:
        """The extent of a child that covers a span of its document."""
        child = self.children[position]
        return replace(self.run(position, child, child, reason), start=span.start, end=span.end)


def flat(growth: Growth) -> list[Extent]:
    """Every child without expansion."""
    return [growth.alone(position, "expansion is off") for position in range(len(growth.children))]


def parent(growth: Growth) -> list[Extent]:
    """Every child's parent if it fits the child's share of the budget, else as many siblings as fit, best-scored first.

    Reads genres and section types if ``kinds`` is set, else nothing.
    """
    return _expand_parents(growth, [""] * len(growth.children))


def needed(growth: Growth) -> list[Extent]:
    """As ``parent`` for children that do not stand alone; the others without expansion. Reads texts and file kinds."""
    leaves, reads, considered = growth.leaves, growth.reads, growth.children[: growth.first]
    documents = leaves.documents[considered].tolist()
    read = {document: (reads.text(document), reads.kind(document)) for document in dict.fromkeys(documents)}
    reasons: list[str] = []
    for child, document in zip(considered, documents, strict=True):
        text, kind = read[document]
        alone = stands_alone(text, growth.span(child, child), kind)
        reasons.append("it is prose, which says what it says by itself" if alone else "")
    beyond = len(growth.children) - len(considered)
    return _expand_parents(growth, [*reasons, *["the context ended before it"] * beyond])


def stands_alone(text: str, span: Span, kind: str) -> bool:
    """Whether a passage of a document of this kind is prose and not a speaker's turn.

    Code never stands alone, even if comments are most of it: they mean little without the code.
    """
    if kind == "code":
        return False
    # Turns are recognised by several in a row, so the text around the span is searched too.
    first, last = max(0, span.start - _TURN_CONTEXT), min(len(text), span.end + _TURN_CONTEXT)
    return _is_prose(text[first:last], span.start - first, span.end - first)


@lru_cache(maxsize=2048)  # other questions of a sitting and other settings of a bench bring the same passages again
def _is_prose(surroundings: str, start: int, end: int) -> bool:
    return is_in_sentences(surroundings, Span(start, end)) and not find_turns(surroundings)


def _expand_parents(growth: Growth, alone: Sequence[str]) -> list[Extent]:
    """The children expanded to parents. ``alone``: for each, why it is not expanded, or ""."""
    reasons = [reason or excluded for reason, excluded in zip(alone, _excluded_by_kinds(growth), strict=True)]
    return [
        growth.alone(position, reason) if reason else _expand_parent(growth, position)
        for position, reason in enumerate(reasons)
    ]


def _excluded_by_kinds(growth: Growth) -> list[str]:
    """For each child, why the setting ``kinds`` forbids its expansion, or ""."""
    kinds, reads = growth.settings.kinds, growth.reads
    if not kinds:
        return [""] * len(growth.children)
    genres = [reads.genre(int(growth.leaves.documents[child])) for child in growth.children]
    others = [child for child, genre in zip(growth.children, genres, strict=True) if genre not in kinds]
    by_section: set[int] = set()
    if not set(kinds) <= set(GENRES):
        section_types = reads.section_types(others)
        by_section = {child for child in others if section_types[child] in kinds and section_types[child] not in GENRES}
    return [
        "" if genre in kinds or child in by_section else f"parents are not taken of documents of the genre {genre!r}"
        for child, genre in zip(growth.children, genres, strict=True)
    ]


def _expand_parent(growth: Growth, position: int) -> Extent:
    child, leaves = growth.children[position], growth.leaves
    if leaves.parent_rows[child] < 0:
        return growth.alone(position, "it has no parent")
    first, last = family(leaves, child)
    if first == last:
        return growth.run(position, child, child, "the child is its whole parent")
    limit, count = growth.limit(position), last - first + 1
    if growth.size(first, last) <= limit:
        return growth.run(position, first, last, f"the whole parent: {count} leaves")
    low, high = _grow_siblings(growth, child, (first, last), limit)
    if low == high:
        return growth.alone(position, "no sibling fits its share of the budget")
    part = f"{high - low + 1} of the parent's {count} leaves: the share ends there"
    return growth.run(position, low, high, part)


def _grow_siblings(growth: Growth, child: int, whole: tuple[int, int], limit: int) -> tuple[int, int]:
    """The run of siblings around the child within ``whole``, at most ``limit`` large, the better-scored side first."""
    low = high = child
    sizes = growth.sizes
    used = int(sizes[child])
    while True:
        options = [
            index for index in (low - 1, high + 1) if whole[0] <= index <= whole[1] and used + sizes[index] <= limit
        ]
        if not options:
            return low, high
        best = max(options, key=lambda index: (growth.score(index), -index))
        low, high = min(low, best), max(high, best)
        used += int(sizes[best])
