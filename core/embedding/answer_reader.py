"""Lectern's own model, which reads passages for a question: how well each answers, where in it the answer begins and
ends, and how likely there is none.

Source: Devlin et al., "BERT: Pre-training of deep bidirectional transformers", NAACL 2019, section 4.3: the first token
stands for "no answer".
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.embedding import reranker_file
from core.embedding.precision import computing, wants_bfloat16
from core.types import Vectors

MAX_TOKENS = 192  # of question and passage together, where the answer line is read
LONGEST = 30  # words of an answer

_WORD = re.compile(r"\d+(?:[.,:]\d+)*|\w+|[^\w\s]")


@dataclass(frozen=True, slots=True)
class Span:
    """Where the answer stands, in characters of the passage's text, and what the reader gives for it.

    ``score``: how much likelier, in log-odds without a unit, than that there is no answer; comparable between passages
    of one question.
    """

    start: int
    end: int
    score: float


@dataclass(frozen=True, slots=True)
class Marks:
    """What the reader saw in one passage.

    ``starts``, ``ends``: ``(n,)`` where its words begin and end in the passage's text. ``begin``, ``finish``: ``(n,)``
    how much speaks for an answer that begins, or ends, with the word; ``nothing``: for there being none. ``worth``: the
    re-ranker's raw score of the passage.
    """

    starts: NDArray[np.int64]
    ends: NDArray[np.int64]
    begin: NDArray[np.float64]
    finish: NDArray[np.float64]
    nothing: float
    worth: float = 0.0

    def best(self, start: int = 0, end: int | None = None) -> Span | None:
        """The likeliest answer that lies within the characters ``[start, end)``, ``None`` where no word does.

        >>> two = Marks(np.array([0, 4]), np.array([3, 9]), np.array([0.0, 2.0]), np.array([0.0, 1.0]), 1.0)
        >>> two.best(), two.best(end=3)
        (Span(start=4, end=9, score=2.0), Span(start=0, end=3, score=-1.0))
        """
        inside = self.starts >= start if end is None else (self.starts >= start) & (self.ends <= end)
        at = np.flatnonzero(inside)
        if not len(at):
            return None
        sums = self.begin[at][:, None] + self.finish[at][None, :]
        length = at[None, :] - at[:, None]
        sums[(length < 0) | (length >= LONGEST)] = -np.inf
        first, last = divmod(int(sums.argmax()), len(at))
        return Span(int(self.starts[at[first]]), int(self.ends[at[last]]), float(sums[first, last]) - self.nothing)

    def moved(self, by: int, start: int) -> Marks:
        """Every place so many characters further on; words that then begin before ``start`` are left out."""
        stay = self.starts + by >= start
        return Marks(
            self.starts[stay] + by,
            self.ends[stay] + by,
            self.begin[stay],
            self.finish[stay],
            self.nothing,
            self.worth,
        )


class AnswerReader:
    """Reads passages for a question; the same passages get the same marks. Safe to share between threads.

    ``max_tokens``: of question and passage together; what is longer loses its end. ``precision``: as
    ``RerankingSettings`` has it.
    """

    def __init__(self, module: Any, tokenizer: Any, max_tokens: int = MAX_TOKENS, precision: str = "auto") -> None:
        self._module, self._tokenizer, self.max_tokens = module, tokenizer, max_tokens
        self._half = wants_bfloat16(precision, str(module.device.type))

    def reading(self, max_tokens: int, precision: str) -> AnswerReader:
        """The same weights with another limit and precision."""
        return AnswerReader(self._module, self._tokenizer, max_tokens, precision)

    def score(self, question: str, passages: Sequence[str]) -> Vectors:
        """``(n,)`` float32: how well each passage answers, of the model's own scale; higher is better."""
        return np.array([marks.worth for marks in self.read(question, passages)], dtype=np.float32)

    def read(self, question: str, passages: Sequence[str], above: Sequence[str] = ()) -> list[Marks]:
        """What it sees in each passage, in order; read in one batch.

        ``above``: for each passage what stands above it (title and headings), which is read and never marked; () for
        nothing.
        """
        import torch

        if not passages:
            return []
        heads = [f"{one}\n" if one else "" for one in above] if above else [""] * len(passages)
        read = self._tokenizer(
            [question] * len(passages),
            [head + passage for head, passage in zip(heads, passages, strict=True)],
            truncation="longest_first",
            max_length=self.max_tokens,
            padding=True,
            return_offsets_mapping=True,
            return_tensors="pt",
        )
        offsets = read.pop("offset_mapping").numpy()
        with torch.inference_mode(), computing(self._half, sum(map(len, passages))):
            states = self._module.bert(**read.to(self._module.device))
        with torch.inference_mode():
            # The heads in float32: a bfloat16 has too few digits to tell tokens apart.
            logits = self._module.qa_outputs(states.last_hidden_state.float()).cpu().numpy().astype(np.float64)
            worth = self._module.classifier(states.pooler_output.float())[:, 0].tolist()
        found: list[Marks] = []
        for row, (head, passage) in enumerate(zip(heads, passages, strict=True)):
            inside = np.array([part == 1 for part in read.sequence_ids(row)]) & (offsets[row, :, 0] >= len(head))
            places = offsets[row, inside, 0] - len(head)
            marks = _marks(passage, places, logits[row, inside], float(logits[row, 0].sum()))
            found.append(replace(marks, worth=worth[row]))
        return found


def _marks(passage: str, places: NDArray[np.int64], logits: NDArray[np.float64], nothing: float) -> Marks:
    """Of word pieces, which begin at ``places``, those of the whole words: no answer is half a number.

    >>> _marks("3,600 s", np.array([0, 1, 2, 4, 6]), np.arange(10.0).reshape(5, 2), 0.5).best()
    Span(start=6, end=7, score=16.5)
    """
    words = np.array([one.span() for one in _WORD.finditer(passage)], np.int64).reshape(-1, 2)
    of = np.searchsorted(words[:, 0], places, side="right") - 1
    best = np.full((len(words), 2), -np.inf)
    np.maximum.at(best, of[of >= 0], logits[of >= 0])
    seen = np.isfinite(best[:, 0])
    return Marks(words[seen, 0], words[seen, 1], best[seen, 0], best[seen, 1], nothing)


@lru_cache(maxsize=1)
def load(path: Path = reranker_file.FILE, sha256: str = reranker_file.SHA256) -> AnswerReader:
    """The reader of the re-ranker's file, loaded once, on a graphics processor where there is one.

    Writes nothing, draws no random number.

    ``sha256``: "" to take any file of such weights. Raises ``ModelError`` when the file is missing or
    another one, and when the packaged model that it is laid over is not the original.
    """
    from sentence_transformers.util import get_device_name

    module, tokenizer = reranker_file.with_both_heads(path, sha256)
    return AnswerReader(module.to(get_device_name()), tokenizer)
