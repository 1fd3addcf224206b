"""What a sentence says exactly, and what of it another text does not hold: numbers with units, dates, names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from difflib import SequenceMatcher

from core.enriching.dates import dates
from core.enriching.entities import names
from core.search.answer.asking import named_terms, says
from core.text.analysis import STOP_WORDS
from core.text.calendar_names import MONTHS, SHORT_MONTHS, WEEKDAYS, YEAR, month_of
from core.text.languages import function_words, language_of, stems
from core.text.quantities import Quantity, quantities
from core.types import Span

_CODED = re.compile(r"(?<![\w])[^\s,;()\[\]\"“”‘’|]*\d[^\s,;()\[\]\"“”‘’|]*")
_DAY_OF = re.compile(r"(\d{1,2})(?:st|nd|rd|th|\.)?\s+(\w+)|(\w+)\s+(\d{1,2})(?:st|nd|rd|th)?")
_NO_NAMES = frozenset({*MONTHS, *SHORT_MONTHS, *WEEKDAYS})
_NOUNS_HAVE_CAPITALS = "german"
_YEAR = re.compile(rf"(?<!\d){YEAR}(?!\d)")


@dataclass(frozen=True, slots=True)
class Fact:
    """``kind``: "number", "date", "name", "code" or "word". ``text``: as written. ``unit_alone``: the number stands in
    the other text, of something else. A "word" has a capital, which in German any noun has: it may be no name.
    """

    kind: str
    text: str
    unit_alone: bool = False


@dataclass(frozen=True, slots=True)
class Facts:
    """What a text says exactly."""

    text: str
    quantities: tuple[Quantity, ...]
    dates: tuple[tuple[str, str], ...]  # as ISO as far as it can be told, and as written
    names: tuple[str, ...]
    codes: tuple[str, ...]
    words: frozenset[str]
    rest: str  # the text without its numbers and dates


def facts(text: str) -> Facts:
    """The facts of a text, each number in one of them alone. Pure.

    >>> found = facts("On 5 March 2024 Ada Lovelace set E-1042 to 15 minutes.")
    >>> [one.amount for one in found.quantities], found.dates, found.names, found.codes
    ([900.0], (('2024-03-05', '5 March 2024'),), ('Ada Lovelace',), ('E-1042',))
    """
    days = [(Span(start, end), value, text[start:end]) for start, end, value in dates(text)]
    taken = [span for span, _, _ in days]
    amounts = [one for one in quantities(text) if not _overlaps(one.span, taken)]
    taken += [one.span for one in amounts]
    codes = [match[0].strip(".:!?*_`'") for match in _CODED.finditer(text) if not _overlaps(Span(*match.span()), taken)]
    return Facts(
        text,
        tuple(amounts),
        tuple((value, written) for _, value, written in days),
        tuple(_names(text)),
        tuple(dict.fromkeys(code for code in codes if code)),
        frozenset(re.findall(r"[^\W\d_]+|[%‰€$£]", text.lower())),
        _without(text, taken),
    )


def lacking(claimed: Facts, held: Facts) -> Iterator[Fact]:
    """What of the claimed facts the other text does not hold.

    >>> [one.text for one in lacking(facts("Ada waits 15 hours."), facts("Since 2019 Ada waits 15 minutes."))]
    ['15 hours']
    >>> held = facts("Der Mieter zahlt die Miete an Anna Schmidt.")
    >>> [one.kind for one in lacking(facts("Die Mieter zahlen sie mit Bargeld an Anna Weber."), held)]
    ['word', 'name']
    """
    years = frozenset(_YEAR.findall(held.text))
    for one in claimed.quantities:
        if one.said_by(held.quantities, held.words):
            continue
        if not one.measure and f"{one.number:g}" in years:
            continue
        alone = any(one.number == other.number for other in held.quantities)
        yield Fact("number", claimed.text[one.span.start : one.span.end], alone)
    for value, written in claimed.dates:
        if not _dated(value, written, held):
            yield Fact("date", written)
    plain = _plain(held.text)
    for code in claimed.codes:
        if _plain(code) not in plain:
            yield Fact("code", code)
    german = bool(claimed.names) and language_of(claimed.text) == _NOUNS_HAVE_CAPITALS
    stemmed = frozenset(stems(held.text, _NOUNS_HAVE_CAPITALS)) if german else frozenset[str]()
    for name in claimed.names:
        if says(held.text, name):
            continue
        words = [word for word in name.split() if word.lower() not in function_words(_NOUNS_HAVE_CAPITALS)]
        noun = german and len(words) == 1 and words[0].isalpha() and words[0][1:].islower()
        if not noun or stemmed.isdisjoint(stems(name, _NOUNS_HAVE_CAPITALS)):
            yield Fact("word" if noun else "name", name)


def misplaced(claimed: Facts, held: Facts) -> str:
    """A name or number of the claim that stands where the other text has another of its own; "" for none.

    Where both texts go alike the claim has one, between the same two words, and the other text another.

    >>> misplaced(facts("Then Bo paid Ada Lee."), facts("Then Ada Lee paid Bo."))
    'Bo'
    >>> misplaced(facts("Then Bo was paid by Ada Lee."), facts("Then Ada Lee paid Bo."))
    ''
    """
    if opener := _other_opener(claimed, held):
        return opener
    if not claimed.names:
        return ""
    known = {name: f"\x00{number}\x00" for number, name in enumerate(dict.fromkeys(claimed.names + held.names))}
    own, other = (_marked(one.text, known) for one in (claimed, held))
    plain = [["\x00" if word.startswith("\x00") else word for word in words] for words in (own, other)]
    by_mark = {mark: name for name, mark in known.items()}
    for here, there, size in SequenceMatcher(None, plain[0], plain[1], autojunk=False).get_matching_blocks():
        first, last = here == there == 0, here + size == len(own) and there + size == len(other)
        for at in range(0 if first else 1, size if last else size - 1):
            mark = own[here + at]
            if mark != other[there + at] and mark in other:
                return by_mark[mark]
    return ""


def _marked(text: str, known: Mapping[str, str]) -> list[str]:
    """The words of a text and where its clauses end, each name as its mark."""
    text = " ".join(text.split())
    for name in sorted(known, key=len, reverse=True):
        text = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", f" {known[name]} ", text)
    return [part.casefold() for part in re.findall(r"\x00\d+\x00|\w+|[.;:!?]", text)]


def _other_opener(claimed: Facts, held: Facts) -> str:
    """The first word of the claim where the other text has a name before the same second word; "" for none.

    Any first word has a capital, so by itself it is no name.

    >>> _other_opener(facts("Borneo made it known."), facts("It is said that Mary made it known."))
    'Borneo'
    """
    first = re.match(r"\W*([A-Z][\w’-]+)\s+(\w+)", claimed.text)
    if first is None or first[1].casefold() in STOP_WORDS or says(held.text, first[1]):
        return ""
    before = re.findall(rf"(\w+)\s+{re.escape(first[2])}\b", held.text)
    named = {word for name in held.names for word in name.split()}
    return first[1] if any(word[0].isupper() and word in named for word in before) else ""


def _names(text: str) -> Iterator[str]:
    """Names and identifiers, as questions' keys and documents' entities have them; no months, no plain numbers."""
    people, organisations = names(text, ())
    found = [*people.distinct(0, len(text), 50), *organisations.distinct(0, len(text), 50), *named_terms(text)]
    found += [match[0] for match in _BRACKETED.finditer(text)]
    whole: list[str] = []
    for name in sorted(dict.fromkeys(found), key=len, reverse=True):
        if name[0].isdigit() or any(name in longer for longer in whole) or _WITH_DIGIT.search(name):
            continue
        if any(word in _NO_NAMES for word in name.split()) or _PERSON.match(name):
            continue
        whole.append(name)
    yield from sorted(whole, key=text.find)


_BRACKETED = re.compile(r"(?<=\()[A-Z][\w’'-]+(?: [A-Z][\w’'-]+)*")
_PERSON = re.compile(r"I(?:[’']|\Z)")
_WITH_DIGIT = re.compile(r"\A[^a-z]*\d")


def _dated(value: str, written: str, held: Facts) -> bool:
    """Whether a date stands there, or one that is told more exactly."""
    if any(other == value or other.startswith(f"{value}-") for other, _ in held.dates):
        return True
    day = _DAY_OF.fullmatch(value)
    if day is not None and (month := month_of((day[2] or day[3]).lower())):
        tail = f"-{month:02d}-{int(day[1] or day[4]):02d}"
        if any(other.endswith(tail) for other, _ in held.dates):
            return True
    return _plain(written) in _plain(held.text)


def _plain(text: str) -> str:
    return " ".join(text.casefold().replace("*", "").replace("`", "").split())


def _without(text: str, spans: Iterable[Span]) -> str:
    """
    >>> _without("of 15 m in all", [Span(3, 7)])
    'of   in all'
    """
    for span in sorted(spans, reverse=True):
        text = f"{text[: span.start]} {text[span.end :]}"
    return text


def _overlaps(span: Span, others: Iterable[Span]) -> bool:
    return any(span.overlap(other) for other in others)
