"""The independent loss audit: of the words a second, plain reading finds in a file, where did each one go?

The first reading made the document; the second shares no code and no library with it and knows nothing of layout. A
word it finds is looked for in the canonical text, then in what stands beside the text (metadata, notes, links'
targets, typed cell values), then among the words left out on purpose. What remains is missing.
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
# Written without spaces: where a line ends says nothing there, so every character is a word of its own.
_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003134f]"
)
_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff\ufe00-\ufe0f]")
_EXAMPLES = 12


@dataclass(frozen=True, slots=True)
class SecondReading:
    """All words a plain extraction finds in a file, in its order, those among them that may be left out included.

    ``reader``: how it was made, in words. ``dropped``: by reason, the words a reader may leave out on purpose.
    """

    reader: str
    words: tuple[str, ...]
    dropped: Mapping[str, tuple[str, ...]]


def words_of(text: str) -> list[str]:
    """Letters and digits between anything else, compatibility forms, case and invisible characters aside.

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
    """Where the words of a second reading went. Every occurrence is counted exactly once.

    ``second``: words or longer pieces of text in the file's order. ``dropped``: by reason, those of them that the
    reader may leave out; one that stands in the text all the same counts as in the text. The text may hold more than
    ``second`` (merged cells are repeated). Words parted or joined at a line's end (``exam-`` ``ple``) are the same.

    >>> from core.types import Block, BlockKind
    >>> document = Document("0" * 64, "text", "T", "An example, twice: an example.")
    >>> audit_words(document, ["An exam-", "ple of hidden loss"], "by hand", {"hidden": ["hidden"]})
    WordAudit(reader='by hand', words=6, in_text=3, in_metadata=0, dropped=(('hidden', 1),), missing=2, \
examples=('of', 'loss'))
    """
    pieces = "\n".join(second)
    found = words_of(pieces)
    if pieces == document.text:
        return WordAudit(reader, words=len(found), in_text=len(found))
    text = words_of(document.text)
    wanted, supply = Counter(found), Counter(text)
    lacking = wanted - supply
    if lacking:
        supply -= wanted
        _match_parted(found, lacking, supply)
        _match_joined(text, lacking, supply)
    in_text = len(found) - lacking.total()
    in_metadata = _take(lacking, words_of("\n".join(_beside(document)))) if lacking else 0
    explained = [
        (reason, count) for reason, words in (dropped or {}).items() if (count := _take(lacking, _folded(words)))
    ]
    order = {word: place for place, word in reversed(list(enumerate(found)))} if lacking else {}
    frequent = sorted(lacking, key=lambda word: (-lacking[word], order[word]))
    return WordAudit(
        reader=reader,
        words=len(found),
        in_text=in_text,
        in_metadata=in_metadata,
        dropped=tuple(explained),
        missing=lacking.total(),
        examples=tuple(frequent[:_EXAMPLES]),
    )


def _folded(words: Iterable[str]) -> list[str]:
    return words_of("\n".join(words))


def _take(lacking: Counter[str], words: Iterable[str]) -> int:
    """Explain lacking words by these, each once, and say how many."""
    before = lacking.total()
    lacking -= Counter(words)
    return before - lacking.total()


def _match_parted(found: Sequence[str], lacking: Counter[str], supply: Counter[str]) -> None:
    """Two neighbours of the second reading that are one word of the text: its line ended inside the word."""
    place = 0
    while place + 1 < len(found) and lacking:
        first, second = found[place], found[place + 1]
        place += 1
        if not (lacking[first] or lacking[second]) or not supply[first + second]:
            continue
        supply[first + second] -= 1
        for part in (first, second):
            # A part the text holds as a word of its own was counted as found: that occurrence is free again.
            (lacking if lacking[part] else supply)[part] += -1 if lacking[part] else 1
        place += 1
    _drop_zeros(lacking)


def _match_joined(text: Sequence[str], lacking: Counter[str], supply: Counter[str]) -> None:
    """A word of the second reading that the text holds as two neighbours, nobody else's."""
    if not lacking:
        return
    longest = max(map(len, lacking))
    for first, second in pairwise(text):
        if len(first) + len(second) > longest or not lacking[first + second]:
            continue
        if supply[first] and supply[second] and (first != second or supply[first] > 1):
            supply[first] -= 1
            supply[second] -= 1
            lacking[first + second] -= 1
    _drop_zeros(lacking)


def _drop_zeros(counts: Counter[str]) -> None:
    for word in [word for word, count in counts.items() if count <= 0]:
        del counts[word]


def _beside(document: Document) -> Iterator[str]:
    """What a document says outside its text, and nothing that stands in it."""
    if document.title_span is None:
        yield document.title
    yield from document.metadata.values()
    yield from document.notes
    yield from (link.target for link in document.links)
    yield from (attachment.name for attachment in document.attachments)
    for block in document.blocks:
        for cell in block.cells:
            value = _written(cell.value)
            if value != document.text[cell.start : cell.end]:
                yield value


def _written(value: CellValue) -> str:
    """
    >>> _written(2.0), _written(True), _written(0.25), _written(None)
    ('2', 'True', '0.25', '')
    """
    if value is None or isinstance(value, str):
        return ""  # text stands in the text
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)
