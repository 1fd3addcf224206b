"""Train on packed lists by the clock, on the fastest device there is: one command, which ends in time.

    python -m benchmarks.reranker.by_clock LISTS.xz --words TABLE.npz --minutes 8 --out DIR [--begin-from FILE]

It needs NumPy, safetensors, torch and transformers alone, not the package with the model: the word vectors come as a
file. The rate rises, and falls with the time that is left. Written are the last weights, their running mean and, of
weights that were begun from, the mean of these and that.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

import torch
from transformers import BertConfig, BertForSequenceClassification

from benchmarks.reranker.packed import Packed
from core.embedding import layer_file

CLS, SEP = 101, 102
BESIDE = 0.4  # weight of a passage that does not answer where one does: there are several of them in a list
MISSED = 0.5  # weight of the loss by which a passage is worth more to its question than to one it seems to answer
MEAN = 0.999  # of the running mean of the weights, a step


def words_of(path: Path) -> dict[str, Any]:
    """The embedding table, by the names of its weights; what has 8-bit integers has ``:scales`` beside it."""
    table = dict(np.load(path))
    return {
        name: value.astype(np.float32) * table.get(f"{name}:scales", np.float32(1))
        for name, value in table.items()
        if not name.endswith(":scales")
    }


def model_of(words: Path, begin_from: Path | None, dropout: float) -> Any:
    """The packaged encoder's shape with both heads. ``words``: its embedding table; the layers come from a file."""
    config = BertConfig(
        hidden_size=384,
        num_hidden_layers=6,
        intermediate_size=1536,
        num_labels=1,
        hidden_dropout_prob=dropout,
        attention_probs_dropout_prob=0.0,
    )
    config._attn_implementation = "sdpa"
    module = BertForSequenceClassification(config)
    module.qa_outputs = torch.nn.Linear(384, 2)
    torch.nn.init.normal_(module.qa_outputs.weight, std=0.02)
    places = module.state_dict()
    given = words_of(words)
    if begin_from:
        given |= layer_file.parsed(begin_from.read_bytes())
    with torch.no_grad():
        for name, value in given.items():
            places[name].copy_(torch.from_numpy(value))
    for name, parameter in module.named_parameters():
        parameter.requires_grad = not name.startswith(layer_file.TABLE)
    return module


class Lists:
    """Packed lists on a device; batches are put together there."""

    def __init__(self, packed: Packed, device: str) -> None:
        def there(values: Any, kind: Any = torch.int64) -> Any:
            return torch.from_numpy(np.ascontiguousarray(values).astype(np.int64)).to(device).to(kind)

        self.device = device
        self.tokens = there(np.concatenate([packed.pieces, packed.questions]))
        starts = np.concatenate([[0], packed.piece_ends[:-1]]), np.concatenate([[0], packed.question_ends[:-1]])
        self.piece_start, self.piece_long = there(starts[0]), there(np.diff(packed.piece_ends, prepend=0))
        self.question_start = there(starts[1] + packed.pieces.size)
        self.question_long = there(np.diff(packed.question_ends, prepend=0))
        self.asked, self.missed = there(packed.asked), there(packed.missed)
        self.passages, self.spans = there(packed.passages), there(packed.spans)
        self.marked = there(packed.marked, torch.bool)

    def read(self, module: Any, questions: Any, pieces: Any, most: int, chunks: int) -> Iterator[tuple[Any, ...]]:
        """Parts of the pairs ``(question, piece)``, alike in length: their places, scores, token logits ``(n, tokens,
        2)``, how many tokens the question took, and which tokens may be marked.
        """
        asked_long = self.question_long[questions].clamp(max=64)
        piece_long = torch.minimum(self.piece_long[pieces], most - 3 - asked_long)
        total = asked_long + piece_long + 3
        order = torch.argsort(total)
        for part in torch.tensor_split(order, min(chunks, len(order))):
            long = int(total[part].max())
            long = min(most, -(-long // 16) * 16)
            at = torch.arange(long, device=self.device)[None, :]
            a, p = asked_long[part][:, None], piece_long[part][:, None]
            of_question = (at >= 1) & (at <= a)
            of_piece = (at >= a + 2) & (at < a + 2 + p)
            from_question = self.question_start[questions[part]][:, None] + at - 1
            from_piece = self.piece_start[pieces[part]][:, None] + at - a - 2
            ids = torch.where(of_piece, self.tokens[from_piece.clamp(0, len(self.tokens) - 1)], 0)
            ids = torch.where(of_question, self.tokens[from_question.clamp(0, len(self.tokens) - 1)], ids)
            ids = torch.where(at == 0, CLS, ids)
            ids = torch.where((at == a + 1) | (at == a + 2 + p), SEP, ids)
            types = ((at >= a + 2) & (at < a + 3 + p)).long()
            with torch.autocast(self.device, dtype=torch.bfloat16, enabled=self.device == "cuda"):
                states = module.bert(input_ids=ids, token_type_ids=types, attention_mask=(at < a + p + 3).long())
            logits = module.qa_outputs(states.last_hidden_state.float())
            scores = module.classifier(states.pooler_output.float())[:, 0]
            allowed = of_piece | (at == 0)
            yield part, scores, logits, asked_long[part], allowed, p[:, 0]


def marking(logits: Any, spans: Any, asked_long: Any, allowed: Any, piece_long: Any) -> Any:
    """``(n,)`` losses. ``spans``: ``(n, places, 2)`` in the piece, -1 for none; a row of none: there is no answer.

    A row whose answers were all cut off teaches nothing.
    """
    logits = logits.masked_fill(~allowed[:, :, None], -1e4)
    kept = (spans[:, :, 1] >= 0) & (spans[:, :, 1] < piece_long[:, None])
    none = (spans[:, :, 1] < 0).all(1)
    at = torch.where(kept[:, :, None], spans + asked_long[:, None, None] + 2, 0)
    right = torch.zeros_like(logits, dtype=torch.bool)
    rows = torch.arange(len(logits), device=logits.device)[:, None]
    for side in (0, 1):
        right[rows, at[:, :, side], side] |= True
    right[:, 0, :] = none[:, None]
    lost = ~none & ~kept.any(1)
    right |= lost[:, None, None]
    return (torch.logsumexp(logits, 1) - torch.logsumexp(logits.masked_fill(~right, -1e4), 1)).mean(1)


def loss_of(lists: Lists, module: Any, rows: Any, passages: Any, most: int, chunks: int) -> Any:
    """The mean loss of lists ``rows``, of whose passages ``passages`` ``(n, k)`` are read, -1 for none."""
    many, wide = passages.shape
    missed = lists.missed[rows]
    there = passages >= 0
    row_of, column = there.nonzero(as_tuple=True)
    questions = torch.cat([lists.asked[rows][row_of], missed[missed >= 0]])
    pieces = torch.cat([passages[row_of, column], passages[missed >= 0, 0]])
    scores = torch.zeros(len(questions), device=lists.device)
    losses = torch.zeros(len(questions), device=lists.device)
    spans = torch.full((len(questions), lists.spans.shape[1], 2), -1, device=lists.device)
    first = (column == 0).nonzero(as_tuple=True)[0]
    spans[first] = lists.spans[rows]
    for part, score, logits, asked_long, allowed, piece_long in lists.read(module, questions, pieces, most, chunks):
        scores = scores.index_copy(0, part, score)
        losses = losses.index_copy(0, part, marking(logits, spans[part], asked_long, allowed, piece_long))
    read = len(row_of)
    table = torch.full((many, wide), -1e4, device=lists.device).index_put((row_of, column), scores[:read])
    several = there.sum(1) > 1
    order = (torch.logsumexp(table, 1) - table[:, 0])[several].sum()
    weight = torch.where(column == 0, 1.0, BESIDE) * lists.marked[rows][row_of]
    sums = torch.zeros(many, device=lists.device).index_add(0, row_of, weight)
    marks = (losses[:read] * weight / sums[row_of].clamp(min=1e-6)).sum()
    nearly = losses[read:].sum() + MISSED * torch.nn.functional.softplus(scores[read:] - table[missed >= 0, 0]).sum()
    return (order + marks + nearly) / many


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
        for some, score, logits, asked_long, allowed, _ in lists.read(module, questions, pieces, most, 2):
            table[row_of[some], column[some]] = score
            inside = allowed.clone()
            inside[:, 0] = False
            masked = logits.masked_fill(~inside[:, :, None], -1e4)
            sums = masked[:, :, None, 0] + masked[:, None, :, 1]
            sums = torch.triu(sums + 1e5) - torch.triu(sums + 1e5, 30) - 1e5
            flat, where = sums.flatten(1).max(1)
            long = logits.shape[1]
            begin, end = where // long - asked_long - 2, where % long - asked_long - 2
            margins[some] = flat - logits[:, 0].sum(1)
            hit[some] = ((spans[some, :, 0] == begin[:, None]) & (spans[some, :, 1] == end[:, None])).any(1)
        for row, listed in enumerate(part.tolist()):
            if there[row].sum() > 1:
                rank = int((table[row] >= table[row, 0]).sum())
                ranks.setdefault(int(sources[listed]), []).append(1 / rank)
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
        self._steps = 0

    @torch.no_grad()
    def add(self, module: Any) -> None:
        """Take the weights of one more step; of the first thousand all count alike."""
        self._steps += 1
        share = max(1 - MEAN, 1 / (self._steps + 1))
        for name, parameter in module.named_parameters():
            if parameter.requires_grad:
                self.weights[name].lerp_(parameter.detach(), share)


def learn(lists: Lists, module: Any, train: Any, given: argparse.Namespace, look: Callable[[str], None]) -> Mean:
    """Train on the lists numbered ``train`` until the time, or the steps, are over; the running mean.

    ``look(where)`` is called a few times on the way.
    """
    learnable = [parameter for parameter in module.parameters() if parameter.requires_grad]
    kinds = [
        {"params": [one for one in learnable if one.ndim > 1], "weight_decay": 0.01},
        {"params": [one for one in learnable if one.ndim < 2], "weight_decay": 0.0},
    ]
    optimizer = torch.optim.AdamW(kinds, lr=given.rate, fused=lists.device == "cuda")
    mean, order = Mean(module), train[torch.randperm(len(train), device=lists.device)]
    begun, step, at, looks, total = perf_counter(), 0, 0, 1, 0.0
    module.train()
    while (part := step / given.steps if given.steps else (perf_counter() - begun) / (given.minutes * 60)) < 1:
        for group in optimizer.param_groups:
            group["lr"] = given.rate * min(1.0, 0.02 + part / 0.03) * max(0.02, 1 - part)
        if at + given.questions > len(order):
            order, at = train[torch.randperm(len(train), device=lists.device)], 0
        rows = order[at : at + given.questions]
        at += given.questions
        most = given.max_tokens if step % 3 else min(192, given.max_tokens)  # the answer line reads 192
        loss = loss_of(lists, module, rows, drawn(lists.passages[rows], given.passages), most, given.chunks)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(learnable, 1.0)
        optimizer.step()
        mean.add(module)
        step += 1
        total += float(loss.detach()) if step % 20 == 0 else 0.0
        if part >= looks / given.looks:
            looks += 1
            read = step * given.questions / len(train)
            look(f"step {step}, {read:.2f} of the lists, loss {total / max(1, step // 20):.3f} so far")
    look(f"step {step}, the last weights")
    return mean


def halves(weights: Mapping[str, Any], begin_from: Path) -> dict[str, Any]:
    """The mean of these weights and those that were begun from, which often does better than either (Wortsman et al.,
    "Robust fine-tuning of zero-shot models", CVPR 2022).
    """
    before = layer_file.parsed(begin_from.read_bytes())
    return {name: (weights[name].float().cpu() + torch.from_numpy(value)) / 2 for name, value in before.items()}


def drawn(passages: Any, count: int) -> Any:
    """``(n, count)`` of ``(n, most)``: the first, which answers, and some of the others, drawn anew each time."""
    others = passages[:, 1:]
    chance = torch.rand(others.shape, device=passages.device) - 2.0 * (others < 0)
    chosen = chance.topk(min(count - 1, others.shape[1]), dim=1).indices
    return torch.cat([passages[:, :1], others.gather(1, chosen)], 1)


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
    options.add_argument("--chunks", type=int, default=4, help="of a step's pairs, alike in length, read together")
    options.add_argument("--rate", type=float, default=2e-4)
    options.add_argument("--dropout", type=float, default=0.1)
    options.add_argument("--max-tokens", type=int, default=256)
    options.add_argument("--looks", type=int, default=6)
    options.add_argument("--seed", type=int, default=0)
    given = options.parse_args(arguments)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.manual_seed(given.seed)
    torch.backends.cuda.matmul.allow_tf32 = True
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
