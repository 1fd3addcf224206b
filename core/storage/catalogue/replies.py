"""What a language model said of documents, by its name and the exact prompt."""

from __future__ import annotations

from core.storage.store import Store
from core.text.normalise import storable


def reply(store: Store, key: str) -> str | None:
    """What is kept under a key; ``None`` for nothing."""
    found = store.value("SELECT reply FROM written WHERE key = ?", key)
    return None if found is None else str(found)


def keep_reply(store: Store, key: str, version_id: str, said: str, tokens: int, seconds: float) -> None:
    """Keep a reply until its document leaves the library. ``tokens``: of the prompt, about."""
    store.write(
        "INSERT OR REPLACE INTO written(key, version_id, reply, tokens, seconds) VALUES (?, ?, ?, ?, ?)",
        *(key, version_id, storable(said), tokens, seconds),
    )


def tokens_a_second(store: Store) -> float | None:
    """How fast the model was in the latest hundred replies; ``None`` before the first."""
    tokens, seconds = store.row(
        "SELECT sum(tokens), sum(seconds) FROM (SELECT tokens, seconds FROM written ORDER BY rowid DESC LIMIT 100)"
    )
    return tokens / seconds if seconds else None
