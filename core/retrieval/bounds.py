"""What a question asks of a number: "regions above 5 %", "plans that do not exceed €50". Pure; English only.

Small on purpose: one bound or a range, one unit, no sums and no arithmetic between units.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from core.parsing.cells import cell_value
from core.text.analysis import STOP_WORDS, analyse

_ABOVE = r"(?:above|over|exceed(?:s|ing|ed)?|beyond|>|(?:more|greater|larger|higher|longer|bigger|heavier|older) than)"
_BELOW = r"(?:below|under|<|(?:less|fewer|lower|smaller|shorter|lighter|younger|cheaper) than)"
_LEAST = r"(?:at least|no less than|not less than|a minimum of|>=|≥)"
_MOST = r"(?:at most|no more than|not more than|up to|a maximum of|<=|≤)"
_UNITS = {
    **dict.fromkeys(("%", "percent", "per cent"), "%"),
    **dict.fromkeys(("€", "eur", "euro", "euros"), "eur"),
    **dict.fromkeys(("$", "usd", "dollar", "dollars"), "usd"),
    **dict.fromkeys(("£", "gbp", "pounds"), "gbp"),
    **dict.fromkeys(("s", "sec", "second", "seconds"), "s"),
    **dict.fromkeys(("min", "minute", "minutes"), "min"),
    **dict.fromkeys(("h", "hr", "hour", "hours"), "h"),
    **dict.fromkeys(("d", "day", "days"), "d"),
    **dict.fromkeys(("year", "years", "yrs"), "year"),
    **dict.fromkeys(("v", "volt", "volts"), "v"),
    **dict.fromkeys(("w", "watt", "watts"), "w"),
    **dict.fromkeys(("m", "metre", "metres", "meter", "meters"), "m"),
    **dict.fromkeys(("°c", "degrees", "℃"), "°c"),
    **{unit: unit for unit in "ms km cm mm kg g mg kw kwh mw mwh kb mb gb tb mah ma hz khz mhz ghz l ml ha".split()},
}
_MONEY = {"eur": "€", "usd": "$", "gbp": "£"}
_SHOWN = {"h": "hours", "d": "days", "year": "years", "°c": "°C"}
_SHOWN |= {unit.lower(): unit for unit in "V W kW kWh KB MB GB TB mAh mA Hz kHz MHz GHz".split()}
_SPOKEN = "|".join(sorted((re.escape(unit) for unit in _UNITS), key=len, reverse=True))
SCALES = {"k": 1e3, "thousand": 1e3, "mn": 1e6, "million": 1e6, "bn": 1e9, "billion": 1e9}
_AMOUNT = (
    r"(?P<{0}money>[€$£]|EUR|USD|GBP)?\s?(?P<{0}number>[-−]?\d[\d.,]*\d|[-−]?\d)"
    rf"(?:\s?(?P<{{0}}scale>{'|'.join(SCALES)})\b)?\s?(?P<{{0}}unit>{_SPOKEN})?(?![\w.,]*\d)(?!\w)"
)
_BOUND = re.compile(
    rf"(?<!\w)(?P<how>{_LEAST}|{_MOST}|{_ABOVE}|{_BELOW})(?:(?<=[<>=≥≤])\s*|\s+)"
    rf"{_AMOUNT.format('')}(?P<more>\s+or (?:more|less|fewer)\b)?",
    re.IGNORECASE,
)
_BEHIND = re.compile(
    rf"(?<![\w.,]){_AMOUNT.format('')}\s+(?:or|and) "
    r"(?:(?P<up>more|higher|above|greater|over)|less|lower|fewer|below)\b",
    re.IGNORECASE,
)
_RANGE = re.compile(rf"\bbetween\s+{_AMOUNT.format('low')}\s+and\s+{_AMOUNT.format('high')}", re.IGNORECASE)
# "did not grow above": a denial, and at most two words that join nothing to it.
_DENIED = re.compile(r"(?:\b(?:not|never|cannot)|n['’]t)(?:\s+(?!(?:and|or|but)\b)[^\W\d_]+){0,2}\s+\Z", re.IGNORECASE)
_UNIT_WORD = re.compile(rf"[%€$£]|(?<![^\W\d_])(?:{_SPOKEN})(?!\w)", re.IGNORECASE)
_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_CALL = re.compile(
    r"\A\W*(?:please\s+)?(?:list|show|name|find|give|count|tell)\b|\b(?:which|what|who|how (?:many|much))\b",
    re.IGNORECASE,
)
# A comparison that says when or why something is so selects no rows.
_CONDITION = re.compile(
    r"\A\W*(?:why|when|how(?! (?:many|much)\b))\b|\b(?:if|when|whenever|while|unless|because|once)\b", re.IGNORECASE
)
_LISTED = 2  # words: what is asked for comes first, and what it does follows


@dataclass(frozen=True, slots=True)
class Comparison:
    """What is asked of a number: ``low`` and ``high`` bounds, ``None`` where open; ``closed``: a bound itself will do.

    ``unit``: in one form, "" for none. ``subject``: the question's other words, as tokens; ``beside``: of the one
    that names what is counted; ``listed``: of what is to be named ("which *regions*"), in order, () where the question
    asks for something else. ``[start, end)``: of the question.
    """

    low: float | None
    high: float | None
    closed: bool
    unit: str
    subject: frozenset[str]
    beside: frozenset[str]
    start: int
    end: int
    listed: tuple[str, ...] = ()

    @property
    def kind(self) -> str:
        """As other things that are read out of a question have one."""
        return "comparison"

    @property
    def value(self) -> str:
        """What it comes to, in one form however it was asked.

        >>> asked = ("that don't exceed 5 percent", ">= EUR 1,250.50", "3 V or less")
        >>> [found.value for found in map(comparison_in, asked) if found]
        ['at most 5 %', 'at least €1,250.5', 'at most 3 V']
        """
        if self.low is not None and self.high is not None:
            low = _amount(self.low, self.unit if self.unit in _MONEY else "")
            return f"between {low} and {_amount(self.high, self.unit)}"
        if self.low is not None:
            return f"{'at least' if self.closed else 'above'} {_amount(self.low, self.unit)}"
        return f"{'at most' if self.closed else 'below'} {_amount(self.high or 0.0, self.unit)}"

    @property
    def words(self) -> str:
        """For a chip."""
        return self.value

    @property
    def key(self) -> tuple[str, str]:
        """What tells it from others, wherever it stands in the question."""
        return self.kind, self.value

    def holds(self, value: float) -> bool:
        """Whether a number satisfies it.

        >>> [Comparison(5, None, False, "%", frozenset(), frozenset(), 0, 0).holds(value) for value in (5, 5.1)]
        [False, True]
        """
        if self.closed:
            return (self.low is None or value >= self.low) and (self.high is None or value <= self.high)
        return (self.low is None or value > self.low) and (self.high is None or value < self.high)


def comparison_in(question: str) -> Comparison | None:
    """What a question asks of a number, ``None`` where it compares with none. Pure.

    >>> found = comparison_in("Which regions grew above 5 %?")
    >>> found.low, found.high, found.unit, sorted(found.subject), found.listed
    (5.0, None, '%', ['grew', 'region'], ('region', 'grew'))
    >>> comparison_in("plans between €10 and €50").high, comparison_in("more than one way")
    (50.0, None)
    >>> comparison_in("Which teams have more than 2 million users?").low
    2000000.0
    """
    if (match := _RANGE.search(question)) is not None:
        return _range(question, match)
    match = _BOUND.search(question)
    how = (match["how"] if match else "").lower()
    if match is None:
        match = _BEHIND.search(question)
    if match is None or (value := _valued(match, "")) is None:
        return None
    unit = unit_of(match["money"] or match["unit"])
    if how:
        rises = re.fullmatch(f"{_LEAST}|{_ABOVE}", how) is not None
        closed = match["more"] is not None or re.fullmatch(f"{_LEAST}|{_MOST}", how) is not None
    else:
        rises, closed = match["up"] is not None, True
    start = match.start()
    if (denied := _DENIED.search(question[:start])) is not None:
        rises, closed, start = not rises, not closed, denied.start()
    low, high = (value, None) if rises else (None, value)
    return _about(question, low, high, closed, unit, start, match.end())


def _range(question: str, match: re.Match[str]) -> Comparison | None:
    low, high = _valued(match, "low"), _valued(match, "high")
    unit = unit_of(match["highmoney"] or match["highunit"]) or unit_of(match["lowmoney"] or match["lowunit"])
    if low is None or high is None or (not unit and _is_year(low) and _is_year(high)):
        return None
    if _DENIED.search(question[: match.start()]):
        return None  # two bounds that are both open are no range
    if match["highscale"] and not match["lowscale"]:  # "between 5 and 10 million"
        low *= SCALES[match["highscale"].lower()]
    return _about(question, min(low, high), max(low, high), True, unit, *match.span())


def _about(
    question: str, low: float | None, high: float | None, closed: bool, unit: str, start: int, end: int
) -> Comparison:
    """With the tokens around it, and of the word that names what is counted: the next one behind a bare number ("400
    gateways"), else the last one before ("a battery below 3 V").
    """
    before, after = analyse(question[:start]), analyse(question[end:])
    follows = re.match(r"\s+[^\W\d_]", question[end:]) is not None
    beside = frozenset(after[:1] if follows and not unit else before[-1:])
    return Comparison(
        low, high, closed, unit, frozenset([*before, *after]), beside, start, end, _listed(question, start, end)
    )


def _listed(question: str, start: int, end: int) -> tuple[str, ...]:
    """The first words of what is to be named, as tokens; () where the comparison is a condition of something else.

    >>> [_listed(text, text.index("above"), len(text)) for text in (
    ...     "Which of our sales regions are above 5 %", "What happens if the load is above 5 %", "regions above 5 %")]
    [('sale', 'region'), (), ('region',)]
    """
    if _CONDITION.search(question[:start]):
        return ()
    call = next((match for match in _CALL.finditer(question) if _calls(question[: match.start()])), None)
    if call and call.group().lower() == "who":
        return tuple(dict.fromkeys([*analyse(question[:start]), *analyse(question[end:])]))
    first = call.end() if call else 0
    part = question[first:start] if first < start else question[max(first, end) :]
    found: list[str] = []
    for word in _WORD.findall(part):
        if word.casefold() in STOP_WORDS:
            if found:
                break
        elif len(found := [*found, word]) == _LISTED:
            break
    return tuple(dict.fromkeys(analyse(" ".join(found))))


def _calls(before: str) -> bool:
    """Whether a question word asks, and does not go on about the word before it.

    >>> _calls("Tell me in "), _calls("Yes, "), _calls("regions ")
    (True, True, False)
    """
    words = _WORD.findall(before)
    return not words or not before.rstrip()[-1].isalnum() or words[-1].casefold() in STOP_WORDS


def has_unit(text: str, unit: str) -> bool:
    """Whether a text names a unit, in any of its forms.

    >>> has_unit("Delay (seconds)", "s"), has_unit("Delays", "s")
    (True, False)
    """
    return any(unit_of(match.group()) == unit for match in _UNIT_WORD.finditer(text))


def other_unit(text: str, unit: str) -> bool:
    """Whether a cell names a unit, and not the asked one: 300 ms among seconds are left out, not misread."""
    named = {unit_of(match.group()) for match in _UNIT_WORD.finditer(text)}
    return bool(unit and named and unit not in named)


def unit_of(text: str | None) -> str:
    """A unit in one form, "" for none that is known.

    >>> unit_of("Percent"), unit_of("ducks")
    ('%', '')
    """
    return _UNITS.get((text or "").lower(), "")


def _valued(match: re.Match[str], side: str) -> float | None:
    """A number with its scale; ``None`` for what is none."""
    value = cell_value(match[f"{side}number"].strip().rstrip(".,"))
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    scale = (match[f"{side}scale"] or "").lower()
    if match[f"{side}money"] and (match[f"{side}unit"] or "").lower() == "m":  # nobody pays in metres
        scale = "million"
    return float(value) * SCALES.get(scale, 1.0)


def _amount(value: float, unit: str) -> str:
    number = f"{value:,.0f}" if value.is_integer() else f"{value:,}"
    if unit in _MONEY:
        return f"{_MONEY[unit]}{number}"
    return f"{number} {_SHOWN.get(unit, unit)}".strip()


def _is_year(value: float) -> bool:
    return value == int(value) and 1500 <= value <= 2100
