"""Cuts where a classifier trained on the library's own headings sees a section start.

For texts without headings: transcripts, notes, scans. The classifier is in ``signals.section_starts``.
"""

from __future__ import annotations

import numpy as np

from core.chunking.chunkers.semantic import NO_ENCODER, semantic
from core.chunking.chunkers.texttiling import texttiling
from core.chunking.plan import ChunkingContext, Plan
from core.chunking.signals.prose import apply_min_tokens, sentence_plan

_NEIGHBOURS = 2  # a cut must have the highest probability within this many sentences to either side
_UNTAUGHT = "the library has too few headings to learn from where sections start"


def learned(context: ChunkingContext) -> Plan:
    """Leaves begin where a section start has at least ``settings.learned_probability``, at a local maximum.

    Without a classifier it is ``semantic``, without an encoder ``texttiling``.
    """
    vectors = context.vectors()
    if vectors is None:
        return texttiling(context).as_fallback("texttiling", NO_ENCODER)
    if context.resources.starts is None:
        return semantic(context).as_fallback("semantic", _UNTAUGHT)
    settings = context.settings
    probability = context.resources.starts.probability(context.document, context.sentences, vectors)
    local_maximum = probability
    if len(probability):  # a text of front matter alone has no sentence
        padded = np.pad(probability, _NEIGHBOURS)
        local_maximum = np.lib.stride_tricks.sliding_window_view(padded, 2 * _NEIGHBOURS + 1).max(axis=1)
    is_start = (probability >= settings.learned_probability) & (probability == local_maximum)
    cohesion = 1.0 - probability[1:]
    cuts = apply_min_tokens(context, [cut for cut in np.flatnonzero(is_start).tolist() if cut], cohesion)
    least = f"at least {settings.learned_probability:.2f} is asked for"
    why = {cut: f"a section starts here with a probability of {probability[cut]:.2f}; {least}" for cut in cuts}
    return sentence_plan(context, why, cohesion)
