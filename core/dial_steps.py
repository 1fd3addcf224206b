"""What the dials of a question can be turned to, the nearest value first: for whoever looks for the smallest change."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import count
from math import log2
from typing import Any

from core.errors import SettingsError
from core.retrieval.analysis import Understanding
from core.retrieval.comparing import comparison_in
from core.retrieval.splitting import parts_of
from core.settings import DIVERSITIES, EXPANSIONS, FUSIONS, READING_UNITS, Settings, stage_fingerprint

Steps = list[tuple[float, Settings]]

MOST_LEAVES = 1000  # what ``retrieval.k`` can be
LARGEST_BUDGET = 1_000_000  # what ``assembly.budget_tokens`` can be
WIDEST = 64  # the budget alone is tried up to so many times what it is
_CHOICE = 0.5  # how far another choice of a list is: half a dial's way
_FEW = 3  # steps of a dial where every step has the best passages read again
_BEFORE_RERANKING = ("understanding", "retrieval", "diversity")
RANKING_STAGES = (*_BEFORE_RERANKING, "reranking")

# Low, high and step; what a stage does not read is left out by itself, since nothing changes.
_RANGES: dict[str, tuple[float, float, float]] = {
    "retrieval.dense_weight": (0.0, 1.0, 0.1),
    "retrieval.lexical_weight": (0.0, 1.0, 0.1),
    "retrieval.coverage_weight": (0.0, 1.0, 0.1),
    "retrieval.neighbour_share": (0.0, 1.0, 0.1),
    "retrieval.parent_share": (0.0, 1.0, 0.1),
    "retrieval.document_share": (0.0, 1.0, 0.1),
    "retrieval.feedback_share": (0.0, 1.0, 0.25),
    "understanding.anchor_boost": (0.0, 3.0, 0.5),
    "understanding.intent_boost": (0.0, 3.0, 0.5),
    "understanding.genre_boost": (0.0, 3.0, 0.5),
    "understanding.place_boost": (0.0, 3.0, 0.5),
    "understanding.comparison_boost": (0.0, 3.0, 0.5),
    "understanding.prefer_recent": (0.0, 3.0, 1.0),
    "diversity.relevance": (0.0, 1.0, 0.1),
    "diversity.cluster_similarity": (0.0, 1.0, 0.1),
    "diversity.per_section": (0, 4, 1),
    "reranking.blend": (0.0, 1.0, 0.25),
    "expansion.max_share": (0.1, 1.0, 0.1),
    "expansion.share_decay": (0.0, 2.0, 0.5),
    "expansion.window_sentences": (0, 10, 1),
    "expansion.parent_ratio": (0.0, 10.0, 1.0),
    "expansion.confidence": (0.0, 1.0, 0.1),
    "expansion.merge_share": (0.1, 1.0, 0.1),
}
# Thresholds that keep something out: only lower values let it in.
_LOWERED: dict[str, tuple[float, float, float]] = {
    "retrieval.min_similarity": (-1.0, 1.0, 0.1),
    "assembly.least_gain": (0.0, 1.0, 0.05),
}
_CHOICES: dict[str, tuple[Any, ...]] = {
    "retrieval.fusion": FUSIONS,
    "understanding.split": (True, False),
    "understanding.rewrite": (False,),
    "understanding.decompose": (False,),
    "understanding.imagined_answers": (0,),
    "diversity.method": DIVERSITIES,
    "diversity.fold_twins": (True, False),
    "expansion.strategy": EXPANSIONS,
    "assembly.unit": READING_UNITS,
    "assembly.drop_repeats": (True, False),
}


def dial_steps(settings: Settings, understood: Understanding, all_kept: bool) -> Iterator[tuple[str, Steps]]:
    """Every dial but the budget that may change what is read, with valid settings that differ in it alone.

    Each has its size, the share of the dial's way, and the nearest come first. ``understood``: boosts of what a
    question does not hint at change nothing. ``all_kept``: whether every chunk in question goes on as it is, so that
    letting more go on is of no use. A re-ranker is never switched on, nor a language model asked for more: that costs
    seconds; where a re-ranker is on, dials of the stages before it have few steps.
    """
    for name, values in _values(settings, understood, all_kept):
        steps = list(_valid(settings, name, values))
        if not settings.reranking.off and name.partition(".")[0] in _BEFORE_RERANKING:
            steps = thinned(steps, _FEW)
        if steps:
            yield name, steps


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


def _values(
    settings: Settings, understood: Understanding, all_kept: bool
) -> Iterator[tuple[str, list[tuple[float, Any]]]]:
    unread = _unhinted(understood)
    for ranges, falling in ((_RANGES, False), (_LOWERED, True)):
        for name, (low, high, step) in ranges.items():
            before = value_of(settings, name)
            values = [round(low + step * n, 3) for n in range(round((high - low) / step) + 1)]
            if name not in unread:
                yield (
                    name,
                    sorted(
                        (abs(value - before) / (high - low), value)
                        for value in values
                        if (value < before if falling else value != before)
                    ),
                )
    if not all_kept:
        k = settings.retrieval.k
        doubled = [number for n in range(1, 10) if (number := k * 2**n) < MOST_LEAVES]
        yield "retrieval.k", [((number - k) / MOST_LEAVES, number) for number in (*doubled, MOST_LEAVES) if number > k]
    for name, choices in _CHOICES.items():
        before = value_of(settings, name)
        if name not in unread:
            yield name, [(_CHOICE, choice) for choice in choices if choice != before]
    if not settings.reranking.off:
        yield "reranking.model", [(_CHOICE, "")]
        yield "reranking.keep", [(_CHOICE, 0)] if settings.reranking.keep else []


def _unhinted(understood: Understanding) -> set[str]:
    """Dials of what the question does not hint at."""
    kinds = {one.kind for one in understood.leanings}
    hinted = {
        "understanding.anchor_boost": bool(understood.anchors),
        "understanding.intent_boost": bool(understood.intent),
        "understanding.genre_boost": "genre" in kinds,
        "understanding.place_boost": bool(kinds - {"genre", "intent"}),
        "understanding.comparison_boost": comparison_in(understood.text) is not None,
        "understanding.split": bool(parts_of(understood.text)),
    }
    return {name for name, there in hinted.items() if not there}


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
