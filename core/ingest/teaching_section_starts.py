"""What a library's own documents teach its chunkers: where sections start, learned from the headings that are there."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping

from core.chunking.signals.section_starts import Examples, TrainedStarts, section_examples, train_section_starts
from core.chunking.signals.series import sentences
from core.embedding import CachedEncoder, EmbeddingModel
from core.errors import ModelError
from core.settings import ChunkingSettings
from core.storage.catalogue import documents
from core.storage.catalogue.recipes import overrides
from core.storage.index.cache import CatalogueVectors
from core.storage.store import Store
from core.types import Document, Span

SECTION_STARTS = "section_starts"  # the library's own value that keeps the classifier
_HEADINGS = "headings"  # beside the classifier: how many the library had when they taught it
_MOST_SENTENCES = 20_000  # to learn from: some minutes of encoding where none of them was read before
_FEWEST_HEADINGS = 2
_OUTGROWN = 2  # times the headings that taught it

Progress = Callable[[int, int], None]


def known_starts(store: Store, model: EmbeddingModel) -> TrainedStarts | None:
    """The classifier that was learned with this embedder; ``None`` where none was, or what is kept is damaged."""
    known = _kept(store, model)
    return known[0] if known else None


def outgrown(store: Store, model: EmbeddingModel) -> bool:
    """Whether the library has at least twice the headings that taught it; ``False`` where nothing was learned."""
    known = _kept(store, model)
    return known is not None and sum(documents.heading_counts(store).values()) >= _OUTGROWN * known[1]


def teach(store: Store, model: EmbeddingModel, progress: Progress | None = None) -> TrainedStarts | None:
    """Learn where sections start from the library's documents with headings, and keep it.

    ``None`` where they have too few; what was known before is forgotten then. ``progress(done, total)`` counts the
    sentences that must be encoded, and may raise to stop: then what was known before stays. The same
    documents teach the same.
    """
    counted = documents.heading_counts(store)
    lessons = _lessons(store, model, counted, progress)
    total = sum(len(lesson.starts) for lesson in lessons)
    if progress:
        progress(total, total)
    starts = train_section_starts(lessons, model.encoder.fingerprint)
    kept = json.dumps({**starts.to_dict(), _HEADINGS: sum(counted.values())}) if starts else None
    store.set_meta(SECTION_STARTS, kept)
    return starts


def renew(
    store: Store,
    model: EmbeddingModel,
    chunking: ChunkingSettings,
    progress: Progress | None = None,
    *,
    anyway: bool = False,
) -> None:
    """``teach`` again what a recipe in use was taught, where the library has outgrown it, or ``anyway``.

    ``chunking``: the library's recipe; those of kinds and documents count as well.
    """
    in_use = any(recipe.chunker == "learned" for recipe in (chunking, *overrides(store).values()))
    if store.writable and in_use and (anyway or outgrown(store, model)):
        teach(store, model, progress)


def starts_for(
    store: Store, model: EmbeddingModel, chunker: str, progress: Progress | None = None, *, learn: bool = True
) -> TrainedStarts | None:
    """The classifier a chunker needs: for ``learned`` what is known, or what is learned now where this process writes.

    ``learn`` ``False``: nothing is learned, only looked up.
    """
    if chunker != "learned":
        return None
    known = known_starts(store, model)
    return known if known or not learn or not store.writable else teach(store, model, progress)


def _kept(store: Store, model: EmbeddingModel) -> tuple[TrainedStarts, int] | None:
    """What was learned with this embedder, and how many headings the library had then."""
    text = store.meta(SECTION_STARTS)
    if not text:
        return None
    try:
        kept = json.loads(text)
        starts = TrainedStarts.from_dict(kept)
        headings = int(kept.get(_HEADINGS, starts.sections))  # older ones were kept without
    except (ValueError, ModelError):
        return None
    return (starts, headings) if starts.encoder == model.encoder.fingerprint else None


def _lessons(
    store: Store, model: EmbeddingModel, counted: Mapping[str, int], progress: Progress | None
) -> list[Examples]:
    """What each document teaches, in the order of their versions' hashes: another order of adding changes nothing.

    ``counted``: headings by version.
    """
    taken: list[tuple[Document, tuple[Span, ...]]] = []
    room = _MOST_SENTENCES
    for version_id in sorted(counted):
        if not _FEWEST_HEADINGS <= counted[version_id] <= room:
            continue
        document = documents.document(store, version_id)
        spans = tuple(sentences(document))
        if len(spans) <= room:
            room -= len(spans)
            taken.append((document, spans))
        if progress and taken:
            progress(0, _MOST_SENTENCES - room)
    encoder = CachedEncoder(model.encoder, CatalogueVectors(store), writable=store.writable, progress=progress)
    vectors = encoder.encode([document.text[span.start : span.end] for document, spans in taken for span in spans])
    found, first = [], 0
    for document, spans in taken:
        found.append(section_examples(document, spans, vectors[first : first + len(spans)]))
        first += len(spans)
    return [lesson for lesson in found if lesson is not None]
