"""Proof that a library is whole: the catalogue in itself, against the originals, FTS5 and Chroma; and its repair."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from core.errors import LecternError, StorageError
from core.storage import keepsakes, rescue, rows
from core.storage.catalogue.documents import text_hash
from core.storage.catalogue.generations import generations
from core.storage.catalogue.meaning import ENCODED
from core.storage.catalogue.sources import remove_strays
from core.storage.index.lexical import check_index
from core.storage.index.outbox import carry_if_possible
from core.storage.index.projection import compare_projection, rebuild_projection
from core.storage.schema.word_tables import content_table, index_table, rebuild_index
from core.storage.store import Store

_NORM_TOLERANCE = 1e-3
_CATALOGUE = "catalogue"
_CHROMA = "chroma"
_WRITTEN_DOWN = keepsakes.FILE
_TOLD = 200  # documents, or some hundred leaves each, between two words of progress

Item = TypeVar("Item")
Progress = Callable[[str, int, int], None]
"""What is looked at now, how many of it were, and how many there are: 0 where it is not looked at one by one."""


@dataclass(frozen=True, slots=True)
class Problem:
    """``what`` is wrong, as a sentence; ``where``; and whether ``Library.verify(repair=True)`` can mend it.

    ``version``: the document that is derived again from its original to mend it, "" where that is not the way.
    """

    what: str
    where: str
    repairable: bool
    version: str = ""


def quietly(what: str, done: int, total: int) -> None:
    """No progress is told."""


def verify(store: Store, repair: bool = False, progress: Progress = quietly) -> list[Problem]:
    """Everything that is wrong with the library; with ``repair``, what is still wrong after mending what can be here.

    What takes the originals to be read again, and a damaged catalogue, are mended by ``Library`` alone. A pending job,
    documents that wait for their meaning, changes waiting in the outbox and cached vectors that nothing
    uses are no problem. Without the
    writer's lock neither FTS5's own check nor Chroma, nor files without a name, can be looked at. Raises
    ``StorageError`` for ``repair`` without the lock, and nothing else, whatever the rows hold.
    """
    if repair and not store.writable:
        raise StorageError(f"The library {store.home} was opened for reading.", "Open it for writing to repair it.")
    problems = _look(store, progress)
    if repair and any(problem.repairable for problem in problems):
        _mend(store, {problem.where for problem in problems if problem.repairable})
        problems = _look(store, progress)
    return problems


def _look(store: Store, progress: Progress) -> list[Problem]:
    def found(look: Look) -> list[Problem]:
        return _found(store, look, _Counting(look.__name__.strip("_").replace("_", " "), progress))

    problems = found(_catalogue)
    if problems:
        return problems  # a damaged database can say nothing true about the rest
    for look in (_waiting, _written_down, _documents, _rows, _attachments, _spans, _word_index):
        problems += found(look)
    bad_vectors = found(_vectors)
    problems += bad_vectors
    if store.writable:
        problems += found(_originals)
        # From wrong vectors nothing right can be projected.
        problems += [] if bad_vectors else found(_chroma)
    return problems


@dataclass(frozen=True, slots=True)
class _Counting:
    """One look's progress, told from the beginning on."""

    what: str
    progress: Progress

    def __post_init__(self) -> None:
        self.progress(self.what, 0, 0)

    def along(self, items: Iterable[Item], total: int) -> Iterator[Item]:
        """The items, of so many in all, told of now and then."""
        for done, item in enumerate(items):
            if not done % _TOLD:
                self.progress(self.what, done, total)
            yield item


Look = Callable[[Store, _Counting], Iterable[Problem]]


def _found(store: Store, look: Look, counting: _Counting) -> list[Problem]:
    """What one look finds; where a row stops it, that is what it found."""
    found: list[Problem] = []
    try:
        found.extend(look(store, counting))
    except (LecternError, sqlite3.Error, OSError, ValueError, TypeError) as error:
        found.append(Problem(f"It cannot be looked at whole: {error}", look.__name__.strip("_"), False))
    return found


def _mend(store: Store, places: set[str]) -> None:
    remove_strays(store)
    for known in generations(store):
        if _index_place(known.number) in places:
            with store.transaction() as connection:
                # Tokens of chunks that are gone are no use; tokens that are gone are made by cutting anew.
                leaves = "SELECT row FROM chunk WHERE generation = ? AND level = 0"
                store.write(f"DELETE FROM {content_table(known.number)} WHERE row NOT IN ({leaves})", known.number)
                rebuild_index(connection, known.number)
    rows.mend(store, places)
    if _WRITTEN_DOWN in places:
        rescue.set_keepsakes_aside(store.home)
    store.files.sweep(store.wanted_files())
    if _CHROMA in places:
        with suppress(StorageError):  # of vectors that are damaged themselves nothing can be made: they are named
            rebuild_projection(store)
    carry_if_possible(store)


def _catalogue(store: Store, _: _Counting) -> Iterator[Problem]:
    with store.reading() as connection:
        try:
            for fault in rescue.structural(connection):
                yield Problem(fault, _CATALOGUE, True)
        except sqlite3.DatabaseError as error:
            yield Problem(f"SQLite cannot read it: {error}.", _CATALOGUE, True)


def _waiting(store: Store, _: _Counting) -> Iterator[Problem]:
    for place in rescue.waiting(store.home):
        yield Problem("The catalogue is older than this, or was damaged: it may hold more.", str(place), True)


def _written_down(store: Store, _: _Counting) -> Iterator[Problem]:
    if kinds := keepsakes.altered(store):
        what = f"Rows of {', '.join(kinds)} are not as they were written down, though nothing was changed since."
        yield Problem(what, _WRITTEN_DOWN, True)


def _documents(store: Store, counting: _Counting) -> Iterator[Problem]:
    found = store.rows(
        "SELECT id, title, text_hash, characters, (SELECT count(*) FROM source WHERE version = number),"
        " (SELECT count(*) FROM source WHERE version = number AND trashed_at IS NULL),"
        " (SELECT count(*) FROM recipe WHERE recipe.version = number AND generation ="
        " (SELECT value FROM meta WHERE key = 'serving')) FROM version ORDER BY number"
    )
    for version_id, title, hashed, characters, pointing, live, cut in counting.along(found, len(found)):
        text = store.value("SELECT text FROM version WHERE id = ?", version_id)
        if text is None:
            continue  # removed by the writer while a reader verifies
        where = f"{title} ({version_id[:12]})"
        fault = store.files.fault(version_id)
        if text_hash(text) != hashed or len(text) != characters:
            yield Problem("The text is not the one that was stored.", where, not fault, version_id)
        if not pointing:
            yield Problem("No source points to this document.", where, not fault)
        if live and not cut:
            yield Problem("The document is not cut in the serving generation.", where, not fault, version_id)
        if pointing and cut and not live:
            yield Problem("The document lies in the trash and is still indexed.", where, True)
        if fault and store.row("SELECT 1 FROM version WHERE id = ?", version_id):
            yield Problem(fault, where, False, version_id)


def _rows(store: Store, counting: _Counting) -> Iterator[Problem]:
    for what, where, version_id in rows.unreadable(store, counting.along):
        yield Problem(what, where, not (version_id and store.files.fault(version_id)), version_id)


def _attachments(store: Store, _: _Counting) -> Iterator[Problem]:
    for name, title in store.rows(
        "SELECT source.name, title FROM source JOIN version ON number = parent WHERE source.trashed_at IS NULL"
        " AND parent NOT IN (SELECT version FROM source WHERE trashed_at IS NULL)"
    ):
        yield Problem("The mail of this attachment lies in the trash.", f"{name} in {title}", True)


def _spans(store: Store, _: _Counting) -> Iterator[Problem]:
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


def _vectors(store: Store, counting: _Counting) -> Iterator[Problem]:
    with store.reading() as connection:
        total = store.value("SELECT count(*) FROM chunk WHERE vector IS NOT NULL")
        found = connection.execute(
            "SELECT row, title, data, dimension, version.id FROM chunk"
            " JOIN generation ON generation.number = chunk.generation"
            " JOIN version ON version.number = chunk.version LEFT JOIN vector ON vector.number = chunk.vector"
            f" WHERE level = 0 AND (chunk.vector IS NULL OR {ENCODED})"
            " UNION ALL SELECT row, title || ', ' || name, data, dimension, version.id FROM alias"
            " JOIN chunk ON row = alias.chunk JOIN generation ON generation.number = chunk.generation"
            " JOIN version ON version.number = chunk.version JOIN vector ON vector.number = alias.vector"
        )
        for row, title, data, dimension, version_id in counting.along(found, total):
            where = f"{title}, chunk {row}"
            if not isinstance(data, bytes) or len(data) != 4 * dimension:
                yield _derived(store, "A leaf has no vector of the right length.", where, version_id)
                continue
            norm = float(np.linalg.norm(np.frombuffer(data, "<f4").astype(np.float64)))
            if not abs(norm - 1.0) <= _NORM_TOLERANCE:  # also where it is not a number
                yield _derived(store, f"A leaf's vector has length {norm:.4g}, not 1.", where, version_id)


def _derived(store: Store, what: str, where: str, version_id: str) -> Problem:
    """What is mended by deriving a document again, as far as its original is whole."""
    return Problem(what, where, not store.files.fault(version_id), version_id)


def _word_index(store: Store, _: _Counting) -> Iterator[Problem]:
    for known in generations(store):
        yield from _word_index_of(store, known.number)


def _word_index_of(store: Store, number: int) -> Iterator[Problem]:
    where = _index_place(number)
    there = "SELECT 1 FROM sqlite_master WHERE name = ?"
    leaves, tokens = (
        "SELECT row FROM chunk WHERE generation = ? AND level = 0",
        f"SELECT row FROM {content_table(number)}",
    )
    with store.reading():  # the writer may drop a generation while a reader verifies
        if not store.row(there, content_table(number)):
            yield Problem("The tokens of the leaves are missing.", where, False)
            return
        if not store.row(there, index_table(number)):
            yield Problem("The word index is missing.", where, True)
            return
        lacking = store.value(f"SELECT count(*) FROM ({leaves} EXCEPT {tokens})", number)
        surplus = store.value(f"SELECT count(*) FROM ({tokens} EXCEPT {leaves})", number)
        bare = store.rows(
            f"SELECT DISTINCT id, title FROM chunk JOIN version ON number = version WHERE row IN"
            f" ({leaves} EXCEPT {tokens})",
            number,
        )
    for version_id, title in bare:
        yield _derived(store, f"{lacking} leaves have no tokens.", f"{title} ({version_id[:12]})", version_id)
    if surplus:
        yield Problem(f"{surplus} rows belong to no leaf.", where, True)
    fault = check_index(store, number) if store.writable else ""
    if fault:
        yield Problem(f"The word index disagrees with its tokens ({fault}).", where, True)


def _index_place(number: int) -> str:
    return f"word index of generation {number}"


def _originals(store: Store, counting: _Counting) -> Iterator[Problem]:
    wanted = store.wanted_files()
    for content_hash in counting.along(store.files.hashes(), len(wanted)):
        if content_hash not in wanted and content_hash not in store.files.fresh:
            yield Problem("An original that no document names.", str(store.files.path(content_hash)), True)
    for path in store.files.strange():
        yield Problem("This is none of Lectern's, which leaves it alone; take it away.", str(path), False)
    aside = store.files.hashes_set_aside()
    whole = [
        content_hash
        for content_hash in aside
        if not store.files.fault(content_hash, store.files.set_aside / content_hash)
    ]
    if whole:
        yield Problem(
            f"{len(whole)} originals were set aside, since the catalogue does not name them: it is new, or older than"
            " they are. Repair puts them back; or delete the folder when you need them no more.",
            str(store.files.set_aside),
            True,
        )
    if len(whole) < len(aside):
        yield Problem(
            f"{len(aside) - len(whole)} originals that were set aside are damaged.", str(store.files.set_aside), False
        )


def _chroma(store: Store, _: _Counting) -> Iterator[Problem]:
    # Before the outbox was first carried there need be none.
    carried = f"SELECT 1 FROM chunk WHERE level = 0 AND {ENCODED} AND row NOT IN (SELECT row FROM outbox) LIMIT 1"
    if (store.meta("projection") or store.row(carried)) and (fault := compare_projection(store)):
        yield Problem(fault, _CHROMA, True)
