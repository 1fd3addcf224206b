"""Sentences changed by rule: in one thing that makes them wrong, or in their words alone.

Each function gets the sentence, the passage it stands in, what other sentences name, and a source of chance; it returns
the changed sentence, or ``None`` where its rule does not fit. No rule knows how the check works.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from core.enriching.dates import dates
from core.search.checking.facts import facts
from core.text.values.calendar_names import MONTHS
from core.text.values.numerals import in_words
from core.text.values.quantities import quantities


@dataclass(frozen=True, slots=True)
class Pool:
    """What other documents name, and what they say."""

    names: Sequence[str]
    sentences: Sequence[str]


Change = Callable[[str, str, Pool, random.Random], str | None]

_DIGITS = re.compile(r"\d[\d,.]*\d|\d")
_UNITS = (
    "seconds minutes hours days weeks months years",
    "second minute hour day week month year",
    "ms s min h",
    "mm cm m km",
    "mg g kg",
    "KB MB GB TB",
    "% ‰",
    "percent permille",
    "dollars euros yen",
    "million billion thousand",
    "W kW MW",
)
_UNIT = {unit: [other for other in row.split() if other != unit] for row in _UNITS for unit in row.split()}
_AFFIRMED = re.compile(
    r"\b(is|are|was|were|can|may|must|will|should|has been|have been)\b(?! not\b|n't|not\b)", re.IGNORECASE
)
_DENIED = (
    (re.compile(r"\b(is|are|was|were|must|will|should|may|does|do|did|has|have|had) not\b"), r"\1"),
    (re.compile(r"\b(is|are|was|were|does|do|did|has|have|had|would|should)n['’]t\b"), r"\1"),
    (re.compile(r"\bcan(?:not|['’]t)\b"), "can"),
    (re.compile(r"\bnever\b"), "always"),
)


def number(text: str, around: str, pool: Pool, chance: random.Random) -> str | None:
    """Another number in the place of one; none that stands in the passage."""
    days = [(start, end) for start, end, _ in dates(text)]
    spans = [one.span for one in quantities(text) if not any(s < one.span.end and one.span.start < e for s, e in days)]
    places = [match for match in _DIGITS.finditer(text) if any(s.start <= match.start() < s.end for s in spans)]
    if not places:
        return None
    match = chance.choice(places)
    for _ in range(20):
        at = chance.randrange(len(match[0]))
        if not match[0][at].isdigit():
            continue
        digit = chance.choice([d for d in "123456789" if d != match[0][at]])
        changed = match[0][:at] + digit + match[0][at + 1 :]
        if not re.search(rf"(?<!\d){re.escape(changed)}(?!\d)", around):
            return text[: match.start()] + changed + text[match.end() :]
    return None


def unit(text: str, around: str, pool: Pool, chance: random.Random) -> str | None:
    """Another unit behind a number."""
    places = [m for m in re.finditer(r"(?<=\d)[ \u00a0-]?(%|[^\W\d_]+)", text) if m[1] in _UNIT]
    if not places:
        return None
    match = chance.choice(places)
    return text[: match.start(1)] + chance.choice(_UNIT[match[1]]) + text[match.end(1) :]


def date(text: str, around: str, pool: Pool, chance: random.Random) -> str | None:
    """Another day, month or year in a date."""
    days = list(dates(text))
    if days:
        start, end, _ = chance.choice(days)
    else:
        years = list(re.finditer(r"(?<!\d)(?:19|20)\d\d(?!\d)", text))
        if not years:
            return None
        start, end = chance.choice(years).span()
    said = text[start:end]
    parts = [m.span() for m in re.finditer(r"\d+", said)]
    months = [m.span() for m in re.finditer("|".join(MONTHS), said)]
    for _ in range(20):
        at, to = chance.choice(parts + months)
        part = said[at:to]
        if part.isdigit():
            if len(part) == 4:
                new = str(int(part) + chance.choice([-11, -7, -3, 2, 4, 9]))
            else:
                new = str(chance.randint(1, 12)).zfill(len(part) if part[0] == "0" else 1)
        else:
            new = chance.choice(MONTHS)
        if new != part and said[:at] + new + said[to:] not in around and new not in around:
            return text[:start] + said[:at] + new + said[to:] + text[end:]
    return None


def name(text: str, around: str, pool: Pool, chance: random.Random) -> str | None:
    """A name of another place in the library for one of this sentence."""
    own = [one for one in facts(text).names if re.match(r"[A-Z]", one)]
    if not own:
        return None
    old = chance.choice(own)
    others = [
        one
        for one in pool.names
        if re.match(r"[A-Z]", one) and not set(one.split()) & set(around.split()) and one != old
    ]
    return text.replace(old, chance.choice(others), 1) if others else None


def negation(text: str, around: str, pool: Pool, chance: random.Random) -> str | None:
    """A negation taken away, or put in."""
    for pattern, plain in _DENIED:
        if pattern.search(text):
            return pattern.sub(plain, text, count=1)
    match = _AFFIRMED.search(text)
    if match is None or re.search(r"\bnot\b|n['’]t\b|\bno\b|\bnever\b", text):
        return None
    said = match[0]
    denied = "cannot" if said.lower() == "can" else f"{said.split()[0]} not {' '.join(said.split()[1:])}".strip()
    return text[: match.start()] + denied + text[match.end() :]


def swapped(text: str, around: str, pool: Pool, chance: random.Random) -> str | None:
    """Two names of the sentence in each other's place."""
    own = [one for one in facts(text).names if re.match(r"[A-Z]", one) and text.count(one) == 1]
    if len(own) < 2:
        return None
    one, other = chance.sample(own, 2)
    return text.replace(one, "\0").replace(other, one).replace("\0", other)


def foreign(text: str, around: str, pool: Pool, chance: random.Random) -> str | None:
    """A sentence of another place, which this passage does not say."""
    for _ in range(20):
        other = chance.choice(pool.sentences)
        if other[:40] not in " ".join(around.split()):
            return other
    return None


def verbatim(text: str, around: str, pool: Pool, chance: random.Random) -> str | None:
    return text


_SYNONYMS = (
    (r"\bmust\b", "has to"), (r"\bbecause\b", "since"), (r"\bfor example\b", "for instance"),
    (r"\babout\b", "around"), (r"\bhowever\b", "nevertheless"), (r"\bshows\b", "indicates"),
    (r"\bshowed\b", "indicated"), (r"\buse\b", "make use of"), (r"\bbegins?\b", "starts"), (r"\bbegan\b", "started"),
    (r"\bbuy\b", "purchase"), (r"\bhelp\b", "assist"), (r"\balso\b", "in addition"), (r"\bmany\b", "a lot of"),
    (r"\blarge\b", "big"), (r"\bincluding\b", "such as"), (r"\bduring\b", "in the course of"),
    (r"\bwhile\b", "whereas"), (r"\bseveral\b", "a number of"), (r"\bneeds\b", "requires"),
    (r"\bapproximately\b", "roughly"), (r"\bwithin\b", "inside"), (r"\bto\b(?= [a-z]+ the)", "in order to"),
)  # fmt: skip
_CONTRACTED = (
    (r"\b(is|are|was|were|does|do|did|has|have|had) not\b", r"\1n't"), (r"\bcannot\b", "can't"),
    (r"\bwill not\b", "won't"), (r"\b(is|are|was|were|does|do|did|has|have|had)n['’]t\b", r"\1 not"),
    (r"\bcan['’]t\b", "cannot"), (r"\b(it|that|there) is\b", r"\1's"), (r"\b(we|they|you) are\b", r"\1're"),
    (r"\bI am\b", "I'm"),
)  # fmt: skip


def other_words(text: str, around: str, pool: Pool, chance: random.Random) -> str | None:
    """Up to two plain words said otherwise."""
    return _replaced(text, _SYNONYMS, 2)


def contracted(text: str, around: str, pool: Pool, chance: random.Random) -> str | None:
    """Contracted, or written out."""
    return _replaced(text, _CONTRACTED, 2)


def written_numbers(text: str, around: str, pool: Pool, chance: random.Random) -> str | None:
    """Numbers in another spelling: words for small ones, commas in large ones, "percent"."""
    changed = re.sub(r"(?<![\w.,:/-])([2-9]|1[0-9])(?= [a-z]{3,})", lambda found: in_words(int(found[1])), text)
    changed = re.sub(r"(?<![\w.,:/-])([1-9]\d)(\d{3})(?![\w.,:/-])", r"\1,\2", changed)
    changed = re.sub(r"(?<=\d) ?%(?!\w)", " percent", changed)
    return changed if changed != text else None


def written_dates(text: str, around: str, pool: Pool, chance: random.Random) -> str | None:
    """A day in another spelling."""
    for start, end, value in dates(text):
        if re.fullmatch(r"\d{4}-\d\d-\d\d", value):
            year, month, day = map(int, value.split("-"))
            new = value if MONTHS[month - 1][:3] in text[start:end] else f"{day} {MONTHS[month - 1]} {year}"
            return text[:start] + new + text[end:]
    return None


def shortened(text: str, around: str, pool: Pool, chance: random.Random) -> str | None:
    """Without what stands in brackets, and without a first word that only joins."""
    changed = re.sub(r" \([^()]*\)", "", text)
    joined = re.match(r"(?:However|Moreover|Therefore|Thus|In addition|Finally|For example), (\w)", changed)
    if joined:
        changed = joined[1].upper() + changed[joined.end() :]
    return changed if changed != text and len(changed.split()) > 5 else None


def turned(text: str, around: str, pool: Pool, chance: random.Random) -> str | None:
    """ "If it rains, we stay." as "We stay if it rains." """
    match = re.fullmatch(r"(If|When|After|Before|While|Although|In|On|Since) ([^,]+), ([^.;:]+)\.", text)
    if match is None or not (match[3][0].islower() or match[3].startswith(("The ", "A "))):
        return None
    return f"{match[3][0].upper()}{match[3][1:]} {match[1].lower()} {match[2]}."


def _replaced(text: str, rules: Sequence[tuple[str, str]], most: int) -> str | None:
    changed, done = text, 0
    for pattern, other in rules:
        if done < most and re.search(pattern, changed):
            changed, done = re.sub(pattern, other, changed, count=1), done + 1
    return changed if done else None


ALTERED: dict[str, Change] = {
    "number": number, "unit": unit, "date": date, "negation": negation, "name": name, "swapped": swapped,
    "foreign": foreign,
}  # fmt: skip
FAITHFUL: dict[str, Change] = {
    "verbatim": verbatim, "other words": other_words, "contracted": contracted, "numbers spelt": written_numbers,
    "dates spelt": written_dates, "shortened": shortened, "turned round": turned,
}  # fmt: skip
