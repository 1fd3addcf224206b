"""BERT in torch's own functions: reads the packaged model's and Lectern's weights without sentence-transformers.

Importing that library takes several times as long as importing torch, and every process that asks one question would
wait for it. This module imports torch, so it is itself imported where weights are loaded.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors.torch import load_file
from torch import Tensor, nn
from torch.nn import functional

from core.embedding import packaged
from core.embedding.precision import computing
from core.embedding.tokenizer import without_noise
from core.types import Vectors

_HEADS = 12
_PROJECTIONS = ("query", "key", "value")


class Layer(nn.Module):
    """One encoder layer. ``weights``: of a whole BERT; ``name``: the prefix of the layer's.

    torch's own encoder layer computes the same, but three times as slowly in bfloat16.
    """

    def __init__(self, weights: Mapping[str, Tensor], name: str) -> None:
        super().__init__()
        self.projections = _linear(weights, *(f"{name}attention.self.{part}" for part in _PROJECTIONS))
        self.attention = _linear(weights, f"{name}attention.output.dense")
        self.attention_norm = _norm(weights, f"{name}attention.output.LayerNorm")
        self.inner = _linear(weights, f"{name}intermediate.dense")
        self.outer = _linear(weights, f"{name}output.dense")
        self.norm = _norm(weights, f"{name}output.LayerNorm")

    def forward(self, states: Tensor, mask: Tensor) -> Tensor:
        """``(n, tokens, width)`` states after the layer. ``mask``: (n, 1, 1, tokens) bool, the tokens that are read."""
        projected: Tensor = self.projections(states)
        query, key, value = projected.reshape(*states.shape[:2], 3, _HEADS, -1).permute(2, 0, 3, 1, 4).unbind()
        attended = functional.scaled_dot_product_attention(query, key, value, mask).transpose(1, 2).flatten(2)
        states = self.attention_norm(states + self.attention(attended))
        normalised: Tensor = self.norm(states + self.outer(functional.gelu(self.inner(states))))
        return normalised


def _linear(weights: Mapping[str, Tensor], *names: str) -> nn.Linear:
    """The linear layer of these weights; of several, one whose outputs are all of theirs in order."""
    weight, bias = (torch.cat([weights[f"{name}.{part}"] for name in names]) for part in ("weight", "bias"))
    layer = nn.Linear(weight.shape[1], weight.shape[0], device="meta")
    layer.weight, layer.bias = nn.Parameter(weight), nn.Parameter(bias)
    return layer


def _norm(weights: Mapping[str, Tensor], name: str) -> nn.LayerNorm:
    weight, bias = weights[f"{name}.weight"], weights[f"{name}.bias"]
    layer = nn.LayerNorm(len(weight), eps=1e-12, device="meta")  # as BERT was trained
    layer.weight, layer.bias = nn.Parameter(weight), nn.Parameter(bias)
    return layer


class Bert(nn.Module):
    """The last-layer states of token ids (Devlin et al., NAACL 2019), by weights with the names of transformers.

    ``weights``: without the prefix "bert."; others than those of embeddings and layers are ignored. Raises ``KeyError``
    for a missing weight.
    """

    def __init__(self, weights: Mapping[str, Tensor]) -> None:
        super().__init__()
        self.words, self.positions, self.segments = (
            nn.Parameter(weights[f"embeddings.{name}_embeddings.weight"]) for name in ("word", "position", "token_type")
        )
        self.norm = _norm(weights, "embeddings.LayerNorm")
        self.layers = nn.ModuleList()
        while f"{(name := f'encoder.layer.{len(self.layers)}.')}output.dense.bias" in weights:
            self.layers.append(Layer(weights, name))

    @property
    def device(self) -> torch.device:
        """Where the weights are."""
        return self.words.device

    def forward(self, ids: Tensor, attended: Tensor, segments: Tensor) -> Tensor:
        """``(n, tokens, width)`` states for ``(n, tokens)`` ids, of which only those ``attended`` (bool) are read.

        ``segments``: 0 for tokens of the first text of a pair, 1 for the second's.
        """
        states: Tensor = self.norm(self.words[ids] + self.positions[: ids.shape[1]] + self.segments[segments])
        for layer in self.layers:
            states = layer(states, attended[:, None, None, :])
        return states

    def read(self, encodings: Sequence[Any], *, bfloat16: bool, characters: int | None = None) -> tuple[Tensor, Tensor]:
        """The states of padded encodings (tokenizers library) as float32, and the ``(n, tokens)`` mask of real tokens.

        ``bfloat16`` and ``characters``: as in ``computing``.
        """
        ids, attended, segments = (
            torch.tensor([getattr(encoding, name) for encoding in encodings], device=self.device)
            for name in ("ids", "attention_mask", "type_ids")
        )
        mask = attended.bool()
        with torch.inference_mode(), computing(bfloat16, characters):
            return self(ids, mask, segments).float(), mask


class PackagedModel:
    """The packaged sentence encoder. Raises ``ModelError`` if a file of it is not the original."""

    def __init__(self, folder: Path) -> None:
        packaged.verify_file(folder / "model.safetensors", packaged.WEIGHTS_SHA256)
        self._bert = Bert(load_file(folder / "model.safetensors")).to(device())
        self._tokenizer = tokenizer(folder, packaged.MAX_TOKENS)

    @property
    def device(self) -> torch.device:
        """Where the weights are."""
        return self._bert.device

    def vectors(self, texts: Sequence[str], *, bfloat16: bool, characters: int | None) -> Vectors:
        """``(n, dimension)`` float32: the mean states of the tokens of each text, not normalised."""
        encodings = self._tokenizer.encode_batch(list(texts))
        states, mask = self._bert.read(encodings, bfloat16=bfloat16, characters=characters)
        weight = mask[:, :, None].float()
        return np.asarray(((states * weight).sum(dim=1) / weight.sum(dim=1)).cpu().numpy())

    def states(self, texts: Sequence[str], *, bfloat16: bool) -> list[tuple[Vectors, NDArray[np.int64]]]:
        """For each text: ``(n, dimension)`` float32 states of its tokens, and their ``(n, 2)`` offsets."""
        encodings = self._tokenizer.encode_batch(list(texts))
        states, mask = self._bert.read(encodings, bfloat16=bfloat16)
        lengths = mask.sum(dim=1).tolist()
        return [
            (rows[:length].cpu().numpy(), np.array(encoding.offsets[:length], dtype=np.int64).reshape(-1, 2))
            for rows, encoding, length in zip(states, encodings, lengths, strict=True)
        ]


class AnswerHeads:
    """Lectern's re-ranker: ``Bert`` below one output a pair and two a token. ``weights``: of all of it.

    Raises as ``Bert`` does.
    """

    def __init__(self, weights: Mapping[str, Tensor]) -> None:
        prefix = "bert."
        within = {name.removeprefix(prefix): value for name, value in weights.items() if name.startswith(prefix)}
        self._bert = Bert(within).to(device())
        names = ("bert.pooler.dense", "classifier", "qa_outputs")
        self._pooler, self._classifier, self._span = (
            [weights[f"{name}.{part}"].to(self.device) for part in ("weight", "bias")] for name in names
        )

    @property
    def device(self) -> torch.device:
        """Where the weights are."""
        return self._bert.device

    def read(
        self, encodings: Sequence[Any], *, bfloat16: bool, characters: int
    ) -> tuple[NDArray[np.float64], list[float]]:
        """``(n, tokens, 2)`` logits of an answer's first and last token, and the ``n`` raw scores of the pairs.

        The heads compute in float32, because bfloat16 is too coarse to tell tokens apart.
        """
        states, _ = self._bert.read(encodings, bfloat16=bfloat16, characters=characters)
        logits = functional.linear(states, *self._span)
        pooled = torch.tanh(functional.linear(states[:, 0], *self._pooler))
        scores = functional.linear(pooled, *self._classifier)
        return logits.cpu().numpy().astype(np.float64), scores[:, 0].tolist()


def tokenizer(folder: Path, max_tokens: int) -> Any:
    """The packaged tokenizer (tokenizers library), which truncates pairs at the longer text, and pads to the longest.

    Raises ``ModelError`` if its file is not the original.
    """
    from tokenizers import Tokenizer

    packaged.verify_file(folder / "tokenizer.json", packaged.TOKENIZER_SHA256)
    made = without_noise(Tokenizer.from_file(str(folder / "tokenizer.json")))
    made.enable_truncation(max_tokens)
    made.enable_padding()
    return made


def device() -> torch.device:
    """The graphics processor, if torch sees one; else the processor."""
    found = torch.accelerator.current_accelerator(check_available=True)
    return found or torch.device("cpu")
