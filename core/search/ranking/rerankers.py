"""Loading of re-rankers: the packaged one, or a cross-encoder on this machine."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from core.embedding import answer_reader, reranker_file
from core.embedding.hub import NOT_FETCHED
from core.embedding.precision import computing, wants_bfloat16
from core.embedding.tokenizer import without_noise
from core.errors import ModelError
from core.settings.searching import PACKAGED_RERANKER, RerankingSettings
from core.types import Vectors

_LEAST_VOCABULARY = 0.5  # least ratio of the tokenizer's words to embedding rows, which may be padded a little
_UNLOADABLE = (OSError, ValueError, RuntimeError, KeyError, TypeError, AttributeError, ImportError)


class Reranker(Protocol):
    """Scores passages for a question; higher is better.

    ``max_tokens``: the longest input; of the passage, or of question and passage together if it reads them as a pair.
    """

    max_tokens: int

    def score(self, question: str, passages: Sequence[str]) -> Vectors: ...


class PairScorer:
    """A ``Reranker`` over a sentence-transformers CrossEncoder.

    Its scores are raw logits. The sigmoid that many models end with keeps the order, but saturates at 1, which would
    distort z-scores. ``max_tokens``: of question and passage together.
    """

    def __init__(self, model: Any, name: str, settings: RerankingSettings) -> None:
        self._model, self._name = model, name
        self._half = wants_bfloat16(settings.precision, str(model.device.type))
        if self._half:
            # In bfloat16, with its 8 bits of precision, different pairs would tie; so the last layer stays in float32.
            model.set_keep_in_fp32_modules([*(model.keep_in_fp32_modules or []), *_output_layers(model)])
        limit = model.max_seq_length or 512
        self.max_tokens = min(settings.max_tokens or limit, limit)
        model.max_seq_length = self.max_tokens

    def score(self, question: str, passages: Sequence[str]) -> Vectors:
        """``(n,)`` float32, aligned with the passages, read in one batch. Raises ``ModelError`` if the model fails."""
        if not passages:
            return np.zeros(0, dtype=np.float32)
        from torch.nn import Identity

        pairs = [(question, passage) for passage in passages]
        try:
            with computing(self._half, sum(map(len, passages))):
                output = self._model.predict(
                    pairs, batch_size=len(pairs), activation_fn=Identity(), show_progress_bar=False
                )
        except (RuntimeError, ValueError, IndexError, KeyError) as error:
            raise ModelError(
                f"The re-ranker {self._name!r} failed on {len(pairs)} passages: {_message(error)}.",
                "Lower reranking.batch_size or reranking.max_tokens, or choose another model.",
            ) from error
        scores = np.asarray(output, dtype=np.float32)
        # With two labels the second means "relevant": the difference of the logits is its log-odds.
        return np.asarray(scores[:, 1] - scores[:, 0]) if scores.ndim == 2 else scores


def load_reranker(settings: RerankingSettings) -> Reranker:
    """Load the re-ranker that the settings name. Takes seconds; never uses the network.

    Only ``model``, ``precision`` and ``max_tokens`` matter. Raises ``ModelError`` if the model is not on this machine,
    is damaged or incomplete (checked by reading one pair), or is not a cross-encoder.
    """
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "true")
    if settings.model == PACKAGED_RERANKER:
        max_tokens = min(settings.max_tokens or reranker_file.MAX_TOKENS, reranker_file.MAX_TOKENS)
        return answer_reader.load().reading(max_tokens, settings.precision)
    from safetensors import SafetensorError
    from sentence_transformers import CrossEncoder
    from transformers.utils import logging

    logging.disable_progress_bar()
    folder = Path(settings.model).expanduser()
    is_folder = folder.is_dir()
    try:
        model = CrossEncoder(str(folder) if is_folder else settings.model, local_files_only=True)
        if fast := getattr(model.tokenizer, "backend_tokenizer", None):
            without_noise(fast)
        trained, labels = _is_trained(model), int(model.num_labels)
    except (*_UNLOADABLE, SafetensorError) as error:
        raise _not_loaded(settings.model, is_folder, error) from error
    if not trained or labels > 2:
        why = f"it sorts pairs into {labels} classes" if trained else "it was not trained to score pairs"
        raise ModelError(
            f"The model {settings.model!r} is no re-ranker: {why}.",
            "Set reranking.model to a CrossEncoder that gives one score a pair.",
        )
    scorer = PairScorer(model, settings.model, settings)
    missing = _missing_part(model, scorer)
    if missing:
        raise _not_loaded(settings.model, is_folder, ValueError(missing))
    return scorer


def _output_layers(model: Any) -> list[str]:
    """The name of the linear layer that outputs the scores; [] if the last one does not."""
    from torch.nn import Linear

    linear = [(name, part) for name, part in model.named_modules() if type(part) is Linear]
    return [name for name, part in linear[-1:] if part.out_features == model.num_labels]


def _is_trained(model: Any) -> bool:
    """Whether the weights include a classification head; without one, transformers only logs that it is random."""
    names = tuple(getattr(model.config, "architectures", None) or ())
    return any(name.endswith(("ForSequenceClassification", "ForCausalLM")) for name in names) or len(model) > 1


def _missing_part(model: Any, scorer: PairScorer) -> str:
    """What a loaded model lacks, in words; "" for a complete one. Reads one pair.

    transformers silently replaces missing files: the tokenizer by an empty one, the head by none.
    """
    try:
        ratio = len(model.tokenizer) / int(model[0].model.get_input_embeddings().num_embeddings)
    except (AttributeError, TypeError, NotImplementedError):
        ratio = 1.0  # not every model has a tokenizer and embeddings that can be counted
    if ratio < _LEAST_VOCABULARY:
        return "its tokenizer is missing, or another model's"
    try:
        scores = scorer.score("Is it whole?", ["It is."])
    except ModelError as error:
        return f"it gives no score for a question and a passage ({_message(error.__cause__ or error)})"
    return "" if scores.shape == (1,) else "it gives more than a score for a question and a passage"


def _not_loaded(name: str, is_folder: bool, error: Exception) -> ModelError:
    """The error for a model that was not loaded. ``is_folder``: whether its name is an existing folder."""
    if is_folder or not isinstance(error, OSError):
        return ModelError(
            f"The re-ranker {name!r} could not be loaded: {_message(error)}.",
            "Set reranking.model to the folder of a sentence-transformers CrossEncoder that is complete.",
        )
    if name.startswith((".", "~", os.sep)) or name.count("/") > 1 or "\\" in name:
        return ModelError(f"There is no folder {name!r} with a re-ranker.", "Check reranking.model.")
    return ModelError(
        f"The re-ranker {name!r} is not on this machine, and Lectern downloads none by itself.",
        f'{NOT_FETCHED.format(name)} Or set reranking.model to "{PACKAGED_RERANKER}", which comes with Lectern.',
    )


def _message(error: BaseException) -> str:
    return (str(error).strip() or type(error).__name__).split("\n")[0].rstrip(".")
