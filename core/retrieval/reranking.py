"""A slower opinion of the best leaves: each is read together with the question, by a cross-encoder or token by token.

``read`` asks the model and costs all the time; ``reorder`` makes an order of what it said and is pure, so a dial that
only blends or cuts asks nothing again. ``rerank`` is both.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from core.embedding import calibration, reranker_file
from core.embedding.late_interaction import LateInteraction
from core.embedding.precision import computing, wants_bfloat16
from core.errors import ModelError
from core.retrieval.columns import column
from core.retrieval.fusion import Scores, standardise
from core.settings.reranking import LATE_INTERACTION, OWN_RERANKER, RerankingSettings
from core.text.ordinals import ordinal
from core.types import Encoder, Reranker, Vectors

_STOPPED = "Time limit of "  # what the note begins with where time ran out
_LEAST_KNOWN = 0.5  # of the words that a model has vectors for; tables are padded, by less
_UNLOADABLE = (OSError, ValueError, RuntimeError, KeyError, TypeError, AttributeError, ImportError)


@dataclass(frozen=True, slots=True, eq=False)
class Readings:
    """What a re-ranker thinks of the passages handed to it.

    ``scores``: ``(n,)`` float64, higher is better, of whatever scale the model has; ``nan`` where a passage was not
    read in time, or where the model answered with no number. ``note``: a sentence when some are missing, else "".
    """

    scores: Scores
    note: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Reranked:
    """``order``: the entries that go on, best first. ``scores``: ``(n,)`` float64, strictly falling along the order.

    ``dropped``: why, by entry; they keep the score that decided it. ``note``: as in ``Readings``.
    """

    order: NDArray[np.int64]
    scores: Scores
    dropped: Mapping[int, str]
    note: str = ""


class ReadingModel(Reranker, Protocol):
    """A ``Reranker`` that reads ``max_tokens`` of a passage at most, the question included where it reads both."""

    max_tokens: int


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
            with computing(self._half):
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


def load_reranker(settings: RerankingSettings, encoder: Encoder) -> ReadingModel:
    """The re-ranker the settings name. Never reaches the network; takes seconds for a cross-encoder.

    ``encoder``: the library's, whose token states "late-interaction" compares. Settings that differ in other values
    than ``model``, ``precision`` and ``max_tokens`` share it. Raises ``ModelError`` when it is not on this machine, is
    damaged or lacks a part, which one pair is read to see, or is no cross-encoder.
    """
    if settings.model == LATE_INTERACTION:
        return LateInteraction(encoder)
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "true")
    if settings.model == OWN_RERANKER:
        return PairScorer(reranker_file.load(), OWN_RERANKER, settings)
    from safetensors import SafetensorError
    from sentence_transformers import CrossEncoder
    from transformers.utils import logging

    logging.disable_progress_bar()
    folder = Path(settings.model).expanduser()
    here = folder.is_dir()
    try:
        model = CrossEncoder(str(folder) if here else settings.model, local_files_only=True)
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


def probabilities(readings: Readings, settings: RerankingSettings) -> Scores | None:
    """``(n,)`` in [0, 1]: how likely each passage answers, ``nan`` where it was not read.

    ``None`` where the model's scores were never held against answers: it is known of Lectern's own re-ranker, and of a
    model folder that keeps its calibration, as one does that was taught by judgments. Raises ``ModelError`` where what
    it keeps is damaged.

    >>> probabilities(Readings(np.array([0.5])), RerankingSettings("another/model")) is None
    True
    """
    if settings.model == OWN_RERANKER:
        return reranker_file.CALIBRATION.probabilities(readings.scores)
    known = calibration.of_folder(Path(settings.model).expanduser()) if settings.model else None
    return known.probabilities(readings.scores) if known else None


def rerank(
    question: str,
    passages: Sequence[str],
    scores: Scores,
    reranker: Reranker,
    settings: RerankingSettings,
    progress: Callable[[int, int], None] | None = None,
    clock: Callable[[], float] = monotonic,
) -> Reranked:
    """Read the first of the passages with the question, and order all by it. See ``read`` and ``reorder``."""
    return reorder(
        scores, read(question, passages[: settings.candidates], reranker, settings, progress, clock), settings
    )


def read(
    question: str,
    passages: Sequence[str],
    reranker: Reranker,
    settings: RerankingSettings,
    progress: Callable[[int, int], None] | None = None,
    clock: Callable[[], float] = monotonic,
) -> Readings:
    """What the re-ranker thinks of each passage, best first as the ranking before has them; equal ones are read once.

    Passages of like length are read together, since a batch is padded to its longest, and of these batches the one
    with the best passage first. The time limit is looked at between batches, so one is always read.
    ``progress(done, total)`` is called before every batch and at the end, and may raise to stop.
    """
    found = np.full(len(passages), np.nan)
    places: dict[str, list[int]] = {}
    for place, passage in enumerate(passages):
        places.setdefault(passage, []).append(place)
    distinct = list(places)
    begun, done, late = clock(), 0, False
    for batch in batches([len(passage) for passage in distinct], settings.batch_size):
        if settings.timeout_seconds and done and clock() - begun >= settings.timeout_seconds:
            late = True
            break
        if progress:
            progress(done, len(passages))
        answers = reranker.score(question, [distinct[at] for at in batch])
        for at, answer in zip(batch, answers.tolist(), strict=True):
            found[places[distinct[at]]] = answer if np.isfinite(answer) else np.nan
            done += len(places[distinct[at]])
    if progress and not late:
        progress(done, len(passages))
    return Readings(found, _note(found, done, settings.timeout_seconds))


def batches(lengths: Sequence[int], size: int) -> list[list[int]]:
    """Places of passages in batches of like lengths, the batch that holds the earliest passage first.

    >>> batches([5, 90, 4, 80, 6], 2)
    [[4, 0], [1, 3], [2]]
    """
    order = sorted(range(len(lengths)), key=lambda at: (-lengths[at], at))
    return sorted((order[at : at + size] for at in range(0, len(order), size)), key=min)


def heard_beside(
    opinions: Scores, leaves: NDArray[np.int64], documents: NDArray[np.integer[Any]], share: float
) -> Scores:
    """Each opinion with ``share`` of the best of its own and of those on the leaves beside it; 0 is off.

    What answers a question is often longer than a leaf: the one that names it and the one that tells it stand side by
    side, and a re-ranker that reads them apart thinks little of one of them. ``leaves``: places of the leaves in text
    order. ``documents``: of these leaves. ``nan``, a leaf that was not read, stays and counts for none.

    >>> read = np.array([3.0, -1.0, 0.0, np.nan])
    >>> heard_beside(read, np.array([7, 8, 10, 6]), np.zeros(4, np.int64), 1.0).tolist()
    [3.0, 3.0, 0.0, nan]
    """
    if not share:
        return opinions
    beside = (np.abs(leaves[:, None] - leaves[None, :]) <= 1) & (documents[:, None] == documents[None, :])
    best = np.where(beside & ~np.isnan(opinions)[None, :], opinions[None, :], -np.inf).max(axis=1, initial=-np.inf)
    return np.asarray(np.where(np.isnan(opinions), np.nan, (1 - share) * opinions + share * best))


def reorder(scores: Scores, readings: Readings, settings: RerankingSettings) -> Reranked:
    """All entries in the order the readings and the ranking before make together, cut to ``settings.keep``.

    ``scores``: ``(n,)``, falling, of all leaves that came. ``readings``: of the first of them, the candidates.

    Among candidates both opinions are standard scores, added by ``settings.blend``. A candidate that was not read keeps
    its standing: the standard scores of those that were read are scaled to the mean and the deviation which the ranking
    before gave to the same candidates. So readings move what was read, by as much as it stood apart, past what was not;
    with none the order is the one before, with all it is the re-ranker's. Ties go to the better rank before. Leaves
    that were no candidates follow as they were.
    """
    opinions = readings.scores
    count = len(opinions)
    known = np.flatnonzero(~np.isnan(opinions))
    before = standardise(scores[:count])
    after = before.copy()
    if len(known):
        spread = float(before[known].std())
        after[known] = before[known].mean() + (spread if spread > 1e-12 else 1.0) * standardise(opinions[known])
    values = settings.blend * after + (1 - settings.blend) * before
    order = np.argsort(-values, kind="stable").astype(np.int64)
    behind = np.arange(count, len(scores), dtype=np.int64)
    result = column(order, values[order], behind, scores)
    every = np.concatenate([order, behind])
    kept = every[: settings.keep] if settings.keep else every
    dropped = {
        int(entry): f"it is ranked {ordinal(rank)} after re-ranking, of which {settings.keep} go on"
        for rank, entry in enumerate(every[len(kept) :].tolist(), start=len(kept) + 1)
    }
    return Reranked(kept, result, dropped, readings.note)


def _note(found: Scores, done: int, limit: float) -> str:
    """What is missing, as sentences.

    >>> _note(np.array([0.5, np.nan, np.nan]), 1, 2.0)
    'Time limit of 2 s: 1 of 3 re-ranked.'
    """
    notes = []
    if done < len(found):
        notes.append(f"{_STOPPED}{limit:g} s: {done} of {len(found)} re-ranked.")
    silent = done - int(np.count_nonzero(~np.isnan(found)))
    if silent:
        notes.append(f"The re-ranker gave no number for {silent} of {done}; they keep their standing.")
    return " ".join(notes)


def unfinished(notes: Iterable[str]) -> bool:
    """Whether one of a ranking's notes says that time ran out: what is asked once more may come out otherwise.

    >>> unfinished([_note(np.array([0.5, np.nan]), 1, 2.0)]), unfinished([_note(np.array([0.5, np.nan]), 2, 2.0)])
    (True, False)
    """
    return any(note.startswith(_STOPPED) for note in notes)


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
        f"Fetch it once with `hf download {name}`, set reranking.model to the folder of another, or to "
        f'"{LATE_INTERACTION}", which needs no second model.',
    )


def _said(error: BaseException) -> str:
    return (str(error).strip() or type(error).__name__).split("\n")[0].rstrip(".")
