"""Judgments of a data set brought into a library: onto its documents, by their text, else their name and the words."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePath

from core.evaluation.exchange.values import Anchor, Exchange
from core.evaluation.suites import GoldSpan, Question
from core.library import Library
from core.storage.catalogue.documents import text_hash
from core.storage.catalogue.judging import Judgment, anchored_in, asked
from core.storage.catalogue.names import BEHIND
from core.text.anchoring import Finder
from core.types import Span

ORIGIN, MADE = "imported", "synthetic"


@dataclass(frozen=True, slots=True)
class Imported:
    """``judgments``: the numbers of those the library has now, also of those it had before; a gold span is one of them.

    ``unplaced``: (question, reason) of every gold span that could not be put on a document.
    """

    judgments: tuple[int, ...]
    unplaced: tuple[tuple[str, str], ...]


def import_judgments(library: Library, exchange: Exchange) -> Imported:
    """Keep a data set's questions as judgments of a library, all that can be placed or, on an error, none.

    A document is the live one with the same text, else one with the same path, file name or stem. Offsets are believed
    only where the words there are those of the gold; else the words are looked for in the document. What a program
    made stays known as that; of all else only that it was imported.
    """
    spans: dict[str, list[tuple[Question, GoldSpan]]] = {}
    judgments: list[Judgment] = []
    unplaced: list[tuple[str, str]] = []
    for question in exchange.questions:
        for span in question.gold:
            spans.setdefault(span.document, []).append((question, span))
        if not question.gold and not question.relevant_documents:
            origin = _origin(exchange, question)
            judgments.append(Judgment(asked(question.question), None, None, None, None, origin=origin))
        elif not question.gold:
            unplaced.append((question.question, "Its relevant documents are empty."))
    targets = _Targets(library)
    for document, wanted in spans.items():
        placed, failed = _place(targets, exchange, document, wanted)
        judgments += placed
        unplaced += failed
    return Imported(tuple(dict.fromkeys(library.add_judgments(judgments))), tuple(unplaced))


def _place(
    targets: _Targets, exchange: Exchange, document: str, wanted: list[tuple[Question, GoldSpan]]
) -> tuple[list[Judgment], list[tuple[str, str]]]:
    """The gold in one document of the data set, on the first of the library's that holds it."""
    left, placed = wanted, []
    found = False
    for version, text in targets.of(document, exchange.documents.get(document)):
        found, hashed, finder, rest = True, text_hash(text), Finder(text), []
        for item in left:
            question, span = item
            place = _find(finder, span, exchange.anchor(span))
            if place is None:
                rest.append(item)
            else:
                answer, origin = question.answer or "", _origin(exchange, question)
                placed.append(anchored_in(text, hashed, question.question, version, place, answer, origin))
        left = rest
        if not left:
            break
    return placed, [(question.question, _why(exchange, span, found=found)) for question, span in left]


def _origin(exchange: Exchange, question: Question) -> str:
    return MADE if exchange.origins.get(question.id) == MADE else ORIGIN


def _find(finder: Finder, span: GoldSpan, anchor: Anchor | None) -> Span | None:
    if anchor is None or not anchor.quote.strip():
        return None
    if finder.text[span.start : span.end] == anchor.quote:
        return Span(span.start, span.end)
    return finder.find(anchor.quote, anchor.before, anchor.after, span.start)


def _why(exchange: Exchange, span: GoldSpan, *, found: bool) -> str:
    if not found:
        return f"No document of the library has the text or the name of {span.document}."
    if exchange.anchor(span) is None:
        return f'Its gold in {span.document} comes without its words ("quote"), so its offsets cannot be checked.'
    return f"The words of its gold are not in {span.document} as the library has it."


class _Targets:
    """The library's live documents, by what a data set may know of them."""

    def __init__(self, library: Library) -> None:
        self._library = library
        self._by_length: dict[int, dict[str, None]] = {}
        self._by_name: dict[str, dict[str, None]] = {}
        for row in library.sources():
            self._by_length.setdefault(row.characters, {})[row.version_id] = None
            for name in _names(row.name, *([str(row.path)] if row.path else [])):
                self._by_name.setdefault(name, {})[row.version_id] = None

    def of(self, name: str, text: str | None) -> Iterator[tuple[str, str]]:
        """Versions a document may be, the surest first, each with its text."""
        if text is not None:
            for version in self._by_length.get(len(text), ()):
                if self._text(version) == text:
                    yield version, text
                    return
        seen: set[str] = set()
        for known in _names(name):
            for version in self._by_name.get(known, ()):
                if version not in seen:
                    seen.add(version)
                    yield version, self._text(version)

    def _text(self, version: str) -> str:
        return self._library.document(version).text


def _names(*names: str) -> dict[str, None]:
    """The names themselves, then their last parts, then those without extension.

    >>> list(_names("in/a.md")), list(_names("mail.eml › a.md"))
    (['in/a.md', 'a.md', 'a'], ['mail.eml › a.md', 'a.md', 'a'])
    """
    last = [PurePath(name.replace("\\", "/")).name.rpartition(BEHIND)[2] for name in names]
    return dict.fromkeys(name for name in (*names, *last, *(PurePath(name).stem for name in last)) if name)
