"""The reader while it learns: the re-ranker's layers, of which the upper ones learn, and a head for where answers are.

The loss is that of SQuAD 2.0 (Rajpurkar et al., "Know what you don't know", ACL 2018) with every occurrence of the
answer counted as right (Clark and Gardner, "Simple and effective multi-paragraph reading comprehension", ACL 2018).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from core.embedding.answer_reader import AnswerReader, learns, untrained
from core.embedding.precision import computing
from core.evaluation.metrics.answers import token_f1
from core.training.lists import Listed
from core.training.model import LearningModel, alike


class SpanModel(LearningModel):
    """Marks where in a passage the answer stands, on the processor until it is moved.

    ``from_layer``: the layers from there on learn, 6 for the head alone. ``max_tokens``: of question and passage
    together; what is longer loses its end, as when it is used. ``seed``: of the head's first weights.
    """

    def __init__(self, from_layer: int, max_tokens: int, seed: int) -> None:
        super().__init__(*untrained(seed), max_tokens)
        self._from_layer = from_layer

    def learns(self, name: str) -> bool:
        """Of the head and of the upper layers."""
        return learns(name, self._from_layer)

    def learn(self, lists: Sequence[Listed]) -> float:
        """Add the gradient of the mean loss of the passages of all lists; the loss."""
        import torch

        asked = [
            (listed.question, passage, listed.answer if at == 0 else "")
            for listed in lists
            for at, passage in enumerate(listed.passages)
        ]
        total = 0.0
        for read, begins, ends, allowed in self._batches(asked):
            with computing(self._half):
                states = self.module.bert(**read).last_hidden_state
            logits = self.module.qa_outputs(states.float()).masked_fill(~allowed[:, :, None], -1e4)
            loss = logits.new_zeros(())
            for side, right in enumerate((begins, ends)):
                every = torch.logsumexp(logits[:, :, side], 1)
                held = torch.logsumexp(logits[:, :, side].masked_fill(~right, -1e4), 1)
                loss = loss + (every - held).sum() / (2 * len(asked))
            loss.backward()
            total += float(loss.detach())
        return total

    def quality(self, lists: Sequence[Listed]) -> float:
        """The mean F1 of the best span of each list, as SQuAD 2.0 has it: 1 for silence where nothing answers, 0 for it
        where something does; nan for no lists. Silent is what finds no span likelier than none.
        """
        reader = AnswerReader(self.module, self._tokenizer)
        found = []
        for listed in lists:
            read = zip(listed.passages, reader.read(listed.question, listed.passages), strict=True)
            spans = [(span.score, passage[span.start : span.end]) for passage, one in read if (span := one.best())]
            score, said = max(spans, default=(0.0, ""))
            found.append(token_f1(said if score > 0 else "", listed.answer))
        return float(np.mean(found)) if found else float("nan")

    def _batches(self, asked: Sequence[tuple[str, str, str]]) -> Iterator[tuple[Any, Any, Any, Any]]:
        """What the encoder reads, and boolean tensors: where an answer begins, where it ends, where one could."""
        import torch

        read = self._tokenizer(
            [question for question, _, _ in asked],
            [passage for _, passage, _ in asked],
            truncation="longest_first",
            max_length=self._max_tokens,
            return_offsets_mapping=True,
        )
        offsets = read.pop("offset_mapping")
        for batch, padded in alike(read, self._tokenizer):
            shape = tuple(padded["input_ids"].shape)
            begins, ends, allowed = (np.zeros(shape, dtype=np.bool_) for _ in range(3))
            for row, at in enumerate(batch):
                _, passage, answer = asked[at]
                inside = [part == 1 for part in read.sequence_ids(at)]
                allowed[row, : len(inside)] = inside
                allowed[row, 0] = True
                starts = {start: place for place, (start, _) in enumerate(offsets[at]) if inside[place]}
                lasts = {end: place for place, (_, end) in enumerate(offsets[at]) if inside[place]}
                for start in occurrences(answer, passage):
                    if start in starts and start + len(answer) in lasts:
                        begins[row, starts[start]] = ends[row, lasts[start + len(answer)]] = True
                if not answer:
                    begins[row, 0] = ends[row, 0] = True
                elif not begins[row].any():
                    begins[row] = ends[row] = True  # the answer was cut off: nothing is to be learnt here
            begun, ended, could = (torch.from_numpy(values).to(self._device) for values in (begins, ends, allowed))
            yield padded.to(self._device), begun, ended, could


def occurrences(answer: str, passage: str) -> list[int]:
    """Where the answer begins in the passage, each time; none for "".

    >>> occurrences("70", "width 70, by default 70"), occurrences("", "width")
    ([6, 21], [])
    """
    found: list[int] = []
    at = passage.find(answer) if answer else -1
    while at >= 0:
        found.append(at)
        at = passage.find(answer, at + 1)
    return found
