"""The file of Lectern's own re-ranker: encoder layers and two heads on top of the packaged model's embedding table.

One head scores how well a passage answers, the other marks the answer span in it (``answer_reader``). The embedding
table (45 MB) is frozen in training, so it is not stored but taken from the packaged model. Training data and results
are in ``data/reranker/MODEL_CARD.md``.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from core.embedding import layer_file, packaged
from core.embedding.layer_file import TABLE
from core.embedding.tokenizer import without_noise
from core.errors import ModelError

if TYPE_CHECKING:
    from core.embedding.bert import AnswerHeads

FILE = Path(__file__).resolve().parents[2] / "data" / "reranker" / "model.safetensors"
SHA256 = "7f66f396b0d5a08c4cb8f61a538588b57f8d1aafdb34bf5159c9aa27607aaab0"
MAX_TOKENS = 256  # of question and passage together, as in training
_SPAN_HEAD = frozenset({"qa_outputs.weight", "qa_outputs.bias"})  # the head with two outputs per token
_RESTORE = (
    "Restore data/reranker/model.safetensors from the project, "
    'or set reranking.model to "" and answering.reader to false.'
)


@dataclass(frozen=True, slots=True)
class Calibration:
    """The logistic function from a raw score to the probability that the passage answers.

    Platt, "Probabilistic outputs for support vector machines", 1999, section 2, without its smoothed targets.
    """

    slope: float
    intercept: float

    def probabilities(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        """``(n,)`` in [0, 1], rising with the scores; ``nan`` stays.

        >>> Calibration(2.0, -1.0).probabilities(np.array([0.5, np.nan, 1000.0])).tolist()
        [0.5, nan, 1.0]
        """
        return np.asarray(0.5 * (1 + np.tanh((self.slope * scores + self.intercept) / 2)))


# Fitted by logistic regression to the best 30 passages of 45 questions each of code, covidqa and the even lines of
# chroma, every suite with the same weight.
CALIBRATION = Calibration(slope=0.269, intercept=-2.3033)


def untrained(seed: int) -> tuple[Any, Any]:
    """The packaged encoder with randomly initialised heads, and its tokenizer. ``seed``: of the heads' weights.

    The heads are ``classifier``, with one output per pair, and ``qa_outputs``, with two per token.
    """
    import torch
    from transformers import AutoTokenizer, BertForSequenceClassification

    folder = str(packaged.model_directory())
    with layer_file.quiet():
        torch.manual_seed(seed)
        # No dropout: training takes less than one pass over the pairs, so it cannot overfit, and dropout costs time.
        module = BertForSequenceClassification.from_pretrained(
            folder, num_labels=1, local_files_only=True, hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0
        )
        module.qa_outputs = torch.nn.Linear(module.config.hidden_size, 2)
        torch.nn.init.normal_(module.qa_outputs.weight, std=module.config.initializer_range)
    tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True)
    without_noise(tokenizer.backend_tokenizer)
    return module.float().eval(), tokenizer


def write(module: Any, path: Path) -> None:
    """Writes the trained layers and heads atomically."""
    layer_file.write(module.state_dict(), path)


def load_into(module: Any, path: Path) -> None:
    """Loads a file of ``write`` into an ``untrained`` module. Raises ``ModelError`` for another file."""
    _load_weights(module, path.read_bytes(), path.name)


def load(path: Path = FILE, sha256: str = SHA256) -> Any:
    """The re-ranker as a sentence-transformers CrossEncoder with an input limit of ``MAX_TOKENS``.

    ``sha256``: expected hash of the file, "" accepts any file of ``write``. Raises ``ModelError`` if the file or the
    packaged model, whose embedding table and tokenizer are used, is missing or not the original.
    """
    data = layer_file.read(path, sha256, _RESTORE)
    import torch
    from sentence_transformers import CrossEncoder
    from sentence_transformers.base.modules import Transformer

    # The library adds a random head to the packaged model. It is always replaced below, because only the embedding
    # table may be missing from the file.
    with layer_file.quiet(), torch.random.fork_rng(devices=[]):
        transformer = Transformer(
            str(packaged.model_directory()),
            transformer_task="sequence-classification",
            model_kwargs={"local_files_only": True},
            config_kwargs={"local_files_only": True, "num_labels": 1},
            processor_kwargs={"local_files_only": True},
        )
    _load_weights(transformer.model, data, path.name)
    model = CrossEncoder(modules=[transformer], local_files_only=True)
    model.max_seq_length = MAX_TOKENS
    without_noise(model.tokenizer.backend_tokenizer)
    return model


def with_both_heads(path: Path = FILE, sha256: str = SHA256) -> AnswerHeads:
    """The re-ranker as it reads passages, with both heads. ``sha256`` and errors as for ``load``."""
    data = layer_file.read(path, sha256, _RESTORE)
    import torch
    from safetensors import SafetensorError, safe_open

    from core.embedding.bert import AnswerHeads

    with safe_open(packaged.model_directory() / "model.safetensors", "pt") as packed:
        table = {f"bert.{name}": packed.get_tensor(name) for name in packed.keys() if f"bert.{name}".startswith(TABLE)}  # noqa: SIM118
    try:
        return AnswerHeads(table | {name: torch.from_numpy(value) for name, value in layer_file.parsed(data).items()})
    except KeyError as error:
        raise _not_ours(path.name, f"it is of another model: it has no {error.args[0]}") from error
    except (ValueError, RuntimeError, SafetensorError) as error:
        raise _not_ours(path.name, str(error)) from error


def _load_weights(module: Any, data: bytes, name: str) -> None:
    """Loads the file's bytes into a module. Raises ``ModelError`` for another file.

    The module, or an older file, may lack the span head.
    """
    from safetensors import SafetensorError

    expected = {key for key in module.state_dict() if not key.startswith(TABLE)}
    try:
        weights = layer_file.parsed(data)
        ignored = _SPAN_HEAD - (expected & weights.keys())
        used = {key: value for key, value in weights.items() if key not in ignored}
        layer_file.fill(module, used, expected - ignored)
    except (ValueError, KeyError, SafetensorError) as error:
        raise _not_ours(name, str(error)) from error


def _not_ours(name: str, reason: str) -> ModelError:
    return ModelError(
        f"{name} is no re-ranker of Lectern's: {reason}.", "Give a file that `benchmarks.reranker` wrote."
    )
