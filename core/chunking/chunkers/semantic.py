"""Cuts where the meaning changes: where the similarity of the text before and after a gap falls below a threshold.

After Kamradt, "5 Levels of Text Splitting" (2024), level 4; ``signals.breakpoints`` lists the differences. A piece
below ``min_tokens`` is not dropped, but joins the more similar neighbour. A piece too large for a leaf is cut again
where its sentences are least similar.
"""

from __future__ import annotations

from core.chunking.chunkers.texttiling import texttiling
from core.chunking.plan import ChunkingContext, Plan
from core.chunking.signals.breakpoints import Similarities, breakpoints, cutoff, lowest, similarities
from core.chunking.signals.prose import apply_min_tokens, ranks, sentence_plan
from core.settings import ChunkingSettings
from core.text.values.numerals import ordinal

NO_ENCODER = "without an embedder there are no vectors to compare"


def semantic(context: ChunkingContext) -> Plan:
    """Leaves that begin where the similarity of neighbouring sentences falls; without an encoder, ``texttiling``."""
    vectors = context.vectors()
    if vectors is None:
        return texttiling(context).as_fallback("texttiling", NO_ENCODER)
    settings = context.settings
    curve = similarities(vectors, settings.semantic_buffer)
    below = breakpoints(curve, settings.semantic_threshold, threshold_value(settings))
    gaps = lowest(below, curve, settings.semantic_buffer)
    gap_ranks = ranks(curve)
    cuts = apply_min_tokens(context, (gaps + 1).tolist(), gap_ranks)
    return sentence_plan(context, _reasons(cuts, curve, settings), gap_ranks)


def threshold_value(settings: ChunkingSettings) -> float:
    """The value of the chosen kind of threshold.

    >>> threshold_value(ChunkingSettings(semantic_threshold="absolute", semantic_absolute=0.3))
    0.3
    """
    return float(getattr(settings, f"semantic_{settings.semantic_threshold}"))


def _reasons(cuts: list[int], curve: Similarities, settings: ChunkingSettings) -> dict[int, str]:
    """For the first sentence of every leaf, why the leaf begins there."""
    kind, value = settings.semantic_threshold, threshold_value(settings)
    bound = cutoff(curve, kind, value)
    if kind == "gradient":
        rule = f"at the foot of a fall steeper than {-bound:.2f} a sentence ({_ordinal(value)} percentile of slopes)"
        return {cut: f"similarity falls to {curve[cut - 1]:.2f}, {rule}" for cut in cuts}
    origin = {
        "percentile": f" ({_ordinal(value)} percentile)",
        "zscore": f" ({value:g} standard deviations below the mean)",
        "interquartile": f" ({value:g} interquartile ranges below the mean)",
    }.get(kind, "")
    return {cut: f"similarity falls to {_distinct(float(curve[cut - 1]), bound)}{origin}" for cut in cuts}


def _distinct(low: float, bound: float) -> str:
    """Both numbers with as many digits as make them differ, at least two.

    >>> _distinct(0.312, 0.42), _distinct(0.4199, 0.4201)
    ('0.31, below 0.42', '0.4199, below 0.4201')
    """
    digits = 2
    while f"{low:.{digits}f}" == f"{bound:.{digits}f}" and digits < 9:
        digits += 1
    return f"{low:.{digits}f}, below {bound:.{digits}f}"


def _ordinal(value: float) -> str:
    """A percentile as an ordinal number.

    >>> _ordinal(80), _ordinal(91.0), _ordinal(12), _ordinal(97.5)
    ('80th', '91st', '12th', '97.5th')
    """
    return ordinal(int(value)) if value == int(value) else f"{value:g}th"
