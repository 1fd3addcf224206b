"""How children grow by the leaves beside them: spans wanted, the share that holds each back, and parents.

Where leaves stand is index arithmetic over the leaf snapshot; siblings stand side by side, so parents need no reading.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

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

_STEPS = 64  # leaves looked at for where a family ends, then twice as many, and so on
_AROUND = 2000  # characters read around a child for turns of a conversation


@dataclass(frozen=True, slots=True)
class Extent:
    """Canonical text ``[start, end)`` of a document wanted for the leaf at index ``child``, which it contains.

    ``document``: the ordinal in the leaf table. ``reason``: why just this much, a sentence for people. ``relevance``:
    the child's final score where the extent holds one child alone; for a merged extent, and for one that was added
    beside the ranking, see ``core.search.expansion.relevance``. Extents compete for the budget by it.
    """

    child: int
    document: int
    start: int
    end: int
    reason: str
    relevance: float


def family(leaves: LeafTable, child: int) -> tuple[int, int]:
    """First and last index of the child's siblings, itself included: a parent's leaves stand side by side.

    A child without a parent is its own family.
    """
    rows = leaves.parent_rows
    first = last = child
    if rows[child] >= 0:
        first -= _alike(rows[:child][::-1], rows[child])
        last += _alike(rows[child + 1 :], rows[child])
    return first, last


def _alike(rows: NDArray[np.int64], row: np.int64) -> int:
    """How many entries at the beginning are ``row``."""
    seen, step = 0, _STEPS
    while seen < len(rows):
        other = rows[seen : seen + step] != row
        if other.any():
            return seen + int(other.argmax())
        seen, step = seen + step, 2 * step
    return len(rows)


def leaves_of(leaves: LeafTable, document: int) -> tuple[int, int]:
    """Where a document's leaves begin and end, as a half-open range of indices."""
    # Of the column's own type, or the whole column is converted at every call.
    own = leaves.documents.dtype.type
    first, end = (np.searchsorted(leaves.documents, own(place)) for place in (document, document + 1))
    return int(first), int(end)


def leaf_at(leaves: LeafTable, document: int, offset: int) -> int:
    """The leaf at an offset: the last one of the document that starts at or before it, else the document's first.

    The document must have leaves.
    """
    first, end = leaves_of(leaves, document)
    return max(first, first + int(np.searchsorted(leaves.starts[first:end], offset, side="right")) - 1)


def leaves_at(leaves: LeafTable, places: Sequence[tuple[int, int]]) -> list[int]:
    """``leaf_at`` of every place, a document and an offset in it."""
    return [leaf_at(leaves, *place) for place in places]


def leaves_within(leaves: LeafTable, document: int, span: Span) -> tuple[int, int]:
    """First and last index of the leaves that lie in a span of a document; last < first where none do."""
    low, high = leaves_of(leaves, document)
    first, after = np.searchsorted(leaves.starts[low:high], [span.start, span.end])
    last = low + int(after) - 1
    while last >= low + first and leaves.ends[last] > span.end:  # it overlaps the span's end
        last -= 1
    return low + int(first), last


Sizes = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Growth:
    """``children``: leaf indices of the kept, best first; a child's place is its position there.

    ``relevances`` and ``confidences`` are aligned with them. ``sizes``: of every leaf of the snapshot, in the budget's
    unit. ``budget``: the reader's whole room. ``first``: so many children are grown by what their text says, the others
    stay as they are; ``None``: all.
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

    def limit(self, place: int) -> int:
        """What the passage of the child at this place may take of the budget; a child alone may be larger."""
        return int(self.budget * self.settings.max_share / (place + 1) ** self.settings.share_decay)

    def characters(self, place: int, amount: int) -> int:
        """An amount of the budget in characters: itself, or for tokens what the child at this place has to each."""
        child = self.children[place]
        return int(amount * self.span(child, child).length / max(1, int(self.sizes[child])))

    def room(self, place: int) -> int:
        """``limit`` in characters, for growing by text."""
        return self.characters(place, self.limit(place))

    def size(self, first: int, last: int) -> int:
        """Of the leaves from ``first`` to ``last`` together."""
        return int(self.sizes[first]) if first == last else int(self.sizes[first : last + 1].sum())

    def score(self, leaf: int) -> float:
        """The last score that every leaf of the pool was given; what is not ranked scores lowest."""
        ranking = self.ranking
        at = int(np.searchsorted(ranking.pool, leaf))
        found = ranking.broad[at] if at < len(ranking.pool) and ranking.pool[at] == leaf else np.nan
        return -np.inf if np.isnan(found) else float(found)

    def span(self, first: int, last: int) -> Span:
        """The text from the leaf ``first`` to the leaf ``last``."""
        leaves = self.leaves
        end = leaves.ends[first] if first == last else leaves.ends[first : last + 1].max()
        return Span(int(leaves.starts[first]), int(end))

    def alone(self, place: int, reason: str) -> Extent:
        """The child as it is."""
        return self.run(place, self.children[place], self.children[place], f"the child alone: {reason}")

    def run(self, place: int, first: int, last: int, reason: str) -> Extent:
        """The leaves from ``first`` to ``last`` for the child at this place."""
        child, leaves = self.children[place], self.ranking.leaves
        start, end = int(leaves.starts[first]), int(leaves.ends[first : last + 1].max())
        return Extent(child, int(leaves.documents[child]), start, end, reason, float(self.relevances[place]))

    def text(self, place: int, span: Span, reason: str) -> Extent:
        """Some text of its document for the child at this place."""
        return replace(
            self.run(place, self.children[place], self.children[place], reason), start=span.start, end=span.end
        )


def flat(growth: Growth) -> list[Extent]:
    """Every child as it is."""
    return [growth.alone(place, "expansion is off") for place in range(len(growth.children))]


def parent(growth: Growth) -> list[Extent]:
    """Every child's parent where it fits the child's share, else as many siblings as fit, the better side first.

    With ``parent_ratio`` the parent is taken only to about that many times the child's size. Reads genres and what
    passages do where ``kinds`` are chosen, else nothing.
    """
    return _parents(growth, [""] * len(growth.children))


def gated_parent(growth: Growth) -> list[Extent]:
    """As ``parent`` for children whose confidence is below the threshold; the others as they are."""
    least = growth.settings.confidence
    enough = (f"its confidence of {one:.2f} is enough" if one >= least else "" for one in growth.confidences.tolist())
    return _parents(growth, list(enough))


def needed(growth: Growth) -> list[Extent]:
    """As ``parent`` for children that do not stand alone; the others as they are. Reads texts and kinds."""
    leaves, reads, looked_at = growth.leaves, growth.reads, growth.children[: growth.first]
    documents = leaves.documents[looked_at].tolist()
    known = {document: (reads.text(document), reads.kind(document)) for document in dict.fromkeys(documents)}
    why: list[str] = []
    for child, document in zip(looked_at, documents, strict=True):
        text, kind = known[document]
        own = Span(int(leaves.starts[child]), int(leaves.ends[child]))
        why.append("it is prose, which says what it says by itself" if stands_alone(text, own, kind) else "")
    beyond = len(growth.children) - len(looked_at)
    return _parents(growth, [*why, *["the context ended before it"] * beyond])


def stands_alone(text: str, span: Span, kind: str) -> bool:
    """Whether a passage of a document of that kind is prose and nobody's turn of a conversation.

    A listing's comments may be most of it; they say little apart from what they are about.
    """
    if kind == "code" or not is_in_sentences(text, span):
        return False
    # A span may hold one turn alone, so what stands around it is read too.
    return not find_turns(text, max(0, span.start - _AROUND), min(len(text), span.end + _AROUND))


def _parents(growth: Growth, alone: Sequence[str]) -> list[Extent]:
    """The parents of the children, but for those of whom ``alone`` says why they are read as they are."""
    why = [own or unchosen for own, unchosen in zip(alone, _unchosen(growth), strict=True)]
    return [growth.alone(place, one) if one else _parent(growth, place) for place, one in enumerate(why)]


def _unchosen(growth: Growth) -> list[str]:
    """Why ``kinds`` leave each child alone, "" where they do not."""
    kinds, reads = growth.settings.kinds, growth.reads
    if not kinds:
        return [""] * len(growth.children)
    genres = [reads.genre(int(growth.leaves.documents[child])) for child in growth.children]
    others = [child for child, genre in zip(growth.children, genres, strict=True) if genre not in kinds]
    does = reads.section_types(others) if not set(kinds) <= set(GENRES) else dict.fromkeys(others, "")
    chosen = {child for child in others if does[child] in kinds and does[child] not in GENRES}
    return [
        "" if genre in kinds or child in chosen else f"parents are not taken of documents of the genre {genre!r}"
        for child, genre in zip(growth.children, genres, strict=True)
    ]


def _parent(growth: Growth, place: int) -> Extent:
    child, leaves, settings = growth.children[place], growth.leaves, growth.settings
    if leaves.parent_rows[child] < 0:
        return growth.alone(place, "it has no parent")
    first, last = family(leaves, child)
    if first == last:
        return growth.run(place, child, child, "the child is its whole parent")
    limit, count = growth.limit(place), last - first + 1
    aim = settings.parent_ratio * float(growth.sizes[child]) if settings.parent_ratio else float("inf")
    whole = growth.size(first, last)
    if whole <= min(limit, aim):
        return growth.run(place, first, last, f"the whole parent: {count} leaves")
    low, high = _grown(growth, child, (first, last), limit, aim)
    if (low, high) == (first, last):
        return growth.run(place, first, last, f"the whole parent: {count} leaves")
    shared = whole > limit and aim > growth.size(low, high)
    if low == high:
        reason = "no sibling fits its share of the budget" if shared else "a sibling would pass its ratio"
        return growth.alone(place, reason)
    ends = "the share ends there" if shared else f"about {settings.parent_ratio:g} times the child"
    return growth.run(place, low, high, f"{high - low + 1} of the parent's {count} leaves: {ends}")


def _grown(growth: Growth, child: int, whole: tuple[int, int], limit: int, aim: float) -> tuple[int, int]:
    """The run of siblings around the child, the better-scored side first: never over ``limit``, as near to ``aim``."""
    low = high = child
    sizes = growth.sizes
    used = int(sizes[child])
    while True:
        options = [
            index
            for index in (low - 1, high + 1)
            if whole[0] <= index <= whole[1] and used + sizes[index] <= limit and used + sizes[index] / 2 <= aim
        ]
        if not options:
            return low, high
        best = max(options, key=lambda index: (growth.score(index), -index))
        low, high = min(low, best), max(high, best)
        used += int(sizes[best])
