"""Consistency checks of a library (catalogue, originals, FTS5 index, Chroma), and repair of what can be repaired."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from core.errors import LecternError, StorageError
from core.storage import keepsakes, rescue, rows
from core.storage.catalogue.filing.sources import remove_strays
from core.storage.catalogue.texts.documents import text_hash
from core.storage.catalogue.texts.generations import generations
from core.storage.catalogue.texts.meaning import ENCODED
from core.storage.index.lexical import check_index
from core.storage.index.outbox import apply_if_possible
from core.storage.index.projection import compare_projection, rebuild_projection
from core.storage.schema.word_tables import content_table, index_table, rebuild_index
from core.storage.store import Store

_NORM_TOLERANCE = 1e-3
_CATALOGUE = "catalogue"
_CHROMA = "chroma"
_KEEPSAKES = keepsakes.FILE
_PROGRESS_INTERVAL = 200  # items between two calls of ``progress``

Item = TypeVar("Item")
Progress = Callable[[str, int, int], None]
"""Called with the name of the running check, the items done and their total (0 if it does not count items)."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One inconsistency: ``what`` is wrong, as a sentence, and ``where``.

    ``repairable``: ``Library.verify(repair=True)`` can repair it. ``version``: the id of the document to derive again
    from its original to repair it; "" if it is repaired otherwise.
    """

    what: str
    where: str
    repairable: bool
    version: str = ""


def quietly(what: str, done: int, total: int) -> None:
    """A ``Progress`` that does nothing."""


def verify(store: Store, repair: bool = False, progress: Progress = quietly) -> list[Problem]:
    """All problems of the library; ``repair``: those left after repairing what this function can repair.

    ``Library.verify`` repairs the rest: a damaged catalogue, and documents that must be parsed again. Pending jobs,
    documents without vectors yet, a non-empty outbox and unused cached vectors are not problems. Without the write
    lock, FTS5's own check, Chroma and the original files are not checked. Raises only ``StorageError``, for ``repair``
    without the write lock.
    """
    if repair and not store.writable:
        raise StorageError(f"The library {store.home} was opened for reading.", "Open it for writing to repair it.")
    problems = _run_checks(store, progress)
    if repair and any(problem.repairable for problem in problems):
        _repair(store, {problem.where for problem in problems if problem.repairable})
        problems = _run_checks(store, progress)
    return problems


def _run_checks(store: Store, progress: Progress) -> list[Problem]:
    def run(check: Check) -> list[Problem]:
        return _problems_of(check, store, _Counter(check.__name__.strip("_").replace("_", " "), progress))

    problems = run(_catalogue)
    if problems:
        return problems  # in a damaged database the other checks mean nothing
    for check in (_waiting, _written_down, _documents, _rows, _attachments, _spans, _word_index):
        problems += run(check)
    bad_vectors = run(_vectors)
    problems += bad_vectors
    if store.writable:
        problems += run(_originals)
        problems += [] if bad_vectors else run(_chroma)  # Chroma is rebuilt from the vectors, so they come first
    return problems


@dataclass(frozen=True, slots=True)
class _Counter:
    """Reports the progress of one check, starting when it is created."""

    what: str
    progress: Progress

    def __post_init__(self) -> None:
        self.progress(self.what, 0, 0)

    def with_progress(self, items: Iterable[Item], total: int) -> Iterator[Item]:
        """The items, reporting progress every ``_PROGRESS_INTERVAL`` items."""
        for done, item in enumerate(items):
            if not done % _PROGRESS_INTERVAL:
                self.progress(self.what, done, total)
            yield item


Check = Callable[[Store, _Counter], Iterable[Problem]]


def _problems_of(check: Check, store: Store, counter: _Counter) -> list[Problem]:
    """The problems that one check finds; an error that ends it early becomes a problem too."""
    problems: list[Problem] = []
    try:
        problems.extend(check(store, counter))
    except (LecternError, sqlite3.Error, OSError, ValueError, TypeError) as error:
        problems.append(Problem(f"It cannot be looked at whole: {error}", check.__name__.strip("_"), False))
    return problems


def _repair(store: Store, places: set[str]) -> None:
    remove_strays(store)
    for generation in generations(store):
        number = generation.number
        if _index_place(number) in places:
            with store.transaction() as connection:
                # Only drop tokens of deleted chunks here: missing tokens come back when the document is derived again.
                leaves = "SELECT row FROM chunk WHERE generation = ? AND level = 0"
                store.write(f"DELETE FROM {content_table(number)} WHERE row NOT IN ({leaves})", number)
                rebuild_index(connection, number)
    rows.mend(store, places)
    if _KEEPSAKES in places:
        rescue.set_keepsakes_aside(store.home)
    store.files.sweep(store.wanted_files())
    if _CHROMA in places:
        with suppress(StorageError):  # fails for damaged vectors, which the next round of checks reports
            rebuild_projection(store)
    apply_if_possible(store)


# The names of the checks below are shown to users as progress.
def _catalogue(store: Store, _: _Counter) -> Iterator[Problem]:
    with store.reading() as connection:
        try:
            for fault in rescue.structural_faults(connection):
                yield Problem(fault, _CATALOGUE, True)
        except sqlite3.DatabaseError as error:
            yield Problem(f"SQLite cannot read it: {error}.", _CATALOGUE, True)


def _waiting(store: Store, _: _Counter) -> Iterator[Problem]:
    for place in rescue.set_aside_folders(store.home):
        yield Problem("The catalogue is older than this, or was damaged: it may hold more.", str(place), True)


def _written_down(store: Store, _: _Counter) -> Iterator[Problem]:
    if kinds := keepsakes.damaged_kinds(store):
        what = f"Rows of {', '.join(kinds)} are not as they were written down, though nothing was changed since."
        yield Problem(what, _KEEPSAKES, True)


def _documents(store: Store, counter: _Counter) -> Iterator[Problem]:
    documents = store.rows(
        "SELECT id, title, text_hash, characters, (SELECT count(*) FROM source WHERE version = number),"
        " (SELECT count(*) FROM source WHERE version = number AND trashed_at IS NULL),"
        " (SELECT count(*) FROM recipe WHERE recipe.version = number AND generation ="
        " (SELECT value FROM meta WHERE key = 'serving')) FROM version ORDER BY number"
    )
    for version_id, title, stored_hash, characters, sources, live, chunked in counter.with_progress(
        documents, len(documents)
    ):
        text = store.value("SELECT text FROM version WHERE id = ?", version_id)
        if text is None:
            continue  # deleted by the writer while this process verifies read-only
        where = f"{title} ({version_id[:12]})"
        fault = store.files.fault(version_id)
        if text_hash(text) != stored_hash or len(text) != characters:
            yield Problem("The text is not the one that was stored.", where, not fault, version_id)
        if not sources:
            yield Problem("No source points to this document.", where, not fault)
        if live and not chunked:
            yield Problem("The document is not cut in the serving generation.", where, not fault, version_id)
        if sources and chunked and not live:
            yield Problem("The document lies in the trash and is still indexed.", where, True)
        if fault and store.row("SELECT 1 FROM version WHERE id = ?", version_id):
            yield Problem(fault, where, False, version_id)


def _rows(store: Store, counter: _Counter) -> Iterator[Problem]:
    for what, where, version_id in rows.unreadable(store, counter.with_progress):
        yield Problem(what, where, not (version_id and store.files.fault(version_id)), version_id)


def _attachments(store: Store, _: _Counter) -> Iterator[Problem]:
    for name, title in store.rows(
        "SELECT source.name, title FROM source JOIN version ON number = parent WHERE source.trashed_at IS NULL"
        " AND parent NOT IN (SELECT version FROM source WHERE trashed_at IS NULL)"
    ):
        yield Problem("The mail of this attachment lies in the trash.", f"{name} in {title}", True)


def _spans(store: Store, _: _Counter) -> Iterator[Problem]:
    for row, title, version_id in store.rows(
        "SELECT row, title, id FROM chunk JOIN version ON number = chunk.version"
        ' WHERE NOT (0 <= start AND start < "end" AND "end" <= characters)'
    ):
        yield _derived(store, "A chunk leaves its document's text.", f"{title}, chunk {row}", version_id)
    for row, title, version_id in store.rows(
        "SELECT child.row, title, id FROM chunk AS child JOIN chunk AS parent ON parent.row = child.parent_row"
        " JOIN version ON number = child.version WHERE child.version <> parent.version"
        " OR child.generation <> parent.generation OR child.level + 1 <> parent.level"
        ' OR child.start < parent.start OR child."end" > parent."end"'
    ):
        yield _derived(store, "A chunk leaves its parent.", f"{title}, chunk {row}", version_id)
    for title, version_id in store.rows(
        "SELECT title, id FROM page_box JOIN version ON number = page_box.version GROUP BY number"
        ' HAVING max(page_box."end") > characters'
    ):
        yield _derived(store, "A page box leaves the document's text.", title, version_id)


def _vectors(store: Store, counter: _Counter) -> Iterator[Problem]:
    with store.reading() as connection:
        total = store.value("SELECT count(*) FROM chunk WHERE vector IS NOT NULL")
        vectors = connection.execute(
            "SELECT row, title, data, dimension, version.id FROM chunk"
            " JOIN generation ON generation.number = chunk.generation"
            " JOIN version ON version.number = chunk.version LEFT JOIN vector ON vector.number = chunk.vector"
            f" WHERE level = 0 AND (chunk.vector IS NULL OR {ENCODED})"
            " UNION ALL SELECT row, title || ', ' || name, data, dimension, version.id FROM alias"
            " JOIN chunk ON row = alias.chunk JOIN generation ON generation.number = chunk.generation"
            " JOIN version ON version.number = chunk.version JOIN vector ON vector.number = alias.vector"
        )
        for row, title, data, dimension, version_id in counter.with_progress(vectors, total):
            where = f"{title}, chunk {row}"
            if not isinstance(data, bytes) or len(data) != 4 * dimension:
                yield _derived(store, "A leaf has no vector of the right length.", where, version_id)
                continue
            norm = float(np.linalg.norm(np.frombuffer(data, "<f4").astype(np.float64)))
            if not abs(norm - 1.0) <= _NORM_TOLERANCE:  # written so that NaN fails
                yield _derived(store, f"A leaf's vector has length {norm:.4g}, not 1.", where, version_id)


def _derived(store: Store, what: str, where: str, version_id: str) -> Problem:
    """A problem that is repaired by deriving the document again, which needs an sound original."""
    return Problem(what, where, not store.files.fault(version_id), version_id)


def _word_index(store: Store, _: _Counter) -> Iterator[Problem]:
    for generation in generations(store):
        yield from _word_index_of(store, generation.number)


def _word_index_of(store: Store, number: int) -> Iterator[Problem]:
    where = _index_place(number)
    table_exists = "SELECT 1 FROM sqlite_master WHERE name = ?"
    leaves = "SELECT row FROM chunk WHERE generation = ? AND level = 0"
    tokens = f"SELECT row FROM {content_table(number)}"
    with store.reading():  # one snapshot: the writer may drop the generation meanwhile
        if not store.row(table_exists, content_table(number)):
            yield Problem("The tokens of the leaves are missing.", where, False)
            return
        if not store.row(table_exists, index_table(number)):
            yield Problem("The word index is missing.", where, True)
            return
        missing = store.value(f"SELECT count(*) FROM ({leaves} EXCEPT {tokens})", number)
        surplus = store.value(f"SELECT count(*) FROM ({tokens} EXCEPT {leaves})", number)
        affected = store.rows(
            f"SELECT DISTINCT id, title FROM chunk JOIN version ON number = version WHERE row IN"
            f" ({leaves} EXCEPT {tokens})",
            number,
        )
    for version_id, title in affected:
        yield _derived(store, f"{missing} leaves have no tokens.", f"{title} ({version_id[:12]})", version_id)
    if surplus:
        yield Problem(f"{surplus} rows belong to no leaf.", where, True)
    fault = check_index(store, number) if store.writable else ""
    if fault:
        yield Problem(f"The word index disagrees with its tokens ({fault}).", where, True)


def _index_place(number: int) -> str:
    return f"word index of generation {number}"


def _originals(store: Store, counter: _Counter) -> Iterator[Problem]:
    wanted = store.wanted_files()
    for content_hash in counter.with_progress(store.files.hashes(), len(wanted)):
        if content_hash not in wanted and content_hash not in store.files.fresh:
            yield Problem("An original that no document names.", str(store.files.path(content_hash)), True)
    for path in store.files.strange():
        yield Problem("This is none of Lectern's, which leaves it alone; take it away.", str(path), False)
    aside = store.files.hashes_set_aside()
    sound = [
        content_hash
        for content_hash in aside
        if not store.files.fault(content_hash, store.files.set_aside / content_hash)
    ]
    if sound:
        yield Problem(
            f"{len(sound)} originals were set aside, since the catalogue does not name them: it is new, or older than"
            " they are. Repair puts them back; or delete the folder when you need them no more.",
            str(store.files.set_aside),
            True,
        )
    if damaged := len(aside) - len(sound):
        yield Problem(f"{damaged} originals that were set aside are damaged.", str(store.files.set_aside), False)


def _chroma(store: Store, _: _Counter) -> Iterator[Problem]:
    # Chroma is created when the outbox is first applied: without an applied leaf there is nothing to compare.
    applied = f"SELECT 1 FROM chunk WHERE level = 0 AND {ENCODED} AND row NOT IN (SELECT row FROM outbox) LIMIT 1"
    if (store.meta("projection") or store.row(applied)) and (fault := compare_projection(store)):
        yield Problem(fault, _CHROMA, True)
