"""What a library's own documents teach its chunkers: where sections start, learned from the headings that are there."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator

from core.chunking.section_starts import Examples, TrainedStarts, section_examples, train_section_starts
from core.chunking.series import sentences
from core.embedding import EmbeddingModel, over_cache
from core.errors import ModelError
from core.storage import documents, sources
from core.storage.cache import CatalogueVectors
from core.storage.store import Store
from core.types import BlockKind

SECTION_STARTS = "section_starts"  # the library's own value that keeps the classifier
_MOST_SENTENCES = 20_000  # to learn from: some minutes of encoding where none of them was read before
_FEWEST_HEADINGS = 2

Progress = Callable[[int, int], None]


def known_starts(store: Store, model: EmbeddingModel) -> TrainedStarts | None:
    """The classifier that was learned with this embedder; ``None`` where none was, or what is kept is damaged."""
    kept = store.meta(SECTION_STARTS)
    if not kept:
        return None
    try:
        starts = TrainedStarts.from_dict(json.loads(kept))
    except (ValueError, ModelError):
        return None
    return starts if starts.encoder == model.encoder.fingerprint else None


def teach(store: Store, model: EmbeddingModel, progress: Progress | None = None) -> TrainedStarts | None:
    """Learn where sections start from the library's documents with headings, and keep it.

    ``None`` where they have too few; what was known before is forgotten then. ``progress`` counts the sentences of one
    document that must be encoded, and may raise to stop. The same documents teach the same.
    """
    starts = train_section_starts(_lessons(store, model, progress), model.encoder.fingerprint)
    store.set_meta(SECTION_STARTS, json.dumps(starts.to_dict()) if starts else None)
    return starts


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


def _lessons(store: Store, model: EmbeddingModel, progress: Progress | None) -> Iterator[Examples]:
    """What each document teaches, in the order of their versions' hashes: another order of adding changes nothing."""
    encoder = over_cache(model.encoder, CatalogueVectors(store), writable=store.writable, progress=progress)
    room = _MOST_SENTENCES
    for version_id in sorted({row.version_id for row in sources.sources(store)}):
        document = documents.document(store, version_id)
        headings = sum(block.kind == BlockKind.HEADING for block in document.blocks)
        if headings < _FEWEST_HEADINGS:
            continue
        spans = sentences(document)
        if len(spans) > room:
            continue
        room -= len(spans)
        vectors = encoder.encode([document.text[span.start : span.end] for span in spans])
        if (lesson := section_examples(document, spans, vectors)) is not None:
            yield lesson
