"""Words that point elsewhere, and the place they point to where the document has just one such place."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain
from urllib.parse import unquote

from core.enriching.features import Reference
from core.enriching.span_index import SpanIndex
from core.enriching.targets import CLASSES, NUMBER, class_of, only, slug, targets
from core.text.calendar_names import YEAR
from core.text.outline import Outline
from core.types import BlockKind, Span

_POINTER = re.compile(
    rf"(?<![^\W_])(?P<word>(?i:{'|'.join(sorted(CLASSES, key=len, reverse=True))})\.?)[ \u00a0]?\n?(?P<number>{NUMBER})"
    r"(?P<dashed>-\d{1,3})?(?![\w/]|\.\d|-\w)"
)
_FURTHER = re.compile(rf"(?:,| and| or| to| und| bis| &|,? and|\s?[–-])[ \u00a0]?(?P<number>{NUMBER})(?![\w\-/]|\.\d)")
_NAMED = re.compile(
    r"(?<!\w)(?i:see|siehe)\s+(?:also\s+)?(?:the\s+)?(?:section|chapter)?s?\s*(?:on\s+|called\s+)?[\"“'‘*_]{1,2}"
    r"(?P<title>[^\"”'’\n*_]{3,80})[\"”'’*_]"
)
_NAMED_BEFORE = re.compile(
    r"(?<!\w)(?i:see|siehe)\s+(?:the\s+)?(?P<title>[^\"”\n.,;()]{3,60}?)\s+(?:section|chapter)\b"
)
_BRACKETED = re.compile(r"\[(?P<numbers>\^[^\]\s]{1,40}|\d{1,3}(?:\s?[-–,;]\s?\d{1,3}){0,11})\](?!\(|:\s)")
_RAISED = re.compile(r"[¹²³⁰⁴-⁹]{1,3}")
# A PDF's raised number comes out glued to the word it was raised at: "by March.2", "약관3)".
_GLUED = re.compile(r"(?<=[^\W\d_]{2})(?:[.,;:!?”\"’)]{0,2})(?P<number>\d{1,2})\)?(?=[\s.,;:]|\Z)")
_RAISED_DIGITS = str.maketrans("¹²³⁰⁴⁵⁶⁷⁸⁹", "1230456789")
_AUTHORS = re.compile(
    r"(?<!\w)(?P<author>[A-Z][\w'’-]{1,40})(?:,? et al\.?|,? (?:and|&) [A-Z][\w'’-]{1,40})?,? "
    rf"\(?(?P<year>{YEAR}[a-z]?)\)"
)
_ABBREVIATED = 5  # characters: "sect.", "figs."
_LETTERED = frozenset({"appendix", "annex", "section", "part"})  # others with a letter are "Table A" at most


class References:
    """All references of a document, found once."""

    __slots__ = ("_code", "_document", "_targets")

    def __init__(self, outline: Outline) -> None:
        self._document = outline.document
        self._targets = targets(outline)
        code = [block for block in self._document.blocks if block.kind is BlockKind.CODE]
        self._code = SpanIndex((block.start, block.end, block.end) for block in code)

    def found(self) -> list[Reference]:
        """In the order of the text; of two that overlap, the one that begins first, then the longer one."""
        every = [*self._links(), *self._numbered(), *self._named(), *self._notes(), *self._glued(), *self._authors()]
        every.sort(key=lambda one: (one.start, -one.end))
        kept: list[Reference] = []
        for one in every:
            if not kept or one.start >= kept[-1].end or one.kind == "link":
                kept.append(one)
        return [one for one in kept if one.kind == "link" or not self._in_code(one.start)]

    def captions(self) -> Iterator[tuple[int, int, tuple[str, str]]]:
        """Where figures and tables are declared: (kind, "Table 5")."""
        for (kind, number), places in self._targets.numbered.items():
            if kind in {"figure", "table"}:
                for place in places:
                    yield place.start, place.start + 1, (kind, named(kind, number))

    def _in_code(self, position: int) -> bool:
        return (end := self._code.last_before(position + 1)) is not None and position < end

    def _links(self) -> Iterator[Reference]:
        for link in self._document.links:
            target = None
            text = self._document.text[link.start : link.end]
            if link.target.startswith("#"):
                target = self._targets.anchors.get(slug(unquote(link.target)))
                number = _BRACKETED.fullmatch(text)
                if target is None and number is not None:  # "[12]" linked to a note of that number
                    target = self._source(number["numbers"]) or self._note(number["numbers"])
            if text:
                yield Reference("link", link.start, link.end, text, target, link.target)

    def _numbered(self) -> Iterator[Reference]:
        text = self._document.text
        for match in _POINTER.finditer(text):
            if match.start() in self._targets.labels:
                continue
            kind = class_of(match["word"])
            if match["word"].endswith(".") and len(match["word"]) > _ABBREVIATED:
                continue  # "... the table." ends, and an item "5." begins
            if match["number"].isalpha() and kind not in _LETTERED and len(match["number"]) == 1:
                continue
            number, end = match["number"], match.end("number")
            if match["dashed"] and kind in {"figure", "table"}:
                number, end = number + match["dashed"], match.end()  # "Figure 2-1" is one, "Sections 2-4" are two
            yield self._reference(kind, match.start(), end, number)
            while (further := _FURTHER.match(text, end)) is not None and not further["number"].isalpha():
                yield self._reference(kind, further.start("number"), further.end(), further["number"])
                end = further.end()

    def _reference(self, kind: str, start: int, end: int, number: str) -> Reference:
        shown = kind if kind in {"figure", "table"} else "section"
        place = self._targets.place(kind, number)
        if place is None and "(" in number:
            place = self._targets.place(kind, number.partition("(")[0])  # "Article 3(2)": at least Article 3
        return Reference(shown, start, end, self._document.text[start:end], place)

    def _named(self) -> Iterator[Reference]:
        """ "see the section “Backups”", "see the Backups chapter": only where a heading is called so."""
        text = self._document.text
        for match in chain(_NAMED.finditer(text), _NAMED_BEFORE.finditer(text)):
            place = only(self._targets.titles.get(" ".join(match["title"].lower().split()), []))
            if place is not None:
                start, end = match.span("title")
                yield Reference("section", start, end, text[start:end], place)

    def _notes(self) -> Iterator[Reference]:
        text = self._document.text
        for match in _BRACKETED.finditer(text):
            if match.start() not in self._targets.labels:
                yield from self._bracketed(match)
        for match in _RAISED.finditer(text):
            place = only(self._targets.notes.get(match.group().translate(_RAISED_DIGITS), []))
            if place is not None:
                yield Reference("footnote", match.start(), match.end(), match.group(), place)

    def _glued(self) -> Iterator[Reference]:
        """Marks of a PDF's notes, where there is a note of that number and one word alone that bears it."""
        if self._document.kind != "pdf" or not self._targets.notes:
            return
        marks: dict[str, list[re.Match[str]]] = {}
        for match in _GLUED.finditer(self._document.text):
            if self._note(match["number"]) is not None:
                marks.setdefault(match["number"], []).append(match)
        for number, found in marks.items():
            if len(found) == 1:
                start, end = found[0].span("number")
                yield Reference("footnote", start, end, number, self._note(number))

    def _bracketed(self, match: re.Match[str]) -> Iterator[Reference]:
        text, numbers = self._document.text, match["numbers"]
        if numbers.startswith("^"):
            yield Reference("footnote", match.start(), match.end(), match.group(), self._note(numbers))
            return
        before = text[match.start() - 1] if match.start() else " "
        for number in re.finditer(r"\d+", numbers):
            single = number.group() == numbers
            start = match.start() if single else match.start("numbers") + number.start()
            end = match.end() if single else match.start("numbers") + number.end()
            note, source = self._note(number.group()), self._source(number.group())
            if note is None and source is None and (before.isalnum() or before in "_)]" or number.group() == "0"):
                continue  # an index: values[3]
            kind = "footnote" if note is not None and source is None else "citation"
            yield Reference(kind, start, end, text[start:end], note if kind == "footnote" else source)

    def _note(self, label: str) -> Span | None:
        return only(self._targets.notes.get(label, []))

    def _source(self, number: str) -> Span | None:
        return only(self._targets.sources.get(number, []))

    def _authors(self) -> Iterator[Reference]:
        """ "(Smith et al., 2019)", where the document lists its sources."""
        listed = self._targets.listed
        if listed is None or not self._targets.authors:
            return
        text = self._document.text
        for match in _AUTHORS.finditer(text):
            if not listed.start <= match.start() < listed.end:
                place = self._targets.author(match["author"], match["year"])
                if place is not None or "et al" in match.group():
                    end = match.end() - (0 if "(" in match.group() else 1)
                    yield Reference("citation", match.start(), end, text[match.start() : end], place)


def named(kind: str, number: str) -> str:
    """A figure's or table's name in one form.

    >>> named("table", "5")
    'Table 5'
    """
    return f"{kind.capitalize()} {number}"


def pictured(reference: Reference) -> str:
    """ "Figure 2" for a reference that says "figs. 2", "" for one to something else."""
    if reference.kind not in {"figure", "table"}:
        return ""
    number = re.search(rf"{NUMBER}(?:-\d{{1,3}})?\Z", reference.text)
    return named(reference.kind, number.group()) if number else ""
