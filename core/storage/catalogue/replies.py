"""A cache of language model replies about documents, by a hash of model and prompt."""

from __future__ import annotations

from core.storage.store import Store
from core.text.normalise import storable


def reply(store: Store, key: str) -> str | None:
    """The cached reply, or ``None``."""
    text = store.value("SELECT reply FROM written WHERE key = ?", key)
    return None if text is None else str(text)


def keep_reply(store: Store, key: str, version_id: str, text: str, tokens: int, seconds: float) -> None:
    """Cache a reply until its document is deleted. ``tokens``: approximate length of the prompt."""
    store.write(
        "INSERT OR REPLACE INTO written(key, version_id, reply, tokens, seconds) VALUES (?, ?, ?, ?, ?)",
        *(key, version_id, storable(text), tokens, seconds),
    )


def tokens_per_second(store: Store) -> float | None:
    """Prompt tokens per second over the latest hundred replies; ``None`` without replies."""
    tokens, seconds = store.row(
        "SELECT sum(tokens), sum(seconds) FROM (SELECT tokens, seconds FROM written ORDER BY rowid DESC LIMIT 100)"
    )
    return tokens / seconds if seconds else None
