"""The embedder's own tokenizer without the embedder: counting and cutting need no weights and no torch.

A word that was read once is not read again, in this text or in another: a text of 100,000 words has about 10,000
different ones, and the next text shares most of them. That holds for tokenizers that never look across a blank, as
BERT's; byte-pair tokenizers keep the like inside themselves.
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
from core.text.inline_tags import PATTERN, blanked
from core.text.tokens import BLANKS, whitespace_windows

Offsets = NDArray[np.int64]

_OFFSET = np.dtype(np.int64).itemsize
_MOST_KEPT = 1_000_000  # characters and offsets: about 90,000 words, 20 MB


class WordMemory:
    """What ``read`` says of whole texts, put together from what it said of their words.

    ``read``: text to ``(n, 2)`` code point spans of its tokens, in order; no token holds a blank, and none depends on
    what stands beyond one. Safe to share between threads.
    """

    __slots__ = ("_held", "_known", "_read")

    def __init__(self, read: Callable[[str], Offsets]) -> None:
        self._read = read
        self._known: dict[str, bytes] = {}  # a word's offsets, in a row; nothing is taken out of it
        self._held = 0

    def offsets(self, text: str) -> Offsets:
        """As ``read`` of the whole text.

        >>> import re
        >>> words = WordMemory(lambda text: np.array([word.span() for word in re.finditer(r"\\w+", text)]))
        >>> words.offsets("on and on").tolist()
        [[0, 2], [3, 6], [7, 9]]
        """
        words = _words(text)
        known = self._learned(words)
        found = [known[word] for word in words]
        widths = np.fromiter(map(len, words), dtype=np.int64, count=len(words)) + 1
        starts = widths.cumsum() - widths
        sizes = np.fromiter(map(len, found), dtype=np.int64, count=len(words))
        inside = np.frombuffer(b"".join(found), dtype=np.int64)
        return (inside + starts.repeat(sizes // _OFFSET)).reshape(-1, 2)

    def count(self, texts: Sequence[str]) -> list[int]:
        """How many tokens each text has."""
        parted = [_words(text) for text in texts]
        known = self._learned(list(chain.from_iterable(parted)))
        return [sum([len(known[word]) for word in words]) // (2 * _OFFSET) for words in parted]

    def _learned(self, words: Sequence[str]) -> dict[str, bytes]:
        """What is known of words, once these are."""
        known = self._known
        missing = list(dict.fromkeys([word for word in words if word not in known]))
        if missing:
            lengths = np.fromiter(map(len, missing), dtype=np.int64, count=len(missing))
            ends = np.cumsum(lengths + 1)
            starts = ends - lengths - 1
            offsets = self._read("\n".join(missing)).reshape(-1, 2)
            bounds = np.searchsorted(offsets[:, 0], [*starts, ends[-1]])
            inside = (offsets - np.repeat(starts, np.diff(bounds))[:, None]).tobytes()
            rows = [inside[first:last] for first, last in pairwise((2 * _OFFSET * bounds).tolist())]
            known.update(zip(missing, rows, strict=True))
            self._held += int(ends[-1]) + offsets.size
            if self._held > _MOST_KEPT:  # whoever reads just now keeps what it has in hand
                self._known, self._held = {}, 0
        return known


def _words(text: str) -> list[str]:
    """The words of a text as every single blank parts them: between two blanks stands an empty one.

    >>> _words("on and\\n\\ton")
    ['on', 'and', '', 'on']
    """
    for blank in BLANKS.lstrip(" "):
        text = text.replace(blank, " ")
    return text.split(" ")


_RUN = r"(?<=([^\w\s]|_)\1\1)\1+"  # of one mark, beyond the third
_WINDOWS = 64  # read at once

_FEW, _SHORT = 16, 1000  # texts, and characters of them all, that are read sooner than other threads are woken


def without_noise(tokenizer: Any) -> Any:
    """The same tokenizer of the tokenizers library, which from now on reads three of the same marks in a row and no
    more of them, and no tags among words (``core.text.inline_tags``).

    A model reads a token for each mark, and the rule below the header of a table, an underline, the leaders of a table
    of contents or the address in an anchor would be all it reads. Places in the text stay what they are.
    """
    from tokenizers import Regex
    from tokenizers.normalizers import Replace, Sequence

    own = tokenizer.normalizer
    noise = [Replace(Regex(PATTERN), " "), Replace(Regex(_RUN), "")]
    tokenizer.normalizer = Sequence([*noise, *([] if own is None else [own])])
    return tokenizer


class WordPieceCounter:
    """A ``TokenCounter`` over a tokenizer of the tokenizers library. Never truncates, pads or adds special tokens.

    It counts as a model reads whose tokenizer is ``without_noise``.
    """

    def __init__(self, tokenizer: Any, fingerprint: str) -> None:
        self.fingerprint = fingerprint
        self._tokenizer = tokenizer
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        self.specials = int(self._tokenizer.num_special_tokens_to_add(is_pair=False))
        self._words = WordMemory(self._read) if _reads_word_by_word(tokenizer) else None
        without_noise(tokenizer)

    @classmethod
    def from_json(cls, definition: str, fingerprint: str) -> WordPieceCounter:
        """From the text of a ``tokenizer.json``."""
        from tokenizers import Tokenizer

        return cls(Tokenizer.from_str(definition), fingerprint)

    def offsets(self, text: str) -> NDArray[np.int64]:
        """``(n, 2)`` int64 code point spans of the tokens of ``text``, in order."""
        text = blanked(text)
        return self._words.offsets(text) if self._words else self._read(text)

    def _read(self, text: str) -> NDArray[np.int64]:
        # In windows parted before white space: one batched call on all cores, and the same tokens.
        parts = [np.zeros((0, 2), dtype=np.int64)]
        whole = whitespace_windows(text)
        for first in range(0, len(whole), _WINDOWS):  # an encoding is far larger than its offsets
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
        """Tokens of each text; one batched call, on all cores, where there is work for them."""
        if self._words:
            return self._words.count([blanked(text) for text in texts])
        if len(texts) <= _FEW and sum(map(len, texts)) <= _SHORT:
            return [len(self._tokenizer.encode(text, add_special_tokens=False)) for text in texts]
        return [len(item) for item in self._tokenizer.encode_batch_fast(list(texts), add_special_tokens=False)]


def _reads_word_by_word(tokenizer: Any) -> bool:
    """Whether no token, and nothing that decides one, lies on both sides of a blank: so it is with BERT's rules."""
    rules = type(tokenizer.normalizer).__name__, type(tokenizer.pre_tokenizer).__name__
    added = tokenizer.get_added_tokens_decoder().values()
    return rules == ("BertNormalizer", "BertPreTokenizer") and not any(
        token.lstrip or token.rstrip or set(BLANKS) & set(token.content) for token in added
    )


@lru_cache(maxsize=1)
def packaged_counter() -> WordPieceCounter:
    """The packaged embedder's counter, its file verified once per process."""
    path = packaged.model_directory() / "tokenizer.json"
    packaged.verify_file(path, packaged.TOKENIZER_SHA256)
    return WordPieceCounter.from_json(path.read_text(encoding="utf-8"), packaged.TOKENIZER_SHA256[:16])
