"""Every row that is packed, looked into one by one: which cannot be read, and what is derived again in its place."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import partial

from core.errors import LecternError
from core.storage import keepsakes
from core.storage.catalogue import chunks, documents, edits, features, folders, judging, recipes, statistics
from core.storage.catalogue.generations import generations
from core.storage.faults import row_faults
from core.storage.store import Store

_LOG = logging.getLogger(__name__)
_SETTINGS, _JOBS, _FOLDERS, _RECIPES, _EDITS = "settings", "jobs", "folders", "recipes", "edits by hand"
_LANGUAGES = "languages"
_GARBLED_JOB = "NOT json_valid(payload) OR NOT json_valid(result)"


Listed = list[tuple[str, str]]


def unreadable(
    store: Store, along: Callable[[Listed, int], Iterable[tuple[str, str]]] = lambda listed, _: listed
) -> Iterator[tuple[str, str, str]]:
    """``(sentence, where, version)`` of every row that cannot be read; the version, where it can be derived again.

    ``along``: goes through the documents, of which there are so many, and may tell how far it is.
    """
    whole: tuple[tuple[str, Callable[[], object]], ...] = (
        (_SETTINGS, store.settings),
        (_LANGUAGES, lambda: statistics.languages(store)),
        (_FOLDERS, lambda: folders.folders(store)),
        (_RECIPES, lambda: recipes.own_recipes(store)),
        (_EDITS, lambda: edits.all_edits(store)),
        ("judgments", lambda: judging.judgments(store)),
    )
    for where, read in whole:
        if told := _fault(store, read):
            yield told, where, ""
    if garbled := store.value(f"SELECT count(*) FROM job WHERE {_GARBLED_JOB}"):
        yield f"What {garbled} jobs were to do cannot be read any more.", _JOBS, ""
    listed: Listed = store.rows("SELECT id, title FROM version ORDER BY number")
    for version_id, title in along(listed, len(listed)):
        if told := _fault(store, partial(_read_whole, store, version_id)):
            yield told, f"{title} ({version_id[:12]})", version_id


def mend(store: Store, places: set[str]) -> None:
    """Replace what cannot be read by what was written down of it, else by nothing: none of it is a document."""
    known = keepsakes.kept(store.home)
    with store.transaction():
        if _SETTINGS in places:
            written = next((row.get("value") for row in known.of("meta") if row.get("key") == "settings"), None)
            store.set_meta("settings", written if isinstance(written, str) else None)
            if _fault(store, store.settings):
                store.set_meta("settings", None)
        if _LANGUAGES in places:
            store.set_meta("languages", None)
        if _FOLDERS in places:
            store.write("UPDATE folder SET patterns = '[]' WHERE NOT json_valid(patterns)")
        if _RECIPES in places:
            _rewrite(store, "own_recipe", "chunking", ("scope", "key"), known.of("own_recipe"))
        if _EDITS in places:
            _rewrite(store, "edit", "anchors", ("version_id", "made_at"), known.of("edit"))
        if _JOBS in places:
            store.write(f"DELETE FROM job WHERE {_GARBLED_JOB}")


def _read_whole(store: Store, version_id: str) -> None:
    documents.document(store, version_id)
    for known in generations(store):
        if chunks.recipe(store, version_id, known.number) is not None:
            chunks.tree(store, version_id, known.number)
            chunks.audit(store, version_id, known.number)
            features.require_readable(store, version_id, known.number)


def _rewrite(store: Store, table: str, column: str, key: tuple[str, str], written: keepsakes.Rows) -> None:
    """Give rows whose ``column`` is no JSON the one that was written down under the same ``key``, or drop them."""
    sound = {}
    for row in written:
        with suppress(ValueError, TypeError):
            json.loads(row[column])
            sound[tuple(row.get(name) for name in key)] = row[column]
    garbled = f"NOT json_valid({column})"
    same = " AND ".join([*(f"{name} = ?" for name in key), garbled])
    with store.transaction():
        for values in store.rows(f"SELECT {', '.join(key)} FROM {table} WHERE {garbled}"):
            if values in sound:
                store.write(f"UPDATE {table} SET {column} = ? WHERE {same}", sound[values], *values)
            else:
                store.write(f"DELETE FROM {table} WHERE {same}", *values)
                _LOG.warning("A row of %s could not be read and nothing was written down of it.", table)


def _fault(store: Store, read: Callable[[], object]) -> str:
    """Why something cannot be read, a byte that is no UTF-8 included, which is a mark to everybody else."""
    with store.reading() as connection:
        marking, connection.text_factory = connection.text_factory, _strict
        try:
            read()
        except LecternError as error:
            return str(error)
        finally:
            connection.text_factory = marking
    return ""


def _strict(data: bytes) -> str:
    with row_faults("A text of the catalogue"):
        return data.decode()
