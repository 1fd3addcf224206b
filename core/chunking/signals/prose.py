"""The common part of the chunkers that choose cuts between sentences.

Headings, lists, tables and code are cut as in ``structure``. Paragraphs become sentences, a leaf begins at every
sentence that the chunker chose, and a leaf that is still too large is packed evenly, with cuts where cohesion is low.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from core.chunking.atoms import CUT_SENTENCE, CUT_TITLE, Atom, Splitter
from core.chunking.chunkers.structure import Item, structured
from core.chunking.plan import ChunkingContext, Plan
from core.text.spans import trim
from core.types import BlockKind, Span

_PROSE = frozenset({BlockKind.PARAGRAPH, BlockKind.QUOTE, BlockKind.FOOTNOTE})
# Names (``Atom.what``) of atoms that begin with a sentence, as opposed to parts of a table, list or long sentence.
_WHOLE_ATOMS = frozenset({"sentence", "paragraph", "list", "table", "code block", "quotation", "HTML block", "caption"})
_COHESION_COST = 0.4  # added to the halved cost of ``structure`` for a cut at a gap of cohesion 1


def sentence_plan(
    context: ChunkingContext, cuts: Mapping[int, str], cohesion: NDArray[np.float64] | None = None
) -> Plan:
    """A plan in which a leaf begins at every sentence of ``cuts``.

    ``cuts``: index into ``context.sentences`` to the reason. ``cohesion``: ``(n - 1,)`` in [0, 1], how much the
    sentences at a gap belong together; it is the cost of further cuts that the size needs. ``None`` keeps the costs of
    ``structure``. No leaf begins inside a list, table or code block that fits, nor between a heading, title or lead-in
    and the text it introduces.
    """
    sentences = context.sentences
    ends = [span.end for span in sentences]
    number_at = {span.start: number for number, span in enumerate(sentences)}
    splitter = Splitter(context.tokens)
    costs = (_COHESION_COST * cohesion).tolist() if cohesion is not None else None
    text = context.document.text

    def block_atoms(item: Item, number: int, heading: int, limit: int, first_limit: int) -> list[Atom] | None:
        if item.kind not in _PROSE:
            return None
        at = bisect_right(ends, item.start)
        spans: list[Span] = []
        while at < len(sentences) and sentences[at].start < item.end:
            span = sentences[at]
            if span.start < item.start or span.end > item.end:
                clipped = trim(text, max(span.start, item.start), min(span.end, item.end))
                spans.extend([clipped] if clipped else [])
            else:
                spans.append(span)
            at += 1
        atoms = splitter.parts(spans, "sentence", number, limit, first_limit, item.bound)
        if len(atoms) == 1:
            atoms[0].what = "paragraph"
        return atoms or None

    def adjust(atoms: list[Atom]) -> None:
        for atom in atoms:
            number = number_at.get(atom.start)
            if number is None or atom.what not in _WHOLE_ATOMS:
                continue
            if number in cuts and atom.cut < CUT_TITLE:
                atom.why = cuts[number]
            elif costs is not None and number and atom.cut <= CUT_SENTENCE:
                atom.cut = atom.cut / 2 + costs[number - 1]

    return structured(context, block_atoms, adjust)


def starts_of(context: ChunkingContext, kinds: Iterable[BlockKind]) -> set[int]:
    """The indices of the sentences that a block of these kinds begins with."""
    kinds, text = frozenset(kinds), context.document.text
    spans = (trim(text, block.start, block.end) for block in context.document.blocks if block.kind in kinds)
    starts = {span.start for span in spans if span is not None}
    return {number for number, span in enumerate(context.sentences) if span.start in starts} if starts else set()


def section_starts(context: ChunkingContext) -> set[int]:
    """The indices of the sentences that are headings; a leaf always begins there."""
    return starts_of(context, [BlockKind.HEADING])


def tokens_before(context: ChunkingContext) -> list[int]:
    """``(n + 1,)`` cumulative tokens: before each sentence, and at the end of the last one."""
    before = [context.tokens.index(span.start) for span in context.sentences]
    return [*before, context.tokens.index(context.sentences[-1].end)] if before else [0]


def apply_min_tokens(context: ChunkingContext, cuts: Iterable[int], cohesion: NDArray[np.float64]) -> list[int]:
    """``without_small_pieces`` for ``settings.min_tokens``; 0 is off."""
    least = context.settings.min_tokens
    if not least:
        return sorted(cuts)
    return without_small_pieces(cuts, cohesion, tokens_before(context), least, section_starts(context))


def without_small_pieces(
    cuts: Iterable[int],
    cohesion: NDArray[np.float64],
    before: Sequence[int],
    least: int,
    fixed: Iterable[int] = (),
) -> list[int]:
    """The cuts that leave no piece of fewer than ``least`` tokens: a smaller piece joins its more cohesive neighbour.

    ``cohesion``: ``(n - 1,)`` per gap. ``before``: cumulative tokens (``tokens_before``). ``least``: 0 is off.
    ``fixed``: cuts that always stay. Cuts are dropped in order of falling cohesion; one pass is enough, because pieces
    only grow.

    >>> without_small_pieces([1, 2], np.array([0.2, 0.9, 0.5]), [0, 10, 12, 22, 32], 5)
    [1]
    """
    remaining = set(cuts)
    if least <= 0:
        return sorted(remaining)
    permanent = {0, len(before) - 1, *fixed}
    bounds = sorted(remaining | permanent)
    index = {bound: at for at, bound in enumerate(bounds)}
    # The remaining bounds as a doubly linked list.
    left, right = [at - 1 for at in range(len(bounds))], [at + 1 for at in range(len(bounds))]
    for cut in sorted(remaining - permanent, key=lambda cut: (-cohesion[cut - 1], cut)):
        at = index[cut]
        low, high = bounds[left[at]], bounds[right[at]]
        if min(before[cut] - before[low], before[high] - before[cut]) < least:
            remaining.discard(cut)
            right[left[at]], left[right[at]] = right[at], left[at]
    return sorted(remaining)


def ranks(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """The rank of each value in [0, 1]: the share of the others that are smaller; equal values share a rank.

    >>> ranks(np.array([0.3, 0.1, 0.3, 0.9])).round(2).tolist()
    [0.33, 0.0, 0.33, 1.0]
    """
    if len(values) < 2:
        return np.zeros(len(values))
    return np.searchsorted(np.sort(values), values) / (len(values) - 1)
