"""What sort of answer a question asks for, and which genre its words hint at: patterns, no model."""

from __future__ import annotations

import re
from typing import NamedTuple

INTENTS = ("definition", "procedure", "comparison", "number")


def _any(*words: str) -> re.Pattern[str]:
    return re.compile("|".join(words), re.IGNORECASE)


_MEASURES = (
    "number|rate|amount|total|cost|price|size|value|length|age|speed|temperature|average|mean|median|revenue|expense"
    "|percentage|change|increase|decrease|mortality|incidence|prevalence"
)
# In this order: "how many steps" asks for a number, "what is the difference" for no definition.
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
    "definition": _any(
        r"^\W*(?:what|who) (?:is|are) (?!(?:in|on|at|it|this|that|there|wrong|new|being|happening|his|her|my)\b)"
        r"(?:an? |the )?(?:[\w'’-]+[ -]?){1,3}\?*$",
        r"\bwhat (?:does|do|did) [^?]{1,80}\b(?:mean|stand for|refer to|denote)\b",
        r"\bwhat is (?:meant|understood) by\b|\bdefin(?:e|ition|itions)\b|\bmeaning of\b|\bwhat is an? \b",
    ),
}

# The sections, by core.enriching.section_types, in which such an answer tends to stand.
SECTIONS = {
    "definition": ("definition",),
    "procedure": ("steps",),
    "comparison": ("table",),
    "number": ("table",),
    "": (),
}

_HINTS: dict[str, re.Pattern[str]] = {
    "API": _any(r"\bAPI\b|\bendpoints?\b|\bHTTP status\b|\brequest body\b|\bquery parameters?\b"),
    "troubleshooting": _any(
        r"\berrors? (?:code )?\d+\b|\berror message\b|\bnot working\b",
        r"\bwhy (?:does|do|is|are|did) [^?]{1,60}\b(?:fail|crash|refused?|time out|not work|hang)\w*\b",
    ),
    "meeting": _any(
        r"\bwas decided\b|\baction items?\b",
        r"\bdid (?:we|they|the (?:team|group|committee|meeting)) (?:decide|agree|discuss)\b",
    ),
    "release notes": _any(
        r"\bwhat(?:['’]s| is) new\b|\bsince which version\b",
        r"\bchanged? (?:in|since) (?:version|release|v\d)",
    ),
    "policy": _any(
        r"\b(?:am i|are we|is it|are employees) (?:allowed|permitted)\b",
        r"\bmay (?:i|we|employees)\b|\bpolicy on\b",
    ),
}


class Told(NamedTuple):
    """``name``: what the words at ``[start, end)`` of the question told; "" for nothing."""

    name: str
    start: int
    end: int


def intent_of(question: str) -> Told:
    """What sort of answer is asked for, one of ``INTENTS``, and the words that told it.

    >>> [intent_of(question).name for question in (
    ...     "What is a race?", "How do I exchange a Heron?", "How many plans are there?", "A versus B", "Why?")]
    ['definition', 'procedure', 'number', 'comparison', '']
    """
    for name, pattern in _INTENTS.items():
        if (match := pattern.search(question)) is not None:
            return Told(name, *match.span())
    return Told("", 0, 0)


def genres_hinted(question: str) -> list[Told]:
    """The genres that a question's words hint at, and the words.

    >>> [told.name for told in genres_hinted("Which endpoint answers with error 403?")]
    ['API', 'troubleshooting']
    """
    found = ((name, pattern.search(question)) for name, pattern in _HINTS.items())
    return [Told(name, *match.span()) for name, match in found if match is not None]
