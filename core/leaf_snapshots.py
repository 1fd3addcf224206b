"""The leaves as they are now, all or those a question asks, held in memory while the library does not change."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from threading import Lock

import numpy as np

from core.retrieval import Found, Snapshot
from core.retrieval.analysis import Keys, Understanding, understand
from core.retrieval.comparing import Comparison, leaves_with, rows_satisfying
from core.retrieval.fusion import Scores
from core.retrieval.leaning import boosts_of
from core.settings import UnderstandingSettings
from core.storage.conditions import OF_SOURCES, Condition, chosen, resolve
from core.storage.leaves import LeafTable, load_leaves, narrow, take
from core.storage.scopes import Scope, versions_in
from core.storage.section_types import SectionTypes, load_section_types
from core.storage.shelves import Known, Standing, known, load_standings
from core.storage.store import Store

# Tables with a comparison's numbers are looked for in the documents of so many of the best leaves.
COMPARED = 50


@dataclass(frozen=True, slots=True)
class Part:
    """Which of the leaves a question asks. ``scope``: ``None`` for all. ``conditions``: what it states itself."""

    scope: Scope | None = None
    conditions: tuple[Condition, ...] = ()

    @property
    def everything(self) -> bool:
        """Nothing is left out."""
        return not self.conditions and (self.scope is None or self.scope.everything)

    @property
    def documents(self) -> Part:
        """The whole documents it lies in, as far as scope and conditions on sources tell."""
        return Part(self.scope, tuple(one for one in self.conditions if one.kind in OF_SOURCES))

    @property
    def key(self) -> tuple[Scope | None, str]:
        """The same for parts that ask the same leaves."""
        return self.scope, chosen(self.conditions)


@dataclass(frozen=True, slots=True, eq=False)
class Asked:
    """The leaves of a part. ``aside``: its phrases that no leaf has, which were left out of account."""

    snapshot: Snapshot
    aside: tuple[Condition, ...] = ()


@dataclass(frozen=True, slots=True)
class _Shelves:
    revision: int
    standings: tuple[Standing, ...]
    known: Known


class Snapshots:
    """What questions are asked of. ``changed`` is called when the library is another than the one held."""

    def __init__(self, store: Store, check: Callable[[int], None], changed: Callable[[], None]) -> None:
        self._store, self._check, self._changed = store, check, changed
        self._lock = Lock()
        self._whole: Snapshot | None = None
        self._parts: dict[tuple[Scope | None, str], tuple[int, Asked]] = {}  # with their revision, oldest first
        self._shelves: _Shelves | None = None
        self._sections: SectionTypes | None = None

    def asked(self, part: Part) -> Asked:
        """The leaves of a part as they are now."""
        with self._store.reading(), self._lock:
            return self._held(self._all(), part)

    def _held(self, whole: Snapshot, part: Part) -> Asked:
        if part.everything:
            return Asked(whole)
        revision, held = self._parts.pop(part.key, (-1, Asked(whole)))
        if revision != self._store.revision():
            held = self._narrowed(whole, part)
        self._parts[part.key] = (self._store.revision(), held)
        # Of a part of the documents the vectors are copied: all that is held of parts stays below the whole's.
        while len(self._parts) > 1 and self._copied(whole) > whole.leaves.vectors.nbytes:
            del self._parts[next(iter(self._parts))]
        return held

    def _copied(self, whole: Snapshot) -> int:
        """Bytes held of parts beside the whole."""
        snapshots = [asked.snapshot for _, asked in self._parts.values()]
        tables = {id(one.leaves.vectors): one.leaves.vectors.nbytes for one in snapshots}
        tables.pop(id(whole.leaves.vectors), None)
        return sum(tables.values()) + sum(one.passing.nbytes for one in snapshots if one.passing is not None)

    def _all(self) -> Snapshot:
        previous = self._whole
        leaves = load_leaves(self._store, previous.leaves if previous else None)
        if previous is not None and leaves is previous.leaves:
            return previous
        if leaves.generation:
            self._check(leaves.generation)
        self._changed()
        self._parts.clear()
        self._whole = Snapshot.of(leaves)
        return self._whole

    def _narrowed(self, whole: Snapshot, part: Part) -> Asked:
        """A table of whole documents; what conditions on the text leave of them is a mask over it."""
        if part.scope is not None and not part.conditions:
            return Asked(Snapshot.of(narrow(whole.leaves, versions_in(self._store, part.scope))))
        scoped = self._held(whole, Part(part.scope)).snapshot
        # A phrase that no leaf has is set aside: people put terms in quotation marks that documents spell otherwise.
        passing = resolve(self._store, scoped.leaves, part.conditions, self._known().standings, lenient=True)
        if part.documents == part:
            everything = passing.mask.all()
            return Asked(scoped if everything else Snapshot.of(take(scoped.leaves, passing.mask)))
        documents = self._held(whole, part.documents).snapshot
        inside = np.zeros(len(scoped.leaves.version_ids), bool)
        inside[documents.leaves.documents] = True
        left = passing.taken(inside[scoped.leaves.documents])
        if left.mask.all() and left.barred is None:
            return Asked(documents, passing.aside)
        return Asked(replace(documents, passing=left), passing.aside)

    def understand(
        self,
        question: str,
        settings: UnderstandingSettings,
        ignored: Keys = frozenset(),
        stated: Keys = frozenset(),
    ) -> Understanding:
        """What a question asks for, by what there is to be named. Keys as ``understand`` has them."""
        with self._store.reading():
            return understand(question, settings, self._known().known, ignored, stated)

    def boosts(self, found: Found, settings: UnderstandingSettings) -> Scores:
        """(n,) float64 aligned with its leaves: what a question leans to, in standard deviations of the score."""
        understood = found.understood
        with self._store.reading():
            sections = None
            if settings.intent_boost and understood.intent:
                sections = self._sections = load_section_types(self._store, self._sections)
            shelves = self._known().standings
            return boosts_of(self._store, found.leaves, understood, settings, sections, shelves, found.passing)

    def compared(self, leaves: LeafTable, asked: Comparison | None, best: Sequence[int]) -> Scores | None:
        """(n,) float64 aligned with ``leaves``: 1 where a row of a table satisfies the comparison that is asked for.

        ``best``: indices of the leaves whose documents are looked at. ``None`` where nothing is compared.
        """
        if asked is None:
            return None
        documents = dict.fromkeys(leaves.documents[list(best)[:COMPARED]].tolist())
        with self._store.reading():
            rows = rows_satisfying(self._store, asked, [leaves.version_ids[document] for document in documents])
        return leaves_with(leaves, rows).astype(np.float64)

    def _known(self) -> _Shelves:
        revision = self._store.revision()
        if self._shelves is None or self._shelves.revision != revision:
            standings = load_standings(self._store)
            self._shelves = _Shelves(revision, standings, known(self._store, standings))
        return self._shelves
