"""Files of learnt encoder layers: matrices as 8-bit integers with a scale a row, to be laid over the packaged model.

The packaged model's embedding table is 45 MB and does not learn, so no such file holds it.
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

TABLE = "bert.embeddings."  # what the names of the weights begin with that are the packaged model's
_WHOSE = "Lectern's own re-ranker"
SCALES = ":scales"  # behind the name of a matrix: what its rows are multiplied by


def write(weights: Mapping[str, Any], path: Path) -> None:
    """Write the weights, by name, but those of the embedding table, through a temporary file.

    Matrices are 8-bit integers with a scale a row: half of float16, and scores differ by a hundredth of their range.
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
    """``(n, m)`` 8-bit integers, and ``(n, 1)`` what each row of them is multiplied by to be the rows again.

    >>> small, scales = in_bytes(np.array([[1.0, -2.54], [0.0, 0.0]], np.float32))
    >>> small.tolist(), scales.round(3).tolist()
    ([[50, -127], [0, 0]], [[0.019999999552965164], [0.0]])
    """
    scales = np.abs(rows).max(axis=1, keepdims=True) / 127
    return np.rint(rows / np.where(scales > 0, scales, 1)).astype(np.int8), scales.astype(np.float32)


def from_bytes(parts: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[np.float32]]:
    """Of arrays by name, as they are computed with: those that have ``:scales`` beside them multiplied by these."""
    return {
        name: value.astype(np.float32) * parts.get(name + SCALES, np.float32(1))
        for name, value in parts.items()
        if not name.endswith(SCALES)
    }


def read(path: Path, sha256: str, restore: str) -> bytes:
    """The file's bytes, and proof that it and the packaged model that it is laid over are the originals.

    ``sha256``: of the file, "" to take any. ``restore``: what to do, a sentence. Raises ``ModelError`` when one of them
    is missing or another.
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
    """What ``write`` wrote, as it is computed with. Raises ``ValueError`` or ``SafetensorError`` for other bytes."""
    from safetensors.numpy import load

    return from_bytes(load(data))  # by NumPy: torch takes 0.1 s on one thread, and on several waits for what else runs


def fill(module: Any, weights: Mapping[str, NDArray[np.float32]], wanted: set[str]) -> None:
    """Load the weights into the module. Raises ``ValueError`` unless they are the ``wanted`` ones in their shapes."""
    import torch

    if weights.keys() != wanted:
        raise ValueError(f"it is of another model, as {min(weights.keys() ^ wanted)} shows")
    places = module.state_dict()
    for key, value in weights.items():
        if tuple(places[key].shape) != value.shape:
            raise ValueError(f"it is of another model: {key} has the shape {value.shape}")
    for key, value in weights.items():
        places[key].copy_(torch.from_numpy(value))


@contextmanager
def quiet() -> Iterator[None]:
    """Without the library's progress bar, and its report that the head is new, which it is meant to be."""
    from transformers.utils import logging

    logging.disable_progress_bar()
    before = logging.get_verbosity()
    logging.set_verbosity_error()
    try:
        yield
    finally:
        logging.set_verbosity(before)
