"""Every number of a text with what it is of, read widely: to look whether another text holds it, too.

What a sentence *states*, read narrowly, is ``core.search.context.conflicts_values``' to say.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from core.text.analysis import STOP_WORDS
from core.text.numerals import NUMBER_WORDS
from core.text.units import BASE_UNITS, SCALES, in_base
from core.types import Span

_SPELT = "|".join(sorted((word for word, number in NUMBER_WORDS.items() if 1 < number < 100), key=len, reverse=True))
_GROUPED = r"\d{1,3}(?:[,\u202f\u00a0'’]\d{3})+(?:\.\d+)?|\d+(?:[.,]\d+)?"
_QUANTITY = re.compile(
    rf"(?:(?P<money>[$€£¥]|\b[A-Z]{{3}}(?=\s))\s?)?(?<![\w.,:/#@])(?<![^\W\d_]-)"
    rf"(?:(?P<figure>(?:(?<![\w)]\s)(?<!\w)[-−])?(?:{_GROUPED}))(?!\d|[.,:/]\d)|\b(?P<spelt>(?i:{_SPELT}))\b)"
    rf"(?:[\s-](?P<scale>{'|'.join(SCALES)})\b)?"
    r"(?:[\s\u00a0\u202f-]{0,2}(?P<unit>[%‰€$£]|°[CF]|[^\W\d_]+(?:/[a-z]+\b)?))?"
)
_ROUNDED = 0.03  # so far two units agree: a month and 30 days, 1 GB and 1024 MB
_LOOSE = {"s", "bytes"}


@dataclass(frozen=True, slots=True)
class Quantity:
    """``amount`` of ``measure``: a base unit of ``core.text.units``, or "" where what follows is no unit.

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
        loose = _ROUNDED if self.unit != other.unit and self.measure in _LOOSE else 1e-9
        return abs(self.amount - other.amount) <= loose * largest


def quantities(text: str) -> Iterator[Quantity]:
    """The numbers of a text in order, in figures or in English words; not those inside versions, times, identifiers.

    >>> [(one.amount, one.measure) for one in quantities("Three sensors, 1,200 m, €2.5 million, 15-minute steps, v1.2")]
    [(3.0, ''), (1200.0, ''), (2500000.0, 'EUR'), (900.0, 's')]
    """
    for match in _QUANTITY.finditer(text):
        scale = SCALES.get(match["scale"] or "", 1.0)
        number = scale * (_figure(match["figure"]) if match["figure"] else float(NUMBER_WORDS[match["spelt"].lower()]))
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


def _figure(written: str) -> float:
    """
    >>> _figure("1,200"), _figure("3.5"), _figure("3,5"), _figure("−2")
    (1200.0, 3.5, 3.5, -2.0)
    """
    plain = written.replace("−", "-")
    if re.fullmatch(r"-?\d+,\d{1,2}", plain):
        plain = plain.replace(",", ".")
    return float(re.sub(r"[,\u202f\u00a0'’]", "", plain))
