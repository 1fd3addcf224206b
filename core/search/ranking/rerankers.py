"""Re-rankers as they are loaded: the one that comes with Lectern, or a cross-encoder of this machine."""

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

_LEAST_KNOWN = 0.5  # of the words that a model has vectors for; tables are padded, by less
_UNLOADABLE = (OSError, ValueError, RuntimeError, KeyError, TypeError, AttributeError, ImportError)


class Reranker(Protocol):
    """Scores passages with their question; higher is better.

    ``max_tokens``: of a passage that it reads at most, the question included where it reads both.
    """

    max_tokens: int

    def score(self, question: str, passages: Sequence[str]) -> Vectors: ...


class PairScorer:
    """A ``Reranker`` over a sentence-transformers CrossEncoder.

    Its scores are the model's raw outputs: the sigmoid many models end with orders alike, but is 1 for everything that
    is good enough, and flattens what a standard score is made of. ``max_tokens``: of question and passage together.
    """

    def __init__(self, model: Any, name: str, settings: RerankingSettings) -> None:
        self._model, self._name = model, name
        self._half = wants_bfloat16(settings.precision, str(model.device.type))
        if self._half:
            # A bfloat16 has eight bits of fraction: pairs that differ would tie, so the last layer stays exact.
            model.set_keep_in_fp32_modules([*(model.keep_in_fp32_modules or []), *_heads(model)])
        limit = model.max_seq_length or 512
        self.max_tokens = min(settings.max_tokens or limit, limit)
        model.max_seq_length = self.max_tokens

    def score(self, question: str, passages: Sequence[str]) -> Vectors:
        """``(n,)`` float32 in the order of the passages, read in one batch. Raises ``ModelError`` when it cannot."""
        if not passages:
            return np.zeros(0, dtype=np.float32)
        from torch.nn import Identity

        pairs = [(question, passage) for passage in passages]
        try:
            with computing(self._half, sum(map(len, passages))):
                found = self._model.predict(
                    pairs, batch_size=len(pairs), activation_fn=Identity(), show_progress_bar=False
                )
        except (RuntimeError, ValueError, IndexError, KeyError) as error:
            raise ModelError(
                f"The re-ranker {self._name!r} failed on {len(pairs)} passages: {_said(error)}.",
                "Lower reranking.batch_size or reranking.max_tokens, or choose another model.",
            ) from error
        scores = np.asarray(found, dtype=np.float32)
        # Of two labels the second says that the passage answers: their difference is the log-odds of it.
        return np.asarray(scores[:, 1] - scores[:, 0]) if scores.ndim == 2 else scores


def load_reranker(settings: RerankingSettings) -> Reranker:
    """The re-ranker the settings name. Never reaches the network; takes seconds.

    Settings that differ in other values than ``model``, ``precision`` and ``max_tokens`` share it. Raises
    ``ModelError`` when it is not on this machine, is damaged or lacks a part, which one pair is read to see, or is no
    cross-encoder.
    """
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "true")
    if settings.model == PACKAGED_RERANKER:
        most = min(settings.max_tokens or reranker_file.MAX_TOKENS, reranker_file.MAX_TOKENS)
        return answer_reader.load().reading(most, settings.precision)
    from safetensors import SafetensorError
    from sentence_transformers import CrossEncoder
    from transformers.utils import logging

    logging.disable_progress_bar()
    folder = Path(settings.model).expanduser()
    here = folder.is_dir()
    try:
        model = CrossEncoder(str(folder) if here else settings.model, local_files_only=True)
        if fast := getattr(model.tokenizer, "backend_tokenizer", None):
            without_noise(fast)
        trained, labels = _is_trained(model), int(model.num_labels)
    except (*_UNLOADABLE, SafetensorError) as error:
        raise _not_loaded(settings.model, here, error) from error
    if not trained or labels > 2:
        why = f"it sorts pairs into {labels} classes" if trained else "it was not trained to score pairs"
        raise ModelError(
            f"The model {settings.model!r} is no re-ranker: {why}.",
            "Set reranking.model to a CrossEncoder that gives one score a pair.",
        )
    scorer = PairScorer(model, settings.model, settings)
    lacking = _lacking(model, scorer)
    if lacking:
        raise _not_loaded(settings.model, here, ValueError(lacking))
    return scorer


def _heads(model: Any) -> list[str]:
    """Names of the linear layers that give the scores."""
    from torch.nn import Linear

    linear = [(name, part) for name, part in model.named_modules() if type(part) is Linear]
    return [name for name, part in linear[-1:] if part.out_features == model.num_labels]


def _is_trained(model: Any) -> bool:
    """Whether the weights hold a head for pairs: without one the library makes a random one, and only logs it."""
    names = tuple(getattr(model.config, "architectures", None) or ())
    return any(name.endswith(("ForSequenceClassification", "ForCausalLM")) for name in names) or len(model) > 1


def _lacking(model: Any, scorer: PairScorer) -> str:
    """What a model that was loaded lacks, found by reading one pair; "" where it is whole.

    The library replaces missing files and does not say so: a tokenizer by one that knows no word, a head by none.
    """
    try:
        known = len(model.tokenizer) / int(model[0].model.get_input_embeddings().num_embeddings)
    except (AttributeError, TypeError, NotImplementedError):
        known = 1.0  # words and vectors cannot be counted in every model
    if known < _LEAST_KNOWN:
        return "its tokenizer is missing, or another model's"
    try:
        found = scorer.score("Is it whole?", ["It is."])
    except ModelError as error:
        return f"it gives no score for a question and a passage ({_said(error.__cause__ or error)})"
    return "" if found.shape == (1,) else "it gives more than a score for a question and a passage"


def _not_loaded(name: str, here: bool, error: Exception) -> ModelError:
    """What to tell of a model that did not load. ``here``: its name is a folder."""
    if here or not isinstance(error, OSError):
        return ModelError(
            f"The re-ranker {name!r} could not be loaded: {_said(error)}.",
            "Set reranking.model to the folder of a sentence-transformers CrossEncoder that is complete.",
        )
    if name.startswith((".", "~", os.sep)) or name.count("/") > 1 or "\\" in name:
        return ModelError(f"There is no folder {name!r} with a re-ranker.", "Check reranking.model.")
    return ModelError(
        f"The re-ranker {name!r} is not on this machine, and Lectern downloads none by itself.",
        f'{NOT_FETCHED.format(name)} Or set reranking.model to "{PACKAGED_RERANKER}", which comes with Lectern.',
    )


def _said(error: BaseException) -> str:
    return (str(error).strip() or type(error).__name__).split("\n")[0].rstrip(".")
