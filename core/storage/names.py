"""What sources are called where people read it: an attachment stands behind the mail it came in."""

from __future__ import annotations

import sqlite3

BEHIND = " › "


def shown_names(connection: sqlite3.Connection) -> dict[int, str]:
    """The shown name of every source, in the trash or not: an attachment's is ``mail.eml › report.pdf``.

    A mail that several sources hold lends the name of its first live one, else of its first.
    """
    rows = connection.execute(
        "SELECT id, name, parent, version FROM source ORDER BY trashed_at IS NOT NULL, id"
    ).fetchall()
    names: dict[int, str] = {source: name for source, name, parent, _ in rows if parent is None}
    first: dict[int, int] = {}
    for source, _, _, version in rows:
        first.setdefault(version, source)
    attached = {source: (name, first.get(parent)) for source, name, parent, _ in rows if parent is not None}

    def behind(source: int) -> str:
        if source not in names:
            own, mail = attached[source]
            names[source] = own if mail is None else behind(mail) + BEHIND + own
        return names[source]

    return {source: behind(source) for source, _, _, _ in rows}


def names_of_versions(connection: sqlite3.Connection) -> dict[int, str]:
    """By version number: the shown name of its first live source."""
    names = shown_names(connection)
    found: dict[int, str] = {}
    for version, source in connection.execute(
        "SELECT version, id FROM source WHERE trashed_at IS NULL ORDER BY id"
    ).fetchall():
        found.setdefault(version, names[source])
    return found


def shown_name(connection: sqlite3.Connection, source: int) -> str:
    """The shown name of one source."""
    name, parent = connection.execute("SELECT name, parent FROM source WHERE id = ?", (source,)).fetchone()
    if parent is None:
        return str(name)
    mail = connection.execute(
        "SELECT id FROM source WHERE version = ? ORDER BY trashed_at IS NOT NULL, id LIMIT 1", (parent,)
    ).fetchone()
    return str(name) if mail is None else shown_name(connection, mail[0]) + BEHIND + str(name)
