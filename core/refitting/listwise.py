"""Listwise training of the re-ranker: the packaged encoder's layers and its head, with frozen word embeddings.

The loss is the cross-entropy of a softmax over a list (ListNet with one relevant passage: Cao et al., "Learning to
rank: from pairwise approach to listwise approach", ICML 2007). The learning rate has a warm-up, a constant part and a
linear decay to 0.
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

_PAIR_BATCH = 16  # pairs of similar length in one forward pass
_LIST_BATCH = 4  # lists in one backward pass
_CHECKPOINT_EVERY = 25  # steps


@dataclass(frozen=True, slots=True)
class Plan:
    """The training plan: each of ``steps`` steps has ``questions`` lists of ``passages`` passages.

    ``rate``: the highest learning rate. ``warm_up``, ``decay``: shares of the steps in which it rises and falls.
    ``max_tokens``: of question and passage together. ``seed``: of all random choices.
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
    """A question and its passages: first the one that answers it, then those that do not."""

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
    """The random generator of one step, equal on every machine and after a resume."""
    return random.Random(f"{seed}:{step}")  # noqa: S311


class LearningModel:
    """A trainable re-ranker with its tokenizer, on a GPU where torch sees one."""

    def __init__(self, max_tokens: int, begin_from: Path) -> None:
        """``begin_from``: the file of a re-ranker. Raises ``ModelError`` for any other file."""
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
        """Accumulate the gradient of the lists' mean loss, and return that loss.

        The backward pass takes a few lists of similar length at a time: the activations of 64 lists would need 4 GB.
        """
        total = 0.0
        by_length = sorted(lists, key=lambda example: sum(map(len, example.passages)))
        for start in range(0, len(by_length), _LIST_BATCH):
            loss = self._loss(by_length[start : start + _LIST_BATCH]) / len(lists)
            loss.backward()
            total += float(loss.detach())
        return total

    def _loss(self, lists: Sequence[ListwiseExample]) -> Any:
        import torch

        pairs = [(example.question, passage) for example in lists for passage in example.passages]
        outputs = self._outputs(pairs)
        parts = torch.split(outputs, [len(example.passages) for example in lists])
        return torch.stack([torch.logsumexp(part, 0) - part[0] for part in parts]).sum()

    def _outputs(self, pairs: Sequence[tuple[str, str]]) -> Any:
        """``(n,)`` float32 tensor: the logit of each pair, computed in batches of similar length."""
        import torch

        tokens = self._tokenizer(
            [question for question, _ in pairs],
            [passage for _, passage in pairs],
            truncation="longest_first",
            max_length=self._max_tokens,
        )
        order: list[int] = []
        pooled: list[Any] = []
        # One autocast context for all batches, so that the weights are cast only once.
        with computing(self._half):
            for batch, padded in self._batches(tokens):
                order += batch
                pooled.append(self.module.bert(**padded.to(self._device)).pooler_output)
        original_order = torch.tensor(np.argsort(order), device=self._device)
        # The head in float32: the precision of bfloat16 would tie the scores of different passages.
        return self.module.classifier(torch.cat(pooled).float()[original_order])[:, 0]

    def _batches(self, tokens: Any) -> Iterator[tuple[list[int], Any]]:
        """Tokenized pairs in batches of similar length: their indices, and their tensors padded to the longest."""
        order = sorted(range(len(tokens["input_ids"])), key=lambda index: len(tokens["input_ids"][index]))
        for start in range(0, len(order), _PAIR_BATCH):
            batch = order[start : start + _PAIR_BATCH]
            rows = {name: [values[index] for index in batch] for name, values in tokens.items()}
            yield batch, self._tokenizer.pad(rows, return_tensors="pt")

    def scores(self, questions: Sequence[str], passages: Sequence[str]) -> Vectors:
        """``(n,)`` float32: the logit of each pair, without gradients."""
        import torch

        with torch.inference_mode():
            outputs = self._outputs(list(zip(questions, passages, strict=True)))
        return np.asarray(outputs.cpu().numpy(), dtype=np.float32)


def train(
    plan: Plan, lists_of: Callable[[int], Sequence[ListwiseExample]], checkpoint: Path, begin_from: Path
) -> LearningModel:
    """Train the re-ranker of file ``begin_from`` by ``plan``; returns it on the CPU, in evaluation mode.

    ``lists_of(step)`` must be deterministic; it may raise to stop. Training resumes from ``checkpoint`` where it
    exists. On the CPU the same plan and lists give bitwise equal weights. Raises ``ModelError`` when the checkpoint is
    of another plan, or ``begin_from`` is not the file of a re-ranker.
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
        if (step + 1) % _CHECKPOINT_EVERY == 0 or step + 1 == plan.steps:
            state = {"model": model.module.state_dict(), "optimizer": optimizer.state_dict()}
            with written_whole(checkpoint) as unfinished:
                torch.save({"plan": asdict(plan), "done": step + 1, **state}, unfinished)
    model.module.eval().to("cpu")
    return model


def _resume(path: Path, plan: Plan, model: LearningModel, optimizer: Any) -> int:
    """Load the checkpoint into model and optimizer; returns the number of steps done, 0 without a checkpoint."""
    import torch

    if not path.exists():
        return 0
    state = torch.load(path, map_location="cpu", weights_only=True)
    different = [name for name, value in asdict(plan).items() if state["plan"].get(name) != value]
    if different:
        raise ModelError(
            f"{path} was written by another plan of training: of other {', '.join(different).replace('_', ' ')}.",
            "Give another folder, or remove the file.",
        )
    model.module.load_state_dict(state["model"])
    optimizer.load_state_dict(state["optimizer"])
    return int(state["done"])
