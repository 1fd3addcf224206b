"""Imports a data set's judgments into a library, onto documents with the same text or else the same name."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import PurePath

from core.evaluation.exchange.placing import Places
from core.evaluation.exchange.values import Anchor, Exchange, Quoted
from core.evaluation.suites import GoldSpan, Question
from core.library import Library
from core.storage.catalogue.filing.names import NAME_SEPARATOR
from core.storage.catalogue.judging import Judgment, anchored_in, checked_question
from core.storage.catalogue.texts.documents import text_hash
from core.text.anchoring import Finder
from core.text.spans import non_blank_length
from core.types import Span

ORIGIN, MADE = "imported", "synthetic"
_DISTINCTIVE, _MOST_PLACES = 20, 5  # letters from which on a quote may have several places, and how many
_SHOWN = 60  # characters of a quote that was not placed


@dataclass(frozen=True, slots=True)
class Imported:
    """The result of an import.

    ``judgments``: ids, one for each gold span, including judgments that the library had before. ``unplaced``:
    (question, reason) of each gold span that was not found in a document.
    """

    judgments: tuple[int, ...]
    unplaced: tuple[tuple[str, str], ...]


def import_judgments(library: Library, exchange: Exchange) -> Imported:
    """Store a data set's questions as judgments of a library: all whose gold is found or, on an error, none.

    A document is matched to the live one with the same text, else to those with the same path, file name or stem.
    Offsets are used only where the text there is the gold's quote; else the quote is searched in the document. A quote
    without a document is searched in all, and every place of a long one is gold. The origin is "synthetic" where the
    data set says so, else "imported".
    """
    spans: dict[str, list[tuple[Question, GoldSpan]]] = {}
    judgments: list[Judgment] = []
    unplaced: list[tuple[str, str]] = []
    for question in exchange.questions:
        for span in question.gold:
            spans.setdefault(span.document, []).append((question, span))
        if not question.gold and not question.relevant_documents:
            origin = _origin(exchange, question)
            judgments.append(Judgment(checked_question(question.question), None, None, None, None, origin=origin))
        elif not question.gold:
            unplaced.append((question.question, "Its relevant documents are empty."))
    targets = _Targets(library)
    for document, items in spans.items():
        placed, failures = _judgments_in(targets, exchange, document, items)
        judgments += placed
        unplaced += failures
    if exchange.quoted:
        placed, failures = _judgments_of(targets, exchange.quoted)
        judgments += placed
        unplaced += failures
    return Imported(tuple(dict.fromkeys(library.add_judgments(judgments))), tuple(unplaced))


def _judgments_in(
    targets: _Targets, exchange: Exchange, document: str, items: list[tuple[Question, GoldSpan]]
) -> tuple[list[Judgment], list[tuple[str, str]]]:
    """The judgments for gold in one document of the data set, and (question, reason) of gold that was not found.

    Each gold span goes to the first matching document of the library that has its quote.
    """
    open_items, judgments = items, []
    has_target = False
    for version, text in targets.of(document, exchange.documents.get(document)):
        has_target, hashed, finder, missing = True, text_hash(text), Finder(text), []
        for item in open_items:
            question, gold = item
            span = _find(finder, gold, exchange.anchor(gold))
            if span is None:
                missing.append(item)
            else:
                answer, origin = question.answer or "", _origin(exchange, question)
                judgments.append(anchored_in(text, hashed, question.question, version, span, answer, origin))
        open_items = missing
        if not open_items:
            break
    reasons = [(question.question, _reason(exchange, gold, has_target=has_target)) for question, gold in open_items]
    return judgments, reasons


def _judgments_of(targets: _Targets, questions: Sequence[Quoted]) -> tuple[list[Judgment], list[tuple[str, str]]]:
    """The judgments for questions known by their words, and (question, reason) of each quote that was not placed."""
    judgments: list[Judgment] = []
    unplaced: list[tuple[str, str]] = []
    open_quotes: list[_Sought] = []
    for item in questions:
        if item.unanswerable:
            judgments.append(Judgment(checked_question(item.question), None, None, None, None, origin=ORIGIN))
        elif not item.quotes:
            unplaced.append((item.question, "Its row has neither an answer nor a passage."))
        open_quotes += [_Sought(item, quote, targets.versions(item.document)) for quote in item.quotes]
    for version, text in targets.texts({version for sought in open_quotes for version in sought.versions}):
        places = Places(text)
        for sought in open_quotes:
            if version in sought.versions:
                closeness, found = places.of(sought.quote)
                sought.found += [(closeness, version, span) for span in found]
    placed: dict[str, list[tuple[Quoted, Span]]] = {}
    for sought in open_quotes:
        gold = sought.gold()
        if isinstance(gold, str):
            unplaced.append((sought.question.question, gold))
        else:
            for version, span in gold:
                placed.setdefault(version, []).append((sought.question, span))
    for version, text in targets.texts(placed):
        hashed = text_hash(text)
        judgments += [
            anchored_in(text, hashed, item.question, version, span, item.answer, ORIGIN)
            for item, span in placed[version]
        ]
    return judgments, unplaced


@dataclass(slots=True)
class _Sought:
    """A quote of a question, the versions it may be in, and where it was ``found``: (closeness, version, span)."""

    question: Quoted
    quote: str
    versions: frozenset[str]
    found: list[tuple[int, str, Span]] = field(default_factory=list)

    def gold(self) -> list[tuple[str, Span]] | str:
        """The places that have the quote most closely or, where it is not placed, the reason."""
        document = self.question.document
        if not self.versions:
            return f"No document of the library is called {document}." if document else "The library is empty."
        closest = min((closeness for closeness, _, _ in self.found), default=0)
        places = [(version, span) for closeness, version, span in self.found if closeness == closest]
        words = f"“{self.quote if len(self.quote) <= _SHOWN else self.quote[:_SHOWN] + '…'}”"
        if not places:
            where = f"not in {document} as the library has it" if document else "in no document of the library"
            return f"{words} is {where}: quote the passage word for word."
        if len(places) > (_MOST_PLACES if non_blank_length(self.quote) >= _DISTINCTIVE else 1):
            more = "quote more of the passage" + ("" if document else ", or name its document")
            return f"{words} is in {len(places):,} places: {more}."
        return places


def _origin(exchange: Exchange, question: Question) -> str:
    return MADE if exchange.origins.get(question.id) == MADE else ORIGIN


def _find(finder: Finder, span: GoldSpan, anchor: Anchor | None) -> Span | None:
    if anchor is None or not anchor.quote.strip():
        return None
    if finder.text[span.start : span.end] == anchor.quote:
        return Span(span.start, span.end)
    return finder.find(anchor.quote, anchor.before, anchor.after, span.start)


def _reason(exchange: Exchange, span: GoldSpan, *, has_target: bool) -> str:
    if not has_target:
        return f"No document of the library has the text or the name of {span.document}."
    if exchange.anchor(span) is None:
        return f'Its gold in {span.document} comes without its words ("quote"), so its offsets cannot be checked.'
    reason = f"The words of its gold are not in {span.document} as the library has it."
    text = exchange.documents.get(span.document)
    if text is not None and (span.start, span.end) == (0, len(text)):
        reason += " They are all of the data set's text: `judgments import --suite` makes a suite of it as it is."
    return reason


class _Targets:
    """Finds the library's live documents by their text or name."""

    def __init__(self, library: Library) -> None:
        self._library = library
        self._by_length: dict[int, dict[str, None]] = {}
        self._by_name: dict[str, dict[str, None]] = {}
        for row in library.sources():
            self._by_length.setdefault(row.characters, {})[row.version_id] = None
            for name in _names(row.name, *([str(row.path)] if row.path else [])):
                self._by_name.setdefault(name, {})[row.version_id] = None

    def of(self, name: str, text: str | None) -> Iterator[tuple[str, str]]:
        """(version, text) of the candidates for a document: the one with the same text, else by name, closest first."""
        if text is not None:
            for version in self._by_length.get(len(text), ()):
                if self._text(version) == text:
                    yield version, text
                    return
        candidates = dict.fromkeys(version for variant in _names(name) for version in self._by_name.get(variant, ()))
        for version in candidates:
            yield version, self._text(version)

    def versions(self, name: str) -> frozenset[str]:
        """The versions called ``name``, in its closest form; all for ""."""
        if not name:
            return frozenset(version for versions in self._by_name.values() for version in versions)
        return frozenset(next((self._by_name[form] for form in _names(name) if form in self._by_name), ()))

    def texts(self, versions: Collection[str]) -> Iterator[tuple[str, str]]:
        """Each version with its text."""
        for version in sorted(versions):
            yield version, self._text(version)

    def _text(self, version: str) -> str:
        return self._library.document(version).text


def _names(*names: str) -> dict[str, None]:
    """The names, then their last path components, then those without extension; without duplicates.

    >>> list(_names("in/a.md")), list(_names("mail.eml › a.md"))
    (['in/a.md', 'a.md', 'a'], ['mail.eml › a.md', 'a.md', 'a'])
    """
    last = [PurePath(name.replace("\\", "/")).name.rpartition(NAME_SEPARATOR)[2] for name in names]
    return dict.fromkeys(name for name in (*names, *last, *(PurePath(name).stem for name in last)) if name)
