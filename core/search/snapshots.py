"""The leaves as they are now, all or those a question asks, held in memory while the library does not change."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from threading import Lock

import numpy as np

from core.search.memory import SearchMemory
from core.search.question.analysis import Keys, Understanding, understand
from core.search.ranking.snapshot import Snapshot
from core.settings import UnderstandingSettings
from core.storage.catalogue.conditions import OF_SOURCES, Condition, conditions_key, resolve
from core.storage.catalogue.names import ALL_DOCUMENTS, Scope, versions_in
from core.storage.catalogue.source_metadata import KnownNames, SourceMetadata, known, source_metadata
from core.storage.index.leaves import load_leaves, narrow, select
from core.storage.store import Store

PARTS_BYTES = 256_000_000  # what parts of a large library may take, whose own vectors are not in memory


@dataclass(frozen=True, slots=True)
class Part:
    """Which leaves a question is asked of.

    ``scope``: chosen documents. ``conditions``: stated by the question's operators, () for none.
    """

    scope: Scope = ALL_DOCUMENTS
    conditions: tuple[Condition, ...] = ()

    @property
    def everything(self) -> bool:
        """Whether it selects every leaf."""
        return not self.conditions and self.scope.everything

    @property
    def documents(self) -> Part:
        """The part without its conditions on text: whole documents, by scope and conditions on sources."""
        return Part(self.scope, tuple(one for one in self.conditions if one.kind in OF_SOURCES))

    @property
    def key(self) -> tuple[Scope, str]:
        """Equal for parts that select the same leaves."""
        return self.scope, conditions_key(self.conditions)


@dataclass(frozen=True, slots=True, eq=False)
class LeafSelection:
    """The leaves that a part of the library selects.

    ``snapshot``: these leaves. ``aside``: phrases of the part that no leaf holds, and that therefore select nothing.
    ``copied``: bytes held beside the table of all leaves; 0 where nothing was copied. ``everything``: how many leaves
    the library has.
    """

    snapshot: Snapshot
    aside: tuple[Condition, ...] = ()
    copied: int = 0
    everything: int = 0


@dataclass(frozen=True, slots=True)
class SourceNames:
    """``sources``: what each is filtered by. ``known``: the names that a question's operators may use."""

    sources: tuple[SourceMetadata, ...]
    known: KnownNames


class Snapshots:
    """The leaves as the catalogue has them now, whole and in parts; loaded anew only when the catalogue changed.

    Any thread may ask. ``check(generation)`` raises where another embedder made the vectors.
    """

    def __init__(self, store: Store, memory: SearchMemory, check: Callable[[int], None]) -> None:
        self._store, self._memory, self._check = store, memory, check
        self._lock = Lock()
        self._whole: Snapshot | None = None

    def asked(self, part: Part) -> LeafSelection:
        """The leaves of a part as they are now."""
        with self._store.reading(), self._lock:
            return self._held(self._all(), part)

    def _held(self, whole: Snapshot, part: Part) -> LeafSelection:
        if part.everything:
            return LeafSelection(whole, everything=len(whole.leaves))
        key = (self._store.revision(), part.key)
        held = self._memory.parts.get(key)
        if held is None:
            made = self._narrowed(whole, part)
            vectors, passing = made.snapshot.leaves.vectors, made.snapshot.passing
            copied = 0 if vectors is whole.leaves.vectors else vectors.nbytes
            copied += 0 if passing is None else passing.nbytes
            held = self._memory.parts.put(key, replace(made, copied=copied, everything=len(whole.leaves)))
        return held

    def _all(self) -> Snapshot:
        previous = self._whole
        leaves = load_leaves(self._store, previous.leaves if previous else None)
        if previous is not None and leaves is previous.leaves:
            return previous
        if leaves.generation:
            self._check(leaves.generation)
        # A part of a large library has vectors of its own: all that is held of parts stays below the whole's.
        self._memory.parts.capacity = min(leaves.vectors.nbytes, PARTS_BYTES)
        self._memory.let_go()
        self._whole = Snapshot.of(leaves)
        return self._whole

    def _narrowed(self, whole: Snapshot, part: Part) -> LeafSelection:
        """A table of whole documents; what conditions on the text leave of them is a mask over it."""
        if not part.conditions:
            return LeafSelection(Snapshot.of(narrow(whole.leaves, versions_in(self._store, part.scope))))
        scoped = self._held(whole, Part(part.scope)).snapshot
        # A phrase that no leaf has is set aside: people put terms in quotation marks that documents spell otherwise.
        passing = resolve(self._store, scoped.leaves, part.conditions, self._source_names().sources, lenient=True)
        if part.documents == part:
            everything = passing.mask.all()
            return LeafSelection(scoped if everything else Snapshot.of(select(scoped.leaves, passing.mask)))
        documents = self._held(whole, part.documents).snapshot
        inside = np.zeros(len(scoped.leaves.version_ids), bool)
        inside[documents.leaves.documents] = True
        left = passing.subset(inside[scoped.leaves.documents])
        if left.mask.all() and left.excluded is None:
            return LeafSelection(documents, passing.aside)
        return LeafSelection(replace(documents, passing=left), passing.aside)

    def understand(
        self,
        question: str,
        settings: UnderstandingSettings,
        ignored: Keys = frozenset(),
    ) -> Understanding:
        """``understand`` with the names of this library. ``ignored``: keys of chips that were taken away."""
        with self._store.reading():
            return understand(question, settings, self._source_names().known, ignored)

    def dated(self, version_id: str) -> str:
        """What a document is dated by, a day or the first and the last of several; "" where it is not there."""
        days = next((one.days for one in self._source_names().sources if one.version_id == version_id), None)
        return "" if days is None else " to ".join(dict.fromkeys(day.isoformat() for day in days))

    def _source_names(self) -> SourceNames:
        def load() -> SourceNames:
            sources = source_metadata(self._store)
            return SourceNames(sources, known(self._store, sources))

        return self._memory.names.get_or_create(self._store.revision(), load)
