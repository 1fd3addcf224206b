"""What a library holds and what it costs on disk."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from core.storage.store import CATALOGUE, Store


@dataclass(frozen=True, slots=True)
class Stats:
    """Counts of the whole library, chunks of its serving generation, and bytes on disk.

    ``documents`` are versions; ``chunks`` are leaves, ``parents`` the chunks above them; ``characters`` and
    ``covered`` are non-blank ones; ``coverage`` is their share, 0..1 (1.0 for an empty library). ``pending``: changes
    Chroma has yet to be told.
    """

    sources: int
    documents: int
    chunks: int
    parents: int
    characters: int
    covered: int
    coverage: float
    truncated: int
    vectors: int
    generations: int
    pending: int
    judgments: int
    jobs: int
    catalogue_bytes: int
    files_bytes: int
    chroma_bytes: int
    total_bytes: int


_COUNTS = """
SELECT (SELECT count(*) FROM source), (SELECT count(*) FROM version),
  (SELECT count(*) FROM chunk WHERE generation = :serving AND level = 0),
  (SELECT count(*) FROM chunk WHERE generation = :serving AND level > 0),
  (SELECT coalesce(sum(characters), 0) FROM recipe WHERE generation = :serving),
  (SELECT coalesce(sum(covered), 0) FROM recipe WHERE generation = :serving),
  (SELECT coalesce(sum(truncated), 0) FROM recipe WHERE generation = :serving),
  (SELECT count(*) FROM vector), (SELECT count(*) FROM generation), (SELECT count(*) FROM outbox),
  (SELECT count(*) FROM judgment), (SELECT count(*) FROM job WHERE state IN ('queued', 'running'))
"""


def stats(store: Store) -> Stats:
    """The figures the Library page and ``core stats`` show."""
    with store.reading() as connection:
        counts = connection.execute(_COUNTS, {"serving": int(store.meta("serving") or 0)}).fetchone()
    catalogue = sum(_bytes(path) for path in store.home.glob(CATALOGUE + "*"))
    files = store.files.bytes_on_disk()
    chroma = sum(_bytes(path) for path in (store.home / "chroma").rglob("*"))
    characters, covered = counts[4], counts[5]
    coverage = covered / characters if characters else 1.0
    sizes = (catalogue, files, chroma, catalogue + files + chroma)
    return Stats(*(*counts[:6], coverage, *counts[6:], *sizes))


def _bytes(path: Path) -> int:
    """Size of a file that may vanish while it is looked at."""
    try:
        return path.stat().st_size if path.is_file() else 0
    except FileNotFoundError:
        return 0
