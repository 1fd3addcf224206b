"""What a question asks for, read from its words alone: stated conditions and intent. No model, no store.

What a language model wrote for it (``rewording``) is laid beside that, to be shown and searched; it conditions nothing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from core.search.question.operators import Used, operators
from core.search.question.rewording import IMAGINED, PART, REWRITTEN, Wording, Written
from core.search.question.spelling import Respelt
from core.settings.searching import UnderstandingSettings
from core.storage.catalogue.conditions import Condition
from core.storage.catalogue.source_metadata import KnownNames


def _any(*words: str) -> re.Pattern[str]:
    return re.compile("|".join(words), re.IGNORECASE)


_MEASURES = (
    "number|rate|amount|total|cost|price|size|value|length|age|speed|temperature|average|mean|median|revenue|expense"
    "|percentage|change|increase|decrease|mortality|incidence|prevalence"
)
# In this order: "how many steps" asks for a number.
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
    """What sort of answer is asked for: "procedure", "comparison" or "number"; "" where no words tell.

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
    """What was read out of a question. Spans are of ``question``, the question as it was asked.

    ``text``: what the searches get: the question without its operators, its slips of spelling mended; the question
    itself where nothing else is left. ``intent``: "procedure", "comparison", "number" or "". ``conditions``: stated by
    operators; only what fits them is searched. ``written``: what a language model wrote for it. ``slips``: what was
    read otherwise than typed. ``notes``: sentences on operators that name nothing, and on what a model wrote and could
    not be used.
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
        """What to search for: the question, in the words of a language model where it wrote some, then the parts that
        it sees in it; each with the answers it made up, to be looked for by meaning together with it.
        """
        of: dict[str, list[str]] = {REWRITTEN: [], PART: [], IMAGINED: []}
        for one in self.written:
            of[one.kind].append(one.value)
        return ([*of[REWRITTEN], self.text][0], tuple(of[IMAGINED])), *((part, ()) for part in of[PART])

    def worded(self, wording: Wording, ignored: Keys = frozenset()) -> Understanding:
        """With what a language model wrote, but for the keys ``ignored``.

        >>> asked = understand("rate?").worded(Wording((Written("rewritten", "interest rate"), Written("part", "APR"))))
        >>> asked.searches
        (('interest rate', ()), ('APR', ()))
        """
        written = tuple(one for one in wording.texts if one.key not in ignored)
        return replace(self, written=written, notes=(*self.notes, *wording.notes))

    @property
    def chips(self) -> tuple[Chip, ...]:
        """Everything that can be shown by its ``words`` and taken away by its ``key``: what was read otherwise than
        typed, conditions in the order they were asked, then what was written.
        """
        return (*self.slips, *self.conditions, *self.written)


NOTHING = Understanding("", "")


def understand(
    question: str,
    settings: UnderstandingSettings | None = None,
    known: KnownNames | None = None,
    ignored: Keys = frozenset(),
) -> Understanding:
    """What the question asks for. Pure.

    ``known``: what there is to be named; without it no operator names a place or a genre. ``ignored``: keys of chips
    that were taken away: they are left out of what is found again, and the text stays without their operator.

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
    chosen = settings or UnderstandingSettings()
    used = operators(question, known or KnownNames()) if chosen.filters else Used((), (), ())
    plain = question  # with blanks where its operators stand
    for start, end in used.spans:
        plain = plain[:start] + " " * (end - start) + plain[end:]
    text = _BLANKS.sub(" ", plain).strip() if used.spans else question
    firsts = {one.key: one for one in reversed(used.conditions)}
    conditions = (one for one in used.conditions if firsts[one.key] is one and one.key not in ignored)
    intent = intent_of(plain)
    return Understanding(question, text if _WORD.search(text) else question, intent, tuple(conditions), used.notes)
