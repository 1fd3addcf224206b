"""Search operators in a question: ``type:pdf``, ``in:handbook``, ``"exact phrase"``, ``-word``, ``after:2023-05``."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from core.retrieval.named_anchors import quoted
from core.storage.conditions import TYPES, Condition
from core.storage.shelves import Known, is_called, words_of
from core.text.periods import period

_NAMES = {
    **dict.fromkeys(("type", "filetype", "kind"), "type"),
    **dict.fromkeys(("in", "collection", "folder", "tag", "file"), "in"),
    "genre": "genre",
    **{relation: relation for relation in ("after", "since", "before", "until", "during")},
}
_TOKEN = re.compile(r"-?(?:[A-Za-z]+:)?(?:\"[^\"\n]*\"|“[^”\n]*”)(?!\w)|\S+")
_NAMED = re.compile(r"(?P<name>[A-Za-z]+):(?P<value>\"[^\"\n]+\"|“[^”\n]+”|[^\s\"“]+)")
_NOT = re.compile(r"-(?P<value>\"[^\"\n]+\"|“[^”\n]+”|[^\W\d_][\w'’-]{2,})")
_VERSION = re.compile(r"[vV]?\d{1,4}(?:\.\d{1,6}){0,3}")
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


def operators(question: str, known: Known) -> Used:
    """What the operators of a question state. Pure.

    An operator's name must begin a word, be one of ours, and have a value that can be meant: ``type:int`` is code. A
    hyphen negates where it opens a word of three letters or more that has a vowel and no mark behind it (``-xzf`` is
    a flag), before or behind everything else, or in what is no sentence; elsewhere it is a slip of the pen.

    >>> used = operators('token type:pdf -draft "access  token"', Known())
    >>> [condition.words for condition in used.conditions]
    ['type: PDF', 'not: draft', 'phrase: “access token”']
    >>> operators("What does -v do? See std::vector, http://a.b and type:int - or well-known.", Known()).conditions
    ()
    """
    found: list[Condition] = []
    spans: list[tuple[int, int]] = []
    notes: list[str] = []
    for read in _read(question, known):
        if isinstance(read, str):
            notes.append(read)
        else:
            found.append(read)
            spans.append((read.start, read.end))
    for words, start, end in quoted(question):
        if all(end <= before or after <= start for before, after in spans):
            found.append(Condition("phrase", words, True, start, end, f"phrase: “{words}”"))
    found.sort(key=lambda condition: condition.start)
    return Used(tuple(found), tuple(sorted(spans)), tuple(notes))


def _read(question: str, known: Known) -> Iterator[Condition | str]:
    """Conditions, and sentences on operators that name nothing."""
    tokens = list(_TOKEN.finditer(question))
    readings = [_named(match, known) or _not(match) for match in tokens]
    prose = _is_prose(question, tokens, readings)
    for at, reading in enumerate(readings):
        if reading is None:
            continue
        negates = isinstance(reading, Condition) and reading.kind == "not"
        if negates and prose and not (all(readings[:at]) or all(readings[at:])):
            continue
        yield reading


def _is_prose(question: str, tokens: Sequence[re.Match[str]], readings: Sequence[Condition | str | None]) -> bool:
    words = [match for match, reading in zip(tokens, readings, strict=True) if reading is None]
    if not words:
        return False
    return _PROSE.match(words[0].group() + " ") is not None or question[: words[-1].end()].endswith(("?", ".", "!"))


def _named(match: re.Match[str], known: Known) -> Condition | str | None:
    """The condition of ``name:value``, a sentence where the value names nothing, ``None`` for other words."""
    named = _NAMED.match(match.group())
    if named is None or (kind := _NAMES.get(named["name"].lower())) is None:
        return None
    value = named["value"].strip('"“”') if named["value"][0] in '"“' else named["value"].rstrip(".,;:!?)")
    value = " ".join(value.split())
    end = match.start() + named.start("value") + (len(value) if named["value"][0] not in '"“' else len(named["value"]))
    if not value:
        return None
    match kind:
        case "type":
            value = value.lower().removeprefix(".")
            if value not in TYPES and value not in _KINDS | known.kinds:
                return None
            return Condition(kind, value, True, match.start(), end, f"type: {_SHOWN.get(value, value)}")
        case "in":
            wanted = words_of(value)
            if not any(is_called(wanted, place) for place in known.places):
                return f"Nothing in this library is called “{value}”, so that {match.group()} is read as words."
            return Condition(kind, " ".join(wanted), True, match.start(), end, f"in: {value}")
        case "genre":
            spelt = {genre.casefold(): genre for genre in known.genres}
            if value.casefold() not in spelt:
                return f"No document is of the genre “{value}”, so that {match.group()} is read as words."
            return Condition(
                kind, spelt[value.casefold()], True, match.start(), end, f"genre: {spelt[value.casefold()]}"
            )
        case _:
            if period(value) is None and not _VERSION.fullmatch(value):
                return f"“{value}” is no date like 2023-05 and no version, so that {match.group()} is read as words."
            shown = value if period(value) else f"version {value.lstrip('vV')}"
            return Condition(kind, value, True, match.start(), end, f"{kind} {shown}")


def _not(match: re.Match[str]) -> Condition | None:
    negated = _NOT.fullmatch(match.group())
    if negated is None or not _VOWEL.search(negated["value"]):
        return None
    value = " ".join(negated["value"].strip('"“”').split())
    return Condition("not", value, True, match.start(), match.end(), f"not: {value}") if value else None


_KINDS = frozenset(
    "pdf docx odt rtf pptx xlsx ods csv tsv html epub eml msg markdown text code notebook rst org log".split()
)
