"""Leaves by what they mention, found in the lexical index: its tokens are the inverted look-up of every anchor.

Reading the features of a whole library to find one figure would cost seconds; a run of tokens costs FTS5 a millisecond.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from core.storage.lexical import FIELDS, index_table
from core.storage.store import Store


def rows_mentioning(
    store: Store, generation: int, runs: Sequence[Sequence[str]], fields: Sequence[str] = FIELDS
) -> NDArray[np.int64]:
    """Catalogue rows, ascending, of the leaves that hold one of these runs of tokens side by side in one field.

    ``runs``: analysed as the index is (``core.text.analysis``); empty ones ask for nothing.
    """
    phrases = list(dict.fromkeys(" ".join(run).replace('"', '""') for run in runs if run))
    if not phrases or not generation:
        return np.empty(0, np.int64)
    table = index_table(generation)
    asked = " OR ".join(f'"{phrase}"' for phrase in phrases)
    with store.reading() as connection:
        found = connection.execute(
            f"SELECT rowid FROM {table} WHERE {table} MATCH ? ORDER BY rowid", (f"{{{' '.join(fields)}}} : ({asked})",)
        ).fetchall()
    return np.array(found, np.int64).reshape(len(found))


def page_spans(store: Store, version_id: str, page: int) -> tuple[int, int] | None:
    """``(start, end)`` of the text whose boxes stand on a 1-based page of a version; ``None`` where there is none."""
    with store.reading() as connection:
        row = connection.execute(
            'SELECT min(start), max("end") FROM page_box'
            " WHERE version = (SELECT number FROM version WHERE id = ?) AND page = ?",
            (version_id, page),
        ).fetchone()
    return None if row is None or row[0] is None else (int(row[0]), int(row[1]))
