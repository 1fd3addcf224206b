"""Where the entries of a PDF's own outline (its bookmarks) stand in the text."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence

from core.parsing.pdf.lines import title_key
from core.parsing.pdf.paragraphs import Draft
from core.types import BlockKind

Outline = Sequence[tuple[int, str, int]]  # (level, title, 1-based page) as the file states it
_Keys = tuple[str, str]

_MAX_LINES = 4
MAX_LEVEL = 6
NUMBERED = re.compile(r"(?:(?:Chapter|Section|Part|Appendix)\s+)?(\d{1,2}(?:\.\d{1,2}){0,5})\.?:?\s+(?=[^\W\d_])")
_NUMBER = re.compile(
    r"(?:(?:chapter|section|part|appendix|unit)\s+(?:[\divxlc.]{1,8}|[a-z])|[a-z]?\.?\d[\d.]{0,10})[.:)]?\s*[-–—]?\s+"
    r"(?=[^\W\d_])",
    re.IGNORECASE,
)
_TOLD = 6  # letters of a title, at least, that is looked for by likeness or on another page


def outline_levels(drafts: Sequence[Draft], outline: Outline) -> dict[int, int]:
    """The level, 1 to 6, of each draft that an outline's entry names, by the draft's index.

    An entry is looked for by its words, numbers before them aside, in the short drafts of its page, then of the pages
    beside it: it may point to the leaf before the chapter, or past its heading. Where the pages are wrong, as in an
    excerpt of a book, the largest type with these words is meant. One whose words stand nowhere names nothing.
    """
    of_page: dict[int, list[int]] = defaultdict(list)
    for index, draft in enumerate(drafts):
        if len(draft.lines) <= _MAX_LINES and draft.kind not in (BlockKind.TABLE, BlockKind.CODE, BlockKind.FOOTNOTE):
            of_page[draft.page].append(index)
    keys = {index: _keys(joined_text(drafts[index])) for indices in of_page.values() for index in indices}
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
            found[place] = max(1, min(MAX_LEVEL, level))
    for level, wanted, page in left:
        if len(wanted[1]) < _TOLD:
            continue
        nearby = [index for step in (1, -1) for index in of_page.get(page + step, ()) if index not in found]
        place = next((index for index in nearby if _same(wanted, keys[index])), None)
        if place is None:
            told = [index for index in keys if index not in found and _same(wanted, keys[index])]
            place = max(told, key=lambda index: drafts[index].first.size, default=None)
        if place is not None:
            found[place] = max(1, min(MAX_LEVEL, level))
    return found


def joined_text(draft: Draft) -> str:
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
