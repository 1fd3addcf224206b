"""The command that tells why a passage is not read for a question, and what would have it read."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator

from core.cli import console, contract
from core.cli.options import asked_settings, home, reading, sources_named
from core.errors import NotFoundError
from core.library import Library
from core.search.explaining.why_not import Change, WhyNot, why_not
from core.storage.catalogue.sources import SourceRow
from core.text.phrases import find_words
from core.types import Span

_MOST_PLACES = 1000  # of one document
_AROUND = 40  # characters of the passage that a summary shows


def why(options: Namespace) -> int:
    """Print the fate of a passage at every stage, and the smallest change of each dial that has it read."""
    with reading(home(options)) as library:
        settings = asked_settings(options, library.settings)
        source, place = _place(library, options)
        scope = library.scope(options.collections, options.tags)
        progress = console.Progress().trying
        found = why_not(library.searcher, options.question, settings, source.version_id, place, scope, progress)
        text = library.document(source.version_id).text[place.start : place.end]
    result = contract.explained(options.question, source.name, place, text, found)
    console.answer(options, result, _in_words(source, place, text, found))
    return 0


def _place(library: Library, options: Namespace) -> tuple[SourceRow, Span]:
    """Where the words stand. Raises ``NotFoundError`` where they do not, or not so often as ``--place`` says."""
    rows = sources_named(library, options.source) if options.source else library.sources()
    if not rows:
        raise NotFoundError(f"There is no source {options.source} in this library.", "`list` names those there are.")
    once = {row.version_id: row for row in reversed(rows)}  # the same bytes under two names are one document
    places = list(_places(library, [row for row in rows if once[row.version_id] is row], options.words))
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


def _in_words(source: SourceRow, place: Span, text: str, found: WhyNot) -> str:
    """What a person reads: where the place is, the sentence, and the changes, a line each."""
    shown = " ".join(text.split())
    shown = shown if len(shown) <= _AROUND else f"{shown[:_AROUND].rsplit(' ', 1)[0]} …"
    told = [f"“{shown}” ({source.name}, {place.start}-{place.end})", found.sentence]
    changes = [f"  {_turned(change)}" for change in found.changes]
    return "\n".join([*told, *(["Each of these alone has it read:", *changes] if changes else [])])


def _turned(change: Change) -> str:
    """A change as options of this command.

    >>> _turned(Change({"retrieval.k": (50, 90)}, 0.1, 1.0, (("type", "pdf"),)))
    '--set retrieval.k=90, without “type: pdf” in the question'
    """
    turned = [f"--set {name}={_written(after)}" for name, (_, after) in change.settings.items()]
    without = [f"without “{kind}: {value}” in the question" for kind, value in change.remove]
    return ", ".join([*turned, *without])


def _written(value: object) -> str:
    """A value as ``--set`` takes it.

    >>> _written(True), _written(0.5), _written(("pdf", "md"))
    ('on', '0.5', 'pdf,md')
    """
    if isinstance(value, bool):
        return "on" if value else "off"
    return ",".join(map(str, value)) if isinstance(value, tuple) else str(value)
