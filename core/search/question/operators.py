"""Search operators in a question: ``type:pdf,md``, ``-in:handbook``, ``"exact phrase"``, ``-word``, ``after:2023``."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from core.storage.catalogue.conditions import TYPES, WITHOUT, Condition
from core.storage.catalogue.source_metadata import KnownNames, is_called, words_of
from core.text.calendar_names import period

_NAMES = {
    **dict.fromkeys(("type", "filetype", "kind"), "type"),
    **dict.fromkeys(("in", "collection", "folder", "tag", "file"), "in"),
    "genre": "genre",
    **{relation: relation for relation in ("after", "since", "before", "until", "during")},
}
# Words in double quotation marks. An opening mark follows a blank or a bracket, so that 5" pipes open nothing.
_QUOTED = re.compile(
    r"(?<![^\s(\[:–—-])(?:\"([^\"\n]{1,300})\"|“([^”\n]{1,300})”|„([^“”\n]{1,300})[“”]|«([^»\n]{1,300})»)(?!\w)"
)
_SINGLE = r"'(?:[^'\n]|'(?=\w))+'(?!\w)|‘(?:[^’\n]|’(?=\w))+’(?!\w)"  # apostrophes stand between letters
_TOKEN = re.compile(rf"-?(?:[A-Za-z]+:)?(?:\"[^\"\n]*\"|“[^”\n]*”)(?!\w)|-?[A-Za-z]+:(?:{_SINGLE})|-(?:{_SINGLE})|\S+")
_NAMED = re.compile(
    rf"(?P<without>-?)(?P<name>[A-Za-z]+):(?P<value>(?P<quoted>\"[^\"\n]+\"|“[^”\n]+”|{_SINGLE})|[^\s\"“]+)"
)
_NOT = re.compile(rf"-(?P<value>\"[^\"\n]+\"|“[^”\n]+”|{_SINGLE}|[^\W\d_][\w'’-]{{2,}})")
_MARKS = "\"“”'‘’"
_CODE = re.compile(r"[:=]|//|.*[][(){}<>=;|\\$`*]")  # no value that names something: std::vector, file:///etc
_VOWEL = re.compile(r"[aeiouyàâäéèêëïîôöùûü]|[^\x00-\x7f]", re.IGNORECASE)
_PROSE = re.compile(
    r"\W*(?:(?:for|in|on|at|by|to|from|with|of|under|within|since) )?"
    r"(?:what|which|who|whom|whose|when|where|why|how|is|are|was|were|do|does|did|can|could|may|must|should|will|would"
    r"|has|have|explain|describe|list|show|tell|give|find|compare|summari[sz]e|please|if|it|there|the|a|an)\b",
    re.IGNORECASE,
)
_SHOWN = {"pdf": "PDF", "html": "HTML", "csv": "CSV", "epub": "EPUB"}


class Used(NamedTuple):
    """``conditions`` that operators state, the ``spans`` of the question they use up, and ``notes`` on those that name
    nothing there is.
    """

    conditions: tuple[Condition, ...]
    spans: tuple[tuple[int, int], ...]
    notes: tuple[str, ...]


def operators(question: str, known: KnownNames) -> Used:
    """What the operators of a question state. Pure.

    An operator's name must begin a word and be one of ours. Values that commas part are alternatives; a hyphen before
    the name turns it round. What names nothing is noted, unless it looks like code. A hyphen negates a word where it
    opens one of three letters or more that has a vowel and no mark behind it (``-xzf`` is a flag), before or behind
    everything else, or in what is no sentence; elsewhere it is a slip of the pen.

    >>> used = operators('token type:pdf -draft "access  token"', KnownNames())
    >>> [condition.words for condition in used.conditions]
    ['type: PDF', 'not: draft', 'phrase: “access token”']
    >>> [condition.words for condition in operators("-type:word type:pdf,md", KnownNames()).conditions]
    ['not type: word', 'type: PDF', 'type: md']
    >>> operators("type:foo", KnownNames()).notes
    ('There is no type “foo”, so that type:foo is read as words.',)
    >>> operators("What does -v do? See std::vector, http://a.b and `type:int` - or well-known.", KnownNames())
    Used(conditions=(), spans=(), notes=())
    """
    found: list[Condition] = []
    spans: list[tuple[int, int]] = []
    notes: list[str] = []
    for read in _read(question, known):
        if isinstance(read, str):
            notes.append(read)
        else:
            found += read
            spans.append((read[0].start, read[-1].end))
    for words, start, end in _quoted(question):
        if all(end <= before or after <= start for before, after in spans):
            found.append(Condition("phrase", words, start, end, f"phrase: “{words}”"))
    found.sort(key=lambda condition: condition.start)
    return Used(tuple(found), tuple(sorted(spans)), tuple(notes))


def _quoted(question: str) -> Iterator[tuple[str, int, int]]:
    """(words, start, end) of what stands in double quotation marks, the marks inside the span."""
    for match in _QUOTED.finditer(question):
        words = " ".join(next(group for group in match.groups() if group is not None).split())
        if words.strip("\"'.,;:!?"):
            yield words, match.start(), match.end()


Reading = tuple[Condition, ...] | str  # what one operator states, never (); or a sentence on one that names nothing


def _read(question: str, known: KnownNames) -> Iterator[Reading]:
    tokens = list(_TOKEN.finditer(question))
    readings = [_named(match, known) or _not(match) for match in tokens]
    prose = _is_prose(question, tokens, readings)
    for at, reading in enumerate(readings):
        if reading is None:
            continue
        negates = not isinstance(reading, str) and reading[0].kind == "not"
        if negates and prose and not (all(readings[:at]) or all(readings[at:])):
            continue
        yield reading


def _is_prose(question: str, tokens: Sequence[re.Match[str]], readings: Sequence[Reading | None]) -> bool:
    words = [match for match, reading in zip(tokens, readings, strict=True) if reading is None]
    if not words:
        return False
    return _PROSE.match(words[0].group() + " ") is not None or question[: words[-1].end()].endswith(("?", ".", "!"))


def _named(match: re.Match[str], known: KnownNames) -> Reading | None:
    """What ``name:value`` states, a sentence where a value names nothing, ``None`` for other words."""
    named = _NAMED.match(match.group())
    if named is None or (kind := _NAMES.get(named["name"].lower())) is None:
        return None
    written = named["value"] if named["quoted"] else named["value"].rstrip(".,;:!?)")
    value = _plain(written)
    if not value:
        return None
    begin = match.start() + named.start("value")
    values = [(begin, value)]
    if "," in value and not named["quoted"] and isinstance(_meant(kind, value, known), str):
        parts = re.finditer("[^,]+", written)
        values = [(begin + part.start(), one) for part in parts if (one := _plain(part.group()))]
    stated: dict[str, Condition] = {}
    for at, one in values:
        meant = _meant(kind, one, known)
        if isinstance(meant, str):
            return None if _CODE.match(one) else f"{meant}, so that {match.group()} is read as words."
        own, words = meant
        sign, denial = (WITHOUT, "not ") if named["without"] else ("", "")
        start = at if stated else match.start()
        stated.setdefault(own, Condition(f"{sign}{kind}", own, start, begin + len(written), f"{denial}{words}"))
    return tuple(stated.values()) or None


def _plain(value: str) -> str:
    return " ".join(value.strip(_MARKS).split())


def _meant(kind: str, value: str, known: KnownNames) -> tuple[str, str] | str:
    """The value as conditions have it and the words for people; the beginning of a sentence where it names nothing."""
    match kind:
        case "type":
            own = value.lower().removeprefix(".")
            there = own in TYPES or own in _KINDS or own in known.kinds
            return (own, f"type: {_SHOWN.get(own, own)}") if there else f"There is no type “{value}”"
        case "in":
            wanted = words_of(value)
            there = any(is_called(wanted, place) for place in known.places)
            return (" ".join(wanted), f"in: {value}") if there else f"Nothing in this library is called “{value}”"
        case "genre":
            own = next((genre for genre in sorted(known.genres) if genre.casefold() == value.casefold()), "")
            return (own, f"genre: {own}") if own else f"No document is of the genre “{value}”"
        case _:
            if period(value) is not None:
                return value, f"{kind} {value.replace('/', ' to ')}"
            return f"“{value}” is no date like 2023-05"


def _not(match: re.Match[str]) -> tuple[Condition] | None:
    negated = _NOT.fullmatch(match.group())
    if negated is None or not _VOWEL.search(negated["value"]):
        return None
    value = " ".join(negated["value"].strip(_MARKS).split())
    return (Condition("not", value, match.start(), match.end(), f"not: {value}"),) if value else None


_KINDS = frozenset(
    "pdf docx odt rtf pptx xlsx ods csv tsv html epub eml msg markdown text code notebook rst org log".split()
)
