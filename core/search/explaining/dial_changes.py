"""The single-setting changes that ``why_not`` tries, and their sizes."""

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
MOST_LEAVES = 1000  # the maximum of ``retrieval.k``
LARGEST_BUDGET = 1_000_000  # the maximum of ``assembly.budget_tokens``
CHOICE = 0.5  # the size of a change to another option of a list
_FEW_STEPS = 3  # steps of a setting for which every step runs the re-ranker again
_BEFORE_RERANKING = ("understanding", "retrieval", "diversity")
RANKING_STAGES = (*_BEFORE_RERANKING, "reranking")

_TENTHS = tuple(n / 10 for n in range(11))
_TO_TWO = tuple(n / 10 for n in range(21))
_QUARTERS = (0.0, 0.25, 0.5, 0.75, 1.0)
_LEAVES = (1, 2, 3, 5, 7, 10, 15, 20, 30, 40, 50, 70, 100, 150, 200, 300, 500, 700, MOST_LEAVES)
# The values that are tried for each numeric setting; those that make no difference under the settings are skipped.
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
    "expansion.confidence": _TENTHS,
    "expansion.merge_share": (0.05, *_TENTHS[1:]),
    "retrieval.rrf_k": (1, 3, 10, 20, 40, 60, 100, 200, 500, 1000),
    "diversity.candidates": (2, 5, 10, 20, 50, 100, 200, 500, 1000),
    "reranking.window_sentences": (0, 1, 2, 3, 5, 8),
}
RAISED = (NUMBER, "reranking.candidates", "reranking.keep", BUDGET)  # only higher values can admit a place
LOWERED = ("retrieval.min_similarity", ENDING)  # only lower values can admit a place
CHOICES: dict[str, tuple[Any, ...]] = {
    "retrieval.fusion": FUSIONS,
    "retrieval.lexical_engine": LEXICAL_ENGINES,
    "understanding.rewrite": (False,),
    "understanding.decompose": (False,),
    "understanding.imagined_answers": (0,),
    "diversity.method": DIVERSITIES,
    "reranking.model": ("",),
    "reranking.unit": RERANKING_UNITS,
    "expansion.strategy": EXPANSIONS,
    "assembly.unit": READING_UNITS,
}


def steps(settings: Settings, genre: str = "") -> Iterator[tuple[float, str, Settings]]:
    """Changes of one setting that may admit a place: the size of the change, the setting's name, the changed settings.

    The size of a numeric change is the part of the setting's rungs it moves over. A re-ranker or a language model is
    never switched on, since that takes seconds; with a re-ranker on, settings that make it read again get few steps.
    ``genre``: that of the document.
    """
    values: dict[str, list[tuple[float, Any]]] = {
        name: rung_steps(settings.value(name), rungs) for name, rungs in RUNGS.items()
    }
    values[BUDGET] = rung_steps(settings.assembly.budget_tokens, budgets(settings.assembly.budget_tokens, 64))
    for name in (*RAISED, *LOWERED):
        before = settings.value(name)
        values[name] = [step for step in values[name] if (step[1] > before) == (name in RAISED)]
    if not settings.reranking.keep:  # 0 keeps all
        del values["reranking.keep"]
    kinds = settings.expansion.kinds
    for name, choices in {**CHOICES, "expansion.kinds": ((*kinds, genre), (genre,), ())}.items():
        values[name] = [(CHOICE, choice) for choice in dict.fromkeys(choices) if choice != settings.value(name)]
    if not genre or genre in kinds:
        values["expansion.kinds"] = [step for step in values["expansion.kinds"] if not step[1]]
    brings = settings.expansion.brings
    values["expansion.brings"] = [(CHOICE, (*brings, one)) for one in BRINGS if one not in brings]
    for name, sized_values in values.items():
        changed = list(_valid(settings, name, sized_values))
        rereads = name.partition(".")[0] in _BEFORE_RERANKING or name == "reranking.window_sentences"
        if not settings.reranking.off and rereads and name != NUMBER:
            changed = evenly_sampled(changed, _FEW_STEPS)
        yield from ((size, name, one) for size, one in changed)


def budgets(before: int, widest: int) -> list[int]:
    """The budget and larger ones, up to ``widest`` times it: four per doubling, multiples of 50.

    >>> budgets(1000, 64)[:4], budgets(1000, 64)[-1]
    ([1000, 1200, 1450, 1700], 64000)
    """
    greater = (-(-int(before * 2 ** (step / 4)) // 50) * 50 for step in range(1, 4 * widest.bit_length() - 3))
    return [before, *dict.fromkeys(tokens for tokens in greater if before < tokens <= LARGEST_BUDGET)]


def rung_steps(before: float, rungs: Sequence[float]) -> list[tuple[float, float]]:
    """The other rungs, nearest first, each with its distance as a share of the ladder.

    A value between two rungs is half a rung from both.

    >>> rung_steps(60, (20, 60, 100, 200, 500)), rung_steps(70, (60, 100))
    ([(0.25, 20), (0.25, 100), (0.5, 200), (0.75, 500)], [(0.5, 60), (0.5, 100)])
    """
    position = bisect_left(rungs, before) - (0.0 if before in rungs else 0.5)
    length = max(1, len(rungs) - 1)
    return sorted((abs(index - position) / length, value) for index, value in enumerate(rungs) if value != before)


def evenly_sampled(values: Sequence[Any], most: int) -> list[Any]:
    """At most ``most`` of the values, evenly spaced, the first and the last included.

    >>> evenly_sampled([1, 2, 3, 4, 5], 3), evenly_sampled([1, 2], 3)
    ([1, 3, 5], [1, 2])
    """
    if len(values) <= most:
        return list(values)
    return [values[index * (len(values) - 1) // (most - 1)] for index in range(most)]


def _valid(settings: Settings, name: str, values: Sequence[tuple[float, Any]]) -> Iterator[tuple[float, Settings]]:
    """The settings with each value, with its size; without invalid ones and those that make no difference."""
    stage = name.partition(".")[0]
    before = stage_fingerprint(getattr(settings, stage))
    for size, value in values:
        try:
            changed = settings.with_value(name, value)
        except SettingsError:  # some dials exclude each other: both weights cannot be 0
            continue
        if stage_fingerprint(getattr(changed, stage)) != before:
            yield size, changed
