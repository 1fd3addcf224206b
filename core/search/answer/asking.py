"""The kind of thing a question asks for, and whether a sentence holds one."""

from __future__ import annotations

import re

from core.text.calendar_names import MONTHS

_NUMBER = re.compile(
    r"\bhow (?:many|much|long|often|far|old|large|big|high|fast|soon|wide|deep|heavy|tall)\b"
    r"|\bwhat (?:percentage|percent|number|amount|share|proportion|rate|size)\b",
    re.IGNORECASE,
)
_DATE = re.compile(r"\bwhen\b|\b(?:what|which) (?:year|date|day|month)\b|\bby (?:what|which) date\b", re.IGNORECASE)
_DEFAULT = re.compile(
    r"\bdefaults?\b|\bunless (?:told|asked|given|set|specified|stated)\b"
    r"|\bif (?:nothing|none) is (?:given|set|said|specified)\b",
    re.IGNORECASE,
)
_NAME = re.compile(r"\bwhom?\b|\bwhose\b", re.IGNORECASE)

_MONTHS = "|".join(MONTHS)
_HOLDS = {
    "number": re.compile(
        r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty|fifty|"
        r"hundred|thousand"
        r"|million|billion|half|twice|third|quarter|dozen)\b",
        re.IGNORECASE,
    ),
    "date": re.compile(
        rf"\b(?:1[5-9]|20)\d\d\b|\b\d{{1,2}}[:.]\d\d\b|\b\d{{1,2}} (?:{_MONTHS})\b|\b(?:{_MONTHS}) \d", re.IGNORECASE
    ),
    "default": re.compile(r"\bdefaults?\b|\bunless\b|[\w\])]\s?=\s?[\w\"'(\[{+-]", re.IGNORECASE),
    # Two capitalised words, or a title before one.
    "name": re.compile(
        r"(?:^|(?<=[\w,;:] ))[A-Z][\w.'’-]+ (?:[a-z]{1,3} )?[A-Z][\w'’-]+|\b(?:Mrs?|Ms|Dr|Prof)\.? [A-Z]"
    ),
    "definition": re.compile(
        r"\b(?:is|are|was|were) (?:an?|the|any|one of|defined|called|known)\b|\b(?:means|refers to|stands for|denotes|"
        r"describes|consists of)\b",
        re.IGNORECASE,
    ),
    "procedure": re.compile(
        r"^\W*(?:\d+[.)]|step \d+|first|then|next|finally|open|run|set|click|choose|select|enter|add|remove|"
        r"install|connect|"
        r"mount|check|call|use|create|send|press|hold|start|stop|wait|ask|go|turn)\b|\bmust\b|\bby \w+ing\b",
        re.IGNORECASE,
    ),
}


def asked_thing(question: str, intent: str = "") -> str:
    """ "default", "number", "date", "name", "definition", "procedure" or "": what an answer is likely to hold.

    ``intent``: as question analysis has it; what the question's own words say of dates and names counts first.

    >>> asked_thing("How many gateways are there?"), asked_thing("Who owns the keys?"), asked_thing("When does it end?")
    ('number', 'name', 'date')
    >>> asked_thing("What is a race?", "definition"), asked_thing("Why?"), asked_thing("Its default width?")
    ('definition', '', 'default')
    """
    if _DEFAULT.search(question):
        return "default"
    if _DATE.search(question):
        return "date"
    if _NAME.search(question):
        return "name"
    if intent == "number" or _NUMBER.search(question):
        return "number"
    return intent if intent in _HOLDS else ""


# Of these an answer holds one for certain; a definition can be worded in any way.
CERTAIN = frozenset({"default", "number", "date", "name"})


def holds(text: str, thing: str) -> bool:
    """Whether a text holds a thing of this kind; of no kind, nothing does.

    >>> holds("It lasts two hours.", "number"), holds("It lasts.", "number"), holds("It lasts two hours.", "")
    (True, False, False)
    """
    return bool(thing) and _HOLDS[thing].search(text) is not None
