"""The re-ranker while it learns: the packaged encoder's layers under two heads, over word vectors that do not.

One head says how well a passage answers, the other where in it the answer begins and ends; both learn from one reading.
The loss of the first is the cross-entropy of a softmax over the list (ListNet with one relevant passage: Cao et al.,
"Learning to rank: from pairwise approach to listwise approach", ICML 2007), that of the second that of SQuAD 2.0
(Rajpurkar et al., "Know what you don't know", ACL 2018) with every occurrence of the answer counted as right (Clark and
Gardner, "Simple and effective multi-paragraph reading comprehension", ACL 2018).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.embedding.answer_reader import AnswerReader
from core.embedding.layer_file import TABLE
from core.embedding.precision import computing, wants_bfloat16
from core.embedding.reranker_file import untrained
from core.evaluation.metrics.answers import token_f1
from core.types import Vectors

_AT_ONCE = 16  # pairs of like lengths in one forward pass
_LISTS_AT_ONCE = 4  # whose gradients are found together
_MISSED = 0.5  # weight of the loss by which a passage is worth more to its question than to one it seems to answer
_BESIDE = 0.4  # weight of a passage that does not answer where one does: there are several of them in a list


@dataclass(frozen=True, slots=True)
class ListwiseExample:
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


def fastest() -> str:
    """What torch learns fastest on: a graphics processor where it sees one, else the processor."""
    import torch

    return "cuda" if torch.cuda.is_available() else "cpu"


class LearningModel:
    """Both heads and their encoder, on the processor until they are moved, with their tokenizer.

    ``max_tokens``: of question and passage together; of what is longer the longer of the two loses its end, as when it
    is used. ``seed``: of the heads' first weights, which are the same wherever they learn.
    """

    def __init__(self, max_tokens: int, seed: int) -> None:
        self.module, self._tokenizer = untrained(seed)
        self._max_tokens = max_tokens
        self.to("cpu")

    def to(self, device: str) -> None:
        """Move the weights; what is read follows them. Optimizers made before keep the parameters."""
        self._device = device
        self._half = wants_bfloat16("auto", device)
        self.module.to(device)

    def learnable(self) -> list[Any]:
        """The parameters that learn, all but the embedding table, which is the packaged model's and has no gradient."""
        for name, parameter in self.module.named_parameters():
            parameter.requires_grad = not name.startswith(TABLE)
        return [parameter for parameter in self.module.parameters() if parameter.requires_grad]

    def learn(self, lists: Sequence[ListwiseExample]) -> float:
        """Add the gradient of the mean loss of the lists, a few like in length at a time; the loss.

        All lists at once would keep every layer's states of all their passages: 4 GB for 64 of them.
        """
        total = 0.0
        in_order = sorted(lists, key=lambda listed: sum(map(len, listed.passages)))
        for begin in range(0, len(in_order), _LISTS_AT_ONCE):
            loss = self._loss(in_order[begin : begin + _LISTS_AT_ONCE]) / len(lists)
            if loss.requires_grad:  # lists of one passage without an answer teach nothing
                loss.backward()
            total += float(loss.detach())
        return total

    def _loss(self, lists: Sequence[ListwiseExample]) -> Any:
        """The sum of the lists' losses of both heads."""
        import torch
        from torch.nn.functional import softplus

        asked = [
            (listed.question, passage, (listed.answer if at == 0 else "") if listed.marked else None)
            for listed in lists
            for at, passage in enumerate(listed.passages)
        ]
        missed = [listed for listed in lists if listed.missed]
        asked += [(listed.missed, listed.passages[0], "") for listed in missed]
        outputs, losses = self._read([one[:2] for one in asked], [one[2] for one in asked])
        loss = losses[len(asked) - len(missed) :].sum()
        at, nearly = 0, len(asked) - len(missed)
        for listed in lists:
            many = len(listed.passages)
            if many > 1:
                part = outputs[at : at + many]
                loss = loss + torch.logsumexp(part, 0) - part[0]
            if listed.marked:
                weights = losses.new_tensor([1.0] + [_BESIDE] * (many - 1))
                loss = loss + (losses[at : at + many] * weights).sum() / weights.sum()
            if listed.missed:
                loss = loss + _MISSED * softplus(outputs[nearly] - outputs[at])
                nearly += 1
            at += many
        return loss

    def outputs(self, questions: Sequence[str], passages: Sequence[str]) -> Any:
        """``(n,)`` float32 tensor of raw scores, one a pair, in order; read in batches of like lengths."""
        return self._read(list(zip(questions, passages, strict=True)), [None] * len(questions))[0]

    def _read(self, pairs: Sequence[tuple[str, str]], answers: Sequence[str | None]) -> tuple[Any, Any]:
        """``(n,)`` float32 tensors, in order: raw scores of the pairs, and the losses of marking their answers.

        ``answers``: ``None`` where no mark is to be learnt, whose loss is 0; "" where the passage does not answer.
        """
        import torch

        read = self._tokenizer(
            [question for question, _ in pairs],
            [passage for _, passage in pairs],
            truncation="longest_first",
            max_length=self._max_tokens,
            return_offsets_mapping=True,
        )
        offsets = read.pop("offset_mapping")
        order: list[int] = []
        pooled: list[Any] = []
        losses: list[Any] = []
        # One context for all batches, or the weights would be made half as wide anew for each.
        with computing(self._half):
            for batch, padded in self._alike(read):
                states = self.module.bert(**padded.to(self._device))
                order += batch
                pooled.append(states.pooler_output)
                if all(answers[at] is None for at in batch):
                    losses.append(torch.zeros(len(batch), device=self._device))
                    continue
                places = [
                    _places(pairs[at][1], answers[at], offsets[at], read.sequence_ids(at), padded["input_ids"].shape[1])
                    for at in batch
                ]
                right, allowed = (
                    torch.from_numpy(np.stack(side)).to(self._device) for side in zip(*places, strict=True)
                )
                losses.append(_marking(self.module.qa_outputs(states.last_hidden_state.float()), right, allowed))
        back = torch.tensor(sorted(range(len(order)), key=order.__getitem__), device=self._device)
        # The heads in float32: a bfloat16 has too few digits to tell passages, or words, apart.
        return self.module.classifier(torch.cat(pooled).float()[back])[:, 0], torch.cat(losses)[back]

    def _alike(self, read: Any) -> Iterator[tuple[list[int], Any]]:
        """What the tokenizer read, in batches of like lengths: their places, and the tensors padded to the longest."""
        order = sorted(range(len(read["input_ids"])), key=lambda at: len(read["input_ids"][at]))
        for begin in range(0, len(order), _AT_ONCE):
            batch = order[begin : begin + _AT_ONCE]
            some = {name: [values[at] for at in batch] for name, values in read.items()}
            yield batch, self._tokenizer.pad(some, return_tensors="pt")

    def quality(self, lists: Sequence[ListwiseExample]) -> float:
        """How good it is on lists that it did not learn from: the higher the better, at most 1; nan for no lists.

        The mean over lists of one over the rank of the passage that answers, ties counting against it, and of the F1 of
        the best mark, as SQuAD 2.0 has it: 1 for silence where nothing answers, 0 for it where something does. Silent
        is what finds no mark likelier than none. A list counts by what it can tell, by both, as their mean.
        """
        reader = AnswerReader(self.module, self._tokenizer)
        found = []
        for listed in lists:
            told = []
            if len(listed.passages) > 1:
                scores = self.scores([listed.question] * len(listed.passages), listed.passages)
                told.append(1 / int(np.count_nonzero(scores >= scores[0])))
            if listed.marked:
                told.append(token_f1(_said(reader, listed), listed.answer or ""))
            found.append(float(np.mean(told)))
        return float(np.mean(found)) if found else float("nan")

    def scores(self, questions: Sequence[str], passages: Sequence[str]) -> Vectors:
        """``outputs`` as an array, without learning; brought back from wherever the weights are."""
        import torch

        with torch.inference_mode():
            return np.asarray(self.outputs(questions, passages).cpu().numpy(), dtype=np.float32)


def _said(reader: AnswerReader, listed: ListwiseExample) -> str:
    """The best mark of the passages, "" where none is likelier than that there is no answer."""
    read = zip(listed.passages, reader.read(listed.question, listed.passages), strict=True)
    spans = [(span.score, passage[span.start : span.end]) for passage, one in read if (span := one.best())]
    score, said = max(spans, default=(0.0, ""))
    return said if score > 0 else ""


def _marking(logits: Any, right: Any, allowed: Any) -> Any:
    """``(n,)`` losses of ``(n, tokens, 2)`` logits: half that of where the answer begins, half that of where it ends.

    ``right``: ``(n, tokens, 2)`` booleans, where it may; ``allowed``: ``(n, tokens)``, what is passage, and the first
    token, which stands for no answer.
    """
    import torch

    logits = logits.masked_fill(~allowed[:, :, None], -1e4)
    return (torch.logsumexp(logits, 1) - torch.logsumexp(logits.masked_fill(~right, -1e4), 1)).mean(1)


def _places(
    passage: str,
    answer: str | None,
    offsets: Sequence[tuple[int, int]],
    parts: Sequence[int | None],
    length: int,
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """``(length, 2)``: the tokens where an answer begins, and ends; ``(length,)``: those where one could.

    All are right where there is nothing to be learnt: no mark is asked for, or the answer was cut off.
    """
    right, allowed = np.zeros((length, 2), dtype=np.bool_), np.zeros(length, dtype=np.bool_)
    inside = [part == 1 for part in parts]
    allowed[: len(inside)] = inside
    allowed[0] = True
    if answer:
        starts = {start: place for place, (start, _) in enumerate(offsets) if inside[place]}
        lasts = {end: place for place, (_, end) in enumerate(offsets) if inside[place]}
        for start in occurrences(answer, passage):
            if start in starts and start + len(answer) in lasts:
                right[starts[start], 0] = right[lasts[start + len(answer)], 1] = True
    elif answer is not None:
        right[0] = True
    if not right.any():
        right[:] = True
    return right, allowed


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
