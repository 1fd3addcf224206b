"""Passages that contradict each other on what was asked: the same subject with another number or day, or denied.

No language model takes part, and a wrong conflict is worse than a missed one. Two sentences are only held against each
other where both bear on the question, one of them says nothing of its subject that the other does not, and they are
alike by meaning.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import combinations, pairwise, product
from textwrap import shorten

from core.evidence import Passage
from core.search.context.conflicts_values import DATE, NEGATION, Value, differ, values_of
from core.text.analysis import analyse
from core.text.quantities import BASE_UNITS
from core.text.sentences import is_half, sentence_spans
from core.types import Span

_ALIKE = {DATE: 0.75}  # least share of the words of both that the other has too, else 0.6
_LEAST_SIMILAR = 0.5  # of two statements: less alike by meaning they are about different things
_BEARS, _BEARS_SIMILAR = 0.5, 0.5  # least share of the question's words in a sentence, or likeness to what it states
_SERIES = 3  # values that one document may give a subject: with more it tells of many cases, as logs do
_LONGEST_ABOUT = 110  # characters
GAP = "…"


@dataclass(frozen=True, slots=True)
class ConflictSide:
    """What one passage says. ``value`` as written, ``normal`` comparable: "3600 s", "2026-03-31", "no".

    ``span``: of the value, and ``sentence_span`` of its sentence, in the canonical text of ``version_id``. ``date``: of
    the document, "" where it is not known.
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
    date: str = ""


@dataclass(frozen=True, slots=True)
class ContextConflict:
    """Two or more sides that cannot all be true, of the more relevant passage first; at least two ``normal`` differ.

    ``kind``: "number", "date" or "negation". ``subject``: words of the first side that another shares; ``about``: what
    the first side says, with a gap for the value, to be read by a person.
    """

    kind: str
    subject: tuple[str, ...]
    sides: tuple[ConflictSide, ...]
    about: str = ""

    @property
    def sentence(self) -> str:
        """What each side says, and of when its document is, for a person."""
        told = (f"{one.value} ({', '.join(filter(None, (one.document, one.date)))})" for one in self.sides)
        return f"The sources disagree: {'; '.join(told)}."


def conflicts(
    question: str,
    passages: Sequence[Passage],
    similarity: Callable[[str, str], float],
    cut: Callable[[str, int], bool] = lambda version_id, place: False,
    dated: Callable[[str], str] = lambda version_id: "",
) -> tuple[ContextConflict, ...]:
    """What the passages disagree on of what was asked, of the most relevant passages first; () where nothing was found.

    ``similarity(one, other)``: how much two texts are alike by meaning, in [-1, 1]; it is asked for the few pairs whose
    values differ. ``cut(version_id, place)``: whether a passage that begins or ends there parts a sentence: a half
    states nothing. ``dated(version_id)``: the date of a document. The order in which passages are given does not
    matter, their ranks do.
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
    ordered = sorted(groups, key=min)
    return tuple(_conflict([said[place] for place in sorted(group)], said, bears, dated) for group in ordered)


def _disputed(passages: Sequence[Passage], cut: Callable[[str, int], bool]) -> list[Statement]:
    """What whole sentences state, each of a document once, where others state another value of the same measure."""
    found: dict[tuple[str, str], list[tuple[Value, Passage, Span]]] = {}
    seen: set[tuple[str, str]] = set()
    for passage in sorted(passages, key=lambda item: (item.rank, item.version_id, item.start)):
        for span in sentence_spans(passage.text):
            text = passage.text[span.start : span.end]
            key = (passage.version_id, " ".join(text.split()).casefold())
            for value in () if key in seen else values_of(text):
                found.setdefault((value.kind, value.measure), []).append((value, passage, span))
            seen.add(key)
    said: list[Statement] = []
    amounts: dict[Hashable, set[float | str | bool]] = {}
    for group in found.values():
        for value, passage, span in group if len({value.amount for value, _, _ in group}) > 1 else ():
            sentence = Span(passage.start + span.start, passage.start + span.end)
            if not is_half(sentence, Span(passage.start, passage.end), partial(cut, passage.version_id)):
                said.append(statement(value, passage, sentence))
                amounts.setdefault((passage.version_id, value.measure, said[-1].words), set()).add(value.amount)
    return [one for one in said if len(amounts[one.passage.version_id, one.value.measure, one.words]) <= _SERIES]


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
    return shared >= _ALIKE.get(a.value.kind, 0.6) * (len(a.words) + len(b.words))


def _comparable(a: Statement, b: Statement) -> bool:
    """Whether two values are of one kind and of one case: not both have words of their own, and neither a limit."""
    if (a.value.kind, a.value.measure) != (b.value.kind, b.value.measure):
        return False
    if (a.words - b.known and b.words - a.known) or a.limits - b.known or b.limits - a.known:
        return False
    shared = (a.words & b.known) | (b.words & a.known)
    return len(shared) > 1 and not all(word.startswith("=") for word in shared)


def _conflict(
    members: list[Statement],
    said: Sequence[Statement],
    bears: Callable[[Statement], bool],
    dated: Callable[[str], str],
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
    about = f"{first.before}{GAP}{first.after}".strip(" \n.,;:!*_#")
    words = (word[0] for word in _WORD.finditer(f"{first.before} {first.after}".lower()))
    subject = tuple(dict.fromkeys(word for word in words if others.intersection(_stems(word))))
    sides = [
        ConflictSide(
            value=one.text[one.value.span.start : one.value.span.end],
            normal=one.value.normal,
            span=Span(one.sentence.start + one.value.span.start, one.sentence.start + one.value.span.end),
            sentence=one.text,
            sentence_span=one.sentence,
            version_id=one.passage.version_id,
            document=one.passage.document,
            source=one.passage.source,
            rank=one.passage.rank,
            date=dated(one.passage.version_id),
        )
        for one in members
    ]
    return ContextConflict(
        first.value.kind, subject, tuple(sides), shorten(about, _LONGEST_ABOUT, placeholder=f" {GAP}")
    )


def _told(one: Statement) -> str:
    """The statement without the rest of its sentence."""
    start, end = one.value.span.start, one.value.span.end
    return " ".join(f"{one.before}{one.text[start:end]}{one.after}".split())


# Words of one property are one word: "valid for" and "expires after" say the same of a token.
_PROPERTIES = (
    "lifetime expire expires expired expiry expiration valid validity live lives last lasts",
    "keep keeps kept retain retains retained retention store stored",
    "delete deletes deleted deletion purge purged",
    "limit limits limited maximum capped minimum allowed hold holds",
    "cost costs price priced fee charge charged",
    "require requires required need needs needed",
    "release released publish published",
    "begin begins start starts",
    "end ends close closes",
)
_PROPERTY = {word: f"={row.split()[0]}" for row in _PROPERTIES for word in row.split()}
_OPPOSED = frozenset("above below inside outside without".split())  # function words that tell cases apart
_LIGHT = frozenset("must shall also one always exactly currently now per every within only cannot never".split())
_WORD = re.compile(r"[^\W_]+(?:[_.'’/-]+[^\W_]+)*")
_NUMBERED = re.compile(r"\A[\s#*_]*(?:\d+(?:\.\d+)*[.)]?\s+)?")
_PARTS = re.compile(r"[;:,]\s|\s[-–—]\s|\s\(|\)|\s(?:and|but|while|whereas|so that|which|because|although)\s")
_VERB = re.compile(r"\b(?:is|are|was|were|has|have|had|can|may|must|will|shall|does|do)\b")
_CONDITION = re.compile(
    r"(?:\b(?:if|when|whenever|unless|during|while|except|once)|\A\W*(?:after|before|without|with|at|on|in|for|from|by))"
    r"\s(?P<words>[^,;:.()]*)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Statement:
    """``value``, at ``span`` of ``text``, the sentence; ``sentence``: where that stands in the document.

    ``before``, ``after``: the subject and the clause around the value. ``words``: theirs; ``known``: those of the whole
    sentence, its headings and its title, which hold for it too. ``pairs``: neighbouring words. ``limits``: names,
    figures and conditions, which a statement of the same case has to know.
    """

    value: Value
    passage: Passage
    sentence: Span
    text: str
    before: str
    after: str
    words: frozenset[str]
    known: frozenset[str]
    pairs: frozenset[tuple[str, str]]
    limits: frozenset[str]


def statement(value: Value, passage: Passage, sentence: Span) -> Statement:
    """What is stated where the ``value`` stands, ``sentence`` being its sentence in the document's text."""
    text = passage.text[sentence.start - passage.start : sentence.end - passage.start]
    begin = start = len(text) - len(_NUMBERED.sub("", text))
    end = len(text)
    for part in _PARTS.finditer(text):
        if part.end() <= value.span.start:
            start = part.end()
        elif part.start() >= value.span.end:
            end = part.start()
            break
    opening = _VERB.search(text, begin, start)
    subject = text[begin : opening.start()] if opening else ""
    before, after = subject + text[start : value.span.start], text[value.span.end : end]
    said = f"{before}, {after}" if value.kind != NEGATION else text
    words = set(content_words(said))
    if (counted := value.measure.partition("/")[0]) not in BASE_UNITS and value.kind != NEGATION:
        words.update(content_words(counted))
    if len(words) < 2 and passage.headings:
        words.update(content_words(passage.headings[-1]))
    context = " ".join([text, passage.document, *passage.headings])
    written = list(_WORD.finditer(said))
    named = [
        word[0]
        for word in written
        if any(map(str.isdigit, word[0])) or (word[0][0].isupper() and said[: word.start()].strip(" \n\"'“‘(*_"))
    ]
    cases = [match["words"] for match in _CONDITION.finditer(f"{text[: value.span.start]}, {text[value.span.end :]}")]
    beside = ((one, other) for one, other in pairwise(written) if said[one.end() : other.start()] in {" ", "-"})
    return Statement(
        value,
        passage,
        sentence,
        text,
        before,
        after,
        frozenset(words),
        frozenset([*words, *content_words(context)]),
        frozenset(pair for one, other in beside for pair in product(_stems(one[0].lower()), _stems(other[0].lower()))),
        frozenset(content_words(" ".join([*named, *cases]))),
    )


def content_words(text: str) -> list[str]:
    """The words of a text that say what it is about, in order: stems, and one word for those of one property.

    >>> content_words("How long is an access token valid? They expire.")
    ['long', 'access', 'token', '=lifetime', '=lifetime']
    """
    return [stem for match in _WORD.finditer(text.lower()) for stem in _stems(match[0])]


@lru_cache(maxsize=50_000)
def _stems(word: str) -> tuple[str, ...]:
    if word in _PROPERTY or word in _OPPOSED:
        return (_PROPERTY.get(word, word),)
    return () if word in _LIGHT or word.endswith(("n't", "n’t")) else tuple(analyse(word)[:1])
