"""What sort of passage every leaf is, as one array: read from the kept features without unpacking all they say."""

from __future__ import annotations

import zlib
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.enriching import SECTION_TYPES
from core.storage.store import Store

_UNKNOWN = -1
_CODES = {name: code for code, name in enumerate(SECTION_TYPES)}
_PROSE = _CODES["prose"]
# Inside a JSON string every quotation mark is escaped, so that neither can be anything but what it looks like: an
# entry's first field, a title that is never empty; and its section type, left out where it is the default.
_ENTRY = b'{"title":"'
_TYPE = b'"section_type":"'


@dataclass(frozen=True, slots=True, eq=False)
class SectionTypes:
    """Section types by catalogue row. ``rows``: ascending; ``codes``: (n,) int8, places in ``SECTION_TYPES``, -1 where
    no features are kept. ``revision``: the ``Store.contents`` they are of.
    """

    revision: int
    rows: NDArray[np.int64]
    codes: NDArray[np.int8]

    def of(self, rows: NDArray[np.int64]) -> NDArray[np.int8]:
        """The codes of these rows; -1 for one that is not known."""
        if not len(self.rows):
            return np.full(len(rows), _UNKNOWN, np.int8)
        places = np.minimum(np.searchsorted(self.rows, rows), len(self.rows) - 1)
        return np.where(self.rows[places] == rows, self.codes[places], _UNKNOWN).astype(np.int8)


def load_section_types(store: Store, previous: SectionTypes | None = None) -> SectionTypes:
    """The section types of the serving generation's leaves as they are kept now.

    ``previous`` saves unpacking again what it knows: a row is never used twice.
    """
    with store.reading() as connection:
        revision = store.contents()
        if previous is not None and previous.revision == revision:
            return previous
        generation = int(store.meta("serving") or 0)
        chunks = np.array(
            connection.execute(
                "SELECT version, row, level FROM chunk WHERE generation = ? ORDER BY version, row", (generation,)
            ).fetchall(),
            np.int64,
        ).reshape(-1, 3)
        leaves = chunks[:, 2] == 0
        codes = np.full(len(chunks), _UNKNOWN, np.int8)
        if previous is not None:
            codes[leaves] = previous.of(chunks[leaves, 1])
        versions, starts = np.unique(chunks[:, 0], return_index=True)
        for version, start, end in zip(versions.tolist(), starts, [*starts[1:], len(chunks)], strict=True):
            if (codes[start:end][leaves[start:end]] != _UNKNOWN).all():
                continue
            row = connection.execute(
                "SELECT features FROM enriched WHERE generation = ? AND version = ?", (generation, version)
            ).fetchone()
            found = _codes(row[0]) if row is not None else []
            if len(found) == end - start:
                codes[start:end] = found
    rows, codes = chunks[leaves, 1], codes[leaves]
    order = np.argsort(rows, kind="stable")
    return SectionTypes(revision, rows[order], codes[order])


def _codes(packed: bytes) -> list[int]:
    """The code of every entry of a version's packed features, in their order."""
    found: list[int] = []
    for entry in zlib.decompress(packed).split(_ENTRY)[1:]:
        at = entry.find(_TYPE) + len(_TYPE)
        found.append(_PROSE if at < len(_TYPE) else _CODES.get(entry[at : entry.index(b'"', at)].decode(), _UNKNOWN))
    return found
