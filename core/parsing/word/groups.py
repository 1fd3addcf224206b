"""Paragraphs on their way to pieces: lists put together, lines of code joined, notes behind their block."""

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

_FURTHER_IN = 150  # twentieths of a point
_LOOKED_BACK = 64  # items
_NO_WORDS = Words("")
_TITLE_PAGE = 20  # lines in which a title may be followed by names and dates that are set like it
CONTENTS = "contents"  # the list that a table of contents is
# A line in a monospaced face is code where it says so.
_CODE_SIGN = re.compile(
    r"[{}<>;=|\\$`~^@#&\[\]]|\w\(|\)\s*[:,;]|->|::|//|/\*|\*/|\s\*\s|^\s{2,}\S|^\s*(?:--|%|!)\S?|\w_\w|\w\.\w+\("
    r"|^\s*(?:import|from|def|class|return|print|echo|sudo|pip|npm|git|cd|ls|else|elif|try|end|begin|select)\b(?![.,])"
)
_PLAIN_WORD = re.compile(r"[(\"'“‘]?[^\W\d_]+(?:['’-][^\W\d_]+)*[.,;:!?)\"'”’]*")
_PROSE_WORDS, _PROSE_SHARE = 6, 0.8  # a line of so many words, so many of them plain, is no code
_SHARE = 0.3  # of the lines in one run of monospaced paragraphs


@dataclass(slots=True)
class Entry:
    """One paragraph, or a table as its piece.

    ``code``: "code" or "monospaced" where the paragraph may be code. ``notes`` belong directly behind its
    block, ``beside`` (text boxes, charts, descriptions of pictures) behind those. ``mark``, ``depth``, ``indent``: of
    a list item, the last in twentieths of a point.
    """

    kind: BlockKind
    words: Words = _NO_WORDS
    level: int = 0
    mark: Mark | None = None
    depth: int = 0
    indent: int = 0
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
    """A list while it grows. ``shifts``: how much deeper than it says a list within the list stands."""

    entries: list[Entry] = field(default_factory=list)
    depths: list[int] = field(default_factory=list)
    shifts: dict[str, int] = field(default_factory=dict)

    def depth_of(self, entry: Entry) -> int:
        """Where the item belongs: a list of its own that is indented further than this one is part of it."""
        shift = self.shifts.get(entry.list_id)
        if shift is None:
            outer = next((depth for above, depth in self._last() if above.indent + _FURTHER_IN <= entry.indent), -1)
            shift = max(0, outer + 1 - entry.depth) if self.entries else 0
        return entry.depth + shift

    def is_followed_by(self, entry: Entry, *, behind_gap: bool) -> bool:
        """Whether an item goes on with this list, or is the first of the next one."""
        if not self.entries or entry.mark is None or entry.list_id in self.shifts:
            return True
        depth = self.depth_of(entry)
        if behind_gap or depth > min(self.depths) or not entry.mark.text:
            return not behind_gap
        last = next((above.mark for above, above_depth in self._last() if above_depth <= depth), None)
        if last is None or last.is_bullet != entry.mark.is_bullet:
            return False
        return last.is_bullet or entry.mark.count > last.count

    def add(self, entry: Entry) -> None:
        depth = self.depth_of(entry)
        self.shifts[entry.list_id] = depth - entry.depth
        self.depths.append(depth)
        self.entries.append(entry)

    def _last(self) -> Iterator[tuple[Entry, int]]:
        """The latest items and their depths, last first."""
        return zip(self.entries[: -_LOOKED_BACK - 1 : -1], self.depths[: -_LOOKED_BACK - 1 : -1], strict=True)

    def pieces(self) -> Iterator[Piece]:
        """The list, then its notes."""
        if self.entries:
            pairs = zip(self.entries, self.depths, strict=True)
            items = (Item(entry.words, entry.mark.text if entry.mark else "-", depth) for entry, depth in pairs)
            yield Piece(BlockKind.LIST, items=tuple(items))
            for entry in self.entries:
                yield from entry.notes


def grouped(entries: Sequence[Entry]) -> list[Piece]:
    """The pieces of one story: of the body, a cell, a note or a text box."""
    settle_code(entries)
    pieces: list[Piece] = []
    growing = _List()
    gap = False
    for entry in _joined_code(entries):
        if entry.mark and not entry.mark.text and entry.list_id != CONTENTS and (gap or not growing.entries):
            entry.kind = BlockKind.PARAGRAPH
        if entry.kind is BlockKind.LIST and not entry.is_blank:
            if not growing.is_followed_by(entry, behind_gap=gap):
                pieces += growing.pieces()
                growing = _List()
            growing.add(entry)
            gap = False
            if not entry.beside:
                continue
        elif entry.is_blank and not entry.notes and not entry.beside:
            gap = gap or entry.kind is not BlockKind.LIST
            continue
        pieces += growing.pieces()
        growing = _List()
        gap = False
        if entry.kind is not BlockKind.LIST:
            pieces += _own_pieces(entry)
        pieces += entry.beside
    return [*pieces, *growing.pieces()]


def settle_headings(entries: Sequence[Entry]) -> None:
    """Make headings of what is set like one, numbered items among them, where at most one heading is stated.

    A numbered item heads something where the next entry is no such item. Where headings are stated, the first line
    may still be set as the title of all.
    """
    stated = {entry.words.text for entry in entries if entry.kind is BlockKind.HEADING}
    inked = [entry for entry in entries if not entry.is_blank]
    lines = {
        place: (entry.words, entry.look)
        for place, entry in enumerate(inked)
        if entry.kind in (BlockKind.PARAGRAPH, BlockKind.LIST)
    }
    levels = levels_by_look(lines, len(inked))
    without_page = {place: line for place, line in lines.items() if not (0 < place < _TITLE_PAGE and line[1].bold)}
    if 0 in levels_by_look(without_page, len(inked)):
        levels = {0: 1} | levels
    for place, level in levels.items():
        entry, after = inked[place], inked[place + 1] if place + 1 < len(inked) else None
        if place and len(stated) > 1:
            break
        if entry.kind is BlockKind.LIST:
            if not entry.mark or entry.mark.is_bullet or after is None:
                continue
            if after.kind is BlockKind.LIST and place + 1 in levels and after.list_id == entry.list_id:
                continue
            entry.words = headed(f"{entry.mark.text} ", entry.words)
        entry.kind, entry.level = BlockKind.HEADING, level


def _own_pieces(entry: Entry) -> Iterator[Piece]:
    yield from entry.table or (Piece(entry.kind, entry.words, level=entry.level),)
    yield from entry.notes


def settle_code(entries: Iterable[Entry]) -> None:
    """Make CODE of the paragraphs that are: styled so, or consecutive monospaced ones that read so."""
    for is_candidate, run in groupby(entries, key=lambda entry: bool(entry.code)):
        lines = list(run)
        if not is_candidate:
            continue
        unsure = [line for entry in lines if entry.code != "code" for line in entry.words.text.split("\n")]
        is_code = are_code(unsure)
        for entry in lines:
            if entry.code == "code" or is_code:
                entry.kind = BlockKind.CODE


def _joined_code(entries: Iterable[Entry]) -> Iterator[Entry]:
    """Consecutive lines of code as one entry, blank ones between them kept."""
    for is_code, run in groupby(entries, key=lambda entry: entry.kind is BlockKind.CODE):
        lines = list(run)
        if not is_code:
            yield from lines
            continue
        words = Words("\n".join(entry.words.text for entry in lines).replace("\u00a0", " "))
        notes = [note for entry in lines for note in entry.notes]
        beside = [piece for entry in lines for piece in entry.beside]
        yield Entry(BlockKind.CODE, words, notes=notes, beside=beside)


def says_code(text: str) -> bool:
    """Whether a line in a monospaced face reads as code rather than as typewritten prose.

    >>> says_code("SELECT * FROM users WHERE active = 1;"), says_code("make install; make test")
    (True, True)
    >>> says_code("This memo is set in a typewriter face."), says_code("The parties agree; see [3] for what they owe.")
    (False, False)
    """
    return bool(_CODE_SIGN.search(text)) and not _is_prose(text.split())


def _is_prose(words: list[str]) -> bool:
    return len(words) >= _PROSE_WORDS and sum(map(bool, map(_PLAIN_WORD.fullmatch, words))) >= _PROSE_SHARE * len(words)


def are_code(lines: Sequence[str]) -> bool:
    """Whether consecutive monospaced lines are code: enough of them say so.

    >>> are_code(["def f(n):", "    a, b = 0, 1", "", "    return a"]), are_code(["Dear Jane,", "", "yours"])
    (True, False)
    """
    inked = [line for line in lines if line.strip()]
    return bool(inked) and sum(map(says_code, inked)) >= max(1, _SHARE * len(inked))
