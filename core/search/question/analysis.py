"""Analysis of a question by rules: the conditions its operators state, and its intent. No model, no store.

Texts that a language model wrote for it (``rewording``) are added to be shown and searched; they state no conditions.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from core.search.question.operators import ParsedOperators, parse_operators
from core.search.question.rewording import IMAGINED, PART, REWRITTEN, Wording, Written
from core.search.question.spelling import Respelt
from core.settings.searching import UnderstandingSettings
from core.storage.catalogue.filing.conditions import Condition
from core.storage.catalogue.filing.source_metadata import KnownNames


def _any(*words: str) -> re.Pattern[str]:
    return re.compile("|".join(words), re.IGNORECASE)


_MEASURES = (
    "number|rate|amount|total|cost|price|size|value|length|age|speed|temperature|average|mean|median|revenue|expense"
    "|percentage|change|increase|decrease|mortality|incidence|prevalence"
)
# The first match decides: "how many steps" asks for a number.
_INTENTS: dict[str, re.Pattern[str]] = {
    "number": _any(
        r"\bhow (?:many|much|long|often|old|far|high|large|big|soon|fast|tall|heavy|deep|wide)\b",
        r"\b(?:what|which) (?:\w+ )?(?:percentage|percent|proportion|share|fraction|ratio)\b",
        rf"\bwhat (?:is|was|are|were) the (?:[\w'’-]+ ){{0,4}}(?:{_MEASURES})\b",
        r"\bwithin what time\b",
        r"\bat what (?:rate|price|age|temperature|speed)\b",
    ),
    "comparison": _any(
        r"\bdifferences?\b[^?.]{0,60}\bbetween\b",
        r"\bcompar(?:e|ed|es|ing|ison)\b",
        r"\bversus\b|\bvs\b\.?",
        r"\bdiffers? (?:from|between)\b|\bhow (?:do|does|did) [^?.]{1,80} differ\b",
        r"\b(?:better|worse|faster|slower|larger|smaller|higher|lower|cheaper|more|less|fewer) [\w\s]{0,30}?\bthan\b",
        r"\bpros and cons\b|\badvantages? [^?.]{0,40}\bover\b",
    ),
    "procedure": _any(
        r"\bhow (?:do|can|should|must|could|would) (?:i|we|you|one)\b(?! (?:think|feel|know))",
        r"\bhow to\b|\bstep[- ]by[- ]step\b|\b(?:what|which) (?:are )?(?:the )?(?:main )?steps\b",
        r"\bwhat (?:should|must|do|shall|can) (?:i|we|you|one|the [\w ]{1,30}?) (?:have to )?do\b|\bwhat to do\b",
        r"\binstructions (?:for|to|on)\b|\bprocedure for\b",
    ),
}


def intent_of(question: str) -> str:
    """The kind of answer asked for: "procedure", "comparison" or "number"; "" when no pattern matches.

    >>> [intent_of(question) for question in (
    ...     "How do I exchange a Heron?", "How many plans are there?", "A versus B", "Why?")]
    ['procedure', 'number', 'comparison', '']
    """
    return next((name for name, pattern in _INTENTS.items() if pattern.search(question)), "")


_BLANKS = re.compile(r"\s{2,}")
_WORD = re.compile(r"\w")
Key = tuple[str, str]
Keys = frozenset[Key]
Chip = Condition | Written | Respelt


@dataclass(frozen=True, slots=True)
class Understanding:
    """An analysed question. Spans refer to ``question``, the question as it was asked.

    ``text``: the text to search for: the question without operators and with spelling corrected; the whole question if
    nothing else is left. ``intent``: "procedure", "comparison", "number" or "". ``conditions``: from the operators;
    only leaves that satisfy them are searched. ``written``: texts by a language model. ``slips``: corrected spellings.
    ``notes``: sentences on operators with unknown values and on unusable replies of the language model.
    """

    question: str
    text: str
    intent: str = ""
    conditions: tuple[Condition, ...] = ()
    notes: tuple[str, ...] = ()
    written: tuple[Written, ...] = ()
    slips: tuple[Respelt, ...] = ()

    @property
    def searches(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """The texts to search for, each with the imagined answers to encode with it: the question, rewritten if a
        language model did so, then its parts.
        """
        by_kind: dict[str, list[str]] = {REWRITTEN: [], PART: [], IMAGINED: []}
        for text in self.written:
            by_kind[text.kind].append(text.value)
        question = by_kind[REWRITTEN][0] if by_kind[REWRITTEN] else self.text
        return (question, tuple(by_kind[IMAGINED])), *((part, ()) for part in by_kind[PART])

    def with_wording(self, wording: Wording, ignored: Keys = frozenset()) -> Understanding:
        """The understanding with the texts of a language model, except those whose keys are ``ignored``.

        >>> wording = Wording((Written("rewritten", "interest rate"), Written("part", "APR")))
        >>> understand("rate?").with_wording(wording).searches
        (('interest rate', ()), ('APR', ()))
        """
        written = tuple(text for text in wording.texts if text.key not in ignored)
        return replace(self, written=written, notes=(*self.notes, *wording.notes))

    @property
    def chips(self) -> tuple[Chip, ...]:
        """The parts that are shown to the user by their ``words`` and can be removed by their ``key``: corrected
        spellings, conditions in the order of the question, texts of the language model.
        """
        return (*self.slips, *self.conditions, *self.written)


NOTHING = Understanding("", "")


def understand(
    question: str,
    settings: UnderstandingSettings | None = None,
    known: KnownNames | None = None,
    ignored: Keys = frozenset(),
) -> Understanding:
    """The analysed question: text, intent and conditions. Pure.

    ``known``: the names of the library's places and genres; ``None`` for none. ``ignored``: keys of removed chips:
    their conditions are left out, and their operators still do not become part of the text.

    >>> known = KnownNames(names=frozenset({"handbook.md"}))
    >>> found = understand('How do I roll back? in:handbook type:pdf "two sites" -draft', known=known)
    >>> found.text, found.intent
    ('How do I roll back? "two sites"', 'procedure')
    >>> [chip.words for chip in found.chips]
    ['in: handbook', 'type: PDF', 'phrase: “two sites”', 'not: draft']
    >>> removed = frozenset({("in", "handbook"), ("phrase", "two sites")})
    >>> [chip.words for chip in understand(found.question, known=known, ignored=removed).conditions]
    ['type: PDF', 'not: draft']
    """
    settings = settings or UnderstandingSettings()
    parsed = ParsedOperators((), (), ())
    if settings.filters:
        parsed = parse_operators(question, known or KnownNames())
    plain = question  # with blanks in place of operators
    for start, end in parsed.spans:
        plain = plain[:start] + " " * (end - start) + plain[end:]
    text = _BLANKS.sub(" ", plain).strip() if parsed.spans else question
    distinct: dict[Key, Condition] = {}
    for condition in parsed.conditions:
        if condition.key not in ignored:
            distinct.setdefault(condition.key, condition)
    return Understanding(
        question,
        text if _WORD.search(text) else question,
        intent_of(plain),
        tuple(distinct.values()),
        parsed.notes,
    )
