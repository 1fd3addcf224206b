"""Token counting with the encoder's tokenizer alone, without its weights and torch.

Words are tokenised once and cached: a text of 100,000 words has about 10,000 distinct ones, and the next text shares
most of them. This needs a tokenizer that never looks across a blank, such as BERT's; byte-pair tokenizers have a cache
of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import chain, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.cancellation import check_cancelled
from core.embedding import packaged
from core.text.markup.inline_tags import PATTERN, blanked
from core.text.tokens import BLANKS, whitespace_windows

Offsets = NDArray[np.int64]

_OFFSET = np.dtype(np.int64).itemsize
_MOST_CACHED = 1_000_000  # characters plus offsets: about 90,000 words, 20 MB


class WordMemory:
    """Tokenises texts word by word, with a cache of the words' tokens. Safe to share between threads.

    ``read``: from a text to the ``(n, 2)`` code point spans of its tokens, in order. No token may contain a blank or
    depend on text beyond one.
    """

    __slots__ = ("_cache", "_cached_size", "_read")

    def __init__(self, read: Callable[[str], Offsets]) -> None:
        self._read = read
        self._cache: dict[str, bytes] = {}  # word to its offsets as int64 bytes; entries are never removed
        self._cached_size = 0

    def offsets(self, text: str) -> Offsets:
        """The same as ``read`` of the whole text.

        >>> import re
        >>> words = WordMemory(lambda text: np.array([word.span() for word in re.finditer(r"\\w+", text)]))
        >>> words.offsets("on and on").tolist()
        [[0, 2], [3, 6], [7, 9]]
        """
        words = _words(text)
        cache = self._offsets_of(words)
        per_word = [cache[word] for word in words]
        widths = np.fromiter(map(len, words), dtype=np.int64, count=len(words)) + 1
        starts = widths.cumsum() - widths
        sizes = np.fromiter(map(len, per_word), dtype=np.int64, count=len(words))
        inside_words = np.frombuffer(b"".join(per_word), dtype=np.int64)
        return (inside_words + starts.repeat(sizes // _OFFSET)).reshape(-1, 2)

    def count(self, texts: Sequence[str]) -> list[int]:
        """The number of tokens of each text."""
        words_of_texts = [_words(text) for text in texts]
        cache = self._offsets_of(list(chain.from_iterable(words_of_texts)))
        return [sum([len(cache[word]) for word in words]) // (2 * _OFFSET) for words in words_of_texts]

    def _offsets_of(self, words: Sequence[str]) -> dict[str, bytes]:
        """The cache, after adding these words: word to offsets. All missing words are tokenised in one call."""
        cache = self._cache
        missing = list(dict.fromkeys([word for word in words if word not in cache]))
        if missing:
            lengths = np.fromiter(map(len, missing), dtype=np.int64, count=len(missing))
            ends = np.cumsum(lengths + 1)
            starts = ends - lengths - 1
            offsets = self._read("\n".join(missing)).reshape(-1, 2)
            bounds = np.searchsorted(offsets[:, 0], [*starts, ends[-1]])
            inside_words = (offsets - np.repeat(starts, np.diff(bounds))[:, None]).tobytes()
            rows = [inside_words[first:last] for first, last in pairwise((2 * _OFFSET * bounds).tolist())]
            cache.update(zip(missing, rows, strict=True))
            self._cached_size += int(ends[-1]) + offsets.size
            if self._cached_size > _MOST_CACHED:  # replaced, not cleared: other threads still use the old dict
                self._cache, self._cached_size = {}, 0
        return cache


def _words(text: str) -> list[str]:
    """The text split at every single blank; two adjacent blanks give an empty word.

    >>> _words("on and\\n\\ton")
    ['on', 'and', '', 'on']
    """
    for blank in BLANKS.lstrip(" "):
        text = text.replace(blank, " ")
    return text.split(" ")


_RUN = r"(?<=([^\w\s]|_)\1\1)\1+"  # repetitions of a mark, from the fourth on
_WINDOWS = 64  # windows tokenised in one batch

_FEW, _SHORT = 16, 1000  # texts, and their characters together, up to which one thread is faster than a batch


def without_noise(tokenizer: Any) -> Any:
    """Changes a tokenizer (tokenizers library) to skip inline tags and repetitions of a mark after the third one.

    Each mark is a token, so the rule of a Markdown table, an underline, dot leaders or the URL in an anchor would fill
    the model's input. Offsets of the other tokens stay. Returns the same tokenizer.
    """
    from tokenizers import Regex
    from tokenizers.normalizers import Replace, Sequence

    original = tokenizer.normalizer
    removals = [Replace(Regex(PATTERN), " "), Replace(Regex(_RUN), "")]
    tokenizer.normalizer = Sequence([*removals, *([] if original is None else [original])])
    return tokenizer


class WordPieceCounter:
    """A ``TokenCounter`` over a tokenizer of the tokenizers library; no truncation, padding or special tokens.

    The tokenizer is changed by ``without_noise``, as that of the model must be.
    """

    def __init__(self, tokenizer: Any, fingerprint: str) -> None:
        self.fingerprint = fingerprint
        self._tokenizer = tokenizer
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        self.specials = int(self._tokenizer.num_special_tokens_to_add(is_pair=False))
        self._words = WordMemory(self._read) if _is_word_by_word(tokenizer) else None
        without_noise(tokenizer)

    @classmethod
    def from_json(cls, definition: str, fingerprint: str) -> WordPieceCounter:
        """A counter from the text of a ``tokenizer.json``."""
        from tokenizers import Tokenizer

        return cls(Tokenizer.from_str(definition), fingerprint)

    def offsets(self, text: str) -> NDArray[np.int64]:
        """``(n, 2)`` int64 code point spans of the tokens of ``text``, in order."""
        text = blanked(text)
        return self._words.offsets(text) if self._words else self._read(text)

    def _read(self, text: str) -> NDArray[np.int64]:
        # In windows cut before white space: the same tokens, but batched on all cores.
        parts = [np.zeros((0, 2), dtype=np.int64)]
        whole = whitespace_windows(text)
        for first in range(0, len(whole), _WINDOWS):  # in batches, because an encoding is much larger than its offsets
            check_cancelled()
            windows = whole[first : first + _WINDOWS]
            pieces = [text[window.start : window.end] for window in windows]
            encodings = self._tokenizer.encode_batch(pieces, add_special_tokens=False)
            parts += [
                np.fromiter(chain.from_iterable(encoding.offsets), dtype=np.int64).reshape(-1, 2) + window.start
                for encoding, window in zip(encodings, windows, strict=True)
            ]
        return np.concatenate(parts)

    def count(self, texts: Sequence[str]) -> list[int]:
        """The number of tokens of each text; large inputs are batched on all cores."""
        if self._words:
            return self._words.count([blanked(text) for text in texts])
        if len(texts) <= _FEW and sum(map(len, texts)) <= _SHORT:
            return [len(self._tokenizer.encode(text, add_special_tokens=False)) for text in texts]
        return [len(item) for item in self._tokenizer.encode_batch_fast(list(texts), add_special_tokens=False)]


def _is_word_by_word(tokenizer: Any) -> bool:
    """Whether tokens never depend on text across a blank, as with BERT's rules."""
    rules = type(tokenizer.normalizer).__name__, type(tokenizer.pre_tokenizer).__name__
    added = tokenizer.get_added_tokens_decoder().values()
    return rules == ("BertNormalizer", "BertPreTokenizer") and not any(
        token.lstrip or token.rstrip or set(BLANKS) & set(token.content) for token in added
    )


@lru_cache(maxsize=1)
def packaged_counter() -> WordPieceCounter:
    """The token counter of the packaged encoder; cached, after checking its file."""
    path = packaged.model_directory() / "tokenizer.json"
    packaged.verify_file(path, packaged.TOKENIZER_SHA256)
    return WordPieceCounter.from_json(path.read_text(encoding="utf-8"), packaged.TOKENIZER_SHA256[:16])
