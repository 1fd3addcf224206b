"""The re-ranker while it learns: the packaged encoder's layers and a head, over word vectors that stay as they are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from core.embedding.precision import computing, wants_bfloat16
from core.embedding.reranker_file import TABLE, untrained
from core.types import Vectors

_AT_ONCE = 16  # pairs of like lengths in one forward pass


def fastest() -> str:
    """What torch learns fastest on: a graphics processor where it sees one, else the processor."""
    import torch

    return "cuda" if torch.cuda.is_available() else "cpu"


class PairModel:
    """A sequence classifier with one output over question and passage, on the processor until it is moved.

    ``max_tokens``: of both together; of what is longer the longer of the two loses its end, as when it is used.
    ``seed``: of the head's first weights, which are the same wherever it learns.
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
        """The parameters that learn: all but the embedding table, which is the packaged model's."""
        for name, parameter in self.module.named_parameters():
            parameter.requires_grad = not name.startswith(TABLE)
        return [parameter for parameter in self.module.parameters() if parameter.requires_grad]

    def outputs(self, questions: Sequence[str], passages: Sequence[str]) -> Any:
        """``(n,)`` float32 tensor of raw scores, one a pair, in order; read in batches of like lengths."""
        import torch

        read = self._tokenizer(
            list(questions), list(passages), truncation=True, max_length=self._max_tokens, padding=False
        )
        lengths = [len(ids) for ids in read["input_ids"]]
        order = sorted(range(len(lengths)), key=lengths.__getitem__)
        pooled: list[Any] = []
        # One context for all batches, or the weights would be made half as wide anew for each.
        with computing(self._half):
            for begin in range(0, len(order), _AT_ONCE):
                batch = order[begin : begin + _AT_ONCE]
                padded = self._tokenizer.pad(
                    {name: [values[at] for at in batch] for name, values in read.items()}, return_tensors="pt"
                )
                pooled.append(self.module.bert(**padded.to(self._device)).pooler_output)
        back = torch.tensor(sorted(range(len(order)), key=order.__getitem__), device=self._device)
        # The head in float32: a bfloat16 has too few digits to tell passages apart.
        return self.module.classifier(torch.cat(pooled).float()[back])[:, 0]

    def scores(self, questions: Sequence[str], passages: Sequence[str]) -> Vectors:
        """``outputs`` as an array, without learning; brought back from wherever the weights are."""
        import torch

        with torch.inference_mode():
            return np.asarray(self.outputs(questions, passages).cpu().numpy(), dtype=np.float32)
