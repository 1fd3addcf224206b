"""Re-ranking of the best leaves by a model that reads each passage together with the question.

``read`` runs the model and takes all the time. ``reorder`` is pure: settings that only blend or cut do not run the
model again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.embedding import calibration, reranker_file
from core.embedding.answer_reader import AnswerReader, Marks
from core.search.ranking.fusion import Scores, descending_column, standardise
from core.search.ranking.rerankers import Reranker
from core.settings.searching import PACKAGED_RERANKER, RerankingSettings
from core.text.values.numerals import ordinal

STOPPED = "Time limit of "  # the note begins with this when the time limit was reached


@dataclass(frozen=True, slots=True, eq=False)
class Readings:
    """A re-ranker's output for a sequence of passages.

    ``scores``: ``(n,)`` float64 on the model's own scale, higher is better; ``nan`` for a passage that was not read in
    time or got no number from the model. ``note``: sentences on missing scores, else "". ``marks``: where in each
    passage an answer may stand, ``None`` for one that was not read; () from a model that does not mark answers.
    """

    scores: Scores
    note: str = ""
    marks: tuple[Marks | None, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Reranked:
    """The result of ``reorder``.

    ``order``: the kept entries, best first. ``scores``: ``(n,)`` float64, strictly falling along the order and
    then along the dropped entries. ``dropped``: the reason by dropped entry. ``note``: as in ``Readings``.
    """

    order: NDArray[np.int64]
    scores: Scores
    dropped: Mapping[int, str]
    note: str = ""


def probabilities(readings: Readings, settings: RerankingSettings) -> Scores | None:
    """``(n,)`` in [0, 1]: the probability that each passage answers the question, ``nan`` where it was not read.

    ``None`` when the model has no calibration. The packaged re-ranker has one, and a model folder may contain one, as
    those fine-tuned on judgments do. Raises ``ModelError`` when a folder's calibration is damaged.

    >>> probabilities(Readings(np.array([0.5])), RerankingSettings("another/model")) is None
    True
    """
    if settings.model == PACKAGED_RERANKER:
        return reranker_file.CALIBRATION.probabilities(readings.scores)
    if not settings.model:
        return None
    model_calibration = calibration.of_folder(Path(settings.model).expanduser())
    return model_calibration.probabilities(readings.scores) if model_calibration else None


def read(
    question: str,
    passages: Sequence[str],
    reranker: Reranker,
    settings: RerankingSettings,
    progress: Callable[[int, int], None] | None = None,
    clock: Callable[[], float] = monotonic,
) -> Readings:
    """The re-ranker's score of each passage; equal passages are read once. ``passages``: best first.

    Passages of similar length form a batch, since a batch is padded to its longest; batches are read in the order of
    their best passage. The time limit is checked between batches, so at least one is read.
    ``progress(done, total)`` is called before every batch and at the end, and may raise to stop.
    """
    scores = np.full(len(passages), np.nan)
    marks: dict[int, Marks] = {}
    indices: dict[str, list[int]] = {}
    for index, passage in enumerate(passages):
        indices.setdefault(passage, []).append(index)
    distinct = list(indices)
    started, done, timed_out = clock(), 0, False
    for batch in batches([len(passage) for passage in distinct], settings.batch_size):
        if settings.timeout_seconds and done and clock() - started >= settings.timeout_seconds:
            timed_out = True
            break
        if progress:
            progress(done, len(passages))
        texts = [distinct[entry] for entry in batch]
        if isinstance(reranker, AnswerReader):
            batch_marks = reranker.read(question, texts)
            for text, text_marks in zip(texts, batch_marks, strict=True):
                marks |= dict.fromkeys(indices[text], text_marks)
            batch_scores = [text_marks.worth for text_marks in batch_marks]
        else:
            batch_scores = reranker.score(question, texts).tolist()
        for text, score in zip(texts, batch_scores, strict=True):
            scores[indices[text]] = score if np.isfinite(score) else np.nan
            done += len(indices[text])
    if progress and not timed_out:
        progress(done, len(passages))
    aligned_marks = tuple(map(marks.get, range(len(passages)))) if marks else ()
    return Readings(scores, _note(scores, done, settings.timeout_seconds), aligned_marks)


def batches(lengths: Sequence[int], size: int) -> list[list[int]]:
    """Indices of passages in batches of similar length, the batch with the earliest passage first.

    >>> batches([5, 90, 4, 80, 6], 2)
    [[4, 0], [1, 3], [2]]
    """
    order = sorted(range(len(lengths)), key=lambda index: (-lengths[index], index))
    return sorted((order[first : first + size] for first in range(0, len(order), size)), key=min)


def boost_by_neighbours(
    scores: Scores, leaves: NDArray[np.int64], documents: NDArray[np.integer[Any]], share: float
) -> Scores:
    """``(n,)``: ``(1 - share)`` times each score plus ``share`` times the best of it and its two neighbours.

    ``scores``: ``(n,)`` scores of a re-ranker; ``nan`` (not read) stays ``nan`` and raises no neighbour. ``leaves``:
    ``(n,)`` indices of the leaves in text order. ``documents``: ``(n,)`` their documents. ``share``: 0 is off.

    An answer is often longer than a leaf: one leaf names the subject, the next says something about it, and a re-ranker
    that reads them separately gives one of them a low score.

    >>> read = np.array([3.0, -1.0, 0.0, np.nan])
    >>> boost_by_neighbours(read, np.array([7, 8, 10, 6]), np.zeros(4, np.int64), 1.0).tolist()
    [3.0, 3.0, 0.0, nan]
    """
    if not share:
        return scores
    adjacent = (np.abs(leaves[:, None] - leaves[None, :]) <= 1) & (documents[:, None] == documents[None, :])
    best = np.where(adjacent & ~np.isnan(scores)[None, :], scores[None, :], -np.inf).max(axis=1, initial=-np.inf)
    return np.asarray(np.where(np.isnan(scores), np.nan, (1 - share) * scores + share * best))


def reorder(scores: Scores, readings: Readings, settings: RerankingSettings) -> Reranked:
    """All entries, ordered by blending the ranking's scores with the re-ranker's, cut to ``settings.keep``.

    ``scores``: ``(n,)``, descending, the ranking's. ``readings``: of the first of these entries, the candidates.

    The candidates' z-scores of both are added with the weights ``1 - settings.blend`` and ``settings.blend``. A
    candidate without a reading keeps its previous z-score as both. To be comparable with it, the z-scores of the
    readings are scaled to the mean and the deviation of the previous z-scores of the same candidates. So without
    readings the order does not change, and with all of them and a blend of 1 it is the re-ranker's. Ties go to the
    better previous rank. Entries that are not candidates follow in their order.
    """
    reranker_scores = readings.scores
    count = len(reranker_scores)
    read_entries = np.flatnonzero(~np.isnan(reranker_scores))
    before = standardise(scores[:count])
    after = before.copy()
    if len(read_entries):
        deviation = float(before[read_entries].std())
        scale = deviation if deviation > 1e-12 else 1.0
        after[read_entries] = before[read_entries].mean() + scale * standardise(reranker_scores[read_entries])
    values = settings.blend * after + (1 - settings.blend) * before
    order = np.argsort(-values, kind="stable").astype(np.int64)
    behind = np.arange(count, len(scores), dtype=np.int64)
    blended = descending_column(order, values[order], behind, scores)
    entries = np.concatenate([order, behind])
    kept = entries[: settings.keep] if settings.keep else entries
    dropped = {
        int(entry): f"it is ranked {ordinal(rank)} after re-ranking, of which {settings.keep} go on"
        for rank, entry in enumerate(entries[len(kept) :].tolist(), start=len(kept) + 1)
    }
    return Reranked(kept, blended, dropped, readings.note)


def _note(scores: Scores, done: int, limit: float) -> str:
    """Sentences on missing scores, "" if there are none.

    >>> _note(np.array([0.5, np.nan, np.nan]), 1, 2.0)
    'Time limit of 2 s: 1 of 3 re-ranked.'
    """
    notes = []
    if done < len(scores):
        notes.append(f"{STOPPED}{limit:g} s: {done} of {len(scores)} re-ranked.")
    unscored = done - int(np.count_nonzero(~np.isnan(scores)))
    if unscored:
        notes.append(f"The re-ranker gave no number for {unscored} of {done}; they keep their standing.")
    return " ".join(notes)
