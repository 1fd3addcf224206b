"""Training the classifier of the chunker ``learned``: it finds section starts, learned from the library's headings."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping

from core.chunking.signals.section_starts import Examples, TrainedStarts, section_examples, train_section_starts
from core.chunking.signals.series import sentences
from core.embedding import CachedEncoder, EmbeddingModel
from core.errors import ModelError
from core.settings import ChunkingSettings
from core.storage.catalogue.texts import documents
from core.storage.catalogue.texts.recipes import overrides
from core.storage.index.cache import CatalogueVectors
from core.storage.store import Store
from core.types import Document, Span

SECTION_STARTS = "section_starts"  # meta key of the classifier
_HEADINGS = "headings"  # stored with the classifier: the number of headings in the library when it was trained
_MAX_SENTENCES = 20_000  # of training data: some minutes of encoding
_MIN_HEADINGS = 2  # of a document to be used
_GROWTH = 2  # train again when the library has so many times the headings

Progress = Callable[[int, int], None]


def known_starts(store: Store, model: EmbeddingModel) -> TrainedStarts | None:
    """The stored classifier for this embedder; ``None`` if there is none or it is unreadable."""
    stored = _stored(store, model)
    return stored[0] if stored else None


def outgrown(store: Store, model: EmbeddingModel) -> bool:
    """Whether the library now has at least twice the headings it was trained with; ``False`` without a classifier."""
    stored = _stored(store, model)
    return stored is not None and sum(documents.heading_counts(store).values()) >= _GROWTH * stored[1]


def teach(store: Store, model: EmbeddingModel, progress: Progress | None = None) -> TrainedStarts | None:
    """Train a classifier on the library's documents with headings, and store it; deterministic.

    ``None``, also stored, if they have too few headings. ``progress(done, total)`` counts the sentences to encode; it
    may raise to stop, and the old classifier stays.
    """
    heading_counts = documents.heading_counts(store)
    examples = _examples(store, model, heading_counts, progress)
    total = sum(len(of_document.starts) for of_document in examples)
    if progress:
        progress(total, total)
    starts = train_section_starts(examples, model.encoder.fingerprint)
    packed = json.dumps({**starts.to_dict(), _HEADINGS: sum(heading_counts.values())}) if starts else None
    store.set_meta(SECTION_STARTS, packed)
    return starts


def renew(
    store: Store,
    model: EmbeddingModel,
    chunking: ChunkingSettings,
    progress: Progress | None = None,
    *,
    anyway: bool = False,
) -> None:
    """Train the classifier again if a recipe uses it and the library has outgrown it, or ``anyway``.

    ``chunking``: the library's settings; own recipes count as well.
    """
    in_use = any(recipe.chunker == "learned" for recipe in (chunking, *overrides(store).values()))
    if store.writable and in_use and (anyway or outgrown(store, model)):
        teach(store, model, progress)


def starts_for(
    store: Store, model: EmbeddingModel, chunker: str, progress: Progress | None = None, *, learn: bool = True
) -> TrainedStarts | None:
    """The classifier for a chunker: for ``learned`` the stored one, or one trained now; ``None`` for other chunkers.

    Without a stored one, ``None`` if ``learn`` is ``False`` or the library is read-only.
    """
    if chunker != "learned":
        return None
    known = known_starts(store, model)
    return known if known or not learn or not store.writable else teach(store, model, progress)


def _stored(store: Store, model: EmbeddingModel) -> tuple[TrainedStarts, int] | None:
    """The stored classifier for this embedder, and the number of headings in the library when it was trained."""
    text = store.meta(SECTION_STARTS)
    if not text:
        return None
    try:
        values = json.loads(text)
        starts = TrainedStarts.from_dict(values)
        headings = int(values.get(_HEADINGS, starts.sections))  # missing in early versions
    except (ValueError, ModelError):
        return None
    return (starts, headings) if starts.encoder == model.encoder.fingerprint else None


def _examples(
    store: Store, model: EmbeddingModel, heading_counts: Mapping[str, int], progress: Progress | None
) -> list[Examples]:
    """The training examples of each document, ordered by version id and so independent of when they were added.

    ``heading_counts``: by version id. Documents beyond ``_MAX_SENTENCES`` are left out.
    """
    selected: list[tuple[Document, tuple[Span, ...]]] = []
    room = _MAX_SENTENCES
    for version_id in sorted(heading_counts):
        if not _MIN_HEADINGS <= heading_counts[version_id] <= room:
            continue
        document = documents.document(store, version_id)
        spans = tuple(sentences(document))
        if len(spans) <= room:
            room -= len(spans)
            selected.append((document, spans))
        if progress and selected:
            progress(0, _MAX_SENTENCES - room)
    encoder = CachedEncoder(model.encoder, CatalogueVectors(store), writable=store.writable, progress=progress)
    vectors = encoder.encode([document.text[span.start : span.end] for document, spans in selected for span in spans])
    examples, offset = [], 0
    for document, spans in selected:
        examples.append(section_examples(document, spans, vectors[offset : offset + len(spans)]))
        offset += len(spans)
    return [of_document for of_document in examples if of_document is not None]
