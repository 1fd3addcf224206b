"""Training itself: steps over lists, resumable, watched on pairs kept out of it.

The learning rate rises, stays, and falls to nothing in the last part (warm-up, stable, decay), so that a run can be
made longer from any of its checkpoints.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from core.atomic_files import written_whole
from core.embedding.reranker_file import lay_over
from core.errors import ModelError, SettingsError
from core.training.model import LearningModel, ListwiseExample, fastest

_LEAST = {"steps": 1, "questions": 1, "passages": 2, "max_tokens": 16, "watched_every": 1, "patience": 0, "seed": 0}
_MOST = {"max_tokens": 512, "seed": 2**32 - 1}  # BERT has so many places; generators of random numbers take so much


@dataclass(frozen=True, slots=True)
class Plan:
    """``steps`` of ``questions`` lists of ``passages`` pieces. ``warm_up``, ``decay``: shares of the
    steps in which the rate rises and falls.

    ``watched_every``: steps between looks at the held-out lists; ``patience``: looks without a better one after which
    training stops, 0 is off. What the best look saw is what is made. Raises ``SettingsError`` for a value with which
    nothing can be learnt.
    """

    steps: int = 800
    questions: int = 12
    passages: int = 5
    rate: float = 8e-5
    warm_up: float = 0.03
    decay: float = 0.25
    weight_decay: float = 0.01
    max_tokens: int = 256
    watched_every: int = 200
    patience: int = 0
    seed: int = 0

    def __post_init__(self) -> None:
        for name, least in _LEAST.items():
            value, most = getattr(self, name), _MOST.get(name)
            if value < least or (most is not None and value > most):
                until = f" to {most}" if most else " on"
                raise SettingsError(
                    f"{name.replace('_', '-')} is {value}.", f"Give a whole number from {least}{until}."
                )
        if not 0 < self.rate <= 1:
            raise SettingsError(f"rate is {self.rate}.", "Give a number above 0 and at most 1, such as 8e-5.")


@dataclass(frozen=True, slots=True)
class TrainingProgress:
    """Where training stands: ``loss`` is the mean since the last look, ``quality`` that of the held-out lists."""

    step: int
    loss: float
    quality: float


@dataclass(frozen=True, slots=True)
class _Kept:
    """Steps done, the best look so far, and looks since without a better one."""

    done: int = 0
    best: float = 0.0
    looks: int = 0


def rate_at(step: int, plan: Plan) -> float:
    """The learning rate of a step, counted from 0.

    >>> plan = Plan(steps=100, warm_up=0.1, decay=0.2, rate=1.0)
    >>> [round(rate_at(step, plan), 2) for step in (0, 9, 50, 80, 90, 99)]
    [0.1, 1.0, 1.0, 1.0, 0.5, 0.05]
    """
    rising, falling = (max(1, round(plan.steps * share)) for share in (plan.warm_up, plan.decay))
    return plan.rate * min(1.0, (step + 1) / rising, (plan.steps - step) / falling)


def train(
    plan: Plan,
    lists_of: Callable[[int], Sequence[ListwiseExample]],
    held_out: Sequence[ListwiseExample],
    checkpoint: Path,
    watch: Callable[[TrainingProgress], None] | None = None,
    keep_every: int = 25,
    begin_from: Path | None = None,
    learnt_from: str = "",
) -> LearningModel:
    """A re-ranker of the packaged encoder with new heads, as the best look saw it; on the processor.

    Without held-out lists it is as the last step left it. It learns on a graphics processor where torch sees one. On
    the processor the same plan and lists give the same weights, bit by bit; a checkpoint of either is gone on from on
    the other.

    ``lists_of(step)`` must give the same lists for the same step. What ``checkpoint`` holds of the same plan is gone on
    from; it is written every ``keep_every`` steps, and beside it the best so far. ``watch`` may raise to stop.
    ``begin_from``: a re-ranker's file, to teach that further. ``learnt_from``: names what
    ``lists_of`` draws from, where others may come to the same checkpoint. Raises ``ModelError`` when the checkpoint is
    of another run, and when ``begin_from`` is no such file.
    """
    import torch

    model = LearningModel(plan.max_tokens, plan.seed)
    if begin_from is not None:
        lay_over(model.module, begin_from)
    identity = _identity(plan, learnt_from, begin_from)
    model.to(fastest())
    learnable = model.learnable()
    optimizer = torch.optim.AdamW(learnable, lr=plan.rate, weight_decay=plan.weight_decay)
    kept = _resume(checkpoint, identity, model, optimizer)
    losses: list[float] = []
    model.module.train()
    for step in range(kept.done, plan.steps):
        if plan.patience and kept.looks >= plan.patience:
            break
        for group in optimizer.param_groups:
            group["lr"] = rate_at(step, plan)
        lists = lists_of(step)
        optimizer.zero_grad(set_to_none=True)
        losses.append(model.learn(lists))
        torch.nn.utils.clip_grad_norm_(learnable, 1.0)
        optimizer.step()
        done = step + 1
        if held_out and (done % plan.watched_every == 0 or done == plan.steps):
            model.module.eval()
            seen = TrainingProgress(done, float(np.mean(losses)), model.quality(held_out))
            model.module.train()
            losses.clear()
            better = seen.quality > kept.best
            kept = replace(kept, best=max(kept.best, seen.quality), looks=0 if better else kept.looks + 1)
            if better:
                _save(model.module.state_dict(), _best(checkpoint))
            if watch:
                watch(seen)
        kept = replace(kept, done=done)
        if done % keep_every == 0 or done == plan.steps:
            state = {"model": model.module.state_dict(), "optimizer": optimizer.state_dict()}
            _save({"plan": identity, "kept": asdict(kept), **state}, checkpoint)
    if _best(checkpoint).exists():
        model.module.load_state_dict(torch.load(_best(checkpoint), map_location="cpu", weights_only=True))
    model.module.eval()
    model.to("cpu")
    return model


def draw(seed: int, step: int) -> random.Random:
    """The random numbers of one step, the same on every machine and after every stop."""
    return random.Random(f"{seed}:{step}")  # noqa: S311


def _identity(plan: Plan, learnt_from: str, begin_from: Path | None) -> dict[str, Any]:
    """What must be the same for a run to go on."""
    planned = {
        name: value for name, value in asdict(plan).items() if name not in {"steps", "watched_every", "patience"}
    }
    begun = hashlib.sha256(begin_from.read_bytes()).hexdigest() if begin_from else ""
    return planned | {"pairs": learnt_from, "weights to begin from": begun, "heads": 2}


def _best(checkpoint: Path) -> Path:
    return checkpoint.with_name(f"best-{checkpoint.name}")


def _save(state: Any, path: Path) -> None:
    import torch

    with written_whole(path) as unfinished:
        torch.save(state, unfinished)


def _resume(path: Path, identity: dict[str, Any], model: LearningModel, optimizer: Any) -> _Kept:
    import torch

    if not path.exists():
        _best(path).unlink(missing_ok=True)  # of a run whose checkpoint was taken away
        return _Kept()
    state = torch.load(path, map_location="cpu", weights_only=True)
    others = [name for name, value in identity.items() if state["plan"].get(name) != value]
    if others:
        raise ModelError(
            f"{path} was written by another plan of training: of other {', '.join(others).replace('_', ' ')}.",
            "Give another folder, or remove the file.",
        )
    model.module.load_state_dict(state["model"])
    optimizer.load_state_dict(state["optimizer"])
    return _Kept(**state["kept"])
