"""One cut of one document, and all that the page shows of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

from core.chunking import Replayed, encoder_inputs
from core.chunking.edits.edits import Conflict
from core.embedding import vector_key
from core.enriching import Features, enrich
from core.enriching.twins import Twin, closest, twins
from core.inspecting.findings import Health, unread
from core.inspecting.health import diagnose
from core.library import Library
from core.settings import ChunkingSettings
from core.types import Audit, ChunkTree, Span
from pages.ui.reader import readings
from pages.ui.reader.data import Reading, read_cut
from pages.ui.shared.tasks import Task


class Cut:
    """One cut of one document, and what the page shows of it, each made when it is first shown."""

    def __init__(
        self, library: Library, settings: ChunkingSettings, made: Replayed, audited: Audit, *, stored: bool = False
    ) -> None:
        """``stored``: it is the cut that the library holds, and so is what was found out about its chunks."""
        self.library, self.settings, self.made, self.audit = library, settings, made, audited
        self.enriching = library.settings.enriching
        self.stored = stored
        self.sentences: Sequence[Span] | None = None

    @property
    def tree(self) -> ChunkTree:
        return self.made.tree

    @property
    def version(self) -> str:
        return self.tree.document.version_id

    @property
    def conflicts(self) -> Sequence[Conflict]:
        """The edits that this cut has no place for."""
        return self.made.conflicts

    @cached_property
    def reading(self) -> Reading:
        """As the reader draws it."""
        model, kinds = self.library.model, self.settings.read_prefix
        limit = model.encoder.max_tokens
        tails = unread(self.tree, model.counter, limit, kinds)
        return read_cut(readings.text(self.version), self.tree, self.audit, limit, tails, kinds)

    @cached_property
    def health(self) -> Health:
        model = self.library.model
        limit = model.encoder.max_tokens
        return diagnose(self.tree, limit, self.settings, model.counter, self.sentences, self.audit, self.twins)

    @cached_property
    def keys(self) -> tuple[str, ...]:
        """Of the leaves' vectors, in order."""
        model = self.library.model
        inputs = encoder_inputs(self.tree, self.settings, model.counter, model.encoder.max_tokens)
        return tuple(vector_key(model.encoder.fingerprint, text) for text in inputs)

    @cached_property
    def twins(self) -> tuple[Twin, ...]:
        """Leaves that nearly repeat an earlier one, as nearly as the library's settings say."""
        return closest(twins((leaf.text for leaf in self.tree.leaves), self.enriching.twin_similarity))

    @cached_property
    def features(self) -> Task[Mapping[str, Features]]:
        """What is found out about every chunk, by its id: in a thread, for a long text takes seconds."""
        return Task("features", lambda _: self._features())

    def _features(self) -> Mapping[str, Features]:
        return self.library.features(self.version) if self.stored else enrich(self.tree, self.enriching)

    def unknown(self) -> int:
        """Distinct texts whose vectors this library does not have."""
        keys = list(dict.fromkeys(self.keys))
        return len(keys) - len(self.library.vectors.known(keys))
