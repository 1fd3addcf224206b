"""Numbers with their units in running text, each as written and in one base unit of its kind.

Read narrowly: what is part of a range, a list, a change ("5 % more") or a place ("section 4.2") is no statement of a
value, and is marked so that nobody compares it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

from core.retrieval.amounts import POINTED
from core.types import Span

EXACT, AT_MOST, AT_LEAST = "exact", "at most", "at least"

# Base units: second, byte, percent, metre, gram, litre, watt, hertz, volt, ampere, degree Celsius.
_TIME = {
    **dict.fromkeys(("ns", "nanosecond"), 1e-9),
    **dict.fromkeys(("us", "µs", "microsecond"), 1e-6),
    **dict.fromkeys(("ms", "msec", "millisecond"), 1e-3),
    **dict.fromkeys(("s", "sec", "second"), 1.0),
    **dict.fromkeys(("min", "minute"), 60.0),
    **dict.fromkeys(("h", "hr", "hour"), 3600.0),
    "day": 86_400.0,
    **dict.fromkeys(("week", "fortnight"), 604_800.0),
    "month": 2_629_746.0,
    **dict.fromkeys(("yr", "year"), 31_556_952.0),
    "decade": 315_569_520.0,
}
_TIME["fortnight"] *= 2
# Prefixes of 1000 and of 1024 are mixed up in most texts: both are read as 1024, and ``TOLERANCE`` covers the rest.
_SIZE = {
    "byte": 1.0,
    **{
        unit: 1024.0**power
        for power, letter in enumerate("kmgtp", start=1)
        for unit in (
            f"{letter}b",
            f"{letter}ib",
            {"k": "kilo", "m": "mega", "g": "giga", "t": "tera", "p": "peta"}[letter] + "byte",
        )
    },
}
_UNITS: dict[str, dict[str, float]] = {
    "duration": _TIME,
    "size": _SIZE,
    "percentage": {"%": 1.0, "percent": 1.0, "per cent": 1.0, "pct": 1.0, "‰": 0.1},
    "length": {
        "mm": 0.001,
        "millimetre": 0.001,
        "cm": 0.01,
        "centimetre": 0.01,
        "metre": 1.0,
        "km": 1000.0,
        "millimeter": 0.001,
        "centimeter": 0.01,
        "meter": 1.0,
        "kilometre": 1000.0,
        "kilometer": 1000.0,
        "inch": 0.0254,
        "inche": 0.0254,
        "feet": 0.3048,
        "foot": 0.3048,
        "yard": 0.9144,
        "mile": 1609.344,
    },
    "mass": {
        "mg": 0.001,
        "milligram": 0.001,
        "gram": 1.0,
        "kg": 1000.0,
        "kilogram": 1000.0,
        "tonne": 1e6,
        "lb": 453.592,
        "pound": 453.592,
        "ounce": 28.3495,
        "oz": 28.3495,
    },
    "volume": {"ml": 0.001, "millilitre": 0.001, "milliliter": 0.001, "litre": 1.0, "liter": 1.0},
    "power": {"watt": 1.0, "kw": 1000.0, "kilowatt": 1000.0, "megawatt": 1e6},
    "frequency": {"hz": 1.0, "khz": 1000.0, "mhz": 1e6, "ghz": 1e9},
    "voltage": {"v": 1.0, "volt": 1.0, "mv": 0.001, "millivolt": 0.001},
    "current": {"ampere": 1.0, "amp": 1.0, "ma": 0.001, "milliampere": 0.001},
    "temperature": {"°c": 1.0, "degree celsius": 1.0, "degrees celsius": 1.0},
}
# "m" is metres, minutes or millions, "W", "g" and "K" are many things: such letters are read as no unit at all.
UNIT: dict[str, tuple[str, float]] = {
    name: (kind, factor) for kind, names in _UNITS.items() for name, factor in names.items()
}
_MONEY = {"$": "USD", "€": "EUR", "£": "GBP", "¥": "JPY", "dollar": "USD", "euro": "EUR", "sterling": "GBP"} | {
    code.lower(): code for code in ("USD", "EUR", "GBP", "JPY", "CHF", "SEK", "DKK", "NOK", "CAD", "AUD", "INR", "CNY")
}
_SCALES = {"thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12, "k": 1e3, "m": 1e6, "bn": 1e9, "b": 1e9}
_WORDS = {
    word: float(value)
    for value, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen"
        " seventeen eighteen nineteen twenty".split()
    )
} | {"thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "ninety": 90, "hundred": 100, "a dozen": 12, "a hundred": 100}

# How far two values of a kind may lie apart and still be the same, where they are written in different units.
TOLERANCE = {"duration": 0.02, "size": 0.11, "percentage": 0.0, "temperature": 0.0}

_FIGURE = r"\d{1,3}(?:[,\u202f\u00a0']\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?"
_TENS = {"twenty": 20.0, "thirty": 30.0, "forty": 40.0, "fifty": 50.0, "sixty": 60.0, "seventy": 70.0, "eighty": 80.0}
_ONES = "one two three four five six seven eight nine".split()
# Those of two words share a branch: a regular expression tries one after the other, at every word of a text.
_SPELT = "|".join(
    [f"(?:{'|'.join(_TENS)})[ -](?:{'|'.join(_ONES)})", *sorted(map(re.escape, _WORDS), key=len, reverse=True)]
)
_WORDS |= {
    f"{tens}{joint}{word}": value + _WORDS[word] for tens, value in _TENS.items() for word in _ONES for joint in " -"
}
_NUMBER = re.compile(
    rf"(?P<sign>(?<![\w.])(?<!\d )[-−])?(?P<money>[$€£¥]\s?|\b(?:USD|EUR|GBP|CHF|JPY|CAD|AUD)\s)?"
    rf"(?:(?:(?<![\w.,:/#@§-])|(?<=(?<![\w.])-))(?P<figure>{_FIGURE})(?![.,:/]?\d)|\b(?P<spelt>{_SPELT}|an?|half an|"
    rf"one and a half)\b(?=[\s-]))"
    rf"(?:[\s-]?(?P<scale>thousand|million|billion|trillion|bn)\b)?",
    re.IGNORECASE,
)
_UNIT_AT = re.compile(
    r"(?:[\s\u00a0\u202f-]{0,2})(?P<unit>degrees? celsius|°c|per cent|%|‰|[a-zµ]+|€)(?P<point> points?\b)?",
    re.IGNORECASE,
)
_RATE_AT = re.compile(r"(?: per |/| an? | each | every |-per-)(?P<of>[a-z]+)\b", re.IGNORECASE)
_TIMES = {"second": 1.0, "s": 1.0, "minute": 60.0, "min": 60.0, "hour": 3600.0, "h": 3600.0, "day": 86_400.0}
_PLURAL = re.compile(
    r"(?:[\s\u00a0]|-)(?:(?P<adjective>[a-z]{3,})\s)?(?P<noun>people|men|women|children|[a-z]{2,}s)\b(?![-'’])"
)
_NO_NOUN = frozenset(
    "is was has as its this does times plus minus versus always across various less thus hours".split()
)

_BEFORE = r"\s*(?:the |a |an |only |just |exactly |total of |total )*\Z"
_UPPER = re.compile(
    r"\b(?:up to|at (?:the )?most|no more than|not more than|not exceed(?:ing)?|maximum(?: of| is|:)?|max\.?|less than|"
    r"fewer than|under|below|within|no longer than|limited to|capped at|as (?:much|many|long) as|until|upto|≤|<)"
    + _BEFORE,
    re.IGNORECASE,
)
_LOWER = re.compile(
    r"\b(?:at least|no less than|no fewer than|not less than|more than|over|above|minimum(?: of| is|:)?|"
    r"min\.?|exceed(?:s|ing)?|"
    r"longer than|greater than|upwards of|beyond|≥|>)" + _BEFORE,
    re.IGNORECASE,
)
_ABOUT = re.compile(
    r"(?:\b(?:about|around|roughly|approximately|approx\.?|nearly|almost|some|circa|ca\.|c\.|close to|or so|on average|"
    r"an average of|average of|averag\w+|typically|usually|often|sometimes|normally|generally|estimated(?: at| to be)?|"
    r"mean(?: of)?|median(?: of)?|say|perhaps|maybe)|[~≈±])" + _BEFORE,
    re.IGNORECASE,
)
_CHANGE_BEFORE = re.compile(
    r"\b(?:by|another|additional|extra|further|first|last|next|past|previous|each|than|every other|following|"
    r"preceding|initial|remaining|final|of the|out of|plus|minus|times|x|multiplied by|divided by|"
    r"than the)\s*\Z|[×*/+=^(]\s*\Z",
    re.IGNORECASE,
)
_CHANGE_AFTER = re.compile(
    r"\s*(?:\w+ ){0,1}?(?:more|less|fewer|longer|shorter|later|earlier|ago|older?|higher|lower|faster|"
    r"slower|larger|smaller|"
    r"bigger|extra|additional|apart|off|discount|into|remaining|left|ahead|behind|away|late|early|before|prior|further|"
    r"increase|decrease|reduction|rise|drop|growth|points?|confidence|ci)\b|\s*[×*/^]|\s*[-–—]\s?\d",
    re.IGNORECASE,
)
_RANGE_AFTER = re.compile(
    rf"\s*(?:[-–—~]|\bto\b|\band\b|\bor\b|,|/|±|;)\s*(?:and |or |up to |about |at (?:most|"
    rf"least) )*[-−$€£]?(?:\d|(?:{_SPELT})\b)",
    re.IGNORECASE,
)
_RANGE_BEFORE = re.compile(
    rf"(?:\d[\d.,]*|\b(?:{_SPELT}))\s*(?:%|[a-zµ°]+)?\s*(?:[-–—~]|\bto\b|\band\b|\bor\b|,|/|±|;)\s*(?:and |"
    rf"or |up to |about |at (?:most|least) )*\Z",
    re.IGNORECASE,
)
_BETWEEN = re.compile(r"\b(?:between|from|range of|ranging|anywhere)\s*\Z", re.IGNORECASE)
_OR_MORE = re.compile(
    r"\s*(?:or (?:more|later|longer|above|higher|newer)|and (?:above|up|more)|minimum)\b|\s*\+(?!\w)", re.IGNORECASE
)
_OR_LESS = re.compile(
    r"\s*(?:or (?:less|fewer|below|under|shorter)|and below|maximum|max|at (?:the )?most|tops)\b", re.IGNORECASE
)
_OR_SO = re.compile(r"\s*(?:or so|ish|on average|approximately|-odd)\b", re.IGNORECASE)
# A number after one of these names a thing, it does not count or measure one.
_NAMES = re.compile(
    r"\b(?:section|sections|sec\.?|chapter|figure|fig\.?|table|page|pages|p\.|pp\.|step|steps|part|clause|"
    r"article|appendix|"
    r"equation|eq\.?|item|line|lines|row|column|version|release|level|phase|stage|type|class|grade|group|"
    r"no\.?|number|nr\.?|"
    r"question|note|day|week|month|year|room|floor|gate|platform|channel|port|error|status|code|rfc|iso|issue|id|case|"
    r"example|layer|slide|volume|act|scene|round|model|edition|annex|exhibit|rule|point|option)\s*\Z|[#§№]\s*\Z",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number and its unit at ``[start, end)`` of a text.

    ``kind``: what is measured ("duration", "size", "percentage", "money", "count of event", ...), with "/day" where it
    is a rate. ``value`` in the kind's base unit; ``step``: what the last written digit is worth, in it.
    ``unit``: as written, lower case. ``bound``: "exact", "at most" or "at least". ``about``: approximate or usual.
    ``loose``: part of a range, a list or a change; it states no value of its own.
    """

    start: int
    end: int
    kind: str
    value: float
    step: float
    unit: str
    bound: str = EXACT
    about: bool = False
    loose: bool = False

    @property
    def span(self) -> Span:
        """Where it stands in the text."""
        return Span(self.start, self.end)


@lru_cache(maxsize=4096)
def quantities(text: str) -> tuple[Quantity, ...]:
    """The numbers with a unit in a text, in order.

    >>> [(item.kind, item.value, item.bound) for item in quantities("Valid for 15 minutes; at most 1 MiB, or 2.5 %.")]
    [('duration', 900.0, 'exact'), ('size', 1048576.0, 'at most'), ('percentage', 2.5, 'exact')]
    >>> [item.kind for item in quantities("600 requests a minute in section 4.2, for $5")]
    ['count of request/time', 'money in USD']
    >>> [item.loose for item in quantities("5 to 10 minutes, then 3 % more, then an hour")]
    [True, True, False]
    """
    return tuple(_found(text))


def _found(text: str) -> Iterator[Quantity]:
    taken = 0
    for match in _NUMBER.finditer(text):
        if match.start() < taken or not match.end() > match.start():
            continue
        found = _quantity(text, match)
        if found is not None:
            taken = found.end
            yield _judged(text, found)


def _quantity(text: str, match: re.Match[str]) -> Quantity | None:
    if match["money"] and POINTED.fullmatch(match["figure"] or ""):
        return None  # "€1.200" are 1,200 euros to many, and nobody writes 1.2 so
    value, step = _number(match)
    after = match.end()
    scale = _SCALES.get((match["scale"] or "").lower(), 1.0)
    value, step = value * scale, step * scale
    article = (match["spelt"] or "").lower() in {"a", "an"}
    if match["money"]:
        letter = re.match(r"(k|m|bn|b)\b", text[after:], re.IGNORECASE)
        if letter:
            factor = _SCALES[letter[1].lower()]
            value, step, after = value * factor, step * factor, after + letter.end()
        money = match["money"].strip().lower()
        found = Quantity(match.start(), after, f"money in {_MONEY[money]}", value, step, money)
        return _rated(text, found)
    named = _UNIT_AT.match(text, after)
    if named is not None:
        unit = re.sub(r"\s+", " ", named["unit"].lower())
        read = unit if unit in UNIT or unit in _MONEY else unit.removesuffix("s")
        if named["point"] and UNIT.get(read, ("",))[0] == "percentage":
            return None
        if article and (read not in UNIT or len(read) < 3):
            return None
        if (
            len(read) <= 2
            and read.isalpha()
            and named["unit"] not in {read, read.upper(), read[0].upper() + read[1:], read[0] + read[1:].upper()}
        ):
            return None
        if read in _MONEY:
            return _rated(
                text, Quantity(match.start(), named.end("unit"), f"money in {_MONEY[read]}", value, step, read)
            )
        if read in UNIT:
            kind, factor = UNIT[read]
            return _rated(text, Quantity(match.start(), named.end("unit"), kind, value * factor, step * factor, read))
    if article:
        return None
    counted = _PLURAL.match(text, after)
    if re.fullmatch(r"(?:1[5-9]|20)\d\d|\d+\.\d+", match[0]):
        return None  # most likely a year, or a version
    if counted is not None and counted["noun"] not in _NO_NOUN and (counted["adjective"] or "") not in _STOPPING:
        noun = _singular(counted["noun"])
        return _rated(text, Quantity(match.start(), counted.end(), f"count of {noun}", value, step, noun))
    return None


_STOPPING = frozenset(
    "and the for per with than from are was were has have had that this which who when where but not nor can may of in"
    " out into over under our your their its his her other more less fewer such".split()
) | frozenset(_WORDS)


def _number(match: re.Match[str]) -> tuple[float, float]:
    """A number as written, and what its last digit is worth; a spelt one is exact."""
    if match["figure"] is None:
        spelt = match["spelt"].lower()
        return {"a": 1.0, "an": 1.0, "half an": 0.5, "one and a half": 1.5}.get(spelt, _WORDS.get(spelt, 0.0)), 0.0
    digits = re.sub(r"[^\d.]", "", match["figure"])
    decimals = len(digits.partition(".")[2])
    value = float(digits) * (-1 if match["sign"] else 1)
    return value, 10.0**-decimals if decimals or match["scale"] else 0.0


def _rated(text: str, found: Quantity) -> Quantity:
    """The same, as a rate where the text goes on with "a day", "/s" or "per user"."""
    rate = _RATE_AT.match(text, found.end)
    if rate is None:
        return found
    of = rate["of"].lower().removesuffix("s") if len(rate["of"]) > 2 else rate["of"].lower()
    if of in _TIMES:
        per = _TIMES[of]
        return replace(
            found,
            end=rate.end(),
            kind=f"{found.kind}/time",
            value=found.value / per,
            step=found.step / per,
            unit=f"{found.unit}/{of}",
        )
    if rate[0].startswith((" a", " each", " every")) and of not in {"week", "month", "year", "person", "user"}:
        return found  # "5 minutes a gateway ..." may be anything
    return replace(found, end=rate.end(), kind=f"{found.kind}/{of}", unit=f"{found.unit}/{of}")


def _judged(text: str, found: Quantity) -> Quantity:
    """The same with what stands around it: bounds, vagueness, and whether it states a value at all."""
    before, after = text[max(0, found.start - 60) : found.start], text[found.end : found.end + 40]
    bound = EXACT
    if _UPPER.search(before) or _OR_LESS.match(after):
        bound = AT_MOST
    elif _LOWER.search(before) or _OR_MORE.match(after):
        bound = AT_LEAST
    about = bool(_ABOUT.search(before) or _OR_SO.match(after))
    if about and re.search(r"\b(?:no|not|at) \w+ \w+\s*\Z", before):
        about = False
    loose = bool(
        _RANGE_AFTER.match(after)
        or _RANGE_BEFORE.search(before)
        or _BETWEEN.search(before)
        or _CHANGE_BEFORE.search(before)
        or _CHANGE_AFTER.match(after)
        or _NAMES.search(before)
        or (text[found.start : found.end].lower().startswith("a") and re.search(r"\bof\s*\Z", before))
    )
    return replace(found, bound=bound, about=about, loose=loose)


def _singular(noun: str) -> str:
    """
    >>> [_singular(noun) for noun in ("events", "people", "batches", "replies")]
    ['event', 'person', 'batch', 'reply']
    """
    irregular = {"people": "person", "men": "man", "women": "woman", "children": "child"}
    if noun in irregular:
        return irregular[noun]
    if noun.endswith("ies") and len(noun) > 4:
        return noun[:-3] + "y"
    if noun.endswith(("ches", "shes", "xes", "sses", "zes")):
        return noun[:-2]
    return noun.removesuffix("s")


def same_value(one: Quantity, other: Quantity) -> bool:
    """Whether two quantities of one kind say the same: equal, or one of them a rounding of the other.

    >>> hour, seconds, quarter = quantities("An hour is 3600 seconds. A quarter is 15 minutes.")
    >>> same_value(hour, seconds), same_value(hour, quarter)
    (True, False)
    """
    apart = abs(one.value - other.value)
    largest = max(abs(one.value), abs(other.value))
    if apart <= 1e-9 * largest or apart <= 0.5 * max(one.step, other.step) * (1 + 1e-9):
        return True
    kind = one.kind.partition("/")[0]
    if one.unit != other.unit and apart <= TOLERANCE.get(kind, 0.005) * largest:
        return True
    return (one.about or other.about) and apart <= 0.5 * largest
