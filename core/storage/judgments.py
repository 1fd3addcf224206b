"""Judgments: gold spans for questions, anchored by value, so they outlive the version they were made on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from core.errors import NotFoundError
from core.storage.store import Store, now, storable
from core.types import Judgment


@dataclass(frozen=True, slots=True)
class StoredJudgment:
    """A judgment with its number in this library. ``created_at``: ISO 8601, UTC."""

    id: int
    judgment: Judgment
    created_at: str


def add_judgments(store: Store, judgments: Sequence[Judgment]) -> list[int]:
    """Keep judgments, all or none, and return their numbers."""
    with store.transaction() as connection:
        return [
            int(
                connection.execute(
                    'INSERT INTO judgment(question, version_id, text_hash, start, "end", quote, "before", "after",'
                    " origin, created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                    (
                        storable(judgment.question),
                        judgment.version_id,
                        judgment.text_hash,
                        judgment.start,
                        judgment.end,
                        storable(judgment.quote),
                        storable(judgment.before),
                        storable(judgment.after),
                        judgment.origin,
                        now(),
                    ),
                ).lastrowid
                or 0
            )
            for judgment in judgments
        ]


def judgments(store: Store, version_id: str | None = None) -> list[StoredJudgment]:
    """All judgments in the order they were added, or those anchored to one version."""
    with store.reading() as connection:
        return [
            StoredJudgment(row[0], Judgment(*row[1:10]), row[10])
            for row in connection.execute(
                'SELECT id, question, version_id, text_hash, start, "end", quote, "before", "after", origin, created_at'
                " FROM judgment WHERE ?1 IS NULL OR version_id = ?1 ORDER BY id",
                (version_id,),
            )
        ]


def remove_judgment(store: Store, judgment_id: int) -> None:
    """Forget one judgment. Raises ``NotFoundError``."""
    with store.transaction() as connection:
        if not connection.execute("DELETE FROM judgment WHERE id = ?", (judgment_id,)).rowcount:
            raise NotFoundError(f"There is no judgment {judgment_id}.", "It may have been removed already.")
