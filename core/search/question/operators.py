"""Search operators in a question: ``type:pdf,md``, ``-in:handbook``, ``"exact phrase"``, ``-word``, ``after:2023``."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from core.storage.catalogue.filing.conditions import TYPES, WITHOUT, Condition
from core.storage.catalogue.filing.source_metadata import KnownNames, is_called, words_of
from core.text.values.calendar_names import period

_NAMES = {
    **dict.fromkeys(("type", "filetype", "kind"), "type"),
    **dict.fromkeys(("in", "collection", "folder", "tag", "file"), "in"),
    "genre": "genre",
    **{relation: relation for relation in ("after", "since", "before", "until", "during")},
}
# Words in double quotation marks. An opening mark must follow a blank or a bracket: the one in 5" pipes opens nothing.
_QUOTED = re.compile(
    r"(?<![^\s(\[:–—-])(?:\"([^\"\n]{1,300})\"|“([^”\n]{1,300})”|„([^“”\n]{1,300})[“”]|«([^»\n]{1,300})»)(?!\w)"
)
_SINGLE = r"'(?:[^'\n]|'(?=\w))+'(?!\w)|‘(?:[^’\n]|’(?=\w))+’(?!\w)"  # an apostrophe between letters is no mark
_TOKEN = re.compile(rf"-?(?:[A-Za-z]+:)?(?:\"[^\"\n]*\"|“[^”\n]*”)(?!\w)|-?[A-Za-z]+:(?:{_SINGLE})|-(?:{_SINGLE})|\S+")
_NAMED = re.compile(
    rf"(?P<without>-?)(?P<name>[A-Za-z]+):(?P<value>(?P<quoted>\"[^\"\n]+\"|“[^”\n]+”|{_SINGLE})|[^\s\"“]+)"
)
_NOT = re.compile(rf"-(?P<value>\"[^\"\n]+\"|“[^”\n]+”|{_SINGLE}|[^\W\d_][\w'’-]{{2,}})")
_MARKS = "\"“”'‘’"
_CODE = re.compile(r"[:=]|//|.*[][(){}<>=;|\\$`*]")  # the value of what is no operator: std::vector, file:///etc
_VOWEL = re.compile(r"[aeiouyàâäéèêëïîôöùûü]|[^\x00-\x7f]", re.IGNORECASE)
_PROSE = re.compile(
    r"\W*(?:(?:for|in|on|at|by|to|from|with|of|under|within|since) )?"
    r"(?:what|which|who|whom|whose|when|where|why|how|is|are|was|were|do|does|did|can|could|may|must|should|will|would"
    r"|has|have|explain|describe|list|show|tell|give|find|compare|summari[sz]e|please|if|it|there|the|a|an)\b",
    re.IGNORECASE,
)
_SHOWN = {"pdf": "PDF", "html": "HTML", "csv": "CSV", "epub": "EPUB"}


class ParsedOperators(NamedTuple):
    """The ``conditions`` that operators state, their ``spans`` in the question, and ``notes``, sentences on operators
    with unknown values.
    """

    conditions: tuple[Condition, ...]
    spans: tuple[tuple[int, int], ...]
    notes: tuple[str, ...]


def parse_operators(question: str, known: KnownNames) -> ParsedOperators:
    """Parse the operators of a question. Pure.

    ``name:value``: the name must be known and start a word. Values separated by commas are alternatives; a hyphen
    before the name negates. An unknown value gives a note, unless it looks like code. ``-word``: the word must have at
    least three letters, one of them a vowel, and no punctuation after it (``-xzf`` is a flag). In a sentence it counts
    as negated only before or after all other words; elsewhere the hyphen is taken for a typo.

    >>> parsed = parse_operators('token type:pdf -draft "access  token"', KnownNames())
    >>> [condition.words for condition in parsed.conditions]
    ['type: PDF', 'not: draft', 'phrase: “access token”']
    >>> [condition.words for condition in parse_operators("-type:word type:pdf,md", KnownNames()).conditions]
    ['not type: word', 'type: PDF', 'type: md']
    >>> parse_operators("type:foo", KnownNames()).notes
    ('There is no type “foo”, so that type:foo is read as words.',)
    >>> parse_operators("What does -v do? See std::vector, http://a.b and `type:int` - or well-known.", KnownNames())
    ParsedOperators(conditions=(), spans=(), notes=())
    """
    conditions: list[Condition] = []
    spans: list[tuple[int, int]] = []
    notes: list[str] = []
    for parsed in _parse_tokens(question, known):
        if isinstance(parsed, str):
            notes.append(parsed)
        else:
            conditions += parsed
            spans.append((parsed[0].start, parsed[-1].end))
    for phrase, start, end in _quoted_phrases(question):
        if all(end <= span_start or span_end <= start for span_start, span_end in spans):
            conditions.append(Condition("phrase", phrase, start, end, f"phrase: “{phrase}”"))
    conditions.sort(key=lambda condition: condition.start)
    return ParsedOperators(tuple(conditions), tuple(sorted(spans)), tuple(notes))


def _quoted_phrases(question: str) -> Iterator[tuple[str, int, int]]:
    """(words, start, end) of each phrase in double quotation marks; the span includes the marks."""
    for match in _QUOTED.finditer(question):
        words = " ".join(next(group for group in match.groups() if group is not None).split())
        if words.strip("\"'.,;:!?"):
            yield words, match.start(), match.end()


Parsed = tuple[Condition, ...] | str  # one operator: its conditions, never (), or a note on an unknown value


def _parse_tokens(question: str, known: KnownNames) -> Iterator[Parsed]:
    """Every ``name:value`` and every negated word."""
    tokens = list(_TOKEN.finditer(question))
    parsed = [_parse_named(match, known) or _parse_negated(match) for match in tokens]
    prose = _is_prose(question, tokens, parsed)
    for index, operator in enumerate(parsed):
        if operator is None:
            continue
        negates = not isinstance(operator, str) and operator[0].kind == "not"
        if negates and prose and not (all(parsed[:index]) or all(parsed[index:])):
            continue  # a hyphen amid the words of a sentence
        yield operator


def _is_prose(question: str, tokens: Sequence[re.Match[str]], parsed: Sequence[Parsed | None]) -> bool:
    """Whether the words that are no operators look like a sentence: by the first word or the last mark."""
    words = [match for match, operator in zip(tokens, parsed, strict=True) if operator is None]
    if not words:
        return False
    return _PROSE.match(words[0].group() + " ") is not None or question[: words[-1].end()].endswith(("?", ".", "!"))


def _parse_named(match: re.Match[str], known: KnownNames) -> Parsed | None:
    """The conditions of ``name:value``, a note when a value is unknown, ``None`` for other tokens."""
    named = _NAMED.match(match.group())
    if named is None or (kind := _NAMES.get(named["name"].lower())) is None:
        return None
    written = named["value"] if named["quoted"] else named["value"].rstrip(".,;:!?)")
    value = _plain(written)
    if not value:
        return None
    value_start = match.start() + named.start("value")
    values = [(value_start, value)]
    # Commas separate alternatives, unless the value with its comma is itself a known name.
    if "," in value and not named["quoted"] and isinstance(_resolve(kind, value, known), str):
        parts = re.finditer("[^,]+", written)
        values = [(value_start + part.start(), plain) for part in parts if (plain := _plain(part.group()))]
    conditions: dict[str, Condition] = {}
    for offset, alternative in values:
        resolved = _resolve(kind, alternative, known)
        if isinstance(resolved, str):
            return None if _CODE.match(alternative) else f"{resolved}, so that {match.group()} is read as words."
        stored, words = resolved
        sign, denial = (WITHOUT, "not ") if named["without"] else ("", "")
        start = offset if conditions else match.start()
        end = value_start + len(written)
        conditions.setdefault(stored, Condition(f"{sign}{kind}", stored, start, end, f"{denial}{words}"))
    return tuple(conditions.values()) or None


def _plain(value: str) -> str:
    return " ".join(value.strip(_MARKS).split())


def _resolve(kind: str, value: str, known: KnownNames) -> tuple[str, str] | str:
    """A value as conditions store it, and its words for the user; the start of a note when the value is unknown."""
    match kind:
        case "type":
            name = value.lower().removeprefix(".")
            exists = name in TYPES or name in _KINDS or name in known.kinds
            return (name, f"type: {_SHOWN.get(name, name)}") if exists else f"There is no type “{value}”"
        case "in":
            words = words_of(value)
            exists = any(is_called(words, place) for place in known.places)
            return (" ".join(words), f"in: {value}") if exists else f"Nothing in this library is called “{value}”"
        case "genre":
            name = next((genre for genre in sorted(known.genres) if genre.casefold() == value.casefold()), "")
            return (name, f"genre: {name}") if name else f"No document is of the genre “{value}”"
        case _:
            if period(value) is not None:
                return value, f"{kind} {value.replace('/', ' to ')}"
            return f"“{value}” is no date like 2023-05"


def _parse_negated(match: re.Match[str]) -> tuple[Condition] | None:
    """The condition of ``-word``, ``None`` for other tokens."""
    negated = _NOT.fullmatch(match.group())
    if negated is None or not _VOWEL.search(negated["value"]):
        return None
    value = " ".join(negated["value"].strip(_MARKS).split())
    return (Condition("not", value, match.start(), match.end(), f"not: {value}"),) if value else None


_KINDS = frozenset(
    "pdf docx odt rtf pptx xlsx ods csv tsv html epub eml msg markdown text code notebook rst org log".split()
)
