"""The file of Lectern's own re-ranker: encoder layers and two heads, to be laid over the packaged model's word vectors.

One head says how well a passage answers, the other where in it the answer stands (``answer_reader``). The embedding
table is 45 MB and does not learn, so the file leaves it out: it is the packaged embedder's. What the weights were made
of, and what they are worth, stands in ``data/reranker/MODEL_CARD.md``.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.embedding import layer_file, packaged
from core.embedding.layer_file import TABLE
from core.embedding.tokenizer import without_noise
from core.errors import ModelError

FILE = Path(__file__).resolve().parents[2] / "data" / "reranker" / "model.safetensors"
SHA256 = "7f66f396b0d5a08c4cb8f61a538588b57f8d1aafdb34bf5159c9aa27607aaab0"
MAX_TOKENS = 256  # of question and passage together, as in training
_MARKING = frozenset({"qa_outputs.weight", "qa_outputs.bias"})  # the head of two outputs a token
_RESTORE = (
    "Restore data/reranker/model.safetensors from the project, "
    'or set reranking.model to "" and answering.reader to false.'
)


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


# Fitted to the best 30 passages of 45 questions each of code, covidqa and chroma's even lines, every suite with the
# same weight, by logistic regression.
CALIBRATION = Calibration(slope=0.269, intercept=-2.3033)


def untrained(seed: int) -> tuple[Any, Any]:
    """The packaged encoder with new heads, and its tokenizer. ``seed``: of the heads' first weights.

    The heads are ``classifier``, of one output a pair, and ``qa_outputs``, of two a token.
    """
    import torch
    from transformers import AutoTokenizer, BertForSequenceClassification

    folder = str(packaged.model_directory())
    with layer_file.quiet():
        torch.manual_seed(seed)
        # No dropout: less than one pass over the pairs cannot be learnt by heart, and drawing it costs time.
        module = BertForSequenceClassification.from_pretrained(
            folder, num_labels=1, local_files_only=True, hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0
        )
        module.qa_outputs = torch.nn.Linear(module.config.hidden_size, 2)
        torch.nn.init.normal_(module.qa_outputs.weight, std=module.config.initializer_range)
    tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True)
    without_noise(tokenizer.backend_tokenizer)
    return module.float().eval(), tokenizer


def write(module: Any, path: Path) -> None:
    """Write what was learnt, through a temporary file."""
    layer_file.write(module.state_dict(), path)


def lay_over(module: Any, path: Path) -> None:
    """Load what ``write`` wrote into an ``untrained`` module. Raises ``ModelError`` when it is another file."""
    _lay(module, path.read_bytes(), path.name)


def load(path: Path = FILE, sha256: str = SHA256) -> Any:
    """The re-ranker as a sentence-transformers CrossEncoder that reads ``MAX_TOKENS``. Writes nothing.

    ``sha256``: of the file, "" to take any file that ``write`` wrote. Raises ``ModelError`` when the file is missing or
    is another one, and when the packaged model, whose word vectors and tokenizer it reads with, is not the original.
    """
    data = layer_file.read(path, sha256, _RESTORE)
    import torch
    from sentence_transformers import CrossEncoder
    from sentence_transformers.base.modules import Transformer

    # The packaged model has no head: the library makes a random one, which is replaced before anybody can ask it, since
    # nothing but the embedding table may be missing from the file.
    with layer_file.quiet(), torch.random.fork_rng(devices=[]):
        part = Transformer(
            str(packaged.model_directory()),
            transformer_task="sequence-classification",
            model_kwargs={"local_files_only": True},
            config_kwargs={"local_files_only": True, "num_labels": 1},
            processor_kwargs={"local_files_only": True},
        )
    _lay(part.model, data, path.name)
    model = CrossEncoder(modules=[part], local_files_only=True)
    model.max_seq_length = MAX_TOKENS
    without_noise(model.tokenizer.backend_tokenizer)
    return model


def with_both_heads(path: Path = FILE, sha256: str = SHA256) -> tuple[Any, Any]:
    """The weights in an ``untrained`` module, and its tokenizer. ``sha256`` and what is raised: as for ``load``."""
    import torch

    data = layer_file.read(path, sha256, _RESTORE)
    with torch.random.fork_rng(devices=[]):
        module, tokenizer = untrained(seed=0)
    with torch.no_grad():
        _lay(module, data, path.name, marks=True)
    return module, tokenizer


def _lay(module: Any, data: bytes, name: str, *, marks: bool = False) -> None:
    """``marks``: the file must have the head that marks; else a module, or an older file, may be without it."""
    from safetensors import SafetensorError

    wanted = {key for key in module.state_dict() if not key.startswith(TABLE)}
    try:
        weights = layer_file.parsed(data)
        absent = frozenset() if marks else _MARKING - (wanted & weights.keys())
        given = {key: value for key, value in weights.items() if key not in absent}
        layer_file.fill(module, given, wanted - absent)
    except (ValueError, KeyError, SafetensorError) as error:
        raise ModelError(
            f"{name} is no re-ranker of Lectern's: {error}.", "Give a file that `benchmarks.reranker` wrote."
        ) from error
