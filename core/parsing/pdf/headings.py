"""Finds the headings of a PDF and their levels: from its outline (bookmarks), numbering, type size and weight."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from core.parsing.pdf.lines import is_centred, title_key
from core.parsing.pdf.paragraphs import Draft, ends_sentence
from core.text.sentences import is_in_sentences, sentence_spans
from core.types import BlockKind, Span

Outline = Sequence[tuple[int, str, int]]  # (level, title, page from 1) as the file states it

_MAX_LEVEL = 6
_NUMBERED = re.compile(r"(?:(?:Chapter|Section|Part|Appendix)\s+)?(\d{1,2}(?:\.\d{1,2}){0,5})\.?:?\s+(?=[^\W\d_])")
_NUMBER = re.compile(
    r"(?:(?:chapter|section|part|appendix|unit)\s+(?:[\divxlc.]{1,8}|[a-z])|[a-z]?\.?\d[\d.]{0,10})[.:)]?\s*[-–—]?\s+"
    r"(?=[^\W\d_])",
    re.IGNORECASE,
)
_MIN_KEY = 6  # characters of a title that is searched for on other pages
# "II. Methods", "B. Methods" and "2. Methods", as sections set in the size of the text begin.
_ORDERED = re.compile(r"(?:[A-Z]|[IVX]{2,5}|\d{1,2}(?:\.\d{1,2}){0,3})\.?\s+(?=[^\W\d_])")
_ADDRESS = re.compile(r"\S@\S+\.\w{2}|\bhttps?://|\bwww\.\w")  # whom to write to, or where to look
_WORD = re.compile(r"[^\W\d_]{4}")
_SMALL_CAPITALS = re.compile(r"csc\d|small-?cap|(?:sc|caps)\b", re.IGNORECASE)  # in the name of a font
Style = tuple[float, bool, bool]  # type size in points, whether bold, whether upright
Edges = Mapping[tuple[int, int], tuple[float, float]]  # the left and right edge of a page's region, by both

_IN_BRACKETS = re.compile(r"\(\d{1,2}\)\s")
_MAX_LINES = 4
_MAX_CHARACTERS = 220
_MIN_PROSE = 80  # characters of a paragraph of running text


def mark_headings(drafts: Sequence[Draft], outline: Outline, size: float, font: str = "") -> None:
    """Set ``kind`` to HEADING and ``level`` (1 to 6) on the drafts that are headings, and ``is_run_in``.

    ``outline``: as the file states it. ``size`` and ``font``: of the body text.
    """
    from_outline = _outline_levels(drafts, outline)
    letters = sum(draft.characters for draft in drafts) or 1
    mostly_bold = sum(draft.characters for draft in drafts if draft.first.bold) > 0.4 * letters
    edges = _edges(drafts)
    candidates = [
        index
        for index, draft in enumerate(drafts)
        if index in from_outline
        or _looks_like_heading(draft, size, font, mostly_bold, _is_above_table(drafts, index))
        or _is_centred_heading(draft, size, edges)
    ]
    for index in candidates:
        drafts[index].is_run_in = index not in from_outline and _is_run_in(drafts, index, edges)
    headings = [index for index in candidates if not drafts[index].is_run_in]
    levels = _levels(drafts, headings, from_outline)
    for index in headings:
        drafts[index].kind, drafts[index].level = BlockKind.HEADING, levels[index]


def _looks_like_heading(draft: Draft, size: float, font: str, mostly_bold: bool, above_table: bool) -> bool:
    if len(draft.lines) > _MAX_LINES or draft.first.is_field:
        return False
    text, first = _joined_text(draft), draft.first
    if _ADDRESS.search(text):
        return False
    is_numbered = _NUMBERED.match(text) or (first.font != font and (_IN_BRACKETS.match(text) or _ORDERED.match(text)))
    is_candidate = draft.kind is BlockKind.PARAGRAPH or (draft.kind is BlockKind.LIST and is_numbered)
    if not is_candidate or len(text) > _MAX_CHARACTERS:
        return False
    letters = sum(char.isalpha() for char in text)
    if letters < 2 or first.is_rotated or letters < 0.4 * len(text.replace(" ", "")):
        return False
    if first.size >= 1.15 * size + 0.2:
        return not (text[0].islower() and ends_sentence(text)) and not _is_prose(text)
    if first.font != font and first.size >= 1.05 * size and len(draft.lines) <= 2 and not first.mono:
        return not ends_sentence(text) and not text[0].islower() and len(text) <= 120
    is_italic_line = first.italic and len(draft.lines) == 1 and len(text) <= 70 and not ends_sentence(text)
    return (
        (first.bold or (is_italic_line and text[0].isupper()))
        and not mostly_bold
        and first.size >= 0.95 * size
        and (len(draft.lines) <= 2 or (above_table and all(line.bold for _, line in draft.lines)))
        and len(text) <= 120
        and text[-1] not in ",;"
        and not (text[-1] in ".!?" and len(text) > 60)
        and not text[0].islower()
    )


def _is_above_table(drafts: Sequence[Draft], index: int) -> bool:
    """Whether a table follows on the same page, as below the titles of a financial statement."""
    after = drafts[index + 1] if index + 1 < len(drafts) else None
    return after is not None and after.first.table is not None and after.page == drafts[index].page


def _is_prose(text: str) -> bool:
    """Whether a text is several sentences, most of whose words begin with a small letter, as in notices in large type.

    >>> _is_prose("The hall is open again. Please check the dates, as they may change before the summer fete begins.")
    True
    >>> _is_prose("Item 5. Market for Common Equity, Related Stockholder Matters and Purchases of Equity Securities.")
    False
    """
    words = text.split()
    small = sum(word[0].islower() for word in words)
    is_long = len(text) > _MIN_PROSE and 2 * small > len(words)
    return is_long and len(sentence_spans(text)) > 1 and is_in_sentences(text, Span(0, len(text)))


def _edges(drafts: Iterable[Draft]) -> Edges:
    """The left and right edge of the lines of each page's regions, by page and region."""
    edges: dict[tuple[int, int], tuple[float, float]] = {}
    for draft in drafts:
        for page, line in draft.lines:
            left, right = edges.get((page, line.region), (line.x0, line.x1))
            edges[page, line.region] = min(left, line.x0), max(right, line.x1)
    return edges


def _is_centred_heading(draft: Draft, size: float, edges: Edges) -> bool:
    """Whether a draft is a heading in the type of the text: centred in its column, numbered or in capitals."""
    text, first = _joined_text(draft), draft.first
    if draft.kind not in (BlockKind.PARAGRAPH, BlockKind.LIST) or len(draft.lines) > 2 or len(text) > 120:
        return False
    if _ADDRESS.search(text) or not all(
        is_centred(line.x0, line.x1, *edges[draft.page, first.region]) for _, line in draft.lines
    ):
        return False
    numbered = _ORDERED.match(text)
    words = text[numbered.end() :] if numbered else text
    letters = sum(map(str.isalpha, words))
    if first.is_rotated or first.size < 0.95 * size or letters < 0.75 * len(words.replace(" ", "")):
        return False
    if not _WORD.search(words):
        return False
    in_capitals = words.isupper() or _SMALL_CAPITALS.search(first.font)
    return bool(in_capitals or (numbered and words[0].isupper())) and not ends_sentence(text)


def _is_run_in(drafts: Sequence[Draft], index: int, edges: Edges) -> bool:
    """Whether a draft is the first line of the paragraph below, with a run-in heading: it fills the column, and the
    sentence continues in the next line.
    """
    draft, after = drafts[index], drafts[index + 1] if index + 1 < len(drafts) else None
    if after is None or after.kind is not BlockKind.PARAGRAPH or after.page != draft.page:
        return False
    line, below = draft.last, after.first
    near = below.region == line.region and 0 < below.baseline - line.baseline < 1.6 * line.size
    if not near or not below.text.lstrip()[:1].islower() or ends_sentence(line.text):
        return False
    letter = (line.x1 - line.x0) / max(1, len(line.text))
    next_word = letter * len(below.text.split(maxsplit=1)[0])  # what it does not hold begins the next line
    return line.x1 > edges[draft.page, line.region][1] - max(2, min(next_word / line.size, 2.5)) * line.size


def _style(draft: Draft) -> Style:
    return round(2 * draft.first.size) / 2, draft.first.bold, not draft.first.italic


def _ranks(counts: Counter[Style]) -> dict[Style, int]:
    """Levels by type style: larger first, bold before regular, upright before italic; sizes within 5 % share a level.

    ``counts``: how many headings have each style. A style larger than all that occur repeatedly is the title's: the
    next style then gets a level of its own.

    >>> styles = {(20.0, True, True): 1, (14.0, True, True): 3, (13.8, True, True): 2, (10.0, True, True): 4}
    >>> list(_ranks(Counter(styles)).values()), _ranks(Counter({(9.0, False, True): 2, (9.0, False, False): 2}))
    ([1, 2, 2, 3], {(9.0, False, True): 1, (9.0, False, False): 2})
    """
    repeated = [style for style, count in counts.items() if count > 1] or list(counts)
    ranks: dict[Style, int] = {}
    level, previous = 0, None
    for style in sorted(counts, reverse=True):
        is_title_line = style > max(repeated) and previous is not None
        is_near = previous is not None and style[0] > 0.95 * previous[0] and style[1:] == previous[1:]
        if not (is_title_line or is_near or (counts[style] == 1 and level > 1)):
            level += 1
        ranks[style] = min(max(1, level), _MAX_LEVEL)
        previous = style
    return ranks


def _levels(drafts: Sequence[Draft], headings: Sequence[int], from_outline: dict[int, int]) -> dict[int, int]:
    """Levels of all headings by index. With an outline: its levels, and those it gives to headings of the same style.
    Without: the levels of their styles, corrected by their numbers.
    """
    ranks = _ranks(Counter(_style(drafts[index]) for index in headings))
    known: dict[Style, Counter[int]] = defaultdict(Counter)
    for index, stated in from_outline.items():
        known[_style(drafts[index])][stated] += 1
    deepest = max(from_outline.values(), default=0)
    levels: dict[int, int] = {}
    for index in headings:
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
    if first < len(drafts) and any(draft.characters > _MIN_PROSE for draft in drafts[first + 1 : second]):
        levels[first] = min(levels.values())  # a title may be set in smaller type than the chapters
    return levels


def _numbered(drafts: Sequence[Draft], levels: dict[int, int]) -> dict[int, int]:
    """``levels``, corrected where headings are numbered: ``2.1`` is one level below ``2``, whatever their type."""
    depths = {index: match[1].count(".") for index in levels if (match := _NUMBERED.match(_joined_text(drafts[index])))}
    if len(depths) < 3 or len(set(depths.values())) < 2:
        return levels
    base = min(levels[index] - depth for index, depth in depths.items())
    top = max(1, base, min((levels[index] for index, depth in depths.items() if depth == 0), default=1))
    return {**levels, **{index: min(_MAX_LEVEL, top + depth) for index, depth in depths.items()}}


def _outline_levels(drafts: Sequence[Draft], outline: Outline) -> dict[int, int]:
    """The level, 1 to 6, of each draft that matches an entry of the outline, by the draft's index.

    An entry is matched by its words, without the number before them, with the short drafts of its page, then with those
    of the next and previous page: an entry may point to the page before the chapter or past its heading. Where the page
    numbers are wrong, as in an excerpt of a book, the match in the largest type is taken. Other entries are ignored.
    """
    of_page: dict[int, list[int]] = defaultdict(list)
    for index, draft in enumerate(drafts):
        if len(draft.lines) <= _MAX_LINES and draft.kind not in (BlockKind.TABLE, BlockKind.CODE, BlockKind.FOOTNOTE):
            of_page[draft.page].append(index)
    keys = {index: _key(_joined_text(drafts[index])) for indices in of_page.values() for index in indices}
    levels: dict[int, int] = {}

    def match(entry: str, indices: Iterable[int]) -> Iterator[int]:
        return (index for index in indices if index not in levels and keys[index] == entry)

    unmatched: list[tuple[int, str, int]] = []
    for level, title, page in outline:
        entry = _key(title)
        if not entry:
            continue
        found = next(match(entry, of_page.get(page, ())), None)
        if found is None:
            unmatched.append((level, entry, page))
        else:
            levels[found] = max(1, min(_MAX_LEVEL, level))
    for level, entry, page in unmatched:
        if len(entry) < _MIN_KEY:
            continue
        found = next(match(entry, [*of_page.get(page + 1, ()), *of_page.get(page - 1, ())]), None)
        if found is None:
            found = max(match(entry, keys), key=lambda index: drafts[index].first.size, default=None)
        if found is not None:
            levels[found] = max(1, min(_MAX_LEVEL, level))
    return levels


def _joined_text(draft: Draft) -> str:
    """The draft's lines joined by blanks."""
    return " ".join(line.text for _, line in draft.lines)


def _key(title: str) -> str:
    """The ``title_key`` of a title without the number before it.

    >>> [_key(title) for title in ("2.1 Waves", "Chapter IV - Waves", "CHAPTER 4: Waves", "A.1 Waves", "1984")]
    ['waves', 'waves', 'waves', 'waves', '1984']
    """
    return title_key(_NUMBER.sub("", title))
