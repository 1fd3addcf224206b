"""How clustered the evidence of a question is, and which way of growing a child suits that."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from core.retrieval import Ranking

TOP = 10  # hits looked at: about as many as the usual budget holds
# From this share on, hits come in families: reading what stands between them is more likely to help than to dilute.
MANY = 0.5


@dataclass(frozen=True, slots=True)
class Clustered:
    """Of the ``hits`` best hits, the shares that have another one of them in their parent, and in their document.

    ``expansions``: the strategies of ``core.settings.EXPANSIONS`` that suit it, the fittest first. ``advice``: the same
    as a sentence.
    """

    hits: int
    in_parent: float
    in_document: float
    expansions: tuple[str, ...]
    advice: str


def clustered(ranking: Ranking, top: int = TOP) -> Clustered:
    """How the best ``top`` hits lie: a leaf without a parent shares none. One hit alone lies by itself."""
    hits = ranking.pool[ranking.kept[:top]]
    parents = [int(parent) for parent in ranking.leaves.parent_rows[hits]]
    in_parent = _shared([parent if parent >= 0 else ("none", place) for place, parent in enumerate(parents)])
    in_document = _shared([int(document) for document in ranking.leaves.documents[hits]])
    count = len(hits)
    if count < 2:
        return Clustered(count, in_parent, in_document, (), "Too few hits to tell how the evidence lies.")
    found = f"{round(in_parent * count)} of the best {count} hits share a parent with another"
    if in_parent >= MANY:
        expansions: tuple[str, ...] = ("auto-merge", "parent")
        said = "the evidence is clustered, and whole parents (auto-merge or parent) read it together."
    elif in_document >= MANY:
        expansions = ("window",)
        found += f", but {round(in_document * count)} a document"
        said = "a window around each reads enough of what stands near it."
    else:
        expansions = ("flat", "window")
        said = "the evidence is scattered, and single children (flat), or small windows, leave room for more of it."
    return Clustered(count, in_parent, in_document, expansions, f"{found}: {said}")


def _shared(homes: Sequence[Hashable]) -> float:
    """The share of the homes that occur more than once.

    >>> _shared(["a", "b", "a", "c"])
    0.5
    """
    sizes = Counter(homes)
    return sum(sizes[home] > 1 for home in homes) / len(homes) if homes else 0.0
