"""What a question names exactly: a figure, a section, a symbol, a file, a date. Found by spelling alone."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from core.enriching.dates import dates, versions
from core.enriching.shapes import month_of, things_in
from core.enriching.targets import NUMBER, class_of
from core.enriching.vocabulary import Vocabulary
from core.parsing.kinds import LANGUAGES
from core.retrieval.amounts import amount_pattern
from core.text.analysis import STOP_WORDS

ANCHORS = (
    *("figure", "table", "section", "clause", "equation", "page", "panel", "symbol", "phrase", "file", "date"),
    "version",
)
# Words in double quotation marks. An opening mark follows a blank or a bracket, so that 5" pipes open nothing.
QUOTED = re.compile(
    r"(?<![^\s(\[:–—-])(?:\"([^\"\n]{1,300})\"|“([^”\n]{1,300})”|„([^“”\n]{1,300})[“”]|«([^»\n]{1,300})»)(?!\w)"
)

_POINTED = re.compile(
    rf"(?P<word>§§?|[^\W\d_]{{2,10}}\.?)[ \u00a0]?(?P<number>{NUMBER}(?:-\d{{1,3}})?)(?![\w%]|\.\d|[ \u00a0]?%)"
)
_FURTHER = re.compile(rf"(?:, ?| ?(?:and|or|&) )(?P<number>{NUMBER})(?![\w%]|\.\d|[ \u00a0]?%)")
_EQUATION = re.compile(r"(?i)\b(?:equations?|eqs?\.?|formula)[ \u00a0]?\(?(?P<number>\d{1,3}(?:\.\d{1,3})?[a-z]?)\b\)?")
_PAGE = re.compile(r"(?i)\b(?:pages?|pp?\.|slides?)[ \u00a0]?(?P<number>\d{1,4})\b(?!\s*%)")
_SIDE = re.compile(
    r"(?i)\b(?P<side>(?:(?:upper|lower|top|bottom|left|right|middle|central|centre|center|first|second|third|last|inner"
    r"|outer)(?:[- ]?hand)?[- ]?){1,2})(?P<what>panels?|subplots?|inset|subfigures?)\b"
)
_PANEL = re.compile(
    r"\b(?:[Pp]anel|[Ss]ubfigure|[Ii]nset)[ \u00a0](?:\((?P<bracketed>[A-Za-z])\)|(?P<bare>[B-HJ-Z]|A(?! [a-z])))(?!\w)"
)
_TICKED = re.compile(r"`([^`\n]{1,120})`")
_FILE_SUFFIXES = (
    "md markdown txt log pdf docx doc pptx xlsx xls csv tsv html htm epub rtf odt ods eml msg rst org ipynb"
)
_FILE = re.compile(
    r"(?<![\w@/.])(?:[\w.@+~-]+/)*[\w@+~-][\w.@+~-]+\.(?i:"
    + "|".join(sorted({*_FILE_SUFFIXES.split(), *LANGUAGES}, key=len, reverse=True))
    + r")(?![\w/])"
)
# The name of a product and a dotted number right behind it: "Python 3.11", "iOS 17.2".
_PRODUCT = re.compile(
    r"(?<![\w.@/-])(?P<name>(?=\w*[A-Z])[^\W\d_][\w+#]*)[ \u00a0](?P<number>\d{1,4}(?:\.\d{1,4}){1,2})(?![\w%]|[.,]\d)"
)
_AMOUNT = re.compile(amount_pattern(), re.IGNORECASE)
# Capitalised words that a dotted number counts, measures or points into; whatever opens a question is capitalised.
_NO_PRODUCT = frozenset(
    "about above below over under almost nearly roughly only between what which whose does did how why explain compare"
    " show list find give tell use using convert summarise summarize describe quote read see add set get"
    " euro euros dollar dollars pound pounds yen franc francs eur usd gbp jpy chf inr"
    " revenue revenues profit sales income price cost score scores rating gpa mean median average total rate ratio"
    " grade magnitude mach richter ph level step steps theorem lemma definition proposition corollary example exercise"
    " problem question item rule note box listing algorithm volume page pages slide line row column number"
    " paragraph subsection abschnitt kapitel abbildung tabelle".split()
)
_COUNTED = re.compile(
    r"[ \u00a0](?:points?|times|fold|degrees|trillion|pages?|people|stars?|inch(?:es)?|out of)\b", re.IGNORECASE
)
_SECTIONS = {"section", "chapter", "part", "appendix", "article"}


@dataclass(frozen=True, slots=True)
class NamedAnchor:
    """Something a question names exactly, at ``[start, end)`` of it. ``kind``: one of ``ANCHORS``.

    ``text``: as it stands there. ``value``: in the form it is compared by: "Figure 2", "4.1", an ISO date.
    """

    kind: str
    text: str
    value: str
    start: int
    end: int

    @property
    def words(self) -> str:
        """For a chip.

        >>> NamedAnchor("section", "Sec. 4.1", "4.1", 0, 8).words
        'section: 4.1'
        """
        shown = f"“{self.value}”" if self.kind == "phrase" else self.value
        return f"{self.kind}: {shown}" if not self.value.lower().startswith(self.kind) else self.value

    @property
    def key(self) -> tuple[str, str]:
        """What tells it from others, wherever it stands in the question."""
        return f"anchor:{self.kind}", self.value


def named_anchors(question: str) -> tuple[NamedAnchor, ...]:
    """Everything a question names exactly, in order; of two that overlap, the surer kind. Pure.

    >>> [anchor.words for anchor in named_anchors("In Fig. 2, does the left panel show what getUserName() does?")]
    ['Figure 2', 'panel: left panel', 'symbol: getUserName']
    >>> [anchor.words for anchor in named_anchors('See section 4.1 and Table 2 of api.md: “access token”, v2.1')]
    ['section: 4.1', 'Table 2', 'file: api.md', 'phrase: “access token”', 'version: v2.1']
    """
    kept: list[NamedAnchor] = []
    for find in _FINDERS:
        for anchor in find(question):
            if all(anchor.end <= other.start or other.end <= anchor.start for other in kept):
                kept.append(anchor)
    return tuple(sorted(kept, key=lambda anchor: anchor.start))


def quoted(question: str) -> Iterator[tuple[str, int, int]]:
    """(words, start, end) of what stands in double quotation marks, the marks inside the span."""
    for match in QUOTED.finditer(question):
        words = " ".join(next(group for group in match.groups() if group is not None).split())
        if words.strip("\"'.,;:!?"):
            yield words, match.start(), match.end()


def _phrases(question: str) -> Iterator[NamedAnchor]:
    for words, start, end in quoted(question):
        yield NamedAnchor("phrase", question[start:end], words, start, end)


def _files(question: str) -> Iterator[NamedAnchor]:
    for match in _FILE.finditer(question):
        yield NamedAnchor("file", match.group(), match.group(), match.start(), match.end())


def _numbered(question: str) -> Iterator[NamedAnchor]:
    for match in _POINTED.finditer(question):
        named = class_of(match["word"])
        if (
            not named
            or match["number"] == "I"
            or (match["number"].isalpha() and match["word"].islower() and named in ("figure", "table", "part"))
        ):
            continue
        kind = "section" if named in _SECTIONS else named
        yield _pointing(question, kind, match["number"], match.start(), match.end())
        end = match.end()
        while (further := _FURTHER.match(question, end)) is not None and not further["number"].isalpha():
            yield _pointing(question, kind, further["number"], further.start("number"), further.end())
            end = further.end()


def _pointing(question: str, kind: str, number: str, start: int, end: int) -> NamedAnchor:
    value = f"{kind.capitalize()} {number}" if kind in ("figure", "table") else number
    return NamedAnchor(kind, question[start:end], value, start, end)


def _equations(question: str) -> Iterator[NamedAnchor]:
    for kind, pattern in (("equation", _EQUATION), ("page", _PAGE)):
        for match in pattern.finditer(question):
            yield NamedAnchor(kind, match.group(), match["number"], match.start(), match.end())


def _panels(question: str) -> Iterator[NamedAnchor]:
    for match in _SIDE.finditer(question):
        value = " ".join(re.split(r"[\s-]+", match.group().lower()))
        yield NamedAnchor("panel", match.group(), value, match.start(), match.end())
    for match in _PANEL.finditer(question):
        value = (match["bracketed"] or match["bare"]).upper()
        yield NamedAnchor("panel", match.group(), value, match.start(), match.end())


def _ticked(question: str) -> Iterator[NamedAnchor]:
    for match in _TICKED.finditer(question):
        value = match[1].strip().removesuffix("()")
        if value:
            yield NamedAnchor("symbol", match.group(), value, match.start(), match.end())


def _times(question: str) -> Iterator[NamedAnchor]:
    vocabulary = Vocabulary(question)
    for kind, found in (("date", dates(vocabulary)), ("version", versions(vocabulary))):
        for start, end, value in sorted(found):
            name, _, number = value.rpartition(" ")
            if kind == "date" or not (name.lower() in _NO_PRODUCT or _measures(question, end - len(number), end)):
                yield NamedAnchor(kind, question[start:end], value, start, end)


def _products(question: str) -> Iterator[NamedAnchor]:
    """Names with a dotted number, where the number points into no document, is no amount and no day."""
    for match in _PRODUCT.finditer(question):
        plain, number = match["name"].lower(), match.start("number")
        if plain in _NO_PRODUCT or plain in STOP_WORDS or class_of(plain) or month_of(plain):
            continue
        if _measures(question, number, match.end()):
            continue
        yield NamedAnchor("version", match.group(), f"{match['name']} {match['number']}", match.start(), match.end())


def _measures(question: str, start: int, end: int) -> bool:
    """Whether the number at ``[start, end)`` bears a unit, a scale or a currency, or counts what follows it."""
    amount = _AMOUNT.match(question, start)
    return bool(amount and (amount["unit"] or amount["scale"])) or _COUNTED.match(question, end) is not None


def _symbols(question: str) -> Iterator[NamedAnchor]:
    for token in re.finditer(r"\S+", question):
        for thing in things_in(token.group()):
            value = thing.text.removesuffix("()")
            start = token.start() + thing.at
            if thing.kind == "symbol" and question.startswith(value, start):
                yield NamedAnchor("symbol", value, value, start, start + len(value))
            elif thing.kind == "path" and question.startswith(thing.text, start):
                yield NamedAnchor("file", thing.text, thing.text, start, start + len(thing.text))


_FINDERS: tuple[Callable[[str], Iterator[NamedAnchor]], ...] = (
    *(_ticked, _phrases, _files, _numbered, _equations, _panels, _times, _products, _symbols),
)
