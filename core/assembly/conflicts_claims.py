"""What a sentence says of a subject: a value, a date, a version, or that something is or is not so.

A claim's words are those of its clause, with the subject of the sentence carried over to a clause that has none. All
that restricts a sentence (a condition, a name, a year, another number) is kept apart, because two sentences can only
contradict each other where both are restricted alike.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from core.assembly.conflicts_units import EXACT, Quantity, quantities, same_value
from core.assembly.conflicts_words import (
    OPENS,
    blank,
    conditions_of,
    figures_of,
    names_of,
    neighbours_of,
    stems_of,
    stems_with_text,
)
from core.enriching.dates import dates, versions
from core.enriching.vocabulary import Vocabulary
from core.text.analysis import analyse
from core.types import Span

NUMBER, DATE, VERSION, NEGATION = "number", "date", "version", "negation"
EDITION = "edition"
"""A number in a sentence that stands elsewhere word for word: the rules for numbers need not doubt its subject."""

LONGEST = 400
_SHORTEST_WORDS = 3
_SHORTEST_EDITION = 6
_LONGEST_TRUTH = 24

_EXAMPLE = re.compile(
    r"\b(?:for (?:example|instance)|e\.g|such as|say,|suppose|imagine|assum\w+|hypothetical\w*|example|if i|i think|"
    r"i guess|i believe|maybe|perhaps|probably|might|would|could|should have|used to|formerly|previously|originally|"
    r"at first|so far|to date|yet|instead of|rather than|except|unless|respectively|otherwise|wish|hope|hoped|claim\w*|"
    r"either|neither|whether|not only|as if|some|most|many|few|several|certain|sometimes|often|usually|typically|"
    r"in some cases|other|others|another|different|varies|vary|depend\w*|no longer|not yet|any more|alternatively|"
    r"for now|until now|at that time|back then|one day|i|me|my|we'd|you'd|i'd|was going to|proposed|propose|plan\w*|"
    r"planned|draft|estimate\w*|expected|expect|goal|target|aim\w*|first|second|third|last|next|previous|"
    r"latter|former)\b",
    re.IGNORECASE,
)
# A fixed value may still be said of the last or the first of something: only claims of truth are read this strictly.
_EXAMPLE_NUMBER = re.compile(
    r"\b(?:for (?:example|instance)|e\.g|such as|say,|suppose|imagine|assum\w+|hypothetical\w*|example|i think|i guess|"
    r"i believe|maybe|perhaps|probably|might|would|could|used to|formerly|previously|originally|at first|"
    r"so far|to date|"
    r"instead of|rather than|respectively|either|neither|not only|some|several|sometimes|another|other|others|"
    r"different|vary|varies|varied|depend\w*|at that time|back then|i|me|i'd|we'd|you'd|was going to|proposed|propose|"
    r"estimate[sd]?|among|study|studies|patients|participants|cohort|simulat\w+|observed|measured|"
    r"we['’]\w+|you['’]\w+|let['’]s|gonna|yeah|uh|um|okay|median|mean|average|"
    r"year|same|additional|extra|each|total|increase\w*|decrease\w*|reduc\w+|rose|fell|grew|dropped|gain\w*|decline\w*|"
    r"compared|versus|vs|than)\b",
    re.IGNORECASE,
)
_PARTS = re.compile(
    r"[;:]\s|,\s|\s[-–—]\s|\s\(|\)|\s(?:and|but|while|whereas|so that|which|because|although|though)\s", re.IGNORECASE
)
_AUXILIARY = re.compile(
    r"\b(?:is|are|was|were|be|been|has|have|had|can|cannot|can't|may|must|will|shall|should|does|do|did|doesn't|don't|"
    r"isn't|aren't|wasn't|won't|needs?|requires?|lasts?|expires?|lives?|takes?|costs?|uses?|runs?|keeps?|holds?)\b",
    re.IGNORECASE,
)
_OWN_SUBJECT = re.compile(r"(?:the|a|an|each|every|this|that|these|those|our|your|all|no)\s", re.IGNORECASE)
_NOT = re.compile(r"\b(?:not|never|cannot|no|none|without|neither|nor)\b|n[’']t\b", re.IGNORECASE)
# A turn of a conversation, which answers another turn.
_SPOKEN = re.compile(r"\s*[A-Z][\w. ]{1,40}:\s|.*\b(?:yeah|uh|um|okay|yes|well|oh)\b", re.IGNORECASE)
_LIMITED = re.compile(
    r"\b(?:but|if|when|unless|until|only|because|however|than|though|although|while)\b", re.IGNORECASE
)
_DENIES = re.compile(r"\b(?:not|never|cannot)\b|n[’']t\b", re.IGNORECASE)
_CODE = re.compile(r"[{}<>=|]|;\s*$|::|->|\w\(\)|\\|https?:|^\s*[$>#/]|\.\w+\(")

_YEAR = re.compile(r"(?:1[5-9]|20)\d\d")
_DIGIT = re.compile(r"\d")

# Things that happen to a subject once, so that two dates of it contradict each other.
_ONCE = re.compile(
    r"\b(?:expir\w+|due|deadline|published|released?|born|died|founded|established|launch\w*|starts?|"
    r"started|begins?|began|"
    r"ends?|ended|in force|effective|takes? effect|switched off|retired?|closes?|closed|opens?|opened|signed|renewed|"
    r"introduced|deprecated|removed|scheduled|held|dated|approved|completed|discovered|invented|created)\b",
    re.IGNORECASE,
)
_OF_VERSION = re.compile(
    r"\b(?:requires?|required|needs?|needed|runs? on|built with|built on|based on|uses?|pinned to|"
    r"depends on|current|latest|"
    r"stable|default|added in|introduced in|removed in|deprecated in|dropped in|since|supported until|"
    r"version is|is version)\b",
    re.IGNORECASE,
)
_OPPOSITES = (
    ("supported", "unsupported"), ("enabled", "disabled"), ("allowed", "forbidden"), ("permitted", "forbidden"),
    ("allowed", "prohibited"), ("permitted", "prohibited"), ("required", "optional"), ("mandatory", "optional"),
    ("available", "unavailable"), ("possible", "impossible"), ("encrypted", "unencrypted"), ("valid", "invalid"),
    ("public", "private"), ("compatible", "incompatible"), ("reversible", "irreversible"), ("mutable", "immutable"),
    ("safe", "unsafe"), ("included", "excluded"), ("succeeds", "fails"), ("present", "absent"), ("legal", "illegal"),
)  # fmt: skip
OPPOSITE = {word: (pair[0], sign) for pair in _OPPOSITES for word, sign in zip(pair, (1, -1), strict=True)}
_ALIKE = {"forbidden": "allowed", "prohibited": "allowed", "permitted": "allowed", "mandatory": "required"}
_FLAG = re.compile(
    r"\b(?:is|are|be|been|remains?|stays?)\b|\b(?:supports?|allows?|accepts?|includes?|contains?|exists?|has|have|"
    r"can|cannot|can't|may|must|does|do|doesn't|don't|will|won't|works?|expires?|requires?|needs?)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Claim:
    """``span`` of the value in the sentence's own text.

    ``kind``: "number", "date", "version" or "negation"; ``measure``: what can only be compared with its like (a unit's
    kind, a date's form, a product, "" for a negation). ``words``: stems of subject and property in order.
    ``near``: pairs of words that stand next to each other. ``names``: proper names, identifiers, other numbers.
    ``conditions``: words of what restricts the claim. ``value``: a ``Quantity``, an ISO date, a
    version, or whether it is so.
    """

    kind: str
    measure: str
    value: Quantity | str | bool
    span: Span
    words: tuple[str, ...]
    near: frozenset[tuple[str, str]]
    names: frozenset[str]
    conditions: frozenset[str]

    @property
    def stems(self) -> frozenset[str]:
        """The words, each once."""
        return frozenset(self.words)


def claims_of(sentence: str, headings: Sequence[str] = ()) -> list[Claim]:
    """What can be compared in a sentence; nothing of a question, an example, an opinion, a table row or code.

    ``headings``: innermost last; a sentence that names no subject of its own speaks of the last one.

    >>> [claim] = claims_of("Access tokens expire after 3600 seconds.")
    >>> claim.measure, claim.value.value, claim.words
    ('duration', 3600.0, ('access', 'token', '=lifetime'))
    >>> [(claim.kind, claim.value) for claim in claims_of("Offline mode is not supported.")]
    [('negation', False)]
    """
    return list(_claims_of(sentence, headings[-1] if headings else ""))


@lru_cache(maxsize=4096)
def _claims_of(sentence: str, heading: str) -> tuple[Claim, ...]:
    """Kept, because a slider that moves brings the same sentences again."""
    if not _readable(" ".join(sentence.split())):
        return ()
    return (
        *_numbers(sentence, heading),
        *_dates(sentence),
        *_versions(sentence),
        *_negations(sentence),
        *_editions(sentence),
    )


def _readable(plain: str) -> bool:
    words = plain.split()
    return (
        len(plain) <= LONGEST
        and len(words) >= _SHORTEST_WORDS
        and not plain.endswith("?")
        and not _CODE.search(plain)
        and sum(word[:1].isalpha() for word in words) * 2 > len(words)
    )


def _numbers(sentence: str, heading: str) -> Iterator[Claim]:
    found = quantities(sentence)
    if not found or _EXAMPLE_NUMBER.search(sentence):
        return
    for quantity in found:
        if quantity.loose:
            continue
        clause, carried = _clause(sentence, quantity.span)
        text = sentence[clause.start : clause.end]
        inside = [other for other in found if clause.contains(other.span)]
        kind = quantity.kind.partition("/")[0]
        rivals = [other for other in found if other.kind.partition("/")[0] == kind and not same_value(other, quantity)]
        if rivals or len(inside) > 2 or _NOT.search(text):
            continue
        rest = blank(sentence, [other.span for other in found])
        said = f"{rest[carried.start : carried.end]} , {rest[clause.start : clause.end]}"
        opening = OPENS.match(rest)
        if opening is not None and clause.start:
            said = f"{opening[0]} , {said}"
        words = [*stems_of(rest[carried.start : carried.end]), *stems_of(rest[clause.start : clause.end])]
        if quantity.bound != EXACT:
            words = [word for word in words if word != "=limit"]
        noun = (
            quantity.kind.partition("/")[0].removeprefix("count of ") if quantity.kind.startswith("count of ") else ""
        )
        words += stems_of(noun) if noun else []
        if re.search(r"\bevery\s*\Z", sentence[: quantity.start]):
            words.append("=interval")
        if len(set(words)) < 2:
            words = [*stems_of(heading), *words]
        others = [f"#{other.value:g}" for other in inside if other is not quantity]
        yield _claim(NUMBER, quantity.kind, quantity, quantity.span, words, said, others, rest)


def _editions(sentence: str) -> Iterator[Claim]:
    """Numbers by all that stands around them: two such claims differ in nothing but the number."""
    for quantity in quantities(sentence):
        around = (sentence[: quantity.start], sentence[quantity.end :])
        words = stems_of(" ".join(around))
        if not quantity.loose and len(set(words)) >= _SHORTEST_EDITION:
            measure = " ".join("\0".join([around[0], quantity.kind, around[1]]).casefold().split())
            empty: frozenset[str] = frozenset()
            yield Claim(EDITION, measure, quantity, quantity.span, tuple(words), frozenset(), empty, empty)


def _dates(sentence: str) -> Iterator[Claim]:
    if not _YEAR.search(sentence) or not _ONCE.search(sentence) or _EXAMPLE.search(sentence) or _NOT.search(sentence):
        return
    found = list(dates(Vocabulary(sentence)))
    if len(found) != 1:
        return
    start, end, value = found[0]
    if not re.fullmatch(r"\d{4}-\d\d(?:-\d\d)?", value):
        return
    rest = blank(sentence, [Span(start, end)])
    yield _claim(DATE, "date", value, Span(start, end), stems_of(rest), rest, [])


def _versions(sentence: str) -> Iterator[Claim]:
    if not _DIGIT.search(sentence) or not _OF_VERSION.search(sentence):
        return
    if _EXAMPLE.search(sentence) or _NOT.search(sentence):
        return
    found = list(versions(Vocabulary(sentence)))
    if len(found) != 1:
        return
    start, end, value = found[0]
    if not sentence[:start].strip():
        return  # "Version 2: ..." says what it speaks of
    product, _, number = value.rpartition(" ")
    number = number.lstrip("vV").rstrip(".+x") or number
    if re.match(r"\s*(?:or|to|and|[-–,/])\s*v?\d", sentence[end:]):
        return
    later = bool(re.match(r"\s*(?:or (?:later|newer|above|higher)|and (?:later|above|newer|up)|\+)", sentence[end:]))
    rest = blank(sentence, [Span(start, end)])
    words = stems_of(rest) + stems_of(product)
    relation = _OF_VERSION.search(sentence)
    measure = f"{product.casefold()} {'or later' if later else ''} {relation[0].casefold() if relation else ''}"
    yield _claim(VERSION, measure, number, Span(start, end), words, rest, [])


def _negations(sentence: str) -> Iterator[Claim]:
    verb = _FLAG.search(sentence)
    if verb is None or len(sentence.split()) > _LONGEST_TRUTH or not sentence.rstrip().endswith((".", "!")):
        return
    negatives = list(_NOT.finditer(sentence))
    if len(negatives) > 1 or (negatives and not _DENIES.search(sentence)):
        return
    if quantities(sentence) or _LIMITED.search(sentence) or _EXAMPLE.search(sentence) or _SPOKEN.match(sentence):
        return
    truth = not negatives
    words = []
    for word in stems_with_text(sentence):
        stem, text = word
        if text in OPPOSITE:
            positive, sign = OPPOSITE[text]
            truth = truth == (sign > 0)
            stem = "".join(analyse(_ALIKE.get(positive, positive))[:1]) or positive
        elif text in _ALIKE:
            stem = "".join(analyse(_ALIKE[text])[:1])
        words.append(stem)
    span = Span(negatives[0].start(), negatives[0].end()) if negatives else Span(verb.start(), verb.end())
    yield _claim(NEGATION, "", truth, span, words, sentence, [])


def _claim(
    kind: str, measure: str, value: Quantity | str | bool, span: Span, words: Sequence[str], rest: str,
    others: Sequence[str], whole: str = "",
) -> Claim:  # fmt: skip
    return Claim(
        kind,
        measure,
        value,
        span,
        tuple(words),
        neighbours_of(rest),
        frozenset([*names_of(rest), *figures_of(whole or rest), *others]),
        conditions_of(whole or rest),
    )


def _clause(sentence: str, value: Span) -> tuple[Span, Span]:
    """The clause around a value, and the subject carried over to it from the beginning of the sentence."""
    start, end = 0, len(sentence)
    for cut in _PARTS.finditer(sentence):
        if cut.end() <= value.start:
            start = cut.end()
        elif cut.start() >= value.end:
            end = cut.start()
            break
    if not start or _OWN_SUBJECT.match(sentence[start:]):
        return Span(start, end), Span(start, start)
    label = sentence.find(": ", 0, start)
    if label >= 0 and len(sentence[start : value.start].split()) > 2:
        return Span(start, end), Span(start, start)  # who speaks, and not what of
    opening = _AUXILIARY.search(sentence, 0, start)
    first = _PARTS.search(sentence)
    limit = min(opening.start() if opening else start, first.start() if first else start)
    return Span(start, end), Span(0, min(limit, start))
