"""Passages that contradict each other: the same subject with another number, date or version, or affirmed and denied.

No model takes part, and a wrong conflict is worse than a missed one: two claims are only compared where they are of one
kind and unit, speak of the same subject in nearly the same words, and are restricted alike (conditions, names, years).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations

from core.assembly.conflicts_claims import DATE, EDITION, NEGATION, NUMBER, Claim, claims_of
from core.assembly.conflicts_units import AT_MOST, EXACT, Quantity, same_value
from core.assembly.conflicts_wording import wording
from core.assembly.conflicts_words import apart_behind, stems_of, stems_with_text
from core.text.sentences import is_half, sentence_spans
from core.types import Passage, Span

Similarity = Callable[[str, str], float]
Cut = Callable[[str, int], bool]

# Twice the shared words over all words of both claims (Dice). Where each has words that the other lacks, more is asked.
ALIKE, ALIKE_APART, ALIKE_DENIED = 0.6, 0.75, 0.85
# Within one document two like sentences with other numbers speak of two cases more often than not.
ALIKE_SAME_DOCUMENT = 0.9
# Sentences less alike than this by meaning are about different things, whatever words they share.
LEAST_SIMILAR = 0.5
# So much alike by meaning, fewer shared words are enough.
VERY_SIMILAR, ALIKE_IF_SIMILAR = 0.7, 0.5
_SENTENCES = 2000
_COMPARED = 400  # claims of one kind and unit, of the most relevant passages: each is held against all others
_SERIES = 3  # values that one document may give a subject; with more it tells of many cases, as logs do
_FENCE = re.compile(r"^[ \t]*(?:```|~~~)+(?P<language>[^\n]*)\n?", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class ConflictSide:
    """What one passage says. ``value`` as written, ``normal`` comparable: "3600 s", "2026-03-31", "3.11", "no".

    ``span``: of the value, and ``sentence_span`` of its sentence, in the canonical text of ``version_id``.
    """

    value: str
    normal: str
    span: Span
    sentence: str
    sentence_span: Span
    version_id: str
    document: str
    source: str
    rank: int


@dataclass(frozen=True, slots=True)
class ContextConflict:
    """Two or more sides that cannot all be true, of the more relevant passage first; at least two ``normal`` differ.

    ``kind``: "number", "date", "version" or "negation". ``subject``: words of the first side that another shares;
    ``about``: they as its sentence has them, with a gap for the value, to be read by a person.
    ``preferred``: the side whose document ranks above the others', ``None`` where none does; ``reason``: a sentence
    that says so, "" for none.
    """

    kind: str
    subject: tuple[str, ...]
    sides: tuple[ConflictSide, ...]
    preferred: int | None = None
    reason: str = ""
    about: str = ""


@dataclass(frozen=True, slots=True)
class _Said:
    """A claim with its place."""

    claim: Claim
    passage: Passage
    sentence: Span

    @property
    def text(self) -> str:
        return self.passage.text[self.sentence.start - self.passage.start : self.sentence.end - self.passage.start]


def conflicts(
    passages: Sequence[Passage], similarity: Similarity | None = None, cut: Cut | None = None
) -> tuple[ContextConflict, ...]:
    """What the passages disagree on, of the most relevant passages first; () where nothing was found.

    ``similarity(one, other)``: how much two sentences are alike by meaning, in [-1, 1]; it is asked for the few pairs
    whose values differ. ``None``: words decide alone, and more strictly.
    ``cut(version_id, place)``: whether a passage that begins or ends there parts a sentence: a half states nothing.
    The order in which passages are given does not matter, their ranks do.
    """
    said = _without_series(list(_claims(passages, cut)))
    heads = _heads(item.claim for item in said)
    found: list[tuple[int, int]] = []
    by_measure: dict[tuple[str, str], list[int]] = {}
    for place, item in enumerate(said):
        by_measure.setdefault((item.claim.kind, item.claim.measure), []).append(place)
    for places in by_measure.values():
        for one, other in combinations(places[:_COMPARED], 2):
            if _contradict(said[one], said[other], heads, similarity):
                found.append((one, other))
    made: dict[frozenset[tuple[str, Span]], ContextConflict] = {}
    for group in _groups(found):
        conflict = _conflict(said, group, by_measure)
        made.setdefault(frozenset((side.version_id, side.span) for side in conflict.sides), conflict)
    return tuple(conflict for places, conflict in made.items() if not any(places < others for others in made))


def _claims(passages: Sequence[Passage], cut: Cut | None) -> Iterable[_Said]:
    seen: set[tuple[str, str]] = set()
    left = _SENTENCES
    for passage in sorted(passages, key=lambda item: (item.rank, item.version_id, item.start)):
        whole, fences = Span(passage.start, passage.end), _fences(passage.text)
        for found in sentence_spans(passage.text, 0, len(passage.text)):
            text = passage.text[found.start : found.end]
            left -= 1
            key = (passage.version_id, " ".join(text.split()).casefold())
            if (
                left < 0
                or key in seen
                or any(fence.overlap(found) for fence in fences)
                or _tabular(passage.text, found)
            ):
                continue
            seen.add(key)
            span = Span(passage.start + found.start, passage.start + found.end)
            claims = claims_of(text, passage.headings)
            if claims and cut is not None and is_half(span, whole, partial(cut, passage.version_id)):
                continue
            for claim in claims:
                yield _Said(claim, passage, span)


def _without_series(said: list[_Said]) -> list[_Said]:
    """The claims but for those of which a document makes many alike: none of them says how it is."""
    values: dict[tuple[str, str, str, frozenset[str]], set[float | str | bool]] = {}
    for item in said:
        value = item.claim.value
        values.setdefault(_series_of(item), set()).add(value.value if isinstance(value, Quantity) else value)
    return [item for item in said if len(values[_series_of(item)]) <= _SERIES]


def _series_of(item: _Said) -> tuple[str, str, str, frozenset[str]]:
    return item.passage.version_id, item.claim.kind, item.claim.measure, item.claim.stems


def _fences(text: str) -> list[Span]:
    """Fenced code of a text that may begin or end within one.

    >>> _fences("a: 1\\n```\\nThe text.\\n```py\\nb = 2\\n```\\n")
    [Span(start=0, end=9), Span(start=19, end=35)]
    """
    lines = list(_FENCE.finditer(text))
    found: list[Span] = []
    opened = -1
    for place, line in enumerate(lines):
        if line["language"]:
            opened = line.start()
        elif opened >= 0:
            found.append(Span(opened, line.end()))
            opened = -1
        elif place or len(lines) % 2 == 0:  # an odd first one closes what began before the text
            opened = line.start()
        else:
            found.append(Span(0, line.end()))
    return [*found, Span(opened, len(text))] if opened >= 0 else found


def _tabular(text: str, sentence: Span) -> bool:
    """Whether the line of a sentence is a table's row: cells are told apart by their header, not by their words."""
    start = text.rfind("\n", 0, sentence.start) + 1
    end = text.find("\n", sentence.end)
    line = text[start : end if end >= 0 else len(text)]
    return line.lstrip().startswith("|") or line.count("\t") > 1 or line.count(" | ") > 1 or line.count(";") > 3


def _heads(claims: Iterable[Claim]) -> dict[str, frozenset[str]]:
    """For each word the words that stand before it somewhere: "token" may be of "access" or "refresh"."""
    found: dict[str, set[str]] = {}
    for claim in claims:
        for before, word in claim.near:
            found.setdefault(word, set()).add(before)
    return {word: frozenset(before) for word, before in found.items()}


def _contradict(one: _Said, other: _Said, heads: dict[str, frozenset[str]], similarity: Similarity | None) -> bool:
    a, b = one.claim, other.claim
    same_document = one.passage.version_id == other.passage.version_id
    if one.passage is other.passage or (same_document and one.sentence == other.sentence) or not _differ(a, b):
        return False
    if not _same_restrictions(one, other):
        return False
    shared = a.stems & b.stems
    if len(shared) < 2 or not any(not word.startswith("=") for word in shared) or _contrasted(a, b, heads):
        return False
    if apart_behind(one.text[a.span.end :], other.text[b.span.end :]):
        return False
    alike = 2 * len(shared) / (len(a.stems) + len(b.stems))
    apart = bool(a.stems - b.stems) and bool(b.stems - a.stems)
    needed = ALIKE_APART if apart else ALIKE
    if a.kind == NEGATION:
        needed = ALIKE_DENIED
    elif a.kind == DATE:
        needed = ALIKE_APART
    if same_document and a.kind == EDITION:
        return False  # one document says the same of many things
    if same_document:
        needed = max(needed, ALIKE_SAME_DOCUMENT)
    if similarity is None or alike < min(needed, ALIKE_IF_SIMILAR):
        return alike >= needed
    close = similarity(one.text, other.text)
    if close < LEAST_SIMILAR:
        return False
    if close >= VERY_SIMILAR and needed <= ALIKE_APART and a.kind != DATE:
        needed = ALIKE_IF_SIMILAR
    return alike >= needed


def _differ(a: Claim, b: Claim) -> bool:
    """Whether the values exclude each other."""
    if isinstance(a.value, Quantity) and isinstance(b.value, Quantity):
        return not same_value(a.value, b.value) and _exclude(a.value, b.value)
    if a.kind == DATE:
        one, other = str(a.value), str(b.value)
        return not (one.startswith(other) or other.startswith(one))
    if isinstance(a.value, str) and isinstance(b.value, str):
        one, other = f"{a.value}.", f"{b.value}."
        return not (one.startswith(other) or other.startswith(one))
    return a.value != b.value


def _exclude(a: Quantity, b: Quantity) -> bool:
    """Whether two unequal values leave no room for each other: two bounds of one kind, or a value beyond a bound.

    Two bounds are two statements of one limit; a lower and an upper one may both hold.
    """
    if a.bound == b.bound:
        return True
    if EXACT not in {a.bound, b.bound}:
        return False
    exact, bounded = (a, b) if a.bound == EXACT else (b, a)
    return exact.value > bounded.value if bounded.bound == AT_MOST else exact.value < bounded.value


def _same_restrictions(one: _Said, other: _Said) -> bool:
    """Whether nothing that restricts one claim is missing of the other: names, numbers, years, conditions."""
    a, b = one.claim, other.claim
    known_one = a.stems | a.names | _place_words(one.passage)
    known_other = b.stems | b.names | _place_words(other.passage)
    if any(name not in known_other for name in a.names) or any(name not in known_one for name in b.names):
        return False
    if not a.conditions and not b.conditions:
        return True
    both = len(a.conditions & b.conditions)
    return 2 * both >= 0.6 * (len(a.conditions) + len(b.conditions))


def _place_words(passage: Passage) -> frozenset[str]:
    """Words of a passage's document and headings: what stands there is true of all its sentences."""
    return frozenset(stems_of(" ".join([passage.document, *passage.headings])))


def _contrasted(a: Claim, b: Claim, heads: dict[str, frozenset[str]]) -> bool:
    """Whether a shared word stands beside different words: "access token" and "refresh token", "gateway battery" and
    "gateway warranty"; or beside one in only one claim, where the passages know more than one."""
    for word in a.stems & b.stems:
        for side in (0, 1):
            beside_a = {pair[side] for pair in a.near if pair[1 - side] == word}
            beside_b = {pair[side] for pair in b.near if pair[1 - side] == word}
            new_a, new_b = beside_a - b.stems, beside_b - a.stems
            if new_a and new_b:
                return True
            alone = new_a or new_b
            if side or not alone or word.startswith("=") or (beside_a and beside_b) or (beside_a | beside_b) - alone:
                continue
            if len(heads.get(word, frozenset())) > len(alone):
                return True
    return False


def _groups(pairs: Sequence[tuple[int, int]]) -> list[list[int]]:
    """Claims joined by contradictions, each group ascending, groups by their first."""
    group_of: dict[int, set[int]] = {}
    for one, other in pairs:
        merged = group_of.get(one, {one}) | group_of.get(other, {other})
        for member in merged:
            group_of[member] = merged
    return sorted({tuple(sorted(group)): sorted(group) for group in group_of.values()}.values())


def _conflict(
    said: Sequence[_Said], group: Sequence[int], by_measure: dict[tuple[str, str], list[int]]
) -> ContextConflict:
    members = set(group)
    first = said[group[0]].claim
    for place in by_measure[first.kind, first.measure]:  # who agrees with a side in other words is shown beside it
        if place not in members and any(_agree(said[place], said[member]) for member in group):
            members.add(place)
    counts = Counter(word for place in members for word in said[place].claim.stems)
    shared = {word for word in first.words if counts[word] > 1}
    written = stems_with_text(said[group[0]].text)
    sides = tuple(_side(said[place]) for place in sorted(members))
    words = tuple(dict.fromkeys(word for stem, word in written if stem in shared))
    about = wording(said[group[0]].text, first.span, shared)
    return ContextConflict(NUMBER if first.kind == EDITION else first.kind, words, sides, about=about)


def _agree(one: _Said, other: _Said) -> bool:
    a, b = one.claim, other.claim
    if _differ(a, b) or not _same_restrictions(one, other) or one.passage.version_id == other.passage.version_id:
        return False
    shared = a.stems & b.stems
    if a.kind != NUMBER:
        return 2 * len(shared) >= ALIKE_DENIED * (len(a.stems) + len(b.stems))
    smaller = min(len(a.stems), len(b.stems))
    return len(shared) >= 2 and (len(shared) == smaller or 2 * len(shared) >= ALIKE * (len(a.stems) + len(b.stems)))


_BASE = {
    "duration": "s", "size": "bytes", "percentage": "%", "length": "m", "mass": "g", "volume": "l", "power": "W",
    "frequency": "Hz", "voltage": "V", "current": "A", "temperature": "°C",
}  # fmt: skip


def _side(item: _Said) -> ConflictSide:
    claim, text = item.claim, item.text
    if isinstance(claim.value, Quantity):
        kind, _, rate = claim.value.kind.partition("/")
        unit = _BASE.get(kind, kind.removeprefix("count of ").removeprefix("money in "))
        per = {"": "", "time": "/s"}.get(rate, f"/{rate}")
        bound = "" if claim.value.bound == "exact" else f"{claim.value.bound} "
        normal = f"{bound}{claim.value.value:.10g} {unit}{per}"
    elif isinstance(claim.value, bool):
        normal = "yes" if claim.value else "no"
    else:
        normal = claim.value
    span = Span(item.sentence.start + claim.span.start, item.sentence.start + claim.span.end)
    return ConflictSide(
        text[claim.span.start : claim.span.end],
        normal,
        span,
        text,
        item.sentence,
        item.passage.version_id,
        item.passage.document,
        item.passage.source,
        item.passage.rank,
    )


__all__ = ["NUMBER", "ConflictSide", "ContextConflict", "Similarity", "conflicts"]
