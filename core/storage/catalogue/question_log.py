"""The log of questions: what was asked, how sure the answer was, what was read for it. It stays in the library."""

from __future__ import annotations

import json
from dataclasses import dataclass

from core.errors import LecternError
from core.storage.store import Store, now
from core.text.normalise import storable

_OFF = "preference.questions.unlogged"  # kept with the preferences, also by repair
KEPT = 20_000  # of the latest


@dataclass(frozen=True, slots=True)
class LoggedQuestion:
    """A question that was asked on Ask, and what came of it.

    ``milliseconds``: of searching and of choosing what to quote. ``support``: probability that what was found answers
    it, 0..1; ``quoted``: it was enough to quote from; both ``None`` where a language model wrote the answer instead.
    ``similarity``: of the nearest chunk, ``None`` by words alone. ``version_ids``: documents that were read, the most
    relevant first. ``at``: ISO 8601, UTC.
    """

    question: str
    milliseconds: float
    support: float | None
    quoted: bool | None
    similarity: float | None
    version_ids: tuple[str, ...]
    at: str = ""


class QuestionLog:
    """The log of one library; off, nothing of a question is written anywhere."""

    def __init__(self, store: Store) -> None:
        self._store = store

    @property
    def on(self) -> bool:
        """Whether questions are noted: by a library that may be written, unless a person said no."""
        return self._store.writable and self._store.meta(_OFF) is None

    def switch(self, on: bool) -> None:
        """Note questions from now on, or no longer; what was noted stays until it is forgotten."""
        self._store.set_meta(_OFF, None if on else "1")

    def note(self, asked: LoggedQuestion) -> None:
        """Put a question into the log, at this moment where ``at`` is ""; off, nothing happens."""
        if not self.on:
            return
        values = asked.question, asked.milliseconds, asked.support, asked.quoted, asked.similarity
        with self._store.transaction():
            number = self._store.insert(
                "INSERT INTO logged_question(question, milliseconds, support, quoted, similarity, version_ids, at)"
                " VALUES (?, ?, ?, ?, ?, ?, ?)",
                *(storable(values[0]), *values[1:], asked.version_ids, asked.at or now()),
            )
            self._store.write("DELETE FROM logged_question WHERE id <= ?", number - KEPT)

    def since(self, moment: str) -> list[LoggedQuestion]:
        """What was asked at ``moment`` (ISO 8601, UTC; "": ever) or later, in the order of its asking.

        Questions of an older Lectern, which noted no moment, are left out.
        """
        found = self._store.rows(
            "SELECT question, milliseconds, support, quoted, similarity, version_ids, at FROM logged_question"
            " WHERE at >= ? AND at <> '' ORDER BY id",
            moment,
        )
        return [
            LoggedQuestion(*(*before, None if quoted is None else bool(quoted), near, tuple(json.loads(read)), at))
            for *before, quoted, near, read, at in found
        ]

    def read_since(self, moment: str) -> set[str]:
        """The versions that were read for a question at ``moment`` (ISO 8601, UTC) or later.

        Raises ``LecternError`` where the log is off or does not go back so far: then nobody knows. What was asked while
        it was off before is not known either, and passes for not asked.
        """
        first = self._store.value("SELECT min(at) FROM logged_question WHERE at <> ''")
        first = None if self._store.meta(_OFF) is not None else first
        if first is None or first > moment:
            raise LecternError(
                f"Since when documents were not read is not known: the log of questions {_reach(first)}.",
                "Choose fewer days, or go by age alone.",
            )
        read = "SELECT DISTINCT value FROM logged_question, json_each(version_ids) WHERE at >= ?"
        return {version for (version,) in self._store.rows(read, moment)}

    def latest(self, count: int) -> list[str]:
        """So many questions, each once, the one asked last first."""
        latest = "SELECT question FROM logged_question GROUP BY question ORDER BY max(id) DESC LIMIT ?"
        return [str(question) for (question,) in self._store.rows(latest, count)]

    def forget(self) -> None:
        """Empty the log."""
        self._store.write("DELETE FROM logged_question")


def _reach(first: str | None) -> str:
    """
    >>> _reach("2026-11-20T09:00:00+00:00"), _reach(None)
    ('goes back to 2026-11-20', 'is off or empty')
    """
    return f"goes back to {first[:10]}" if first else "is off or empty"
