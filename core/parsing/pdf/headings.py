"""Headings of a PDF: from its own outline (its bookmarks) where it has one, and from type size and weight."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence

from core.parsing.pdf.lines import title_key
from core.parsing.pdf.paragraphs import Draft, ends_sentence
from core.types import BlockKind

Outline = Sequence[tuple[int, str, int]]  # (level, title, 1-based page) as the file states it
_Keys = tuple[str, str]

_MAX_LEVEL = 6
_NUMBERED = re.compile(r"(?:(?:Chapter|Section|Part|Appendix)\s+)?(\d{1,2}(?:\.\d{1,2}){0,5})\.?:?\s+(?=[^\W\d_])")
_NUMBER = re.compile(
    r"(?:(?:chapter|section|part|appendix|unit)\s+(?:[\divxlc.]{1,8}|[a-z])|[a-z]?\.?\d[\d.]{0,10})[.:)]?\s*[-–—]?\s+"
    r"(?=[^\W\d_])",
    re.IGNORECASE,
)
_TOLD = 6  # letters of a title, at least, that is looked for by likeness or on another page
Style = tuple[float, bool]

_IN_BRACKETS = re.compile(r"\(\d{1,2}\)\s")
_MAX_LINES = 4
_MAX_CHARACTERS = 220
_PROSE = 80  # characters of a paragraph


def mark_headings(drafts: Sequence[Draft], outline: Outline, size: float, font: str = "") -> None:
    """Turn drafts that are headings into HEADING, with levels 1 to 6.

    ``outline``: (level, title, 1-based page) as the file states it. ``size`` and ``font``: of the body's type.
    """
    from_outline = _outline_levels(drafts, outline)
    letters = sum(draft.characters for draft in drafts) or 1
    mostly_bold = sum(draft.characters for draft in drafts if draft.first.bold) > 0.4 * letters
    looking = [
        index
        for index, draft in enumerate(drafts)
        if index in from_outline or _looks_like_heading(draft, size, font, mostly_bold)
    ]
    for index in looking:
        drafts[index].runs_in = index not in from_outline and _runs_in(drafts, index)
    candidates = [index for index in looking if not drafts[index].runs_in]
    levels = _levels(drafts, candidates, from_outline)
    for index in candidates:
        drafts[index].kind, drafts[index].level = BlockKind.HEADING, levels[index]


def _looks_like_heading(draft: Draft, size: float, font: str, mostly_bold: bool) -> bool:
    if len(draft.lines) > _MAX_LINES:
        return False
    text, first = _joined_text(draft), draft.first
    numbered = _NUMBERED.match(text) or (first.font != font and _IN_BRACKETS.match(text))
    allowed = draft.kind is BlockKind.PARAGRAPH or (draft.kind is BlockKind.LIST and bool(numbered))
    if not allowed or len(text) > _MAX_CHARACTERS:
        return False
    letters = sum(char.isalpha() for char in text)
    if letters < 2 or first.aside or letters < 0.4 * len(text.replace(" ", "")):
        return False
    if first.size >= 1.15 * size + 0.2:
        return not (text[0].islower() and ends_sentence(text))
    if first.font != font and first.size >= 1.05 * size and len(draft.lines) <= 2 and not first.mono:
        return not ends_sentence(text) and not text[0].islower() and len(text) <= 120
    slanted = first.italic and len(draft.lines) == 1 and len(text) <= 70 and not ends_sentence(text)
    return (
        (first.bold or (slanted and text[0].isupper()))
        and not mostly_bold
        and first.size >= 0.95 * size
        and len(draft.lines) <= 2
        and len(text) <= 120
        and text[-1] not in ",;"
        and not (text[-1] in ".!?" and len(text) > 60)
        and not text[0].islower()
    )


def _runs_in(drafts: Sequence[Draft], index: int) -> bool:
    """Whether a draft is but the first line of the paragraph below, whose first words are set apart: it fills the
    column, and the text goes on within a sentence.
    """
    draft, after = drafts[index], drafts[index + 1] if index + 1 < len(drafts) else None
    if after is None or after.kind is not BlockKind.PARAGRAPH or after.page != draft.page:
        return False
    line, below = draft.last, after.first
    near = below.region == line.region and 0 < below.baseline - line.baseline < 1.6 * line.size
    if not near or not below.text.lstrip()[:1].islower() or ends_sentence(line.text):
        return False
    column = (each for one in drafts for page, each in one.lines if page == draft.page and each.region == line.region)
    return line.x1 > max(each.x1 for each in column) - 2 * line.size


def _style(draft: Draft) -> Style:
    return round(2 * draft.first.size) / 2, draft.first.bold


def _ranks(counts: Counter[Style]) -> dict[Style, int]:
    """Levels by type alone: larger comes first, bold before plain. What is larger than all that comes again is title.

    >>> _ranks(Counter({(20.0, True): 1, (14.0, True): 3, (13.8, True): 2, (10.0, True): 4}))
    {(20.0, True): 1, (14.0, True): 2, (13.8, True): 2, (10.0, True): 3}
    """
    repeated = [style for style, count in counts.items() if count > 1] or list(counts)
    ranks: dict[Style, int] = {}
    level, previous = 0, None
    for style in sorted(counts, reverse=True):
        title = style > max(repeated) and previous is not None
        near = previous is not None and style[0] > 0.95 * previous[0] and style[1] is previous[1]
        if not (title or near or (counts[style] == 1 and level > 1)):
            level += 1
        ranks[style] = min(max(1, level), _MAX_LEVEL)
        previous = style
    return ranks


def _levels(drafts: Sequence[Draft], candidates: Sequence[int], from_outline: dict[int, int]) -> dict[int, int]:
    """Levels of all candidates: the outline's, then the numbering's, then the rank of their type."""
    ranks = _ranks(Counter(_style(drafts[index]) for index in candidates))
    known: dict[Style, Counter[int]] = defaultdict(Counter)
    for index, stated in from_outline.items():
        known[_style(drafts[index])][stated] += 1
    deepest = max(from_outline.values(), default=0)
    levels: dict[int, int] = {}
    for index in candidates:
        style = _style(drafts[index])
        if index in from_outline:
            levels[index] = from_outline[index]
        elif known[style]:
            levels[index] = known[style].most_common(1)[0][0]
        elif from_outline:
            smaller = sum(other > style for other in known if known[other])
            levels[index] = min(_MAX_LEVEL, deepest + 1) if smaller else 1
        else:
            levels[index] = ranks[style]
    if from_outline:
        return levels
    levels = _numbered(drafts, levels)
    first, second, *_ = *sorted(levels), len(drafts), len(drafts)
    if first < len(drafts) and any(draft.characters > _PROSE for draft in drafts[first + 1 : second]):
        levels[first] = min(levels.values())  # a title may be set smaller than the chapters
    return levels


def _numbered(drafts: Sequence[Draft], levels: dict[int, int]) -> dict[int, int]:
    """Where headings are numbered, ``2.1`` lies one level below ``2``, whatever their type."""
    depths = {index: match[1].count(".") for index in levels if (match := _NUMBERED.match(_joined_text(drafts[index])))}
    if len(depths) < 3 or len(set(depths.values())) < 2:
        return levels
    base = min(levels[index] - depth for index, depth in depths.items())
    top = max(1, base, min((levels[index] for index, depth in depths.items() if depth == 0), default=1))
    return {**levels, **{index: min(_MAX_LEVEL, top + depth) for index, depth in depths.items()}}


def _outline_levels(drafts: Sequence[Draft], outline: Outline) -> dict[int, int]:
    """The level, 1 to 6, of each draft that an outline's entry names, by the draft's index.

    An entry is looked for by its words, numbers before them aside, in the short drafts of its page, then of the pages
    beside it: it may point to the leaf before the chapter, or past its heading. Where the pages are wrong, as in an
    excerpt of a book, the largest type with these words is meant. One whose words stand nowhere names nothing.
    """
    of_page: dict[int, list[int]] = defaultdict(list)
    for index, draft in enumerate(drafts):
        if len(draft.lines) <= _MAX_LINES and draft.kind not in (BlockKind.TABLE, BlockKind.CODE, BlockKind.FOOTNOTE):
            of_page[draft.page].append(index)
    keys = {index: _keys(_joined_text(drafts[index])) for indices in of_page.values() for index in indices}
    found: dict[int, int] = {}
    left: list[tuple[int, _Keys, int]] = []
    for level, title, page in outline:
        wanted = _keys(title)
        if not wanted[0]:
            continue
        here = (index for index in of_page.get(page, ()) if index not in found and _same(wanted, keys[index]))
        place = next(here, None)
        if place is None:
            left.append((level, wanted, page))
        else:
            found[place] = max(1, min(_MAX_LEVEL, level))
    for level, wanted, page in left:
        if len(wanted[1]) < _TOLD:
            continue
        nearby = [index for step in (1, -1) for index in of_page.get(page + step, ()) if index not in found]
        place = next((index for index in nearby if _same(wanted, keys[index])), None)
        if place is None:
            told = [index for index in keys if index not in found and _same(wanted, keys[index])]
            place = max(told, key=lambda index: drafts[index].first.size, default=None)
        if place is not None:
            found[place] = max(1, min(_MAX_LEVEL, level))
    return found


def _joined_text(draft: Draft) -> str:
    """The draft's lines with a blank between them."""
    return " ".join(line.text for _, line in draft.lines)


def _keys(title: str) -> _Keys:
    """The title's letters and digits, and these without the number before it.

    >>> [_keys(title)[1] for title in ("2.1 Waves", "Chapter IV - Waves", "CHAPTER 4: Waves", "A.1 Waves", "1984")]
    ['waves', 'waves', 'waves', 'waves', '1984']
    """
    return title_key(title), title_key(_NUMBER.sub("", title))


def _same(wanted: _Keys, here: _Keys) -> bool:
    return wanted[0] in here or bool(here[1] and here[1] == wanted[1])
