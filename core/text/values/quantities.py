"""Finds numbers with units in running text, and converts units to one base unit per kind.

Spellings, prefixes, plurals and conversions are those of ``pint``, restricted to everyday units here, since pint reads
"cats" as a pressure. ``quantities`` finds as many numbers as it can, for comparing texts; the values that a sentence
states are read more strictly by ``core.search.context.conflicts_values``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from core.text.analysis import STOP_WORDS
from core.text.values.numerals import NUMBER_WORDS
from core.types import Span

if TYPE_CHECKING:
    from pint import UnitRegistry

# Base unit, as shown: pint's name of it, then pint's names of the other units of its kind.
_KINDS = {
    "s": "second minute hour day week fortnight month year",
    "bytes": "byte",
    "%": "percent permille",
    "m": "meter inch foot yard mile",
    "g": "gram metric_ton ounce pound",
    "l": "liter gallon",
    "ha": "hectare acre",
    "W": "watt",
    "Wh": "watt_hour joule calorie",
    "Hz": "hertz",
    "V": "volt",
    "A": "ampere",
    "Ah": "ampere_hour",
    "Pa": "pascal bar",
    "°C": "degree_Celsius degree_Fahrenheit",
    "km/h": "kilometer_per_hour mile_per_hour",
}
_BASES = {name: (base, names.split()[0]) for base, names in _KINDS.items() for name in names.split()}
_PINT_SPELLINGS = {"‰": "permille", "pct": "percent", "sec.": "second", "°": "°C", "ton": "tonne", "tons": "tonne"}
# The units of one letter; others are ambiguous: "m" is metres, minutes or millions.
_SINGLE_LETTERS = frozenset("s h l % ‰ ° V W".split())
_CURRENCIES = {
    "€": "EUR", "euro": "EUR", "euros": "EUR", "$": "USD", "dollar": "USD", "dollars": "USD", "£": "GBP",
    "¥": "JPY", "yen": "JPY", "francs": "CHF",
    **{code: code for code in "EUR USD GBP JPY CHF SEK DKK NOK PLN CZK CAD AUD INR CNY".split()},
}  # fmt: skip
BASE_UNITS = frozenset({*_KINDS, *_CURRENCIES.values()})
_SCALES = {"thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12, "bn": 1e9}


def in_base(value: float, unit: str) -> tuple[float, str] | None:
    """A value converted to the base unit of its kind, and that unit's name; ``None`` for an unknown unit.

    >>> in_base(15, "minutes"), in_base(2, "KB"), in_base(1.5, "km"), in_base(5, "EUR"), in_base(5, "€")
    ((900.0, 's'), (2000.0, 'bytes'), (1500.0, 'm'), (5.0, 'EUR'), (5.0, 'EUR'))
    >>> in_base(7, "cats"), in_base(3, "m"), in_base(3, "gateways")
    (None, None, None)
    """
    if unit in _CURRENCIES:
        return float(value), _CURRENCIES[unit]
    parsed = _pint_name(unit)
    if parsed is None:
        return None
    prefix, name = parsed
    base, pint_base = _BASES[name]
    magnitude = _registry().Quantity(value, prefix + name).to(pint_base).magnitude
    return float(f"{magnitude:.12g}"), base


@lru_cache(maxsize=4096)
def _pint_name(unit: str) -> tuple[str, str] | None:
    """A unit's prefix and name in pint, also for other letter case ("Minutes", "KB"); ``None`` if unknown."""
    if len(unit) == 1 and unit not in _SINGLE_LETTERS:
        return None
    unit = _PINT_SPELLINGS.get(unit, unit)
    for spelt in dict.fromkeys((unit, unit[0].lower() + unit[1:], unit.lower(), unit.upper())):
        for prefix, name, _ in _registry().parse_unit_name(spelt):
            if name in _BASES:
                return prefix, name
    return None


@lru_cache(maxsize=1)
def _registry() -> UnitRegistry[Any]:
    """Pint's definitions, loaded on first use, because that takes a third of a second."""
    from pint import UnitRegistry

    return UnitRegistry()


def spelt(least: int) -> str:
    """A regular expression of the English number words from ``least`` to 99, longer ones first."""
    words = (word for word, number in NUMBER_WORDS.items() if least <= number < 100)
    return "|".join(sorted(words, key=len, reverse=True))


# Patterns of a currency before a number, and of a scale after it.
MONEY = r"(?:(?P<money>[$€£¥]|\b[A-Z]{3}(?=\s))\s?)?"
SCALE = rf"(?:[\s-](?P<scale>{'|'.join(_SCALES)})\b)?"
_GROUPED = r"\d{1,3}(?:[,\u202f\u00a0'’]\d{3})+(?:\.\d+)?|\d+(?:[.,]\d+)?"
_QUANTITY = re.compile(
    rf"{MONEY}(?<![\w.,:/#@])(?<![^\W\d_]-)"
    rf"(?:(?P<figure>(?:(?<![\w)]\s)(?<!\w)[-−])?(?:{_GROUPED}))(?!\d|[.,:/]\d)|\b(?P<spelt>(?i:{spelt(2)}))\b)"
    rf"{SCALE}(?:[\s\u00a0\u202f-]{{0,2}}(?P<unit>[%‰€$£]|°[CF]|[^\W\d_]+(?:/[a-z]+\b)?))?"
)
_ROUNDED = 0.03  # relative tolerance between different units: a month and 30 days, 1 GB and 1024 MB
_LOOSE = {"s", "bytes"}  # measures with such units


def tolerance(measure: str, unit: str, other: str) -> float:
    """The relative tolerance for comparing two amounts of a measure that were written in these units.

    >>> tolerance("s", "month", "days"), tolerance("s", "days", "days"), tolerance("m", "km", "miles")
    (0.03, 0.0, 0.0)
    """
    return _ROUNDED if unit != other and measure in _LOOSE else 0.0


def scale_of(match: re.Match[str]) -> float:
    """The factor of the scale word after a number ("million"); 1.0 without one."""
    return _SCALES.get(match["scale"] or "", 1.0)


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number in a text, with its unit.

    ``number``: as written, times its scale word. ``unit``: the word after it, as written, also where it is no unit.
    ``amount``, ``measure``: the number in the base unit ``measure``; ``number`` and "" without a known unit. ``span``:
    of the number and its unit.
    """

    number: float
    amount: float
    measure: str
    unit: str
    span: Span

    def said_by(self, others: Iterable[Quantity], words: frozenset[str]) -> bool:
        """Whether ``others`` contain the same quantity.

        ``words``: the lower-case words of the text of ``others``, as the unit may be in the header of a column.

        >>> minutes, seconds = (next(quantities(text)) for text in ("15 minutes", "900 s"))
        >>> minutes.said_by([seconds], frozenset()), minutes.said_by(quantities("15 hours"), frozenset())
        (True, False)
        """
        unit = self.unit.lower()
        for other in others:
            if self.measure and other.measure == self.measure and self._equals(other):
                return True
            if self.number == other.number and (
                (not self.measure and not other.measure)
                or (not self.unit and other.measure)
                or (self.measure and not other.unit and {unit, f"{unit}s", unit.rstrip("s")} & words)
            ):
                return True
        return False

    def _equals(self, other: Quantity) -> bool:
        largest = max(abs(self.amount), abs(other.amount))
        return abs(self.amount - other.amount) <= max(1e-9, tolerance(self.measure, self.unit, other.unit)) * largest


def quantities(text: str) -> Iterator[Quantity]:
    """The numbers of a text in order, in figures or English words, except inside versions, times and identifiers.

    >>> [(one.amount, one.measure) for one in quantities("Three sensors, 1,200 m, €2.5 million, 15-minute steps, v1.2")]
    [(3.0, ''), (1200.0, ''), (2500000.0, 'EUR'), (900.0, 's')]
    """
    for match in _QUANTITY.finditer(text):
        value = figure(match["figure"]) if match["figure"] else float(NUMBER_WORDS[match["spelt"].lower()])
        number = scale_of(match) * value
        unit = match["unit"] or ""
        unit = "" if unit.lower() in STOP_WORDS else unit  # "12 in all", "2 at once"
        end = max(match.end("figure"), match.end("spelt"), match.end("scale"))
        for written in (match["money"] or "", unit):
            converted = in_base(number, written) if written else None
            if converted is not None and converted[1] in BASE_UNITS:
                yield Quantity(number, *converted, written, Span(match.start(), max(end, match.end("unit"))))
                break
        else:
            yield Quantity(number, number, "", unit, Span(match.start(), end))


def figure(written: str) -> float:
    """The value of a number in figures, with or without thousands separators.

    >>> figure("1,200"), figure("1 200.5"), figure("3,5"), figure("−2")
    (1200.0, 1200.5, 3.5, -2.0)
    """
    plain = written.replace("−", "-")
    if re.fullmatch(r"-?\d+,\d{1,2}", plain):
        plain = plain.replace(",", ".")
    return float(re.sub(r"[, \u202f\u00a0'’]", "", plain))
