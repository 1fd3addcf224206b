"""Groups paragraphs into pieces: list items into lists, lines of code into blocks; notes come after their block."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from core.parsing.flow import Item, Piece, Words
from core.parsing.inline import headed
from core.parsing.looks import PLAIN_LOOK, Look, levels_by_look
from core.parsing.word.numbering import Mark
from core.types import BlockKind

_MIN_INDENT = 150  # twentieths of a point by which a nested list is indented further
_MAX_LOOKBACK = 64  # items
_NO_WORDS = Words("")
_MIN_STYLED, _MAX_TITLE = 5, 60  # paragraphs in a style by which it is judged, and characters of a short one
_SENTENCE_ENDS = ".;:,"
_TITLE_PAGE = 20  # lines in which names and dates set like the title may follow it
CONTENTS = "contents"  # the list id of a table of contents
# Patterns by which a line in a monospaced font is recognised as code.
_CODE_SIGN = re.compile(
    r"[{}<>;=|\\$`~^@#&\[\]]|\w\(|\)\s*[:,;]|->|::|//|/\*|\*/|\s\*\s|^\s{2,}\S|^\s*(?:--|%|!)\S?|\w_\w|\w\.\w+\("
    r"|^\s*(?:import|from|def|class|return|print|echo|sudo|pip|npm|git|cd|ls|else|elif|try|end|begin|select)\b(?![.,])"
)
_PLAIN_WORD = re.compile(r"[(\"'“‘]?[^\W\d_]+(?:['’-][^\W\d_]+)*[.,;:!?)\"'”’]*")
_MIN_PROSE_WORDS, _MIN_PROSE_SHARE = 6, 0.8  # number of words, and share of plain ones, of a line that is no code
_MIN_CODE_SHARE = 0.3  # of the lines in one run of monospaced paragraphs


@dataclass(slots=True)
class Entry:
    """One paragraph, or a table with its pieces.

    ``code``: why the paragraph may be code: its style ("code"), its font ("monospaced"), or "". ``notes``: written
    right after its block. ``beside``: text boxes, charts and descriptions of pictures, written after the notes.
    ``mark``, ``depth``, ``indent``: of a list item; the indent is in twentieths of a point. ``heading_style``: the id
    of the paragraph's style if it is one of headings.
    """

    kind: BlockKind
    words: Words = _NO_WORDS
    level: int = 0
    mark: Mark | None = None
    depth: int = 0
    indent: int = 0
    heading_style: str = ""
    code: str = ""
    is_bold: bool = False
    look: Look = PLAIN_LOOK
    table: tuple[Piece, ...] = ()
    notes: list[Piece] = field(default_factory=list)
    beside: list[Piece] = field(default_factory=list)

    @property
    def list_id(self) -> str:
        return self.mark.list_id if self.mark else ""

    @property
    def is_blank(self) -> bool:
        return not self.table and not self.words.text.strip()


@dataclass(slots=True)
class _List:
    """A list to which items are added. ``shifts``: by list id, how many levels a nested list is deeper than stated."""

    entries: list[Entry] = field(default_factory=list)
    depths: list[int] = field(default_factory=list)
    shifts: dict[str, int] = field(default_factory=dict)

    def depth_of(self, entry: Entry) -> int:
        """The item's depth. Another list that is indented further than this one is nested in it."""
        shift = self.shifts.get(entry.list_id)
        if shift is None:
            outer = next((depth for above, depth in self._latest() if above.indent + _MIN_INDENT <= entry.indent), -1)
            shift = max(0, outer + 1 - entry.depth) if self.entries else 0
        return entry.depth + shift

    def is_continued_by(self, entry: Entry, *, after_gap: bool) -> bool:
        """Whether an item belongs to this list and does not begin another. ``after_gap``: a blank line is between."""
        if not self.entries or entry.mark is None or entry.list_id in self.shifts:
            return True
        depth = self.depth_of(entry)
        if after_gap or depth > min(self.depths) or not entry.mark.text:
            return not after_gap
        last = next((above.mark for above, above_depth in self._latest() if above_depth <= depth), None)
        if last is None or last.is_bullet != entry.mark.is_bullet:
            return False
        return last.is_bullet or entry.mark.count > last.count

    def add(self, entry: Entry) -> None:
        depth = self.depth_of(entry)
        self.shifts[entry.list_id] = depth - entry.depth
        self.depths.append(depth)
        self.entries.append(entry)

    def _latest(self) -> Iterator[tuple[Entry, int]]:
        """The latest items with their depths, the last first."""
        return zip(self.entries[: -_MAX_LOOKBACK - 1 : -1], self.depths[: -_MAX_LOOKBACK - 1 : -1], strict=True)

    def pieces(self) -> Iterator[Piece]:
        """The list, then its notes."""
        if self.entries:
            pairs = zip(self.entries, self.depths, strict=True)
            items = (Item(entry.words, entry.mark.text if entry.mark else "-", depth) for entry, depth in pairs)
            yield Piece(BlockKind.LIST, items=tuple(items))
            for entry in self.entries:
                yield from entry.notes


def grouped(entries: Sequence[Entry]) -> list[Piece]:
    """The pieces of one story: the body, a cell, a note or a text box."""
    mark_code(entries)
    pieces: list[Piece] = []
    current = _List()
    gap = False
    for entry in _join_code(entries):
        if entry.mark and not entry.mark.text and entry.list_id != CONTENTS and (gap or not current.entries):
            entry.kind = BlockKind.PARAGRAPH
        if entry.kind is BlockKind.LIST and not entry.is_blank:
            if not current.is_continued_by(entry, after_gap=gap):
                pieces += current.pieces()
                current = _List()
            current.add(entry)
            gap = False
            if not entry.beside:
                continue
        elif entry.is_blank and not entry.notes and not entry.beside:
            gap = gap or entry.kind is not BlockKind.LIST
            continue
        pieces += current.pieces()
        current = _List()
        gap = False
        if entry.kind is not BlockKind.LIST:
            pieces += _own_pieces(entry)
        pieces += entry.beside
    return [*pieces, *current.pieces()]


def without_numbered_text(entries: Sequence[Entry]) -> None:
    """Turn headings into paragraphs where most paragraphs in their style are sentences: such a style numbers the text.

    Clauses of contracts and paragraphs of judgments are often set in the styles of headings, for their numbers.
    """
    styled: dict[str, list[Entry]] = {}
    for entry in entries:
        if entry.heading_style and not entry.is_blank:
            styled.setdefault(entry.heading_style, []).append(entry)
    for members in styled.values():
        long = [entry.words.text.rstrip() for entry in members if len(entry.words.text) > _MAX_TITLE]
        sentences = sum(text[-1:] in _SENTENCE_ENDS for text in long)
        if len(members) >= _MIN_STYLED and 2 * sentences > len(members):
            for entry in members:
                entry.kind, entry.level = BlockKind.PARAGRAPH, 0


def mark_headings(entries: Sequence[Entry]) -> None:
    """Turn entries that look like headings into HEADING where the document states at most one heading.

    A numbered item may be a heading if the next entry is no such item of the same list. Where headings are stated, only
    the first line may still become one: the title.
    """
    stated = {entry.words.text for entry in entries if entry.kind is BlockKind.HEADING}
    filled = [entry for entry in entries if not entry.is_blank]
    lines = {
        index: (entry.words, entry.look)
        for index, entry in enumerate(filled)
        if entry.kind in (BlockKind.PARAGRAPH, BlockKind.LIST)
    }
    levels = levels_by_look(lines, len(filled))
    without_title_page = {
        index: line for index, line in lines.items() if not (0 < index < _TITLE_PAGE and line[1].bold)
    }
    if 0 in levels_by_look(without_title_page, len(filled)):
        levels = {0: 1} | levels
    for index, level in levels.items():
        entry, after = filled[index], filled[index + 1] if index + 1 < len(filled) else None
        if index and len(stated) > 1:
            break
        if entry.kind is BlockKind.LIST:
            if not entry.mark or entry.mark.is_bullet or after is None:
                continue
            if after.kind is BlockKind.LIST and index + 1 in levels and after.list_id == entry.list_id:
                continue
            entry.words = headed(f"{entry.mark.text} ", entry.words)
        entry.kind, entry.level = BlockKind.HEADING, level


def _own_pieces(entry: Entry) -> Iterator[Piece]:
    yield from entry.table or (Piece(entry.kind, entry.words, level=entry.level),)
    yield from entry.notes


def mark_code(entries: Iterable[Entry]) -> None:
    """Turn paragraphs into CODE: those in a style of code, and adjacent monospaced ones that read like code."""
    for is_candidate, run in groupby(entries, key=lambda entry: bool(entry.code)):
        candidates = list(run)
        if not is_candidate:
            continue
        lines = [line for entry in candidates if entry.code != "code" for line in entry.words.text.split("\n")]
        is_code = are_code(lines)
        for entry in candidates:
            if entry.code == "code" or is_code:
                entry.kind = BlockKind.CODE


def _join_code(entries: Iterable[Entry]) -> Iterator[Entry]:
    """The entries, with adjacent lines of code as one entry, including blank lines between them."""
    for is_code, run in groupby(entries, key=lambda entry: entry.kind is BlockKind.CODE):
        lines = list(run)
        if not is_code:
            yield from lines
            continue
        words = Words("\n".join(entry.words.text for entry in lines).replace("\u00a0", " "))
        notes = [note for entry in lines for note in entry.notes]
        beside = [piece for entry in lines for piece in entry.beside]
        yield Entry(BlockKind.CODE, words, notes=notes, beside=beside)


def is_code_line(text: str) -> bool:
    """Whether a monospaced line is code rather than typewritten prose.

    >>> is_code_line("SELECT * FROM users WHERE active = 1;"), is_code_line("make install; make test")
    (True, True)
    >>> is_code_line("This memo is typewritten."), is_code_line("The parties agree; see [3] for what they owe.")
    (False, False)
    """
    return bool(_CODE_SIGN.search(text)) and not _is_prose(text.split())


def _is_prose(words: list[str]) -> bool:
    return len(words) >= _MIN_PROSE_WORDS and sum(
        map(bool, map(_PLAIN_WORD.fullmatch, words))
    ) >= _MIN_PROSE_SHARE * len(words)


def are_code(lines: Sequence[str]) -> bool:
    """Whether adjacent monospaced lines are code: enough of them are ``is_code_line``.

    >>> are_code(["def f(n):", "    a, b = 0, 1", "", "    return a"]), are_code(["Dear Jane,", "", "yours"])
    (True, False)
    """
    filled = [line for line in lines if line.strip()]
    return bool(filled) and sum(map(is_code_line, filled)) >= max(1, _MIN_CODE_SHARE * len(filled))
