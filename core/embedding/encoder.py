"""The ``Encoder`` over the packaged model or one of sentence-transformers', and loading its weights."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from threading import Lock
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from core.embedding import packaged
from core.embedding.hub import NOT_FETCHED, is_fetched, is_hub_name
from core.embedding.precision import computing, wants_bfloat16
from core.embedding.tokenizer import WordPieceCounter, packaged_counter, without_noise
from core.errors import ModelError
from core.settings import EmbeddingSettings
from core.text.pooling import Pooled, of_unit_length
from core.types import Encoder, TokenCounter, Vectors


@dataclass(frozen=True, slots=True)
class EmbeddingModel:
    """An encoder and the token counter of its tokenizer."""

    encoder: Encoder
    counter: TokenCounter


class SentenceModel(Protocol):
    """The weights of an encoder. It truncates texts at its input limit.

    ``bfloat16``, ``characters``: precision and size of the input, as in ``computing``.
    """

    @property
    def device(self) -> Any:
        """Torch's device of the weights."""

    def vectors(self, texts: Sequence[str], *, bfloat16: bool, characters: int | None) -> Vectors:
        """``(n, dimension)`` float32, of any length, read in one batch."""

    def states(self, texts: Sequence[str], *, bfloat16: bool) -> Sequence[tuple[Vectors, NDArray[np.int64]]]:
        """For each text: ``(n, dimension)`` float32 last-layer states of its tokens, and their ``(n, 2)`` offsets.

        Special tokens have empty offsets.
        """


class SentenceEncoder:
    """An ``Encoder`` over a model, which is loaded once, at the first text. Thread-safe."""

    def __init__(
        self,
        load: Callable[[], SentenceModel],
        *,
        fingerprint: str,
        dimension: int,
        max_tokens: int,
        settings: EmbeddingSettings,
    ) -> None:
        self.fingerprint = fingerprint
        self.dimension = dimension
        self.max_tokens = max_tokens
        self._load = load
        self._settings = settings
        self._model: SentenceModel | None = None
        self._bfloat16 = False
        self._loading = Lock()

    def encode(self, texts: Sequence[str], progress: Callable[[int], None] | None = None) -> Vectors:
        """``(n, dimension)`` float32, unit norm, in the order of ``texts``. The first call takes seconds.

        ``progress`` gets the number of texts done after each batch; it may raise to stop.
        """
        vectors = np.zeros((len(texts), self.dimension), dtype=np.float32)
        if not texts:
            return vectors
        model, size = self._loaded(), self._settings.batch_size
        # Longest first, because a batch is padded to its longest text.
        order = np.argsort([-len(text) for text in texts])
        characters = sum(map(len, texts))
        for start in range(0, len(order), size):
            part = order[start : start + size]
            vectors[part] = model.vectors([texts[row] for row in part], bfloat16=self._bfloat16, characters=characters)
            if progress:
                progress(start + len(part))
        return of_unit_length(vectors)

    def encode_pooled(self, items: Sequence[Pooled], progress: Callable[[int], None] | None = None) -> Vectors:
        """``(n, dimension)`` float32, unit norm: the mean of the token states of each span; every window is read once.

        A span without a token, or after the model's input limit, gets the mean of its whole window. ``progress`` gets
        the number of spans done after each batch of windows; it may raise to stop.
        """
        done = 0
        vectors = np.zeros((len(items), self.dimension), dtype=np.float32)
        model, size = self._loaded(), self._settings.batch_size
        windows = list(dict.fromkeys(item.window for item in items))
        for start in range(0, len(windows), size):
            part = windows[start : start + size]
            states = dict(zip(part, model.states(part, bfloat16=self._bfloat16), strict=True))
            for row, item in enumerate(items):
                if item.window in states:
                    vectors[row] = _mean_state(*states[item.window], item)
                    done += 1
            if progress:
                progress(done)
        return of_unit_length(vectors)

    def _loaded(self) -> SentenceModel:
        with self._loading:
            if self._model is None:
                self._model = self._load()
                self._bfloat16 = wants_bfloat16(self._settings.precision, str(self._model.device.type))
            return self._model


def _mean_state(states: Vectors, offsets: NDArray[np.int64], item: Pooled) -> Vectors:
    """The mean state of the tokens that begin in the span; without any, of all tokens that are not special."""
    starts = offsets[:, 0]
    not_special = offsets[:, 1] > starts
    inside = not_special & (starts >= item.start) & (starts < item.end)
    rows = next((rows for rows in (inside, not_special) if rows.any()), slice(None))
    return np.asarray(states[rows].mean(axis=0))


def load_model(settings: EmbeddingSettings) -> EmbeddingModel:
    """The encoder and token counter of the model in the settings. Raises ``ModelError`` if it is missing or damaged.

    The packaged model loads its weights lazily, at the first text. The network is never used: models of the hub are
    fetched beforehand (``core/embedding/hub.py``).
    """
    if settings.endpoint_model:
        raise ModelError(
            f"The embedder {settings.endpoint_model} is at an address, which is asked for a library alone.",
            "Choose one of this machine: --set embedding.model=packaged.",
        )
    if settings.is_packaged:
        encoder = SentenceEncoder(
            lambda: _packaged_model(packaged.model_directory()),
            fingerprint=packaged.fingerprint(),
            dimension=packaged.DIMENSION,
            max_tokens=packaged.MAX_TOKENS,
            settings=settings,
        )
        return EmbeddingModel(encoder, packaged_counter())
    folder = Path(settings.model).expanduser()
    model = _load(str(folder) if folder.is_dir() else settings.model)
    fingerprint = _weights_fingerprint(model)
    encoder = SentenceEncoder(
        lambda: _LibraryModel(model),
        fingerprint=fingerprint,
        dimension=int(model.get_embedding_dimension()),
        max_tokens=int(model.max_seq_length),
        settings=settings,
    )
    vocabulary = model.tokenizer.backend_tokenizer.to_str()
    without_noise(model.tokenizer.backend_tokenizer)
    return EmbeddingModel(encoder, WordPieceCounter.from_json(vocabulary, fingerprint))


@lru_cache(maxsize=1)
def _packaged_model(folder: Path) -> SentenceModel:
    """The packaged model; its weights never change, so all libraries of a process share it."""
    from core.embedding.bert import PackagedModel

    return PackagedModel(folder)


class _LibraryModel:
    """A ``SentenceModel`` over a SentenceTransformer."""

    def __init__(self, model: Any) -> None:
        self._model = model

    @property
    def device(self) -> Any:
        return self._model.device

    def vectors(self, texts: Sequence[str], *, bfloat16: bool, characters: int | None) -> Vectors:
        with computing(bfloat16, characters):
            found = self._model.encode(
                list(texts), batch_size=len(texts), normalize_embeddings=False, show_progress_bar=False
            )
        return np.asarray(found, dtype=np.float32)

    def states(self, texts: Sequence[str], *, bfloat16: bool) -> Sequence[tuple[Vectors, NDArray[np.int64]]]:
        with computing(bfloat16):
            found = self._model.encode(
                list(texts), batch_size=len(texts), output_value="token_embeddings", show_progress_bar=False
            )
        limit = self._model.max_seq_length
        inputs = self._model.tokenizer(list(texts), truncation=True, max_length=limit, return_offsets_mapping=True)
        return [
            (states[: len(offsets)].float().cpu().numpy(), np.array(offsets, dtype=np.int64).reshape(-1, 2))
            for states, offsets in zip(found, inputs["offset_mapping"], strict=True)
        ]


def _load(name: str) -> Any:
    """A SentenceTransformer by name or folder, from local files only. Raises ``ModelError`` if it cannot be loaded."""
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "true")
    from sentence_transformers import SentenceTransformer
    from transformers.utils import logging

    logging.disable_progress_bar()
    try:
        return SentenceTransformer(name, local_files_only=True)
    except (OSError, ValueError, RuntimeError) as error:
        if is_hub_name(name) and not is_fetched(name):
            raise ModelError(f"The embedder {name!r} is not on this machine.", NOT_FETCHED.format(name)) from error
        reason = str(error).strip().split("\n")[0].rstrip(".")
        raise ModelError(
            f"The embedder {name!r} could not be loaded: {reason}.", "Check its name or folder in the settings."
        ) from error


def _weights_fingerprint(model: Any) -> str:
    """A hash of a model's modules, weights, vocabulary and input limit: 16 hex digits."""
    digest = hashlib.sha256(str(model.max_seq_length).encode())
    digest.update(repr(sorted(model.tokenizer.get_vocab().items())).encode("utf-8", "surrogatepass"))
    for module in model:
        digest.update(type(module).__name__.encode())
    for _, tensor in sorted(model.state_dict().items()):
        digest.update(tensor.float().cpu().numpy().tobytes())
    return digest.hexdigest()[:16]
