"""Judgments that follow their text: gold spans anchored by value, so they outlive the version they were made on.

A row names the version its gold is to be looked for in, and the hash of the text it lay in last, with its offsets and
quote there. Where that is the hash of the version's text, the gold holds. Where it is not, the gold is lost for now:
the row keeps its last place, and is tried again whenever the version's text, or the version of its source, changes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from core.storage.store import Store
from core.text.anchoring import Finder, follow, surroundings
from core.types import Span


class VersionText(NamedTuple):
    """A version's canonical text and its hash."""

    text: str
    text_hash: str


def follow_judgments(store: Store, version_id: str, successor: str, old: VersionText | None, new: VersionText) -> None:
    """Take a version's judgments to the version that succeeds it, or to its own new text; ``old`` ``None``: it is gone.

    What lay in the old text follows by its diff. What was lost before is looked for by its quotation. What is not found
    keeps its last place, under the new version.
    """
    lying = [
        _Lying(row[0], row[1], Span(*row[2:4]), *row[4:])
        for row in store.rows(
            'SELECT id, text_hash, start, "end", quote, "before", "after", judged FROM judgment'
            " WHERE version_id = ? AND start IS NOT NULL",
            version_id,
        )
    ]
    if not lying:
        return
    store.write("UPDATE judgment SET version_id = ? WHERE version_id = ?", successor, version_id)
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
        store.write(
            'UPDATE judgment SET text_hash = ?, start = ?, "end" = ?, quote = ?, "before" = ?, "after" = ?, judged = ?'
            " WHERE id = ?",
            *(new.text_hash, place.start, place.end, quote, *surroundings(new.text, place)),
            *(None if judged == quote else judged, item.id),
        )


def hand_judgments_on(store: Store, version_id: str, successor: str) -> None:
    """``follow_judgments`` from one version in the catalogue to another."""
    new = text_of(store, successor)
    if new is not None and store.row("SELECT 1 FROM judgment WHERE version_id = ? LIMIT 1", version_id):
        follow_judgments(store, version_id, successor, text_of(store, version_id), new)


def text_of(store: Store, version_id: str) -> VersionText | None:
    """The text of a version in the catalogue; ``None`` where there is none."""
    row = store.row("SELECT text, text_hash FROM version WHERE id = ?", version_id)
    return VersionText(*row) if row else None


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
