"""Units of measurement as running text names them, values in one base unit of each kind, and every number of a text.

Spellings, prefixes, plurals and what each unit is worth are those of ``pint``; here stands only which of its units are
everyday ones: to pint, "cats" are pressures. Numbers are read widely, to look whether another text holds them, too;
what a sentence *states*, read narrowly, is ``core.search.context.conflicts_values``' to say.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from core.text.analysis import STOP_WORDS
from core.text.numerals import NUMBER_WORDS
from core.types import Span

if TYPE_CHECKING:
    from pint import UnitRegistry

# By the base unit, as it is shown: what pint calls it and the others of its kind.
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
_RESPELT = {"‰": "permille", "pct": "percent", "sec.": "second", "°": "°C", "ton": "tonne", "tons": "tonne"}
_SINGLE = frozenset("s h l % ‰ ° V W".split())  # other letters are many things: "m" is metres, minutes or millions
_CURRENCIES = {
    "€": "EUR", "euro": "EUR", "euros": "EUR", "$": "USD", "dollar": "USD", "dollars": "USD", "£": "GBP",
    "¥": "JPY", "yen": "JPY", "francs": "CHF",
    **{code: code for code in "EUR USD GBP JPY CHF SEK DKK NOK PLN CZK CAD AUD INR CNY".split()},
}  # fmt: skip
BASE_UNITS = frozenset({*_KINDS, *_CURRENCIES.values()})
_SCALES = {"thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12, "bn": 1e9}


def in_base(value: float, unit: str) -> tuple[float, str] | None:
    """A number of a unit in the base unit of its kind, and that unit's name; ``None`` for what is no everyday unit.

    >>> in_base(15, "minutes"), in_base(2, "KB"), in_base(1.5, "km"), in_base(5, "EUR"), in_base(5, "€")
    ((900.0, 's'), (2000.0, 'bytes'), (1500.0, 'm'), (5.0, 'EUR'), (5.0, 'EUR'))
    >>> in_base(7, "cats"), in_base(3, "m"), in_base(3, "gateways")
    (None, None, None)
    """
    if unit in _CURRENCIES:
        return float(value), _CURRENCIES[unit]
    known = _pint_name(unit)
    if known is None:
        return None
    base, name = _BASES[known[1]]
    registry = _registry()
    worth = registry.Quantity(value, known[0] + known[1]).to(name).magnitude
    return float(f"{worth:.12g}"), base


@lru_cache(maxsize=4096)
def _pint_name(unit: str) -> tuple[str, str] | None:
    """A unit's prefix and name in pint; in small letters where only they are known: "Minutes", "KB"."""
    if len(unit) == 1 and unit not in _SINGLE:
        return None
    unit = _RESPELT.get(unit, unit)
    for spelt in dict.fromkeys((unit, unit[0].lower() + unit[1:], unit.lower(), unit.upper())):
        for prefix, name, _ in _registry().parse_unit_name(spelt):
            if name in _BASES:
                return prefix, name
    return None


@lru_cache(maxsize=1)
def _registry() -> UnitRegistry[Any]:
    """Pint's own definitions; they take a third of a second to read, so nothing is read before it is needed."""
    from pint import UnitRegistry

    return UnitRegistry()


def spelt(least: int) -> str:
    """A pattern of the English number words from ``least`` to 99, the longer first."""
    found = (word for word, number in NUMBER_WORDS.items() if least <= number < 100)
    return "|".join(sorted(found, key=len, reverse=True))


# What stands before a number and behind it, wherever one is read.
MONEY = r"(?:(?P<money>[$€£¥]|\b[A-Z]{3}(?=\s))\s?)?"
SCALE = rf"(?:[\s-](?P<scale>{'|'.join(_SCALES)})\b)?"
_GROUPED = r"\d{1,3}(?:[,\u202f\u00a0'’]\d{3})+(?:\.\d+)?|\d+(?:[.,]\d+)?"
_QUANTITY = re.compile(
    rf"{MONEY}(?<![\w.,:/#@])(?<![^\W\d_]-)"
    rf"(?:(?P<figure>(?:(?<![\w)]\s)(?<!\w)[-−])?(?:{_GROUPED}))(?!\d|[.,:/]\d)|\b(?P<spelt>(?i:{spelt(2)}))\b)"
    rf"{SCALE}(?:[\s\u00a0\u202f-]{{0,2}}(?P<unit>[%‰€$£]|°[CF]|[^\W\d_]+(?:/[a-z]+\b)?))?"
)
_ROUNDED = 0.03  # so far two units agree: a month and 30 days, 1 GB and 1024 MB
_LOOSE = {"s", "bytes"}


def leeway(measure: str, unit: str, other: str) -> float:
    """How far two amounts of a measure may lie apart, as a share of the larger, where these units were written.

    >>> leeway("s", "month", "days"), leeway("s", "days", "days"), leeway("m", "km", "miles")
    (0.03, 0.0, 0.0)
    """
    return _ROUNDED if unit != other and measure in _LOOSE else 0.0


def scale_of(match: re.Match[str]) -> float:
    """What the word behind a number multiplies it by; 1.0 without one."""
    return _SCALES.get(match["scale"] or "", 1.0)


@dataclass(frozen=True, slots=True)
class Quantity:
    """``amount`` of ``measure``: a base unit of ``core.text.quantities``, or "" where what follows is no unit.

    ``number``: as written, scaled. ``unit``: what follows, as written. ``span``: of the number, with its unit if any.
    """

    number: float
    amount: float
    measure: str
    unit: str
    span: Span

    def said_by(self, others: Iterable[Quantity], words: frozenset[str]) -> bool:
        """Whether others hold the same. ``words``: small letters, of the text they stand in: a column of numbers has
        its unit in its header.

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
        return abs(self.amount - other.amount) <= max(1e-9, leeway(self.measure, self.unit, other.unit)) * largest


def quantities(text: str) -> Iterator[Quantity]:
    """The numbers of a text in order, in figures or in English words; not those inside versions, times, identifiers.

    >>> [(one.amount, one.measure) for one in quantities("Three sensors, 1,200 m, €2.5 million, 15-minute steps, v1.2")]
    [(3.0, ''), (1200.0, ''), (2500000.0, 'EUR'), (900.0, 's')]
    """
    for match in _QUANTITY.finditer(text):
        said = figure(match["figure"]) if match["figure"] else float(NUMBER_WORDS[match["spelt"].lower()])
        number = scale_of(match) * said
        unit = match["unit"] or ""
        unit = "" if unit.lower() in STOP_WORDS else unit  # "12 in all", "2 at once"
        end = max(match.end("figure"), match.end("spelt"), match.end("scale"))
        for written in (match["money"] or "", unit):
            based = in_base(number, written) if written else None
            if based is not None and based[1] in BASE_UNITS:
                yield Quantity(number, *based, written, Span(match.start(), max(end, match.end("unit"))))
                break
        else:
            yield Quantity(number, number, "", unit, Span(match.start(), end))


def figure(written: str) -> float:
    """A number in figures, its thousands apart or not.

    >>> figure("1,200"), figure("1 200.5"), figure("3,5"), figure("−2")
    (1200.0, 1200.5, 3.5, -2.0)
    """
    plain = written.replace("−", "-")
    if re.fullmatch(r"-?\d+,\d{1,2}", plain):
        plain = plain.replace(",", ".")
    return float(re.sub(r"[, \u202f\u00a0'’]", "", plain))
