"""Statistics of a library: counts and disk usage."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from core.storage.catalogue.texts.generations import generations
from core.storage.catalogue.texts.meaning import ENCODED
from core.storage.connections import CATALOGUE
from core.storage.faults import row_faults
from core.storage.index.recall import last_recall
from core.storage.schema.steps import NO_VECTOR
from core.storage.schema.word_tables import FIELDS, content_table, index_table
from core.storage.store import Store

BACKUPS = ("backups", "damaged", "replaced")  # folders with copies of the catalogue, some of them set aside
CACHE = "cache"  # the folder for cached data of the pages; it may be deleted at any time


@dataclass(frozen=True, slots=True)
class Stats:
    """Counts of live sources and of chunks in the serving generation, and bytes on disk.

    Chunks: ``chunks`` are leaves, ``parents`` the chunks above them. ``characters`` and ``covered`` count non-blank
    characters; ``coverage`` is their ratio, 0 to 1 (1.0 for an empty library). ``truncated``: leaves that the encoder
    reads only in part. ``texts``: distinct encoder inputs of the leaves. ``vectors``: cached vectors, including those
    that no leaf uses now. ``pending``: changes in the outbox. ``recall``: as last measured for Chroma, 0 to 1, or
    ``None`` (``core.storage.index.recall``). ``trash``: sources in the trash; ``trash_bytes``: originals that only they
    use.

    Bytes: ``catalogue_bytes`` is the sum of ``text_bytes`` (text, structure, chunks, jobs), ``vectors_bytes`` and
    ``lexical_bytes``. ``files_bytes``: originals, including the trash. ``cache_bytes``: page images and the like.
    ``backups_bytes``: backups and catalogues set aside. ``other_bytes``: benchmark reports. ``total_bytes``: the total.
    """

    sources: int
    documents: int
    chunks: int
    parents: int
    characters: int
    covered: int
    coverage: float
    truncated: int
    texts: int
    vectors: int
    generations: int
    pending: int
    recall: float | None
    judgments: int
    jobs: int
    trash: int
    catalogue_bytes: int
    text_bytes: int
    vectors_bytes: int
    lexical_bytes: int
    files_bytes: int
    trash_bytes: int
    chroma_bytes: int
    cache_bytes: int
    backups_bytes: int
    other_bytes: int
    total_bytes: int


_COUNTS = f"""
SELECT (SELECT count(*) FROM source WHERE trashed_at IS NULL) AS sources,
  (SELECT count(DISTINCT version) FROM source WHERE trashed_at IS NULL) AS documents,
  (SELECT count(*) FROM chunk WHERE generation = :serving AND level = 0) AS chunks,
  (SELECT count(*) FROM chunk WHERE generation = :serving AND level > 0) AS parents,
  (SELECT coalesce(sum(characters), 0) FROM recipe WHERE generation = :serving) AS characters,
  (SELECT coalesce(sum(covered), 0) FROM recipe WHERE generation = :serving) AS covered,
  (SELECT coalesce(sum(truncated), 0) FROM recipe WHERE generation = :serving) AS truncated,
  (SELECT count(*) FROM (SELECT vector FROM chunk WHERE generation = :serving AND level = 0 AND {ENCODED}
    UNION SELECT alias.vector FROM alias JOIN chunk ON row = chunk WHERE generation = :serving)) AS texts,
  (SELECT count(*) FROM vector WHERE key <> '{NO_VECTOR}') AS vectors,
  (SELECT count(*) FROM generation) AS generations,
  (SELECT count(*) FROM outbox) AS pending,
  (SELECT count(*) FROM judgment) AS judgments,
  (SELECT count(*) FROM job WHERE state IN ('queued', 'running')) AS jobs,
  (SELECT count(*) FROM source WHERE trashed_at IS NOT NULL AND NOT trashed_along) AS trash,
  (SELECT coalesce(sum(size_bytes), 0) FROM version WHERE number NOT IN
    (SELECT version FROM source WHERE trashed_at IS NULL)) AS trash_bytes
"""


_KIND_FIGURES = """
SELECT kind, count(*), sum(size_bytes), sum((SELECT count(*) FROM page WHERE page.version = version.number)),
  sum((SELECT count(*) FROM chunk WHERE chunk.version = version.number AND generation = ? AND level = 0))
FROM version WHERE number IN (SELECT version FROM source WHERE trashed_at IS NULL) GROUP BY kind
"""


def stats(store: Store) -> Stats:
    """The statistics for the Library page and ``core stats``."""
    with store.reading() as connection:
        cursor = connection.execute(_COUNTS, {"serving": int(store.meta("serving") or 0)})
        counts = dict(zip((column[0] for column in cursor.description), cursor.fetchone(), strict=True))
        tables = _table_bytes(connection)
        lexical = [name for generation in generations(store) for name in _lexical_tables(generation.number)]
    vectors_bytes = tables.get("vector", 0) + tables.get("sqlite_autoindex_vector_1", 0)
    lexical_bytes = sum(tables.get(name, 0) for name in lexical)
    catalogue = sum(_bytes(path) for path in store.home.glob(CATALOGUE + "*"))
    sizes = {
        "catalogue_bytes": catalogue,
        "files_bytes": store.files.bytes_on_disk(),
        "chroma_bytes": folder_bytes(store.home / "chroma"),
        "cache_bytes": folder_bytes(store.home / CACHE),
        "backups_bytes": sum(folder_bytes(store.home / name) for name in BACKUPS),
        "other_bytes": folder_bytes(store.home / "benchmarks"),
    }
    return Stats(
        **counts,
        **sizes,
        recall=None if (measured := last_recall(store)) is None else measured.share,
        coverage=counts["covered"] / counts["characters"] if counts["characters"] else 1.0,
        text_bytes=max(0, catalogue - vectors_bytes - lexical_bytes),
        vectors_bytes=vectors_bytes,
        lexical_bytes=lexical_bytes,
        total_bytes=sum(sizes.values()),
    )


@dataclass(frozen=True, slots=True)
class KindFigures:
    """Totals over the live documents of one kind. ``chunks``: leaves in the serving generation."""

    documents: int
    size_bytes: int
    pages: int
    chunks: int


def kind_figures(store: Store, min_chunks: int) -> tuple[dict[str, KindFigures], float | None]:
    """The totals by kind, and the index size in bytes per chunk (``None`` with fewer than ``min_chunks`` chunks)."""
    rows = store.rows(_KIND_FIGURES, int(store.meta("serving") or 0))
    figures = {str(kind): KindFigures(*map(int, counts)) for kind, *counts in rows}
    chunks = sum(totals.chunks for totals in figures.values())
    catalogue = sum(_bytes(path) for path in store.home.glob(CATALOGUE + "*"))
    index = catalogue + folder_bytes(store.home / "chroma")
    return figures, index / chunks if chunks >= min_chunks else None


def _table_bytes(connection: sqlite3.Connection) -> Mapping[str, int]:
    """The size of every table and index; without SQLite's ``dbstat``, of the vectors and lexical tables only."""
    try:
        return dict(connection.execute("SELECT name, pgsize FROM dbstat WHERE aggregate = TRUE").fetchall())
    except sqlite3.OperationalError:
        queries = {"vector": "SELECT sum(length(data) + length(key)) FROM vector"}
        for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE name GLOB 'lexical_*_data'").fetchall():
            queries[name] = f"SELECT sum(length(block)) FROM {name}"
            tokens = f"{name.removesuffix('_data')}_tokens"
            queries[tokens] = f"SELECT sum({' + '.join(f'length({field})' for field in FIELDS)}) FROM {tokens}"
        return {name: int(connection.execute(query).fetchone()[0] or 0) for name, query in queries.items()}


def _lexical_tables(generation: int) -> list[str]:
    """A generation's token table and the internal tables of its FTS5 index."""
    index = index_table(generation)
    return [content_table(generation), *(f"{index}_{part}" for part in ("data", "idx", "docsize", "config"))]


def folder_bytes(folder: Path) -> int:
    """The total size of all files below a folder."""
    return sum(_bytes(path) for path in folder.rglob("*"))


def _bytes(path: Path) -> int:
    """The size of a file; 0 for a folder, or if the file is deleted meanwhile."""
    try:
        return path.stat().st_size if path.is_file() else 0
    except FileNotFoundError:
        return 0


_KEY = "languages"


@row_faults("The list of languages")
def languages(store: Store) -> tuple[str, ...]:
    """The languages that were ever indexed, by their names in ``core.text.languages``, sorted."""
    return tuple(json.loads(store.meta(_KEY) or "[]"))


def add_language(store: Store, language: str) -> None:
    """Record that a document in this language is indexed, so that questions are also analysed in it."""
    with store.transaction():
        indexed = languages(store)
        if language not in indexed:
            store.set_meta(_KEY, json.dumps(sorted({*indexed, language})))
