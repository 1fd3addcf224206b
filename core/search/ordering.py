"""The stages behind the fusion, which look at what the leaves say: diversity, then re-ranking; each one column more."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import replace
from threading import Lock
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from core.chunking.prefixes import below
from core.embedding.answer_reader import Marks
from core.lru_cache import LruCache
from core.search.expansion.expanding import clear_span
from core.search.expansion.growth import family
from core.search.ranking.diversity import diversify
from core.search.ranking.fusion import Scores
from core.search.ranking.rerankers import Reranker, load_reranker
from core.search.ranking.reranking import (
    Readings,
    lifted_by_neighbours,
    probabilities,
    read,
    reorder,
)
from core.search.ranking.stage_scores import Ranking
from core.settings import DiversitySettings, RerankingSettings
from core.storage.index.leaves import LeafTable
from core.text.sentences import sentence_spans
from core.types import Span

Text = Callable[[int], str]
"""The canonical text of a document, by its ordinal."""
Above = Callable[[Sequence[int]], Sequence[str]]
"""What stands above leaves, by their rows: title, headings, header of a table; "" where nothing does."""
Progress = Callable[[int, int], None]
CHARACTERS_PER_TOKEN = 4  # of English prose; where a text has fewer, a cut unit still has its leaf in the middle


def diversified(ranking: Ranking, settings: DiversitySettings) -> Ranking:
    """The ranking with what repeats itself moved back; itself where the stage is off."""
    if settings.off or not len(ranking.kept):
        return ranking
    started = perf_counter()
    vectors = ranking.leaves.vectors.of(ranking.pool[ranking.kept])
    order, scores = diversify(ranking.final[ranking.kept], vectors, settings)
    return _appended(ranking, "diverse", scores, order, {}, started)


def candidates(
    ranking: Ranking, settings: RerankingSettings, max_tokens: int, text: Text, above: Above
) -> tuple[list[str], list[Span]]:
    """The text a re-ranker reads for each candidate, best first, and where in its document the end of it stands.

    It is the unit of the settings, cut to ``max_tokens``; with ``settings.prefix`` what stands above the leaf comes
    first, on lines of its own. No unit holds what the question excludes.
    """
    chosen, leaves = ranking.pool[ranking.kept[: settings.candidates]], ranking.leaves
    whole = units(leaves, chosen.tolist(), settings, max_tokens, text)
    spans = [clear_span(leaves, ranking.passing, *one) for one in zip(chosen.tolist(), whole, strict=True)]
    documents = ranking.leaves.documents[chosen].tolist()
    read = [text(document)[span.start : span.end] for document, span in zip(documents, spans, strict=True)]
    if settings.prefix:
        read = list(map(below, above(ranking.leaves.rows[chosen].tolist()), read))
    return read, spans


def placed(readings: Readings, passages: Sequence[str], spans: Sequence[Span]) -> Readings:
    """The readings with their marks by places in the documents. ``passages``, ``spans``: as ``candidates`` has them."""

    def moved(marks: Marks | None, passage: str, span: Span) -> Marks | None:
        return marks and marks.moved(span.end - len(passage), span.start)

    return replace(readings, marks=tuple(map(moved, readings.marks, passages, spans)))


def reordered(ranking: Ranking, readings: Readings, settings: RerankingSettings, started: float) -> Ranking:
    """The ranking in the order that it and the readings of its candidates make. ``started``: by ``perf_counter``."""
    chosen = ranking.pool[ranking.kept[: len(readings.scores)]]
    documents = ranking.leaves.documents[chosen]
    lifted = lifted_by_neighbours(readings.scores, chosen, documents, settings.neighbour_share)
    found = reorder(ranking.final[ranking.kept], replace(readings, scores=lifted), settings)
    made = _appended(ranking, "reranked", found.scores, found.order, found.dropped, started)
    marked = zip(chosen.tolist(), readings.marks, strict=False)
    made = replace(made, marks={leaf: marks for leaf, marks in marked if marks is not None})
    likely = probabilities(readings, settings)
    if likely is None:
        return made
    column = np.full(len(ranking.pool), np.nan)
    column[ranking.kept[: len(likely)]] = likely
    return replace(made, probabilities=column)


class RerankerCache:
    """Holds the loaded re-ranker and, in ``readings``, its scores for the passages of the latest questions.

    Any thread may ask.
    """

    def __init__(self, readings: LruCache[Readings]) -> None:
        self._readings = readings
        self._loaded: tuple[Hashable, Reranker] | None = None  # one at a time: it may take a gigabyte
        self._lock = Lock()

    def reranked(
        self, ranking: Ranking, settings: RerankingSettings, text: Text, above: Above, progress: Progress | None = None
    ) -> Ranking:
        """The ranking in the order of the re-ranker; itself where the stage is off.

        ``progress(done, total)`` gets passages read; it may raise to stop. Raises ``ModelError`` without the model.
        """
        if settings.off or not len(ranking.kept):
            return ranking
        started = perf_counter()
        named, model = self._model(settings)
        passages, spans = candidates(ranking, settings, model.max_tokens, text, above)
        key = (named, ranking.question, tuple(passages), tuple(spans))
        readings = self._readings.get(key)
        if readings is None:
            readings = read(ranking.question, passages, model, settings, progress)
            readings = placed(readings, passages, spans)
            if not readings.note:  # with more time more would have been read
                self._readings.put(key, readings)
        return replace(
            reordered(ranking, readings, settings, started),
            notes=(*ranking.notes, readings.note) if readings.note else ranking.notes,
        )

    def _model(self, settings: RerankingSettings) -> tuple[Hashable, Reranker]:
        """The settings' model, and the key that tells it from others."""
        key = (settings.model, settings.precision, settings.max_tokens)
        with self._lock:
            if self._loaded is None or self._loaded[0] != key:
                self._loaded = None  # before the next is loaded beside it
                self._loaded = key, load_reranker(settings)
            return self._loaded


def _appended(
    ranking: Ranking,
    stage: str,
    scores: Scores,
    order: NDArray[np.int64],
    dropped: Mapping[int, str],
    started: float,
) -> Ranking:
    """The ranking with one stage more. ``scores``, ``order`` and ``dropped`` are of the leaves kept so far."""
    column = np.full(len(ranking.pool), np.nan)
    column[ranking.kept] = scores
    return replace(
        ranking,
        scores={**ranking.scores, stage: column},
        kept=ranking.kept[order],
        dropped={**ranking.dropped, **{int(ranking.kept[entry]): why for entry, why in dropped.items()}},
        timings_ms={**ranking.timings_ms, stage: (perf_counter() - started) * 1000},
    )


def units(
    leaves: LeafTable,
    chosen: Sequence[int],
    settings: RerankingSettings,
    max_tokens: int,
    text_of: Callable[[int], str],
) -> list[Span]:
    """The span to be read for each chosen leaf (indices into ``leaves``), in order; it holds the leaf.

    ``max_tokens``: what the re-ranker reads at once. ``text_of(document)``: the canonical text. A longer unit is cut
    around its leaf: a model that drops the end of what is too long would judge a passage by its neighbours.
    """
    room = max_tokens * CHARACTERS_PER_TOKEN
    found: list[Span] = []
    for leaf in chosen:
        child = Span(int(leaves.starts[leaf]), int(leaves.ends[leaf]))
        unit = child
        if settings.unit != "child":
            text = text_of(int(leaves.documents[leaf]))
            first, last = family(leaves, leaf)
            unit = Span(int(leaves.starts[first]), int(leaves.ends[first : last + 1].max()))
            if settings.unit == "window":
                limits = unit if leaves.parent_rows[leaf] >= 0 else Span(0, len(text))
                near = Span(max(limits.start, child.start - room), min(limits.end, child.end + room))
                unit = window(text, child, near, settings.window_sentences)
            unit = around(text, child, unit, room)
        found.append(unit)
    return found


def window(text: str, child: Span, limits: Span, sentences: int) -> Span:
    """The child and so many whole sentences on each side of it, within the limits; 0 leaves it as it is.

    >>> text = "One. Two. Three. Four. Five."
    >>> found = window(text, Span(10, 16), Span(0, 22), 1)
    >>> text[found.start : found.end]
    'Two. Three. Four.'
    """
    before = sentence_spans(text, limits.start, child.start)[-sentences:] if sentences else []
    after = sentence_spans(text, child.end, limits.end)[:sentences] if sentences else []
    return Span(before[0].start if before else child.start, after[-1].end if after else child.end)


def around(text: str, child: Span, unit: Span, room: int) -> Span:
    """The part of the unit around the child that has at most ``room`` characters, cut at white space where it can be.

    A child that alone is longer is left whole.

    >>> text = "one two three four five six seven"
    >>> found = around(text, Span(14, 18), Span(0, 33), 16)
    >>> text[found.start : found.end]
    'three four five'
    """
    if unit.length <= room or child.length >= room:
        return unit if unit.length <= room else child
    side = (room - child.length) // 2
    start = max(unit.start, min(child.start - side, unit.end - room))
    end = min(unit.end, start + room)
    start, end = min(start, child.start), max(end, child.end)
    while start > unit.start and start < child.start and not text[start - 1].isspace():
        start += 1
    while end < unit.end and end > child.end and not text[end].isspace():
        end -= 1
    while end > child.end and text[end - 1].isspace():
        end -= 1
    return Span(start, end)
