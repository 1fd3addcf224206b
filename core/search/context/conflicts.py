"""Passages that contradict each other on what was asked: the same subject with another number or day, or denied.

No language model takes part, and a wrong conflict is worse than a missed one. Two sentences are only held against each
other where both bear on the question, one of them says nothing of its subject that the other does not, and they are
alike by meaning.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations

from core.search.context.conflicts_statements import Statement, content_words, statement, written_words
from core.search.context.conflicts_values import DATE, Value, differ, values_of
from core.text.sentences import is_half, sentence_spans
from core.types import Passage, Span

Similarity = Callable[[str, str], float]
Cut = Callable[[str, int], bool]

_ALIKE, _ALIKE_DAYS = 0.6, 0.75  # least share of the words of both that the other has too
_LEAST_SIMILAR = 0.5  # of two statements: less alike by meaning they are about different things
_BEARS, _BEARS_SIMILAR = 0.5, 0.5  # least share of the question's words in a sentence, or likeness to what it states
_SERIES = 3  # values that one document may give a subject: with more it tells of many cases, as logs do
_MOST_WORDS = 16
GAP = "…"


@dataclass(frozen=True, slots=True)
class ConflictSide:
    """What one passage says. ``value`` as written, ``normal`` comparable: "3600 s", "2026-03-31", "no".

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

    ``kind``: "number", "date" or "negation". ``subject``: words of the first side that another shares; ``about``: what
    the first side says, with a gap for the value, to be read by a person.
    ``preferred``: the side whose document ranks above the others', ``None`` where none does; ``reason``: a sentence
    that says so, "" for none.
    """

    kind: str
    subject: tuple[str, ...]
    sides: tuple[ConflictSide, ...]
    preferred: int | None = None
    reason: str = ""
    about: str = ""

    @property
    def sentence(self) -> str:
        """What each side says, for a person, and whose word counts."""
        sides = "; ".join(f"{side.value} ({side.document})" for side in self.sides)
        return f"The sources disagree: {sides}. {self.reason}".rstrip()


def conflicts(
    question: str, passages: Sequence[Passage], similarity: Similarity, cut: Cut | None = None
) -> tuple[ContextConflict, ...]:
    """What the passages disagree on of what was asked, of the most relevant passages first; () where nothing was found.

    ``similarity(one, other)``: how much two texts are alike by meaning, in [-1, 1]; it is asked for the few pairs whose
    values differ. ``cut(version_id, place)``: whether a passage that begins or ends there parts a sentence: a half
    states nothing. The order in which passages are given does not matter, their ranks do.
    """
    asked = frozenset(content_words(question))
    said = _disputed(passages, cut)

    def bears(one: Statement) -> bool:
        shared = len(asked & one.known)
        return shared >= max(1, _BEARS * len(asked)) or similarity(question, _told(one)) >= _BEARS_SIMILAR

    groups: list[set[int]] = []
    for one, other in combinations(range(len(said)), 2):
        a, b = said[one], said[other]
        if _contradict(a, b) and bears(a) and bears(b) and similarity(_told(a), _told(b)) >= _LEAST_SIMILAR:
            joined = [group for group in groups if group & {one, other}]
            groups = [group for group in groups if group not in joined] + [{one, other}.union(*joined)]
    return tuple(_conflict([said[place] for place in sorted(group)], said, bears) for group in sorted(groups, key=min))


def _disputed(passages: Sequence[Passage], cut: Cut | None) -> list[Statement]:
    """What whole sentences state, each of a document once, where others state another value of the same measure."""
    found: dict[tuple[str, str], list[tuple[Value, Passage, Span]]] = {}
    seen: set[tuple[str, str]] = set()
    for passage in sorted(passages, key=lambda item: (item.rank, item.version_id, item.start)):
        for span in sentence_spans(passage.text):
            text = passage.text[span.start : span.end]
            key = (passage.version_id, " ".join(text.split()).casefold())
            values = () if key in seen else values_of(text)
            seen.add(key)
            if values:
                sentence = Span(passage.start + span.start, passage.start + span.end)
                for value in values:
                    found.setdefault((value.kind, value.measure), []).append((value, passage, sentence))
    said: list[Statement] = []
    amounts: dict[tuple[str, str, frozenset[str]], set[float | str | bool]] = {}
    for group in found.values():
        for value, passage, sentence in group if len({value.amount for value, _, _ in group}) > 1 else ():
            whole = Span(passage.start, passage.end)
            if cut is None or not is_half(sentence, whole, partial(cut, passage.version_id)):
                said.append(statement(value, passage, sentence))
                amounts.setdefault(_series(said[-1]), set()).add(value.amount)
    return [one for one in said if len(amounts[_series(one)]) <= _SERIES]


def _series(one: Statement) -> tuple[str, str, frozenset[str]]:
    return one.passage.version_id, one.value.measure, one.words


def _contradict(a: Statement, b: Statement) -> bool:
    """Whether two statements differ in their value, and in nothing else that the words tell."""
    if not _comparable(a, b) or not differ(a.value, b.value):
        return False
    if a.passage.version_id == b.passage.version_id:
        return False  # one document says the same of many things
    own = (a.words - b.known) | (b.words - a.known)
    if any(first in own and second not in own for first, second in a.pairs | b.pairs):
        return False  # "refresh token" is another thing than "token"
    shared = len(a.words & b.known) + len(b.words & a.known)
    return shared >= (_ALIKE_DAYS if a.value.kind == DATE else _ALIKE) * (len(a.words) + len(b.words))


def _comparable(a: Statement, b: Statement) -> bool:
    """Whether two values are of one kind and of one case: not both have words of their own, and neither a limit."""
    if (a.value.kind, a.value.measure) != (b.value.kind, b.value.measure):
        return False
    if (a.words - b.known and b.words - a.known) or a.limits - b.known or b.limits - a.known:
        return False
    shared = (a.words & b.known) | (b.words & a.known)
    return len(shared) > 1 and not all(word.startswith("=") for word in shared)


def _conflict(
    members: list[Statement], said: Sequence[Statement], bears: Callable[[Statement], bool]
) -> ContextConflict:
    """The conflict of its members, and of who agrees with one of them in other words."""
    first = members[0]
    for one in said:
        new = all(one.passage.version_id != side.passage.version_id for side in members)
        agreeing = (_comparable(one, side) and not differ(one.value, side.value) for side in members)
        if new and any(agreeing) and bears(one):
            members.append(one)
    members.sort(key=lambda one: (one.passage.rank, one.passage.version_id, one.sentence))
    others = frozenset[str]().union(*(one.known for one in members if one is not first))
    about = f"{first.before}{GAP}{first.after}".strip(" \n.,;:!*_#").split()
    about[_MOST_WORDS:] = [GAP] if len(about) > _MOST_WORDS else []
    subject = written_words(f"{first.before} {first.after}", others)
    return ContextConflict(first.value.kind, subject, tuple(map(_side, members)), about=" ".join(about))


def _told(one: Statement) -> str:
    """The statement without the rest of its sentence."""
    start, end = one.value.span.start, one.value.span.end
    return " ".join(f"{one.before}{one.text[start:end]}{one.after}".split())


def _side(one: Statement) -> ConflictSide:
    start, end, at = one.value.span.start, one.value.span.end, one.sentence.start
    return ConflictSide(
        one.text[start:end],
        one.value.normal,
        Span(at + start, at + end),
        one.text,
        one.sentence,
        one.passage.version_id,
        one.passage.document,
        one.passage.source,
        one.passage.rank,
    )
