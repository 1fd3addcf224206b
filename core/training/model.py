"""The re-ranker while it learns: the packaged encoder's layers and a head, over word vectors that stay as they are."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from core.embedding.layer_file import TABLE
from core.embedding.precision import computing, wants_bfloat16
from core.embedding.reranker_file import untrained
from core.training.lists import Listed
from core.types import Vectors

_AT_ONCE = 16  # pairs of like lengths in one forward pass
_LISTS_AT_ONCE = 4  # whose gradients are found together


def fastest() -> str:
    """What torch learns fastest on: a graphics processor where it sees one, else the processor."""
    import torch

    return "cuda" if torch.cuda.is_available() else "cpu"


def alike(read: Any, tokenizer: Any) -> Iterator[tuple[list[int], Any]]:
    """What the tokenizer read, in batches of like lengths: their places, and the tensors padded to the longest."""
    order = sorted(range(len(read["input_ids"])), key=lambda at: len(read["input_ids"][at]))
    for begin in range(0, len(order), _AT_ONCE):
        batch = order[begin : begin + _AT_ONCE]
        yield (
            batch,
            tokenizer.pad({name: [values[at] for at in batch] for name, values in read.items()}, return_tensors="pt"),
        )


class LearningModel(ABC):
    """Weights that learn, on the processor until they are moved, with their tokenizer.

    ``max_tokens``: of question and passage together.
    """

    def __init__(self, module: Any, tokenizer: Any, max_tokens: int) -> None:
        self.module, self._tokenizer, self._max_tokens = module, tokenizer, max_tokens
        self.to("cpu")

    def to(self, device: str) -> None:
        """Move the weights; what is read follows them. Optimizers made before keep the parameters."""
        self._device = device
        self._half = wants_bfloat16("auto", device)
        self.module.to(device)

    @abstractmethod
    def learns(self, name: str) -> bool:
        """Whether the parameter of this name learns."""

    def learnable(self) -> list[Any]:
        """The parameters that learn; from then on the others have no gradient."""
        for name, parameter in self.module.named_parameters():
            parameter.requires_grad = self.learns(name)
        return [parameter for parameter in self.module.parameters() if parameter.requires_grad]

    @abstractmethod
    def learn(self, lists: Sequence[Listed]) -> float:
        """Add the gradient of the mean loss; the loss."""

    @abstractmethod
    def quality(self, lists: Sequence[Listed]) -> float:
        """How good it is on lists that it did not learn from: the higher the better, nan for no lists."""


class PairModel(LearningModel):
    """A sequence classifier with one output over question and passage, on the processor until it is moved.

    ``max_tokens``: of both together; of what is longer the longer of the two loses its end, as when it is used.
    ``seed``: of the head's first weights, which are the same wherever it learns.
    """

    def __init__(self, max_tokens: int, seed: int) -> None:
        super().__init__(*untrained(seed), max_tokens)

    def learns(self, name: str) -> bool:
        """All but the embedding table, which is the packaged model's."""
        return not name.startswith(TABLE)

    def outputs(self, questions: Sequence[str], passages: Sequence[str]) -> Any:
        """``(n,)`` float32 tensor of raw scores, one a pair, in order; read in batches of like lengths."""
        import torch

        read = self._tokenizer(
            list(questions), list(passages), truncation=True, max_length=self._max_tokens, padding=False
        )
        order: list[int] = []
        pooled: list[Any] = []
        # One context for all batches, or the weights would be made half as wide anew for each.
        with computing(self._half):
            for batch, padded in alike(read, self._tokenizer):
                order += batch
                pooled.append(self.module.bert(**padded.to(self._device)).pooler_output)
        back = torch.tensor(sorted(range(len(order)), key=order.__getitem__), device=self._device)
        # The head in float32: a bfloat16 has too few digits to tell passages apart.
        return self.module.classifier(torch.cat(pooled).float()[back])[:, 0]

    def learn(self, lists: Sequence[Listed]) -> float:
        """Add the gradient of the mean loss of the lists, a few like in length at a time; the loss.

        All lists at once would keep every layer's states of all their passages: 4 GB for 64 of them.
        """
        import torch

        total = 0.0
        in_order = sorted(lists, key=lambda listed: sum(map(len, listed.passages)))
        for begin in range(0, len(in_order), _LISTS_AT_ONCE):
            some = in_order[begin : begin + _LISTS_AT_ONCE]
            questions = [listed.question for listed in some for _ in listed.passages]
            outputs = self.outputs(questions, [passage for listed in some for passage in listed.passages])
            parts = torch.split(outputs, [len(listed.passages) for listed in some])
            loss = torch.stack([torch.logsumexp(part, 0) - part[0] for part in parts]).sum() / len(lists)
            loss.backward()  # type: ignore[no-untyped-call]
            total += float(loss.detach())
        return total

    def quality(self, lists: Sequence[Listed]) -> float:
        """The mean over lists of one over the rank of the passage that answers; ties count against it. nan for none."""
        found = []
        for listed in lists:
            scores = self.scores([listed.question] * len(listed.passages), listed.passages)
            found.append(1 / int(np.count_nonzero(scores >= scores[0])))
        return float(np.mean(found)) if found else float("nan")

    def scores(self, questions: Sequence[str], passages: Sequence[str]) -> Vectors:
        """``outputs`` as an array, without learning; brought back from wherever the weights are."""
        import torch

        with torch.inference_mode():
            return np.asarray(self.outputs(questions, passages).cpu().numpy(), dtype=np.float32)
