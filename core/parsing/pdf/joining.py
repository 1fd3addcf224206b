"""What belongs together: paragraphs cut by a column or a page, titles of several lines, captions and figures; and words
that a line's end breaks: which hyphens belong to the word, and which to the line.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from core.parsing.pdf.paragraphs import Draft, ends_sentence
from core.types import BlockKind

_FLOATING = (BlockKind.FOOTNOTE, BlockKind.CAPTION, BlockKind.TABLE)
_OPENING = "\"'“‘«("
_STEP = 1.6  # of the type size, from one baseline to the next within a paragraph
_FULL_LINE = 0.9  # of a column's width: shorter lines end a paragraph in scripts without capital letters

_WORD_BREAK = re.compile(r"([^\W\d_]+)[-\u2010\u00ad]$")
_HYPHENATED = re.compile(r"[^\W\d_]+[-\u2010][^\W\d_]+")
_WORD = re.compile(r"[^\W\d_]+")
_HANGUL = re.compile("[\uac00-\ud7a3]")
_SELF = {"self", "well"}  # hardly ever written in one, and no syllable of other words ...
_ONE_WORD = {"ish", "less", "same", "ness", "being"}  # ... but for these
_CLOSED = {"over", "under", "inter", "super", "some", "every", "where", "there", "fore", "what", "with", "counter"}
_MIN_PART = 4  # letters of each part of a compound that nothing else shows


def joined(drafts: Sequence[Draft]) -> list[Draft]:
    """Paragraphs that a column or page break cuts, whole again; what stands between them goes behind them."""
    result: list[Draft] = []
    open_draft: Draft | None = None
    last_note: Draft | None = None
    for draft in _captions_first(drafts):
        if last_note is not None and _continues_note(last_note, draft):
            last_note.lines.extend(draft.lines)
            continue
        if draft.kind in _FLOATING:
            result.append(draft)
            last_note = draft if draft.kind is BlockKind.FOOTNOTE and not draft.first.comment else last_note
            continue
        if open_draft is not None and draft.kind is BlockKind.HEADING and _same_title(open_draft, draft):
            open_draft.lines.extend(draft.lines)
            continue
        if open_draft is not None and draft.kind is BlockKind.PARAGRAPH and _goes_on(open_draft, draft):
            open_draft.lines.extend(draft.lines)
            open_draft.runs_in = draft.runs_in
            continue
        result.append(draft)
        flows = draft.kind in (BlockKind.PARAGRAPH, BlockKind.LIST, BlockKind.HEADING)
        open_draft = draft if flows else None
    return result


def _captions_first(drafts: Sequence[Draft]) -> list[Draft]:
    """The words inside a figure right behind its caption, wherever on the page the caption stands."""
    result = list(drafts)
    for labels in [draft for draft in drafts if draft.first.labels]:
        at = result.index(labels)
        near = [
            index
            for index in range(max(0, at - 2), min(len(result), at + 3))
            if result[index].page == labels.page
            and result[index].kind is BlockKind.CAPTION
            and not result[index].first.labels
        ]
        if near:
            caption = result[min(near, key=lambda index: _distance(result[index], labels))]
            result.pop(at)
            result.insert(result.index(caption) + 1, labels)
    return result


def _distance(caption: Draft, labels: Draft) -> float:
    place = labels.first
    return min(abs(caption.first.y0 - place.y1), abs(place.y0 - caption.last.y1))


def _continues_note(note: Draft, draft: Draft) -> bool:
    """Whether a draft goes on with a footnote at the foot of the column or page before."""
    if not draft.small_at_foot or draft.kind is not BlockKind.PARAGRAPH or ends_sentence(note.last.text):
        return False
    if not _runs_on(note, draft.first.text.lstrip(_OPENING)[:1]):
        return False
    page = note.lines[-1][0]
    elsewhere = (draft.page == page and draft.first.region != note.last.region) or draft.page == page + 1
    return elsewhere and abs(draft.first.size - note.last.size) < 0.5


def _same_title(before: Draft, draft: Draft) -> bool:
    """Whether two headings are the printed lines of one: same type, same level, hardly apart."""
    above, below = before.last, draft.first
    return (
        before.kind is BlockKind.HEADING
        and before.level == draft.level
        and before.page == draft.page
        and above.region == below.region
        and above.bold == below.bold
        and abs(above.size - below.size) < 0.5
        and 0 < below.baseline - above.baseline < 1.5 * above.size
        and not re.match(r"\d|[A-Z][a-z]+ \d", below.text)
    )


def _goes_on(before: Draft, draft: Draft) -> bool:
    """Whether ``draft``, in another column or on the next page, continues ``before``, or runs on from it."""
    if before.kind is BlockKind.HEADING:
        return False
    if before.runs_in:
        return True
    above, below = before.last, draft.first
    page, next_page = before.lines[-1][0], draft.page
    elsewhere = (next_page == page and above.region != below.region) or next_page == page + 1
    under = next_page == page and below.y0 > above.y0 and min(above.x1, below.x1) > max(above.x0, below.x0)
    if under and below.baseline - above.baseline > _STEP * above.size:
        return False  # a header above its column, a column above a footer
    if not elsewhere or above.aside or below.aside or abs(above.size - below.size) > 0.06 * above.size + 0.2:
        return False
    if above.bold != below.bold and len(before.lines) == 1:
        return False
    first = below.text.lstrip(_OPENING)[:1]
    if ends_broken(above.text) and first.islower():
        return True
    if ends_sentence(above.text):
        return False
    return _runs_on(before, first)


def _runs_on(before: Draft, first: str) -> bool:
    """Whether words that begin with ``first`` may go on with ``before``, which ends without a full stop."""
    if first.isalpha() and first.lower() == first.upper():  # a script without capitals: a full line goes on
        widest = max(line.width for _, line in before.lines)
        return len(before.lines) >= 2 and before.last.width >= _FULL_LINE * widest
    several = len(before.lines) >= 2
    return first.islower() or (several and (first.isdigit() or before.last.text[-1] in ",–—(/"))


def lists(drafts: Sequence[Draft]) -> list[list[Draft]]:
    """Items that follow one another; one line that only looks like an item stays a paragraph."""
    runs: list[list[Draft]] = []
    for draft in drafts:
        last = runs[-1][-1] if runs else None
        if last and abs(last.first.size - draft.first.size) < 1.5 and draft.page - last.lines[-1][0] <= 1:
            runs[-1].append(draft)
        else:
            runs.append([draft])
    for run in runs:
        if len(run) == 1 and run[0].first.text[0].isalnum():
            run[0].kind = BlockKind.PARAGRAPH
    return runs


@dataclass(frozen=True, slots=True)
class Spelling:
    """How a document writes its words elsewhere: ``hyphenated`` compounds, all ``words``, in lower case.

    ``hangul_parted``: Korean lines tell by a blank at their end whether a word ends there.
    """

    hyphenated: frozenset[str] = frozenset()
    words: frozenset[str] = frozenset()
    hangul_parted: bool = False


def spelling_of(lines: Iterable[tuple[str, bool]]) -> Spelling:
    """``lines``: their text, and whether a blank stood at the end.

    >>> spelling = spelling_of([("a well-known river", False)])
    >>> spelling.hyphenated, "river" in spelling.words
    (frozenset({'well-known'}), True)
    """
    hyphenated: set[str] = set()
    words: set[str] = set()
    hangul = parted = 0
    for text, blank in lines:
        folded = text.casefold()
        whole = folded[:-1].rpartition(" ")[0] if folded[-1:] in "-\u2010\u00ad" else folded
        words.update(_WORD.findall(whole))
        if "-" in whole or "\u2010" in whole:
            hyphenated.update(word.replace("\u2010", "-") for word in _HYPHENATED.findall(whole))
        if _HANGUL.match(text[-1:]):
            hangul += 1
            parted += blank
    return Spelling(frozenset(hyphenated), frozenset(words), hangul >= 5 and 0.1 < parted / hangul < 0.9)


def joint(text: str, following: str | None, spelling: Spelling, *, parted: bool = False) -> tuple[str, str]:
    """A line's text and what stands between it and the next line. ``parted``: a blank stood at the line's end.

    >>> spelling = spelling_of([("a well-known river that is known well", False)])
    >>> joint("a hyphen-", "ated word", spelling), joint("a well-", "known word", spelling)
    (('a hyphen', ''), ('a well-', ''))
    """
    if following is None:
        return text.removesuffix("\u00ad").rstrip(), ""
    if text.endswith("\u00ad"):
        return text[:-1], ""
    broken, follows = _WORD_BREAK.search(text), _WORD.match(following)
    if broken and follows:
        if following[0].islower() and not keeps_hyphen(broken[1].casefold(), follows[0].casefold(), spelling):
            return text[:-1], ""
        return text, ""
    if _is_ideograph(text[-1]) and _is_ideograph(following[0]):
        return text, ""
    if spelling.hangul_parted and not parted and _HANGUL.match(text[-1]) and _HANGUL.match(following[0]):
        return text, ""
    return text, " "


def ends_broken(text: str) -> bool:
    """Whether a line ends inside a word."""
    return bool(_WORD_BREAK.search(text))


def keeps_hyphen(first: str, second: str, spelling: Spelling) -> bool:
    """Whether ``first-second``, broken at its hyphen, is a compound: what the document writes elsewhere decides.

    >>> keeps_hyphen("self", "publishing", Spelling()), keeps_hyphen("infor", "mation", Spelling())
    (True, False)
    """
    if first + second in spelling.words:
        return False
    if f"{first}-{second}" in spelling.hyphenated:
        return True
    if first in _SELF:
        return second not in _ONE_WORD
    known = {first, second} <= spelling.words
    return known and min(len(first), len(second)) >= _MIN_PART and first not in _CLOSED


def _is_ideograph(char: str) -> bool:
    """Whether ``char`` belongs to a script written without blanks between words (Han, kana, their punctuation)."""
    return "\u3000" <= char <= "\u30ff" or "\u3400" <= char <= "\u9fff" or "\uff00" <= char <= "\uff60"
