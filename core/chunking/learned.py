"""Cuts where a section is likely to start, as the headings of one's own library have taught it.

For texts that have no headings: transcripts, notes, scans. ``section_starts`` is the classifier.
"""

from __future__ import annotations

import numpy as np

from core.chunking.plan import Frame, Plan
from core.chunking.prose import section_starts, sentence_plan, tokens_before, without_crumbs
from core.chunking.semantic import NO_ENCODER, semantic
from core.chunking.texttiling import texttiling

_NEIGHBOURS = 2  # sentences to either side that must be less likely to start a section
_UNTAUGHT = "the library has too few headings to learn from where sections start"


def learned(frame: Frame) -> Plan:
    """Leaves that begin where a section starts with ``settings.learned_probability``, the likeliest place around it.

    Without a classifier it does what ``semantic`` does, and without an encoder ``texttiling``.
    """
    vectors = frame.vectors()
    if vectors is None:
        return texttiling(frame).instead("texttiling", NO_ENCODER)
    if frame.aids.starts is None:
        return semantic(frame).instead("semantic", _UNTAUGHT)
    settings = frame.settings
    chances = frame.aids.starts.probability(frame.document, frame.sentences, vectors)
    around = chances
    if len(chances):  # a text of front matter alone has no sentence
        padded = np.pad(chances, _NEIGHBOURS)
        around = np.lib.stride_tricks.sliding_window_view(padded, 2 * _NEIGHBOURS + 1).max(axis=1)
    likely = np.flatnonzero((chances >= settings.learned_probability) & (chances == around)).tolist()
    likeness = 1.0 - chances[1:]
    cuts = [cut for cut in likely if cut]
    if settings.min_tokens:
        cuts = without_crumbs(cuts, likeness, tokens_before(frame), settings.min_tokens, section_starts(frame))
    least = f"at least {settings.learned_probability:.2f} is asked for"
    why = {cut: f"a section starts here with a probability of {chances[cut]:.2f}; {least}" for cut in cuts}
    return sentence_plan(frame, why, likeness)
