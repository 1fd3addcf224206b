"""A document on the bench: its tokens and the vectors of its sentences, made once for all its cuts."""

from __future__ import annotations

from collections.abc import Sequence
from threading import RLock

import numpy as np

from core.applying import Tell
from core.chunking import Aids, Edit, Workpiece, audit, cut_edited
from core.embedding import over_cache
from core.library import Library
from core.settings import ChunkingSettings
from core.types import Document, Vectors
from pages.ui.chunks_cut import Cut
from pages.ui.chunks_tasks import Task

SLICE = 64  # sentences between two looks at whether to stop


class _Patient:
    """The library's encoder, asked in slices, so that whoever waits is told and can stop it."""

    def __init__(self, library: Library) -> None:
        own, cache = library.model.encoder, library.vectors
        self._encoder = over_cache(own, cache, writable=library.writable)
        self.fingerprint, self.dimension, self.max_tokens = own.fingerprint, own.dimension, own.max_tokens
        self.task: Task[object] | None = None
        self.done = False

    def encode(self, texts: Sequence[str], progress: object = None) -> Vectors:
        """``(len(texts), dimension)`` float32, unit norm. Raises ``CancelledError`` when its task is stopped."""
        vectors = np.empty((len(texts), self.dimension), dtype=np.float32)
        order = sorted(range(len(texts)), key=lambda place: len(texts[place]))  # a batch is padded to its longest
        for first in range(0, len(order), SLICE):
            if self.task:
                self.task.tell(first, len(order))
            part = order[first : first + SLICE]
            vectors[part] = self._encoder.encode([texts[place] for place in part])
        self.done = True
        return vectors


class Piece:
    """One document on the bench. One thread at a time works on it."""

    def __init__(self, library: Library, document: Document) -> None:
        self.library = library
        self.encoder = _Patient(library)
        self.work = Workpiece(document, library.model.counter, Aids(encoder=self.encoder))
        self._known: dict[str, tuple[int, Aids]] = {}
        self.lock = RLock()

    def cut(self, settings: ChunkingSettings, edits: Sequence[Edit], task: Task[Cut] | None = None) -> Cut:
        with self.lock:
            self.encoder.task = task  # type: ignore[assignment] # it is only told and asked to stop
            self.work.aids = self._aids(settings.chunker, task.tell if task else None)
            made = cut_edited(self.work, settings, edits, reads=self.library.model.encoder.max_tokens)
            cut = Cut(self.library, settings, made, audit(made.tree, made.switched_off))
            cut.sentences = self.work.series.spans if self.encoder.done else None
            return cut

    def _aids(self, chunker: str, tell: Tell | None) -> Aids:
        """What the chunker is handed; asked of the library once for each, and anew when the library has changed.

        What is to be learned for it may take minutes: ``tell`` may raise to stop that.
        """
        revision = self.library.revision()
        known = self._known.get(chunker)
        if known is None or known[0] != revision:
            known = (revision, self.library.cutting.aids(chunker, self.encoder, tell))
            self._known[chunker] = known
        return known[1]

    def vectors(self, task: Task[Vectors] | None = None) -> Vectors:
        """Of the document's sentences, in order."""
        with self.lock:
            self.encoder.task = task  # type: ignore[assignment] # as above
            found = self.work.series.vectors()
            assert found is not None  # noqa: S101 - it has an encoder
            return found

    @property
    def encoded(self) -> bool:
        """Whether the sentences' vectors are there already."""
        return self.encoder.done
