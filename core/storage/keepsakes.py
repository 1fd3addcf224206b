"""Keepsakes: a copy of the user's data that cannot be derived from the original files, as JSON lines.

These are settings, sources, labels, chunk edits and judgments. The first line is a header with the library's id, its
revision and the SHA-256 of the other lines; each other line is a row with its ``kind``. The format is independent of
the database schema, and documents are identified by the hash of their bytes, never by row ids.
"""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.atomic_files import written_whole
from core.errors import StorageError
from core.storage.faults import disk_faults

if TYPE_CHECKING:
    from core.storage.store import Store

FILE = "keepsakes.jsonl"
Row = dict[str, Any]
Rows = Sequence[Row]

_LABELS = (
    "(SELECT json_group_array({0}.name) FROM {1} JOIN {0} ON {0}.id = {1}.{0} WHERE {1}.source = source.id) AS {0}s"
)
_QUERIES = {
    "meta": "SELECT key, value FROM meta WHERE key = 'settings' OR key GLOB 'preference.*'",
    "source": "SELECT kind AS type, name, path, added_at, trashed_at, trashed_along, note, words_alone, file_bytes,"
    " modified_ns,"
    " (SELECT id FROM version WHERE number = source.version) AS version_id,"
    f" {_LABELS.format('collection', 'collected')}, {_LABELS.format('tag', 'tagged')} FROM source",
    "collection": "SELECT name, folded FROM collection",
    "folder": "SELECT path, patterns, added_at, paused FROM folder",
    "own_recipe": "SELECT scope, key, chunking, changed_at FROM own_recipe",
    "edit": "SELECT version_id, text_hash, kind AS type, anchors, made_at, undone FROM edit",
    "judgment": 'SELECT question, version_id, text_hash, start, "end", quote, "before", "after", origin, created_at,'
    " answer, judged FROM judgment",
}
_IDENTITIES = {
    "collection": ("folded",),
    "folder": ("path",),
    "own_recipe": ("scope", "key"),
    "edit": ("version_id", "made_at", "kind"),
    "judgment": ("question", "version_id", "start", "end"),
}
_CREATED_AT = {"folder": "added_at", "own_recipe": "changed_at", "edit": "made_at", "judgment": "created_at"}
# Raised by one damaged value, as opposed to a failing disk.
_ROW_ERRORS = (
    *(ValueError, TypeError, KeyError, OverflowError),
    *(sqlite3.IntegrityError, sqlite3.ProgrammingError, sqlite3.InterfaceError, sqlite3.DataError),
)
_WITHOUT_ROWID = ("meta", "own_recipe")
_NOT_REVISED = ("file_bytes", "modified_ns")  # may change without a new revision


@dataclass(frozen=True, slots=True)
class Keepsakes:
    """One record of a library's keepsakes: ``rows`` by kind, as of a ``revision``.

    ``preferences``: a counter of changed preferences, which the revision does not count. ``unread``: a sentence for
    each kind with unreadable rows. ``sound``: ``False`` if it comes from a damaged source, so that rows may be missing
    or wrong without notice. ``sealed``: the lines match the hash in the header.
    """

    library: str = ""
    revision: int = 0
    rows: Mapping[str, Sequence[Row]] = field(default_factory=dict)
    unread: tuple[str, ...] = ()
    preferences: str = ""
    sound: bool = True
    sealed: bool = False

    def of(self, kind: str) -> Sequence[Row]:
        """The rows of one kind."""
        return self.rows.get(kind, ())


def gather(connection: sqlite3.Connection) -> Keepsakes:
    """The keepsakes of a catalogue.

    In a damaged table, rows are read from both ends up to the damage.
    """
    rows: dict[str, list[Row]] = {}
    unread: list[str] = []
    for kind, query in _QUERIES.items():
        readable: dict[str, Row] = {}  # by content, since both directions may reach the same rows
        first_error: sqlite3.Error | None = None
        for order in ("",) if kind in _WITHOUT_ROWID else ("", " ORDER BY rowid DESC"):
            try:
                cursor = connection.execute(query + order)
                names = [column[0] for column in cursor.description]
                for values in cursor:
                    row = dict(zip(names, map(_to_json, values), strict=True))
                    readable[json.dumps(row)] = row
                break
            except sqlite3.Error as error:
                first_error = first_error or error
        rows[kind] = list(readable.values())
        if first_error is not None:
            unread.append(f"Of the rows of {kind} {len(readable)} could be read ({first_error}).")
    revision = _meta(connection, "revision") or "0"
    if not revision.isdecimal():
        unread.append(f"The revision of the catalogue cannot be read: {revision[:20]!r} is no number.")
        revision = "0"
    library, preferences = _meta(connection, "library"), _meta(connection, "preferences")
    return Keepsakes(library, int(revision), rows, tuple(unread), preferences)


def header(home: Path) -> tuple[str, int]:
    """``(library id, revision)`` of the saved keepsakes; ``("", 0)`` if there are none or the header is unreadable."""
    with suppress(ValueError, TypeError, KeyError, OverflowError):
        row = _header_row(home)
        return str(row["id"]), int(row["revision"])
    return "", 0


def load(home: Path) -> Keepsakes:
    """The saved keepsakes; empty if there are none. Damaged lines are skipped and counted in ``unread``."""
    rows: dict[str, list[Row]] = {}
    data = b""
    with suppress(OSError):
        data = (home / FILE).read_bytes()
    lines, unread = data.decode("utf-8", "replace").splitlines(), 0
    for line in lines:
        try:
            row = json.loads(line)
            kind = str(row.pop("kind"))
        except (ValueError, KeyError, AttributeError, TypeError):
            unread += 1
            continue
        rows.setdefault(kind, []).append(row)
    actual_hash = hashlib.sha256(data.partition(b"\n")[2]).hexdigest()
    stored_hash = _header_row(home).get("sha256", "")  # early versions of Lectern wrote none
    sentences = (f"{unread} lines of {FILE} could not be read.",) if unread else ()
    return Keepsakes(
        *header(home),
        rows,
        sentences,
        sound=stored_hash in ("", actual_hash),
        sealed=stored_hash == actual_hash,
    )


def damaged_kinds(store: Store) -> list[str]:
    """Kinds whose rows in the catalogue differ from the saved ones of the same revision, and so must be damaged."""
    saved = load(store.home)
    with store.reading() as connection:
        if not saved.sealed or not _is_current(store.home, connection):
            return []
        current = gather(connection)
    return [kind for kind in _QUERIES if _comparable(current.of(kind)) != _comparable(saved.of(kind))]


def _comparable(rows: Rows) -> set[str]:
    return {json.dumps({name: row[name] for name in sorted(row) if name not in _NOT_REVISED}) for row in rows}


def save(store: Store) -> None:
    """Save the current keepsakes next to the catalogue, replacing the saved ones.

    Does nothing if those are of the same revision and preferences: a difference would then be damage to the catalogue.
    Raises ``StorageError`` if the catalogue cannot be read or the file cannot be written.
    """
    with store.reading() as connection:
        if _is_current(store.home, connection):
            return
        current = gather(connection)
    if current.unread:
        raise StorageError(f"The keepsakes of {store.home} were not written: {' '.join(current.unread)}", "Run verify.")
    lines = "".join(json.dumps({"kind": kind, **row}) + "\n" for kind, rows in current.rows.items() for row in rows)
    first = {"kind": "library", "id": current.library, "revision": current.revision, "preferences": current.preferences}
    first["sha256"] = hashlib.sha256(lines.encode()).hexdigest()
    with disk_faults(store.home), written_whole(store.home / FILE) as temporary:
        temporary.write_text(json.dumps(first) + "\n" + lines, "utf-8", newline="")


def merge(store: Store, records: Sequence[Keepsakes]) -> list[str]:
    """Restore the rows of several records, except sources, into the catalogue. Returns a sentence per lost row.

    ``records``: oldest first.
    This library's own records come before those of others, and newer before older: an older record only adds rows that
    no newer one has. The first complete record of this library is the last one used, since rows that it lacks were
    deleted on purpose. Existing rows are changed or deleted only by records that are not older than the catalogue.
    """
    lost: list[str] = []
    merged: set[Hashable] = set()
    with store.transaction() as connection:
        library, revision = store.meta("library"), store.revision()
        ascending = sorted(records, key=lambda record: (record.library == library, record.revision))
        for record in reversed(ascending):
            overwrite = record.revision >= revision
            errors = _merge_meta(connection, record, merged) if overwrite else []
            for kind, identity in _IDENTITIES.items():
                errors += _merge_rows(connection, record.of(kind), kind, identity, overwrite=overwrite, merged=merged)
            lost += errors
            if record.library == library and record.sound and not record.unread and not errors:
                if overwrite:
                    _delete_removed_rows(connection, record)
                break
        store.touch()
    return list(dict.fromkeys(lost))


def _merge_meta(connection: sqlite3.Connection, record: Keepsakes, merged: set[Hashable]) -> list[str]:
    lost = []
    for row in record.of("meta"):
        try:
            key, value = str(row["key"]), row["value"]
            if key == "settings":
                json.loads(value)
            if key not in merged:
                connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, value))
                merged.add(key)
        except _ROW_ERRORS as error:
            lost.append(f"A value of meta could not be had back ({error}).")
    return lost


def _merge_rows(
    connection: sqlite3.Connection,
    rows: Sequence[Row],
    kind: str,
    identity: Sequence[str],
    *,
    overwrite: bool,
    merged: set[Hashable],
) -> list[str]:
    """Insert the rows of one kind, or update the existing ones with ``overwrite``. Returns a sentence per failed row.

    ``identity``: the columns that identify a row across libraries. Several rows may share one identity, such as two
    edits in one second; they are told apart by their ordinal. ``merged``: the rows that newer records have settled.
    """
    columns = {name for _, name, *_ in connection.execute(f"PRAGMA table_info({kind})")}
    key, same_identity = _key(kind), " AND ".join(f'"{name}" IS ?' for name in identity)
    counts: Counter[Hashable] = Counter()
    lost = []
    for row in rows:
        try:
            values = {"kind" if name == "type" else name: _from_json(value) for name, value in row.items()}
            values = {name: value for name, value in values.items() if name in columns}
            ids = [values[name] for name in identity]
            ordinal = counts[kind, *ids]
            counts[kind, *ids] += 1
            if (kind, *ids, ordinal) in merged:
                continue
            existing = connection.execute(
                f'SELECT "{key}" FROM {kind} WHERE {same_identity} ORDER BY "{key}"', ids
            ).fetchall()
            if ordinal >= len(existing):
                names, marks = ", ".join(f'"{name}"' for name in values), ", ".join("?" * len(values))
                connection.execute(f"INSERT INTO {kind}({names}) VALUES ({marks})", list(values.values()))
            elif overwrite:
                assignments = ", ".join(f'"{name}" = ?' for name in values)
                connection.execute(
                    f'UPDATE {kind} SET {assignments} WHERE {same_identity} AND "{key}" = ?',
                    [*values.values(), *ids, existing[ordinal][0]],
                )
            merged.add((kind, *ids, ordinal))
        except _ROW_ERRORS as error:  # a line of a newer Lectern, a line edited by hand, or damage
            lost.append(f"A row of {kind} could not be had back ({error}).")
    return lost


def _delete_removed_rows(connection: sqlite3.Connection, record: Keepsakes) -> None:
    """Delete rows that a complete record lacks, except those created after all of its rows: later work of the user."""
    timestamps = [str(row.get(column)) for kind, column in _CREATED_AT.items() for row in record.of(kind)]
    latest = max(filter(_is_timestamp, timestamps), default="")
    for kind, column in _CREATED_AT.items():
        identity, key = _IDENTITIES[kind], _key(kind)
        recorded = Counter(
            tuple(_from_json(row.get("type" if name == "kind" else name)) for name in identity)
            for row in record.of(kind)
        )
        names = ", ".join(f'"{name}"' for name in identity)
        rows = []
        with suppress(sqlite3.OperationalError):  # a text column holds invalid UTF-8
            rows = connection.execute(f'SELECT "{key}", {column}, {names} FROM {kind} ORDER BY "{key}"').fetchall()
        for row_key, created, *ids in rows:
            recorded[tuple(ids)] -= 1
            if recorded[tuple(ids)] < 0 and created <= latest:
                same_identity = " AND ".join(f'"{name}" IS ?' for name in identity)
                connection.execute(f'DELETE FROM {kind} WHERE "{key}" = ? AND {same_identity}', (row_key, *ids))


def _key(kind: str) -> str:
    return "key" if kind in _WITHOUT_ROWID else "id"


def _is_timestamp(text: str) -> bool:
    with suppress(ValueError):
        return bool(datetime.fromisoformat(text))
    return False


def salvage(catalogue: Path) -> Keepsakes:
    """The keepsakes that can be read from a damaged catalogue."""
    for query in ("mode=ro", "immutable=1"):  # the second ignores a damaged log
        with suppress(sqlite3.Error, OSError):
            with closing(sqlite3.connect(f"{catalogue.absolute().as_uri()}?{query}", uri=True)) as connection:
                connection.text_factory = lambda data: data.decode("utf-8", "surrogateescape")
                record = replace(gather(connection), sound=_is_sound(connection))
            if any(record.rows.values()) or query == "immutable=1":
                return record
    return Keepsakes(unread=(f"Nothing of {catalogue} could be read.",))


def source_path(row: Row) -> Path | None:
    """The file path in a row of kind "source"; ``None`` for an upload or an unreadable path."""
    with suppress(ValueError):
        stored = _from_json(row.get("path"))
        return decoded_path(stored) if isinstance(stored, bytes) and stored and b"\0" not in stored else None
    return None


def decoded_path(stored: bytes) -> Path:
    """The path for its bytes in the catalogue, which are in the file system's encoding."""
    return Path(os.fsdecode(stored))


def label_names(row: Row, key: str) -> list[str]:
    """The names in the JSON list ``row[key]``. Raises ``ValueError``, ``TypeError``."""
    return [str(name) for name in json.loads(row.get(key) or "[]")]


def _header_row(home: Path) -> Row:
    """The first line of the saved keepsakes; empty if it cannot be read."""
    with suppress(OSError, ValueError), (home / FILE).open("rb") as stream:
        row = json.loads(stream.readline())
        return row if isinstance(row, dict) else {}
    return {}


def _is_current(home: Path, connection: sqlite3.Connection) -> bool:
    """Whether the saved keepsakes are of the catalogue's current revision and preferences."""
    saved = _header_row(home)
    saved_state = [str(saved.get(name, "")) for name in ("id", "revision", "preferences")]
    return saved_state == [_meta(connection, name) for name in ("library", "revision", "preferences")]


def _meta(connection: sqlite3.Connection, key: str) -> str:
    with suppress(sqlite3.Error):
        row = connection.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
        return "" if row is None else str(row[0])
    return ""


def _is_sound(connection: sqlite3.Connection) -> bool:
    with suppress(sqlite3.Error):
        return bool(connection.execute("PRAGMA quick_check(1)").fetchone()[0] == "ok")
    return False


def _to_json(value: Any) -> Any:
    return {"hex": value.hex()} if isinstance(value, bytes) else value


def _from_json(value: Any) -> Any:
    """The inverse of ``_to_json``. Raises ``ValueError`` for an invalid value."""
    try:
        return bytes.fromhex(value["hex"]) if isinstance(value, dict) else value
    except (KeyError, TypeError) as error:
        raise ValueError("its bytes cannot be read") from error
