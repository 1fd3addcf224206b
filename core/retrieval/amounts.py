"""Numbers with their units and scales, as questions write them and as columns of tables bear them. Pure; English only.

One form for each unit, and no arithmetic between them: 300 ms are no seconds.
"""

from __future__ import annotations

import re
from decimal import Decimal

from core.parsing.cells import cell_value

_MONEY = {
    "eur": ("€", "euro", "euros"),
    "usd": ("$", "dollar", "dollars"),
    "gbp": ("£", "pounds"),
    "jpy": ("¥", "yen"),
    "inr": ("₹", "rupees"),
    "chf": ("francs",),
    **dict.fromkeys("cny cad aud sek nok dkk pln czk".split(), ()),
}
# By kind, each unit with its spellings; itself is one.
_KINDS: dict[str, dict[str, tuple[str, ...]]] = {
    "money": _MONEY,
    "share": {"%": ("percent", "per cent")},
    "time": {
        "ns": ("nanosecond", "nanoseconds"),
        "µs": ("μs", "microsecond", "microseconds"),
        "ms": ("msec", "millisecond", "milliseconds"),
        "s": ("sec", "secs", "second", "seconds"),
        "min": ("mins", "minute", "minutes"),
        "h": ("hr", "hrs", "hour", "hours"),
        "d": ("day", "days"),
        "week": ("weeks",),
        "month": ("months",),
        "year": ("years", "yrs"),
    },
    "length": {
        "mm": ("millimetre", "millimetres", "millimeter", "millimeters"),
        "cm": ("centimetre", "centimetres", "centimeter", "centimeters"),
        "m": ("metre", "metres", "meter", "meters"),
        "km": ("kilometre", "kilometres", "kilometer", "kilometers"),
        "inch": ("inches",),
        "ft": ("foot", "feet"),
        "yard": ("yards",),
        "mile": ("miles",),
    },
    "mass": {
        "mg": ("milligram", "milligrams"),
        "g": ("gram", "grams", "gramme", "grammes"),
        "kg": ("kgs", "kilo", "kilos", "kilogram", "kilograms", "kilogramme", "kilogrammes"),
        "ton": ("tons",),
        "tonne": ("tonnes",),
        "oz": ("ounce", "ounces"),
        "lb": ("lbs",),
    },
    "size": {
        "byte": ("bytes",),
        "kb": ("kilobyte", "kilobytes"),
        "mb": ("megabyte", "megabytes"),
        "gb": ("gigabyte", "gigabytes"),
        "tb": ("terabyte", "terabytes"),
        "pb": ("petabyte", "petabytes"),
        "kib": ("kibibyte", "kibibytes"),
        "mib": ("mebibyte", "mebibytes"),
        "gib": ("gibibyte", "gibibytes"),
        "tib": ("tebibyte", "tebibytes"),
    },
    "volume": {
        "ml": ("millilitre", "millilitres", "milliliter", "milliliters"),
        "l": ("litre", "litres", "liter", "liters"),
        "gallon": ("gallons",),
    },
    "area": {"ha": ("hectare", "hectares"), "acre": ("acres",)},
    "power": {"w": ("watt", "watts"), "kw": ("kilowatt", "kilowatts"), "mw": ("megawatt", "megawatts")},
    "energy": {"kwh": ("kilowatt hours", "kilowatt-hours"), "mwh": ()},
    "voltage": {"mv": ("millivolt", "millivolts"), "v": ("volt", "volts"), "kv": ("kilovolt", "kilovolts")},
    "current": {"ma": ("milliamp", "milliamps"), "amp": ("amps", "ampere", "amperes")},
    "charge": {"mah": ()},
    "frequency": {"hz": ("hertz",), "khz": ("kilohertz",), "mhz": ("megahertz",), "ghz": ("gigahertz",)},
    "temperature": {
        "°c": ("degree", "degrees", "degrees celsius", "℃"),
        "°f": ("degrees fahrenheit", "℉"),
    },
    "speed": {"m/s": (), "km/h": ("kmh", "kph"), "mph": (), "rpm": ()},
    "rate": {"kb/s": (), "mb/s": (), "gb/s": (), "mbit/s": ("mbps",), "gbit/s": ("gbps",)},
}
_UNITS = {spelt: unit for units in _KINDS.values() for unit, spellings in units.items() for spelt in (unit, *spellings)}
_KIND = {unit: kind for kind, units in _KINDS.items() for unit in units}
_SHOWN = {"h": "hours", "d": "days", "week": "weeks", "month": "months", "year": "years", "°c": "°C", "°f": "°F"}
_SHOWN |= {unit: f"{unit}s" for unit in "yard mile ton tonne byte gallon acre amp".split()} | {"inch": "inches"}
_SHOWN |= {unit.lower(): unit for unit in "V W kW kWh KB MB GB TB mAh mA Hz kHz MHz GHz Mbit/s Gbit/s".split()}
_SHOWN |= {unit.lower(): unit for unit in "PB KiB MiB GiB TiB mV kV".split()}
_SIGNS = {code: spellings[0] for code, spellings in _MONEY.items() if spellings and len(spellings[0]) == 1}
_SIGN, _CODE = f"[{''.join(_SIGNS.values())}]", f"(?:{'|'.join(_MONEY)})"
_SPOKEN = "|".join(sorted((re.escape(unit) for unit in _UNITS), key=len, reverse=True))
# What stands behind "/" or "per" is what something is told by, not what it is told in: "€/month".
_UNIT_WORD = re.compile(rf"(?<!/)(?<!/ )(?<!\bper )(?:%|{_SIGN}|(?<![^\W\d_])(?:{_SPOKEN})(?!\w))", re.IGNORECASE)
SCALES = {
    **dict.fromkeys(("k", "thousand", "tsd"), 10**3),
    **dict.fromkeys(("m", "mn", "million", "mio"), 10**6),
    **dict.fromkeys(("bn", "billion", "mrd"), 10**9),
}
_SCALE_WORDS = {10**3: "in thousands", 10**6: "in millions", 10**9: "in billions"}
# "1.200": 1,200 to many people, and 1.2 to others.
POINTED = re.compile(r"[1-9]\d{0,2}\.\d{3}")
_MARKED = re.compile(rf"[^\W\d_]|[%°]|{_SIGN}")
_GAP = " \u00a0\u2009\u202f'’"  # what parts thousands beside a comma
_SCALE = rf"k|thousand|mn|million|bn|billion|m(?=\s?(?:{_SIGN}|{_CODE}\b))"
# "thousands", "€m", "k€", "(k)", "'000".
_SCALED = re.compile(
    r"\b(?P<word>thousand|million|billion|mn|bn|tsd|mio|mrd)s?\b"
    rf"|(?:{_SIGN}|\b{_CODE}\s?)(?P<short>k|m|bn)\b|\b(?P<front>k|m)(?:{_SIGN}|{_CODE}\b)|\((?:in )?(?P<lone>k)\)"
    r"|['’(](?P<zeros>1?000)s?\b",
    re.IGNORECASE,
)
_TOLD_IN = re.compile(
    rf"\bin (?P<scale>(?:{_SIGN}|\w+ )?(?:thousands|millions|billions))(?:\s+of\s+(?P<of>\w+))?\b", re.IGNORECASE
)


def amount_pattern(side: str = "") -> str:
    """A number with what may stand beside it, as named groups that begin with ``side``; to be read by ``amount``.

    Part of a range, a date, a time or a fraction ("5-10", "12/05", "10:30") is no number, nor is half of "1 200".
    """
    grouped = rf"\d{{1,3}}(?:[{_GAP}]\d{{3}})+(?:[.,]\d+)?"
    return (
        rf"(?P<{side}money>{_SIGN}|{_CODE})?\s?(?P<{side}number>[-−+]?(?:{grouped}|\d[\d.,]*\d|\d|\.\d+))"
        rf"(?![{_GAP}]?\d)(?!\s?[-–—/:]\s?\d)(?:\s?(?P<{side}scale>{_SCALE})\b)?+"
        rf"(?:\s?(?P<{side}unit>{_SPOKEN})(?!\w))?+(?!\s?[-–—/:]\s?\d)(?![\w.,]*\d)(?!\w)"
    )


def amount(match: re.Match[str], side: str = "") -> tuple[float, str] | None:
    """What ``amount_pattern`` found, in full, and its unit in one form, "" for none that is known; ``None`` for what is
    no number, or may be one of two: "1.500 €".

    >>> [amount(re.match(amount_pattern(), text, re.I)) for text in ("€1.5m", "1 200 kg", "5M", "3.2.1", "1.500 €")]
    [(1500000.0, 'eur'), (1200.0, 'kg'), (5000000.0, ''), None, None]
    """
    written = match[f"{side}number"].strip().rstrip(".,")
    value = cell_value(written)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    unit = "" if _is_million(match, side) else unit_of(match[f"{side}unit"])
    unit, scale = unit_of(match[f"{side}money"]) or unit, scale_said(match, side)
    if scale == 1 and (not unit or is_money(unit)) and POINTED.fullmatch(written.lstrip("-−+")):
        return None
    return in_full(value, scale), unit


def scale_said(match: re.Match[str], side: str = "") -> int:
    """By what the number is told: 1000000 in "5 million", 1 where nothing is said."""
    scale = "million" if _is_million(match, side) else match[f"{side}scale"] or ""
    return SCALES.get(scale.lower(), 1)


def _is_million(match: re.Match[str], side: str) -> bool:
    """Metres are a small letter, and nobody pays in them: "5M users", "€5m"."""
    unit = match[f"{side}unit"]
    return unit == "M" or (unit == "m" and match[f"{side}money"] is not None)


def in_full(value: float, scale: int) -> float:
    """``value`` times ``scale`` as a person would reckon it.

    >>> in_full(2.01, 1000), 2.01 * 1000
    (2010.0, 2009.9999999999998)
    """
    return float(value) if scale == 1 else float(Decimal(str(value)) * scale)


def in_words(value: float, unit: str) -> str:
    """A number with its unit, for people; ``amount`` reads it back.

    >>> in_words(1250.5, "eur"), in_words(3, "v"), in_words(60, "chf")
    ('€1,250.5', '3 V', '60 CHF')
    """
    number = f"{value:,.0f}" if float(value).is_integer() else f"{value:,}"
    if unit in _SIGNS:
        return f"{_SIGNS[unit]}{number}"
    return f"{number} {unit.upper() if unit in _MONEY else _SHOWN.get(unit, unit)}".strip()


def is_money(unit: str) -> bool:
    """Whether a unit is a currency."""
    return unit in _MONEY


def is_time(unit: str) -> bool:
    """Whether a unit measures time."""
    return _KIND.get(unit) == "time"


def is_speed(unit: str) -> bool:
    """Whether more of a unit is faster."""
    return _KIND.get(unit) in ("speed", "rate", "frequency")


def alike(one: str, other: str) -> bool:
    """Whether two units measure the same kind of thing, so that each can be told in the other.

    >>> alike("gb", "tb"), alike("eur", "chf"), alike("gb", "kg"), alike("", "")
    (True, True, False, False)
    """
    return one in _KIND and _KIND[one] == _KIND.get(other)


def unit_of(text: str | None) -> str:
    """A unit in one form, "" for none that is known.

    >>> unit_of("Percent"), unit_of("ducks")
    ('%', '')
    """
    return _UNITS.get((text or "").lower(), "")


def has_unit(text: str, unit: str) -> bool:
    """Whether a text names a unit, in any of its forms.

    >>> has_unit("Delay (seconds)", "s"), has_unit("Delays", "s"), has_unit("€/month", "month")
    (True, False, False)
    """
    return unit in units_in(text)


def other_unit(text: str, unit: str) -> bool:
    """Whether a cell names a unit, and not the asked one: 300 ms among seconds are left out, not misread."""
    named = units_in(text)
    return bool(unit and named and unit not in named)


def units_in(text: str) -> set[str]:
    """The units a text names, each in one form.

    >>> sorted(units_in("Weight (kilograms), €")), units_in("Weight")
    (['eur', 'kg'], set())
    """
    if not _MARKED.search(text):  # nearly all of a long column
        return set()
    return {unit_of(match.group()) for match in _UNIT_WORD.finditer(text)}


def scale_in_words(scale: int) -> str:
    """What a column is told in, for people; "" for single things.

    >>> scale_in_words(1000), scale_in_words(1)
    ('in thousands', '')
    """
    return _SCALE_WORDS.get(scale, "")


def scale_of(header: str, about: str = "", *, counts: bool = False) -> int:
    """What the numbers of a column are told in: its header counts, else what stands before the table, after "in".

    ``counts``: its numbers count what its header names, so that "in thousands of euros" before the table is not meant.

    >>> [scale_of(*told) for told in (("Users (thousands)",), ("Cost, €m",), ("Cost", "Costs in millions of euros."),
    ...     ("Cost", "A million reasons."), ("Users (k)",))]
    [1000, 1000000, 1000000, 1, 1000]
    >>> [scale_of("Stores", f"In thousands{of}.", counts=True) for of in ("", " of euros")]
    [1000, 1]
    """
    match = _SCALED.search(header)
    if match is None and (told := _TOLD_IN.search(about)):
        if counts and (is_money(unit_of(told["of"])) or told["scale"][0] in _SIGNS.values()):
            return 1
        match = _SCALED.search(told["scale"])
    if match is None:
        return 1
    told_in = next(group for group in match.groups() if group)
    return SCALES["k" if match["zeros"] else told_in.lower()]
