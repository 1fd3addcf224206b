"""Finds references (to sections, figures, notes, sources, links) and resolves them to a place in the same document."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain
from urllib.parse import unquote

from core.enriching.features import Reference
from core.enriching.span_index import SpanIndex
from core.enriching.targets import CLASSES, NUMBER, class_of, only, slug, targets
from core.text.outline import Outline
from core.text.values.calendar_names import YEAR
from core.types import BlockKind, Span

_POINTER = re.compile(
    rf"(?<![^\W_])(?P<word>(?i:{'|'.join(sorted(CLASSES, key=len, reverse=True))})\.?)[ \u00a0]?\n?(?P<number>{NUMBER})"
    r"(?P<dashed>-\d{1,3})?(?![\w/]|\.\d|-\w)"
)
_FURTHER = re.compile(rf"(?:,| and| or| to| und| bis| &|,? and|\s?[–-])[ \u00a0]?(?P<number>{NUMBER})(?![\w\-/]|\.\d)")
_TITLE = re.compile(
    r"(?<!\w)(?i:see|siehe)\s+(?:also\s+)?(?:the\s+)?(?:section|chapter)?s?\s*(?:on\s+|called\s+)?[\"“'‘*_]{1,2}"
    r"(?P<title>[^\"”'’\n*_]{3,80})[\"”'’*_]"
)
_TITLE_BEFORE = re.compile(
    r"(?<!\w)(?i:see|siehe)\s+(?:the\s+)?(?P<title>[^\"”\n.,;()]{3,60}?)\s+(?:section|chapter)\b"
)
_BRACKETED = re.compile(r"\[(?P<numbers>\^[^\]\s]{1,40}|\d{1,3}(?:\s?[-–,;]\s?\d{1,3}){0,11})\](?!\(|:\s)")
_RAISED = re.compile(r"[¹²³⁰⁴-⁹]{1,3}")
# In text from a PDF, a superscript number is attached to the word before it: "by March.2", "약관3)".
_GLUED = re.compile(r"(?<=[^\W\d_]{2})(?:[.,;:!?”\"’)]{0,2})(?P<number>\d{1,2})\)?(?=[\s.,;:]|\Z)")
_RAISED_DIGITS = str.maketrans("¹²³⁰⁴⁵⁶⁷⁸⁹", "1230456789")
_AUTHORS = re.compile(
    r"(?<!\w)(?P<author>[A-Z][\w'’-]{1,40})(?:,? et al\.?|,? (?:and|&) [A-Z][\w'’-]{1,40})?,? "
    rf"\(?(?P<year>{YEAR}[a-z]?)\)"
)
_ABBREVIATED = 5  # characters: "sect.", "figs."
_LETTERED = frozenset({"appendix", "annex", "section", "part"})  # kinds that may have a letter for a number


class References:
    """Finds the references of one document."""

    __slots__ = ("_code", "_document", "_targets")

    def __init__(self, outline: Outline) -> None:
        self._document = outline.document
        self._targets = targets(outline)
        code = [block for block in self._document.blocks if block.kind is BlockKind.CODE]
        self._code = SpanIndex((block.start, block.end, block.end) for block in code)

    def found(self) -> list[Reference]:
        """All references in text order; of overlapping ones, the first, then the longest. Links are always included."""
        candidates = [
            *self._links(),
            *self._numbered(),
            *self._by_title(),
            *self._notes(),
            *self._pdf_notes(),
            *self._authors(),
        ]
        candidates.sort(key=lambda one: (one.start, -one.end))
        references: list[Reference] = []
        for one in candidates:
            if not references or one.start >= references[-1].end or one.kind == "link":
                references.append(one)
        return [one for one in references if one.kind == "link" or not self._in_code(one.start)]

    def captions(self) -> Iterator[tuple[int, int, tuple[str, str]]]:
        """The captions of figures and tables, as (start, end, (kind, "Table 5"))."""
        for (kind, number), places in self._targets.numbered.items():
            if kind in {"figure", "table"}:
                for place in places:
                    yield place.start, place.start + 1, (kind, standard_name(kind, number))

    def _in_code(self, position: int) -> bool:
        return (end := self._code.last_before(position + 1)) is not None and position < end

    def _links(self) -> Iterator[Reference]:
        """Hyperlinks; those into the document are resolved by anchor."""
        for link in self._document.links:
            target = None
            text = self._document.text[link.start : link.end]
            if link.target.startswith("#"):
                target = self._targets.anchors.get(slug(unquote(link.target)))
                number = _BRACKETED.fullmatch(text)
                if target is None and number is not None:  # "[12]" with a link to a note of that number
                    target = self._source(number["numbers"]) or self._note(number["numbers"])
            if text:
                yield Reference("link", link.start, link.end, text, target, link.target)

    def _numbered(self) -> Iterator[Reference]:
        """References by number, "Section 3.1", and further numbers after it, "Figures 2 and 3"."""
        text = self._document.text
        for match in _POINTER.finditer(text):
            if match.start() in self._targets.labels:
                continue
            kind = class_of(match["word"])
            if match["word"].endswith(".") and len(match["word"]) > _ABBREVIATED:
                continue  # the end of a sentence, "... the table.", before an item "5."
            if match["number"].isalpha() and kind not in _LETTERED and len(match["number"]) == 1:
                continue
            number, end = match["number"], match.end("number")
            if match["dashed"] and kind in {"figure", "table"}:  # "Figure 2-1" is one figure, "Sections 2-4" a range
                number, end = number + match["dashed"], match.end()
            yield self._reference(kind, match.start(), end, number)
            while (further := _FURTHER.match(text, end)) is not None and not further["number"].isalpha():
                yield self._reference(kind, further.start("number"), further.end(), further["number"])
                end = further.end()

    def _reference(self, kind: str, start: int, end: int, number: str) -> Reference:
        """A numbered reference, resolved if possible."""
        shown = kind if kind in {"figure", "table"} else "section"
        place = self._targets.place(kind, number)
        if place is None and "(" in number:
            place = self._targets.place(kind, number.partition("(")[0])  # "Article 3(2)" falls back to Article 3
        return Reference(shown, start, end, self._document.text[start:end], place)

    def _by_title(self) -> Iterator[Reference]:
        """References by title, "see the section “Backups”", "see the Backups chapter", if there is such a heading."""
        text = self._document.text
        for match in chain(_TITLE.finditer(text), _TITLE_BEFORE.finditer(text)):
            place = only(self._targets.titles.get(" ".join(match["title"].lower().split()), []))
            if place is not None:
                start, end = match.span("title")
                yield Reference("section", start, end, text[start:end], place)

    def _notes(self) -> Iterator[Reference]:
        """Notes and citations in square brackets, and superscript note marks."""
        text = self._document.text
        for match in _BRACKETED.finditer(text):
            if match.start() not in self._targets.labels:
                yield from self._bracketed(match)
        for match in _RAISED.finditer(text):
            place = only(self._targets.notes.get(match.group().translate(_RAISED_DIGITS), []))
            if place is not None:
                yield Reference("footnote", match.start(), match.end(), match.group(), place)

    def _pdf_notes(self) -> Iterator[Reference]:
        """Superscript note marks in text from a PDF: numbers after exactly one word that match a note."""
        if self._document.kind != "pdf" or not self._targets.notes:
            return
        marks: dict[str, list[re.Match[str]]] = {}
        for match in _GLUED.finditer(self._document.text):
            if self._note(match["number"]) is not None:
                marks.setdefault(match["number"], []).append(match)
        for number, matches in marks.items():
            if len(matches) == 1:
                start, end = matches[0].span("number")
                yield Reference("footnote", start, end, number, self._note(number))

    def _bracketed(self, match: re.Match[str]) -> Iterator[Reference]:
        """The notes and sources of "[^1]" or "[2, 5]"."""
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
                continue  # an array index: values[3]
            kind = "footnote" if note is not None and source is None else "citation"
            yield Reference(kind, start, end, text[start:end], note if kind == "footnote" else source)

    def _note(self, label: str) -> Span | None:
        return only(self._targets.notes.get(label, []))

    def _source(self, number: str) -> Span | None:
        return only(self._targets.sources.get(number, []))

    def _authors(self) -> Iterator[Reference]:
        """Author-year citations, "(Smith et al., 2019)", in a document with a list of sources."""
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


def standard_name(kind: str, number: str) -> str:
    """The name of a figure or table in its standard form.

    >>> standard_name("table", "5")
    'Table 5'
    """
    return f"{kind.capitalize()} {number}"


def exhibit_name(reference: Reference) -> str:
    """The standard name of the figure or table that a reference mentions ("Figure 2" for "figs. 2"); "" for others."""
    if reference.kind not in {"figure", "table"}:
        return ""
    number = re.search(rf"{NUMBER}(?:-\d{{1,3}})?\Z", reference.text)
    return standard_name(reference.kind, number.group()) if number else ""
