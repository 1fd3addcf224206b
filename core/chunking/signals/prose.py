"""Prose as sentences on top of ``structure``: what every chunker that works by sentences does with its cuts.

Headings, lists, tables and code stay what ``structure`` makes of them. Paragraphs become sentences, a leaf begins
where the chunker says, and what is still too large is packed evenly, at the sentences that are least alike.
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
_WHOLE_ONES = frozenset({"sentence", "paragraph", "list", "table", "code block", "quotation", "HTML block", "caption"})
_PRICE_OF_LIKENESS = 0.4  # of a cut between the two most similar sentences, beside half of what structure asks


def sentence_plan(
    context: ChunkingContext, cuts: Mapping[int, str], likeness: NDArray[np.float64] | None = None
) -> Plan:
    """The plan in which a leaf begins at every sentence of ``cuts``, for the reason there.

    ``cuts``: by index into ``context.sentences``. ``likeness``: ``(n - 1,)`` in [0, 1], how much the sentences at a gap
    belong together: the dearer a cut that only the size asks for; ``None``: structure's own prices. No leaf begins
    inside a list, table or code block that fits, nor between a heading, title or lead-in and what it introduces.
    """
    sentences = context.sentences
    ends = [span.end for span in sentences]
    number_of = {span.start: number for number, span in enumerate(sentences)}
    splitter = Splitter(context.tokens)
    prices = (_PRICE_OF_LIKENESS * likeness).tolist() if likeness is not None else None
    text = context.document.text

    def own(item: Item, number: int, heading: int, limit: int, first: int) -> list[Atom] | None:
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
        atoms = splitter.parts(spans, "sentence", number, limit, first, item.bound)
        if len(atoms) == 1:
            atoms[0].what = "paragraph"
        return atoms or None

    def adjust(atoms: list[Atom]) -> None:
        for atom in atoms:
            number = number_of.get(atom.start)
            if number is None or atom.what not in _WHOLE_ONES:
                continue
            if number in cuts and atom.cut < CUT_TITLE:
                atom.why = cuts[number]
            elif prices is not None and number and atom.cut <= CUT_SENTENCE:
                atom.cut = atom.cut / 2 + prices[number - 1]

    return structured(context, own, adjust)


def starts_of(context: ChunkingContext, kinds: Iterable[BlockKind]) -> set[int]:
    """The indices of the sentences that begin with a block of these kinds."""
    wanted, text = frozenset(kinds), context.document.text
    spans = (trim(text, block.start, block.end) for block in context.document.blocks if block.kind in wanted)
    starts = {span.start for span in spans if span is not None}
    return {number for number, span in enumerate(context.sentences) if span.start in starts} if starts else set()


def section_starts(context: ChunkingContext) -> set[int]:
    """The indices of the sentences that are headings, where a leaf begins in any case."""
    return starts_of(context, [BlockKind.HEADING])


def tokens_before(context: ChunkingContext) -> list[int]:
    """``(n + 1,)`` tokens before every sentence, and at the last place those before the end of the last one."""
    before = [context.tokens.index(span.start) for span in context.sentences]
    return [*before, context.tokens.index(context.sentences[-1].end)] if before else [0]


def large_enough(context: ChunkingContext, cuts: Iterable[int], likeness: NDArray[np.float64]) -> list[int]:
    """``cuts`` without those beside a piece of fewer than ``settings.min_tokens``, 0 is off; see ``without_crumbs``."""
    least = context.settings.min_tokens
    if not least:
        return sorted(cuts)
    return without_crumbs(cuts, likeness, tokens_before(context), least, section_starts(context))


def without_crumbs(
    cuts: Iterable[int],
    likeness: NDArray[np.float64],
    before: Sequence[int],
    least: int,
    fixed: Iterable[int] = (),
) -> list[int]:
    """``cuts`` without those beside a piece of fewer than ``least`` tokens, which so joins its more similar neighbour.

    ``likeness``: ``(n - 1,)`` per gap. ``before``: as ``tokens_before`` gives it. ``least``: 0 is off. ``fixed``: where
    there is a cut in any case. The cut between the most similar sentences is taken back first, and once round is
    enough: a piece only ever grows.

    >>> without_crumbs([1, 2], np.array([0.2, 0.9, 0.5]), [0, 10, 12, 22, 32], 5)
    [1]
    """
    wanted = sorted(set(cuts))
    if least <= 0:
        return wanted
    bounds = sorted({0, len(before) - 1, *wanted, *fixed})
    place = {bound: at for at, bound in enumerate(bounds)}
    left, right = [at - 1 for at in range(len(bounds))], [at + 1 for at in range(len(bounds))]
    kept = set(wanted)
    stays = {0, len(before) - 1, *fixed}
    for cut in sorted(kept - stays, key=lambda cut: (-likeness[cut - 1], cut)):
        at = place[cut]
        low, high = bounds[left[at]], bounds[right[at]]
        if min(before[cut] - before[low], before[high] - before[cut]) < least:
            kept.discard(cut)
            right[left[at]], left[right[at]] = right[at], left[at]
    return sorted(kept)


def ranks(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Every value's share of the others that are smaller, in [0, 1]; equal values share the lowest.

    >>> ranks(np.array([0.3, 0.1, 0.3, 0.9])).round(2).tolist()
    [0.33, 0.0, 0.33, 1.0]
    """
    if len(values) < 2:
        return np.zeros(len(values))
    return np.searchsorted(np.sort(values), values) / (len(values) - 1)
