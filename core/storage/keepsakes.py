"""What no original can give back, as JSON lines that outlive any schema: settings, sources, labels, edits, judgments.

Every line is an object with its ``kind``; the first one names the library and the revision that the lines are of.
Nothing in them is a number of a row: documents are named by the hash of their bytes.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.errors import StorageError
from core.storage.faults import disk_faults
from core.whole_files import written_whole

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
    "source": "SELECT kind AS type, name, path, added_at, trashed_at, trashed_along, note, file_bytes, modified_ns,"
    " (SELECT id FROM version WHERE number = source.version) AS version_id,"
    f" {_LABELS.format('collection', 'collected')}, {_LABELS.format('tag', 'tagged')} FROM source",
    "collection": "SELECT name, folded FROM collection",
    "folder": "SELECT path, patterns, added_at, paused FROM folder",
    "own_recipe": "SELECT scope, key, chunking, changed_at FROM own_recipe",
    "edit": "SELECT version_id, text_hash, kind AS type, anchors, made_at, undone FROM edit",
    "judgment": 'SELECT question, version_id, text_hash, start, "end", quote, "before", "after", origin, created_at,'
    " answer, judged FROM judgment",
}
_ANCHORED = ("collection", "folder", "own_recipe", "edit", "judgment")
_WITHOUT_ROWID = ("meta", "own_recipe")


@dataclass(frozen=True, slots=True)
class Keepsakes:
    """``rows`` by kind. ``unread``: a sentence for each kind of which something could not be read."""

    library: str = ""
    revision: int = 0
    rows: Mapping[str, Sequence[Row]] = field(default_factory=dict)
    unread: tuple[str, ...] = ()

    def of(self, kind: str) -> Sequence[Row]:
        """The rows of one kind."""
        return self.rows.get(kind, ())


def gathered(connection: sqlite3.Connection) -> Keepsakes:
    """The keepsakes of a catalogue; of a damaged one those that can be read, from the first row and from the last."""
    rows: dict[str, list[Row]] = {}
    unread: list[str] = []
    for kind, query in _QUERIES.items():
        found: dict[str, Row] = {}
        orders = ("",) if kind in _WITHOUT_ROWID else ("", " ORDER BY rowid DESC")
        for order in orders:
            try:
                cursor = connection.execute(query + order)
                names = [column[0] for column in cursor.description]
                for values in cursor:
                    row = dict(zip(names, map(_plain, values), strict=True))
                    found[json.dumps(row)] = row
                break
            except sqlite3.Error as error:
                if order == orders[0]:
                    unread.append(f"Of the rows of {kind} {{read}} could be read ({error}).")
        rows[kind] = list(found.values())
        unread = [told.format(read=len(found)) if "{read}" in told else told for told in unread]
    return Keepsakes(_meta(connection, "library"), int(_meta(connection, "revision") or 0), rows, tuple(unread))


def head(home: Path) -> tuple[str, int]:
    """The library and the revision that what was written down is of; ``("", 0)`` for nothing that can be read."""
    with suppress(OSError, ValueError, TypeError, KeyError), (home / FILE).open("rb") as stream:
        row = json.loads(stream.readline())
        return str(row["id"]), int(row["revision"])
    return "", 0


def kept(home: Path) -> Keepsakes:
    """What was written down last; nothing where that cannot be read. A line that is damaged costs that line alone."""
    rows: dict[str, list[Row]] = {}
    lines: list[str] = []
    with suppress(OSError):
        lines = (home / FILE).read_text("utf-8", "replace").splitlines()
    unread = 0
    for line in lines:
        try:
            row = json.loads(line)
            kind = str(row.pop("kind"))
        except (ValueError, KeyError, AttributeError, TypeError):
            unread += 1
            continue
        rows.setdefault(kind, []).append(row)
    return Keepsakes(*head(home), rows, (f"{unread} lines of {FILE} could not be read.",) if unread else ())


def write_down(store: Store) -> None:
    """Write the keepsakes beside the catalogue, unless what lies there is of a later revision of this library.

    Raises ``StorageError`` where the catalogue cannot be read or the disk cannot be written.
    """
    with store.reading() as connection:
        now = gathered(connection)
    if now.unread:
        raise StorageError(f"The keepsakes of {store.home} were not written: {' '.join(now.unread)}", "Run verify.")
    if head(store.home) == (now.library, now.revision):
        return
    with disk_faults(store.home), written_whole(store.home / FILE) as unfinished:
        unfinished.write_text("".join(_lines(now)), "utf-8")


def put_back(store: Store, keepsakes: Keepsakes, *, settings: bool) -> None:
    """Keep what of it the catalogue lacks, sources apart. With ``settings`` these and preferences replace its own."""
    with store.transaction() as connection:
        for row in keepsakes.of("meta") if settings else ():
            with suppress(KeyError, sqlite3.Error):
                connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (row["key"], row["value"]))
        for kind in _ANCHORED:
            columns = {name for _, name, *_ in connection.execute(f"PRAGMA table_info({kind})")}
            for row in keepsakes.of(kind):
                own = {"kind" if name == "type" else name: _stored(value) for name, value in row.items()}
                named = [name for name in own if name in columns]
                same = " AND ".join(f'"{name}" IS ?' for name in named)
                values = [own[name] for name in named]
                with suppress(sqlite3.Error):  # a line of a later Lectern, or one that a hand has written
                    if connection.execute(f"SELECT 1 FROM {kind} WHERE {same}", values).fetchone() is None:
                        names = ", ".join(f'"{name}"' for name in named)
                        connection.execute(
                            f"INSERT OR IGNORE INTO {kind}({names}) VALUES ({', '.join('?' * len(named))})", values
                        )
        store.touch()


def salvaged(catalogue: Path) -> Keepsakes:
    """The keepsakes of a catalogue that no library opens any more."""
    for query in ("mode=ro", "immutable=1"):
        with suppress(sqlite3.Error, OSError):
            with closing(sqlite3.connect(f"{catalogue.absolute().as_uri()}?{query}", uri=True)) as connection:
                connection.text_factory = lambda data: data.decode("utf-8", "replace")
                found = gathered(connection)
            if any(found.rows.values()) or query == "immutable=1":
                return found
    return Keepsakes(unread=(f"Nothing of {catalogue} could be read.",))


def path_of(row: Row) -> Path | None:
    """The path of a source's row, ``None`` for one without."""
    stored = _stored(row.get("path"))
    return place_of(stored) if isinstance(stored, bytes) and stored else None


def place_of(stored: bytes) -> Path:
    """The path that the catalogue keeps as the file system's own bytes."""
    return Path(os.fsdecode(stored))


def names_in(row: Row, key: str) -> list[str]:
    """The names in a row's list, which the catalogue gives as JSON. Raises ``ValueError``, ``TypeError``."""
    return [str(name) for name in json.loads(row.get(key) or "[]")]


def _lines(keepsakes: Keepsakes) -> Iterator[str]:
    yield json.dumps({"kind": "library", "id": keepsakes.library, "revision": keepsakes.revision}) + "\n"
    for kind, rows in keepsakes.rows.items():
        for row in rows:
            yield json.dumps({"kind": kind, **row}) + "\n"


def _meta(connection: sqlite3.Connection, key: str) -> str:
    with suppress(sqlite3.Error):
        row = connection.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
        return "" if row is None else str(row[0])
    return ""


def _plain(value: Any) -> Any:
    return {"hex": value.hex()} if isinstance(value, bytes) else value


def _stored(value: Any) -> Any:
    try:
        return bytes.fromhex(value["hex"]) if isinstance(value, dict) else value
    except (KeyError, TypeError, ValueError):
        return None
