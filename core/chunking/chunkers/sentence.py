"""Chunks of a fixed number of whole sentences.

As LlamaIndex's sentence window and most libraries' sentence splitters, but the count starts again at headings and
tables.
"""

from __future__ import annotations

import numpy as np

from core.chunking.plan import ChunkingContext, Plan
from core.chunking.signals.prose import apply_min_tokens, section_starts, sentence_plan, starts_of, tokens_before
from core.types import BlockKind

_SET_APART = (BlockKind.TABLE, BlockKind.CODE, BlockKind.HTML)


def sentence(context: ChunkingContext) -> Plan:
    """Leaves of ``settings.sentences`` sentences; fewer where they do not fit or a section ends.

    A leaf has more where that many sentences have fewer than ``min_tokens``. The count starts again at a heading, which
    counts as one with the first sentence below it, and around tables and code.
    """
    size, least = context.settings.sentences, context.settings.min_tokens
    headings, apart = section_starts(context), starts_of(context, _SET_APART)
    cuts: dict[int, str] = {}
    before = tokens_before(context)
    count = first = 0  # sentences of the current leaf, and the first of them
    for number in range(len(context.sentences)):
        if number in headings:
            count, first = 0, number
            continue
        if number in apart or number - 1 in apart:
            cuts[number] = "a table or code block starts here" if number in apart else "a table or code block ends here"
            count, first = 0, number
        elif count >= size and before[number] - before[first] >= least:
            cuts[number] = f"{count} sentence{' has' if count == 1 else 's have'} been counted up to here"
            count, first = 0, number
        count += 1
    no_preference = np.zeros(max(0, len(context.sentences) - 1))
    return sentence_plan(context, {number: cuts[number] for number in apply_min_tokens(context, cuts, no_preference)})
