"""A second opinion without a second model: question and passage compared token by token, by the embedder's own states.

The score is MaxSim: each token of the question looks for its likest token of the passage, and the mean of those cosines
is the score. Source: Khattab and Zaharia, "ColBERT: Efficient and Effective Passage Search via Contextualized Late
Interaction over BERT", SIGIR 2020, section 3.2, which sums them; the mean orders alike and does not grow with the
question. An embedder is not trained for it as ColBERT is, so it sees other things than the vectors do rather than more.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

import numpy as np

from core.embedding.encoder import TokenStates
from core.errors import ModelError
from core.types import Encoder, Vectors

WITHOUT_TOKENS = -1.0  # the score of a passage without a token: the least a cosine can be


@runtime_checkable
class TokenEncoder(Protocol):
    """An encoder that also shows what it makes of every token of the ``max_tokens`` it reads."""

    max_tokens: int

    def token_states(self, texts: Sequence[str]) -> list[TokenStates]:
        """The states of each text, in order."""


class LateInteraction:
    """A ``Reranker`` over an embedder's token states; special tokens take no part. Raises ``ModelError`` without them.

    Passages are read anew every time, the last question only once: a re-ranker is asked for it batch by batch.
    """

    def __init__(self, encoder: Encoder | TokenEncoder) -> None:
        if not isinstance(encoder, TokenEncoder):
            raise ModelError(
                "This embedder shows no states of single tokens, which late interaction compares.",
                'Set reranking.model to "" or to a cross-encoder, or choose a sentence-transformers embedder.',
            )
        self.max_tokens = encoder.max_tokens
        self._encoder = encoder
        self._last: tuple[str, Vectors] | None = None  # one value, so that another thread sees both or neither

    def score(self, question: str, passages: Sequence[str]) -> Vectors:
        """``(n,)`` float32 in [-1, 1]: how well each passage answers to every token of the question, on average."""
        if not passages:
            return np.zeros(0, dtype=np.float32)
        asked = self._question(question)
        return max_similarity(asked, [unit_states(read) for read in self._encoder.token_states(passages)])

    def _question(self, question: str) -> Vectors:
        last = self._last
        if last is None or last[0] != question:
            last = (question, unit_states(self._encoder.token_states([question])[0]))
            self._last = last
        return last[1]


def unit_states(read: TokenStates) -> Vectors:
    """``(n, dimension)`` float32, unit norm: the states of the tokens that stand in the text.

    >>> read = TokenStates(np.float32([[9, 9], [3, 4]]), np.array([[0, 0], [0, 5]]))
    >>> unit_states(read).round(2).tolist()
    [[0.6000000238418579, 0.800000011920929]]
    """
    states = read.states[read.real]
    norms = np.linalg.norm(states, axis=1, keepdims=True)
    return np.asarray(states / np.where(norms > 0, norms, 1), dtype=np.float32)


def max_similarity(question: Vectors, passages: Sequence[Vectors]) -> Vectors:
    """``(n,)`` float32: for each passage, the mean over the question's rows of the greatest cosine to a row of it.

    All rows have unit norm. A question without rows finds all passages alike, 0; a passage without rows gets -1.

    >>> asked = np.float32([[1, 0], [0, 1]])
    >>> max_similarity(asked, [asked, asked[:1], asked[:0]]).tolist()
    [1.0, 0.5, -1.0]
    """
    scores = np.full(len(passages), WITHOUT_TOKENS, dtype=np.float32)
    if not len(question):
        return np.zeros_like(scores)
    read = [at for at, rows in enumerate(passages) if len(rows)]
    if read:
        cosines = question @ np.concatenate([passages[at] for at in read]).T
        starts = np.cumsum([0, *(len(passages[at]) for at in read[:-1])])
        scores[read] = np.maximum.reduceat(cosines, starts, axis=1).mean(axis=0)
    return np.clip(scores, -1, 1)
