"""Whose word counts where passages contradict each other: documents in ranks, by subject or for all."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase

from core.search.context.conflicts import ConflictSide, ContextConflict
from core.search.context.conflicts_statements import content_words
from core.text.analysis import analyse
from core.types import Answer, Citation

_UNWRITABLE = re.compile(r"[>:,\[\]]|[^\S ]")  # has a meaning of its own in an entry or a pattern, or ends a line


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
        return cls(frozenset(content_words(topic)), tuple(rank.strip().casefold() for rank in ranks.split(">")))

    def rank(self, side: ConflictSide, kind: str) -> int | None:
        """The place of a side's document, 0 is the highest; ``None`` where no pattern fits.

        A pattern that is its whole name or title counts before one that is only like it: "api.md > old-api.md"; its
        name with folders counts before that without.
        """
        file, name, title = (name.casefold() for name in _names(side))
        for whole in ((name,), (file, title)):
            for at, pattern in enumerate(self.patterns):
                if pattern in whole:
                    return at
        fitting = (at for at, pattern in enumerate(self.patterns) if fits(pattern, side.source, side.document, kind))
        return next(fitting, None)


def settle(
    found: Sequence[ContextConflict], authority: Sequence[str], kinds: Mapping[str, str] | None = None
) -> tuple[ContextConflict, ...]:
    """The conflicts with the side that ranks above the others named, where the settings rank them.

    ``authority``: entries of ``AnsweringSettings.authority``; () leaves all as they are. ``kinds``: of documents by
    version. A side that no pattern fits ranks below those that one fits. Sides that say the same as the highest one do
    not contend with it; where two of the highest rank say different things, none is preferred.
    """
    entries = [Authority.read(entry) for entry in _in_order(authority)]
    return tuple(_settled(conflict, entries, kinds or {}) for conflict in found)


def deciding(conflict: ContextConflict, authority: Sequence[str], kinds: Mapping[str, str] | None = None) -> str:
    """The entry of the settings that names the preferred side, "" where none does."""
    if settle([conflict], authority, kinds)[0].preferred is None:
        return ""
    return next(entry for entry in _in_order(authority) if settle([conflict], [entry], kinds)[0].preferred is not None)


def higher(
    conflict: ContextConflict, place: int, authority: Sequence[str], kinds: Mapping[str, str] | None = None
) -> str:
    """The entry that, put before the others, ranks the document of the side at ``place`` above those it contradicts.

    It names the documents and holds for whatever they contradict each other on, unless an entry prefers another side:
    then it is for the subject of this conflict alone, so that the rest stays as it was. "" where no entry does it: one
    document has two sides, or nothing tells the documents apart.
    """
    winner = conflict.sides[place]
    below = [side for side in conflict.sides if side.normal != winner.normal]
    if not below or winner.version_id in {side.version_id for side in below}:
        return ""
    now = settle([conflict], authority, kinds)[0].preferred
    subject = " ".join(_written(word) for word in conflict.subject)
    topics = [f"{subject}: " if subject else "", ""]
    if now is None or conflict.sides[now].normal == winner.normal:
        topics.reverse()
    for topic in topics:
        for names in zip(_names(winner), *map(_names, below), strict=True):
            entry = topic + " > ".join(dict.fromkeys(map(_written, names)))
            preferred = settle([conflict], [entry, *authority], kinds)[0].preferred
            if preferred is not None and conflict.sides[preferred].normal == winner.normal:
                return entry
    return ""


def preferred_first(answer: Answer, found: Sequence[ContextConflict]) -> Answer:
    """The quotes in their order, but that of a preferred side before those of the sides it ranks above. Pure."""
    ordered = list(answer.quotes)
    for conflict in found:
        if conflict.preferred is None:
            continue
        best = conflict.sides[conflict.preferred]
        below = [side for side in conflict.sides if side.normal != best.normal]
        says = next((at for at, quote in enumerate(ordered) if _quotes(quote.citation, best)), None)
        denied = [at for at, quote in enumerate(ordered) if any(_quotes(quote.citation, side) for side in below)]
        if says is not None and says not in denied and denied and denied[0] < says:
            ordered.insert(denied[0], ordered.pop(says))
    return Answer(tuple(ordered))


def _quotes(citation: Citation, side: ConflictSide) -> bool:
    """Whether a quote is of a side's sentence."""
    span = side.sentence_span
    return citation.version_id == side.version_id and citation.start < span.end and span.start < citation.end


def _in_order(authority: Sequence[str]) -> list[str]:
    """The entries as they count: those with a subject before those for all."""
    return sorted(authority, key=lambda entry: not Authority.read(entry).topic)


def _names(side: ConflictSide) -> tuple[str, str, str]:
    """What a document may be called in an entry: its file's name, that in its folders, its title."""
    return side.source.replace("\\", "/").rpartition("/")[2], side.source, side.document


def _written(name: str) -> str:
    """A name as a pattern: what an entry cannot hold is any character.

    >>> _written("C: notes, a > b.md")
    'C? notes? a ? b.md'
    """
    return _UNWRITABLE.sub("?", name)


def _settled(conflict: ContextConflict, entries: Sequence[Authority], kinds: Mapping[str, str]) -> ContextConflict:
    conflict = replace(conflict, preferred=None, reason="")  # whatever settled it before
    words = {stem for side in conflict.sides for stem in content_words(side.sentence)}
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


def fits(pattern: str, source: str, title: str, kind: str) -> bool:
    """Whether a pattern of an ``Authority`` names a document: by its name or title with wildcards, by words of them,
    or by its kind.

    >>> [fits(pattern, "notes/Api.md", "The API", "markdown") for pattern in ("api.md", "api", "*.md", "pdf")]
    [True, True, True, False]
    """
    name, title = source.casefold(), title.casefold()
    if pattern == kind.casefold() or any(fnmatchcase(text, pattern) for text in (name, title)):
        return True
    if fnmatchcase(name.rpartition("/")[2], pattern):
        return True
    wanted = analyse(pattern)
    return bool(wanted) and any(set(wanted) <= set(analyse(text)) for text in (name, title))
