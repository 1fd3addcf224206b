"""The kind of thing a question asks for, and whether a sentence holds one."""

from __future__ import annotations

import re

from core.text.calendar_names import MONTHS

_NUMBER = re.compile(
    r"\bhow (?:many|much|long|far|old|large|big|high|fast|wide|deep|heavy|tall)\b"
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
_SYMBOL = re.compile(
    r"\b(?:which|what) (?:[\w-]+ )?(?:flags?|options?|commands?|functions?|methods?|class(?:es)?|arguments?|"
    r"parameters?|variables?|settings?|exceptions?|shortcuts?|extensions?)\b",
    re.IGNORECASE,
)
# Digits that are no quantity: the mark of a list's item and the number of a reference.
_NO_QUANTITY = re.compile(r"\A\W*\d{1,3}[.)](?=\s)|\[\d{1,3}(?:[,–-] ?\d{1,3})*\]")

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
        r"(?:^|(?<=[\w,;:] )|(?<=  ))[A-Z][\w.'’-]+ (?:[a-z]{1,3} )?[A-Z][\w'’-]+|\b(?:Mrs?|Ms|Dr|Prof)\.? [A-Z]"
    ),
    # A flag, a name made of parts, a call, what stands between backticks, keys pressed together.
    "symbol": re.compile(
        r"(?<![\w-])--?[A-Za-z]|\w_\w|\b[A-Za-z]\w*\.[a-z]\w+\b|\w\(|[a-z][A-Z]|`[^`\n]+`|\b[A-Z]\w+\+\w|(?<!\w)\.\w{2,4}\b"
    ),
}


def asked_thing(question: str, intent: str = "") -> str:
    """ "default", "number", "date", "name", "symbol" or "": what an answer holds one of.

    ``intent``: as question analysis has it; what the question's own words say of dates and names counts first.

    >>> asked_thing("How many gateways are there?"), asked_thing("Who owns the keys?"), asked_thing("When does it end?")
    ('number', 'name', 'date')
    >>> asked_thing("What is a race?", "definition"), asked_thing("Why?"), asked_thing("Its default width?")
    ('', '', 'default')
    >>> asked_thing("Which flag opens it?"), asked_thing("What is the purpose of the flag?")
    ('symbol', '')
    """
    if _DEFAULT.search(question):
        return "default"
    if _DATE.search(question):
        return "date"
    if _NAME.search(question):
        return "name"
    if _SYMBOL.search(question):
        return "symbol"
    return "number" if intent == "number" or _NUMBER.search(question) else ""


def holds(text: str, thing: str) -> bool:
    """Whether a text holds a thing of this kind; of no kind, nothing does.

    >>> holds("It lasts two hours.", "number"), holds("It lasts.", "number"), holds("It lasts two hours.", "")
    (True, False, False)
    >>> holds("5. Press the key [2].", "number"), holds("Pass it by the `-i` option.", "symbol")
    (False, True)
    """
    if thing == "number":
        text = _NO_QUANTITY.sub("", text)
    return bool(thing) and _HOLDS[thing].search(text) is not None
