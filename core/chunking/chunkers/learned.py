"""Cuts where a section is likely to start, as the headings of one's own library have taught it.

For texts that have no headings: transcripts, notes, scans. ``section_starts`` is the classifier.
"""

from __future__ import annotations

import numpy as np

from core.chunking.chunkers.semantic import NO_ENCODER, semantic
from core.chunking.chunkers.texttiling import texttiling
from core.chunking.plan import ChunkingContext, Plan
from core.chunking.signals.prose import large_enough, sentence_plan

_NEIGHBOURS = 2  # sentences to either side that must be less likely to start a section
_UNTAUGHT = "the library has too few headings to learn from where sections start"


def learned(context: ChunkingContext) -> Plan:
    """Leaves that begin where a section starts with ``settings.learned_probability``, the likeliest place around it.

    Without a classifier it does what ``semantic`` does, and without an encoder ``texttiling``.
    """
    vectors = context.vectors()
    if vectors is None:
        return texttiling(context).instead("texttiling", NO_ENCODER)
    if context.resources.starts is None:
        return semantic(context).instead("semantic", _UNTAUGHT)
    settings = context.settings
    chances = context.resources.starts.probability(context.document, context.sentences, vectors)
    around = chances
    if len(chances):  # a text of front matter alone has no sentence
        padded = np.pad(chances, _NEIGHBOURS)
        around = np.lib.stride_tricks.sliding_window_view(padded, 2 * _NEIGHBOURS + 1).max(axis=1)
    likely = np.flatnonzero((chances >= settings.learned_probability) & (chances == around)).tolist()
    likeness = 1.0 - chances[1:]
    cuts = large_enough(context, [cut for cut in likely if cut], likeness)
    least = f"at least {settings.learned_probability:.2f} is asked for"
    why = {cut: f"a section starts here with a probability of {chances[cut]:.2f}; {least}" for cut in cuts}
    return sentence_plan(context, why, likeness)
