"""The log of questions that users asked, with the outcome of each. It is stored in the library only."""

from __future__ import annotations

import json
from dataclasses import dataclass

from core.errors import LecternError
from core.storage.store import Store, now
from core.text.normalise import storable

_OFF = "preference.questions.unlogged"  # a preference, so that the keepsakes include it
MAX_QUESTIONS = 20_000  # older ones are deleted


@dataclass(frozen=True, slots=True)
class LoggedQuestion:
    """A question asked on the Ask page, and its outcome.

    ``milliseconds``: for search and the choice of quotes. ``support``: the probability that the passages answer it, 0
    to 1. ``quoted``: it was high enough to quote them. Both are ``None`` where a language model wrote the answer.
    ``similarity``: of the nearest chunk, ``None`` for lexical search only. ``version_ids``: documents in the context,
    the most relevant first. ``at``: ISO 8601 in UTC.
    """

    question: str
    milliseconds: float
    support: float | None
    quoted: bool | None
    similarity: float | None
    version_ids: tuple[str, ...]
    at: str = ""


class QuestionLog:
    """The log of one library. While it is off, nothing is recorded."""

    def __init__(self, store: Store) -> None:
        self._store = store

    @property
    def on(self) -> bool:
        """Whether questions are recorded: the library is writable and the user has not switched the log off."""
        return self._store.writable and self._store.meta(_OFF) is None

    def switch(self, on: bool) -> None:
        """Switch the log on or off; recorded questions stay."""
        self._store.set_meta(_OFF, None if on else "1")

    def note(self, question: LoggedQuestion) -> None:
        """Record a question, with the current time if its ``at`` is "". Does nothing while the log is off."""
        if not self.on:
            return
        values = question.milliseconds, question.support, question.quoted, question.similarity, question.version_ids
        with self._store.transaction():
            row = self._store.insert(
                "INSERT INTO logged_question(question, milliseconds, support, quoted, similarity, version_ids, at)"
                " VALUES (?, ?, ?, ?, ?, ?, ?)",
                *(storable(question.question), *values, question.at or now()),
            )
            self._store.write("DELETE FROM logged_question WHERE id <= ?", row - MAX_QUESTIONS)

    def since(self, moment: str) -> list[LoggedQuestion]:
        """The questions asked at or after ``moment`` (ISO 8601 in UTC; "" for all), oldest first.

        Questions recorded without a time, by early versions of Lectern, are left out.
        """
        rows = self._store.rows(
            "SELECT question, milliseconds, support, quoted, similarity, version_ids, at FROM logged_question"
            " WHERE at >= ? AND at <> '' ORDER BY id",
            moment,
        )
        return [
            LoggedQuestion(
                question=question,
                milliseconds=milliseconds,
                support=support,
                quoted=None if quoted is None else bool(quoted),
                similarity=similarity,
                version_ids=tuple(json.loads(version_ids)),
                at=at,
            )
            for question, milliseconds, support, quoted, similarity, version_ids, at in rows
        ]

    def read_since(self, moment: str) -> set[str]:
        """The versions that were in the context of a question asked at or after ``moment`` (ISO 8601 in UTC).

        Raises ``LecternError`` if the log is off or does not go back so far. Questions asked during earlier times when
        it was off are missing.
        """
        first = self._store.value("SELECT min(at) FROM logged_question WHERE at <> ''")
        first = None if self._store.meta(_OFF) is not None else first
        if first is None or first > moment:
            raise LecternError(
                f"Since when documents were not read is not known: the log of questions {_reach(first)}.",
                "Choose fewer days, or go by age alone.",
            )
        query = "SELECT DISTINCT value FROM logged_question, json_each(version_ids) WHERE at >= ?"
        return {version for (version,) in self._store.rows(query, moment)}

    def latest(self, count: int) -> list[str]:
        """The latest ``count`` distinct questions, newest first."""
        query = "SELECT question FROM logged_question GROUP BY question ORDER BY max(id) DESC LIMIT ?"
        return [str(question) for (question,) in self._store.rows(query, count)]

    def forget(self) -> None:
        """Delete all recorded questions."""
        self._store.write("DELETE FROM logged_question")


def _reach(first: str | None) -> str:
    """
    >>> _reach("2026-11-20T09:00:00+00:00"), _reach(None)
    ('goes back to 2026-11-20', 'is off or empty')
    """
    return f"goes back to {first[:10]}" if first else "is off or empty"
