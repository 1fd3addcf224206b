"""The re-ranker while it learns from lists: the packaged encoder's layers under its head; word vectors do not learn.

The loss is the cross-entropy of a softmax over a list (ListNet with one relevant passage: Cao et al., "Learning to
rank: from pairwise approach to listwise approach", ICML 2007). The learning rate rises, stays, and falls to nothing in
the last part (warm-up, stable, decay).
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from core.atomic_files import written_whole
from core.embedding.layer_file import TABLE
from core.embedding.precision import computing, wants_bfloat16
from core.embedding.reranker_file import load_into, untrained
from core.errors import ModelError
from core.types import Vectors

_AT_ONCE = 16  # pairs of like lengths in one forward pass
_LISTS_AT_ONCE = 4  # whose gradients are found together
_KEPT_EVERY = 25  # steps between checkpoints


@dataclass(frozen=True, slots=True)
class Plan:
    """``steps`` of ``questions`` lists of ``passages`` pieces. ``warm_up``, ``decay``: shares of the steps in which the
    rate rises and falls. ``max_tokens``: of question and passage together; ``seed``: of all that is drawn.
    """

    steps: int
    questions: int = 8
    passages: int = 8
    rate: float = 2e-5
    warm_up: float = 0.1
    decay: float = 0.5
    weight_decay: float = 0.01
    max_tokens: int = 256
    seed: int = 0


@dataclass(frozen=True, slots=True)
class ListwiseExample:
    """``passages``: the one that answers ``question`` first, then those that do not."""

    question: str
    passages: tuple[str, ...]


def rate_at(step: int, plan: Plan) -> float:
    """The learning rate of a step, counted from 0.

    >>> plan = Plan(steps=100, warm_up=0.1, decay=0.2, rate=1.0)
    >>> [round(rate_at(step, plan), 2) for step in (0, 9, 50, 80, 90, 99)]
    [0.1, 1.0, 1.0, 1.0, 0.5, 0.05]
    """
    rising, falling = (max(1, round(plan.steps * share)) for share in (plan.warm_up, plan.decay))
    return plan.rate * min(1.0, (step + 1) / rising, (plan.steps - step) / falling)


def draw(seed: int, step: int) -> random.Random:
    """The random numbers of one step, the same on every machine and after every stop."""
    return random.Random(f"{seed}:{step}")  # noqa: S311


class LearningModel:
    """A re-ranker's weights that learn, with their tokenizer; on a graphics processor where torch sees one."""

    def __init__(self, max_tokens: int, begin_from: Path) -> None:
        """``begin_from``: a re-ranker's file. Raises ``ModelError`` where it is no such file."""
        import torch

        self.module, self._tokenizer = untrained(seed=0)
        load_into(self.module, begin_from)
        self._max_tokens = max_tokens
        self._device = "cuda" if torch.cuda.is_available() else "cpu"
        self._half = wants_bfloat16("auto", self._device)
        self.module.to(self._device)
        for name, parameter in self.module.named_parameters():
            parameter.requires_grad = not name.startswith(TABLE)
        self.learnable = [parameter for parameter in self.module.parameters() if parameter.requires_grad]

    def learn(self, lists: Sequence[ListwiseExample]) -> float:
        """Add the gradient of the mean loss of the lists, a few like in length at a time; the loss.

        All lists at once would keep every layer's states of all their passages: 4 GB for 64 of them.
        """
        total = 0.0
        in_order = sorted(lists, key=lambda listed: sum(map(len, listed.passages)))
        for begin in range(0, len(in_order), _LISTS_AT_ONCE):
            loss = self._loss(in_order[begin : begin + _LISTS_AT_ONCE]) / len(lists)
            loss.backward()
            total += float(loss.detach())
        return total

    def _loss(self, lists: Sequence[ListwiseExample]) -> Any:
        import torch

        pairs = [(listed.question, passage) for listed in lists for passage in listed.passages]
        outputs = self._outputs(pairs)
        parts = torch.split(outputs, [len(listed.passages) for listed in lists])
        return torch.stack([torch.logsumexp(part, 0) - part[0] for part in parts]).sum()

    def _outputs(self, pairs: Sequence[tuple[str, str]]) -> Any:
        """``(n,)`` float32 tensor of raw scores, one a pair, in order; read in batches of like lengths."""
        import torch

        read = self._tokenizer(
            [question for question, _ in pairs],
            [passage for _, passage in pairs],
            truncation="longest_first",
            max_length=self._max_tokens,
        )
        order: list[int] = []
        pooled: list[Any] = []
        # One context for all batches, or the weights would be made half as wide anew for each.
        with computing(self._half):
            for batch, padded in self._alike(read):
                order += batch
                pooled.append(self.module.bert(**padded.to(self._device)).pooler_output)
        back = torch.tensor(np.argsort(order), device=self._device)
        # The head in float32: a bfloat16 has too few digits to tell passages apart.
        return self.module.classifier(torch.cat(pooled).float()[back])[:, 0]

    def _alike(self, read: Any) -> Iterator[tuple[list[int], Any]]:
        """What the tokenizer read, in batches of like lengths: their places, and the tensors padded to the longest."""
        order = sorted(range(len(read["input_ids"])), key=lambda at: len(read["input_ids"][at]))
        for begin in range(0, len(order), _AT_ONCE):
            batch = order[begin : begin + _AT_ONCE]
            some = {name: [values[at] for at in batch] for name, values in read.items()}
            yield batch, self._tokenizer.pad(some, return_tensors="pt")

    def scores(self, questions: Sequence[str], passages: Sequence[str]) -> Vectors:
        """``(n,)`` raw scores, one a pair, in order, without learning."""
        import torch

        with torch.inference_mode():
            outputs = self._outputs(list(zip(questions, passages, strict=True)))
        return np.asarray(outputs.cpu().numpy(), dtype=np.float32)


def train(
    plan: Plan, lists_of: Callable[[int], Sequence[ListwiseExample]], checkpoint: Path, begin_from: Path
) -> LearningModel:
    """The re-ranker of ``begin_from`` as the last step left it, on the processor.

    ``lists_of(step)`` must give the same lists for the same step; it may raise to stop. What ``checkpoint`` holds of
    the same plan is gone on from. On the processor the same plan and lists give the same weights, bit by bit. Raises
    ``ModelError`` when the checkpoint is of another plan, and when ``begin_from`` is no re-ranker's file.
    """
    import torch

    model = LearningModel(plan.max_tokens, begin_from)
    optimizer = torch.optim.AdamW(model.learnable, lr=plan.rate, weight_decay=plan.weight_decay)
    done = _resume(checkpoint, plan, model, optimizer)
    model.module.train()
    for step in range(done, plan.steps):
        for group in optimizer.param_groups:
            group["lr"] = rate_at(step, plan)
        lists = lists_of(step)
        optimizer.zero_grad(set_to_none=True)
        model.learn(lists)
        torch.nn.utils.clip_grad_norm_(model.learnable, 1.0)
        optimizer.step()
        if (step + 1) % _KEPT_EVERY == 0 or step + 1 == plan.steps:
            state = {"model": model.module.state_dict(), "optimizer": optimizer.state_dict()}
            with written_whole(checkpoint) as unfinished:
                torch.save({"plan": asdict(plan), "done": step + 1, **state}, unfinished)
    model.module.eval().to("cpu")
    return model


def _resume(path: Path, plan: Plan, model: LearningModel, optimizer: Any) -> int:
    """How many steps the checkpoint has done; its weights are laid over the model's."""
    import torch

    if not path.exists():
        return 0
    state = torch.load(path, map_location="cpu", weights_only=True)
    others = [name for name, value in asdict(plan).items() if state["plan"].get(name) != value]
    if others:
        raise ModelError(
            f"{path} was written by another plan of training: of other {', '.join(others).replace('_', ' ')}.",
            "Give another folder, or remove the file.",
        )
    model.module.load_state_dict(state["model"])
    optimizer.load_state_dict(state["optimizer"])
    return int(state["done"])
