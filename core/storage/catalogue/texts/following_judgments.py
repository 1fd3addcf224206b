"""Moving judgments to a new text. Gold spans are anchored by quotation and survive a change of the text.

Each row has the version of its gold span, and the span, its quote and the hash of the text where it was last found. If
that is the hash of the version's current text, the span is valid. Otherwise it was not found there: the row keeps its
last position and is tried again whenever the text or the version of the source changes.
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


def move_judgments(store: Store, version_id: str, successor: str, old: VersionText | None, new: VersionText) -> None:
    """Move a version's judgments to the text of its successor, which may be the version itself.

    ``old``: the version's text so far, ``None`` if it is no longer known. Spans that are valid in the old text move by
    a diff of the texts, the others by searching for their quotation. A span that is not found keeps its last position.
    """
    anchored = [
        _Anchored(row[0], row[1], Span(*row[2:4]), *row[4:])
        for row in store.rows(
            'SELECT id, text_hash, start, "end", quote, "before", "after", judged FROM judgment'
            " WHERE version_id = ? AND start IS NOT NULL",
            version_id,
        )
    ]
    if not anchored:
        return
    store.write("UPDATE judgment SET version_id = ? WHERE version_id = ?", successor, version_id)
    to_move = [item for item in anchored if item.text_hash != new.text_hash]
    valid = [item for item in to_move if old is not None and item.text_hash == old.text_hash]
    moved = follow(old.text if old else "", new.text, [item.span for item in valid])
    by_diff = {item.id: span for item, span in zip(valid, moved, strict=True)}
    finder = Finder(new.text)
    for item in to_move:
        span = by_diff[item.id] if item.id in by_diff else item.found(finder, item.quote)
        span = item.restored(finder, span)
        if span is None:
            continue
        quote = new.text[span.start : span.end]
        judged = item.judged or item.quote
        store.write(
            'UPDATE judgment SET text_hash = ?, start = ?, "end" = ?, quote = ?, "before" = ?, "after" = ?, judged = ?'
            " WHERE id = ?",
            *(new.text_hash, span.start, span.end, quote, *surroundings(new.text, span)),
            *(None if judged == quote else judged, item.id),
        )


def transfer_judgments(store: Store, version_id: str, successor: str) -> None:
    """``move_judgments`` between two stored versions."""
    new = version_text(store, successor)
    if new is not None and store.row("SELECT 1 FROM judgment WHERE version_id = ? LIMIT 1", version_id):
        move_judgments(store, version_id, successor, version_text(store, version_id), new)


def version_text(store: Store, version_id: str) -> VersionText | None:
    """The text of a stored version; ``None`` for an unknown version."""
    row = store.row("SELECT text, text_hash FROM version WHERE id = ?", version_id)
    return VersionText(*row) if row else None


@dataclass(frozen=True, slots=True)
class _Anchored:
    """A judgment's last known span. ``judged``: the quote when it was made, ``None`` if that is still ``quote``."""

    id: int
    text_hash: str
    span: Span
    quote: str
    before: str
    after: str
    judged: str | None

    def found(self, finder: Finder, quote: str) -> Span | None:
        return finder.find_again(quote, self.before, self.after, self.span.start)

    def restored(self, finder: Finder, span: Span | None) -> Span | None:
        """The span of the quote as first judged, if the new text contains it again; else ``span``."""
        if self.judged is None:
            return span
        if span is None:
            return self.found(finder, self.judged)
        candidates = finder.overlapping(self.judged, span)
        return finder.best(candidates, self.before, self.after, span.start) or span
