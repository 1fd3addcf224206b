"""Joins what the layout splits: paragraphs across columns and pages, titles of several lines, captions and figures, and
words hyphenated at line ends.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from core.parsing.pdf.paragraphs import Draft, ends_sentence
from core.types import BlockKind

_FLOATING = (BlockKind.FOOTNOTE, BlockKind.CAPTION, BlockKind.TABLE)
_OPENING = "\"'“‘«("
_MAX_STEP = 1.6  # of the type size, between baselines within a paragraph
_FULL_LINE = 0.9  # of the widest line; in scripts without capital letters a shorter line ends a paragraph

_WORD_BREAK = re.compile(r"([^\W\d_]+)[-\u2010\u00ad]$")
_HYPHENATED = re.compile(r"[^\W\d_]+[-\u2010][^\W\d_]+")
_WORD = re.compile(r"[^\W\d_]+")
_HANGUL = re.compile("[\uac00-\ud7a3]")
_HYPHENATED_PREFIXES = {"self", "well"}  # their compounds have a hyphen ...
_CLOSED_SUFFIXES = {"ish", "less", "same", "ness", "being"}  # ... except with these
_CLOSED_PREFIXES = set("over under inter super some every where there fore what with counter".split())
_MIN_PART = 4  # letters of each part of a compound of which the document has no other example


def joined(drafts: Sequence[Draft]) -> list[Draft]:
    """The drafts with paragraphs, footnotes and titles that a column or page break splits joined again.

    What stands between two parts (footnotes, captions, tables) comes after the joined paragraph.
    """
    result: list[Draft] = []
    open_draft: Draft | None = None  # the last one that may continue
    last_note: Draft | None = None
    for draft in _captions_first(drafts):
        if last_note is not None and _continues_note(last_note, draft):
            last_note.lines.extend(draft.lines)
            continue
        if draft.kind in _FLOATING or draft.first.is_field:
            result.append(draft)
            last_note = draft if draft.kind is BlockKind.FOOTNOTE and not draft.first.comment else last_note
            continue
        if open_draft is not None and draft.kind is BlockKind.HEADING and _same_title(open_draft, draft):
            open_draft.lines.extend(draft.lines)
            continue
        if open_draft is not None and draft.kind is BlockKind.PARAGRAPH and _goes_on(open_draft, draft):
            open_draft.lines.extend(draft.lines)
            open_draft.is_run_in = draft.is_run_in
            continue
        result.append(draft)
        flows = draft.kind in (BlockKind.PARAGRAPH, BlockKind.LIST, BlockKind.HEADING)
        open_draft = draft if flows else None
    return result


def _captions_first(drafts: Sequence[Draft]) -> list[Draft]:
    """The drafts with the words inside a figure moved right after its caption."""
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
    figure = labels.first
    return min(abs(caption.first.y0 - figure.y1), abs(figure.y0 - caption.last.y1))


def _continues_note(note: Draft, draft: Draft) -> bool:
    """Whether a draft continues a footnote of the previous column or page."""
    if not draft.small_at_foot or draft.kind is not BlockKind.PARAGRAPH or ends_sentence(note.last.text):
        return False
    if not _runs_on(note, draft.first.text.lstrip(_OPENING)[:1]):
        return False
    page = note.lines[-1][0]
    elsewhere = (draft.page == page and draft.first.region != note.last.region) or draft.page == page + 1
    return elsewhere and abs(draft.first.size - note.last.size) < 0.5


def _same_title(before: Draft, draft: Draft) -> bool:
    """Whether two headings are printed lines of one title: same type, same level, close together."""
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
    """Whether ``draft`` continues ``before``: from the previous column or page, or after a run-in heading."""
    if before.kind is BlockKind.HEADING:
        return False
    if before.is_run_in:
        return True
    above, below = before.last, draft.first
    page, next_page = before.lines[-1][0], draft.page
    elsewhere = (next_page == page and above.region != below.region) or next_page == page + 1
    under = next_page == page and below.y0 > above.y0 and min(above.x1, below.x1) > max(above.x0, below.x0)
    if under and below.baseline - above.baseline > _MAX_STEP * above.size:
        return False  # it is below, but too far: a header above its column, a column above a footer
    if not elsewhere or above.is_rotated or below.is_rotated or abs(above.size - below.size) > 0.06 * above.size + 0.2:
        return False
    if above.bold != below.bold and len(before.lines) == 1:
        return False
    first = below.text.lstrip(_OPENING)[:1]
    return not ends_sentence(above.text) and _runs_on(before, first)


def _runs_on(before: Draft, first: str) -> bool:
    """Whether text that begins with the character ``first`` may continue ``before``, which ends without a full stop."""
    if first.isalpha() and first.lower() == first.upper():  # in a script without capitals a full line continues
        widest = max(line.width for _, line in before.lines)
        return len(before.lines) >= 2 and before.last.width >= _FULL_LINE * widest
    several = len(before.lines) >= 2
    return first.islower() or (several and (first.isdigit() or before.last.text[-1] in ",–—(/"))


def lists(drafts: Sequence[Draft]) -> list[list[Draft]]:
    """Consecutive LIST drafts grouped into lists. A single item without a bullet becomes a PARAGRAPH."""
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
    """The words of a document, in lower case, by which hyphens at line ends are judged.

    ``hyphenated``: compounds with a hyphen. ``words``: all words. ``hangul_blanks``: whether a blank at the end of a
    Korean line tells that a word ends there.
    """

    hyphenated: frozenset[str] = frozenset()
    words: frozenset[str] = frozenset()
    hangul_blanks: bool = False


def spelling_of(lines: Iterable[tuple[str, bool]]) -> Spelling:
    """The spelling of a document. ``lines``: their text, and whether they ended with a blank.

    >>> spelling = spelling_of([("a well-known river", False)])
    >>> spelling.hyphenated, "river" in spelling.words
    (frozenset({'well-known'}), True)
    """
    hyphenated: set[str] = set()
    words: set[str] = set()
    hangul_lines = with_blank = 0
    for text, ends_with_blank in lines:
        folded = text.casefold()
        complete = folded[:-1].rpartition(" ")[0] if folded[-1:] in "-\u2010\u00ad" else folded  # no broken word
        words.update(_WORD.findall(complete))
        if "-" in complete or "\u2010" in complete:
            hyphenated.update(word.replace("\u2010", "-") for word in _HYPHENATED.findall(complete))
        if _HANGUL.match(text[-1:]):
            hangul_lines += 1
            with_blank += ends_with_blank
    hangul_blanks = hangul_lines >= 5 and 0.1 < with_blank / hangul_lines < 0.9
    return Spelling(frozenset(hyphenated), frozenset(words), hangul_blanks)


def joint(text: str, following: str | None, spelling: Spelling, *, ends_with_blank: bool = False) -> tuple[str, str]:
    """How a line is joined with the next one: its text, perhaps without a hyphen, and the separator, " " or "".

    ``following``: the next line, ``None`` for the last. ``ends_with_blank``: the line ended with a blank.

    >>> spelling = spelling_of([("a well-known river that is known well", False)])
    >>> joint("a hyphen-", "ated word", spelling), joint("a well-", "known word", spelling)
    (('a hyphen', ''), ('a well-', ''))
    """
    if following is None:
        return text.removesuffix("\u00ad").rstrip(), ""
    if text.endswith("\u00ad"):
        return text[:-1], ""
    first_part, second_part = _WORD_BREAK.search(text), _WORD.match(following)
    if first_part and second_part:
        keeps = keeps_hyphen(first_part[1].casefold(), second_part[0].casefold(), spelling)
        return (text if keeps or not following[0].islower() else text[:-1]), ""
    if _is_ideograph(text[-1]) and _is_ideograph(following[0]):
        return text, ""
    is_hangul = _HANGUL.match(text[-1]) and _HANGUL.match(following[0])
    return text, "" if spelling.hangul_blanks and not ends_with_blank and is_hangul else " "


def keeps_hyphen(first: str, second: str, spelling: Spelling) -> bool:
    """Whether a word broken into ``first-`` and ``second`` keeps its hyphen, as compounds do.

    The document's other words decide; without an example, a compound needs two known words as its parts.

    >>> keeps_hyphen("self", "publishing", Spelling()), keeps_hyphen("infor", "mation", Spelling())
    (True, False)
    """
    if first + second in spelling.words:
        return False
    if f"{first}-{second}" in spelling.hyphenated:
        return True
    if first in _HYPHENATED_PREFIXES:
        return second not in _CLOSED_SUFFIXES
    known = {first, second} <= spelling.words
    return known and min(len(first), len(second)) >= _MIN_PART and first not in _CLOSED_PREFIXES


def _is_ideograph(char: str) -> bool:
    """Whether ``char`` is Han, kana or their punctuation, which are written without blanks between words."""
    return "\u3000" <= char <= "\u30ff" or "\u3400" <= char <= "\u9fff" or "\uff00" <= char <= "\uff60"
