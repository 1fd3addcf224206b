"""BERT on torch's own encoder layers: reads the packaged model's and Lectern's weights without sentence-transformers.

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
_EPSILON = 1e-12  # of layer normalisation, as BERT was trained
_PROJECTIONS = ("query", "key", "value")
_PARTS = {  # torch's names of the parts of a layer, and BERT's
    "self_attn.out_proj": "attention.output.dense",
    "linear1": "intermediate.dense",
    "linear2": "output.dense",
    "norm1": "attention.output.LayerNorm",
    "norm2": "output.LayerNorm",
}


class Bert(nn.Module):
    """The last-layer states of token ids (Devlin et al., NAACL 2019), by weights with the names of transformers.

    ``weights``: without the prefix "bert."; others than those of embeddings and layers are ignored. Raises ``KeyError``
    for a missing weight and ``RuntimeError`` for one of another shape.
    """

    def __init__(self, weights: Mapping[str, Tensor]) -> None:
        super().__init__()
        self.words, self.positions, self.segments = (
            nn.Parameter(weights[f"embeddings.{name}_embeddings.weight"]) for name in ("word", "position", "token_type")
        )
        width = self.words.shape[1]
        self.norm = nn.LayerNorm(width, eps=_EPSILON)
        self.norm.load_state_dict(_pair(weights, "embeddings.LayerNorm"))
        # Without dropout, training mode computes the same. It keeps torch from its fused kernel, which does not know
        # of bfloat16 and, at the lengths of passages, is not faster.
        self.layers = nn.ModuleList()
        while (name := f"encoder.layer.{len(self.layers)}.") + "output.dense.bias" in weights:
            inner = weights[name + "intermediate.dense.bias"].shape[0]
            layer = nn.TransformerEncoderLayer(width, _HEADS, inner, 0.0, "gelu", _EPSILON, batch_first=True)
            layer.load_state_dict(_layer_state(weights, name))
            self.layers.append(layer)
        self.requires_grad_(False)

    @property
    def device(self) -> torch.device:
        """Where the weights are."""
        return self.words.device

    def forward(self, ids: Tensor, attended: Tensor, segments: Tensor) -> Tensor:
        """``(n, tokens, width)`` states for ``(n, tokens)`` ids, of which only those ``attended`` (bool) are read.

        ``segments``: 0 for tokens of the first text of a pair, 1 for the second's.
        """
        states = self.norm(self.words[ids] + self.positions[: ids.shape[1]] + self.segments[segments])
        for layer in self.layers:
            states = layer(states, src_key_padding_mask=~attended)
        return states  # type: ignore[no-any-return]  # a module's call is not typed

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


def _layer_state(weights: Mapping[str, Tensor], name: str) -> dict[str, Tensor]:
    """The state of a torch encoder layer by the weights of BERT's layer with this prefix."""
    projections = [_pair(weights, f"{name}attention.self.{part}") for part in _PROJECTIONS]
    state = {
        f"self_attn.in_proj_{part}": torch.cat([projection[part] for projection in projections])
        for part in ("weight", "bias")
    }
    for ours, theirs in _PARTS.items():
        state |= {f"{ours}.{part}": value for part, value in _pair(weights, name + theirs).items()}
    return state


def _pair(weights: Mapping[str, Tensor], name: str) -> dict[str, Tensor]:
    return {part: weights[f"{name}.{part}"] for part in ("weight", "bias")}


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
