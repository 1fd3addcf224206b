"""The names of months and weekdays, as texts write them."""

from __future__ import annotations

MONTHS = tuple("January February March April May June July August September October November December".split())
WEEKDAYS = tuple("Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split())
SHORT_MONTHS = tuple(month[:3] for month in MONTHS)
SHORT_WEEKDAYS = tuple(day[:3] for day in WEEKDAYS)

# Of each month in order: other short forms, then German, Spanish, French, Italian and Russian (as in dates).
_ELSEWHERE = (
    "januar jänner enero janvier gennaio января",
    "februar febrero février febbraio февраля",
    "märz marzo mars марта",
    "abril avril aprile апреля",
    "mai mayo maggio мая",
    "juni junio juin giugno июня",
    "juli julio juillet luglio июля",
    "agosto août августа",
    "sept septiembre septembre settembre сентября",
    "oktober okt octubre octobre ottobre октября",
    "noviembre novembre ноября",
    "dezember dez diciembre décembre dicembre декабря",
)
_NUMBERS = {
    name: number
    for number, (month, others) in enumerate(zip(MONTHS, _ELSEWHERE, strict=True), 1)
    for name in (month.lower(), month[:3].lower(), *others.split())
}
MONTH_NAMES = tuple(sorted(_NUMBERS, key=len, reverse=True))  # in lower case, so that a pattern finds the longest


def month_of(plain: str) -> int:
    """The month a lower-case word names in English, German, French, Spanish, Italian or Russian; 0 for none.

    >>> month_of("märz"), month_of("sept"), month_of("maybe")
    (3, 9, 0)
    """
    return _NUMBERS.get(plain, 0)
