"""So many sentences a chunk: the unit that answers are quoted in, counted and never torn.

LlamaIndex's sentence window and most libraries' sentence splitters; theirs count on past headings and tables.
"""

from __future__ import annotations

import numpy as np

from core.chunking.plan import ChunkingContext, Plan
from core.chunking.signals.prose import large_enough, section_starts, sentence_plan, starts_of, tokens_before
from core.types import BlockKind

_SET_APART = (BlockKind.TABLE, BlockKind.CODE, BlockKind.HTML)


def sentence(context: ChunkingContext) -> Plan:
    """Leaves of ``settings.sentences`` sentences, fewer where they would not fit or where a section ends.

    There are more in one where so many have fewer than ``min_tokens``. The count begins anew at a heading, which
    counts with the first sentence below it, and around tables and code.
    """
    size, least = context.settings.sentences, context.settings.min_tokens
    headings, apart = section_starts(context), starts_of(context, _SET_APART)
    cuts: dict[int, str] = {}
    before = tokens_before(context)
    count = begun = 0
    for number in range(len(context.sentences)):
        if number in headings:
            count, begun = 0, number
            continue
        if number in apart or number - 1 in apart:
            cuts[number] = "a table or code block starts here" if number in apart else "a table or code block ends here"
            count, begun = 0, number
        elif count >= size and before[number] - before[begun] >= least:
            cuts[number] = f"{count} sentence{' has' if count == 1 else 's have'} been counted up to here"
            count, begun = 0, number
        count += 1
    alike = np.zeros(max(0, len(context.sentences) - 1))
    return sentence_plan(context, {number: cuts[number] for number in large_enough(context, cuts, alike)})
