"""The file of Lectern's own re-ranker: encoder layers and head, to be laid over the packaged model's word vectors.

The embedding table is 45 MB and does not learn, so the file leaves it out: it is the packaged embedder's. What the
weights were made of, and what they are worth, stands in ``data/reranker/MODEL_CARD.md``.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.embedding import packaged
from core.errors import ModelError
from core.whole_files import written_whole

FILE = Path(__file__).resolve().parents[2] / "data" / "reranker" / "model.safetensors"
SHA256 = "7d3397bd823507ab34ba0504cbd3004d0f6f529c6be505969ab8e4f2b1caa76e"
MAX_TOKENS = 256  # of question and passage together, as in training
TABLE = "bert.embeddings."  # what the names of the weights begin with that are the packaged model's
_SCALES = ":scales"  # behind the name of a matrix: what its rows are multiplied by


@dataclass(frozen=True, slots=True)
class Calibration:
    """What turns a raw score into the probability that the passage answers: a logistic of ``slope`` and ``intercept``.

    Source: Platt, "Probabilistic outputs for support vector machines", 1999, section 2, without its smoothed targets.
    """

    slope: float
    intercept: float

    def probabilities(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        """``(n,)`` in [0, 1], rising with the scores; ``nan`` stays.

        >>> Calibration(2.0, -1.0).probabilities(np.array([0.5, np.nan, 1000.0])).tolist()
        [0.5, nan, 1.0]
        """
        return np.asarray(0.5 * (1 + np.tanh((self.slope * scores + self.intercept) / 2)))


# Fitted to the best 20 passages of the questions of the tuning suites, every suite with the same weight, by
# ``python -m tests.benchmarks.reranker_figures SUITE... --workspace DIR --fit``.
CALIBRATION = Calibration(slope=0.1354, intercept=-1.8253)


def untrained(seed: int) -> tuple[Any, Any]:
    """The packaged encoder with a new head of one output, and its tokenizer. ``seed``: of the head's first weights."""
    import torch
    from transformers import AutoTokenizer, BertForSequenceClassification

    folder = str(packaged.model_directory())
    with _quiet():
        torch.manual_seed(seed)
        # No dropout: less than one pass over the pairs cannot be learnt by heart, and drawing it costs time.
        module = BertForSequenceClassification.from_pretrained(
            folder, num_labels=1, local_files_only=True, hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0
        )
    return module.float().eval(), AutoTokenizer.from_pretrained(folder, local_files_only=True)


def write(module: Any, path: Path) -> None:
    """Write what was learnt, through a temporary file.

    Matrices are 8-bit integers with a scale a row: half of float16, and scores differ by a hundredth of their range.
    """
    from safetensors.numpy import save_file

    learnt: dict[str, NDArray[Any]] = {}
    for name, value in module.state_dict().items():
        if name.startswith(TABLE):
            continue
        values = value.detach().numpy().astype(np.float32)
        if values.ndim < 2:
            learnt[name] = values.astype(np.float16)
            continue
        scales = np.abs(values).max(axis=1, keepdims=True) / 127
        learnt[name] = np.rint(values / np.where(scales > 0, scales, 1)).astype(np.int8)
        learnt[name + _SCALES] = scales.astype(np.float32)
    with written_whole(path) as unfinished:
        save_file(learnt, str(unfinished))


def lay_over(module: Any, path: Path) -> None:
    """Load what ``write`` wrote into an ``untrained`` module. Raises ``ModelError`` when it is another file."""
    _lay(module, path.read_bytes(), path.name)


def load(path: Path = FILE, sha256: str = SHA256) -> Any:
    """The re-ranker as a sentence-transformers CrossEncoder that reads ``MAX_TOKENS``. Writes nothing.

    ``sha256``: of the file, "" to take any file that ``write`` wrote. Raises ``ModelError`` when the file is missing or
    is another one, and when the packaged model, whose word vectors and tokenizer it reads with, is not the original.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise ModelError(
            f"The file of Lectern's own re-ranker cannot be read: {error.strerror or error}: {path}.",
            'Restore data/reranker/model.safetensors, or set reranking.model to "late-interaction" or "".',
        ) from error
    found = hashlib.sha256(data).hexdigest()
    if sha256 and found != sha256:
        raise ModelError(
            f"{path.name} of Lectern's own re-ranker is not the original: its SHA-256 is {found[:16]}…, "
            f"expected {sha256[:16]}….",
            "Restore data/reranker/model.safetensors from the project.",
        )
    folder = packaged.model_directory()
    packaged.verify_file(folder / "model.safetensors", packaged.WEIGHTS_SHA256)
    packaged.verify_file(folder / "tokenizer.json", packaged.TOKENIZER_SHA256)
    import torch
    from sentence_transformers import CrossEncoder
    from sentence_transformers.base.modules import Transformer

    # The packaged model has no head: the library makes a random one, which is replaced before anybody can ask it, since
    # nothing but the embedding table may be missing from the file.
    with _quiet(), torch.random.fork_rng(devices=[]):
        part = Transformer(
            str(folder),
            transformer_task="sequence-classification",
            model_kwargs={"local_files_only": True},
            config_kwargs={"local_files_only": True, "num_labels": 1},
            processor_kwargs={"local_files_only": True},
        )
    _lay(part.model, data, path.name)
    model = CrossEncoder(modules=[part], local_files_only=True)
    model.max_seq_length = MAX_TOKENS
    return model


def _lay(module: Any, data: bytes, name: str) -> None:
    from safetensors import SafetensorError

    try:
        _fill(module, data)
    except (ValueError, KeyError, SafetensorError) as error:
        raise ModelError(
            f"{name} is no re-ranker of Lectern's: {error}.", "Give a file that `train-reranker` wrote."
        ) from error


def _fill(module: Any, data: bytes) -> None:
    import torch
    from safetensors.numpy import load as parse

    # By NumPy: converting on one thread takes 0.1 s, and on several they wait for whatever else the machine does.
    parts: Mapping[str, NDArray[Any]] = parse(data)
    learnt = {
        key: value.astype(np.float32) * parts.get(key + _SCALES, np.float32(1))
        for key, value in parts.items()
        if not key.endswith(_SCALES)
    }
    wanted = {key: value for key, value in module.state_dict().items() if not key.startswith(TABLE)}
    if learnt.keys() != wanted.keys():
        raise ValueError(f"it is of another model, as {min(learnt.keys() ^ wanted.keys())} shows")
    for key, value in wanted.items():
        if tuple(value.shape) != learnt[key].shape:
            raise ValueError(f"it is of another model: {key} has the shape {learnt[key].shape}")
        value.copy_(torch.from_numpy(learnt[key]))


@contextmanager
def _quiet() -> Iterator[None]:
    """Without the library's progress bar, and its report that the head is new, which it is meant to be."""
    from transformers.utils import logging

    logging.disable_progress_bar()
    before = logging.get_verbosity()
    logging.set_verbosity_error()
    try:
        yield
    finally:
        logging.set_verbosity(before)
