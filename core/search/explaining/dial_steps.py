"""What the dials of a question can be turned to, the nearest value first: for whoever looks for the smallest change."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from math import log2
from typing import Any

from core.errors import SettingsError
from core.search.question.analysis import Understanding
from core.settings import (
    DIVERSITIES,
    EXPANSIONS,
    FUSIONS,
    LEXICAL_ENGINES,
    READING_UNITS,
    RERANKING_UNITS,
    Settings,
    stage_fingerprint,
)

Steps = list[tuple[float, Settings]]

MOST_LEAVES = 1000  # what each of ``NUMBERS`` can be
LARGEST_BUDGET = 1_000_000  # what ``assembly.budget_tokens`` can be
WIDEST = 64  # the budget alone is tried up to so many times what it is
LARGEST_IN_MEMORY = 20_000  # leaves: "rank-bm25" takes seconds and hundreds of megabytes to build over many more
_CHOICE = 0.5  # how far another choice of a list is: half a dial's way
_FEW = 3  # steps of a dial where every step has the best passages read again
_BEFORE_RERANKING = ("understanding", "retrieval", "diversity")
RANKING_STAGES = (*_BEFORE_RERANKING, "reranking")


def _by(low: float, high: float, step: float) -> tuple[float, ...]:
    """
    >>> _by(0.0, 0.3, 0.1)
    (0.0, 0.1, 0.2, 0.3)
    """
    return tuple(round(low + step * n, 3) for n in range(round((high - low) / step) + 1))


_SHARE = _by(0.0, 1.0, 0.1)
# Values a dial is tried at; a change is as large as the part of the way from the first to the last that it goes. What
# a stage does not read is left out by itself, since nothing changes.
SCALES: dict[str, tuple[float, ...]] = {
    "retrieval.dense_weight": _SHARE,
    "retrieval.lexical_weight": _SHARE,
    "retrieval.coverage_weight": _SHARE,
    "retrieval.neighbour_share": _SHARE,
    "retrieval.parent_share": _by(0.0, 2.0, 0.1),
    "retrieval.document_share": _by(0.0, 2.0, 0.1),
    "diversity.relevance": _SHARE,
    "diversity.cluster_similarity": _SHARE,
    "reranking.blend": _by(0.0, 1.0, 0.25),
    "reranking.neighbour_share": _by(0.0, 1.0, 0.25),
    "expansion.max_share": _by(0.1, 1.0, 0.1),
    "expansion.share_decay": _by(0.0, 2.0, 0.5),
    "expansion.window_sentences": (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 15, 20),
    "expansion.parent_ratio": (*_by(0.0, 10.0, 1.0), 12.0, 15.0, 20.0),
    "expansion.confidence": _SHARE,
    "expansion.merge_share": (0.05, *_by(0.1, 1.0, 0.1)),
}
# Thresholds that keep something out: only lower values let it in.
LOWERED: dict[str, tuple[float, ...]] = {
    "retrieval.min_similarity": _by(-1.0, 1.0, 0.1),
    "assembly.least_gain": _by(0.0, 1.0, 0.05),
}
# Values that matter by their ratio: a change is as large as the part of the rungs that it climbs. Few where every value
# has all searched or read anew.
LADDERS: dict[str, tuple[float, ...]] = {
    "retrieval.rrf_k": (1, 3, 10, 20, 40, 60, 100, 200, 500, 1000),
    "retrieval.title_boost": (0.0, 0.5, 1.0, 2.0),
    "retrieval.headings_boost": (0.0, 0.5, 1.0, 2.0),
    "retrieval.captions_boost": (0.0, 0.5, 1.0, 2.0),
    "retrieval.text_boost": (0.0, 0.5, 1.0, 2.0),
    "diversity.candidates": (2, 5, 10, 20, 50, 100, 200, 500, 1000),
    "reranking.window_sentences": (0, 1, 2, 3, 5, 8),
}
CHOICES: dict[str, tuple[Any, ...]] = {
    "retrieval.fusion": FUSIONS,
    "retrieval.lexical_engine": LEXICAL_ENGINES,
    "understanding.rewrite": (False,),
    "understanding.decompose": (False,),
    "understanding.imagined_answers": (0,),
    "diversity.method": DIVERSITIES,
    "reranking.model": ("",),
    "reranking.unit": RERANKING_UNITS,
    "reranking.prefix": (True, False),
    "expansion.strategy": EXPANSIONS,
    "assembly.unit": READING_UNITS,
    "assembly.drop_repeats": (True, False),
}
# How many go on or are read: tried at greater numbers that have one more leaf of the place or around it among them, the
# least of which is wanted.
NUMBERS = ("retrieval.k", "reranking.candidates", "reranking.keep")


@dataclass(frozen=True, slots=True)
class Lost:
    """What is known of a place that is not read.

    Where what touches the place or stands around it is, 1-based and ascending: ``found``, in the order that
    ``retrieval.k`` cuts; ``spread``, in that which a re-ranker reads the first of; ``reread``, in that which it leaves
    and ``reranking.keep`` cuts. ``genre``: of its document, "" where it is not known. ``leaves``: of the whole library.
    """

    found: tuple[int, ...] = ()
    spread: tuple[int, ...] = ()
    reread: tuple[int, ...] = ()
    genre: str = ""
    leaves: int = 0


@dataclass(frozen=True, slots=True)
class Turns:
    """Valid settings that differ in one dial alone, each with its size, the share of the dial's way; nearest first.

    ``rising``: each lets in what the one before it does, and more; so the first that is enough can be searched for.
    """

    name: str
    steps: Steps
    rising: bool = False


def dial_steps(settings: Settings, understood: Understanding, lost: Lost) -> Iterator[Turns]:
    """Every dial but the budget that may change what is read.

    A re-ranker is never switched on, nor a language model asked for more: that costs seconds; where a re-ranker is on,
    dials that have it read anew have few steps.
    """
    for name, values in _values(settings, understood, lost):
        steps = list(_valid(settings, name, values))
        rising = name in NUMBERS
        if not settings.reranking.off and not rising and _rereads(name):
            steps = thinned(steps, _FEW)
        if steps:
            yield Turns(name, steps, rising)


def _rereads(name: str) -> bool:
    """Whether a re-ranker reads other passages with another value of the dial."""
    return name.partition(".")[0] in _BEFORE_RERANKING or name == "reranking.window_sentences"


def budgets(before: int, widest: int = WIDEST) -> list[int]:
    """Greater budgets, rising to ``widest`` times what it is: eight to each doubling, in fifties, as a person would
    set them.

    >>> budgets(1000)[:3], budgets(1000)[-1], budgets(900_000)
    ([1100, 1200, 1300], 64000, [981500])
    """
    found: list[int] = []
    for step in count(1):
        tokens = -(-int(before * 2 ** (step / 8)) // 50) * 50
        if tokens > LARGEST_BUDGET or step > 8 * log2(widest):
            return found
        if tokens > (found[-1] if found else before):
            found.append(tokens)
    return found


def value_of(settings: Settings, name: str) -> Any:
    """A setting by its dotted name.

    >>> value_of(Settings(), "retrieval.rrf_k")
    60
    """
    stage, _, field = name.partition(".")
    return getattr(getattr(settings, stage), field)


def thinned(steps: Sequence[Any], most: int) -> list[Any]:
    """At most so many steps: the first, the last, and evenly what lies between.

    >>> thinned([1, 2, 3, 4, 5], 3), thinned([1, 2], 3)
    ([1, 3, 5], [1, 2])
    """
    if len(steps) <= most:
        return list(steps)
    return [steps[at * (len(steps) - 1) // (most - 1)] for at in range(most)]


def _values(settings: Settings, understood: Understanding, lost: Lost) -> Iterator[tuple[str, list[tuple[float, Any]]]]:
    unread = {"retrieval.lexical_engine"} if lost.leaves > LARGEST_IN_MEMORY else set()
    for name in NUMBERS:
        before = value_of(settings, name)
        yield name, [((number - before) / MOST_LEAVES, number) for number in _numbers(settings, name, lost)]
    for name, scale in SCALES.items():
        yield name, [] if name in unread else _nearest(value_of(settings, name), scale)
    for name, scale in LOWERED.items():
        before = value_of(settings, name)
        yield name, [(size, value) for size, value in _nearest(before, scale) if value < before]
    for name, rungs in LADDERS.items():
        yield name, _by_rungs(value_of(settings, name), rungs)
    for name, choices in CHOICES.items():
        before = value_of(settings, name)
        yield name, [] if name in unread else [(_CHOICE, choice) for choice in choices if choice != before]
    yield "expansion.kinds", [(_CHOICE, genres) for genres in _genres(settings.expansion.kinds, lost.genre)]


def _numbers(settings: Settings, name: str, lost: Lost) -> list[int]:
    """Greater numbers of leaves that have one more of the place's among them."""
    if name == "retrieval.k":
        return [place for place in lost.found if place > settings.retrieval.k]
    if name == "reranking.candidates":
        return [place for place in lost.spread if place > settings.reranking.candidates]
    return [place for place in lost.reread if place > settings.reranking.keep] if settings.reranking.keep else []


def _genres(before: tuple[str, ...], genre: str) -> list[tuple[str, ...]]:
    """Genres of the documents whose leaves grow: those and the place's, that alone, all.

    >>> _genres((), "guide"), _genres(("log",), "guide"), _genres(("guide",), "guide")
    ([('guide',)], [('log', 'guide'), ('guide',), ()], [()])
    """
    own = [(*before, genre), (genre,)] if genre and genre not in before else []
    return [genres for genres in dict.fromkeys([*own, ()]) if genres != before]


def _nearest(before: float, scale: Sequence[float]) -> list[tuple[float, float]]:
    """The other values of a scale with the part of its way that they are off, nearest first.

    >>> _nearest(0.5, (0.0, 0.5, 1.0))
    [(0.5, 0.0), (0.5, 1.0)]
    """
    way = scale[-1] - scale[0]
    return sorted((abs(value - before) / way, value) for value in scale if value != before)


def _by_rungs(before: float, rungs: Sequence[float]) -> list[tuple[float, float]]:
    """The other values of a ladder with the part of its rungs that they are off, nearest first.

    A value between two rungs stands half way.

    >>> _by_rungs(60, (20, 60, 100, 200, 500)), _by_rungs(70, (60, 100))
    ([(0.25, 20), (0.25, 100), (0.5, 200), (0.75, 500)], [(0.5, 60), (0.5, 100)])
    """
    place = bisect_left(rungs, before) - (0.0 if before in rungs else 0.5)
    sized = ((abs(rung - place) / (len(rungs) - 1), value) for rung, value in enumerate(rungs))
    return sorted((size, value) for size, value in sized if value != before)


def _valid(settings: Settings, name: str, values: Sequence[tuple[float, Any]]) -> Iterator[tuple[float, Settings]]:
    """The settings with each value: those that can be, and that say something else than the settings do."""
    stage = name.partition(".")[0]
    before = stage_fingerprint(getattr(settings, stage))
    for size, value in values:
        try:
            turned = settings.with_value(name, value)
        except SettingsError:  # some dials exclude each other: both weights cannot be 0
            continue
        if stage_fingerprint(getattr(turned, stage)) != before:
            yield size, turned
