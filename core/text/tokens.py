"""Token arithmetic: a text is tokenised once, then any span of it is measured by two look-ups. And where it may be cut.

Nothing tears what a reader sees as one character: a grapheme cluster of Unicode's Standard Annex 29, as the ``regex``
package finds it.
"""

from __future__ import annotations

import unicodedata
from array import array
from collections.abc import Sequence
from itertools import chain

import numpy as np
import regex
from numpy.typing import NDArray

from core.text.inline_tags import blanked
from core.types import Span, TokenCounter

BLANKS = " \n\t\r"  # at which every tokenizer parts words; other white space some drop, which joins the words around it
_BLANK = regex.compile(f"[{BLANKS}]")
LONG_WORD = 100  # WordPiece reads a longer word as one unknown token, however much it holds
_LONGEST_WORD = 8000  # code points of what has no blank; more of them are read piece by piece
WEIGHT = 4  # code points that count as one token where the tokenizer sees too few of them
WEIGHT_IN_RUN = 100  # as many as of the rest of a rule or of leaders, of which models read no more than the beginning
_LONGEST_CLUSTER = 64  # code points; a longer "character" is an attack, and is weighed and cut like any text
_CLUSTER = regex.compile(r"\X")
_ALONE = "\u0300"  # below it nothing joins another, but a carriage return and its line feed
_LOOKBACK = 64
_PROBES = (
    ("alpha", "beta gamma"),
    ("Title > Part", "some words."),
    ("end.", "Next (one) - two"),
    ("日本", "語です"),
)
_UNSPACED = (("\u0e00", "\u0eff"), ("\u1000", "\u109f"), ("\u1780", "\u17ff"))
_ADDITIVE: dict[str, bool] = {}  # by fingerprint: the probes take longer than a text of a few sentences
_MOST_COUNTERS = 16


def is_boundary(text: str, position: int) -> bool:
    """Whether a cut at ``position`` leaves every grapheme cluster whole; both ends of the text are boundaries.

    >>> [is_boundary("e\\u0301a", at) for at in range(4)]
    [True, False, True, True]
    >>> is_boundary("\\U0001f468\\u200d\\U0001f469", 2), is_boundary("\\U0001f1e9\\U0001f1ea\\U0001f1eb\\U0001f1f7", 2)
    (False, True)
    """
    if position <= 0 or position >= len(text):
        return True
    if text[position - 1] < _ALONE and text[position] < _ALONE:
        return text[position - 1 : position + 1] != "\r\n"
    start = position - 1
    while start > max(0, position - _LOOKBACK) and text[start] >= _ALONE:
        start -= 1
    clusters = _CLUSTER.finditer(text, start, position + 1)
    return any(cluster.end() == position for cluster in clusters)


def boundary_before(text: str, position: int, low: int) -> int:
    """The last boundary in ``(low, position]``, or else the first after ``position``: a cluster is never torn.

    One of more than 64 code points is: where no boundary is that near, ``position`` itself.

    >>> boundary_before("ae\\u0301b", 2, 0), boundary_before("e\\u0301\\u0301b", 2, 0)
    (1, 3)
    >>> boundary_before("e" + "\\u0301" * 999, 500, 0)
    500
    """
    before = range(position, max(low, position - _LONGEST_CLUSTER), -1)
    after = range(position, position + _LONGEST_CLUSTER)
    return next((at for at in chain(before, after) if is_boundary(text, at)), position)


def whitespace_windows(text: str, size: int = 4000) -> list[Span]:
    """The text as consecutive spans of about ``size`` characters, parted before blanks: fit for batching.

    A word longer than ``size`` makes its window longer, up to 8,000: what is longer is no word. Joined, the windows
    are the text.

    >>> whitespace_windows("aaa bb cc", 4)
    [Span(start=0, end=6), Span(start=6, end=9)]
    """
    windows: list[Span] = []
    start = 0
    while start < len(text):
        most = min(start + max(2 * size, _LONGEST_WORD), len(text))
        blank = _BLANK.search(text, start + size, most)
        end = blank.start() if blank else most
        windows.append(Span(start, end))
        start = end
    return windows


def is_wide(character: str) -> bool:
    """Whether the script writes without spaces and tokenizers part it at every character (Han, kana).

    >>> is_wide("語"), is_wide("か"), is_wide("a"), is_wide("각")
    (True, True, False, False)
    """
    return (
        "\u2e80" <= character <= "\u9fff"
        or "\uf900" <= character <= "\ufaff"
        or "\U00020000" <= character <= "\U0003ffff"
    )


def is_unspaced(character: str) -> bool:
    """Whether the script writes without spaces: those that are parted at every character, Thai, Lao, Burmese, Khmer.

    >>> [is_unspaced(character) for character in "語ไလខa각"]
    [True, True, True, True, False, False]
    """
    return is_wide(character) or any(low <= character <= high for low, high in _UNSPACED)


def is_word_boundary(text: str, position: int) -> bool:
    """Whether no word is severed by a cut at ``position``: white space or ideographs meet there, or the text ends.

    >>> [at for at in range(8) if is_word_boundary("ab c日本d", at)]
    [0, 2, 3, 4, 5, 6, 7]
    """
    if position <= 0 or position >= len(text):
        return True
    before, after = text[position - 1], text[position]
    if before.isspace() or after.isspace():
        return is_boundary(text, position)
    return (is_wide(before) or is_wide(after)) and not _closes(after) and is_boundary(text, position)


def _closes(character: str) -> bool:
    return unicodedata.category(character) in {"Pe", "Pf", "Po"}


def _parts_words(character: str) -> bool:
    """Whether every tokenizer that passes the probes parts words at this character."""
    if character in BLANKS:
        return True
    return "\u4e00" <= character <= "\u9fff" or unicodedata.category(character)[0] in "PZ"


class CharacterCounter:
    """Every code point one token: a ``TokenCounter`` that makes a ``TokenMap`` measure characters.

    >>> CharacterCounter().count(["four", ""]), CharacterCounter().offsets("ab").tolist()
    ([4, 0], [[0, 1], [1, 2]])
    """

    fingerprint = "characters"
    specials = 0

    def offsets(self, text: str) -> NDArray[np.int64]:
        starts = np.arange(len(text), dtype=np.int64)
        return np.column_stack((starts, starts + 1))

    def count(self, texts: Sequence[str]) -> list[int]:
        return [len(text) for text in texts]


class TokenMap:
    """Where the tokens of one text begin, and therefore how many any span of it has.

    ``count`` is a *weight*: it equals the tokenizer's own count wherever the tokenizer is honest, and is at least
    one per four code points inside words of more than 100 characters and in stretches the tokenizer drops, which
    would otherwise look free and swallow the text; one per hundred where one mark is repeated. ``exact`` is the
    tokenizer's own count of the span by itself.
    """

    __slots__ = ("_before", "_own_before", "_own_ends", "_said", "_starts", "additive", "counter", "text")

    def __init__(self, counter: TokenCounter, text: str) -> None:
        self.text = text
        self._said = blanked(text)  # what is read of it
        self.counter = counter
        offsets = np.asarray(counter.offsets(text), dtype=np.int64).reshape(-1, 2)
        self._own_ends = _as_array(offsets[:, 1])
        self._own_before = _counts_before(offsets[:, 0], len(text))
        extra = _virtual_starts(self._said, offsets)
        starts = np.sort(np.concatenate((offsets[:, 0], extra))) if extra else offsets[:, 0]
        self._starts = _as_array(starts)
        self._before = _counts_before(starts, len(text)) if extra else self._own_before
        self.additive = _is_additive(counter)

    def index(self, position: int) -> int:
        """How many weighted tokens begin before ``position``."""
        return self._before[position]

    def count(self, start: int, end: int) -> int:
        """Weighted tokens that begin in ``[start, end)``."""
        return self._before[end] - self._before[start]

    def position(self, index: int) -> int:
        """Where weighted token ``index`` begins; the end of the text when there are fewer."""
        return self._starts[index] if index < len(self._starts) else len(self.text)

    def is_exact(self, start: int, end: int) -> bool:
        """Whether ``own_count`` of the span equals what the tokenizer says of that span alone."""
        return self.additive and self._parts_at(start) and self._parts_at(end)

    def _parts_at(self, position: int) -> bool:
        text = self._said
        if position <= 0 or position >= len(text):
            return True
        if text[position] == text[position - 1] == " " and self.text[position - 1 : position + 1] != "  ":
            return False  # amid a tag, perhaps, of which nothing is read while it is whole
        if not (_parts_words(text[position - 1]) or _parts_words(text[position])):
            return False
        if text[position - 1] == text[position] and not text[position].isspace():
            return False  # amid a run of one mark, perhaps, of which the beginning alone is read
        before = self._own_before[position] - 1  # a special token written out, "[SEP]", is whole or is not one
        return before < 0 or self._own_ends[before] <= position

    def own_count(self, start: int, end: int) -> int:
        """The tokenizer's own tokens that begin in ``[start, end)``."""
        return self._own_before[end] - self._own_before[start]

    def exact(self, spans: Sequence[Span]) -> list[int]:
        """The tokenizer's own count of each span by itself; spans with clean ends cost no tokenization."""
        counts = [self.own_count(span.start, span.end) for span in spans]
        torn = [at for at, span in enumerate(spans) if not self.is_exact(span.start, span.end)]
        recounts = self.counter.count([self.text[spans[at].start : spans[at].end] for at in torn]) if torn else []
        for at, count in zip(torn, recounts, strict=True):
            counts[at] = count
        return counts

    def cut(self, start: int, end: int, room: int) -> int:
        """The best cut in ``(start, end]`` that leaves at most ``room`` weighted tokens before it.

        At a word boundary where there is one, else at a token inside the word, never inside a grapheme cluster
        (unless the cluster alone is larger than the room).
        """
        text = self._said
        index = self.index(start) + max(1, room)
        if index >= len(self._starts) or self._starts[index] >= end:
            return end
        latest = self._starts[index]
        at = latest
        while at > start and not is_word_boundary(text, at):
            at -= 1
        if at > start and text[start:at].strip():
            return at
        for torn in (latest, start + 1):
            at = boundary_before(text, torn, start)
            if start < at <= latest:
                return at
        return max(latest, start + 1)


def _is_additive(counter: TokenCounter) -> bool:
    """Whether counts of parts add up to the count of the whole, as they do for WordPiece."""
    known = _ADDITIVE.get(counter.fingerprint)
    if known is None:
        texts = [text for left, right in _PROBES for text in (left, right, f"{left}\n{right}", f"{left} {right}")]
        counts = counter.count(texts)
        sums = ((counts[at] + counts[at + 1], counts[at + 2], counts[at + 3]) for at in range(0, len(counts), 4))
        known = all(parts == line == word for parts, line, word in sums)
        if len(_ADDITIVE) >= _MOST_COUNTERS:
            _ADDITIVE.clear()
        _ADDITIVE[counter.fingerprint] = known
    return known


def _as_array(values: NDArray[np.int64]) -> array[int]:
    """The values as machine integers that Python reads faster than NumPy's, in 8 bytes each."""
    found = array("q")
    found.frombytes(np.ascontiguousarray(values, dtype=np.int64).tobytes())
    return found


def _counts_before(starts: NDArray[np.int64], length: int) -> array[int]:
    """For every position from 0 to ``length``, how many of ``starts`` lie before it."""
    counts = np.zeros(length + 2, dtype=np.int32)
    np.bincount(starts, minlength=length + 1).cumsum(out=counts[1:])
    found = array("i")
    found.frombytes(counts[: length + 1].tobytes())
    return found


def _virtual_starts(text: str, offsets: NDArray[np.int64]) -> list[int]:
    """Extra token starts inside words the tokenizer gives up on and in stretches it drops."""
    bounds = np.concatenate(([0], offsets.reshape(-1), [len(text)]))
    excess = bounds[1:] - bounds[:-1]
    excess[1::2] -= LONG_WORD  # of tokens; what lies between them is at the even places
    excess[::2] -= WEIGHT
    starts: list[int] = []
    for at in (excess > 0).nonzero()[0].tolist():
        start, end = int(bounds[at]), int(bounds[at + 1])
        if not at % 2 and text[start:end].isspace():
            continue
        runs = not at % 2 and set(text[start:end].strip()) == {text[start - 1 : start]}
        weight = WEIGHT_IN_RUN if runs else WEIGHT
        at = start + weight if runs or at % 2 else start  # the token itself, or the run's, counts
        while at < end:
            latest = at + _LONGEST_CLUSTER
            while at < end and at < latest and not is_boundary(text, at):
                at += 1
            if at < end:
                starts.append(at)
            at += weight
    return starts
