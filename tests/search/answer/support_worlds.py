"""Passages, tables and a catalogue of blocks for the tests of the answer line."""

from __future__ import annotations

from core.evidence import Hit, Passage
from core.types import Block, BlockKind, Cell, Span

TABLE = "Figure | Q2 2026 | Q3 2026\nAvailability of intake | 99.97 % | 99.92 %\nAlerts sent | 1,200 | 1,340\n"


class Reads:
    """A catalogue of given blocks. ``cuts``: places that part a sentence."""

    def __init__(self, *blocks, cuts=()):
        self.given, self.cuts, self.count = blocks, cuts, 0

    def blocks(self, version_id, start, end):
        self.count += 1
        return [block for block in self.given if block.start < end and start < block.end]

    def splits_sentence(self, version_id, place):
        return place in self.cuts

    def page(self, version_id, offset):
        self.count += 1
        return offset // 50

    def leaf_counts(self, tokens):
        self.count += 1
        return dict.fromkeys(tokens, 1), 2

    def languages(self):
        return ("german",)


def passage(text, start=100, rank=1, version="v" * 64, children=(), headings=(), document="Handbook"):
    return Passage(
        version_id=version,
        document=document,
        source="handbook.md",
        start=start,
        end=start + len(text),
        text=text,
        tokens=10,
        chunk_ids=("c",),
        children=tuple(children) or (Span(start, start + len(text)),),
        rank=rank,
        score=1.0,
        reason="the child alone",
        headings=tuple(headings),
        page=3,
    )


def hits_of(passages):
    """A retrieved child for each lit span, in the order of the passages' ranks."""
    ordered = sorted(passages, key=lambda item: item.rank)
    lit = [(item, child) for item in ordered for child in item.children]
    return [
        Hit(
            rank,
            "c",
            item.version_id,
            child.start,
            child.end,
            "",
            rank,
            1.0,
            {},
            item.headings,
            "Handbook",
            "handbook.md",
        )
        for rank, (item, child) in enumerate(lit, start=1)
    ]


def table(text=TABLE, start=100, header_rows=1):
    cells, at = [], start
    for row, line in enumerate(text.splitlines()):
        column_at = at
        for column, value in enumerate(line.split(" | ")):
            cells.append(Cell(row, column, column_at, column_at + len(value), value, row < header_rows))
            column_at += len(value) + 3
        at += len(line) + 1
    return Block(BlockKind.TABLE, start, start + len(text.rstrip()), cells=tuple(cells))
