"""Papers: a statement, its reference bracket and the sentence it rests on stay together; references are entries."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise

from core.chunking.atoms import CUT_PARAGRAPH, CUT_ROW, CUT_SENTENCE, Atom, Splitter
from core.chunking.claims import Mentions
from core.chunking.plan import Frame, Plan
from core.chunking.structure import Item
from core.chunking.units import Unit, by_units, planned
from core.text.cited import is_reference_heading, reference_entries
from core.text.sentences import sentence_spans
from core.types import BlockKind, Document, Span

_CUT_BASIS = 1.5  # before a sentence that says on what the one before it rests: dearer than an uneven leaf
_PROSE = frozenset({BlockKind.PARAGRAPH, BlockKind.QUOTE})


def claim(frame: Frame) -> Plan:
    """Leaves of a few whole sentences inside sections; a claim is not parted from its citation and its basis.

    A sentence is never parted from its own reference bracket. One that leans on the sentence before it ("This is
    supported by", "These results", "As shown in Fig. 2") stays with it where one of them cites. Entries of a list of
    references are whole and packed among themselves. Metadata: ``citations`` and ``exhibits`` (figures, tables,
    equations) of a chunk. Sources: see ``claims``.
    """
    text = frame.document.text
    entries = _references(frame)
    units = [Unit(span.start, span.end, "reference", CUT_ROW) for span in entries]
    listed = by_units(frame, units, frozenset({*_PROSE, BlockKind.LIST, BlockKind.FOOTNOTE}))
    mentions = Mentions(text)
    cutter = _Sentences(frame, mentions)

    def own(item: Item, number: int, heading: int, limit: int, first: int) -> list[Atom] | None:
        if entries and item.end > entries[0].start:
            return listed(item, number, heading, limit, first)
        return cutter.atoms(item, number, limit, first) if item.kind in _PROSE else None

    def metadata(start: int, end: int) -> Mapping[str, tuple[str, ...]]:
        end = min(end, entries[0].start) if entries else end  # a reference's own number cites nothing
        cited = dict.fromkeys(" ".join(text[one.start : one.end].split()) for one in mentions.citations(start, end))
        told = {"citations": tuple(cited), "exhibits": tuple(mentions.exhibits(start, end))}
        return {name: values for name, values in told.items() if values}

    has_any = bool(entries) or any(mentions.citations(region.start, region.end) for region in frame.regions)
    plan = planned(frame, own, metadata)
    return plan if has_any else plan.instead("sentences inside sections", "this text has no citations")


def _references(frame: Frame) -> list[Span]:
    """The entries of the list of references, () where there is none under a heading that says so."""
    at = references_start(frame.document)
    if at < 0:
        return []
    later = [region for region in frame.regions if region.end > at]
    return [
        entry
        for region in later[:1]
        for entry in reference_entries(frame.document.text, max(at, region.start), region.end)
    ]


def references_start(document: Document) -> int:
    """Where the list of references begins, after its heading; -1 without one."""
    text = document.text
    for block in reversed(document.blocks):
        line = text[block.start : min(block.end, block.start + 80)]
        if block.kind in {BlockKind.HEADING, BlockKind.PARAGRAPH} and is_reference_heading(line.split("\n")[0]):
            return min(len(text), block.start + len(line.split("\n")[0]) + 1)
    return -1


class _Sentences:
    """Paragraphs to atoms, a sentence each, every cut priced by what it would part."""

    def __init__(self, frame: Frame, mentions: Mentions) -> None:
        self._text = frame.document.text
        self._mentions = mentions
        self._splitter = Splitter(frame.tokens)

    def atoms(self, item: Item, number: int, limit: int, first: int) -> list[Atom]:
        """The sentences of one paragraph; what leans on the one before is dear to part from it."""
        spans = sentence_spans(self._text, item.start, item.end)
        found = self._splitter.parts(spans, "sentence", number, limit, first, item.bound, CUT_SENTENCE)
        leaning = {after.start for before, after in pairwise(spans) if self._mentions.lean_back(before, after)}
        for atom in found[1:]:
            if atom.start in leaning:
                atom.cut = max(atom.cut, _CUT_BASIS)
        if found and item.bound == CUT_PARAGRAPH:
            found[0].cut = CUT_PARAGRAPH
        return found
