"""Passages of a library that stand in more than one document: asked for by document, or by one passage of it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from core.enriching.twins import Twin
from core.types import Span


@dataclass(frozen=True, slots=True)
class Likeness:
    """A passage of another document that says nearly the same.

    ``kind``: "same" (equal but for case, marks and spaces), "near", "holds" (it is longer, and nearly all of the one
    asked about stands in it) or "held" (the other way round). ``similarity``: of their shingles, in [0, 1].
    """

    version_id: str
    span: Span
    kind: str
    similarity: float


class Repeated:
    """Near-duplicates across the documents of a library.

    ``pairs``: as ``core.enriching.twins`` finds them, where of passages with the same words only the first is compared
    with others: what is true of it is true of them all. ``places``: the version and the span of each passage.
    ``live``: the documents that are spoken of; one in the trash still joins others.
    """

    def __init__(self, pairs: Sequence[Twin], places: Sequence[tuple[str, Span]], live: Collection[str]) -> None:
        self._live = frozenset(live)
        self._places = places
        self._first = {pair.second: pair.first for pair in pairs if pair.kind == "same"}
        self._same: dict[int, list[int]] = {}
        self._others: dict[int, list[Twin]] = {}
        for pair in pairs:
            if pair.kind == "same":
                self._same.setdefault(pair.first, [pair.first]).append(pair.second)
            else:
                self._others.setdefault(pair.first, []).append(pair)
                self._others.setdefault(pair.second, []).append(pair)
        self._named = {places[at]: at for pair in pairs for at in (pair.first, pair.second)}
        self._count = len({pair.second for pair in pairs if places[pair.second][0] in self._live})

    @property
    def count(self) -> int:
        """Passages of the library that nearly repeat an earlier one, of any document."""
        return self._count

    def elsewhere(self, version_id: str, span: Span) -> tuple[Likeness, ...]:
        """What other documents have like a passage, the most alike first; () for one that is not known."""
        name = self._named.get((version_id, span))
        if name is None:
            return ()
        first = self._first.get(name, name)
        found = [self._likeness(other, "same", 1.0) for other in self._same.get(first, ())]
        for pair in self._others.get(first, ()):
            other = pair.second if pair.first == first else pair.first
            kind = pair.kind if pair.kind == "near" else self._holding(other, first)
            found += [self._likeness(one, kind, pair.similarity) for one in self._same.get(other, [other])]
        others = self._live - {version_id}
        kept = (one for one in found if one.version_id in others)
        return tuple(sorted(kept, key=lambda one: (-one.similarity, one.kind)))

    def spans(self, version_id: str) -> tuple[Span, ...]:
        """The passages of a document that stand in another one too, in the order of the text."""
        holders: dict[int, set[str]] = {}  # the documents of all passages like one; equal passages share theirs
        found: list[Span] = []
        others = self._live - {version_id}
        for (version, span), name in self._named.items():
            if version != version_id:
                continue
            first = self._first.get(name, name)
            if first not in holders:
                holders[first] = self._holders(first)
            if holders[first] & others:
                found.append(span)
        return tuple(sorted(found, key=lambda span: (span.start, span.end)))

    def _holders(self, first: int) -> set[str]:
        names = list(self._same.get(first, ()))
        for pair in self._others.get(first, ()):
            other = pair.second if pair.first == first else pair.first
            names += self._same.get(other, [other])
        return {self._places[name][0] for name in names}

    def _likeness(self, name: int, kind: str, similarity: float) -> Likeness:
        version_id, span = self._places[name]
        return Likeness(version_id, span, kind, similarity)

    def _holding(self, other: int, name: int) -> str:
        (_, theirs), (_, own) = self._places[other], self._places[name]
        return "holds" if theirs.length >= own.length else "held"
