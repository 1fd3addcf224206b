"""Conditions in plain words: "in the handbook", "in the API docs", "minutes since March 2024". Stated, or only hinted.

A filter that is wrong hides the answer without a word, so words state one only where they can hardly mean anything
else: a place must be named in full, begin with "in the" or the like, and say that it is a document ("handbook",
"quarterly report"); "in the report" points at what is being talked about, "before 2019" is mostly part of the matter.
What falls short of that, but names something there is, leans. So does what stands in a clause that denies something,
but where it is plainly set aside ("but not in the handbook"): that states the opposite.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import islice, pairwise
from pathlib import PurePath

from core.enriching.dates import dates, versions
from core.enriching.vocabulary import Vocabulary
from core.retrieval.denials import Denial, denial, denied, denied_at_once, goes_on, says
from core.storage.conditions import TYPES, WITHOUT, Condition
from core.storage.shelves import Known, words_of
from core.text.periods import RELATIONS, Period, period, version_number

# Nouns that say a name is a document's. The first need no more to be one; the others only with a name before them.
_BOOKS = (
    "handbook manual guidebook readme changelog faq glossary runbook playbook cookbook textbook wiki syllabus"
    " whitepaper factsheet datasheet brochure bylaws handbuch anleitung"
).split()
_PAPERS = (
    "guide report policy minutes notes note paper article book reference specification spec review plan register log"
    " logs thread mail email deck slides presentation spreadsheet sheet workbook tutorial contract agreement transcript"
    " memo letter thesis catalogue catalog documentation docs doc document documents file files folder collection list"
    " summary proposal budget page newsletter protocol standard essay chapter draft overview diary journal archive"
    " bericht protokoll"
).split()
_DOCUMENTS = frozenset((*_BOOKS, *_PAPERS))
_LONGEST = 8  # words of a place's name
_HEAD = 200  # characters before a date among which the document that it dates is named

# "Removed from the policy", "decided on the policy" tell of it, perhaps elsewhere: of places, only "in" is sure.
_IN = r"(?:in|within|inside|according to|as per|per)"
_OUT_OF = rf"(?:from|{_IN})"
_THE = r"(?:the|our|my|your|all|all the|any)"
_PLACE = re.compile(rf"(?i)\b(?:(?P<into>{_IN})\s+)?(?P<the>{_THE})\s+(?P<rest>[^,;:?!\n]+)")
_BARE = re.compile(rf"(?i)\b(?P<into>{_IN})\s+(?P<rest>[\w~-][\w.~-]*\.\w{{1,8}})\b")
_NAMED_SO = re.compile(
    r"(?i)(?:collections?|folders?|tags?|files?|documents?|(?:documents?|notes?) tagged)\s+(?:called\s+|named\s+)?"
)
_LABEL = re.compile(r"(?i)\s+(collection|folder)\b")
_WORD = re.compile(r"[^\s,;:?!()\"“”]+")

_DOCS = r"(?:docs?|documentation|documents?|pages|files|guides?)"
_GENRES: tuple[tuple[str, str], ...] = (
    ("API", rf"APIs? (?:{_DOCS}|reference|specs?|specification)"),
    ("architecture", rf"(?:architecture|design) {_DOCS}"),
    ("tutorial", r"tutorials"),
    ("troubleshooting", rf"troubleshooting (?:{_DOCS}|notes)"),
    ("reference", r"reference (?:docs|documentation|manuals|pages)"),
    ("policy", r"(?:policies|policy documents)"),
    ("paper", r"(?:research |scientific |academic )papers"),
    ("meeting", r"(?:meeting (?:minutes|notes|protocols)|minutes of (?:the |our |all )?meetings)"),
    ("FAQ", r"FAQs?"),
    ("release notes", r"(?:release notes|change ?logs?)"),
    ("log", r"log files"),
    ("code", r"source code(?: files)?"),
    ("guide", r"(?:user |how-to )guides"),
)
_GENRE = re.compile(rf"(?i)\b(?:(?P<into>{_OUT_OF})\s+(?:{_THE}\s+)?|{_THE}\s+)(?P<genre>" + "|".join(
    f"(?P<g{at}>{words})" for at, (_, words) in enumerate(_GENRES)
) + r")(?!\w)")  # fmt: skip
_TYPES: tuple[tuple[str, str], ...] = (
    ("pdf", r"PDFs?(?: files?| documents?)?"),
    ("word", r"Word (?:files?|documents?)"),
    ("excel", r"Excel (?:files?|sheets?|workbooks?|tables?)"),
    ("spreadsheet", r"spreadsheets"),
    ("powerpoint", r"(?:PowerPoint (?:files?|slides|presentations?)|PowerPoints|slide decks?)"),
    ("markdown", r"Markdown files?"),
    ("csv", r"CSVs?(?: files?)?"),
    ("email", r"(?:e-?mails|mails)"),
    ("html", r"(?:HTML|web) (?:files|pages)"),
    ("notebook", r"(?:Jupyter )?notebooks"),
)
_TYPE = re.compile(rf"(?i)\b{_OUT_OF}\s+(?:{_THE}\s+)?(?P<type>" + "|".join(
    f"(?P<t{at}>{words})" for at, (_, words) in enumerate(_TYPES)
) + r")(?!\w)(?!\s+(?:server|system|address|account|client|format|header)s?\b)")  # fmt: skip

_RELATION = re.compile(r"(?i)\b(?P<relation>after|since|before|until|from|in|during|of)\s+(?P<rest>\S.*)")
_SURE = frozenset({"after", "since", "before", "until"})
_AS_RELATION = {"from": "during", "in": "during", "of": "during"}
_DATED = re.compile(
    r"(?i)\b(?:documents?|docs|documentation|files?|notes|minutes|reports?|papers?|articles?|e?-?mails?|messages"
    r"|publications?|slides|presentations|handbook|manual|memos|newsletters|protocols|transcripts)"
    r"(?:\s+(?:that|which))?(?:\s+(?:were|was|are|is))?"
    r"(?P<dated>\s+(?:written|published|dated|added|changed|updated|modified|created|made|sent|issued|released))?\s+\Z"
)
_RANGE = re.compile(r"(?i),?\s*(?:to|through|until|till|and|-|–|—)\s*(?:[A-Z]\w+\s|\d)")
_FURTHER = re.compile(r"(?i)\s*(?:,\s*(?:or|and)?|\b(?:or|and))\s*(?=\w)")
_OPEN_END = re.compile(
    r"(?i)\s*,?\s*(?:(?:or|and)\s+(?:(?:later|newer|(?:after(?:wards)?|since)(?!\s*\w))|(?P<earlier>earlier|older"
    r"|before(?!\s*\w)))\b(?!\s+than)|onwards?\b|on(?=\s*(?:[?.!,;:)]|\Z)))"
)
_OR = re.compile(r"(?i)\s*,?\s*(?:and\s*/\s*)?or\b")
_YEAR = re.compile(r"(?:19|20)\d\d(?![\w-]|[.,]\d)")
_VERSION = re.compile(r"(?i)(?:version|release|v)\s?(\d{1,4}(?:\.\d{1,6}){0,3})(?![\w.]*\w)")


def in_words(question: str, known: Known) -> tuple[Condition, ...]:
    """What a question's words state or hint at of places, genres, types and times, in order. Pure.

    >>> known = Known(names=frozenset({"handbook.md", "Field manual"}), genres=frozenset({"API"}))
    >>> [one.words for one in in_words("In the API docs and the field manual since 2024, not in the report?", known)]
    ['genre: API', 'in: field manual (boost)', 'since 2024']
    >>> [one.stated for one in in_words("Who wrote the handbook? Which minutes since May 2024 say so?", known)]
    [False, True]
    """
    found: list[Condition] = []
    every = [*_places(question, known), *_genres(question, known), *_types(question, known), *_times(question)]
    for one in sorted(every, key=lambda one: (not one.stated, one.start - one.end)):  # the surer, then the longer one
        if all(one.end <= other.start or other.end <= one.start for other in found):
            found.append(one)
    return _together(question, sorted(found, key=lambda one: one.start))


def _together(question: str, found: Sequence[Condition]) -> tuple[Condition, ...]:
    """What is told in order, but that conditions of two kinds, or two times, that "or" joins do not filter: together
    they would ask for both. Nor does a time of which "or" goes on otherwise.
    """
    unsure = {at for at, one in enumerate(found) if one.kind in RELATIONS and _OR.match(question, one.end)}
    for at, (one, other) in enumerate(pairwise(found)):
        alike = one.kind == other.kind and one.kind not in RELATIONS
        neither = one.denied and (other.denied or not other.stated)
        if _OR.match(question, one.end, other.start) and not alike and not neither:
            unsure |= {at, at + 1}
    told = (_leaning(one) if at in unsure else one for at, one in enumerate(found))
    return tuple(one for one in told if one is not None)


def _leaning(one: Condition) -> Condition | None:
    """The same, filtering nothing; ``None`` for what was worth telling as a filter alone."""
    if not one.stated:
        return one
    lends = not one.denied and (one.kind in _SURE or one.kind not in RELATIONS)
    return replace(one, stated=False, words=f"{one.words} (boost)") if lends else None


def _places(question: str, known: Known) -> Iterator[Condition]:
    places = _by_words(known)
    at, aside, filtered = 0, -1, -1
    while (match := _PLACE.search(question, at)) is not None:
        at = match.start("rest")
        into, named = match["into"] is not None, _NAMED_SO.match(question, at)
        start = named.end() if named else at
        words = list(islice(_WORD.finditer(question, start, match.end()), _LONGEST))
        for count in range(len(words), 0, -1):
            end = start + len(question[start : words[count - 1].end()].rstrip(".'’"))
            name, shown = words_of(question[start:end]), question[start:end]
            head, end = _labelled(question, end) if into else ("", end)
            if name not in places:
                continue
            document = bool(named) or bool(head) or _is_document(name, places[name])
            begin = match.start() if into else match.start("the")
            how = denial(question, begin, end, aside)
            if how is Denial.SET_ASIDE:
                stated, aside = document, end
            else:
                stated = how is Denial.NONE and document
                stated = stated and (into or says(question, end) or goes_on(question, filtered, begin))
                filtered = end if stated else filtered
            if stated or (how is not Denial.SET_ASIDE and (len(name) > 1 or name[0] in _BOOKS)):
                yield _condition("in", " ".join(name), stated, begin, end, shown, how)
                at = end
            break
    for match in _BARE.finditer(question):
        name = words_of(match["rest"])
        if name in places and "." in match["rest"]:
            how = denial(question, *match.span())
            yield _condition("in", " ".join(name), how is not Denial.MAYBE, *match.span(), match["rest"], how)


def _labelled(question: str, end: int) -> tuple[str, int]:
    """ "... collection", "... folder" behind a name, and where the name ends with it."""
    match = _LABEL.match(question, end)
    return (match[1], match.end()) if match else ("", end)


def _is_document(name: Sequence[str], spelt: str) -> bool:
    """Whether a name in words can only be meant as a document's: it is written as a file's, or its noun says so."""
    whole = words_of(spelt)
    if len(name) > 1 and tuple(name) == whole and PurePath(spelt).suffix:
        return True  # with its suffix: "handbook.md"
    return name[-1] in _BOOKS or (len(name) > 1 and name[-1] in _DOCUMENTS)


@lru_cache(maxsize=8)
def _by_words(known: Known) -> dict[tuple[str, ...], str]:
    """How everything that something can be in is spelt, by its words; files also without their suffix."""
    found: dict[tuple[str, ...], str] = {}
    for place in sorted(known.places):  # the same spelling wins every time
        found.setdefault(words_of(place), place)
        if place in known.names and PurePath(place).suffix:
            found.setdefault(words_of(PurePath(place).stem), place)
    found.pop((), None)
    return found


def _genres(question: str, known: Known) -> Iterator[Condition]:
    aside = -1
    for match in _GENRE.finditer(question):
        genre = next(name for at, (name, _) in enumerate(_GENRES) if match[f"g{at}"])
        if genre not in known.genres:
            continue
        how = denial(question, *match.span(), aside)
        if how is Denial.SET_ASIDE:
            aside = match.end()
        if how is Denial.SET_ASIDE or match["into"] or says(question, match.end()):
            yield _condition("genre", genre, how is not Denial.MAYBE, *match.span(), how=how)


def _types(question: str, known: Known) -> Iterator[Condition]:
    aside = -1
    for match in _TYPE.finditer(question):
        name = next(name for at, (name, _) in enumerate(_TYPES) if match[f"t{at}"])
        if known.kinds & {name, *TYPES.get(name, ())}:
            how = denial(question, *match.span(), aside)
            aside = match.end() if how is Denial.SET_ASIDE else aside
            yield _condition("type", name, how is not Denial.MAYBE, *match.span(), how=how)


def _times(question: str) -> Iterator[Condition]:
    """Dates and versions behind "after" and the like. Only a document's own ("minutes since 2024") are stated."""
    vocabulary = Vocabulary(question)
    days = {start: (end, value) for start, end, value in sorted(dates(vocabulary))}
    numbers = {start: (end, value) for start, end, value in sorted(versions(vocabulary))}
    for match in _RELATION.finditer(question):
        yield from _time(question, match, days, numbers)
        inner = match.start("rest")
        while (further := _RELATION.search(question, inner)) is not None:
            yield from _time(question, further, days, numbers)
            inner = further.start("rest")


Spoken = Mapping[int, tuple[int, str]]  # where something begins: where it ends, and its value


def _time(question: str, match: re.Match[str], days: Spoken, numbers: Spoken) -> Iterator[Condition]:
    start, word = match.start("rest"), match["relation"].lower()
    if (dated := _day(question, start, days)) is not None:
        if denied_at_once(question, match.start()):
            return  # "not after 2023" hints at the opposite
        end, value = dated
        relation = _AS_RELATION.get(word, word)
        head = _DATED.search(question, max(0, match.start() - _HEAD), match.start())
        stated = head is not None and (word != "in" or head["dated"] is not None) and word != "of"
        stated = stated and not denied(question, match.start())
        if relation == "during":
            relation, end, value = _further(question, end, value, days)
        # "contracts from May 2010 to June 2011", "papers before 2019 or 2023": no such condition
        stated = stated and _RANGE.match(question, end) is None
        if stated or word in _SURE:
            yield _condition(relation, value, stated, match.start(), end)
    elif word in _SURE and start not in days:
        found = numbers.get(start)
        if found is None and (version := _VERSION.match(question, start)) is not None:
            found = (version.end(), version.group())
        if found is not None and (number := version_number(found[1])):
            yield _condition(word, "v" + ".".join(map(str, number)), False, match.start(), found[0])


def _day(question: str, start: int, days: Spoken) -> tuple[int, str] | None:
    """Where a date or a year that begins here ends, and its value; ``None`` where two readings are possible."""
    found = days.get(start)
    if (year := _YEAR.match(question, start)) is not None and (found is None or found[0] <= year.end()):
        return year.end(), year.group()
    return found if found is not None and period(found[1]) is not None else None


def _further(question: str, end: int, value: str, days: Spoken) -> tuple[str, int, str]:
    """Relation, end and value of a date with what goes on about it: "2023 or 2024" is one stretch where the one follows
    upon the other, "2023 or later" is since then. Where they are none, the date alone.
    """
    if (open_end := _OPEN_END.match(question, end)) is not None:
        return "until" if open_end["earlier"] else "since", open_end.end(), value
    told, last = [value], end
    while (joint := _FURTHER.match(question, last)) is not None:
        other = _day(question, joint.end(), days)
        if other is None:
            break
        last = other[0]
        told.append(other[1])
    stretches = sorted((stretch, one) for one in told if (stretch := period(one)) is not None)
    if len(stretches) > 1 and all(_adjoin(one, other) for (one, _), (other, _) in pairwise(stretches)):
        return "during", last, f"{stretches[0][1]}/{stretches[-1][1]}"
    return "during", end, value


def _adjoin(one: Period, other: Period) -> bool:
    return (other.first - one.last).days == 1


def _condition(
    kind: str, value: str, stated: bool, start: int, end: int, shown: str = "", how: Denial = Denial.NONE
) -> Condition:
    shown = shown or (value.upper() if kind == "type" and value in ("pdf", "csv", "html") else value)
    if kind in RELATIONS:
        shown = f"version {value[1:]}" if value[0] == "v" else value.replace("/", " to ")
    words = f"{kind}: {shown}" if kind in ("in", "genre", "type") else f"{kind} {shown}"
    if how is Denial.SET_ASIDE:
        kind, words = f"{WITHOUT}{kind}", f"not {words}"
    return Condition(kind, value, stated, start, end, words if stated else f"{words} (boost)")
