"""Units of measurement as running text names them, and values in one base unit of each kind.

Spellings, prefixes, plurals and what each unit is worth are those of ``pint``; here stands only which of its units are
everyday ones. To pint, "cats" are pressures.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

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
SCALES = {"thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12, "bn": 1e9}


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
