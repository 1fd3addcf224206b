"""What the dials of a question can be turned to, for whoever looks for the smallest change."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import Any

from core.errors import SettingsError
from core.settings import (
    BRINGS,
    DIVERSITIES,
    EXPANSIONS,
    FUSIONS,
    LEXICAL_ENGINES,
    READING_UNITS,
    RERANKING_UNITS,
    Settings,
    stage_fingerprint,
)

BUDGET, NUMBER, ENDING = "assembly.budget_tokens", "retrieval.k", "assembly.stop_below"
MOST_LEAVES = 1000  # what ``retrieval.k`` can be
LARGEST_BUDGET = 1_000_000  # what ``assembly.budget_tokens`` can be
LARGEST_IN_MEMORY = 20_000  # leaves: "rank-bm25" takes seconds and hundreds of megabytes to build over many more
CHOICE = 0.5  # the size of another choice of a list: half a dial's way
_FEW = 3  # steps of a dial where every step has the best passages read again
_BEFORE_RERANKING = ("understanding", "retrieval", "diversity")
RANKING_STAGES = (*_BEFORE_RERANKING, "reranking")

_TENTHS = tuple(n / 10 for n in range(11))
_TO_TWO = tuple(n / 10 for n in range(21))
_QUARTERS = (0.0, 0.25, 0.5, 0.75, 1.0)
_WEIGHTS = (0.0, 0.5, 1.0, 2.0)
_LEAVES = (1, 2, 3, 5, 7, 10, 15, 20, 30, 40, 50, 70, 100, 150, 200, 300, 500, 700, MOST_LEAVES)
# The rungs of each dial. What a stage does not read is left out by itself, since nothing changes.
RUNGS: dict[str, tuple[float, ...]] = {
    NUMBER: _LEAVES,
    "reranking.candidates": _LEAVES,
    "reranking.keep": _LEAVES,
    "retrieval.min_similarity": tuple(n / 10 for n in range(-10, 11)),
    ENDING: tuple(n / 25 for n in range(26)),
    "retrieval.dense_weight": _TENTHS,
    "retrieval.lexical_weight": _TENTHS,
    "retrieval.coverage_weight": _TENTHS,
    "retrieval.neighbour_share": _TENTHS,
    "retrieval.parent_share": _TO_TWO,
    "retrieval.document_share": _TO_TWO,
    "diversity.relevance": _TENTHS,
    "reranking.blend": _QUARTERS,
    "reranking.neighbour_share": _QUARTERS,
    "expansion.max_share": _TENTHS[1:],
    "expansion.share_decay": (0.0, 0.5, 1.0, 1.5, 2.0),
    "expansion.window_sentences": (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 15, 20),
    "expansion.parent_ratio": (0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 12.0, 15.0, 20.0),
    "expansion.confidence": _TENTHS,
    "expansion.merge_share": (0.05, *_TENTHS[1:]),
    "retrieval.rrf_k": (1, 3, 10, 20, 40, 60, 100, 200, 500, 1000),
    "retrieval.title_boost": _WEIGHTS,
    "retrieval.headings_boost": _WEIGHTS,
    "retrieval.captions_boost": _WEIGHTS,
    "retrieval.text_boost": _WEIGHTS,
    "diversity.candidates": (2, 5, 10, 20, 50, 100, 200, 500, 1000),
    "reranking.window_sentences": (0, 1, 2, 3, 5, 8),
}
RAISED = (NUMBER, "reranking.candidates", "reranking.keep", BUDGET)  # less of these lets nothing in
LOWERED = ("retrieval.min_similarity", ENDING)  # thresholds: only lower values let something in
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
}


def steps(settings: Settings, genre: str = "", leaves: int = 0) -> Iterator[tuple[float, str, Settings]]:
    """Settings that differ in one dial and may have more read: the size of the change, the dial, the settings.

    A size is the part of the dial's rungs that is climbed. A re-ranker is never switched on, nor a language model asked
    for more: that costs seconds; where a re-ranker is on, dials that have it read anew have few steps. ``genre``: of
    the document that is to be read. ``leaves``: of the library.
    """
    values: dict[str, list[tuple[float, Any]]] = {
        name: climbed(value_of(settings, name), rungs) for name, rungs in RUNGS.items()
    }
    values[BUDGET] = climbed(settings.assembly.budget_tokens, budgets(settings.assembly.budget_tokens, 64))
    for name in (*RAISED, *LOWERED):
        before = value_of(settings, name)
        values[name] = [step for step in values[name] if (step[1] > before) == (name in RAISED)]
    if not settings.reranking.keep:  # all of them are kept
        del values["reranking.keep"]
    kinds = settings.expansion.kinds
    for name, choices in {**CHOICES, "expansion.kinds": ((*kinds, genre), (genre,), ())}.items():
        values[name] = [(CHOICE, choice) for choice in dict.fromkeys(choices) if choice != value_of(settings, name)]
    if not genre or genre in kinds:
        values["expansion.kinds"] = [step for step in values["expansion.kinds"] if not step[1]]
    brings = settings.expansion.brings
    values["expansion.brings"] = [(CHOICE, (*brings, one)) for one in BRINGS if one not in brings]
    if leaves > LARGEST_IN_MEMORY:
        del values["retrieval.lexical_engine"]
    for name, found in values.items():
        turned = list(_valid(settings, name, found))
        rereads = name.partition(".")[0] in _BEFORE_RERANKING or name == "reranking.window_sentences"
        if not settings.reranking.off and rereads and name != NUMBER:
            turned = thinned(turned, _FEW)
        yield from ((size, name, one) for size, one in turned)


def budgets(before: int, widest: int) -> list[int]:
    """The budget, and greater ones to ``widest`` times it: four to each doubling, in fifties, as a person sets them.

    >>> budgets(1000, 64)[:4], budgets(1000, 64)[-1]
    ([1000, 1200, 1450, 1700], 64000)
    """
    greater = (-(-int(before * 2 ** (step / 4)) // 50) * 50 for step in range(1, 4 * widest.bit_length() - 3))
    return [before, *dict.fromkeys(tokens for tokens in greater if before < tokens <= LARGEST_BUDGET)]


def climbed(before: float, rungs: Sequence[float]) -> list[tuple[float, float]]:
    """The other rungs with the part of the ladder that they are off, nearest first; between two rungs is half way.

    >>> climbed(60, (20, 60, 100, 200, 500)), climbed(70, (60, 100))
    ([(0.25, 20), (0.25, 100), (0.5, 200), (0.75, 500)], [(0.5, 60), (0.5, 100)])
    """
    place = bisect_left(rungs, before) - (0.0 if before in rungs else 0.5)
    way = max(1, len(rungs) - 1)
    return sorted((abs(at - place) / way, value) for at, value in enumerate(rungs) if value != before)


def value_of(settings: Settings, name: str) -> Any:
    """A setting by its dotted name.

    >>> value_of(Settings(), "retrieval.rrf_k")
    60
    """
    stage, _, field = name.partition(".")
    return getattr(getattr(settings, stage), field)


def thinned(found: Sequence[Any], most: int) -> list[Any]:
    """At most so many: the first, the last, and evenly what lies between.

    >>> thinned([1, 2, 3, 4, 5], 3), thinned([1, 2], 3)
    ([1, 3, 5], [1, 2])
    """
    if len(found) <= most:
        return list(found)
    return [found[at * (len(found) - 1) // (most - 1)] for at in range(most)]


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
