"""What no original can give back, as JSON lines that outlive any schema: settings, sources, labels, edits, judgments.

Every line is an object with its ``kind``; the first one names the library, the revision that the lines are of, and
their hash. Nothing in them is a number of a row: documents are named by the hash of their bytes.
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
_MADE = {"folder": "added_at", "own_recipe": "changed_at", "edit": "made_at", "judgment": "created_at"}
# What one value does that is not as it was written; a disk that fails is another thing.
_GARBLED = (
    *(ValueError, TypeError, KeyError, OverflowError),
    *(sqlite3.IntegrityError, sqlite3.ProgrammingError, sqlite3.InterfaceError, sqlite3.DataError),
)
_WITHOUT_ROWID = ("meta", "own_recipe")
_UNREVISED = ("file_bytes", "modified_ns")  # noted without a new revision


@dataclass(frozen=True, slots=True)
class Keepsakes:
    """``rows`` by kind. ``unread``: a sentence for each kind of which something could not be read.

    ``preferences``: grows with every change of one, which the revision does not. Not ``sound``: rows may be missing,
    or other ones, that nothing tells of. ``sealed``: the hash of the lines says that they are as they were written.
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
    revision = _meta(connection, "revision") or "0"
    if not revision.isdecimal():
        unread.append(f"The revision of the catalogue cannot be read: {revision[:20]!r} is no number.")
        revision = "0"
    library, preferences = _meta(connection, "library"), _meta(connection, "preferences")
    return Keepsakes(library, int(revision), rows, tuple(unread), preferences)


def head(home: Path) -> tuple[str, int]:
    """The library and the revision that what was written down is of; ``("", 0)`` for nothing that can be read."""
    with suppress(ValueError, TypeError, KeyError, OverflowError):
        row = _first(home)
        return str(row["id"]), int(row["revision"])
    return "", 0


def kept(home: Path) -> Keepsakes:
    """What was written down last; nothing where that cannot be read. A line that is damaged costs that line alone."""
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
    hashed = hashlib.sha256(data.partition(b"\n")[2]).hexdigest()
    seal = _first(home).get("sha256", "")  # an earlier Lectern's has none
    told = (f"{unread} lines of {FILE} could not be read.",) if unread else ()
    return Keepsakes(*head(home), rows, told, sound=seal in ("", hashed), sealed=seal == hashed)


def altered(store: Store) -> list[str]:
    """Kinds of which rows are not as they were written down, though nothing was changed since: they are damaged."""
    then = kept(store.home)
    with store.reading() as connection:
        if not then.sealed or not _is_of_now(store.home, connection):
            return []
        now = gathered(connection)
    return [kind for kind in _QUERIES if _compared(now.of(kind)) != _compared(then.of(kind))]


def _compared(rows: Rows) -> set[str]:
    return {json.dumps({name: row[name] for name in sorted(row) if name not in _UNREVISED}) for row in rows}


def write_down(store: Store) -> None:
    """Write the keepsakes beside the catalogue in the place of those there, whatever these are of.

    Those of the same revision and preferences are left as they are: what differs from them since then is damage.
    Raises ``StorageError`` where the catalogue cannot be read or the disk cannot be written.
    """
    with store.reading() as connection:
        if _is_of_now(store.home, connection):
            return
        now = gathered(connection)
    if now.unread:
        raise StorageError(f"The keepsakes of {store.home} were not written: {' '.join(now.unread)}", "Run verify.")
    lines = "".join(json.dumps({"kind": kind, **row}) + "\n" for kind, rows in now.rows.items() for row in rows)
    first = {"kind": "library", "id": now.library, "revision": now.revision, "preferences": now.preferences}
    first["sha256"] = hashlib.sha256(lines.encode()).hexdigest()
    with disk_faults(store.home), written_whole(store.home / FILE) as unfinished:
        unfinished.write_text(json.dumps(first) + "\n" + lines, "utf-8", newline="")


def put_back(store: Store, told: Sequence[Keepsakes]) -> list[str]:
    """Keep what several records know, sources apart, the newest first; say what of it could not be had back.

    ``told``: the oldest first. What a record of this library's own says goes before what another's does, and an older
    one adds what no newer one says. A whole one is the last that is asked: what it no longer holds was removed. What
    the catalogue itself holds is changed by a record that is not older than it.
    """
    lost: list[str] = []
    settled: set[Hashable] = set()
    with store.transaction() as connection:
        library, revision = store.meta("library"), store.revision()
        in_turn = sorted(told, key=lambda known: (known.library == library, known.revision))
        for known in in_turn[::-1]:
            over, own = known.revision >= revision, known.library == library
            faults = _meta_put_back(connection, known, settled) if over else []
            for kind, identity in _IDENTITIES.items():
                faults += _put_back(connection, known.of(kind), kind, identity, over=over, settled=settled)
            lost += faults
            if own and known.sound and not known.unread and not faults:
                if over:
                    _remove_what_was_removed(connection, known)
                break
        store.touch()
    return list(dict.fromkeys(lost))


def _meta_put_back(connection: sqlite3.Connection, known: Keepsakes, settled: set[Hashable]) -> list[str]:
    lost = []
    for row in known.of("meta"):
        try:
            key, value = str(row["key"]), row["value"]
            if key == "settings":
                json.loads(value)
            if key not in settled:
                connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, value))
                settled.add(key)
        except _GARBLED as error:
            lost.append(f"A value of meta could not be had back ({error}).")
    return lost


def _put_back(
    connection: sqlite3.Connection,
    rows: Sequence[Row],
    kind: str,
    identity: Sequence[str],
    *,
    over: bool,
    settled: set[Hashable],
) -> list[str]:
    columns = {name for _, name, *_ in connection.execute(f"PRAGMA table_info({kind})")}
    key, same = _key(kind), " AND ".join(f'"{name}" IS ?' for name in identity)
    seen: Counter[Hashable] = Counter()  # of one identity there may be several, as edits of one second
    lost = []
    for row in rows:
        try:
            own = {"kind" if name == "type" else name: _stored(value) for name, value in row.items()}
            own = {name: value for name, value in own.items() if name in columns}
            who = [own[name] for name in identity]
            number = seen[kind, *who]
            seen[kind, *who] += 1
            if (kind, *who, number) in settled:
                continue
            there = connection.execute(f'SELECT "{key}" FROM {kind} WHERE {same} ORDER BY "{key}"', who).fetchall()
            if number >= len(there):
                names, marks = ", ".join(f'"{name}"' for name in own), ", ".join("?" * len(own))
                connection.execute(f"INSERT INTO {kind}({names}) VALUES ({marks})", list(own.values()))
            elif over:
                values = ", ".join(f'"{name}" = ?' for name in own)
                connection.execute(
                    f'UPDATE {kind} SET {values} WHERE {same} AND "{key}" = ?',
                    [*own.values(), *who, there[number][0]],
                )
            settled.add((kind, *who, number))
        except _GARBLED as error:  # a line of a later Lectern, one that a hand has written, or damage
            lost.append(f"A row of {kind} could not be had back ({error}).")
    return lost


def _remove_what_was_removed(connection: sqlite3.Connection, known: Keepsakes) -> None:
    """Take rows out that a whole record lacks; those made after all of its own are a person's later work, and stay."""
    moments = [str(row.get(column)) for kind, column in _MADE.items() for row in known.of(kind)]
    latest = max(filter(_is_moment, moments), default="")
    for kind, column in _MADE.items():
        identity, key = _IDENTITIES[kind], _key(kind)
        held = Counter(
            tuple(_stored(row.get("type" if name == "kind" else name)) for name in identity) for row in known.of(kind)
        )
        names = ", ".join(f'"{name}"' for name in identity)
        rows = []
        with suppress(sqlite3.OperationalError):  # bytes that are no text
            rows = connection.execute(f'SELECT "{key}", {column}, {names} FROM {kind} ORDER BY "{key}"').fetchall()
        for number, made, *who in rows:
            held[tuple(who)] -= 1
            if held[tuple(who)] < 0 and made <= latest:
                same = " AND ".join(f'"{name}" IS ?' for name in identity)
                connection.execute(f'DELETE FROM {kind} WHERE "{key}" = ? AND {same}', (number, *who))


def _key(kind: str) -> str:
    return "key" if kind in _WITHOUT_ROWID else "id"


def _is_moment(text: str) -> bool:
    with suppress(ValueError):
        return bool(datetime.fromisoformat(text))
    return False


def salvaged(catalogue: Path) -> Keepsakes:
    """The keepsakes of a catalogue that no library opens any more."""
    for query in ("mode=ro", "immutable=1"):
        with suppress(sqlite3.Error, OSError):
            with closing(sqlite3.connect(f"{catalogue.absolute().as_uri()}?{query}", uri=True)) as connection:
                connection.text_factory = lambda data: data.decode("utf-8", "surrogateescape")
                found = replace(gathered(connection), sound=_is_sound(connection))
            if any(found.rows.values()) or query == "immutable=1":
                return found
    return Keepsakes(unread=(f"Nothing of {catalogue} could be read.",))


def path_of(row: Row) -> Path | None:
    """The path of a source's row, ``None`` for one without."""
    with suppress(ValueError):
        stored = _stored(row.get("path"))
        return place_of(stored) if isinstance(stored, bytes) and stored and b"\0" not in stored else None
    return None


def place_of(stored: bytes) -> Path:
    """The path that the catalogue keeps as the file system's own bytes."""
    return Path(os.fsdecode(stored))


def names_in(row: Row, key: str) -> list[str]:
    """The names in a row's list, which the catalogue gives as JSON. Raises ``ValueError``, ``TypeError``."""
    return [str(name) for name in json.loads(row.get(key) or "[]")]


def _first(home: Path) -> Row:
    """What the first line says of the others; empty where it cannot be read."""
    with suppress(OSError, ValueError), (home / FILE).open("rb") as stream:
        row = json.loads(stream.readline())
        return row if isinstance(row, dict) else {}
    return {}


def _is_of_now(home: Path, connection: sqlite3.Connection) -> bool:
    """Whether nothing was changed in the catalogue since it was written down."""
    first = _first(home)
    then = [str(first.get(name, "")) for name in ("id", "revision", "preferences")]
    return then == [_meta(connection, name) for name in ("library", "revision", "preferences")]


def _meta(connection: sqlite3.Connection, key: str) -> str:
    with suppress(sqlite3.Error):
        row = connection.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
        return "" if row is None else str(row[0])
    return ""


def _is_sound(connection: sqlite3.Connection) -> bool:
    with suppress(sqlite3.Error):
        return bool(connection.execute("PRAGMA quick_check(1)").fetchone()[0] == "ok")
    return False


def _plain(value: Any) -> Any:
    return {"hex": value.hex()} if isinstance(value, bytes) else value


def _stored(value: Any) -> Any:
    """What the catalogue keeps for a value of a row. Raises ``ValueError`` for what it cannot have been."""
    try:
        return bytes.fromhex(value["hex"]) if isinstance(value, dict) else value
    except (KeyError, TypeError) as error:
        raise ValueError("its bytes cannot be read") from error
