"""The exact facts of a sentence (numbers with units, dates, names, codes), and which of them another text lacks."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from difflib import SequenceMatcher

from core.enriching.dates import dates
from core.enriching.entities import names
from core.search.answer.asking import named_terms, says
from core.text.analysis import STOP_WORDS
from core.text.languages import function_words, language_of, stems
from core.text.values.calendar_names import MONTHS, SHORT_MONTHS, WEEKDAYS, YEAR, month_of
from core.text.values.quantities import Quantity, quantities
from core.types import Span

_CODED = re.compile(r"(?<![\w])[^\s,;()\[\]\"“”‘’|]*\d[^\s,;()\[\]\"“”‘’|]*")
_DAY_OF = re.compile(r"(\d{1,2})(?:st|nd|rd|th|\.)?\s+(\w+)|(\w+)\s+(\d{1,2})(?:st|nd|rd|th)?")
_NO_NAMES = frozenset({*MONTHS, *SHORT_MONTHS, *WEEKDAYS})
_NOUNS_HAVE_CAPITALS = "german"
_YEAR = re.compile(rf"(?<!\d){YEAR}(?!\d)")


@dataclass(frozen=True, slots=True)
class Fact:
    """One fact. ``kind``: "number", "date", "name", "code" or "word". ``text``: as written.

    A "word" is a capitalised German word, a noun or a name. ``unit_alone``: whether the other text has the same number
    with another unit.
    """

    kind: str
    text: str
    unit_alone: bool = False


@dataclass(frozen=True, slots=True)
class Facts:
    """The facts of a text.

    ``dates``: each in ISO form, as far as it is unambiguous, and as written. ``words``: in lower case, with signs of
    units. ``rest``: the text without its numbers and dates.
    """

    text: str
    quantities: tuple[Quantity, ...]
    dates: tuple[tuple[str, str], ...]
    names: tuple[str, ...]
    codes: tuple[str, ...]
    words: frozenset[str]
    rest: str


def facts(text: str) -> Facts:
    """The facts of a text; a number belongs to one of them only. Pure.

    >>> found = facts("On 5 March 2024 Ada Lovelace set E-1042 to 15 minutes.")
    >>> [one.amount for one in found.quantities], found.dates, found.names, found.codes
    ([900.0], (('2024-03-05', '5 March 2024'),), ('Ada Lovelace',), ('E-1042',))
    """
    found_dates = [(Span(start, end), value, text[start:end]) for start, end, value in dates(text)]
    covered = [span for span, _, _ in found_dates]
    amounts = [one for one in quantities(text) if not _overlaps(one.span, covered)]
    covered += [one.span for one in amounts]
    codes = [
        match[0].strip(".:!?*_`'") for match in _CODED.finditer(text) if not _overlaps(Span(*match.span()), covered)
    ]
    return Facts(
        text,
        tuple(amounts),
        tuple((value, written) for _, value, written in found_dates),
        tuple(_names(text)),
        tuple(dict.fromkeys(code for code in codes if code)),
        frozenset(re.findall(r"[^\W\d_]+|[%‰€$£]", text.lower())),
        _without(text, covered),
    )


def missing_facts(claimed: Facts, other: Facts) -> Iterator[Fact]:
    """The claimed facts that the other text lacks.

    >>> [one.text for one in missing_facts(facts("Ada waits 15 hours."), facts("Since 2019 Ada waits 15 minutes."))]
    ['15 hours']
    >>> other = facts("Der Mieter zahlt die Miete an Anna Schmidt.")
    >>> [one.kind for one in missing_facts(facts("Die Mieter zahlen sie mit Bargeld an Anna Weber."), other)]
    ['word', 'name']
    """
    years = frozenset(_YEAR.findall(other.text))
    for quantity in claimed.quantities:
        if quantity.said_by(other.quantities, other.words):
            continue
        if not quantity.measure and f"{quantity.number:g}" in years:
            continue
        same_number = any(quantity.number == one.number for one in other.quantities)
        yield Fact("number", claimed.text[quantity.span.start : quantity.span.end], same_number)
    for value, written in claimed.dates:
        if not _has_date(value, written, other):
            yield Fact("date", written)
    plain = _plain(other.text)
    for code in claimed.codes:
        if _plain(code) not in plain:
            yield Fact("code", code)
    german = bool(claimed.names) and language_of(claimed.text) == _NOUNS_HAVE_CAPITALS
    stemmed = frozenset(stems(other.text, _NOUNS_HAVE_CAPITALS)) if german else frozenset[str]()
    for name in claimed.names:
        if says(other.text, name):
            continue
        words = [word for word in name.split() if word.lower() not in function_words(_NOUNS_HAVE_CAPITALS)]
        noun = german and len(words) == 1 and words[0].isalpha() and words[0][1:].islower()
        if not noun or stemmed.isdisjoint(stems(name, _NOUNS_HAVE_CAPITALS)):
            yield Fact("word" if noun else "name", name)


def misplaced(claimed: Facts, other: Facts) -> str:
    """A name of the claim that is in the place of another name of the other text; "" for none.

    The other text contains both names, and has the other one between the same two words.

    >>> misplaced(facts("Then Bo paid Ada Lee."), facts("Then Ada Lee paid Bo."))
    'Bo'
    >>> misplaced(facts("Then Bo was paid by Ada Lee."), facts("Then Ada Lee paid Bo."))
    ''
    """
    if first_word := _other_first_word(claimed, other):
        return first_word
    if not claimed.names:
        return ""
    masks = {name: f"\x00{number}\x00" for number, name in enumerate(dict.fromkeys(claimed.names + other.names))}
    own_words, other_words = (_masked_words(one.text, masks) for one in (claimed, other))
    # Aligned with all names masked alike, so that different names in the same place match.
    alike = [["\x00" if word.startswith("\x00") else word for word in words] for words in (own_words, other_words)]
    name_of = {mask: name for name, mask in masks.items()}
    for own, there, size in SequenceMatcher(None, alike[0], alike[1], autojunk=False).get_matching_blocks():
        # A name at the edge of a block has no matching word on its other side, unless the texts begin or end there.
        at_start, at_end = own == there == 0, own + size == len(own_words) and there + size == len(other_words)
        for index in range(0 if at_start else 1, size if at_end else size - 1):
            mask = own_words[own + index]
            if mask != other_words[there + index] and mask in other_words:
                return name_of[mask]
    return ""


def _masked_words(text: str, masks: Mapping[str, str]) -> list[str]:
    """The words and clause marks of a text, each name replaced by its mask."""
    text = " ".join(text.split())
    for name in sorted(masks, key=len, reverse=True):
        text = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", f" {masks[name]} ", text)
    return [part.casefold() for part in re.findall(r"\x00\d+\x00|\w+|[.;:!?]", text)]


def _other_first_word(claimed: Facts, other: Facts) -> str:
    """The first word of the claim if the other text has a name instead of it before the same second word; else "".

    The capital of a first word alone does not make it a name.

    >>> _other_first_word(facts("Borneo made it known."), facts("It is said that Mary made it known."))
    'Borneo'
    """
    first = re.match(r"\W*([A-Z][\w’-]+)\s+(\w+)", claimed.text)
    if first is None or first[1].casefold() in STOP_WORDS or says(other.text, first[1]):
        return ""
    before = re.findall(rf"(\w+)\s+{re.escape(first[2])}\b", other.text)
    named = {word for name in other.names for word in name.split()}
    return first[1] if any(word[0].isupper() and word in named for word in before) else ""


def _names(text: str) -> Iterator[str]:
    """Persons, organisations, named terms and bracketed names of a text, without months, numbers and "I"; in order."""
    people, organisations = names(text, ())
    candidates = [*people.distinct(0, len(text), 50), *organisations.distinct(0, len(text), 50), *named_terms(text)]
    candidates += [match[0] for match in _BRACKETED.finditer(text)]
    distinct: list[str] = []
    for name in sorted(dict.fromkeys(candidates), key=len, reverse=True):
        if name[0].isdigit() or any(name in longer for longer in distinct) or _WITH_DIGIT.search(name):
            continue
        if any(word in _NO_NAMES for word in name.split()) or _PERSON.match(name):
            continue
        distinct.append(name)
    yield from sorted(distinct, key=text.find)


_BRACKETED = re.compile(r"(?<=\()[A-Z][\w’'-]+(?: [A-Z][\w’'-]+)*")
_PERSON = re.compile(r"I(?:[’']|\Z)")
_WITH_DIGIT = re.compile(r"\A[^a-z]*\d")


def _has_date(value: str, written: str, other: Facts) -> bool:
    """Whether the other text has the date, or a more precise one."""
    if any(iso == value or iso.startswith(f"{value}-") for iso, _ in other.dates):
        return True
    day = _DAY_OF.fullmatch(value)
    if day is not None and (month := month_of((day[2] or day[3]).lower())):
        tail = f"-{month:02d}-{int(day[1] or day[4]):02d}"
        if any(iso.endswith(tail) for iso, _ in other.dates):
            return True
    return _plain(written) in _plain(other.text)


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
