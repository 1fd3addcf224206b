"""Token arithmetic: tokenise a text once, then count the tokens of any span by two look-ups; and find where to cut.

No cut splits a grapheme cluster (what a reader sees as one character): Unicode Standard Annex 29, as the ``regex``
package implements it.
"""

from __future__ import annotations

import unicodedata
from array import array
from collections.abc import Sequence
from itertools import chain

import numpy as np
import regex
from numpy.typing import NDArray

from core.text.markup.inline_tags import blanked
from core.types import Span, TokenCounter

BLANKS = " \n\t\r"  # white space at which every tokenizer splits words; some drop other white space and join the words
_BLANK = regex.compile(f"[{BLANKS}]")
LONG_WORD = 100  # characters; WordPiece makes a longer word one unknown token
_LONGEST_WORD = 8000  # code points without a blank; a longer run is tokenised in pieces
WEIGHT = 4  # code points per virtual token where the tokenizer gives too few tokens
WEIGHT_IN_RUN = 100  # the same inside a run of one mark (rules, leaders), of which models read only the beginning
_LONGEST_CLUSTER = 64  # code points; a longer cluster is an attack, and is counted and cut like other text
_CLUSTER = regex.compile(r"\X")
_ALONE = "\u0300"  # characters below it form clusters of their own, except CR LF
_LOOKBACK = 64
_PROBES = (
    ("alpha", "beta gamma"),
    ("Title > Part", "some words."),
    ("end.", "Next (one) - two"),
    ("日本", "語です"),
)
_UNSPACED = (("\u0e00", "\u0eff"), ("\u1000", "\u109f"), ("\u1780", "\u17ff"))
_UNSPACED_WORD = regex.compile(f"[{''.join(f'{low}-{high}' for low, high in _UNSPACED)}]{{{WEIGHT + 1}}}")
_ADDITIVE: dict[str, bool] = {}  # cache of ``_is_additive`` by fingerprint, as its probes are slow for short texts
_MOST_COUNTERS = 16


def is_boundary(text: str, position: int) -> bool:
    """Whether a cut at ``position`` splits no grapheme cluster; both ends of the text are boundaries.

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
    """The last grapheme boundary in ``(low, position]``, else the first after ``position``.

    ``position`` itself where there is none within 64 code points, that is inside an abnormally long cluster.

    >>> boundary_before("ae\\u0301b", 2, 0), boundary_before("e\\u0301\\u0301b", 2, 0)
    (1, 3)
    >>> boundary_before("e" + "\\u0301" * 999, 500, 0)
    500
    """
    before = range(position, max(low, position - _LONGEST_CLUSTER), -1)
    after = range(position, position + _LONGEST_CLUSTER)
    return next((at for at in chain(before, after) if is_boundary(text, at)), position)


def whitespace_windows(text: str, size: int = 4000) -> list[Span]:
    """The text as consecutive windows of about ``size`` characters, cut before blanks, for batched tokenising.

    The windows cover the text without gaps. A long word makes its window longer, up to 8,000 characters.

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
    """Whether the character is of a script without spaces that tokenizers split at every character (Han, kana).

    >>> is_wide("語"), is_wide("か"), is_wide("a"), is_wide("각")
    (True, True, False, False)
    """
    return (
        "\u2e80" <= character <= "\u9fff"
        or "\uf900" <= character <= "\ufaff"
        or "\U00020000" <= character <= "\U0003ffff"
    )


def is_unspaced(character: str) -> bool:
    """Whether the character is of a script without spaces: Han, kana, Thai, Lao, Burmese, Khmer.

    >>> [is_unspaced(character) for character in "語ไလខa각"]
    [True, True, True, True, False, False]
    """
    return is_wide(character) or any(low <= character <= high for low, high in _UNSPACED)


def is_word_boundary(text: str, position: int) -> bool:
    """Whether a cut at ``position`` splits no word: there is white space or an ideograph, or the text ends.

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
    """Whether the character is punctuation that belongs to the text before it."""
    return unicodedata.category(character) in {"Pe", "Pf", "Po"}


def _always_splits(character: str) -> bool:
    """Whether every additive tokenizer starts a new token at this character."""
    if character in BLANKS:
        return True
    return "\u4e00" <= character <= "\u9fff" or unicodedata.category(character)[0] in "PZ"


class CharacterCounter:
    """A ``TokenCounter`` with one token per code point, so that a ``TokenMap`` counts characters.

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
    """The token positions of one text, for counting the tokens of any span in constant time.

    ``count`` gives *weighted* tokens: the tokenizer's own, plus virtual tokens where it gives too few for the text.
    There is one per four code points inside words of more than 100 characters or of a script without spaces, and in
    text that the tokenizer drops, and one per hundred inside a run of one mark. Without them such text would be free,
    and a chunk could be of any length.
    ``exact`` gives the tokenizer's own count of a span by itself.
    """

    __slots__ = ("_before", "_own_before", "_own_ends", "_read_text", "_starts", "additive", "counter", "text")

    def __init__(self, counter: TokenCounter, text: str) -> None:
        self.text = text
        self._read_text = blanked(text)  # what models read of the text
        self.counter = counter
        offsets = np.asarray(counter.offsets(text), dtype=np.int64).reshape(-1, 2)
        self._own_ends = _as_array(offsets[:, 1])
        self._own_before = _counts_before(offsets[:, 0], len(text))
        extra = _virtual_starts(self._read_text, offsets)
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
        """Where weighted token ``index`` begins; the length of the text when there are fewer."""
        return self._starts[index] if index < len(self._starts) else len(self.text)

    def is_exact(self, start: int, end: int) -> bool:
        """Whether ``own_count`` of the span is known to equal the tokenizer's count of the span by itself."""
        return self.additive and self._is_token_edge(start) and self._is_token_edge(end)

    def _is_token_edge(self, position: int) -> bool:
        """Whether a cut at ``position`` leaves the tokens on both sides as they are."""
        text = self._read_text
        if position <= 0 or position >= len(text):
            return True
        if text[position] == text[position - 1] == " " and self.text[position - 1 : position + 1] != "  ":
            return False  # may be inside a tag, which is only blanked while it is whole
        if not (_always_splits(text[position - 1]) or _always_splits(text[position])):
            return False
        if text[position - 1] == text[position] and not text[position].isspace():
            return False  # may be inside a run of one mark, of which only the beginning is read
        before = self._own_before[position] - 1  # the last token before; may be a special token such as "[SEP]"
        return before < 0 or self._own_ends[before] <= position

    def own_count(self, start: int, end: int) -> int:
        """The tokenizer's own tokens that begin in ``[start, end)``."""
        return self._own_before[end] - self._own_before[start]

    def exact(self, spans: Sequence[Span]) -> list[int]:
        """The tokenizer's own count of each span by itself; only spans that are not ``is_exact`` are tokenised."""
        counts = [self.own_count(span.start, span.end) for span in spans]
        inexact = [at for at, span in enumerate(spans) if not self.is_exact(span.start, span.end)]
        recounts = self.counter.count([self.text[spans[at].start : spans[at].end] for at in inexact]) if inexact else []
        for at, count in zip(inexact, recounts, strict=True):
            counts[at] = count
        return counts

    def cut(self, start: int, end: int, room: int) -> int:
        """The last good cut in ``(start, end]`` with at most ``room`` weighted tokens before it.

        At a word boundary where there is one, else at a token inside a word; never inside a grapheme cluster, unless
        the cluster alone is larger than ``room``.
        """
        text = self._read_text
        index = self.index(start) + max(1, room)
        if index >= len(self._starts) or self._starts[index] >= end:
            return end
        latest = self._starts[index]
        at = latest
        while at > start and not is_word_boundary(text, at):
            at -= 1
        if at > start and text[start:at].strip():
            return at
        for position in (latest, start + 1):
            at = boundary_before(text, position, start)
            if start < at <= latest:
                return at
        return max(latest, start + 1)


def _is_additive(counter: TokenCounter) -> bool:
    """Whether the token counts of parts cut at blanks add up to the count of the whole, as for WordPiece."""
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
    """The values as an ``array`` of 8-byte integers, whose items Python reads faster than NumPy's."""
    result = array("q")
    result.frombytes(np.ascontiguousarray(values, dtype=np.int64).tobytes())
    return result


def _counts_before(starts: NDArray[np.int64], length: int) -> array[int]:
    """For every position from 0 to ``length``, how many of ``starts`` are before it."""
    counts = np.zeros(length + 2, dtype=np.int32)
    np.bincount(starts, minlength=length + 1).cumsum(out=counts[1:])
    result = array("i")
    result.frombytes(counts[: length + 1].tobytes())
    return result


def _virtual_starts(text: str, offsets: NDArray[np.int64]) -> list[int]:
    """The starts of virtual tokens: inside words that are one unknown token, and in text that the tokenizer drops."""
    bounds = np.concatenate(([0], offsets.reshape(-1), [len(text)]))
    excess = bounds[1:] - bounds[:-1]  # at odd indices the lengths of tokens, at even ones of the gaps between them
    excess[1::2] -= LONG_WORD
    excess[::2] -= WEIGHT
    if _UNSPACED_WORD.search(text):  # several words without a blank between them are one unknown token, too
        for number in range(1, len(excess), 2):
            if _UNSPACED_WORD.match(text, int(bounds[number]), int(bounds[number + 1])):
                excess[number] += LONG_WORD - WEIGHT
    starts: list[int] = []
    for number in (excess > 0).nonzero()[0].tolist():
        start, end = int(bounds[number]), int(bounds[number + 1])
        is_token = bool(number % 2)
        if not is_token and text[start:end].isspace():
            continue
        is_run = not is_token and set(text[start:end].strip()) == {text[start - 1 : start]}
        weight = WEIGHT_IN_RUN if is_run else WEIGHT
        at = start + weight if is_run or is_token else start  # the token itself, or the one before the run, counts
        while at < end:
            latest = at + _LONGEST_CLUSTER
            while at < end and at < latest and not is_boundary(text, at):
                at += 1
            if at < end:
                starts.append(at)
            at += weight
    return starts
