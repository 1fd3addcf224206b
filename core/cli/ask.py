"""The commands that ask a library: what is found for a question, and what answers it."""

from __future__ import annotations

from argparse import Namespace
from contextlib import suppress
from time import perf_counter

from core.cli import console, contract
from core.cli.export import save
from core.cli.options import asked_settings, home, reading
from core.enriching import Features
from core.errors import NotFoundError, SettingsError
from core.inspecting.as_markdown import question_as_markdown
from core.library import Library
from core.search.answer import Line, in_words
from core.search.result import SearchResult
from core.settings import Settings
from core.types import Quote


def query(options: Namespace) -> int:
    """Search a library and print hits, passages, context and timings."""
    with reading(home(options)) as library:
        result = _searched(library, options, asked_settings(options, library.settings))
        features = _features(library, result) if options.json else {}
    console.answer(options, contract.answer(result, features), result.context.prompt)
    return 0


def ask(options: Namespace) -> int:
    """Ask a library and print the sentences and cells that answer with their places, or that it does not say."""
    with reading(home(options)) as library:
        settings = asked_settings(options, library.settings)
        if not settings.answering.sentences:
            raise SettingsError("answering.sentences is 0: nothing is quoted.", "Set it to 1 or more, or use query.")
        result = _searched(library, options, settings)
        started = perf_counter()
        line = library.searcher.answer(result, settings.answering)
        took = (perf_counter() - started) * 1000
        features = _features(library, result) if options.json else {}
        name = library.home.name
    if options.markdown is not None:
        save(options.markdown, question_as_markdown(result, line, name))
    found = contract.answered(result, line, features)
    timings = {**result.timings_ms, "quotes": took}
    console.answer(options, {**found, "timings_ms": timings}, _in_words(result, line))
    return 0


def _searched(library: Library, options: Namespace, settings: Settings) -> SearchResult:
    scope = library.scope(options.collections, options.tags)
    return library.search(options.question, settings, scope=scope)


def _features(library: Library, result: SearchResult) -> dict[str, Features]:
    """Of all chunks of the documents that hits are in; a document that is gone meanwhile has none."""
    found: dict[str, Features] = {}
    for version in dict.fromkeys(hit.version_id for hit in result.hits):
        with suppress(NotFoundError):
            found |= library.features(version)
    return found


def _in_words(result: SearchResult, line: Line) -> str:
    """The answer for a person: each quote with its place, what the sources disagree on and whose word counts, how
    likely it is one, and what else is to be known of how it was found.
    """
    quotes = [_with_place(number, quote) for number, quote in enumerate(line.answer.quotes, 1)]
    disagreed = [
        f"The sources disagree: {', '.join(f'{side.value} ({side.document})' for side in conflict.sides)}."
        + (f" {conflict.reason}" if conflict.reason else "")
        for conflict in result.conflicts
    ]
    said = [*quotes, *disagreed, line.support.sentence] if line.supported else [line.text, *disagreed]
    return "\n\n".join([*said, *result.notes])


def _with_place(number: int, quote: Quote) -> str:
    """A quote for a terminal, and below it where it stands."""
    place = quote.citation
    page = f", page {place.page}" if place.page else ""
    return f"[{number}] {in_words(quote)}\n    {place.document}{page} ({place.source}, {place.start}-{place.end})"
