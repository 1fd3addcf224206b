"""Documents that a person left to their words: searched by them alone, and never encoded.

The mark is a source's, so that it stays when its file changes. A document is left to its words where every live source
of it is: its leaves then point to the vector without data, as those do that still wait for theirs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from core.cancellation import cancellable
from core.errors import LecternError
from core.storage.catalogue.labels import with_attachments
from core.storage.catalogue.meaning import ENCODED, UNENCODED
from core.storage.catalogue.question_log import QuestionLog
from core.storage.catalogue.statistics import folder_bytes
from core.storage.schema.steps import NO_VECTOR
from core.storage.store import Store

_LEFT = "SELECT version FROM source WHERE trashed_at IS NULL GROUP BY version HAVING min(words_alone)"  # SQL
_SOURCES = "SELECT version FROM source WHERE id IN (SELECT value FROM json_each(?))"
_OF_SOURCES = f"version IN ({_SOURCES})"
_NEVER = "9999"  # after every moment
_MOST_DAYS = 36_500
_RARELY_USED = """
WITH RECURSIVE used(version) AS (
  SELECT number FROM version WHERE id IN (SELECT value FROM json_each(?1))
  UNION SELECT version FROM source WHERE trashed_at IS NULL
    AND (iif(modified_ns IS NULL, changed_at >= ?2, modified_ns >= ?3) OR changed_at >= ?4)
  UNION SELECT parent FROM source JOIN used USING (version) WHERE parent IS NOT NULL AND trashed_at IS NULL
)
SELECT id FROM source WHERE trashed_at IS NULL AND NOT words_alone AND version NOT IN (SELECT version FROM used)
ORDER BY id
"""


@dataclass(frozen=True, slots=True)
class IndexUsage:
    """What documents hold beside their words. ``leaves``: that have a vector, and ``unencoded`` those without.

    ``vector_bytes``: of the catalogue, taken by vectors that no other leaf uses; ``chroma_bytes``: about. ``asked``:
    questions in the log, for ``read`` of which one of the documents was read.
    """

    documents: int
    leaves: int
    unencoded: int
    vector_bytes: int
    chroma_bytes: int
    asked: int
    read: int


def lexical_only_versions(store: Store) -> set[str]:
    """The versions that are."""
    return {version_id for (version_id,) in store.rows(f"SELECT id FROM version WHERE number IN ({_LEFT})")}


def is_lexical_only(store: Store, version_id: str, source: int | None = None) -> bool:
    """Whether a version is left to its words, or will be once ``source`` points to it."""
    marks = store.rows(
        "SELECT words_alone FROM source WHERE id = ? OR"
        " (trashed_at IS NULL AND version = (SELECT number FROM version WHERE id = ?))",
        *(source, version_id),
    )
    return bool(marks) and all(mark for (mark,) in marks)


def index_usage(store: Store, sources: Sequence[int]) -> IndexUsage:
    """What the documents of sources, and of the attachments of mails among them, hold. Raises ``NotFoundError``."""
    with store.reading():
        wanted = with_attachments(store, sources)
        documents, leaves, unencoded = store.row(
            f"SELECT count(DISTINCT version), coalesce(sum({ENCODED}), 0), coalesce(sum({UNENCODED}), 0)"
            f" FROM chunk WHERE level = 0 AND generation = ? AND {_OF_SOURCES}",
            *(int(store.meta("serving") or 0), wanted),
        )
        own = f"SELECT vector FROM chunk WHERE level = 0 AND {ENCODED} AND {_OF_SOURCES}"
        others = f"SELECT vector FROM chunk WHERE level = 0 AND NOT {_OF_SOURCES}"
        size = store.value(  # the key stands in an index as well
            "SELECT coalesce(sum(length(data) + 2 * length(key)), 0) FROM vector"
            f" WHERE number IN ({own} EXCEPT {others})",
            *(wanted, wanted),
        )
        every = int(store.value(f"SELECT count(*) FROM chunk WHERE level = 0 AND {ENCODED}"))
        own = f"SELECT id FROM version WHERE number IN (SELECT version FROM ({_SOURCES}))"
        asked, read = store.row(
            "SELECT count(*), count(*) FILTER (WHERE EXISTS"
            f" (SELECT 1 FROM json_each(version_ids) WHERE value IN ({own}))) FROM logged_question",
            wanted,
        )
    chroma = folder_bytes(store.home / "chroma") * leaves // max(1, every)
    return IndexUsage(documents, leaves, unencoded, size, chroma, asked, read)


def rarely_used(store: Store, older_than_days: int = 0, unread_for_days: int = 0) -> list[int]:
    """The live sources, not left to their words, whose documents have not changed and were not read for so many days;
    0: whether they did, or were, is not asked.

    A file is as old as it says itself, an upload as long as it is here. What came in, or changed, in the days that it
    was not read passes for read. A mail stays as long as one of its attachments does. Raises ``LecternError`` where the
    log of questions does not tell, and for fewer days than none.
    """
    if not all(0 <= days <= _MOST_DAYS for days in (older_than_days, unread_for_days)):
        raise LecternError("So many days there are not.", f"Choose a number from 0 to {_MOST_DAYS:,}.")
    changed, read = (datetime.now(UTC) - timedelta(days=days) for days in (older_than_days, unread_for_days))
    old, unread = (when.isoformat("T", "seconds") for when in (changed, read))
    with store.reading():
        reads = sorted(QuestionLog(store).read_since(unread)) if unread_for_days else []
        limits = (old, changed.timestamp() * 1e9) if older_than_days else (_NEVER, 2.0**63)
        found = store.rows(_RARELY_USED, reads, *limits, unread if unread_for_days else _NEVER)
    return [source for (source,) in found]


def leave_to_words(store: Store, sources: Sequence[int]) -> None:
    """Mark sources, and the attachments of mails among them, and drop the vectors of the documents that are left so.

    Raises ``NotFoundError``, and then marks none.
    """
    with store.transaction():
        wanted = with_attachments(store, sources)
        store.write("UPDATE source SET words_alone = 1 WHERE id IN (SELECT value FROM json_each(?))", wanted)
        leaves = store.rows(
            f"SELECT row, generation, vector FROM chunk WHERE level = 0 AND {ENCODED} AND {_OF_SOURCES}"
            f" AND version IN ({_LEFT})",
            wanted,
        )
        rows = [row for row, _, _ in leaves]
        vectors = [vector for _, _, vector in leaves]
        aliased = "FROM alias WHERE chunk IN (SELECT value FROM json_each(?))"
        vectors += [vector for (vector,) in store.rows(f"SELECT vector {aliased}", rows)]
        store.write(f"DELETE {aliased}", rows)
        store.write(
            f"UPDATE chunk SET vector = (SELECT number FROM vector WHERE key = '{NO_VECTOR}')"
            " WHERE row IN (SELECT value FROM json_each(?))",
            rows,
        )
        # What other leaves say as well stays, whichever documents they are of.
        store.write(
            "DELETE FROM vector WHERE number IN (SELECT value FROM json_each(?))"
            " AND NOT EXISTS (SELECT 1 FROM chunk WHERE chunk.vector = number)"
            " AND NOT EXISTS (SELECT 1 FROM alias WHERE alias.vector = number)",
            vectors,
        )
        queued = "INSERT INTO outbox(generation, op, row) VALUES (?, 'delete', ?)"
        store.write_many(queued, cancellable([(generation, row) for row, generation, _ in leaves]))
        store.touch()


def take_from_words(store: Store, sources: Sequence[int]) -> list[str]:
    """Unmark sources, and the attachments of mails among them; the versions that are to be encoded by that.

    Raises ``NotFoundError``.
    """
    with store.transaction():
        wanted = with_attachments(store, sources)
        store.write("UPDATE source SET words_alone = 0 WHERE id IN (SELECT value FROM json_each(?))", wanted)
        store.touch(contents=False)
        found = store.rows(
            "SELECT id FROM version WHERE number IN"
            f" (SELECT version FROM chunk WHERE level = 0 AND {UNENCODED} AND {_OF_SOURCES}) ORDER BY number",
            wanted,
        )
    return [version_id for (version_id,) in found]
