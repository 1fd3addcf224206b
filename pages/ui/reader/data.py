"""A cut (the chunk tree of one recipe) as data for the reader component, without the text, which ``text`` packs.

The format is that of ``text``: rows of numbers, and strings by index. The key of a cut is a hash of its content, so two
recipes that cut a text alike have the same key, and the reader draws nothing anew.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from core.chunking.auditing import SWITCHED_OFF, UNEXPLAINED, Audit
from core.chunking.prefixes import key_path
from core.inspecting.findings import Unread
from core.settings import PREFIX_KINDS
from core.syntax import Unit
from core.types import Chunk, ChunkTree, PrefixPart, Span
from pages.ui.reader.text import Strings, TextReading, as_json, digest

ASIDE, LOST, OFF = range(3)  # kinds of gaps: left out by a rule, lost without a reason, switched off by hand
FATES = {UNEXPLAINED: LOST, SWITCHED_OFF: OFF}


@dataclass(frozen=True, slots=True)
class Reading:
    """One cut of a document, for the reader.

    ``text_key``: the key of the text. ``cut_key``: the key of text and cut. ``cut``: JSON for the component.
    Four tuples in the order of the leaves: ``leaves`` are their ids, ``spans`` their spans, ``pages`` their first and
    last page (1-based; (0, 0) without pages), ``parents`` the spans of their parents (``None`` without a parent).
    """

    text_key: str
    cut_key: str
    cut: str
    leaves: tuple[str, ...]
    spans: tuple[Span, ...]
    pages: tuple[tuple[int, int], ...]
    parents: tuple[Span | None, ...]

    def leaf_at(self, span: Span) -> str | None:
        """The id of the leaf that overlaps most with a span; ``None`` if none does."""
        overlaps = [span.overlap(leaf) for leaf in self.spans]
        best = max(range(len(overlaps)), key=overlaps.__getitem__, default=-1)
        return self.leaves[best] if best >= 0 and overlaps[best] else None

    def page_of(self, leaf: str | None) -> int:
        """The 1-based page a leaf begins on; 0 without pages, or for an unknown leaf."""
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
    """Pack a cut for the reader.

    ``encoder_limit``: tokens the encoder reads, special ones included. ``tails``: the ends of leaves that it does not
    read, from ``core.inspecting.findings``. ``kinds``: the kinds of prefix parts to show, those that the encoder reads
    (``ChunkingSettings.read_prefix``). ``units``: the definitions of a program, which serve as headings.
    """
    leaves = tree.leaves
    inner = [chunk for chunk in tree.chunks if chunk.level > 0]
    index_of = {chunk.chunk_id: index for index, chunk in enumerate(inner)}
    pages = tuple(text.runs.pages_of(leaf.start, leaf.end) for leaf in leaves)
    strings = Strings()
    data = {
        "leaves": _leaf_rows(leaves, pages, index_of, strings, kinds, units),
        "parents": [
            value
            for chunk in inner
            for value in (
                *(chunk.start, chunk.end, index_of.get(chunk.parent_id or "", -1), chunk.level, chunk.tokens),
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
        tuple(inner[index_of[leaf.parent_id]].span if leaf.parent_id in index_of else None for leaf in leaves),
    )


def _leaf_rows(
    leaves: Sequence[Chunk],
    pages: Sequence[tuple[int, int]],
    index_of: dict[str, int],
    strings: Strings,
    kinds: Collection[str],
    units: Sequence[Unit],
) -> list[int]:
    """Ten numbers for each leaf: its span, parent, tokens, encoder tokens, headings, prefix, reasons, pages."""
    rows: list[int] = []
    for leaf, (first, last) in zip(leaves, pages, strict=True):
        read = [part for part in leaf.prefix if part.kind in kinds]
        prefix = strings.listed(tuple(text for part in read for text in (_kind_word(part), part.text)))
        rows += (leaf.start, leaf.end, index_of.get(leaf.parent_id or "", -1), leaf.tokens, leaf.encoder_tokens)
        rows += (strings.listed(_headings(leaf, units)), prefix, strings.listed(leaf.reasons), first, last)
    return rows


def _kind_word(part: PrefixPart) -> str:
    """What the reader calls a part of a prefix.

    >>> _kind_word(PrefixPart("signature", "paths > /ducks")), _kind_word(PrefixPart("title", "Ducks"))
    ('keys', 'title')
    """
    return "keys" if key_path((part,)) else part.kind


def around(units: Sequence[Unit], position: int) -> tuple[str, ...]:
    """The named definitions that contain a position, outermost first.

    >>> from core.syntax import units
    >>> around(units("class Foo:\\n    def bar(self):\\n        return 1\\n", "python"), 32)
    ('class Foo', 'method bar')
    """
    names: tuple[str, ...] = ()
    while (at := bisect_right(units, position, key=lambda unit: unit.start) - 1) >= 0 and position < units[at].end:
        names += (f"{units[at].kind} {units[at].name}",) if units[at].name else ()
        units = units[at].children
    return names


def _headings(chunk: Chunk, units: Sequence[Unit]) -> tuple[str, ...]:
    """A chunk's headings; without any, the definitions around its first character that is no blank."""
    return chunk.headings or around(units, chunk.end - len(chunk.text.lstrip()))
