"""What two contexts of one question have in common, and what only one of them holds. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from core.types import Passage, Span


def pieces(passage: Passage, others: Iterable[Passage]) -> list[tuple[str, bool]]:
    """A passage's text in pieces that the other context holds (``False``) or lacks (``True``), in order.

    Blanks alone are not worth a mark: they go with the piece before them.
    """
    held = sorted(
        (max(other.start, passage.start) - passage.start, min(other.end, passage.end) - passage.start)
        for other in others
        if other.version_id == passage.version_id and other.start < passage.end and passage.start < other.end
    )
    found: list[tuple[str, bool]] = []
    done = 0
    for start, end in [*held, (len(passage.text), len(passage.text))]:
        for first, last, only in ((done, start, True), (max(done, start), end, False)):
            text = passage.text[first:last]
            if not text:
                continue
            if found and (found[-1][1] == only or text.isspace()):
                found[-1] = (found[-1][0] + text, found[-1][1])
            else:
                found.append((text, only and not text.isspace()))
        done = max(done, end)
    return found


def partner(passage: Passage, others: Iterable[Passage]) -> Passage | None:
    """The passage of the other context that shares most with this one; ``None`` where none shares a character.

    >>> partner(Passage("v", "d", "s", 0, 4, "text", 1, (), (), 1, 0.0, ""), []) is None
    True
    """
    span = Span(passage.start, passage.end)
    shared = [
        (span.overlap(Span(other.start, other.end)), -other.rank, other)
        for other in others
        if other.version_id == passage.version_id
    ]
    most = max(shared, key=lambda item: item[:2], default=None)
    return most[2] if most is not None and most[0] else None
