"""The loss audit: checks that every word of a file, found by an independent second reading, is in the document.

The second reading shares no code and no library with the reader that made the document. Each of its words is looked
for in the canonical text, then beside it (metadata, notes, link targets, typed cell values), then among the words that
were left out on purpose. The rest is reported as missing. Words are compared as multisets, without their order.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from core.types import CellValue, Document, WordAudit

_WORD = re.compile(r"[^\W_]+")
# Scripts written without spaces, where line ends may fall between any characters: each character counts as a word.
_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003134f]"
)
_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff\ufe00-\ufe0f]")
_EXAMPLES = 12


@dataclass(frozen=True, slots=True)
class SecondReading:
    """The words that a plain extraction finds in a file, in the file's order.

    ``reader``: how they were extracted, for the user. ``dropped``: those of ``words`` that a reader may leave out, by
    the reason.
    """

    reader: str
    words: tuple[str, ...]
    dropped: Mapping[str, tuple[str, ...]]


def words_of(text: str) -> list[str]:
    """The words of a text: runs of letters and digits, normalised by NFKC and case folding, without invisible
    characters.

    >>> words_of("The ﬁne Co\u00ad\u00adop, 3.5 m² in ＴＯＫＹＯ: 東京")
    ['the', 'fine', 'coop', '3', '5', 'm2', 'in', 'tokyo', '東', '京']
    """
    if text.isascii():
        return _WORD.findall(text.lower())
    folded = unicodedata.normalize("NFKC", _INVISIBLE.sub("", text))
    folded = unicodedata.normalize("NFKC", folded.casefold())
    if _UNSPACED.search(folded):
        folded = _UNSPACED.sub(r" \g<0> ", folded)
    return _WORD.findall(folded)


def audit_words(
    document: Document,
    second: Sequence[str],
    reader: str,
    dropped: Mapping[str, Sequence[str]] | None = None,
) -> WordAudit:
    """Count where the words of a second reading are in the document; each occurrence is counted once.

    ``second``: words or longer texts, in the file's order. ``dropped``: those of them that the reader may leave out, by
    reason; one that is in the text anyway counts as in the text. The text may have more words than ``second`` (merged
    cells are repeated). Words split or joined at a line end (``exam-`` ``ple``) match each other.

    >>> from core.types import Block, BlockKind
    >>> document = Document("0" * 64, "text", "T", "An example, twice: an example.")
    >>> audit_words(document, ["An exam-", "ple of hidden loss"], "by hand", {"hidden": ["hidden"]})
    WordAudit(reader='by hand', words=6, in_text=3, in_metadata=0, dropped=(('hidden', 1),), missing=2, \
examples=('of', 'loss'))
    """
    second_text = "\n".join(second)
    words = words_of(second_text)
    if second_text == document.text:
        return WordAudit(reader, words=len(words), in_text=len(words))
    text_words = words_of(document.text)
    required, available = Counter(words), Counter(text_words)
    missing = required - available
    if missing:
        available -= required  # the words of the text that no word of the second reading matches
        _match_split(words, missing, available)
        _match_joined(text_words, missing, available)
    in_text = len(words) - missing.total()
    in_metadata = _subtract(missing, words_of("\n".join(_beside_text(document)))) if missing else 0
    by_reason = [
        (reason, count)
        for reason, texts in (dropped or {}).items()
        if (count := _subtract(missing, words_of("\n".join(texts))))
    ]
    first_index = {word: index for index, word in reversed(list(enumerate(words)))} if missing else {}
    frequent = sorted(missing, key=lambda word: (-missing[word], first_index[word]))
    return WordAudit(
        reader=reader,
        words=len(words),
        in_text=in_text,
        in_metadata=in_metadata,
        dropped=tuple(by_reason),
        missing=missing.total(),
        examples=tuple(frequent[:_EXAMPLES]),
    )


def _subtract(missing: Counter[str], words: Iterable[str]) -> int:
    """Remove ``words`` from ``missing``, each occurrence once; returns how many were removed."""
    before = missing.total()
    missing -= Counter(words)
    return before - missing.total()


def _match_split(words: Sequence[str], missing: Counter[str], available: Counter[str]) -> None:
    """Match two adjacent words of the second reading with one word of the text: there the line ended in the word, and
    the number of the next line may stand between.
    """
    index = 0
    while index + 1 < len(words) and missing:
        first, second, ahead = words[index], words[index + 1], 1
        if second.isdecimal() and not available[first + second] and index + 2 < len(words):
            second, ahead = words[index + 2], 2
        index += 1
        if not (missing[first] or missing[second]) or not available[first + second]:
            continue
        available[first + second] -= 1
        for part in (first, second):
            if missing[part]:
                missing[part] -= 1
            else:  # it was matched with a word of the text, which is now available again
                available[part] += 1
        index += ahead
    _drop_zeros(missing)


def _match_joined(text_words: Sequence[str], missing: Counter[str], available: Counter[str]) -> None:
    """Match a word of the second reading with two adjacent words of the text that are still available."""
    if not missing:
        return
    longest = max(map(len, missing))
    for first, second in pairwise(text_words):
        if len(first) + len(second) > longest or not missing[first + second]:
            continue
        if available[first] and available[second] and (first != second or available[first] > 1):
            available[first] -= 1
            available[second] -= 1
            missing[first + second] -= 1
    _drop_zeros(missing)


def _drop_zeros(counts: Counter[str]) -> None:
    for word in [word for word, count in counts.items() if count <= 0]:
        del counts[word]


def _beside_text(document: Document) -> Iterator[str]:
    """What a document says outside its text: title, metadata, notes, link targets, attachments, typed cell values."""
    if document.title_span is None:
        yield document.title
    yield from document.metadata.values()
    yield from document.notes
    yield from (link.target for link in document.links)
    yield from (attachment.name for attachment in document.attachments)
    for block in document.blocks:
        for cell in block.cells:
            value = _number_text(cell.value)
            if value != document.text[cell.start : cell.end]:
                yield value


def _number_text(value: CellValue) -> str:
    """A cell's number or truth value as text; "" for text, which is part of ``Document.text``.

    >>> _number_text(2.0), _number_text(True), _number_text(0.25), _number_text(None)
    ('2', 'True', '0.25', '')
    """
    if value is None or isinstance(value, str):
        return ""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)
