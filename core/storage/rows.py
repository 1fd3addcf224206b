"""Finds rows whose packed values (JSON, compressed text) cannot be read, and repairs those that are not documents."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import partial

from core.errors import LecternError
from core.storage import keepsakes
from core.storage.catalogue import judging, statistics
from core.storage.catalogue.filing import folders
from core.storage.catalogue.texts import chunks, documents, edits, features, recipes
from core.storage.catalogue.texts.generations import generations
from core.storage.faults import row_faults
from core.storage.store import Store

_LOG = logging.getLogger(__name__)
_SETTINGS, _JOBS, _FOLDERS, _RECIPES, _EDITS = "settings", "jobs", "folders", "recipes", "edits by hand"
_LANGUAGES = "languages"
_GARBLED_JOB = "NOT json_valid(payload) OR NOT json_valid(result)"


IdsAndTitles = list[tuple[str, str]]


def unreadable(
    store: Store,
    with_progress: Callable[[IdsAndTitles, int], Iterable[tuple[str, str]]] = lambda documents, _: documents,
) -> Iterator[tuple[str, str, str]]:
    """``(sentence, where, version id)`` of every unreadable row; the id is "" if no document can be derived again.

    ``with_progress(documents, total)``: returns the documents and may report progress as they are iterated.
    """
    readers: tuple[tuple[str, Callable[[], object]], ...] = (
        (_SETTINGS, store.settings),
        (_LANGUAGES, lambda: statistics.languages(store)),
        (_FOLDERS, lambda: folders.folders(store)),
        (_RECIPES, lambda: recipes.own_recipes(store)),
        (_EDITS, lambda: edits.all_edits(store)),
        ("judgments", lambda: judging.judgments(store)),
    )
    for where, read in readers:
        if fault := _fault(store, read):
            yield fault, where, ""
    if bad_jobs := store.value(f"SELECT count(*) FROM job WHERE {_GARBLED_JOB}"):
        yield f"What {bad_jobs} jobs were to do cannot be read any more.", _JOBS, ""
    listed: IdsAndTitles = store.rows("SELECT id, title FROM version ORDER BY number")
    for version_id, title in with_progress(listed, len(listed)):
        if fault := _fault(store, partial(_read_whole, store, version_id)):
            yield fault, f"{title} ({version_id[:12]})", version_id


def mend(store: Store, places: set[str]) -> None:
    """Replace unreadable rows by the saved keepsakes, or delete them. Rows of documents are not touched.

    ``places``: the ``where`` of the rows to repair, as ``unreadable`` yields it.
    """
    saved = keepsakes.load(store.home)
    with store.transaction():
        if _SETTINGS in places:
            settings = next((row.get("value") for row in saved.of("meta") if row.get("key") == "settings"), None)
            store.set_meta("settings", settings if isinstance(settings, str) else None)
            if _fault(store, store.settings):
                store.set_meta("settings", None)
        if _LANGUAGES in places:
            store.set_meta("languages", None)
        if _FOLDERS in places:
            store.write("UPDATE folder SET patterns = '[]' WHERE NOT json_valid(patterns)")
        if _RECIPES in places:
            _rewrite(store, "own_recipe", "chunking", ("scope", "key"), saved.of("own_recipe"))
        if _EDITS in places:
            _rewrite(store, "edit", "anchors", ("version_id", "made_at"), saved.of("edit"))
        if _JOBS in places:
            store.write(f"DELETE FROM job WHERE {_GARBLED_JOB}")


def _read_whole(store: Store, version_id: str) -> None:
    documents.document(store, version_id)
    for generation in generations(store):
        if chunks.recipe(store, version_id, generation.number) is not None:
            chunks.tree(store, version_id, generation.number)
            chunks.audit(store, version_id, generation.number)
            features.require_readable(store, version_id, generation.number)


def _rewrite(store: Store, table: str, column: str, key: tuple[str, str], saved_rows: keepsakes.Rows) -> None:
    """Replace invalid JSON in ``column`` by the saved value of the same ``key``; delete rows without one."""
    saved = {}
    for row in saved_rows:
        with suppress(ValueError, TypeError):
            json.loads(row[column])
            saved[tuple(row.get(name) for name in key)] = row[column]
    invalid = f"NOT json_valid({column})"
    same_row = " AND ".join([*(f"{name} = ?" for name in key), invalid])
    with store.transaction():
        for values in store.rows(f"SELECT {', '.join(key)} FROM {table} WHERE {invalid}"):
            if values in saved:
                store.write(f"UPDATE {table} SET {column} = ? WHERE {same_row}", saved[values], *values)
            else:
                store.write(f"DELETE FROM {table} WHERE {same_row}", *values)
                _LOG.warning("A row of %s could not be read and nothing was written down of it.", table)


def _fault(store: Store, read: Callable[[], object]) -> str:
    """The error of ``read`` as a sentence, "" if there is none. Unlike elsewhere, invalid UTF-8 is an error here."""
    with store.reading() as connection:
        lenient, connection.text_factory = connection.text_factory, _strict
        try:
            read()
        except LecternError as error:
            return str(error)
        finally:
            connection.text_factory = lenient
    return ""


def _strict(data: bytes) -> str:
    with row_faults("A text of the catalogue"):
        return data.decode()
