"""Files of fine-tuned encoder layers: matrices as 8-bit integers with a scale per row.

They replace the layers of the packaged model. Its embedding table (45 MB) is frozen in training and not stored.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.atomic_files import written_whole
from core.embedding import packaged
from core.errors import ModelError

TABLE = "bert.embeddings."  # prefix of the names of weights that stay the packaged model's
_WHOSE = "Lectern's own re-ranker"
SCALES = ":scales"  # suffix of a matrix's name for its row scales


def write(weights: Mapping[str, Any], path: Path) -> None:
    """Writes weights by name, except the embedding table, atomically.

    Matrices become 8-bit integers with a scale per row: half the size of float16, and scores change by a hundredth of
    their range.
    """
    from safetensors.numpy import save_file

    learnt: dict[str, NDArray[Any]] = {}
    for name, value in weights.items():
        if name.startswith(TABLE):
            continue
        values = value.detach().numpy().astype(np.float32)
        if values.ndim < 2:
            learnt[name] = values.astype(np.float16)
            continue
        learnt[name], learnt[name + SCALES] = in_bytes(values)
    with written_whole(path) as unfinished:
        save_file(learnt, str(unfinished))


def in_bytes(rows: NDArray[np.float32]) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """Quantises ``(n, m)`` rows: 8-bit integers of the same shape, and the ``(n, 1)`` scale of each row.

    >>> small, scales = in_bytes(np.array([[1.0, -2.54], [0.0, 0.0]], np.float32))
    >>> small.tolist(), scales.round(3).tolist()
    ([[50, -127], [0, 0]], [[0.019999999552965164], [0.0]])
    """
    scales = np.abs(rows).max(axis=1, keepdims=True) / 127
    return np.rint(rows / np.where(scales > 0, scales, 1)).astype(np.int8), scales.astype(np.float32)


def from_bytes(parts: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[np.float32]]:
    """The weights of a file as float32; matrices are multiplied by their scales."""
    return {
        name: value.astype(np.float32) * parts.get(name + SCALES, np.float32(1))
        for name, value in parts.items()
        if not name.endswith(SCALES)
    }


def read(path: Path, sha256: str, restore: str) -> bytes:
    """The bytes of a file, after checking it and the packaged model.

    ``sha256``: expected hash of the file, "" accepts any. ``restore``: advice for the error message. Raises
    ``ModelError`` if the file or the packaged model is missing or not the original.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise ModelError(f"The file of {_WHOSE} cannot be read: {error.strerror or error}: {path}.", restore) from error
    found = hashlib.sha256(data).hexdigest()
    if sha256 and found != sha256:
        raise ModelError(
            f"{path.name} of {_WHOSE} is not the original: its SHA-256 is {found[:16]}…, expected {sha256[:16]}….",
            restore,
        )
    folder = packaged.model_directory()
    packaged.verify_file(folder / "model.safetensors", packaged.WEIGHTS_SHA256)
    packaged.verify_file(folder / "tokenizer.json", packaged.TOKENIZER_SHA256)
    return data


def parsed(data: bytes) -> dict[str, NDArray[np.float32]]:
    """The float32 weights that ``write`` wrote. Raises ``ValueError`` or ``SafetensorError`` for other bytes."""
    from safetensors.numpy import load

    return from_bytes(load(data))  # with NumPy, which is faster here than torch


def fill(module: Any, weights: Mapping[str, NDArray[np.float32]], expected: set[str]) -> None:
    """Loads weights into a module. Raises ``ValueError`` unless their names are ``expected`` and all shapes match."""
    import torch

    if weights.keys() != expected:
        raise ValueError(f"it is of another model, as {min(weights.keys() ^ expected)} shows")
    state = module.state_dict()
    for key, value in weights.items():
        if tuple(state[key].shape) != value.shape:
            raise ValueError(f"it is of another model: {key} has the shape {value.shape}")
    for key, value in weights.items():
        state[key].copy_(torch.from_numpy(value))


@contextmanager
def quiet() -> Iterator[None]:
    """Silences transformers: its progress bar, and its warning that the heads are newly initialised."""
    from transformers.utils import logging

    logging.disable_progress_bar()
    before = logging.get_verbosity()
    logging.set_verbosity_error()
    try:
        yield
    finally:
        logging.set_verbosity(before)
