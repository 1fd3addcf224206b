"""The embedder's own tokenizer without the embedder: counting and cutting need no weights and no torch."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.embedding import packaged
from core.text.tokens import BLANKS, whitespace_windows
from core.text.word_memory import WordMemory

_FEW, _SHORT = 16, 1000  # texts, and characters of them all, that are read sooner than other threads are woken


class WordPieceCounter:
    """A ``TokenCounter`` over a tokenizer of the tokenizers library. Never truncates, pads or adds special tokens."""

    def __init__(self, tokenizer: Any, fingerprint: str) -> None:
        self.fingerprint = fingerprint
        self._tokenizer = tokenizer
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        self.specials = int(self._tokenizer.num_special_tokens_to_add(is_pair=False))
        self._words = WordMemory(self._read) if _reads_word_by_word(tokenizer) else None

    @classmethod
    def from_json(cls, definition: str, fingerprint: str) -> WordPieceCounter:
        """From the text of a ``tokenizer.json``."""
        from tokenizers import Tokenizer

        return cls(Tokenizer.from_str(definition), fingerprint)

    def offsets(self, text: str) -> NDArray[np.int64]:
        """``(n, 2)`` int64 code point spans of the tokens of ``text``, in order."""
        return self._words.offsets(text) if self._words else self._read(text)

    def _read(self, text: str) -> NDArray[np.int64]:
        # In windows parted before white space: one batched call on all cores, and the same tokens.
        windows = whitespace_windows(text)
        pieces = [text[window.start : window.end] for window in windows]
        encodings = self._tokenizer.encode_batch(pieces, add_special_tokens=False)
        parts = [
            np.fromiter(chain.from_iterable(encoding.offsets), dtype=np.int64).reshape(-1, 2) + window.start
            for encoding, window in zip(encodings, windows, strict=True)
        ]
        return np.concatenate(parts) if parts else np.zeros((0, 2), dtype=np.int64)

    def count(self, texts: Sequence[str]) -> list[int]:
        """Tokens of each text; one batched call, on all cores, where there is work for them."""
        if self._words:
            return self._words.count(texts)
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
