"""What became of every candidate, as the trace tells it, and how the best hits lie together.

The columns of the trace are those of ``Ranking.scores``: a stage that adds one there is in the trace.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import overload

import numpy as np
from numpy.typing import NDArray

from core.evidence import Candidate, Trace
from core.search.ranking.fusion import best_first
from core.search.ranking.fusion import ranks as ranks_of
from core.search.ranking.stage_scores import Ranking

# Candidates any stage ranks this high are in the trace, so that a reader sees what nearly made it.
WATCHED = 100
NONE: Mapping[str, int] = MappingProxyType({})


def build_trace(
    ranking: Ranking,
    fates: Mapping[int, str],
    chunk_ids: Callable[[Sequence[int]], Mapping[int, str]],
    timings_ms: Mapping[str, float],
    reads: Mapping[str, int] = NONE,
) -> Trace:
    """One candidate for every leaf some stage ranked among its best or expansion added, in final order.

    ``fates``: by leaf index, from assembly. ``chunk_ids``: leaf indices to public ids. What expansion added without any
    stage having looked at it comes last, without ranks. ``reads``: how often a stage behind the ranking asked the
    catalogue, by its name in ``timings_ms``.
    """
    leaves, columns = ranking.leaves, ranking.scores
    wanted = np.array(sorted(fates), dtype=np.int64)
    found, inside = _places(ranking.pool, wanted)
    best = [best_first(scores, WATCHED) for scores in columns.values()]
    entries = np.unique(np.concatenate([ranking.kept, found[inside], *best]))
    seen, unseen = ranking.pool[entries], wanted[~inside]
    everything = np.concatenate([seen, unseen])
    ids = chunk_ids(everything.tolist())
    about = [column[everything] for column in (leaves.rows, leaves.documents, leaves.starts, leaves.ends)]
    fate, matched, versions = fate_words(ranking, fates), ranking.matched, leaves.version_ids
    out = np.array([entry in ranking.dropped for entry in entries.tolist()], dtype=bool)

    def made() -> Iterator[Candidate]:
        """Without the ranking, which a result that is remembered must not hold: it holds all leaves."""
        places = {stage: ranks_of(scores)[entries] for stage, scores in columns.items()}
        final = places[list(columns)[-1]]
        order = np.lexsort((final, out))
        # Plain numbers, a tuple for each candidate: reading arrays one number at a time costs more than all the rest.
        ranks = zip(*(ranked[order].tolist() for ranked in places.values()), strict=True)
        scores = zip(*(column[entries[order]].tolist() for column in columns.values()), strict=True)
        ends: list[tuple[dict[str, int], dict[str, float], str, str]] = [
            (
                {stage: rank for stage, rank in zip(columns, ranked, strict=True) if rank},
                {stage: score for stage, score in zip(columns, scored, strict=True) if score == score},  # not nan
                fate(entry, index, ranked[-1]),
                matched.get(entry, ""),
            )
            for entry, index, ranked, scored in zip(
                entries[order].tolist(), seen[order].tolist(), ranks, scores, strict=True
            )
        ]
        ends += [({}, {}, fates[index], "") for index in unseen.tolist()]
        listed = np.concatenate([order, np.arange(len(order), len(everything))])
        rows = zip(everything[listed].tolist(), *(column[listed].tolist() for column in about), strict=True)
        for (index, row, document, start, end), told in zip(rows, ends, strict=True):
            yield Candidate(row, ids[index], versions[document], start, end, *told)

    return Trace(ranking.question, tuple(columns), LazyCandidates(made), dict(timings_ms), dict(reads))


class LazyCandidates(Sequence[Candidate]):
    """Candidates that are made when the first of them is looked at: hundreds, of which most people see none."""

    def __init__(self, make: Callable[[], Iterable[Candidate]]) -> None:
        self._make = make

    @cached_property
    def _made(self) -> tuple[Candidate, ...]:
        return tuple(self._make())

    @overload
    def __getitem__(self, place: int) -> Candidate: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[Candidate]: ...
    def __getitem__(self, place: int | slice) -> Candidate | Sequence[Candidate]:
        return self._made[place]

    def __len__(self) -> int:
        return len(self._made)


def fate_words(ranking: Ranking, fates: Mapping[int, str]) -> Callable[[int, int, int], str]:
    """What became of a leaf that a stage looked at, in words: of its place in the pool, its index and its last rank.

    ``fates``: by leaf index, from assembly.
    """
    kept, dropped = set(ranking.kept.tolist()), ranking.dropped

    def fate(entry: int, index: int, rank: int) -> str:
        if entry in kept or index in fates:  # expansion may add leaves that did not go on by themselves
            return fates.get(index, "kept")
        return dropped.get(entry, f"ranked {rank:,}: the best {len(kept):,} go on")

    return fate


def _places(pool: NDArray[np.int64], wanted: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Where in the pool, which ascends, each of the wanted leaves stands, and whether it does.

    >>> [found.tolist() for found in _places(np.array([3, 5]), np.array([5, 9]))]
    [[1, 0], [True, False]]
    """
    places = np.searchsorted(pool, wanted)
    places[places == len(pool)] = 0
    return places, pool[places] == wanted if len(pool) else np.zeros(len(wanted), bool)


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
        expansions: tuple[str, ...] = ("auto-merge", "parent", "needed")
        said = "the evidence is clustered: whole parents (auto-merge, parent; needed if no prose) read it together."
    elif in_document >= MANY:
        expansions = ("window",)
        found += f", but {round(in_document * count)} a document"
        said = "a window around each reads enough of what stands near it."
    else:
        expansions = ("flat", "needed", "window")
        said = "the evidence is scattered: single children (flat, needed) or a small window leave room for more."
    return Clustered(count, in_parent, in_document, expansions, f"{found}: {said}")


def _shared(homes: Sequence[Hashable]) -> float:
    """The share of the homes that occur more than once.

    >>> _shared(["a", "b", "a", "c"])
    0.5
    """
    sizes = Counter(homes)
    return sum(sizes[home] > 1 for home in homes) / len(homes) if homes else 0.0
