"""What a language model said of documents, by its name and the exact prompt."""

from __future__ import annotations

from core.storage.store import Store, storable


def reply(store: Store, key: str) -> str | None:
    """What is kept under a key; ``None`` for nothing."""
    with store.reading() as connection:
        row = connection.execute("SELECT reply FROM written WHERE key = ?", (key,)).fetchone()
    return None if row is None else str(row[0])


def keep_reply(store: Store, key: str, version_id: str, said: str, tokens: int, seconds: float) -> None:
    """Keep a reply until its document leaves the library. ``tokens``: of the prompt, about."""
    with store.transaction() as connection:
        connection.execute(
            "INSERT OR REPLACE INTO written(key, version_id, reply, tokens, seconds) VALUES (?, ?, ?, ?, ?)",
            (key, version_id, storable(said), tokens, seconds),
        )


def tokens_a_second(store: Store) -> float | None:
    """How fast the model was in the latest hundred replies; ``None`` before the first."""
    with store.reading() as connection:
        tokens, seconds = connection.execute(
            "SELECT sum(tokens), sum(seconds) FROM (SELECT tokens, seconds FROM written ORDER BY rowid DESC LIMIT 100)"
        ).fetchone()
    return tokens / seconds if seconds else None
