"""The kind of thing a question asks for, whether a sentence holds one, and what it names, to be looked for by letters.

Meaning alone takes FM for AM and one year for the next: a passage that does not say what is named does not answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import pairwise

from core.text.analysis import analyse, fold
from core.text.calendar_names import MONTHS, YEAR, spell_out_periods
from core.text.numerals import in_words

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
_WHO = re.compile(r"\bwhom?\b|\bwhose\b", re.IGNORECASE)
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
        rf"\b{YEAR}\b|\b\d{{1,2}}[:.]\d\d\b|\b\d{{1,2}} (?:{_MONTHS})\b|\b(?:{_MONTHS}) \d", re.IGNORECASE
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
    >>> asked_thing("What is a race?"), asked_thing("Why?"), asked_thing("Its default width?")
    ('', '', 'default')
    >>> asked_thing("Which flag opens it?"), asked_thing("What is the purpose of the flag?")
    ('symbol', '')
    """
    if _DEFAULT.search(question):
        return "default"
    if _DATE.search(question):
        return "date"
    if _WHO.search(question):
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


_QUOTED = re.compile(r"`([^`\n]+)`|“([^”\n]+)”|\"([^\"\n]+)\"")
_IDENTIFIER = re.compile(r"(?<![\w.-])(?:--?[A-Za-z][\w-]*|\w+(?:_\w+)+|[A-Za-z_]\w*(?:\.\w+)+|\w*[a-z]\w*[A-Z]\w*)")
_CODE = re.compile(r"(?<![\w.])[A-Z][A-Z\d]*(?:[-/.][A-Z\d]+)*\b|(?<![\w.])\d+(?:[.,]\d+)*(?:[a-z]{1,2})?\b")
_NAME = re.compile(r"(?<=[a-z,;:)’'] )[A-Z][\w’'-]+(?: [A-Z][\w’'-]+)*")
_PLAIN_CAPITALS = frozenset("I A OK".split())
_FISCAL_YEAR = frozenset(analyse("fiscal year"))  # a report names the year alone


def keys(question: str) -> tuple[str, ...]:
    """What the question names, as it is written there, each once.

    A question without small letters names nothing by its capitals. A first word names nothing by its own.

    >>> keys("Who invented AM radio?"), keys("What was net revenue of Acme Corp in 2019?")
    (('AM',), ('Acme Corp', '2019'))
    >>> keys("What is the default of `max_lines` in textwrap.wrap?"), keys("How long is it?")
    (('max_lines', 'textwrap.wrap'), ())
    """
    shouted = not any(character.islower() for character in question)
    found: dict[str, None] = {}
    rest = question

    def take(pattern: re.Pattern[str]) -> None:
        nonlocal rest
        for match in pattern.finditer(rest):
            said = next((group for group in match.groups() if group), match[0]).strip(" .?!,;:")
            if said and said not in _PLAIN_CAPITALS and not (shouted and not any(map(str.isdigit, said))):
                found.setdefault(said)
        rest = pattern.sub(lambda match: " " * len(match[0]), rest)

    for pattern in (_QUOTED, _IDENTIFIER, _NAME, _CODE):
        take(pattern)
    return tuple(sorted(found, key=question.find))


def unmet(named: Iterable[str], texts: Iterable[str]) -> tuple[str, ...]:
    """Those of ``named`` that none of the texts says, in their order.

    Capitals count in a word that is made of two of them, or of more that else say nothing, so that "am" does not say
    "AM", nor "who" "WHO"; elsewhere neither they nor marks do.

    >>> unmet(("AM", "Edwin Armstrong", "1933"), ["I am told that Armstrong, Edwin's brother, had FM in 1933."])
    ('AM',)
    """
    texts = list(texts)
    return tuple(name for name in named if not any(says(text, name) for text in texts))


def says(text: str, name: str) -> bool:
    """Whether a text says a name: whole words, for a name of several its words in any order.

    >>> says("fatalities_00_14", "2014"), says("fatalities_00_14", "2000"), says("in 2013-14", "2014")
    (True, True, True)
    >>> says("on 2026-09-14", "2014"), says("Page rank (PR)", "PageRank"), says("by ssh or tty", "SSH")
    (False, True, True)
    >>> says("in 2022", "FY2022"), says("the second quarter", "Q2"), says("Q2 of 2021", "FY22")
    (True, True, False)
    """
    if (in_full := spell_out_periods(name)) != name:
        return set(analyse(in_full)) - _FISCAL_YEAR <= set(analyse(spell_out_periods(text)))
    if name.isupper() and name.isalpha() and (len(name) < 3 or not analyse(name)):
        return re.search(rf"(?<![A-Za-z]){re.escape(name)}s?(?![A-Za-z])", text) is not None
    if name[0].isdigit():
        plain = name.replace(",", "")
        said = re.search(rf"(?<![\d.]){re.escape(plain)}(?!\d|\.\d)", text.replace(",", ""))
        if not said and re.fullmatch("(19|20)[0-9]{2}", plain):  # "2013-14", "'14", and columns such as total_00_14
            said = re.search(rf"(?:\d{{4}}[-–/]|['’_]){plain[2:]}(?![\w-]|\.\d)|_{plain[2:]}_", text)
        if said or not plain.isdigit():
            return said is not None
        return re.search(rf"\b{in_words(int(plain))}\b", text, re.IGNORECASE) is not None
    if re.search(r"[_.]|\A-", name):
        return name.rsplit(".", 1)[-1].strip("()") in text
    words = [fold(word) for word in re.findall(r"[\w’'-]+", re.sub(r"[’']s\b", "", name))]
    said_words = [fold(word) for word in re.findall(r"[\w’'-]+", re.sub(r"[’']s\b", "", text))]
    held = {*said_words, *(one + other for one, other in pairwise(said_words))}  # "Page rank" says "PageRank"
    return all(word in held for word in words)
