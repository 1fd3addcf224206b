"""Atoms: the smallest pieces of text that leaves are packed from, none larger than a leaf's room.

A paragraph that fits a leaf is one atom. A longer one becomes sentences, a long sentence runs of words, a long word
runs of characters. Each atom has a cost for beginning a leaf with it: the higher, the more such a cut would tear apart.
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

# The costs of beginning a leaf with an atom, as fractions of a leaf (see ``packing``).
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

NO_METADATA: Mapping[str, tuple[str, ...]] = MappingProxyType({})


@dataclass(slots=True)
class Atom:
    """A piece of text ``[start, end)`` that is cut no further.

    ``what``: its name in reasons. ``item``: number of the block or paragraph it belongs to. ``cut``: cost of beginning
    a leaf here; below 0 where that is better than at a blank line. ``why``, ``parent_why``: reason why a leaf, or a
    parent, must begin here; "" leaves it to packing. ``heading``: index of its section's heading, -1 before the first.
    ``level``: of that section, 0 outside any. ``opens``: level of the section it opens, else ``NO_SECTION``.
    ``deeper``, ``sibling``: see ``packing.PackItem``. ``flow``: overlap stays within atoms of one flow.
    ``first_token``, ``end_token``: its token range, set by ``measure``. ``header``: the table header or signature that
    a leaf beginning here repeats, as a prefix part of kind ``header_kind``. ``row_label``: what the table row is about
    that it begins inside, "" elsewhere. ``metadata``: facts found in it; leaves and parents merge those of their atoms.
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
    metadata: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: NO_METADATA)
    row_label: str = ""

    @property
    def forced(self) -> bool:
        """Whether a leaf must begin here."""
        return bool(self.why or self.parent_why)


def paragraphs(text: str, start: int, end: int) -> Iterator[Span]:
    """The spans between blank lines, trimmed.

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
    """Sets the token range of every atom."""
    for atom in atoms:
        atom.first_token = tokens.index(atom.start)
        atom.end_token = tokens.index(atom.end)


class Splitter:
    """Cuts spans into atoms of at most ``limit`` tokens, the first of at most ``first_limit``.

    ``first_limit`` is smaller than ``limit`` where a heading before the span must share its first leaf.
    """

    __slots__ = ("text", "tokens")

    def __init__(self, tokens: TokenMap) -> None:
        self.tokens = tokens
        self.text = tokens.text

    def whole_or_sentences(
        self, span: Span, what: str, item: int, cut: float, limit: int, first_limit: int
    ) -> list[Atom]:
        """The span as one atom where it fits ``first_limit``, else its lines if it has unwrapped ones, else sentences.

        ``cut``: cost of the first atom.
        """
        if self.tokens.count(span.start, span.end) <= first_limit:
            return [Atom(span.start, span.end, what, item, cut)]
        rows = lines(self.text, span.start, span.end)
        if len(rows) == 1 or is_wrapped(self.text, span.start, span.end):
            return self.parts(
                sentence_spans(self.text, span.start, span.end), "sentence", item, limit, first_limit, cut
            )
        atoms: list[Atom] = []
        for row in rows:
            room = limit if atoms else first_limit
            if self.tokens.count(row.start, row.end) <= room:
                atoms.append(Atom(row.start, row.end, "line", item, CUT_ROW))
            else:
                sentences = sentence_spans(self.text, row.start, row.end)
                atoms.extend(self.parts(sentences, "sentence", item, limit, room, CUT_ROW))
        atoms[0].cut = cut
        return atoms

    def parts(
        self,
        spans: Sequence[Span],
        what: str,
        item: int,
        limit: int,
        first_limit: int,
        cut: float,
        inner_cut: float = CUT_SENTENCE,
        split_sentences: bool = False,
    ) -> list[Atom]:
        """One atom per span; a span that is too large is cut into runs of words.

        ``split_sentences``: cut it into sentences first. ``cut``, ``inner_cut``: costs of the first and other atoms.
        """
        atoms: list[Atom] = []
        for span in spans:
            room = limit if atoms else first_limit
            if self.tokens.count(span.start, span.end) <= room:
                atoms.append(Atom(span.start, span.end, what, item, inner_cut))
            elif split_sentences:
                sentences = sentence_spans(self.text, span.start, span.end)
                atoms.extend(self.parts(sentences, f"sentence of a {what}", item, limit, room, inner_cut))
            else:
                atoms.extend(self.words(span, what, item, limit, room, inner_cut))
        if atoms:
            atoms[0].cut = cut
        return atoms

    def words(self, span: Span, what: str, item: int, limit: int, first_limit: int, cut: float) -> list[Atom]:
        """Runs of words of even size, at most ``limit`` tokens, cut after a comma or colon where one is near."""
        atoms: list[Atom] = []
        at, end = span.start, span.end
        while at < end:
            room = limit if atoms else max(1, first_limit)
            left = self.tokens.count(at, end)
            if left > room:
                runs = -(-left // room)  # rounded up
                room = min(room, -(-left // runs))
            stop = self.tokens.cut(at, end, room)
            if stop < end:
                stop = self._clause(at, stop)
            if (piece := trim(self.text, at, stop)) is not None:
                name, price = ("run of words", CUT_WORDS) if atoms else (what, cut)
                atoms.append(Atom(piece.start, piece.end, name, item, price))
            at = stop
        return atoms

    def _clause(self, start: int, stop: int) -> int:
        """The last end of a clause (comma, colon, bracket) in the final third of ``[start, stop)``, or ``stop``."""
        low = stop - (stop - start) // 3
        ends = [match.end() for match in _CLAUSE.finditer(self.text, low, stop) if match.end() > start]
        return ends[-1] if ends else stop


def coarsen(atoms: Sequence[Atom], grain: int) -> list[Atom]:
    """The atoms with small neighbours in one block merged, up to ``grain`` tokens, so that packing stays fast.

    Where the average atom is smaller than ``grain`` (a column of numbers), atoms of different blocks merge too.
    """
    if not atoms:
        return []
    mostly_small = atoms[-1].end_token - atoms[0].first_token < len(atoms) * grain
    merged: list[Atom] = []
    for atom in atoms:
        last = merged[-1] if merged else None
        if (
            last is not None
            and atom.end_token - last.first_token <= grain
            and atom.opens == NO_SECTION
            and not atom.forced
            and not atom.metadata
            and CUT_PARAGRAPH <= atom.cut < CUT_WORDS
            and (atom.cut > CUT_PARAGRAPH if last.item == atom.item else mostly_small and atom.header == last.header)
        ):
            last.end, last.end_token, last.what = atom.end, atom.end_token, atom.what
        else:
            merged.append(atom)
    return merged


_TERMINAL = re.compile(r"[.!?…。！？;,；，।؟\"”»)\]]$")
_HAS_TABLE = re.compile(r"[|\t]")
_TITLE_CHARACTERS = 80
_PROSE_CHARACTERS = 120


def bind_titles(text: str, atoms: Sequence[Atom]) -> None:
    """Raises the cost of a cut after a line that ends with a colon or reads like a title.

    A line reads like a title if it is short, has no final punctuation, and is between two texts of prose.
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
