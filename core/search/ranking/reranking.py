"""A slower opinion of the best leaves: each is read together with the question, by a cross-encoder or token by token.

``read`` asks the model and costs all the time; ``reorder`` makes an order of what it said and is pure, so a dial that
only blends or cuts asks nothing again.
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
from core.search.ranking.fusion import Scores, column, standardise
from core.search.ranking.rerankers import Reranker
from core.settings.searching import PACKAGED_RERANKER, RerankingSettings
from core.text.numerals import ordinal

STOPPED = "Time limit of "  # what the note begins with where time ran out


@dataclass(frozen=True, slots=True, eq=False)
class Readings:
    """What a re-ranker thinks of the passages handed to it.

    ``scores``: ``(n,)`` float64, higher is better, of whatever scale the model has; ``nan`` where a passage was not
    read in time, or where the model answered with no number. ``note``: a sentence when some are missing, else "".
    ``marks``: where in each passage the answer may stand, ``None`` where it was not read; () where the model does not
    mark.
    """

    scores: Scores
    note: str = ""
    marks: tuple[Marks | None, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Reranked:
    """``order``: the entries that go on, best first. ``scores``: ``(n,)`` float64, strictly falling along the order.

    ``dropped``: why, by entry; they keep the score that decided it. ``note``: as in ``Readings``.
    """

    order: NDArray[np.int64]
    scores: Scores
    dropped: Mapping[int, str]
    note: str = ""


def probabilities(readings: Readings, settings: RerankingSettings) -> Scores | None:
    """``(n,)`` in [0, 1]: how likely each passage answers, ``nan`` where it was not read.

    ``None`` where the model's scores were never held against answers: it is known of Lectern's own re-ranker, and of a
    model folder that keeps its calibration, as one does that was taught by judgments. Raises ``ModelError`` where what
    it keeps is damaged.

    >>> probabilities(Readings(np.array([0.5])), RerankingSettings("another/model")) is None
    True
    """
    if settings.model == PACKAGED_RERANKER:
        return reranker_file.CALIBRATION.probabilities(readings.scores)
    known = calibration.of_folder(Path(settings.model).expanduser()) if settings.model else None
    return known.probabilities(readings.scores) if known else None


def read(
    question: str,
    passages: Sequence[str],
    reranker: Reranker,
    settings: RerankingSettings,
    progress: Callable[[int, int], None] | None = None,
    clock: Callable[[], float] = monotonic,
) -> Readings:
    """The re-ranker's score of each passage; equal passages are read once. ``passages``: best first.

    Passages of like length are read together, since a batch is padded to its longest, and of these batches the one
    with the best passage first. The time limit is looked at between batches, so one is always read.
    ``progress(done, total)`` is called before every batch and at the end, and may raise to stop.
    """
    found = np.full(len(passages), np.nan)
    seen: dict[int, Marks] = {}
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
        texts = [distinct[at] for at in batch]
        if isinstance(reranker, AnswerReader):
            marks = reranker.read(question, texts)
            seen |= {place: one for at, one in zip(batch, marks, strict=True) for place in places[distinct[at]]}
            answers = [one.worth for one in marks]
        else:
            answers = reranker.score(question, texts).tolist()
        for at, answer in zip(batch, answers, strict=True):
            found[places[distinct[at]]] = answer if np.isfinite(answer) else np.nan
            done += len(places[distinct[at]])
    if progress and not late:
        progress(done, len(passages))
    marked = tuple(map(seen.get, range(len(passages)))) if seen else ()
    return Readings(found, _note(found, done, settings.timeout_seconds), marked)


def batches(lengths: Sequence[int], size: int) -> list[list[int]]:
    """Places of passages in batches of like lengths, the batch that holds the earliest passage first.

    >>> batches([5, 90, 4, 80, 6], 2)
    [[4, 0], [1, 3], [2]]
    """
    order = sorted(range(len(lengths)), key=lambda at: (-lengths[at], at))
    return sorted((order[at : at + size] for at in range(0, len(order), size)), key=min)


def lifted_by_neighbours(
    opinions: Scores, leaves: NDArray[np.int64], documents: NDArray[np.integer[Any]], share: float
) -> Scores:
    """``(n,)``: ``(1 - share)`` of each score plus ``share`` of the best among it and the two leaves beside it.

    ``opinions``: ``(n,)`` scores of a re-ranker; ``nan``, a leaf that was not read, stays and lifts no other.
    ``leaves``: ``(n,)`` indices of the leaves in text order. ``documents``: ``(n,)``. ``share``: 0 is off.

    What answers a question is often longer than a leaf: one leaf names the subject and the next tells of it, and a
    re-ranker that reads them apart scores one of them low.

    >>> read = np.array([3.0, -1.0, 0.0, np.nan])
    >>> lifted_by_neighbours(read, np.array([7, 8, 10, 6]), np.zeros(4, np.int64), 1.0).tolist()
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
        notes.append(f"{STOPPED}{limit:g} s: {done} of {len(found)} re-ranked.")
    silent = done - int(np.count_nonzero(~np.isnan(found)))
    if silent:
        notes.append(f"The re-ranker gave no number for {silent} of {done}; they keep their standing.")
    return " ".join(notes)
