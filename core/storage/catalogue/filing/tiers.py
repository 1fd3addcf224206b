"""The lexical-only tier: documents that, by the user's choice, are found by lexical search and never encoded.

The mark (column ``words_alone``) belongs to the source, so that it stays when the file changes. A document is
lexical-only if all its live sources are marked. Its leaves refer to the placeholder vector, like leaves that are not
encoded yet.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from core.cancellation import cancellable
from core.errors import LecternError
from core.storage.catalogue.filing.labels import with_attachments
from core.storage.catalogue.question_log import QuestionLog
from core.storage.catalogue.statistics import folder_bytes
from core.storage.catalogue.texts.meaning import ENCODED, UNENCODED
from core.storage.schema.steps import NO_VECTOR
from core.storage.store import Store

_LEXICAL_ONLY = "SELECT version FROM source WHERE trashed_at IS NULL GROUP BY version HAVING min(words_alone)"  # SQL
_VERSIONS = "SELECT version FROM source WHERE id IN (SELECT value FROM json_each(?))"  # of sources
_OF_SOURCES = f"version IN ({_VERSIONS})"
_NEVER = "9999"  # sorts after every timestamp
_MAX_DAYS = 36_500
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
    """The size and use of some documents' vectors.

    ``leaves``: encoded ones; ``unencoded``: the others. ``vector_bytes``: in the catalogue, of vectors that no other
    document uses. ``chroma_bytes``: an estimate. ``asked``: questions in the log; ``read``: those of them that had one
    of the documents in their context.
    """

    documents: int
    leaves: int
    unencoded: int
    vector_bytes: int
    chroma_bytes: int
    asked: int
    read: int


def lexical_only_versions(store: Store) -> set[str]:
    """The ids of all lexical-only versions."""
    return {version_id for (version_id,) in store.rows(f"SELECT id FROM version WHERE number IN ({_LEXICAL_ONLY})")}


def is_lexical_only(store: Store, version_id: str, source: int | None = None) -> bool:
    """Whether a version is lexical-only, or will be once ``source`` points to it."""
    marks = store.rows(
        "SELECT words_alone FROM source WHERE id = ? OR"
        " (trashed_at IS NULL AND version = (SELECT number FROM version WHERE id = ?))",
        *(source, version_id),
    )
    return bool(marks) and all(mark for (mark,) in marks)


def index_usage(store: Store, sources: Sequence[int]) -> IndexUsage:
    """The index usage of the documents of sources and their attachments. Raises ``NotFoundError``."""
    with store.reading():
        selected = with_attachments(store, sources)
        documents, leaves, unencoded = store.row(
            f"SELECT count(DISTINCT version), coalesce(sum({ENCODED}), 0), coalesce(sum({UNENCODED}), 0)"
            f" FROM chunk WHERE level = 0 AND generation = ? AND {_OF_SOURCES}",
            *(int(store.meta("serving") or 0), selected),
        )
        own = f"SELECT vector FROM chunk WHERE level = 0 AND {ENCODED} AND {_OF_SOURCES}"
        others = f"SELECT vector FROM chunk WHERE level = 0 AND NOT {_OF_SOURCES}"
        size = store.value(  # twice the key, since an index holds it too
            "SELECT coalesce(sum(length(data) + 2 * length(key)), 0) FROM vector"
            f" WHERE number IN ({own} EXCEPT {others})",
            *(selected, selected),
        )
        all_encoded = int(store.value(f"SELECT count(*) FROM chunk WHERE level = 0 AND {ENCODED}"))
        version_ids = f"SELECT id FROM version WHERE number IN ({_VERSIONS})"
        asked, read = store.row(
            "SELECT count(*), count(*) FILTER (WHERE EXISTS"
            f" (SELECT 1 FROM json_each(version_ids) WHERE value IN ({version_ids}))) FROM logged_question",
            selected,
        )
    chroma = folder_bytes(store.home / "chroma") * leaves // max(1, all_encoded)
    return IndexUsage(documents, leaves, unencoded, size, chroma, asked, read)


def rarely_used(store: Store, older_than_days: int = 0, unread_for_days: int = 0) -> list[int]:
    """Live sources, not lexical-only, that have not changed for ``older_than_days`` and whose documents were in no
    context for ``unread_for_days``. Either criterion is ignored if it is 0.

    The age of a file is that of its last change, of an upload the time since it was added. A document added or changed
    within ``unread_for_days`` counts as read. A mail is included only if all its attachments are. Raises
    ``LecternError`` if the log of questions is off or too short, and for an invalid number of days.
    """
    if not all(0 <= days <= _MAX_DAYS for days in (older_than_days, unread_for_days)):
        raise LecternError("So many days there are not.", f"Choose a number from 0 to {_MAX_DAYS:,}.")
    changed_limit, read_limit = (
        datetime.now(UTC) - timedelta(days=days) for days in (older_than_days, unread_for_days)
    )
    changed_text, read_text = (limit.isoformat("T", "seconds") for limit in (changed_limit, read_limit))
    with store.reading():
        versions_read = sorted(QuestionLog(store).read_since(read_text)) if unread_for_days else []
        age_limits = (changed_text, changed_limit.timestamp() * 1e9) if older_than_days else (_NEVER, 2.0**63)
        rows = store.rows(_RARELY_USED, versions_read, *age_limits, read_text if unread_for_days else _NEVER)
    return [source for (source,) in rows]


def leave_to_words(store: Store, sources: Sequence[int]) -> None:
    """Mark sources and their attachments, and delete the vectors of documents that are lexical-only by that.

    Raises ``NotFoundError`` and changes nothing for an unknown source.
    """
    with store.transaction():
        selected = with_attachments(store, sources)
        store.write("UPDATE source SET words_alone = 1 WHERE id IN (SELECT value FROM json_each(?))", selected)
        leaves = store.rows(
            f"SELECT row, generation, vector FROM chunk WHERE level = 0 AND {ENCODED} AND {_OF_SOURCES}"
            f" AND version IN ({_LEXICAL_ONLY})",
            selected,
        )
        rows = [row for row, _, _ in leaves]
        vectors = [vector for _, _, vector in leaves]
        from_aliases = "FROM alias WHERE chunk IN (SELECT value FROM json_each(?))"
        vectors += [vector for (vector,) in store.rows(f"SELECT vector {from_aliases}", rows)]
        store.write(f"DELETE {from_aliases}", rows)
        store.write(
            f"UPDATE chunk SET vector = (SELECT number FROM vector WHERE key = '{NO_VECTOR}')"
            " WHERE row IN (SELECT value FROM json_each(?))",
            rows,
        )
        # Vectors that leaves of other documents share are kept.
        store.write(
            "DELETE FROM vector WHERE number IN (SELECT value FROM json_each(?))"
            " AND NOT EXISTS (SELECT 1 FROM chunk WHERE chunk.vector = number)"
            " AND NOT EXISTS (SELECT 1 FROM alias WHERE alias.vector = number)",
            vectors,
        )
        insert = "INSERT INTO outbox(generation, op, row) VALUES (?, 'delete', ?)"
        store.write_many(insert, cancellable([(generation, row) for row, generation, _ in leaves]))
        store.touch()


def take_from_words(store: Store, sources: Sequence[int]) -> list[str]:
    """Remove the mark from sources and their attachments; return the versions that must be encoded now.

    Raises ``NotFoundError``.
    """
    with store.transaction():
        selected = with_attachments(store, sources)
        store.write("UPDATE source SET words_alone = 0 WHERE id IN (SELECT value FROM json_each(?))", selected)
        store.touch(contents=False)
        rows = store.rows(
            "SELECT id FROM version WHERE number IN"
            f" (SELECT version FROM chunk WHERE level = 0 AND {UNENCODED} AND {_OF_SOURCES}) ORDER BY number",
            selected,
        )
    return [version_id for (version_id,) in rows]
