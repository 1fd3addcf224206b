"""So many sentences a chunk: the unit that answers are quoted in, counted and never torn.

LlamaIndex's sentence window and most libraries' sentence splitters; theirs count on past headings and tables.
"""

from __future__ import annotations

import numpy as np

from core.chunking.plan import Frame, Plan
from core.chunking.prose import section_starts, sentence_plan, starts_of, tokens_before, without_crumbs
from core.types import BlockKind

_SET_APART = (BlockKind.TABLE, BlockKind.CODE, BlockKind.HTML)


def sentence(frame: Frame) -> Plan:
    """Leaves of ``settings.sentences`` sentences, fewer where they would not fit or where a section ends.

    There are more in one where so many have fewer than ``min_tokens``. The count begins anew at a heading, which
    counts with the first sentence below it, and around tables and code.
    """
    size, least = frame.settings.sentences, frame.settings.min_tokens
    headings, apart = section_starts(frame), starts_of(frame, _SET_APART)
    cuts: dict[int, str] = {}
    before = tokens_before(frame)
    count = begun = 0
    for number in range(len(frame.sentences)):
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
    if least:
        alike = np.zeros(max(0, len(frame.sentences) - 1))
        kept = without_crumbs(cuts, alike, before, least, headings)
        cuts = {number: cuts[number] for number in kept}
    return sentence_plan(frame, cuts)
