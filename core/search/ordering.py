"""The stages after fusion, which score the kept leaves only: diversification, then re-ranking."""

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
    boost_by_neighbours,
    probabilities,
    read,
    reorder,
)
from core.search.ranking.stage_scores import Ranking
from core.settings import DiversitySettings, RerankingSettings
from core.settings.searching import PACKAGED_RERANKER
from core.storage.index.leaves import LeafTable
from core.text.languages import is_in_latin_letters
from core.text.sentences import sentence_spans
from core.types import Span

Text = Callable[[int], str]
"""The canonical text of a document, by its ordinal."""
Prefixes = Callable[[Sequence[int]], Sequence[str]]
"""The prefixes of leaves (title, headings, table header), by their rows; "" for a leaf without one."""
Progress = Callable[[int, int], None]
UNLEARNED_LETTERS = "The re-ranker learned from English: a question in other letters keeps the order of the search."
CHARACTERS_PER_TOKEN = 4  # of English prose; a text with fewer is cut by the model, but its leaf is in the middle


def diversified(ranking: Ranking, settings: DiversitySettings) -> Ranking:
    """The ranking with near-repetitions moved down; unchanged when the stage is off."""
    if settings.off or not len(ranking.kept):
        return ranking
    started = perf_counter()
    vectors = ranking.leaves.vectors.of(ranking.pool[ranking.kept])
    order, scores = diversify(ranking.final[ranking.kept], vectors, settings)
    return _with_stage(ranking, "diverse", scores, order, {}, started)


def candidate_passages(
    ranking: Ranking, settings: RerankingSettings, max_tokens: int, text: Text, prefixes: Prefixes
) -> tuple[list[str], list[Span]]:
    """The passage a re-ranker reads for each candidate, best first, and its span in the document.

    The span is the unit of the settings, cut to ``max_tokens`` and without text that the question excludes. The leaf's
    prefix comes before it, on lines of its own; the span does not include it.
    """
    leaves = ranking.leaves
    candidates = ranking.pool[ranking.kept[: settings.candidates]]
    spans = [
        clear_span(leaves, ranking.passing, leaf, span)
        for leaf, span in zip(
            candidates.tolist(), reading_spans(leaves, candidates.tolist(), settings, max_tokens, text), strict=True
        )
    ]
    documents = leaves.documents[candidates].tolist()
    passages = [text(document)[span.start : span.end] for document, span in zip(documents, spans, strict=True)]
    return list(map(below, prefixes(leaves.rows[candidates].tolist()), passages)), spans


def in_documents(readings: Readings, passages: Sequence[str], spans: Sequence[Span]) -> Readings:
    """The readings with marks by offset in the document instead of in the passage.

    ``passages``, ``spans``: from ``candidate_passages``.
    """

    def moved(marks: Marks | None, passage: str, span: Span) -> Marks | None:
        return marks and marks.moved(span.end - len(passage), span.start)

    return replace(readings, marks=tuple(map(moved, readings.marks, passages, spans)))


def reorder_ranking(ranking: Ranking, readings: Readings, settings: RerankingSettings, started: float) -> Ranking:
    """The ranking re-ordered by the readings of its candidates. ``started``: when, by ``perf_counter``."""
    candidates = ranking.pool[ranking.kept[: len(readings.scores)]]
    documents = ranking.leaves.documents[candidates]
    scores = boost_by_neighbours(readings.scores, candidates, documents, settings.neighbour_share)
    reranked = reorder(ranking.final[ranking.kept], replace(readings, scores=scores), settings)
    result = _with_stage(ranking, "reranked", reranked.scores, reranked.order, reranked.dropped, started)
    marked = zip(candidates.tolist(), readings.marks, strict=False)
    result = replace(result, marks={leaf: marks for leaf, marks in marked if marks is not None})
    candidate_probabilities = probabilities(readings, settings)
    if candidate_probabilities is None:
        return result
    pool_probabilities = np.full(len(ranking.pool), np.nan)
    pool_probabilities[ranking.kept[: len(candidate_probabilities)]] = candidate_probabilities
    return replace(result, probabilities=pool_probabilities)


class RerankerCache:
    """The loaded re-ranker and, in ``readings``, its output for the passages of the latest questions. Thread-safe."""

    def __init__(self, readings: LruCache[Readings]) -> None:
        self._readings = readings
        self._loaded: tuple[Hashable, Reranker] | None = None  # one only: a model may take a gigabyte
        self._lock = Lock()

    def reranked(
        self,
        ranking: Ranking,
        settings: RerankingSettings,
        text: Text,
        prefixes: Prefixes,
        progress: Progress | None = None,
    ) -> Ranking:
        """The re-ranked ranking; unchanged when the stage is off.

        Also unchanged is that of a question in other than Latin letters by the packaged model, which learned from
        English; a note says so.

        ``progress(done, total)`` counts the passages read; it may raise to stop. Raises ``ModelError`` when the model
        cannot be loaded or fails.
        """
        if settings.off or not len(ranking.kept):
            return ranking
        if settings.model == PACKAGED_RERANKER and not is_in_latin_letters(ranking.question):
            return replace(ranking, notes=(*ranking.notes, UNLEARNED_LETTERS))
        started = perf_counter()
        model_key, model = self._model(settings)
        passages, spans = candidate_passages(ranking, settings, model.max_tokens, text, prefixes)
        key = (model_key, ranking.question, tuple(passages), tuple(spans))
        readings = self._readings.get(key)
        if readings is None:
            readings = read(ranking.question, passages, model, settings, progress)
            readings = in_documents(readings, passages, spans)
            if not readings.note:  # incomplete readings are not cached: next time the model may read more
                self._readings.put(key, readings)
        return replace(
            reorder_ranking(ranking, readings, settings, started),
            notes=(*ranking.notes, readings.note) if readings.note else ranking.notes,
        )

    def _model(self, settings: RerankingSettings) -> tuple[Hashable, Reranker]:
        """A key that identifies the settings' model, and the model, loaded if needed."""
        key = (settings.model, settings.precision, settings.max_tokens)
        with self._lock:
            if self._loaded is None or self._loaded[0] != key:
                self._loaded = None  # frees the previous model before the next one is loaded
                self._loaded = key, load_reranker(settings)
            return self._loaded


def _with_stage(
    ranking: Ranking,
    stage: str,
    scores: Scores,
    order: NDArray[np.int64],
    dropped: Mapping[int, str],
    started: float,
) -> Ranking:
    """The ranking with one more stage. ``scores``, ``order`` and ``dropped`` refer to positions in ``ranking.kept``."""
    column = np.full(len(ranking.pool), np.nan)
    column[ranking.kept] = scores
    return replace(
        ranking,
        scores={**ranking.scores, stage: column},
        kept=ranking.kept[order],
        dropped={**ranking.dropped, **{int(ranking.kept[entry]): reason for entry, reason in dropped.items()}},
        timings_ms={**ranking.timings_ms, stage: (perf_counter() - started) * 1000},
    )


def reading_spans(
    leaves: LeafTable,
    candidates: Sequence[int],
    settings: RerankingSettings,
    max_tokens: int,
    text: Text,
) -> list[Span]:
    """The span that a re-ranker reads for each candidate (indices into ``leaves``); it contains the leaf.

    ``max_tokens``: the re-ranker's limit. ``text(document)``: the canonical text. A longer unit is trimmed around its
    leaf: a model that truncates at the end could lose the leaf itself.
    """
    most_characters = max_tokens * CHARACTERS_PER_TOKEN
    spans: list[Span] = []
    for leaf in candidates:
        child = Span(int(leaves.starts[leaf]), int(leaves.ends[leaf]))
        if settings.unit == "child":
            spans.append(child)
            continue
        body = text(int(leaves.documents[leaf]))
        first, last = family(leaves, leaf)
        unit = Span(int(leaves.starts[first]), int(leaves.ends[first : last + 1].max()))
        if settings.unit == "window":
            limits = unit if leaves.parent_rows[leaf] >= 0 else Span(0, len(body))
            reach = Span(max(limits.start, child.start - most_characters), min(limits.end, child.end + most_characters))
            unit = sentence_window(body, child, reach, settings.window_sentences)
        spans.append(trim_around(body, child, unit, most_characters))
    return spans


def sentence_window(text: str, child: Span, limits: Span, sentences: int) -> Span:
    """The child extended by this many whole sentences on each side, within the limits; 0 returns the child.

    >>> text = "One. Two. Three. Four. Five."
    >>> found = sentence_window(text, Span(10, 16), Span(0, 22), 1)
    >>> text[found.start : found.end]
    'Two. Three. Four.'
    """
    before = sentence_spans(text, limits.start, child.start)[-sentences:] if sentences else []
    after = sentence_spans(text, child.end, limits.end)[:sentences] if sentences else []
    return Span(before[0].start if before else child.start, after[-1].end if after else child.end)


def trim_around(text: str, child: Span, unit: Span, most_characters: int) -> Span:
    """The unit trimmed around the child to at most ``most_characters``, at white space where possible.

    A longer child is returned whole.

    >>> text = "one two three four five six seven"
    >>> found = trim_around(text, Span(14, 18), Span(0, 33), 16)
    >>> text[found.start : found.end]
    'three four five'
    """
    if unit.length <= most_characters or child.length >= most_characters:
        return unit if unit.length <= most_characters else child
    side = (most_characters - child.length) // 2
    start = max(unit.start, min(child.start - side, unit.end - most_characters))
    end = min(unit.end, start + most_characters)
    start, end = min(start, child.start), max(end, child.end)
    while start > unit.start and start < child.start and not text[start - 1].isspace():
        start += 1
    while end < unit.end and end > child.end and not text[end].isspace():
        end -= 1
    while end > child.end and text[end - 1].isspace():
        end -= 1
    return Span(start, end)
