"""Conditions in plain words: "in the handbook", "in the API docs", "minutes since March 2024". Stated, or only hinted.

A filter that is wrong hides the answer without a word, so words state one only where they can hardly mean anything
else: a place must be named in full, begin with "in the" or the like, and say that it is a document ("handbook",
"quarterly report"); "in the report" points at what is being talked about, "before 2019" is mostly part of the matter.
What falls short of that, but names something there is, leans.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import islice
from pathlib import PurePath

from core.enriching.dates import dates, versions
from core.enriching.shapes import month_of
from core.enriching.vocabulary import Vocabulary
from core.storage.conditions import TYPES, Condition
from core.storage.shelves import Known, words_of
from core.text.periods import period, version_number

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
_SAYS = re.compile(
    r"(?i)\s+(?:says?|states?|mentions?|recommends?|requires?|claims?|describes?|defines?|specif(?:y|ies))\b"
)
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
    return tuple(sorted(found, key=lambda one: one.start))


def _places(question: str, known: Known) -> Iterator[Condition]:
    places = _by_words(known)
    at = 0
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
            stated = (into or _SAYS.match(question, end) is not None) and (
                bool(named) or bool(head) or _is_document(name, places[name])
            )
            if stated or len(name) > 1 or name[0] in _BOOKS:
                yield _condition(
                    "in", " ".join(name), stated, match.start() if into else match.start("the"), end, shown
                )
                at = end
            break
    for match in _BARE.finditer(question):
        name = words_of(match["rest"])
        if name in places and "." in match["rest"]:
            yield _condition("in", " ".join(name), True, match.start(), match.end(), match["rest"])


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
    for match in _GENRE.finditer(question):
        genre = next(name for at, (name, _) in enumerate(_GENRES) if match[f"g{at}"])
        if genre in known.genres and (match["into"] or _SAYS.match(question, match.end())):
            yield _condition("genre", genre, True, match.start(), match.end())


def _types(question: str, known: Known) -> Iterator[Condition]:
    for match in _TYPE.finditer(question):
        name = next(name for at, (name, _) in enumerate(_TYPES) if match[f"t{at}"])
        if known.kinds & {name, *TYPES.get(name, ())}:
            yield _condition("type", name, True, match.start(), match.end())


def _times(question: str) -> Iterator[Condition]:
    """Dates and versions behind "after" and the like. Only a document's own ("minutes since 2024") are stated."""
    vocabulary = Vocabulary(question)
    spoken = sorted((*dates(vocabulary), *versions(vocabulary)))
    for match in _RELATION.finditer(question):
        yield from _time(question, match, spoken)
        inner = match.start("rest")
        while (further := _RELATION.search(question, inner)) is not None:
            yield from _time(question, further, spoken)
            inner = further.start("rest")


def _time(question: str, match: re.Match[str], spoken: Sequence[tuple[int, int, str]]) -> Iterator[Condition]:
    start = match.start("rest")
    found = next(((end, value) for begins, end, value in spoken if begins == start), None)
    if (year := _YEAR.match(question, start)) is not None and (found is None or found[0] <= year.end()):
        found = (year.end(), year.group())
    elif found is None and (version := _VERSION.match(question, start)) is not None:
        found = (version.end(), version.group())
    if found is None or month_of(found[1].lower()):
        return
    end, value = found
    word = match["relation"].lower()
    relation = _AS_RELATION.get(word, word)
    head = _DATED.search(question, max(0, match.start() - _HEAD), match.start())
    if period(value) is not None:
        stated = head is not None and (word != "in" or head["dated"] is not None) and word != "of"
        stated = stated and _RANGE.match(question, end) is None  # "contracts from May 2010 to June 2011"
        if stated or word in _SURE:
            yield _condition(relation, value, stated, match.start(), end)
    elif word in _SURE and (number := version_number(value)):
        yield _condition(relation, "v" + ".".join(map(str, number)), False, match.start(), end)


def _condition(kind: str, value: str, stated: bool, start: int, end: int, shown: str = "") -> Condition:
    shown = shown or (value.upper() if kind == "type" and value in ("pdf", "csv", "html") else value)
    shown = f"version {value[1:]}" if kind in _SURE and value[0] == "v" else shown
    words = f"{kind}: {shown}" if kind in ("in", "genre", "type") else f"{kind} {shown}"
    return Condition(kind, value, stated, start, end, words if stated else f"{words} (boost)")
