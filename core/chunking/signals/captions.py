"""What the captions of a document say, given to every piece of it that holds or stands in what they caption."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate

from core.chunking.signals.figures import captioned
from core.types import Block, BlockKind, Span

# Characters of a caption that say what its figure or table is about: of a longer one, repeated beside every group of
# rows, the rows would hardly be found by their own words.
MOST = 300
_PASSED = frozenset({BlockKind.FURNITURE, BlockKind.RULE})  # stand between a table and its caption and part nothing


def captions_of(text: str, blocks: Sequence[Block], pieces: Sequence[Span]) -> list[str]:
    """For each piece of a text the captions it holds and those of the figures and tables it holds or stands in.

    A line each, in text order, cut at a word to ``MOST`` characters; "" for none. ``pieces``: by their starts. What
    belongs to what, ``core.chunking.signals.figures`` says; what a format calls a caption is one also
    where it stands alone.

    >>> text = "Table 1: Tides.\\n\\n| a |\\n| b |\\n\\nElsewhere."
    >>> blocks = (Block(BlockKind.PARAGRAPH, 0, 15), Block(BlockKind.TABLE, 17, 28), Block(BlockKind.PARAGRAPH, 30, 40))
    >>> captions_of(text, blocks, [Span(0, 22), Span(23, 28), Span(30, 40)])
    ['Table 1: Tides.', 'Table 1: Tides.', '']
    """
    said: list[list[str]] = [[] for _ in pieces]
    reached = list(accumulate((piece.end for piece in pieces), max))
    for caption, body in _captions(text, [block for block in blocks if block.kind not in _PASSED]):
        words = _shortened(" ".join(text[caption.start : caption.end].split()))
        start, end = min(caption.start, body.start), max(caption.end, body.end)
        for at in range(bisect_right(reached, start), len(pieces)):
            if pieces[at].start >= end:
                break
            if pieces[at].overlap(caption.span) or pieces[at].overlap(body.span):
                said[at].append(words)
    return ["\n".join(lines) for lines in said]


def _captions(text: str, blocks: Sequence[Block]) -> Iterator[tuple[Block, Block]]:
    """Every caption, in order, with what it captions: a figure, a table, or itself where a figure has no text."""
    bodies: set[int] = set()
    for at, block in enumerate(blocks):
        if at in bodies:
            continue
        body = _body(text, blocks, at, bodies)
        if body is not None:
            bodies.add(body)
            yield block, blocks[body]
        elif block.kind is BlockKind.CAPTION and not _is_captioned_below(text, blocks, at):
            yield block, block


def _body(text: str, blocks: Sequence[Block], at: int, bodies: set[int]) -> int | None:
    """Which block a caption belongs to, ``None`` where it is none or stands alone.

    Between two, that of a figure stands below it and that of a table above it, unless it has one below itself.
    """
    above = at - 1 if at and _is_captioned_below(text, blocks, at - 1) else None
    below = at + 1
    while below < len(blocks) and blocks[at].kind is blocks[below].kind is BlockKind.CAPTION:
        below += 1  # several lines over one table
    if below == len(blocks) or blocks[below].kind is not BlockKind.TABLE:
        below = at + 1
    found = captioned(text, blocks[at], blocks[below]) if below < len(blocks) else None
    if found is None or found[0] != "caption":
        return above
    if above is None or above in bodies:
        return below
    tables_too = blocks[above].kind is BlockKind.TABLE and _is_captioned_below(text, blocks, below)
    return below if found[1] == "table" and not tables_too else above


def _is_captioned_below(text: str, blocks: Sequence[Block], at: int) -> bool:
    names = captioned(text, blocks[at], blocks[at + 1]) if at + 1 < len(blocks) else None
    return names is not None and names[1] == "caption"


def _shortened(words: str) -> str:
    return words if len(words) <= MOST else words[:MOST].rpartition(" ")[0] or words[:MOST]
