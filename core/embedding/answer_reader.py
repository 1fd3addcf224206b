"""Extractive question answering with Lectern's own model: scores passages and marks the answer span in each.

As in Devlin et al., "BERT: Pre-training of deep bidirectional transformers", NAACL 2019, section 4.3, the first token
stands for "no answer".
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from core.embedding import packaged, reranker_file
from core.embedding.precision import wants_bfloat16
from core.types import Vectors

if TYPE_CHECKING:
    from core.embedding.bert import AnswerHeads

MAX_TOKENS = 192  # of question and passage together, for the answer line
LONGEST = 30  # words of an answer, at most

_WORD = re.compile(r"\d+(?:[.,:]\d+)*|\w+|[^\w\s]")


@dataclass(frozen=True, slots=True)
class Span:
    """An answer ``[start, end)`` in a passage, in code points.

    ``score``: its logits minus those of "no answer"; comparable between passages of one question.
    """

    start: int
    end: int
    score: float


@dataclass(frozen=True, slots=True)
class Marks:
    """The reader's output for one passage of ``n`` words.

    ``starts``, ``ends``: ``(n,)`` offsets of the words in the passage. ``begin``, ``finish``: ``(n,)`` logits of an
    answer that begins, or ends, with the word. ``nothing``: logit of "no answer". ``worth``: the re-ranker's raw score
    of the passage.
    """

    starts: NDArray[np.int64]
    ends: NDArray[np.int64]
    begin: NDArray[np.float64]
    finish: NDArray[np.float64]
    nothing: float
    worth: float = 0.0

    def best(self, start: int = 0, end: int | None = None) -> Span | None:
        """The likeliest answer within the offsets ``[start, end)``; ``None`` without a word there.

        >>> two = Marks(np.array([0, 4]), np.array([3, 9]), np.array([0.0, 2.0]), np.array([0.0, 1.0]), 1.0)
        >>> two.best(), two.best(end=3)
        (Span(start=4, end=9, score=2.0), Span(start=0, end=3, score=-1.0))
        """
        inside = self.starts >= start if end is None else (self.starts >= start) & (self.ends <= end)
        words = np.flatnonzero(inside)
        if not len(words):
            return None
        logits = self.begin[words][:, None] + self.finish[words][None, :]
        length = words[None, :] - words[:, None]
        logits[(length < 0) | (length >= LONGEST)] = -np.inf
        first, last = divmod(int(logits.argmax()), len(words))
        score = float(logits[first, last]) - self.nothing
        return Span(int(self.starts[words[first]]), int(self.ends[words[last]]), score)

    def moved(self, by: int, start: int) -> Marks:
        """All offsets shifted by ``by`` characters, without words that then begin before ``start``."""
        keep = self.starts + by >= start
        return Marks(
            self.starts[keep] + by,
            self.ends[keep] + by,
            self.begin[keep],
            self.finish[keep],
            self.nothing,
            self.worth,
        )


class AnswerReader:
    """Runs the model on a question and passages. Deterministic and safe to share between threads.

    ``max_tokens``: of question and passage together; longer ones are truncated. ``precision``: as in
    ``RerankingSettings``.
    """

    def __init__(self, heads: AnswerHeads, max_tokens: int = MAX_TOKENS, precision: str = "auto") -> None:
        from core.embedding.bert import tokenizer

        self._heads, self.max_tokens = heads, max_tokens
        self._tokenizer = tokenizer(packaged.model_directory(), max_tokens)
        self._bfloat16 = wants_bfloat16(precision, heads.device.type)

    def reading(self, max_tokens: int, precision: str) -> AnswerReader:
        """A reader of the same weights with another limit and precision."""
        return AnswerReader(self._heads, max_tokens, precision)

    def score(self, question: str, passages: Sequence[str]) -> Vectors:
        """``(n,)`` float32: the re-ranker's raw score of each passage; higher is better."""
        return np.array([marks.worth for marks in self.read(question, passages)], dtype=np.float32)

    def read(self, question: str, passages: Sequence[str], above: Sequence[str] = ()) -> list[Marks]:
        """The marks of each passage, in order, read in one batch.

        ``above``: for each passage a text to read before it (title and headings), in which no answer is marked; () for
        none.
        """
        if not passages:
            return []
        heads = [f"{one}\n" if one else "" for one in above] if above else [""] * len(passages)
        pairs = [(question, head + passage) for head, passage in zip(heads, passages, strict=True)]
        encodings = self._tokenizer.encode_batch(pairs)
        logits, scores = self._heads.read(encodings, bfloat16=self._bfloat16, characters=sum(map(len, passages)))
        results: list[Marks] = []
        for row, (head, passage) in enumerate(zip(heads, passages, strict=True)):
            offsets = np.array(encodings[row].offsets, dtype=np.int64)
            inside = np.array([part == 1 for part in encodings[row].sequence_ids]) & (offsets[:, 0] >= len(head))
            token_starts = offsets[inside, 0] - len(head)
            marks = _word_marks(passage, token_starts, logits[row, inside], float(logits[row, 0].sum()))
            results.append(replace(marks, worth=scores[row]))
        return results


def _word_marks(passage: str, token_starts: NDArray[np.int64], logits: NDArray[np.float64], nothing: float) -> Marks:
    """The marks of whole words from the ``(m, 2)`` logits of tokens: each word takes the maximum over its tokens.

    So no answer is a part of a number. Words without a token (truncated) are left out.

    >>> _word_marks("3,600 s", np.array([0, 1, 2, 4, 6]), np.arange(10.0).reshape(5, 2), 0.5).best()
    Span(start=6, end=7, score=16.5)
    """
    words = np.array([match.span() for match in _WORD.finditer(passage)], np.int64).reshape(-1, 2)
    word_of_token = np.searchsorted(words[:, 0], token_starts, side="right") - 1
    in_word = word_of_token >= 0
    best = np.full((len(words), 2), -np.inf)
    np.maximum.at(best, word_of_token[in_word], logits[in_word])
    read = np.isfinite(best[:, 0])
    return Marks(words[read, 0], words[read, 1], best[read, 0], best[read, 1], nothing)


@lru_cache(maxsize=1)
def load(path: Path = reranker_file.FILE, sha256: str = reranker_file.SHA256) -> AnswerReader:
    """The reader of the re-ranker's file, cached, on a GPU if there is one.

    Does not change the state of random number generators. ``sha256``: expected hash of the file, "" accepts any file of
    such weights. Raises ``ModelError`` if the file or the packaged model is missing or not the original.
    """
    return AnswerReader(reranker_file.with_both_heads(path, sha256))
