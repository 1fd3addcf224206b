"""Groups lines in reading order into drafts of blocks: decides where a paragraph ends and the next begins."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from statistics import median, quantiles

from core.parsing.pdf.lines import TextLine
from core.types import BlockKind

LIST_MARKER = re.compile(r"(?:[•▪◦‣–—*+►➢✓■□○]|-|o(?=\s+[A-Z])|\(?\d{1,3}[.)]|\(?[a-zA-Z][.)]|\(?[ivx]{1,5}[.)])\s+\S")
_BULLET = re.compile(r"(?:[•‣\u25a0-\u25ff\u26aa\u26ab\u2700-\u27bf]\s*|›{1,2}\s+)\S")
_CAPTION = re.compile(
    r"(?:Figure|Fig\.|Table|Tab\.|Listing|Example|Exhibit|Chart|Scheme|Abbildung|Abb\.|Tabelle|Figura|Tableau)"
    r"\s*[A-Z]?\d+(?:[-.]\d+)*(?:\s*[.:–—|]|\s+(?=[^a-z\s])|\s*$)"
    r"|[\[<(【]?(?:표|그림|図|表|图|圖)\s*\d+(?:[-.]\d+)*[\])】>.: ]"
)
_LEADER = re.compile(r" \.\.\. [\dA-Zivxlc-]{1,8}(?:, \d{1,4})*$")  # a line of a table of contents or an index
_NOTE_MARK = re.compile(r"(?:\[?\d{1,3}[\].)]?|[*†‡§¶]{1,3})\s*[^\s\d]")
_SMALL = 0.9  # of the body's type size: the largest size of footnotes
_FOOT = 0.55  # of the page's height, from the top: footnotes begin below
_MAX_NOTES = 4  # lines of footnotes right below a table
_MAX_HEADING = 60  # characters
_WIDEST = 3.5  # of the type size: the largest distance of baselines within a paragraph
_FULL = 0.15  # of a column's width: the most that a full line may end before the right edge
_EVEN = 0.05  # of the distance of double-spaced lines
_TERMINAL = re.compile(r"[.!?:;。！？।][\"'”’»)\]]*(?:\s?\[?\d{1,3}\]?)?$")


@dataclass(slots=True)
class Draft:
    """A block before it is written: its lines, each with its page from 1. ``level``: of a heading.

    ``small_at_foot``: set in small type at the foot of a column, like footnotes. ``is_run_in``: the first line of the
    paragraph below, which begins with a run-in heading.
    """

    kind: BlockKind
    lines: list[tuple[int, TextLine]] = field(default_factory=list)
    level: int = 0
    small_at_foot: bool = False
    is_run_in: bool = False

    @property
    def first(self) -> TextLine:
        return self.lines[0][1]

    @property
    def last(self) -> TextLine:
        return self.lines[-1][1]

    @property
    def page(self) -> int:
        return self.lines[0][0]

    @property
    def characters(self) -> int:
        return sum(len(line.text) for _, line in self.lines)


@dataclass(frozen=True, slots=True)
class _Column:
    """The left and right edge of a region's lines, and the usual distance of baselines by rounded type size.

    ``wide_steps``: by type size, the distance of double-spaced lines, whose sentences run on from one to the next.
    """

    left: float
    right: float
    steps: dict[int, float]
    wide_steps: dict[int, float] = field(default_factory=dict)


def drafts_of(
    page_number: int, lines: Sequence[TextLine], body_size: float, page_height: float, *, with_code: bool
) -> list[Draft]:
    """The drafts of one page. ``body_size``: the document's. ``with_code``: whether monospaced type is code."""
    columns = {
        region: _column([line for line in lines if line.region == region]) for region in {x.region for x in lines}
    }
    foot_lines = _foot_lines(lines, body_size, page_height)
    drafts: list[Draft] = []
    for line in lines:
        at_foot = id(line) in foot_lines
        draft = drafts[-1] if drafts else None
        kind = _kind(line, draft, at_foot=at_foot, with_code=with_code)
        follows_note = at_foot and kind is BlockKind.PARAGRAPH and _follows_note(line, draft)
        if (
            draft is None
            or line.is_placeholder
            or draft.first.is_placeholder
            or draft.first.comment
            or (kind is BlockKind.CODE) is not (draft.kind is BlockKind.CODE)
            or line.region != draft.last.region
            or at_foot is not draft.small_at_foot
            or _begins_block(draft, line, columns[line.region], kind)
        ):
            kind = BlockKind.FOOTNOTE if follows_note else kind
            drafts.append(Draft(kind, [(page_number, line)], small_at_foot=at_foot))
        else:
            draft.lines.append((page_number, line))
    return drafts


def _foot_lines(lines: Sequence[TextLine], body_size: float, page_height: float) -> set[int]:
    """The ids of lines in small type at the foot of a column. A section or table in small type is none."""
    foot_lines: set[int] = set()
    for region in {line.region for line in lines}:
        column = [line for line in lines if line.region == region and not line.is_rotated and not line.comment]
        start = len(column)
        while start and not column[start - 1].is_placeholder and column[start - 1].size <= _SMALL * body_size:
            start -= 1
        notes = column[start:]
        if not notes or notes[0].y0 <= _FOOT * page_height:
            continue
        if not (start and _heads_small_lines(column[start - 1], notes, body_size)):
            foot_lines.update(map(id, notes))
    return foot_lines


def _heads_small_lines(above: TextLine, notes: Sequence[TextLine], body_size: float) -> bool:
    """Whether the small lines below ``above`` belong to it: a section in small type, or the rest of a table."""
    if above.is_placeholder:
        return len(notes) > _MAX_NOTES
    return len(above.text) < _MAX_HEADING and (above.bold or above.size > 1.1 * body_size)


def _column(lines: Sequence[TextLine]) -> _Column:
    texts = [line for line in lines if not line.is_placeholder]
    if not texts:
        return _Column(0.0, 0.0, {})
    steps: dict[int, list[float]] = {}
    for above, below in pairwise(texts):
        step = below.baseline - above.baseline
        if 0.7 * above.size < step < 2.2 * above.size and abs(above.size - below.size) < 1:
            steps.setdefault(round(above.size), []).append(step)
    usual_steps = {size: quantiles(some, n=4)[0] if len(some) >= 2 else some[0] for size, some in steps.items()}
    rights = sorted(line.x1 for line in texts)
    left, right = min(line.x0 for line in texts), rights[int(0.95 * (len(rights) - 1))]
    wide: dict[int, list[float]] = {}
    for above, below in pairwise(texts):
        step = below.baseline - above.baseline
        is_full = right - above.x1 < _FULL * (right - left) and abs(above.size - below.size) < 1
        if 2.2 * above.size <= step < _WIDEST * above.size and is_full and below.text[:1].islower():
            wide.setdefault(round(above.size), []).append(step)
    return _Column(left, right, usual_steps, {size: median(some) for size, some in wide.items() if len(some) > 1})


def _kind(line: TextLine, draft: Draft | None, *, at_foot: bool, with_code: bool) -> BlockKind:
    if line.table is not None:
        return BlockKind.TABLE
    if line.labels:
        return BlockKind.CAPTION
    if line.comment:
        return BlockKind.FOOTNOTE
    if line.is_field:
        return BlockKind.PARAGRAPH
    if at_foot and _NOTE_MARK.match(line.text):
        return BlockKind.FOOTNOTE
    if with_code and line.mono and not line.bold and not at_foot and not _is_inline_address(draft, line):
        return BlockKind.CODE
    if _CAPTION.match(line.text):
        return BlockKind.CAPTION
    if is_item(line.text) or _LEADER.search(line.text):
        return BlockKind.LIST
    return BlockKind.PARAGRAPH


def _follows_note(line: TextLine, draft: Draft | None) -> bool:
    return draft is not None and draft.kind is BlockKind.FOOTNOTE and draft.last.region == line.region


def _is_inline_address(draft: Draft | None, line: TextLine) -> bool:
    """Whether a monospaced line is one long word, such as a web address, within a sentence in other type."""
    if draft is None or draft.kind is BlockKind.CODE or " " in line.text or draft.last.region != line.region:
        return False
    above = draft.last
    is_near = 0 < line.baseline - above.baseline < 1.6 * line.size
    is_address = "://" in f"{above.text.rpartition(' ')[2]} {line.text}"
    return is_near and not above.is_placeholder and (is_address or not ends_sentence(above.text))


def is_item(text: str) -> bool:
    """Whether a line begins a list item.

    >>> [is_item(text) for text in ("• one", "2. two", "›› three", "1990 was", "e.g. this")]
    [True, True, True, False, False]
    """
    return bool(LIST_MARKER.match(text) or _BULLET.match(text))


def ends_sentence(text: str) -> bool:
    """Whether a line ends with the end of a sentence, before closing quotes, brackets or a footnote mark.

    >>> [ends_sentence(text) for text in ("the end.", "he said (so).", "and then", "see note.12")]
    [True, True, False, True]
    """
    return bool(_TERMINAL.search(text.rstrip()))


def _begins_block(draft: Draft, line: TextLine, column: _Column, kind: BlockKind) -> bool:
    """Whether ``line``, of ``kind``, begins a new block and does not continue ``draft``, in the same region."""
    above = draft.last
    step = line.baseline - above.baseline
    usual = max(column.steps.get(round(above.size), 1.25 * above.size), 0.9 * max(above.size, line.size))
    if draft.kind is BlockKind.CODE:
        return step > 2.6 * usual or step < 0
    if abs(above.size - line.size) > 0.08 * max(above.size, line.size) + 0.3 or step < 0:
        return True
    if step > 1.3 * usual + 0.5 and not _is_near(step, column.wide_steps.get(round(above.size), 0.0)):
        return True
    if len(draft.lines) == 1 and above.font != line.font and abs(above.size - line.size) > 0.04 * above.size:
        return True
    changes_weight = above.bold != line.bold and min(len(line.text), len(above.text)) > 2
    if changes_weight and not _is_within_sentence(draft, line, column):
        return True
    changes_face = (above.italic and not line.italic) or (above.text.isupper() and not line.text.isupper())
    if changes_face and len(draft.lines) == 1 and _breaks_early(above, line, column):
        return True
    if _LEADER.search(above.text):
        return True
    if kind is not BlockKind.PARAGRAPH:
        # A wrapped line may begin like a list item; a real item begins after a sentence or a short line.
        return (
            bool(_BULLET.match(line.text))
            or kind is BlockKind.CODE
            or ends_sentence(above.text)
            or _breaks_early(above, line, column)
            or (kind is draft.kind and abs(line.x0 - draft.first.x0) < 0.5 * line.size)
        )
    breaks_early = _breaks_early(above, line, column)
    sentence_ends = ends_sentence(above.text)
    is_hanging = draft.kind in (BlockKind.LIST, BlockKind.FOOTNOTE) and len(draft.lines) == 1  # right of the marker
    is_indented = line.x0 - above.x0 > 0.7 * line.size and not is_hanging
    if is_indented and (sentence_ends or breaks_early):
        return True
    runs_on = not (sentence_ends or breaks_early) and line.text[:1].islower()
    is_left_of_item = draft.kind is BlockKind.LIST and line.x0 < draft.first.x0 - 0.5 * line.size
    if is_left_of_item and line.x0 < above.x0 - 0.5 * line.size and not runs_on:
        return True
    is_short = column.right - above.x1 > 0.5 * (column.right - column.left)
    return breaks_early and (sentence_ends or (is_short and not line.text[:1].islower()))


def _is_near(step: float, wide: float) -> bool:
    return abs(step - wide) < _EVEN * wide


def _is_within_sentence(draft: Draft, line: TextLine, column: _Column) -> bool:
    """Whether ``line`` continues a sentence of regular type, so that its being bold does not begin a block."""
    above = draft.last
    return not draft.first.bold and not ends_sentence(above.text) and not _breaks_early(above, line, column)


def _breaks_early(above: TextLine, line: TextLine, column: _Column) -> bool:
    """Whether the first word of ``line`` would have fitted on the line above, so that the break is intended."""
    character = line.width / max(1, len(line.text))
    first_word = len(line.text.split(" ", 1)[0]) + 1
    return column.right - above.x1 > first_word * character + 0.5 * line.size
