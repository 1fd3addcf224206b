"""Judgments: gold spans for questions, anchored by value, so they outlive the version they were made on.

A row names the version its gold is to be looked for in, and the hash of the text it lay in last, with its offsets and
quote there. Where that is the hash of the version's text, the gold holds. Where it is not, the gold is lost for now:
the row keeps its last place, and is tried again whenever the version's text, or the version of its source, changes.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from core.errors import NotFoundError
from core.storage.catalogue.names import shown_names
from core.storage.store import Store, now, storable
from core.text.anchoring import Finder, follow, surroundings
from core.types import Judgment, Span

_FIELDS = 'question, version_id, text_hash, start, "end", quote, "before", "after", origin, answer'


@dataclass(frozen=True, slots=True)
class StoredJudgment:
    """A judgment with its number in this library. ``created_at``: ISO 8601, UTC."""

    id: int
    judgment: Judgment
    created_at: str


class VersionText(NamedTuple):
    """A version's canonical text and its hash."""

    text: str
    text_hash: str


@dataclass(frozen=True, slots=True)
class Standing:
    """A version judgments name. ``name``: of its first live source, else of its first; ``live``: there is such one."""

    name: str
    text_hash: str
    live: bool


def add_judgments(store: Store, judgments: Sequence[Judgment]) -> list[int]:
    """Keep judgments, all or none, and return their numbers; one that is there already keeps its number.

    The same judgment is the same question with the same span, or without one, whoever made it; an answer it did not
    have yet is added to it.
    """
    numbers = []
    with store.transaction() as connection:
        for judgment in judgments:
            known = connection.execute(
                "SELECT id FROM judgment WHERE question = ? AND version_id IS ? AND text_hash IS ? AND start IS ?"
                ' AND "end" IS ?',
                (storable(judgment.question), judgment.version_id, judgment.text_hash, judgment.start, judgment.end),
            ).fetchone()
            if known is None:
                numbers.append(_add(connection, judgment))
                continue
            numbers.append(int(known[0]))
            connection.execute(
                "UPDATE judgment SET answer = ? WHERE id = ? AND answer = ''", (storable(judgment.answer), known[0])
            )
        if judgments:
            store.touch(contents=False)
    return numbers


def judgments(store: Store, version_id: str | None = None) -> list[StoredJudgment]:
    """All judgments in the order they were added, or those anchored to one version."""
    with store.reading() as connection:
        return [
            StoredJudgment(row[0], Judgment(*row[1:11]), row[11])
            for row in connection.execute(
                f"SELECT id, {_FIELDS}, created_at FROM judgment WHERE ?1 IS NULL OR version_id = ?1 ORDER BY id",
                (version_id,),
            )
        ]


def standings(store: Store) -> dict[str, Standing]:
    """The versions in the library, live or in the trash, that judgments name."""
    with store.reading() as connection:
        names = shown_names(connection)
        found: dict[str, Standing] = {}
        for version_id, text_hash, source, live in connection.execute(
            "SELECT version.id, text_hash, source.id, trashed_at IS NULL FROM source"
            " JOIN version ON version.number = source.version WHERE version.id IN (SELECT version_id FROM judgment)"
            " ORDER BY trashed_at IS NOT NULL, source.id"
        ):
            found.setdefault(version_id, Standing(names[source], text_hash, bool(live)))
    return found


def remove_judgments(store: Store, ids: Sequence[int]) -> None:
    """Forget judgments, all or none. Raises ``NotFoundError``."""
    with store.transaction() as connection:
        for number in dict.fromkeys(ids):
            if not connection.execute("DELETE FROM judgment WHERE id = ?", (number,)).rowcount:
                raise NotFoundError(f"There is no judgment {number}.", "It may have been removed already.")
        if ids:
            store.touch(contents=False)


def follow_judgments(
    connection: sqlite3.Connection, version_id: str, successor: str, old: VersionText | None, new: VersionText
) -> None:
    """Take a version's judgments to the version that succeeds it, or to its own new text; ``old`` ``None``: it is gone.

    What lay in the old text follows by its diff. What was lost before is looked for by its quotation. What is not found
    keeps its last place, under the new version.
    """
    lying = [
        _Lying(row[0], row[1], Span(*row[2:4]), *row[4:])
        for row in connection.execute(
            'SELECT id, text_hash, start, "end", quote, "before", "after", judged FROM judgment'
            " WHERE version_id = ? AND start IS NOT NULL",
            (version_id,),
        )
    ]
    if not lying:
        return
    connection.execute("UPDATE judgment SET version_id = ? WHERE version_id = ?", (successor, version_id))
    moving = [item for item in lying if item.text_hash != new.text_hash]
    held = [item for item in moving if old is not None and item.text_hash == old.text_hash]
    followed = follow(old.text if old else "", new.text, [item.span for item in held])
    places = {item.id: place for item, place in zip(held, followed, strict=True)}
    finder = Finder(new.text)
    for item in moving:
        place = places[item.id] if item.id in places else item.found(finder, item.quote)
        place = item.restored(finder, place)
        if place is None:
            continue
        quote = new.text[place.start : place.end]
        judged = item.judged or item.quote
        connection.execute(
            'UPDATE judgment SET text_hash = ?, start = ?, "end" = ?, quote = ?, "before" = ?, "after" = ?, judged = ?'
            " WHERE id = ?",
            (
                *(new.text_hash, place.start, place.end, quote, *surroundings(new.text, place)),
                *(None if judged == quote else judged, item.id),
            ),
        )


def hand_judgments_on(connection: sqlite3.Connection, version_id: str, successor: str) -> None:
    """``follow_judgments`` from one version in the catalogue to another."""
    if connection.execute("SELECT 1 FROM judgment WHERE version_id = ? LIMIT 1", (version_id,)).fetchone():
        old, new = (
            VersionText(*connection.execute("SELECT text, text_hash FROM version WHERE id = ?", (which,)).fetchone())
            for which in (version_id, successor)
        )
        follow_judgments(connection, version_id, successor, old, new)


@dataclass(frozen=True, slots=True)
class _Lying:
    """Where a judgment lay last. ``judged``: its quote as it was made, ``None`` where that is ``quote``."""

    id: int
    text_hash: str
    span: Span
    quote: str
    before: str
    after: str
    judged: str | None

    def found(self, finder: Finder, quote: str) -> Span | None:
        return finder.find_again(quote, self.before, self.after, self.span.start)

    def restored(self, finder: Finder, place: Span | None) -> Span | None:
        """The words as they were judged, where an undone edit has brought them back; else the place as it is."""
        if self.judged is None:
            return place
        if place is None:
            return self.found(finder, self.judged)
        there = finder.overlapping(self.judged, place)
        return finder.best(there, self.before, self.after, place.start) or place


def _add(connection: sqlite3.Connection, judgment: Judgment) -> int:
    values = (
        *(storable(judgment.question), judgment.version_id, judgment.text_hash, judgment.start, judgment.end),
        *(storable(text) for text in (judgment.quote, judgment.before, judgment.after)),
        *(judgment.origin, storable(judgment.answer), now()),
    )
    marks = ", ".join("?" * len(values))
    added = connection.execute(f"INSERT INTO judgment({_FIELDS}, created_at) VALUES ({marks})", values)
    return int(added.lastrowid or 0)
