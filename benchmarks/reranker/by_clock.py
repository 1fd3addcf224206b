"""Train on packed lists by the clock, on the fastest device there is: one command, which ends in time.

    python -m benchmarks.reranker.by_clock LISTS.xz --words TABLE.npz --minutes 8 --out DIR [--begin-from FILE]

It needs NumPy, safetensors, torch and transformers alone, not the package with the model: the word vectors come as a
file. The rate rises, and falls with the time that is left. Written are the last weights, their running mean and, of
weights that were begun from, the mean of these and that.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import torch

from benchmarks.reranker.lists import Lists, drawn, loss_of, pairs_of
from benchmarks.reranker.packed import Packed
from core.embedding import layer_file
from core.embedding.answer_reader import LONGEST

MEAN = 0.999  # of the running mean of the weights, a step


def model_of(words: Path, begin_from: Path | None, dropout: float) -> Any:
    """The packaged encoder's shape with both heads. ``words``: its embedding table; the layers come from a file."""
    from transformers import BertConfig, BertForSequenceClassification  # takes ten seconds

    config = BertConfig(
        hidden_size=384,
        num_hidden_layers=6,
        intermediate_size=1536,
        num_labels=1,
        hidden_dropout_prob=dropout,
        attention_probs_dropout_prob=0.0,
    )
    module = BertForSequenceClassification(config)
    module.qa_outputs = torch.nn.Linear(384, 2)
    torch.nn.init.normal_(module.qa_outputs.weight, std=0.02)
    places = module.state_dict()
    given = layer_file.from_bytes(dict(np.load(words)))
    if begin_from:
        given |= layer_file.parsed(begin_from.read_bytes())
    with torch.no_grad():
        for name, value in given.items():
            places[name].copy_(torch.from_numpy(value))
    for name, parameter in module.named_parameters():
        parameter.requires_grad = not name.startswith(layer_file.TABLE)
    return module


@torch.inference_mode()
def looked(lists: Lists, module: Any, rows: Any, sources: Any, most: int) -> dict[str, float]:
    """Of held-out lists: the mean reciprocal rank by source, and of marks how often the best one is right, how often
    silence is, and the area under the curve that parts what answers from what does not.
    """
    module.eval()
    ranks: dict[int, list[float]] = {}
    right, best_of, has = [], [], []
    for part in torch.split(rows, 64):
        passages = lists.passages[part]
        there = passages >= 0
        row_of, column = there.nonzero(as_tuple=True)
        questions, pieces = lists.asked[part][row_of], passages[row_of, column]
        table = torch.full(passages.shape, -1e4, device=lists.device)
        margins = torch.zeros(len(pieces), device=lists.device)
        hit = torch.zeros(len(pieces), dtype=torch.bool, device=lists.device)
        spans = torch.full((len(pieces), lists.spans.shape[1], 2), -1, device=lists.device)
        spans[column == 0] = lists.spans[part]
        lengths = lists.lengths(questions, pieces, most, min(2, len(pieces)))
        for some, score, logits, asked_long, allowed, _ in lists.read(module, questions, pieces, most, lengths):
            table[row_of[some], column[some]] = score
            inside = allowed.clone()
            inside[:, 0] = False
            masked = logits.masked_fill(~inside[:, :, None], -1e4)
            sums = masked[:, :, None, 0] + masked[:, None, :, 1]
            sums = torch.triu(sums + 1e5) - torch.triu(sums + 1e5, LONGEST) - 1e5
            flat, where = sums.flatten(1).max(1)
            long = logits.shape[1]
            begin, end = where // long - asked_long - 2, where % long - asked_long - 2
            margins[some] = flat - logits[:, 0].sum(1)
            hit[some] = ((spans[some, :, 0] == begin[:, None]) & (spans[some, :, 1] == end[:, None])).any(1)
        rank = (table >= table[:, :1]).sum(1).tolist()
        for source, place, listed in zip(sources[part.cpu()].tolist(), rank, there.sum(1).tolist(), strict=True):
            if listed > 1:
                ranks.setdefault(source, []).append(1 / place)
        firsts = column == 0
        known = lists.marked[part]
        right += hit[firsts][known].tolist()
        best_of += margins[firsts][known].tolist()
        has += (lists.spans[part][known][:, 0, 0] >= 0).tolist()
    module.train()
    found = {f"rank {source}": float(np.mean(ones)) for source, ones in sorted(ranks.items())}
    margin, truth = np.array(best_of), np.array(has)
    order = margin.argsort().argsort() + 1
    area = (order[truth].sum() - truth.sum() * (truth.sum() + 1) / 2) / max(1, truth.sum() * (~truth).sum())
    return found | {
        "exact": float(np.mean(np.array(right)[truth])),
        "area": float(area),
        "silent": float((margin[~truth] <= 0).mean()) if (~truth).any() else float("nan"),
        "said": float((margin[truth] > 0).mean()),
    }


class Mean:
    """The running mean of what learns."""

    def __init__(self, module: Any) -> None:
        self.weights = {name: value.detach().clone() for name, value in module.state_dict().items()}
        self._learnt = {name: one for name, one in module.named_parameters() if one.requires_grad}
        self._steps = 0

    @torch.no_grad()
    def add(self) -> None:
        """Take the weights of one more step; of the first thousand all count alike."""
        self._steps += 1
        share = max(1 - MEAN, 1 / (self._steps + 1))
        means = [self.weights[name] for name in self._learnt]
        torch._foreach_lerp_(means, [one.detach() for one in self._learnt.values()], share)


class Step:
    """One step of learning. A graphics processor records it once and then repeats what it recorded, since to start
    each of its some thousand kernels anew takes longer than to run them.
    """

    def __init__(self, lists: Lists, module: Any, train: Any, given: argparse.Namespace) -> None:
        self._lists, self._module, self._given = lists, module, given
        learnable = [parameter for parameter in module.parameters() if parameter.requires_grad]
        kinds = [
            {"params": [one for one in learnable if one.ndim > 1], "weight_decay": 0.01},
            {"params": [one for one in learnable if one.ndim < 2], "weight_decay": 0.0},
        ]
        on_graphics = lists.device == "cuda"
        self._rate: Any = torch.tensor(0.0, device=lists.device) if on_graphics else 0.0
        self._optimizer = torch.optim.AdamW(kinds, lr=self._rate, fused=on_graphics, capturable=on_graphics)
        self._learnable = learnable
        self._rows = train[: given.questions].clone()
        self._graph: Any = None
        if on_graphics:
            self._record(train)

    def __call__(self, rows: Any, rate: float) -> Any:
        """The loss of the lists ``rows``, which has been learnt from at ``rate``; stays on the device."""
        if self._graph is None:
            for group in self._optimizer.param_groups:
                group["lr"] = rate
            self._rows = rows
            return self._run(())
        self._rate.fill_(rate)
        self._rows.copy_(rows)
        self._graph.replay()
        return self._loss

    def _run(self, lengths: Sequence[int]) -> Any:
        given, lists = self._given, self._lists
        passages = drawn(lists.passages[self._rows], given.passages)
        lengths = lengths or lists.lengths(*pairs_of(lists, self._rows, passages), given.max_tokens, given.chunks)
        self._optimizer.zero_grad(set_to_none=True)
        loss = loss_of(lists, self._module, self._rows, passages, given.max_tokens, lengths)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self._learnable, 1.0)
        self._optimizer.step()
        return loss.detach()

    def _record(self, train: Any) -> None:
        """Record a step of rate 0 whose parts are as long as those of some drawn at random need."""
        given, lists = self._given, self._lists
        needed = []
        for _ in range(50):
            rows = train[torch.randint(len(train), (given.questions,), device=lists.device)]
            passages = drawn(lists.passages[rows], given.passages)
            needed.append(lists.lengths(*pairs_of(lists, rows, passages), given.max_tokens, given.chunks))
        lengths = np.max(needed, axis=0).tolist()
        beside: Any = torch.cuda.Stream()  # type: ignore[no-untyped-call]
        beside.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(beside):
            for _ in range(3):
                self._run(lengths)
        torch.cuda.current_stream().wait_stream(beside)
        self._optimizer.zero_grad(set_to_none=True)
        self._graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self._graph):
            self._loss = self._run(lengths)
        print(f"A step is recorded: parts of {lengths} tokens.", flush=True)


def learn(lists: Lists, module: Any, train: Any, given: argparse.Namespace, look: Callable[[str], None]) -> Mean:
    """Train on the lists numbered ``train`` until the time, or the steps, are over; the running mean.

    ``look(where)`` is called a few times on the way.
    """
    module.train()
    take = Step(lists, module, train, given)
    mean, order = Mean(module), train[torch.randperm(len(train), device=lists.device)]
    begun, step, at, looks = perf_counter(), 0, 0, 1
    total, part = torch.zeros((), device=lists.device), 0.0
    while part < 1:
        if at + given.questions > len(order):
            order, at = train[torch.randperm(len(train), device=lists.device)], 0
        rate = given.rate * min(1.0, 0.02 + part / 0.03) * max(0.02, 1 - part)
        total += take(order[at : at + given.questions], rate)
        mean.add()
        at += given.questions
        step += 1
        if step % 10 == 0:
            total.item()  # waits: the clock is to tell what was done, not what was asked for
        part = step / given.steps if given.steps else (perf_counter() - begun) / (given.minutes * 60)
        if part >= looks / given.looks:
            looks += 1
            read = step * given.questions / len(train)
            look(f"step {step}, {read:.2f} of the lists, loss {float(total) / step:.3f} so far")
    look(f"step {step}, the last weights")
    return mean


def halves(weights: Mapping[str, Any], begin_from: Path) -> dict[str, Any]:
    """The mean of these weights and those that were begun from, which often does better than either (Wortsman et al.,
    "Robust fine-tuning of zero-shot models", CVPR 2022).
    """
    before = layer_file.parsed(begin_from.read_bytes())
    return {name: (weights[name].float().cpu() + torch.from_numpy(value)) / 2 for name, value in before.items()}


def main(arguments: Sequence[str] | None = None) -> None:
    """Train until the time is over, and write what was learnt."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("lists", type=Path)
    options.add_argument("--words", type=Path, required=True)
    options.add_argument("--begin-from", type=Path)
    options.add_argument("--out", type=Path, required=True)
    options.add_argument("--minutes", type=float, default=8.0)
    options.add_argument("--steps", type=int, default=0, help="instead of minutes, 0: by the clock")
    options.add_argument("--questions", type=int, default=64)
    options.add_argument("--passages", type=int, default=8)
    options.add_argument("--chunks", type=int, default=8, help="of a step's pairs, alike in length, read together")
    options.add_argument("--rate", type=float, default=2e-4)
    options.add_argument("--dropout", type=float, default=0.1)
    options.add_argument("--max-tokens", type=int, default=256)
    options.add_argument("--looks", type=int, default=3)
    options.add_argument("--seed", type=int, default=0)
    given = options.parse_args(arguments)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.manual_seed(given.seed)
    packed = Packed.read(given.lists)
    lists = Lists(packed, device)
    module = model_of(given.words, given.begin_from, given.dropout).to(device)
    train, told = (torch.from_numpy(np.flatnonzero(part)).to(device) for part in (~packed.held_out, packed.held_out))
    begun = perf_counter()
    print(f"{device}: {len(train):,} lists to learn from, {len(told):,} to look at.", flush=True)

    def look(where: str) -> None:
        seen = looked(lists, module, told, packed.sources, given.max_tokens) if len(told) else {}
        rounded = json.dumps({name: round(value, 4) for name, value in seen.items()})
        print(f"{perf_counter() - begun:.0f} s, {where}: {rounded}", flush=True)

    look("as begun")
    mean = learn(lists, module, train, given, look)
    given.out.mkdir(parents=True, exist_ok=True)
    written = {"last": module.state_dict(), "mean": mean.weights}
    if given.begin_from:
        written["halves"] = halves(mean.weights, given.begin_from)
    for name, weights in written.items():
        kept = {key: value.float().cpu() for key, value in weights.items()}
        layer_file.write(kept, given.out / f"{name}.safetensors")
    module.load_state_dict(mean.weights)
    look("the running mean")


if __name__ == "__main__":
    main()
