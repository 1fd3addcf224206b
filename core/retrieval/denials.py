"""What denies the words behind it: "not in the handbook", "anything but the PDFs", "never said in the minutes".

Only a few turns of phrase set a place aside and can mean nothing else. Any other "not" before it belongs to who knows
what ("which costs are not paid in the travel policy?"), so that it is merely a reason not to filter.
"""

from __future__ import annotations

import re
from enum import Enum

DENYING = (
    r"(?:\b(?:not|never|no|none|nothing|nobody|nowhere|neither|nor|cannot|without|outside|except|excepting|excluding"
    r"|besides|unlike|missing|lacks?|lacking|absent|apart from|aside from|instead of|(?:other|else|rather) than"
    r"|(?:any|every)(?:thing|where|one|body) but|all but|(?:is|are|was|were|do|does|did|has|have|ca|wo)nt)\b|n['’]t\b)"
)
_REACH = 200  # characters before the words among which their denial stands
_DENYING = re.compile(DENYING, re.IGNORECASE)
_AT_ONCE = re.compile(rf"{DENYING}\s+\Z", re.IGNORECASE)
_BEFORE_A_VERB = re.compile(rf"{DENYING}(?:\s+[\w-]+){{0,2}}\s+\Z", re.IGNORECASE)
# Where another clause begins: behind a stop, at "but", and at a new question.
_CLAUSE = re.compile(
    r"[.;:?!](?=\s)|\n|(?<!thing )(?<!where )(?<!one )(?<!body )(?<!\ball )\bbut\b"
    r"|(?:,|\b(?:and|or))\s+(?=(?:what|which|who|whom|whose|when|where|why|how|is|are|was|were|do|does|did|can)\b)",
    re.IGNORECASE,
)
_SENTENCE = re.compile(
    r"\b(?:what|which|who|whom|whose|that|when|why|how|if|whether|am|is|are|was|were|be|been|being|do|does|did|has|have"
    r"|had|can|could|may|might|must|shall|should|will|would|(?:fall|lie|go|stand|stay|remain|come|live|work|act|happen)"
    r"(?:s|es|ing)?)\b|['’](?:s|re|ve|d|ll|t)\b",
    re.IGNORECASE,
)
_ASIDE = (
    r"(?:except(?:ing)?(?: for)?|excluding|(?:other|else) than|(?:apart|aside) from|besides"
    r"|(?:any|every)(?:thing|where|one|body) but|all but)"
)
_SET_ASIDE = re.compile(rf"\b{_ASIDE}\s+\Z", re.IGNORECASE)  # "except in the handbook", "other than the handbook says"
_WITHOUT_ANY = re.compile(r"\bwithout (?:any|anything|those|things|text|texts|passages)\s+\Z", re.IGNORECASE)
_OUTSIDE = re.compile(r"\boutside(?: of)?\s+\Z", re.IGNORECASE)
_WHERE = re.compile(r"\W*where(?: else)?\s+\Z", re.IGNORECASE)
_BARE_NOT = re.compile(r"\bnot\s+\Z", re.IGNORECASE)
_OPENING = re.compile(r"(?:\A|[,(–—]|\band)\s*\Z", re.IGNORECASE)
_EVERYTHING = re.compile(
    r"\W*(?:(?:show|list|find|give|search)\s+(?:me\s+)?)?(?:in\s+)?"
    r"(?:everything|anything|(?:(?:all|any|other)\s+)*(?:documents|docs|files|sources|pages|notes))"
    r"(?:\s+(?:about|on)\s+[^,]{1,80})?\s+\Z",
    re.IGNORECASE,
)
_ACCORDING = re.compile(r"(?:according to|as per|per)\b", re.IGNORECASE)
_FROM = re.compile(r"\bfrom\s+\Z", re.IGNORECASE)
_IN = re.compile(r"(?:in|within|inside|from|according to|as per|per)\b", re.IGNORECASE)
_SAYS = re.compile(
    r"\s+(?:says?|states?|mentions?|recommends?|requires?|claims?|describes?|defines?|specif(?:y|ies))\b", re.IGNORECASE
)
# What tells that the words before it are all of the name: not "the handbook authors", "the PDFs from 2023".
_WHOLE = re.compile(
    r"\s*(?:\Z|[.,;:?!)”\n–—]|(?=\s)(?:\s+(?:-?\w+:|[-\"“(])|\s+(?:and|or|nor|but|is|are|was|were|do|does|did|can|could"
    r"|may|must|should|will|would|has|have|what|how|where|when|who|why|please)\b))",
    re.IGNORECASE,
)
_LISTED = re.compile(r"\s*(?:,\s*(?:or|and|nor)?|\b(?:or|and|nor))\s*", re.IGNORECASE)
_AND = re.compile(r"\s*(?:,|,?\s*and)\s*", re.IGNORECASE)  # "not in the one and in the other"


class Denial(Enum):
    """``NONE``: nothing denies the words. ``SET_ASIDE``: they are what is not wanted. ``MAYBE``: who knows."""

    NONE = "none"
    MAYBE = "maybe"
    SET_ASIDE = "set aside"


def says(question: str, end: int) -> bool:
    """Whether "says", "requires" or the like follows.

    >>> says("What does the handbook require of us?", 22)
    True
    """
    return _SAYS.match(question, end) is not None


def goes_on(question: str, end: int, start: int) -> bool:
    """Whether what begins at ``start`` only goes on with the list of what ends at ``end``; never with -1 for that.

    >>> goes_on("the handbook or the manual", 12, 16), goes_on("the handbook. The manual", 12, 14)
    (True, False)
    """
    return end >= 0 and _LISTED.fullmatch(question, end, start) is not None


def denial(question: str, start: int, end: int, aside: int = -1) -> Denial:
    """How the clause denies a place named at ``[start, end)`` of a question, its "in" included. Pure; English only.

    ``aside``: where the place before it ends that was set aside: "not in the handbook or the manual".

    >>> def of(before, place, after=""):
    ...     return denial(before + place + after, len(before), len(before + place)).value
    >>> of("tokens, but not ", "in the handbook"), of("Does anything other than ", "the handbook", " say so?")
    ('set aside', 'set aside')
    >>> of("Why is it not ", "in the handbook", "?"), of("not ", "in the handbook", " owners' list")
    ('maybe', 'maybe')
    >>> of("It does not start, what is the reason ", "in the handbook"), of("What is not paid ", "per the policy")
    ('none', 'none')
    """
    located = _IN.match(question, start) is not None
    if goes_on(question, aside, start) and not (located and _AND.fullmatch(question, aside, start)):
        return Denial.SET_ASIDE if _WHOLE.match(question, end) else Denial.MAYBE
    before = _clause(question, start)
    if not located and (source := _FROM.search(before)) is not None:
        located, before = True, before[: source.start()]
    if _DENYING.search(before) is None or (_ACCORDING.match(question, start) and not _AT_ONCE.search(before)):
        return Denial.NONE
    speaks = not located and says(question, end)
    whole = _WHOLE.match(question, end) is not None or speaks
    plain = _sets_aside(before, located, speaks)
    return Denial.SET_ASIDE if whole and plain else Denial.MAYBE


def denied(question: str, start: int) -> bool:
    """Whether something in the clause before a place is denied."""
    return _DENYING.search(_clause(question, start)) is not None


def denied_at_once(question: str, start: int) -> bool:
    """Whether it is denied at most two words before: "reports not published after".

    >>> denied_at_once("reports not published after 2023", 22), denied_at_once("no token that was made after it", 25)
    (True, False)
    """
    return _BEFORE_A_VERB.search(_clause(question, start)) is not None


def _clause(question: str, start: int) -> str:
    """The words of the same clause before a place."""
    begin = max(0, start - _REACH)
    for match in _CLAUSE.finditer(question, begin, start):
        begin = match.end()
    return question[begin:start]


def _sets_aside(before: str, located: bool, speaks: bool) -> bool:
    """Whether the words end by setting aside what follows, and nothing else is denied that would turn it round."""
    if located and (found := _BARE_NOT.search(before)) is not None:
        lead = before[: found.start()]
        plain = _OPENING.search(lead) is not None or _SENTENCE.search(lead) is None
    elif not located and (found := _OUTSIDE.search(before)) is not None:
        lead = before[: found.start()]
        plain = _WHERE.fullmatch(lead) is not None or _SENTENCE.search(lead) is None
    elif located and (found := _WITHOUT_ANY.search(before)) is not None:
        lead, plain = before[: found.start()], True
    elif (found := _SET_ASIDE.search(before)) is not None:
        lead = before[: found.start()]
        plain = located or speaks or _EVERYTHING.fullmatch(lead) is not None
    else:
        return False
    return plain and _DENYING.search(lead) is None
