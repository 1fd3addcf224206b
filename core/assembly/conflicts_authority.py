"""Whose word counts where passages contradict each other: documents in ranks, by subject or for all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase

from core.assembly.conflicts import ConflictSide, ContextConflict
from core.assembly.conflicts_words import stems_of
from core.text.analysis import analyse


@dataclass(frozen=True, slots=True)
class Authority:
    """``patterns``, best first, of names, titles or kinds. ``topic``: stems of its subject, none for all."""

    topic: frozenset[str]
    patterns: tuple[str, ...]

    @classmethod
    def read(cls, entry: str) -> Authority:
        """An entry of the settings.

        >>> Authority.read("handbook > Notes").patterns
        ('handbook', 'notes')
        >>> sorted(Authority.read("access tokens: api.md").topic)
        ['access', 'token']
        """
        topic, _, ranks = entry.rpartition(":")
        return cls(frozenset(stems_of(topic)), tuple(rank.strip().casefold() for rank in ranks.split(">")))

    def rank(self, side: ConflictSide, kind: str) -> int | None:
        """The place of a side's document, 0 is the highest; ``None`` where no pattern fits."""
        return next((at for at, pattern in enumerate(self.patterns) if _fits(pattern, side, kind)), None)


def settle(
    found: Sequence[ContextConflict], authority: Sequence[str], kinds: Mapping[str, str] | None = None
) -> tuple[ContextConflict, ...]:
    """The conflicts with the side that ranks above the others named, where the settings rank them.

    ``authority``: entries of ``AnsweringSettings.authority``; () leaves all as they are. ``kinds``: of documents by
    version. A side that no pattern fits ranks below those that one fits. Sides that say the same as the highest one do
    not contend with it; where two of the highest rank say different things, none is preferred.
    """
    entries = sorted((Authority.read(entry) for entry in authority), key=lambda item: not item.topic)
    return tuple(_settled(conflict, entries, kinds or {}) for conflict in found)


def _settled(conflict: ContextConflict, entries: Sequence[Authority], kinds: Mapping[str, str]) -> ContextConflict:
    words = {stem for side in conflict.sides for stem in stems_of(side.sentence)}
    for entry in entries:
        if not entry.topic <= words:
            continue
        ranks = [entry.rank(side, kinds.get(side.version_id, "")) for side in conflict.sides]
        known = [rank for rank in ranks if rank is not None]
        if not known:
            continue
        best = [side for side, rank in zip(conflict.sides, ranks, strict=True) if rank == min(known)]
        below = [side for side in conflict.sides if side.normal != best[0].normal]
        if len({side.normal for side in best}) > 1 or not below:
            return conflict
        others = dict.fromkeys(side.source for side in below)
        reason = f"{best[0].source} ranks above {' and '.join(others)}."
        return replace(conflict, preferred=conflict.sides.index(best[0]), reason=reason)
    return conflict


def _fits(pattern: str, side: ConflictSide, kind: str) -> bool:
    """Whether a pattern names a document: by its name or title with wildcards, by words of them, or by its kind."""
    name, title = side.source.casefold(), side.document.casefold()
    if pattern == kind.casefold() or any(fnmatchcase(text, pattern) for text in (name, title)):
        return True
    if fnmatchcase(name.rpartition("/")[2], pattern):
        return True
    wanted = analyse(pattern)
    return bool(wanted) and any(set(wanted) <= set(analyse(text)) for text in (name, title))
