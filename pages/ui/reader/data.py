"""A cut of a document as the reader's component takes it: small, sent with every recipe, drawn on the shelved text.

Rows of numbers and strings as in ``reader_text``. A cut's key names what is in it: two recipes that cut a text alike
have one key, and the reader draws nothing anew.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from core.chunking.auditing import SWITCHED_OFF, UNEXPLAINED, Audit
from core.inspecting.findings import Unread
from core.settings import PREFIX_KINDS
from core.syntax import Unit
from core.types import Chunk, ChunkTree, Span
from pages.ui.reader.text import Strings, TextReading, as_json, digest

ASIDE, LOST, OFF = range(3)  # what became of a gap: set aside by rule, in no chunk for no reason, switched off by hand
FATES = {UNEXPLAINED: LOST, SWITCHED_OFF: OFF}


@dataclass(frozen=True, slots=True)
class Reading:
    """A document in one cut, as the reader draws it.

    ``text_key``: of the text it is drawn on. ``cut_key``: names text and cut. ``cut``: JSON for the reader.
    ``leaves``: the ids of the leaves in order. ``spans``: theirs. ``pages``: the first and last page of each, 1-based,
    (0, 0) without pages. ``parents``: the span of the parent of each, ``None`` for a leaf without.
    """

    text_key: str
    cut_key: str
    cut: str
    leaves: tuple[str, ...]
    spans: tuple[Span, ...]
    pages: tuple[tuple[int, int], ...]
    parents: tuple[Span | None, ...]

    def leaf_at(self, span: Span) -> str | None:
        """The leaf that shares most with a span; ``None`` when none does."""
        shared = [span.overlap(leaf) for leaf in self.spans]
        best = max(range(len(shared)), key=shared.__getitem__, default=-1)
        return self.leaves[best] if best >= 0 and shared[best] else None

    def page_of(self, leaf: str | None) -> int:
        """The page a leaf begins on; 0 when unknown."""
        return self.pages[self.leaves.index(leaf)][0] if leaf in self.leaves else 0


def read_cut(
    text: TextReading,
    tree: ChunkTree,
    audit: Audit,
    encoder_limit: int,
    tails: Iterable[Unread] = (),
    kinds: Collection[str] = PREFIX_KINDS,
    units: Sequence[Unit] = (),
) -> Reading:
    """One cut of a text. ``units``: of a program's, which has definitions for headings.

    ``encoder_limit``: tokens the encoder reads, its special ones included. ``tails``: what it does not read, as
    ``core.inspecting.findings`` finds it. ``kinds``: of prefix parts, those it reads before a leaf, as
    ``ChunkingSettings.read_prefix`` names them; the others are not shown.
    """
    leaves = tree.leaves
    above = [chunk for chunk in tree.chunks if chunk.level > 0]
    place = {chunk.chunk_id: index for index, chunk in enumerate(above)}
    pages = tuple(text.runs.pages_of(leaf.start, leaf.end) for leaf in leaves)
    strings = Strings()
    data = {
        "leaves": _leaf_rows(leaves, pages, place, strings, kinds, units),
        "parents": [
            value
            for chunk in above
            for value in (
                *(chunk.start, chunk.end, place.get(chunk.parent_id or "", -1), chunk.level, chunk.tokens),
                strings.listed(_headings(chunk, units)),
            )
        ],
        "gaps": [
            value
            for gap in audit.gaps
            for value in (
                *(gap.start, gap.end, strings.of(gap.reason), FATES.get(gap.reason, ASIDE)),
                text.runs.pages_of(gap.start, gap.end)[0],
            )
        ],
        "tails": [value for tail in tails for value in (tail.leaf, tail.start, tail.end)],
        "covered": audit.covered,
        "characters": audit.characters,
        "limit": encoder_limit,
        **strings.packed(),
    }
    cut = as_json(data)
    return Reading(
        text.key,
        f"{text.key}.{digest(cut)}",
        cut,
        tuple(leaf.chunk_id for leaf in leaves),
        tuple(leaf.span for leaf in leaves),
        pages,
        tuple(above[place[leaf.parent_id]].span if leaf.parent_id in place else None for leaf in leaves),
    )


def _leaf_rows(
    leaves: Sequence[Chunk],
    pages: Sequence[tuple[int, int]],
    place: dict[str, int],
    strings: Strings,
    kinds: Collection[str],
    units: Sequence[Unit],
) -> list[int]:
    rows: list[int] = []
    for leaf, (first, last) in zip(leaves, pages, strict=True):
        read = [part for part in leaf.prefix if part.kind in kinds]
        prefix = strings.listed(tuple(text for part in read for text in (part.kind, part.text)))
        rows += (leaf.start, leaf.end, place.get(leaf.parent_id or "", -1), leaf.tokens, leaf.encoder_tokens)
        rows += (strings.listed(_headings(leaf, units)), prefix, strings.listed(leaf.reasons), first, last)
    return rows


def around(units: Sequence[Unit], position: int) -> tuple[str, ...]:
    """The definitions around a place, from the outermost in.

    >>> from core.syntax import units
    >>> around(units("class Foo:\\n    def bar(self):\\n        return 1\\n", "python"), 32)
    ('class Foo', 'method bar')
    """
    named: tuple[str, ...] = ()
    while (at := bisect_right(units, position, key=lambda unit: unit.start) - 1) >= 0 and position < units[at].end:
        named += (f"{units[at].kind} {units[at].name}",) if units[at].name else ()
        units = units[at].children
    return named


def _headings(chunk: Chunk, units: Sequence[Unit]) -> tuple[str, ...]:
    return chunk.headings or around(units, chunk.end - len(chunk.text.lstrip()))
