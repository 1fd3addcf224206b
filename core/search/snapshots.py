"""Selections of leaves: the whole library or the part a question searches, cached while the library does not change."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from threading import Lock

import numpy as np

from core.search.memory import SearchMemory
from core.search.question.analysis import Keys, Understanding, understand
from core.search.ranking.snapshot import Snapshot
from core.settings import UnderstandingSettings
from core.storage.catalogue.filing.conditions import OF_SOURCES, Condition, conditions_key, resolve
from core.storage.catalogue.filing.names import ALL_DOCUMENTS, Scope, versions_in
from core.storage.catalogue.filing.source_metadata import KnownNames, SourceMetadata, known, source_metadata
from core.storage.index.leaves import load_leaves, narrow, select
from core.storage.store import Store

PARTS_BYTES = 256_000_000  # bound of the cached parts together, in libraries too large to keep their vectors in memory


@dataclass(frozen=True, slots=True)
class Part:
    """The part of the library that a question searches.

    ``scope``: the chosen documents. ``conditions``: from the question's operators, () for none.
    """

    scope: Scope = ALL_DOCUMENTS
    conditions: tuple[Condition, ...] = ()

    @property
    def everything(self) -> bool:
        """Whether the part is the whole library."""
        return not self.conditions and self.scope.everything

    @property
    def documents(self) -> Part:
        """The part without its conditions on text: it selects whole documents, by scope and conditions on sources."""
        return Part(self.scope, tuple(one for one in self.conditions if one.kind in OF_SOURCES))

    @property
    def key(self) -> tuple[Scope, str]:
        """Equal for parts that select the same leaves."""
        return self.scope, conditions_key(self.conditions)


@dataclass(frozen=True, slots=True, eq=False)
class LeafSelection:
    """The leaves that a part of the library selects.

    ``snapshot``: these leaves. ``unmatched``: conditions that were ignored because no leaf holds their phrase.
    ``copied_bytes``: memory taken beside the table of all leaves, 0 when nothing was copied. ``library_leaves``: the
    number of leaves in the whole library.
    """

    snapshot: Snapshot
    unmatched: tuple[Condition, ...] = ()
    copied_bytes: int = 0
    library_leaves: int = 0


@dataclass(frozen=True, slots=True)
class SourceNames:
    """``sources``: the metadata that operators filter by. ``known``: the names that a question's operators may use."""

    sources: tuple[SourceMetadata, ...]
    known: KnownNames


class Snapshots:
    """The leaves in the catalogue, whole and in parts; reloaded only when the catalogue changed. Thread-safe.

    ``check(generation)`` raises when another embedder made the vectors.
    """

    def __init__(self, store: Store, memory: SearchMemory, check: Callable[[int], None]) -> None:
        self._store, self._memory, self._check = store, memory, check
        self._lock = Lock()
        self._whole: Snapshot | None = None

    def select(self, part: Part) -> LeafSelection:
        """The leaves of a part as they are now."""
        with self._store.reading(), self._lock:
            return self._selection(self._all_leaves(), part)

    def _selection(self, whole: Snapshot, part: Part) -> LeafSelection:
        if part.everything:
            return LeafSelection(whole, library_leaves=len(whole.leaves))
        key = (self._store.revision(), part.key)
        cached = self._memory.parts.get(key)
        if cached is not None:
            return cached
        selection = self._narrowed(whole, part)
        vectors, passing = selection.snapshot.leaves.vectors, selection.snapshot.passing
        copied_bytes = 0 if vectors is whole.leaves.vectors else vectors.nbytes
        copied_bytes += 0 if passing is None else passing.nbytes
        selection = replace(selection, copied_bytes=copied_bytes, library_leaves=len(whole.leaves))
        return self._memory.parts.put(key, selection)

    def _all_leaves(self) -> Snapshot:
        previous = self._whole
        leaves = load_leaves(self._store, previous.leaves if previous else None)
        if previous is not None and leaves is previous.leaves:
            return previous
        if leaves.generation:
            self._check(leaves.generation)
        # A part copies its vectors: all cached parts together take no more memory than the vectors of the whole.
        self._memory.parts.capacity = min(leaves.vectors.nbytes, PARTS_BYTES)
        self._memory.drop_snapshots()
        self._whole = Snapshot.of(leaves)
        return self._whole

    def _narrowed(self, whole: Snapshot, part: Part) -> LeafSelection:
        """The leaves of a part: a table of whole documents, and a mask over it where conditions filter by text."""
        if not part.conditions:
            return LeafSelection(Snapshot.of(narrow(whole.leaves, versions_in(self._store, part.scope))))
        scoped = self._selection(whole, Part(part.scope)).snapshot
        # Lenient: a phrase that no leaf holds is ignored, since people quote terms that documents spell otherwise.
        passing = resolve(self._store, scoped.leaves, part.conditions, self._source_names().sources, lenient=True)
        if part.documents == part:
            return LeafSelection(scoped if passing.mask.all() else Snapshot.of(select(scoped.leaves, passing.mask)))
        documents = self._selection(whole, part.documents).snapshot
        selected_documents = np.zeros(len(scoped.leaves.version_ids), bool)
        selected_documents[documents.leaves.documents] = True
        within_documents = passing.subset(selected_documents[scoped.leaves.documents])
        if within_documents.mask.all() and within_documents.excluded is None:
            return LeafSelection(documents, passing.aside)
        return LeafSelection(replace(documents, passing=within_documents), passing.aside)

    def understand(
        self,
        question: str,
        settings: UnderstandingSettings,
        ignored: Keys = frozenset(),
    ) -> Understanding:
        """``question.analysis.understand`` with the names of this library.

        ``ignored``: keys of the operators and texts that the user removed.
        """
        with self._store.reading():
            return understand(question, settings, self._source_names().known, ignored)

    def document_date(self, version_id: str) -> str:
        """A document's date in ISO form, or its first and last date joined by "to"; "" where it has none."""
        days = next((one.days for one in self._source_names().sources if one.version_id == version_id), None)
        return "" if days is None else " to ".join(dict.fromkeys(day.isoformat() for day in days))

    def _source_names(self) -> SourceNames:
        def load() -> SourceNames:
            sources = source_metadata(self._store)
            return SourceNames(sources, known(self._store, sources))

        return self._memory.names.get_or_create(self._store.revision(), load)
