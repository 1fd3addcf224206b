"""Proof that a library is whole: the catalogue in itself, against the originals, FTS5 and Chroma; and its repair."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from core.errors import StorageError
from core.storage.catalogue.documents import text_hash
from core.storage.catalogue.generations import generations
from core.storage.catalogue.meaning import ENCODED
from core.storage.catalogue.sources import remove_strays
from core.storage.index.lexical import check_index
from core.storage.index.outbox import apply_outbox, compare_projection, rebuild_projection
from core.storage.schema.word_tables import content_table, index_table, rebuild_index
from core.storage.store import Store

_NORM_TOLERANCE = 1e-3
_CATALOGUE = "catalogue"
_CHROMA = "chroma"


@dataclass(frozen=True, slots=True)
class Problem:
    """``what`` is wrong, as a sentence; ``where``; and whether ``verify(repair=True)`` can mend it."""

    what: str
    where: str
    repairable: bool


def verify(store: Store, repair: bool = False) -> list[Problem]:
    """Everything that is wrong with the library; with ``repair``, what is still wrong after mending what can be.

    A pending job, documents that wait for their meaning, changes waiting in the outbox and cached vectors that nothing
    uses are no problem. Without the
    writer's lock neither FTS5's own check nor Chroma, nor files without a name, can be looked at. Raises
    ``StorageError`` for ``repair`` without the lock.
    """
    if repair and not store.writable:
        raise StorageError(f"The library {store.home} was opened for reading.", "Open it for writing to repair it.")
    problems = _look(store)
    if repair and any(problem.repairable for problem in problems):
        _mend(store, {problem.where for problem in problems if problem.repairable})
        problems = _look(store)
    return problems


def _look(store: Store) -> list[Problem]:
    problems = list(_catalogue(store))
    if any(problem.where == _CATALOGUE for problem in problems):
        return problems  # a damaged database can say nothing true about the rest
    problems += _versions(store)
    problems += _attachments(store)
    problems += _spans(store)
    problems += _lexical(store)
    bad_vectors = list(_vectors(store))
    problems += bad_vectors
    if store.writable:
        problems += _orphans(store)
        # From wrong vectors nothing right can be projected.
        problems += [] if bad_vectors else _chroma(store)
    return problems


def _mend(store: Store, places: set[str]) -> None:
    remove_strays(store)
    for known in generations(store):
        if _index_place(known.number) in places:
            with store.transaction() as connection:
                # Tokens of chunks that are gone are no use; tokens that are gone are made by cutting anew.
                connection.execute(
                    f"DELETE FROM {content_table(known.number)} WHERE row NOT IN"
                    " (SELECT row FROM chunk WHERE generation = ? AND level = 0)",
                    (known.number,),
                )
                rebuild_index(connection, known.number)
    store.files.sweep(store.wanted_files())
    if _CHROMA in places:
        rebuild_projection(store)
    apply_outbox(store)


def _catalogue(store: Store) -> Iterator[Problem]:
    with store.reading() as connection:
        try:
            for (sentence,) in connection.execute("PRAGMA integrity_check(20)").fetchall():
                # From SQLite 3.44 on the word indexes are looked at too; they can be mended and are reported as such.
                if sentence != "ok" and "fts5" not in sentence.lower():
                    yield Problem(f"SQLite reports: {sentence}.", _CATALOGUE, False)
            for table, row, parent, _ in connection.execute("PRAGMA foreign_key_check").fetchall():
                yield Problem(f"Row {row} of {table} points to nothing in {parent}.", _CATALOGUE, False)
        except sqlite3.DatabaseError as error:
            yield Problem(f"SQLite cannot read it: {error}.", _CATALOGUE, False)


def _versions(store: Store) -> Iterator[Problem]:
    with store.reading() as connection:
        found = connection.execute(
            "SELECT id, title, text_hash, characters, (SELECT count(*) FROM source WHERE version = number),"
            " (SELECT count(*) FROM source WHERE version = number AND trashed_at IS NULL),"
            " (SELECT count(*) FROM recipe WHERE recipe.version = number AND generation ="
            " (SELECT value FROM meta WHERE key = 'serving')) FROM version ORDER BY number"
        ).fetchall()
    for version_id, title, hashed, characters, pointing, live, cut in found:
        with store.reading() as connection:
            row = connection.execute("SELECT text FROM version WHERE id = ?", (version_id,)).fetchone()
        if row is None:
            continue  # removed by the writer while a reader verifies
        where = f"{title} ({version_id[:12]})"
        if text_hash(row[0]) != hashed or len(row[0]) != characters:
            yield Problem("The text is not the one that was stored.", where, False)
        if not pointing:
            yield Problem("No source points to this document.", where, True)
        if live and not cut:
            yield Problem("The document is not cut in the serving generation.", where, False)
        if pointing and cut and not live:
            yield Problem("The document lies in the trash and is still indexed.", where, True)
        fault = _original_fault(store, version_id)
        if fault and _still_there(store, version_id):
            yield Problem(fault, where, False)


def _attachments(store: Store) -> Iterator[Problem]:
    with store.reading() as connection:
        for name, title in connection.execute(
            "SELECT source.name, title FROM source JOIN version ON number = parent WHERE source.trashed_at IS NULL"
            " AND parent NOT IN (SELECT version FROM source WHERE trashed_at IS NULL)"
        ):
            yield Problem("The mail of this attachment lies in the trash.", f"{name} in {title}", True)


def _original_fault(store: Store, version_id: str) -> str:
    path = store.files.path(version_id)
    if not path.is_file():
        return "The original file is missing."
    return "" if store.files.hash_of(path) == version_id else "The original file has been changed."


def _still_there(store: Store, version_id: str) -> bool:
    with store.reading() as connection:
        return connection.execute("SELECT 1 FROM version WHERE id = ?", (version_id,)).fetchone() is not None


def _spans(store: Store) -> Iterator[Problem]:
    with store.reading() as connection:
        for row, title in connection.execute(
            "SELECT row, title FROM chunk JOIN version ON number = chunk.version"
            ' WHERE NOT (0 <= start AND start < "end" AND "end" <= characters)'
        ):
            yield Problem("A chunk leaves its document's text.", f"{title}, chunk {row}", False)
        for row, title in connection.execute(
            "SELECT child.row, title FROM chunk AS child JOIN chunk AS parent ON parent.row = child.parent_row"
            " JOIN version ON number = child.version WHERE child.version <> parent.version"
            " OR child.generation <> parent.generation OR child.level + 1 <> parent.level"
            ' OR child.start < parent.start OR child."end" > parent."end"'
        ):
            yield Problem("A chunk leaves its parent.", f"{title}, chunk {row}", False)
        for title, box, characters in connection.execute(
            'SELECT title, max(page_box."end"), characters FROM page_box JOIN version ON number = page_box.version'
            " GROUP BY number"
        ):
            if box > characters:
                yield Problem("A page box leaves the document's text.", title, False)


def _vectors(store: Store) -> Iterator[Problem]:
    with store.reading() as connection:
        for row, title, data, dimension in connection.execute(
            "SELECT row, title, data, dimension FROM chunk JOIN generation ON generation.number = chunk.generation"
            " JOIN version ON version.number = chunk.version LEFT JOIN vector ON vector.number = chunk.vector"
            f" WHERE level = 0 AND (chunk.vector IS NULL OR {ENCODED})"
        ):
            if data is None or len(data) != 4 * dimension:
                yield Problem("A leaf has no vector of the right length.", f"{title}, chunk {row}", False)
                continue
            norm = float(np.linalg.norm(np.frombuffer(data, "<f4").astype(np.float64)))
            if not abs(norm - 1.0) <= _NORM_TOLERANCE:  # also where it is not a number
                yield Problem(f"A leaf's vector has length {norm:.4g}, not 1.", f"{title}, chunk {row}", False)


def _lexical(store: Store) -> Iterator[Problem]:
    for known in generations(store):
        yield from _lexical_of(store, known.number)


def _lexical_of(store: Store, number: int) -> Iterator[Problem]:
    where = _index_place(number)
    with store.reading() as connection:
        tables = {
            name
            for (name,) in connection.execute(
                "SELECT name FROM sqlite_master WHERE name IN (?, ?)", (index_table(number), content_table(number))
            )
        }
        if content_table(number) not in tables:
            yield Problem("The tokens of the leaves are missing.", where, False)
            return
        if index_table(number) not in tables:
            yield Problem("The word index is missing.", where, True)
            return
        leaves = "SELECT row FROM chunk WHERE generation = ? AND level = 0"
        lacking = connection.execute(
            f"SELECT count(*) FROM ({leaves} EXCEPT SELECT row FROM {content_table(number)})", (number,)
        ).fetchone()[0]
        surplus = connection.execute(
            f"SELECT count(*) FROM (SELECT row FROM {content_table(number)} EXCEPT {leaves})", (number,)
        ).fetchone()[0]
    if lacking:
        yield Problem(f"{lacking} leaves have no tokens; apply the settings again to cut them anew.", where, False)
    if surplus:
        yield Problem(f"{surplus} rows belong to no leaf.", where, True)
    fault = check_index(store, number) if store.writable else ""
    if fault:
        yield Problem(f"The word index disagrees with its tokens ({fault}).", where, True)


def _index_place(number: int) -> str:
    return f"word index of generation {number}"


def _orphans(store: Store) -> Iterator[Problem]:
    wanted = store.wanted_files()
    for content_hash in store.files.hashes():
        if content_hash not in wanted and content_hash not in store.files.fresh:
            yield Problem("An original that no document names.", str(store.files.path(content_hash)), True)
    aside = len(store.files.hashes_set_aside())
    if aside:
        yield Problem(
            f"{aside} originals were set aside, since the catalogue does not name them: it is new, or older than they"
            " are. Ingest the folder again, or delete it when you need them no more.",
            str(store.files.set_aside),
            False,
        )


def _chroma(store: Store) -> Iterator[Problem]:
    if _needs_chroma(store):
        fault = compare_projection(store)
        if fault:
            yield Problem(fault, _CHROMA, True)


def _needs_chroma(store: Store) -> bool:
    """Whether there is anything Chroma should hold, or it exists; before the outbox was first carried it need not."""
    if store.meta("projection") is not None:
        return True
    with store.reading() as connection:
        return bool(
            connection.execute(
                f"SELECT count(*) FROM chunk WHERE level = 0 AND {ENCODED} AND row NOT IN (SELECT row FROM outbox)"
            ).fetchone()[0]
        )
