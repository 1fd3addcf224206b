"""Lists mined from pairs: a question, the piece that answers it, and pieces that look as if they did.

Negatives come from where a first stage would find them: near by meaning and near by words, in the pool of the positive
and outside it. False negatives are kept out: what holds the answer, what is the positive of a like question, and, where
no answer is known, what the embedder finds nearly as near as the positive (the rule of 95 percent of the positive's
score: Moreira et al., "NV-Retriever: Improving text embedding models with effective hard-negative mining", 2024).
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.reranker.pairs import Pair
from core.errors import LecternError
from core.search.ranking.fusion import Scores, best_first
from core.text.sentences import sentence_spans
from core.types import Encoder, Vectors

SIZES = (250, 350, 450, 600, 900)  # characters of a piece; leaves of the presets have about 450
_LINES = 0.35  # of the pairs that know their answer: lists of lines, as the answer line is read
_BESIDE = 5  # lines of the same passage in such a list, at most: what is about the right thing and not what is asked
_NEAR_POSITIVE = 0.95
_LIKE_QUESTION = 0.9  # cosine from which two questions ask the same
_NEAREST = 40
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class MinedList:
    """``passages``: the one that answers ``question`` first, then those that do not.

    ``answer``: as it stands in the first; "" where no passage answers, ``None`` where it is not known. ``missed``: a
    question that the first passage seems to answer and does not; "" for none.
    """

    question: str
    passages: tuple[str, ...]
    answer: str | None = None
    missed: str = ""

    @property
    def marked(self) -> bool:
        """Whether it is known where the answer stands, or that there is none."""
        return self.answer is not None


class Miner:
    """Lists of one source, whose passages are encoded once.

    ``vectors``: of ``passages``, ``asked``: of the distinct questions. ``sizes``: of pieces, in characters. A list of a
    pair that trains has no passage of one that is held out, as a wrong answer neither. Raises ``LecternError`` where no
    passage has a word.
    """

    def __init__(self, pairs: Sequence[Pair], encoder: Encoder, sizes: Sequence[int] = SIZES) -> None:
        from rank_bm25 import BM25Okapi

        self._sizes = sizes
        self.passages = list(dict.fromkeys(pair.positive for pair in pairs))
        self._at = {text: at for at, text in enumerate(self.passages)}
        pools: dict[str, list[int]] = {}
        self._title = [""] * len(self.passages)
        for pair in pairs:
            at = self._at[pair.positive]
            pools.setdefault(pair.pool, []).append(at)
            self._title[at] = pair.title
        self._pools = {pool: np.unique(np.array(rows, np.int64)) for pool, rows in pools.items()}
        self.vectors: Vectors = encoder.encode(self.passages)
        self._questions = list(dict.fromkeys(pair.question for pair in pairs))
        self._asked_at = {text: at for at, text in enumerate(self._questions)}
        self.asked: Vectors = encoder.encode(self._questions)
        self._held_out = {self._at[pair.positive] for pair in pairs if pair.held_out}
        self._positives: dict[int, set[int]] = {}
        for pair in pairs:
            self._positives.setdefault(self._asked_at[pair.question], set()).add(self._at[pair.positive])
        tokens = [words(text) for text in self.passages]
        self._known: dict[Pair, list[list[int]]] = {}
        self._said = [" ".join(passage) for passage in tokens]
        if not any(tokens):
            raise LecternError(f"No passage of the source {pairs[0].source} has a word.", "Check the pairs.")
        self._postings = _postings(BM25Okapi(tokens))

    def listed(self, pair: Pair, count: int, choose: random.Random) -> MinedList:
        """A list of ``count`` pieces for the pair, fewer where its source has no more that differ.

        Of a pair that is not answerable it is the one piece that only seems to answer.
        """
        lines = (bool(pair.answer) or not pair.answerable) and choose.random() < _LINES
        size = 0 if lines else choose.choice(self._sizes)
        titled = choose.random() < (0.8 if lines else 0.4)
        asked = set(words(pair.question))
        best, others = _parted(pair, size, asked)
        found = [self._shown(pair.positive, best, titled)]
        if lines:
            others = sorted(set(others) - {best}, key=lambda line: (-_shared(line, asked), line))
            found += [self._shown(pair.positive, line, titled) for line in others[: min(_BESIDE, count - 1)]]
        elif pair.answer and others and choose.random() < 0.7:
            # The same passage beside the answer: it is about the same, and answers nothing.
            found.append(self._shown(pair.positive, choose.choice(others), titled))
        for at in self._near(pair, choose):
            if len(found) == count:
                break
            cut = pieces(self.passages[at], size)
            if choose.random() < 0.7:
                cut = (max(cut, key=lambda piece: _shared(piece, asked)),)
            shown = self._shown(self.passages[at], choose.choice(cut), titled)
            if shown not in found:
                found.append(shown)
        if not pair.answerable:
            return MinedList(pair.question, tuple(found[:1]), "")
        answer = pair.answer.strip()
        return MinedList(pair.question, tuple(found), answer if answer and answer in best else None, pair.missed)

    def _shown(self, passage: str, piece: str, titled: bool) -> str:
        title = self._title[self._at[passage]]
        return f"{title}\n{piece}" if titled and title else piece

    def _queues(self, pair: Pair) -> list[list[int]]:
        """Passages that do not answer the pair: near by meaning, near by words, and near in its pool, nearest first."""
        at = self._asked_at[pair.question]
        cosines = (self.vectors @ self.asked[at]).astype(np.float64)
        barred = self._barred(pair, at, cosines)
        pool = self._pools[pair.pool]
        scores = np.zeros(len(self.passages))
        for word in words(pair.question):
            if word in self._postings:
                rows, worth = self._postings[word]
                scores[rows] += worth
        nearest = (
            best_first(cosines, _NEAREST),
            best_first(scores, _NEAREST),
            pool[best_first(cosines[pool], _NEAREST)],
        )
        return [[int(row) for row in rows if int(row) not in barred] for rows in nearest]

    def _near(self, pair: Pair, choose: random.Random) -> list[int]:
        """Passages that do not answer the pair, near ones, in the order they are to be taken."""
        if pair not in self._known:
            self._known[pair] = self._queues(pair)
        # The very nearest are the likeliest to be false negatives too: a random half of them is taken.
        queues = [[row for row in queue if choose.random() < 0.5] for queue in self._known[pair]]
        found: list[int] = []
        while any(queues):
            queue = choose.choice([queue for queue in queues if queue])
            row = queue.pop(0)
            if row not in found:
                found.append(row)
        return found

    def _barred(self, pair: Pair, at: int, cosines: Scores) -> set[int]:
        own = self._at[pair.positive]
        like = np.flatnonzero(self.asked @ self.asked[at] >= _LIKE_QUESTION)
        barred = {own}.union(*(self._positives[int(row)] for row in like))
        if not pair.held_out:
            barred |= self._held_out
        if pair.answer:
            answer = " ".join(words(pair.answer))
            near = {int(row) for row in best_first(cosines, 4 * _NEAREST)} | {
                int(row) for row in self._pools[pair.pool]
            }
            barred |= {row for row in near if answer in self._said[row]}
        else:
            barred |= {int(row) for row in np.flatnonzero(cosines > _NEAR_POSITIVE * cosines[own])}
        return barred


def _postings(bm25: Any) -> dict[str, tuple[NDArray[np.int64], Scores]]:
    """By word the passages that have it and what it adds to their score: to ask for it in all of them takes long."""
    found: dict[str, list[tuple[int, float]]] = {}
    for row, (counts, length) in enumerate(zip(bm25.doc_freqs, bm25.doc_len, strict=True)):
        stretch = bm25.k1 * (1 - bm25.b + bm25.b * length / bm25.avgdl)
        for word, count in counts.items():
            found.setdefault(word, []).append((row, bm25.idf[word] * count * (bm25.k1 + 1) / (count + stretch)))
    return {
        word: (np.array([row for row, _ in rows]), np.array([one for _, one in rows])) for word, rows in found.items()
    }


def words(text: str) -> list[str]:
    """Words in small letters.

    >>> words("Who won, in 1999?")
    ['who', 'won', 'in', '1999']
    """
    return _WORD.findall(text.lower())


@lru_cache(maxsize=200_000)
def pieces(text: str, size: int) -> tuple[str, ...]:
    """The text in runs of whole sentences, or lines, of about ``size`` characters; a longer sentence is left whole.

    >>> pieces("One is here. Two is there. Three.", 16), pieces("It is. So.", 0)
    (('One is here.', 'Two is there.', 'Three.'), ('It is.', 'So.'))
    """
    found: list[str] = []
    begun = last = 0
    for span in sentence_spans(text, 0, len(text)):
        if last > begun and span.end - begun > size:
            found.append(text[begun:last].strip())
            begun = span.start
        last = span.end
    found.append(text[begun:].strip())
    return tuple(piece for piece in found if piece) or (text,)


def _parted(pair: Pair, size: int, asked: set[str]) -> tuple[str, list[str]]:
    """The piece of the positive that answers, and the others."""
    cut = pieces(pair.positive, size)
    if pair.answer:
        holding = [piece for piece in cut if pair.answer.strip() in piece]
        if not holding:
            return pair.positive, []  # the answer lies across pieces
        best = max(holding, key=lambda piece: _shared(piece, asked))
        return best, [piece for piece in cut if piece not in holding]
    # Where no answer is marked, the first piece or the one that shares most words; the others may answer as well.
    return max(cut, key=lambda piece: _shared(piece, asked)), []


def _shared(piece: str, asked: set[str]) -> int:
    return len(asked & _distinct(piece))


@lru_cache(maxsize=400_000)
def _distinct(piece: str) -> frozenset[str]:
    return frozenset(words(piece))


def occurrences(answer: str, passage: str) -> list[int]:
    """Where the answer begins in the passage, each time; none for "".

    >>> occurrences("70", "width 70, by default 70"), occurrences("", "width")
    ([6, 21], [])
    """
    return [found.start() for found in re.finditer(re.escape(answer), passage)] if answer else []
