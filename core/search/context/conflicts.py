"""Contradictions between passages on what was asked: the same subject with another number or date, or denied.

Rules only, no language model. They prefer to miss a conflict rather than report a wrong one: two sentences are compared
only if both are relevant to the question, one has no content words that the other lacks, and their vectors are similar.
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
from core.text.sentences import is_half, sentence_spans
from core.text.values.quantities import BASE_UNITS
from core.types import Span

_WORD_OVERLAP = {DATE: 0.75}  # least share of the words of two statements that the other has too; 0.6 for other kinds
_LEAST_SIMILAR = 0.5  # cosine of two statements; below it they are about different things
# A statement is relevant with this share of the question's words in its sentence, or this cosine to the question.
_RELEVANT_SHARE, _RELEVANT_SIMILAR = 0.5, 0.5
_MOST_VALUES = 3  # of one subject in one document; with more, as in logs, the values are of different cases
_LONGEST_ABOUT = 110  # characters
GAP = "…"


@dataclass(frozen=True, slots=True)
class ConflictSide:
    """What one passage says. ``value``: as written. ``normal``: normalised: "3600 s", "2026-03-31", "no".

    ``span``, ``sentence_span``: of the value and of its sentence in the canonical text of ``version_id``. ``rank``: the
    passage's. ``date``: the document's, "" if unknown.
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
    """Two or more sides that cannot all be true, that of the most relevant passage first.

    ``kind``: "number", "date" or "negation". ``subject``: words of the first side that another one shares. ``about``:
    the clause of the first side with ``GAP`` in place of the value, for the user.
    """

    kind: str
    subject: tuple[str, ...]
    sides: tuple[ConflictSide, ...]
    about: str = ""

    @property
    def sentence(self) -> str:
        """Each side's value, document and date, as a sentence for the user."""
        sides = (f"{side.value} ({', '.join(filter(None, (side.document, side.date)))})" for side in self.sides)
        return f"The sources disagree: {'; '.join(sides)}."


def conflicts(
    question: str,
    passages: Sequence[Passage],
    similarity: Callable[[str, str], float],
    splits_sentence: Callable[[str, int], bool] = lambda version_id, place: False,
    date_of: Callable[[str], str] = lambda version_id: "",
) -> tuple[ContextConflict, ...]:
    """The conflicts between the passages on the question, those of the most relevant passages first; () for none.

    ``similarity(text, text)``: the cosine of two texts; called only for the few pairs whose values differ.
    ``splits_sentence(version_id, offset)``: whether the offset is inside a sentence; sentences cut by the bounds of a
    passage are ignored. ``date_of(version_id)``: the date of a document. Passages may come in any order, since their
    ranks count.
    """
    question_words = frozenset(content_words(question))
    statements = _disputed_statements(passages, splits_sentence)

    def is_relevant(statement: Statement) -> bool:
        shared = len(question_words & statement.known)
        if shared >= max(1, _RELEVANT_SHARE * len(question_words)):
            return True
        return similarity(question, _clause(statement)) >= _RELEVANT_SIMILAR

    def conflict(a: Statement, b: Statement) -> bool:
        if not (_contradict(a, b) and is_relevant(a) and is_relevant(b)):
            return False
        return similarity(_clause(a), _clause(b)) >= _LEAST_SIMILAR

    groups: list[set[int]] = []  # indices of statements, connected by conflicts
    for first, second in combinations(range(len(statements)), 2):
        if conflict(statements[first], statements[second]):
            connected = [group for group in groups if group & {first, second}]
            groups = [group for group in groups if group not in connected] + [{first, second}.union(*connected)]
    return tuple(
        _conflict([statements[index] for index in sorted(group)], statements, is_relevant, date_of)
        for group in sorted(groups, key=min)
    )


def _disputed_statements(passages: Sequence[Passage], splits_sentence: Callable[[str, int], bool]) -> list[Statement]:
    """The statements of whole sentences for whose measure the passages have several values.

    A sentence that a document repeats counts once. Subjects with many values in one document are left out.
    """
    by_measure: dict[tuple[str, str], list[tuple[Value, Passage, Span]]] = {}
    seen: set[tuple[str, str]] = set()
    for passage in sorted(passages, key=lambda item: (item.rank, item.version_id, item.start)):
        for span in sentence_spans(passage.text):
            text = passage.text[span.start : span.end]
            key = (passage.version_id, " ".join(text.split()).casefold())
            for value in () if key in seen else values_of(text):
                by_measure.setdefault((value.kind, value.measure), []).append((value, passage, span))
            seen.add(key)
    statements: list[Statement] = []
    amounts: dict[Hashable, set[float | str | bool]] = {}
    for group in by_measure.values():
        if len({value.amount for value, _, _ in group}) < 2:
            continue
        for value, passage, span in group:
            sentence = Span(passage.start + span.start, passage.start + span.end)
            if not is_half(sentence, Span(passage.start, passage.end), partial(splits_sentence, passage.version_id)):
                statements.append(statement_of(value, passage, sentence))
                amounts.setdefault(_subject_key(statements[-1]), set()).add(value.amount)
    return [statement for statement in statements if len(amounts[_subject_key(statement)]) <= _MOST_VALUES]


def _subject_key(statement: Statement) -> Hashable:
    return statement.passage.version_id, statement.value.measure, statement.words


def _contradict(a: Statement, b: Statement) -> bool:
    """Whether two statements of different documents have different values and otherwise the same content."""
    if not _comparable(a, b) or not differ(a.value, b.value):
        return False
    if a.passage.version_id == b.passage.version_id:
        return False  # within a document similar sentences are about different things
    own = (a.words - b.known) | (b.words - a.known)
    if any(first in own and second not in own for first, second in a.pairs | b.pairs):
        return False  # "refresh token" is another thing than "token"
    shared = len(a.words & b.known) + len(b.words & a.known)
    return shared >= _WORD_OVERLAP.get(a.value.kind, 0.6) * (len(a.words) + len(b.words))


def _comparable(a: Statement, b: Statement) -> bool:
    """Whether two statements are about the same case: one kind and measure, at most one has words of its own, and
    neither has qualifiers of its own.
    """
    if (a.value.kind, a.value.measure) != (b.value.kind, b.value.measure):
        return False
    if (a.words - b.known and b.words - a.known) or a.qualifiers - b.known or b.qualifiers - a.known:
        return False
    shared = (a.words & b.known) | (b.words & a.known)
    return len(shared) > 1 and not all(word.startswith("=") for word in shared)


def _conflict(
    members: list[Statement],
    statements: Sequence[Statement],
    is_relevant: Callable[[Statement], bool],
    date_of: Callable[[str], str],
) -> ContextConflict:
    """The conflict of the members, to which statements of further documents that agree with a member are added."""
    first = members[0]
    for statement in statements:
        new_document = all(statement.passage.version_id != member.passage.version_id for member in members)
        agrees = any(_comparable(statement, member) and not differ(statement.value, member.value) for member in members)
        if new_document and agrees and is_relevant(statement):
            members.append(statement)
    members.sort(key=lambda member: (member.passage.rank, member.passage.version_id, member.sentence))
    others = frozenset[str]().union(*(member.known for member in members if member is not first))
    about = f"{first.before}{GAP}{first.after}".strip(" \n.,;:!*_#")
    words = (word[0] for word in _WORD.finditer(f"{first.before} {first.after}".lower()))
    subject = tuple(dict.fromkeys(word for word in words if others.intersection(_stems(word))))
    sides = [
        ConflictSide(
            value=member.text[member.value.span.start : member.value.span.end],
            normal=member.value.normal,
            span=Span(member.sentence.start + member.value.span.start, member.sentence.start + member.value.span.end),
            sentence=member.text,
            sentence_span=member.sentence,
            version_id=member.passage.version_id,
            document=member.passage.document,
            source=member.passage.source,
            rank=member.passage.rank,
            date=date_of(member.passage.version_id),
        )
        for member in members
    ]
    return ContextConflict(
        first.value.kind, subject, tuple(sides), shorten(about, _LONGEST_ABOUT, placeholder=f" {GAP}")
    )


def _clause(statement: Statement) -> str:
    """The subject and the clause of the value, without the rest of the sentence."""
    start, end = statement.value.span.start, statement.value.span.end
    return " ".join(f"{statement.before}{statement.text[start:end]}{statement.after}".split())


# The words of a row count as the same word: "valid for" and "expires after" state the same property.
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
_CASE_WORDS = frozenset("above below inside outside without".split())  # function words that tell cases apart
_IGNORED = frozenset("must shall also one always exactly currently now per every within only cannot never".split())
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
    """A value that a sentence states, and the content words to compare it by.

    ``text``: the sentence. ``sentence``: its span in the document. ``before``, ``after``: the subject and the clause on
    either side of the value. ``words``: the content words of these two. ``known``: those of the whole sentence, the
    headings and the title as well. ``pairs``: adjacent words of the clause. ``qualifiers``: words of its names, figures
    and conditions; a statement about the same case must have them in ``known``.
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
    qualifiers: frozenset[str]


def statement_of(value: Value, passage: Passage, sentence: Span) -> Statement:
    """The statement of a value. ``sentence``: the span of its sentence in the document's text."""
    text = passage.text[sentence.start - passage.start : sentence.end - passage.start]
    subject_start = clause_start = len(text) - len(_NUMBERED.sub("", text))
    clause_end = len(text)
    for separator in _PARTS.finditer(text):
        if separator.end() <= value.span.start:
            clause_start = separator.end()
        elif separator.start() >= value.span.end:
            clause_end = separator.start()
            break
    verb = _VERB.search(text, subject_start, clause_start)
    subject = text[subject_start : verb.start()] if verb else ""
    before, after = subject + text[clause_start : value.span.start], text[value.span.end : clause_end]
    clause = f"{before}, {after}" if value.kind != NEGATION else text
    words = set(content_words(clause))
    if (counted := value.measure.partition("/")[0]) not in BASE_UNITS and value.kind != NEGATION:
        words.update(content_words(counted))
    if len(words) < 2 and passage.headings:
        words.update(content_words(passage.headings[-1]))
    context = " ".join([text, passage.document, *passage.headings])
    tokens = list(_WORD.finditer(clause))
    names_and_figures = [
        token[0]
        for token in tokens
        if any(map(str.isdigit, token[0])) or (token[0][0].isupper() and clause[: token.start()].strip(" \n\"'“‘(*_"))
    ]
    around_value = f"{text[: value.span.start]}, {text[value.span.end :]}"
    conditions = [match["words"] for match in _CONDITION.finditer(around_value)]
    adjacent = ((one, other) for one, other in pairwise(tokens) if clause[one.end() : other.start()] in {" ", "-"})
    return Statement(
        value,
        passage,
        sentence,
        text,
        before,
        after,
        frozenset(words),
        frozenset([*words, *content_words(context)]),
        frozenset(
            pair for one, other in adjacent for pair in product(_stems(one[0].lower()), _stems(other[0].lower()))
        ),
        frozenset(content_words(" ".join([*names_and_figures, *conditions]))),
    )


def content_words(text: str) -> list[str]:
    """The content words of a text in order, as stems; synonyms of one property become one word, as "=lifetime".

    >>> content_words("How long is an access token valid? They expire.")
    ['long', 'access', 'token', '=lifetime', '=lifetime']
    """
    return [stem for match in _WORD.finditer(text.lower()) for stem in _stems(match[0])]


@lru_cache(maxsize=50_000)
def _stems(word: str) -> tuple[str, ...]:
    if word in _PROPERTY or word in _CASE_WORDS:
        return (_PROPERTY.get(word, word),)
    return () if word in _IGNORED or word.endswith(("n't", "n’t")) else tuple(analyse(word)[:1])
