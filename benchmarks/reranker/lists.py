"""What training reads on the device, and its loss: of shapes that never change, so that a step can be recorded once.

Of a list of fewer passages the missing ones are read as pairs of no words, and count nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import torch
from torch.nn import functional

from benchmarks.reranker.packed import Packed

CLS, SEP = 101, 102
BESIDE = 0.4  # weight of a passage that does not answer where one does: there are several of them in a list
MISSED = 0.5  # weight of the loss by which a passage is worth more to its question than to one it seems to answer
_QUESTION = 64  # tokens of a question at most


def encoded(module: Any, ids: Any, types: Any, there: Any) -> Any:
    """``(n, tokens, width)``: the last layer's states, as ``module.bert`` gives them; ``there``: ``(n, tokens)`` which
    are read. Written out, because nothing here waits for the processor or looks into a tensor.
    """
    bert, drop = module.bert, module.config.hidden_dropout_prob if module.training else 0.0
    given = bert.embeddings
    rows, long = ids.shape
    states = given.word_embeddings(ids) + given.token_type_embeddings(types)
    states = functional.dropout(given.LayerNorm(states + given.position_embeddings.weight[:long]), drop)
    for layer in bert.encoder.layer:
        own, out = layer.attention.self, layer.attention.output
        parts = (one(states).view(rows, long, own.num_attention_heads, -1) for one in (own.query, own.key, own.value))
        query, key, value = (part.transpose(1, 2) for part in parts)
        seen = functional.scaled_dot_product_attention(query, key, value, attn_mask=there[:, None, None, :])
        seen = out.dense(seen.transpose(1, 2).reshape(rows, long, -1))
        states = out.LayerNorm(functional.dropout(seen, drop) + states)
        wide = layer.output.dense(functional.gelu(layer.intermediate.dense(states)))
        states = layer.output.LayerNorm(functional.dropout(wide, drop) + states)
    return states


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

    def lengths(self, questions: Any, pieces: Any, most: int, parts: int) -> list[int]:
        """To how many tokens each part of the pairs has to be filled up, in sixteens; ``pieces``: -1 for none."""
        totals = torch.sort(self._long(questions, pieces, most).sum(0) + 3).values
        return [min(most, -(-int(part.max()) // 16) * 16) for part in torch.tensor_split(totals, parts)]

    def read(
        self, module: Any, questions: Any, pieces: Any, most: int, lengths: Sequence[int]
    ) -> Iterator[tuple[Any, ...]]:
        """Parts of the pairs ``(question, piece)``, one a length, shorter pairs first: their places, scores, token
        logits ``(n, tokens, 2)``, how many tokens the question took, which tokens may be marked, and how many the piece
        took. ``lengths``: tokens to which the pairs of a part are filled up; a longer piece loses its end.
        """
        asked_all, piece_all = self._long(questions, pieces, most)
        order = torch.argsort(asked_all + piece_all)
        for long, part in zip(lengths, torch.tensor_split(order, len(lengths)), strict=True):
            at = torch.arange(long, device=self.device)[None, :]
            a = asked_all[part][:, None]
            p = torch.minimum(piece_all[part][:, None], long - 3 - a).clamp(min=0)
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
                states = encoded(module, ids, types, at < a + p + 3)
                pooled = module.bert.pooler(states)
            logits = module.qa_outputs(states.float())
            scores = module.classifier(pooled.float())[:, 0]
            yield part, scores, logits, a[:, 0], of_piece | (at == 0), p[:, 0]

    def _long(self, questions: Any, pieces: Any, most: int) -> Any:
        """``(2, n)`` tokens of the questions and of the pieces that are read."""
        there = pieces >= 0
        asked = self.question_long[questions].clamp(max=_QUESTION) * there
        return torch.stack([asked, torch.minimum(self.piece_long[pieces], most - 3 - asked) * there])


def pairs_of(lists: Lists, rows: Any, passages: Any) -> tuple[Any, Any]:
    """Questions and pieces to be read of lists ``rows``: every passage of ``passages`` ``(n, k)``, then the first one
    for what it seems to answer; -1 for a piece that is not there.
    """
    missed = lists.missed[rows]
    questions = torch.cat([lists.asked[rows][:, None].expand(passages.shape).flatten(), missed.clamp(min=0)])
    return questions, torch.cat([passages.flatten(), torch.where(missed >= 0, passages[:, 0], -1)])


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


def loss_of(lists: Lists, module: Any, rows: Any, passages: Any, most: int, lengths: Sequence[int]) -> Any:
    """The mean loss of lists ``rows``, of whose passages ``passages`` ``(n, k)`` are read, -1 for none.

    ``lengths``: as ``read`` has it.
    """
    many, wide = passages.shape
    missed, known = lists.missed[rows] >= 0, passages >= 0
    questions, pieces = pairs_of(lists, rows, passages)
    scores = torch.zeros(len(questions), device=lists.device)
    losses = torch.zeros(len(questions), device=lists.device)
    spans = torch.full((len(questions), lists.spans.shape[1], 2), -1, device=lists.device)
    spans[: many * wide : wide] = lists.spans[rows]
    for part, score, logits, asked_long, allowed, piece_long in lists.read(module, questions, pieces, most, lengths):
        scores = scores.index_copy(0, part, score)
        losses = losses.index_copy(0, part, marking(logits, spans[part], asked_long, allowed, piece_long))
    read = many * wide
    table = torch.where(known, scores[:read].view(many, wide), -1e4)
    order = ((torch.logsumexp(table, 1) - table[:, 0]) * (known.sum(1) > 1)).sum()
    weight = torch.where(torch.arange(wide, device=lists.device) == 0, 1.0, BESIDE)
    weight = weight * known * lists.marked[rows][:, None]
    marks = ((losses[:read].view(many, wide) * weight).sum(1) / weight.sum(1).clamp(min=1e-6)).sum()
    nearly = losses[read:] + MISSED * functional.softplus(scores[read:] - table[:, 0])
    return (order + marks + (nearly * missed).sum()) / many


def drawn(passages: Any, count: int) -> Any:
    """``(n, count)`` of ``(n, most)``: the first, which answers, and some of the others, drawn anew each time."""
    others = passages[:, 1:]
    chance = torch.rand(others.shape, device=passages.device) - 2.0 * (others < 0)
    chosen = chance.topk(min(count - 1, others.shape[1]), dim=1).indices
    return torch.cat([passages[:, :1], others.gather(1, chosen)], 1)
