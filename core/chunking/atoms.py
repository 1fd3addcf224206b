"""Atoms: the pieces of text a leaf is put together from, none larger than a leaf's room.

A paragraph that fits is one atom; one that does not becomes sentences, a long sentence becomes runs of words, a long
word becomes runs of characters. The cost of a cut before an atom says how much of the text it would tear.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from core.chunking.packing import NO_SECTION
from core.text.sentences import is_wrapped, sentence_spans
from core.text.spans import line_bounds, trim
from core.text.tokens import TokenMap
from core.types import Span

CUT_PARAGRAPH = 0.0
CUT_ROW = 0.1
CUT_ITEM = 0.15
CUT_SENTENCE = 0.3
CUT_LINE = 0.3
CUT_WORDS = 0.7
CUT_TITLE = 2.5
CUT_LEAD_IN = 5.0
CUT_HEADING = 50.0

_PARAGRAPH_BREAK = re.compile(r"\n[^\S\n]*\n\s*|[\f\u2029]\s*")
_CLAUSE = re.compile(r"(?<=[;:,，、；：—–)）])\s+|(?<=[，、；：])")


NOTHING: Mapping[str, tuple[str, ...]] = MappingProxyType({})


@dataclass(slots=True)
class Atom:
    """``what`` names it in reasons; ``item``: number of the block or paragraph it belongs to.

    ``cut``: cost of a leaf beginning here, below 0 where it rather begins here than at a blank line. ``header``: the
    table header a leaf beginning here is parted from. ``heading``: index of its section's heading, -1 before the first.
    ``opens``: level of the section it opens.
    ``flow``: overlap may reach back within one flow only. ``first_token``, ``end_token``: set by ``measure``.
    ``why``: a leaf must begin here, for this reason; ``parent_why``: a parent too; "" leaves it to the packing.
    ``header_kind``: the kind of prefix part the header becomes. ``metadata``: what was found in it; leaves and parents
    join that of their atoms. ``row``: what the table's row that it begins inside of is about, "" for any other atom.
    """

    start: int
    end: int
    what: str
    item: int
    cut: float
    header: Span | None = None
    heading: int = -1
    level: int = 0
    opens: int = NO_SECTION
    deeper: float = 0.0
    sibling: float = 0.0
    flow: int = 0
    first_token: int = 0
    end_token: int = 0
    why: str = ""
    parent_why: str = ""
    header_kind: str = "table_header"
    metadata: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: NOTHING)
    row: str = ""

    @property
    def forced(self) -> bool:
        """Whether a leaf must begin here."""
        return bool(self.why or self.parent_why)


def paragraphs(text: str, start: int, end: int) -> Iterator[Span]:
    """The stretches between blank lines, trimmed.

    >>> list(paragraphs("a\\nb\\n \\n\\n c", 0, 9))
    [Span(start=0, end=3), Span(start=8, end=9)]
    """
    begin = start
    for match in _PARAGRAPH_BREAK.finditer(text, start, end):
        if (span := trim(text, begin, match.start())) is not None:
            yield span
        begin = match.end()
    if (span := trim(text, begin, end)) is not None:
        yield span


def lines(text: str, start: int, end: int) -> list[Span]:
    """The non-blank lines of ``[start, end)``, trimmed.

    >>> lines("a\\n\\n  b\\n", 0, 7)
    [Span(start=0, end=1), Span(start=5, end=6)]
    """
    trimmed = (trim(text, at, stop) for at, stop in line_bounds(text, start, end))
    return [span for span in trimmed if span is not None]


def measure(atoms: Sequence[Atom], tokens: TokenMap) -> None:
    """Notes which weighted tokens every atom holds."""
    for atom in atoms:
        atom.first_token = tokens.index(atom.start)
        atom.end_token = tokens.index(atom.end)


class Splitter:
    """Cuts one span into atoms of at most ``limit`` tokens."""

    __slots__ = ("text", "tokens")

    def __init__(self, tokens: TokenMap) -> None:
        self.tokens = tokens
        self.text = tokens.text

    def whole_or_sentences(self, span: Span, what: str, item: int, cut: float, limit: int, first: int) -> list[Atom]:
        """The span as one atom when ``first`` tokens hold it, else its sentences (of at most ``limit`` tokens).

        ``first``: room left beside a heading that must stay with the span's beginning; usually ``limit``.
        """
        if self.tokens.count(span.start, span.end) <= first:
            return [Atom(span.start, span.end, what, item, cut)]
        rows = lines(self.text, span.start, span.end)
        if len(rows) == 1 or is_wrapped(self.text, span.start, span.end):
            return self.parts(sentence_spans(self.text, span.start, span.end), "sentence", item, limit, first, cut)
        atoms: list[Atom] = []
        for row in rows:
            room = limit if atoms else first
            if self.tokens.count(row.start, row.end) <= room:
                atoms.append(Atom(row.start, row.end, "line", item, CUT_ROW))
            else:
                found = sentence_spans(self.text, row.start, row.end)
                atoms.extend(self.parts(found, "sentence", item, limit, room, CUT_ROW))
        atoms[0].cut = cut
        return atoms

    def parts(
        self,
        spans: Sequence[Span],
        what: str,
        item: int,
        limit: int,
        first: int,
        cut: float,
        inner: float = CUT_SENTENCE,
        spoken: bool = False,
    ) -> list[Atom]:
        """Given parts as atoms, those that are too large cut into words; where they are ``spoken``, into sentences
        first. ``cut``: before the first part.
        """
        atoms: list[Atom] = []
        for span in spans:
            room = limit if atoms else first
            if self.tokens.count(span.start, span.end) <= room:
                atoms.append(Atom(span.start, span.end, what, item, inner))
            elif spoken:
                sentences = sentence_spans(self.text, span.start, span.end)
                atoms.extend(self.parts(sentences, f"sentence of a {what}", item, limit, room, inner))
            else:
                atoms.extend(self.words(span, what, item, limit, room, inner))
        if atoms:
            atoms[0].cut = cut
        return atoms

    def words(self, span: Span, what: str, item: int, limit: int, first: int, cut: float) -> list[Atom]:
        """Even runs of words of at most ``limit`` tokens, cut after a comma or colon where one is near."""
        atoms: list[Atom] = []
        at, end = span.start, span.end
        while at < end:
            room = limit if atoms else max(1, first)
            left = self.tokens.count(at, end)
            if left > room:
                room = min(room, -(-left // -(-left // room)))
            stop = self.tokens.cut(at, end, room)
            if stop < end:
                stop = self._clause(at, stop)
            if (piece := trim(self.text, at, stop)) is not None:
                name, price = ("run of words", CUT_WORDS) if atoms else (what, cut)
                atoms.append(Atom(piece.start, piece.end, name, item, price))
            at = stop
        return atoms

    def _clause(self, start: int, stop: int) -> int:
        """The last clause end in the final third of ``[start, stop)``, or ``stop``."""
        low = stop - (stop - start) // 3
        found = stop
        for match in _CLAUSE.finditer(self.text, low, stop):
            if match.end() > start:
                found = match.end()
        return found


def coarsen(atoms: Sequence[Atom], grain: int) -> list[Atom]:
    """Neighbouring crumbs of one block joined up to ``grain`` tokens, so that packing stays quick.

    Where the whole text is crumbs (a column of numbers, blank lines between), those of different blocks join too.
    """
    if not atoms:
        return []
    dust = atoms[-1].end_token - atoms[0].first_token < len(atoms) * grain
    joined: list[Atom] = []
    for atom in atoms:
        last = joined[-1] if joined else None
        if (
            last is not None
            and atom.end_token - last.first_token <= grain
            and atom.opens == NO_SECTION
            and not atom.forced
            and not atom.metadata
            and CUT_PARAGRAPH <= atom.cut < CUT_WORDS
            and (atom.cut > CUT_PARAGRAPH if last.item == atom.item else dust and atom.header == last.header)
        ):
            last.end, last.end_token, last.what = atom.end, atom.end_token, atom.what
        else:
            joined.append(atom)
    return joined


_TERMINAL = re.compile(r"[.!?…。！？;,；，।؟\"”»)\]]$")
_HAS_TABLE = re.compile(r"[|\t]")
_TITLE_CHARACTERS = 80
_PROSE_CHARACTERS = 120


def bind_titles(text: str, atoms: Sequence[Atom]) -> None:
    """Raises the cost of parting a line that reads like a title, or that ends with a colon, from what follows it.

    For texts without headings: a short line without a stop, between prose and prose.
    """
    for at in range(len(atoms) - 1):
        atom, after = atoms[at], atoms[at + 1]
        if atom.end - atom.start > _TITLE_CHARACTERS or atom.what not in {"paragraph", "line"}:
            continue
        if after.opens < NO_SECTION or after.cut >= CUT_TITLE:
            continue
        words = text[atom.start : atom.end]
        if words.endswith((":", "：")):
            after.cut = max(after.cut, CUT_TITLE)
            continue
        before_ends = at == 0 or _TERMINAL.search(text[max(0, atoms[at - 1].end - 2) : atoms[at - 1].end])
        prose = after.end - after.start >= _PROSE_CHARACTERS or after.what == "sentence"
        title = not _TERMINAL.search(words[-2:]) and not _HAS_TABLE.search(words) and any(map(str.isalpha, words))
        if before_ends and prose and title:
            after.cut = max(after.cut, CUT_TITLE)
