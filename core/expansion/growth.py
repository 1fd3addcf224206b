"""One ranking about to grow: what every expander is given, and the share that holds each child back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.expansion.extents import Extent
from core.expansion.reads import ExpansionReads
from core.expansion.standing import Values
from core.retrieval import Ranking
from core.settings import ExpansionSettings
from core.storage.leaves import LeafTable
from core.types import Span

Sizes = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Growth:
    """``children``: leaf indices of the kept, best first; a child's place is its position there.

    ``relevances`` and ``confidences`` are aligned with them. ``sizes``: of every leaf of the snapshot, in the budget's
    unit. ``budget``: the reader's whole room. ``intent``: of the question, "" where it is not known.
    """

    ranking: Ranking
    settings: ExpansionSettings
    sizes: Sizes
    budget: int
    reads: ExpansionReads
    intent: str
    children: Sequence[int]
    relevances: Values
    confidences: Values

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
        return self.text(place, self.span(first, last), reason)

    def text(self, place: int, span: Span, reason: str) -> Extent:
        """Some text of its document for the child at this place."""
        child = self.children[place]
        document = int(self.leaves.documents[child])
        return Extent(child, document, span.start, span.end, reason, float(self.relevances[place]))
