"""The commands that ask a library: ``query``, ``ask``, ``why`` and ``check``."""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Iterator, Sequence
from contextlib import suppress
from time import perf_counter
from typing import Any

from core.cli import console, contract
from core.cli.export import save
from core.cli.options import asked_settings, home, language_model, model_judge, open_to_read, sources_named
from core.enriching.features import Features
from core.errors import NotFoundError, SettingsError
from core.evidence import Quote
from core.inspecting.as_markdown import questions_as_markdown
from core.library import Library
from core.search.answer.line import Line, in_words
from core.search.checking.checking import NOT_FOUND, PARTLY, SUPPORTED, Verdict
from core.search.checking.library_check import check_text, packaged_judge
from core.search.context.written_prompt import followed
from core.search.explaining.why_not import Change, WhyNot, why_not
from core.search.question.query import Query
from core.search.result import SearchResult
from core.settings import Settings
from core.storage.catalogue.filing.sources import SourceRow
from core.text.phrases import find_words
from core.types import Span

_VERDICT_WORDS = {SUPPORTED: "supported", PARTLY: "partly", NOT_FOUND: "not found"}


def check(options: Namespace) -> int:
    """Print whether the library supports each sentence of a text, and where."""
    text = sys.stdin.read() if options.text == "-" else options.text
    with open_to_read(home(options)) as library:
        settings = asked_settings(options, library.settings)
        scope = library.scope(options.collections, options.tags)
        judge = model_judge(language_model())
        progress = console.Progress().counting("sentence")
        verdicts = check_text(library.searcher, text, settings, scope, progress, judge or packaged_judge)
    if judge and judge.fault:
        console.complain(f"The re-ranker judged in the model's place. {judge.fault}")
    console.answer(options, checked(verdicts), "\n\n".join(map(_verdict_in_words, verdicts)))
    return 0


def checked(verdicts: Sequence[Verdict]) -> dict[str, Any]:
    """The result of ``check``. ``spans``: the evidence for each sentence, or the nearest text."""
    return {
        "sentences": [
            {
                "text": verdict.claim.text,
                "verdict": verdict.verdict,
                "reason": verdict.reason,
                "spans": [
                    {**contract.pick(place, "document source start end page"), "quote": text}
                    for place, text in zip(verdict.spans, verdict.texts, strict=True)
                ],
            }
            for verdict in verdicts
        ]
    }


def _verdict_in_words(verdict: Verdict) -> str:
    places = [f"    {place.document} ({place.source}, {place.start}-{place.end})" for place in verdict.spans]
    head = f"{_VERDICT_WORDS[verdict.verdict]}: {verdict.claim.text}"
    return "\n".join([head, f"    {verdict.reason}", *places])


_MOST_PLACES = 1000  # of one document
_SHOWN = 40  # characters of the passage that a summary shows


def why(options: Namespace) -> int:
    """Print the fate of a passage at every stage, and the changes that would bring it into the context."""
    with open_to_read(home(options)) as library:
        settings = asked_settings(options, library.settings)
        source, place = _place(library, options)
        query = Query(options.question, library.scope(options.collections, options.tags))
        progress = console.Progress().counting("setting")
        found = why_not(library.searcher, query, settings, source.version_id, place, progress)
        text = library.document(source.version_id).text[place.start : place.end]
    result = contract.explained(options.question, source.name, place, text, found)
    console.answer(options, result, _place_in_words(source, place, text, found))
    return 0


def _place(library: Library, options: Namespace) -> tuple[SourceRow, Span]:
    """The occurrence of the words that ``--place`` selects. Raises ``NotFoundError`` where it does not exist."""
    rows = sources_named(library, options.source) if options.source else library.sources()
    if not rows:
        raise NotFoundError(f"There is no source {options.source} in this library.", "`list` names those there are.")
    first_rows = {row.version_id: row for row in reversed(rows)}  # sources with equal bytes are one document
    places = list(_places(library, [row for row in rows if first_rows[row.version_id] is row], options.words))
    if not places:
        raise NotFoundError(
            "These words do not stand in a document one after another.", "Give fewer of them, as they stand there."
        )
    number: int = options.place
    if not 1 <= number <= len(places):
        raise NotFoundError(f"There is no place {number}.", f"The words stand in {len(places):,}.")
    if len(places) > 1:
        console.complain(f"The words stand in {len(places):,} places; this is number {number} (--place).")
    return places[number - 1]


def _places(library: Library, rows: list[SourceRow], words: str) -> Iterator[tuple[SourceRow, Span]]:
    for row in rows:
        yield from ((row, span) for span in find_words(library.document(row.version_id).text, words, _MOST_PLACES))


def _place_in_words(source: SourceRow, place: Span, text: str, found: WhyNot) -> str:
    """The summary of ``why``: the place, the explanation, and one line for each change."""
    shown = " ".join(text.split())
    shown = shown if len(shown) <= _SHOWN else f"{shown[:_SHOWN].rsplit(' ', 1)[0]} …"
    lines = [f"“{shown}” ({source.name}, {place.start}-{place.end})", found.sentence]
    changes = [f"  {_as_options(change)}" for change in found.changes]
    return "\n".join([*lines, *(["Each of these alone has it read:", *changes] if changes else [])])


def _as_options(change: Change) -> str:
    """A change as options of this command.

    >>> _as_options(Change({"retrieval.k": (50, 90)}, 0.1, 1.0, (("type", "pdf"),)))
    '--set retrieval.k=90, without “type: pdf” in the question'
    """
    settings = [f"--set {name}={_option_value(after)}" for name, (_, after) in change.settings.items()]
    without = [f"without “{kind}: {value}” in the question" for kind, value in change.remove]
    return ", ".join([*settings, *without])


def _option_value(value: object) -> str:
    """A value in the syntax of ``--set``.

    >>> _option_value(True), _option_value(0.5), _option_value(("pdf", "md"))
    ('on', '0.5', 'pdf,md')
    """
    if isinstance(value, bool):
        return "on" if value else "off"
    return ",".join(map(str, value)) if isinstance(value, tuple) else str(value)


def query(options: Namespace) -> int:
    """Search a library and print its hits, passages, context and timings."""
    with open_to_read(home(options)) as library:
        result = _search(library, options, asked_settings(options, library.settings))
        features = _features(library, result) if options.json else {}
    for note in result.notes:
        console.complain(note)
    console.answer(options, contract.answer(result, features), result.context.prompt)
    return 0


def ask(options: Namespace) -> int:
    """Ask a library and print the quotes that answer with their citations, or that it does not say."""
    with open_to_read(home(options)) as library:
        settings = asked_settings(options, library.settings)
        if not settings.answering.sentences:
            raise SettingsError("answering.sentences is 0: nothing is quoted.", "Set it to 1 or more, or use query.")
        if options.after:
            question, fault = followed(options.after, options.question, language_model())
            if fault or question != options.question:
                console.complain(f"{fault} Asked as: {question}".strip())
            options.question = question
        result = _search(library, options, settings)
        start = perf_counter()
        line = library.searcher.answer(result, settings.answering)
        quotes_ms = (perf_counter() - start) * 1000
        features = _features(library, result) if options.json else {}
        name = library.home.name
    if options.markdown is not None:
        save(options.markdown, questions_as_markdown([result], [line], name))
    answer = contract.answered(result, line, features)
    timings = {**result.timings_ms, "quotes": quotes_ms}
    console.answer(options, {**answer, "timings_ms": timings}, _in_words(result, line))
    return 0


def _search(library: Library, options: Namespace, settings: Settings) -> SearchResult:
    scope = library.scope(options.collections, options.tags)
    return library.search(options.question, settings, scope=scope)


def _features(library: Library, result: SearchResult) -> dict[str, Features]:
    """Chunk id -> features, for all chunks of the documents that have hits."""
    features: dict[str, Features] = {}
    for version in dict.fromkeys(hit.version_id for hit in result.hits):
        with suppress(NotFoundError):  # removed in the meantime
            features |= library.features(version)
    return features


def _in_words(result: SearchResult, line: Line) -> str:
    """The summary of ``ask``: the cited quotes, conflicts between sources, the probability, and notes on the search."""
    quotes = [_cited_quote(number, quote) for number, quote in enumerate(line.answer.quotes, 1)]
    conflicts = [conflict.sentence for conflict in result.conflicts]
    parts = [*quotes, *conflicts, line.support.sentence] if line.supported else [line.text, *conflicts]
    return "\n\n".join([*parts, *result.notes])


def _cited_quote(number: int, quote: Quote) -> str:
    """A quote with its citation on the next line."""
    place = quote.citation
    page = f", page {place.page}" if place.page else ""
    return f"[{number}] {in_words(quote)}\n    {place.document}{page} ({place.source}, {place.start}-{place.end})"
