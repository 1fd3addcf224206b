"""Companions: text that a passage needs but that stands elsewhere; one function for each kind of ``expansion.brings``.

They are found by rules on the documents' texts, so they do not depend on the chunking.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain

from core.chunking.signals.log_lines import log_entries
from core.chunking.signals.log_stamps import read_stamp
from core.chunking.signals.turns import find_turns
from core.search.expansion.growth import Extent, Growth, leaf_at, leaves_within
from core.text.analysis import analyse
from core.text.sentences import sentence_spans
from core.types import Span

Companion = tuple[int, Span, str]  # the document, the span, and the reason for the user

_SHARE = 0.5  # the limit of a child's companions together, relative to that of its passage
_BEFORE, _AFTER = 4000, 2000  # characters around a child that are searched for turns and log entries
_TURNS_BACK = 3  # how many turns before an answer are searched for its question
_SESSIONS = ("session", "request", "id")  # kinds of id, most specific first; threads serve many sessions
_LONGEST_STAMP_LINE = 1000  # characters of a line that are searched for a time stamp


def with_companions(growth: Growth, extents: list[Extent]) -> list[Extent]:
    """The extents, followed by the companions of their children. ``extents``: starts with those of the children.

    A companion has the relevance of its child and so comes right after it. The companions of a child together may take
    half of its share of the budget. Each text is brought once, by the best child, unless its passage contains it.
    """
    kinds = growth.settings.brings
    if not kinds:
        return extents
    companions: list[Extent] = []
    for position in range(len(growth.children[: growth.first])):
        passage, left = extents[position], growth.room(position) * _SHARE
        for document, span, reason in chain.from_iterable(COMPANIONS[kind](growth, position) for kind in kinds):
            if span.length > left or any(_contains(extent, document, span) for extent in (passage, *companions)):
                continue
            left -= span.length
            child = leaf_at(growth.leaves, document, span.start)
            relevance = float(growth.relevances[position])
            companions.append(Extent(child, document, span.start, span.end, reason, relevance))
    return [*extents, *companions]


def _contains(extent: Extent, document: int, span: Span) -> bool:
    return extent.document == document and extent.start <= span.start and span.end <= extent.end


def _child(growth: Growth, position: int) -> tuple[int, str, Span]:
    """The child's document, the document's text, and the child's span."""
    child = growth.children[position]
    document = int(growth.leaves.documents[child])
    return document, growth.reads.text(document), growth.span(child, child)


def question(growth: Growth, position: int) -> Iterator[Companion]:
    """The question that the child's first turn answers: the nearest earlier turn of another speaker that ends with one.

    If the turn is too long, only its last sentence.
    """
    document, text, own = _child(growth, position)
    turns = find_turns(text, max(0, own.start - _BEFORE), min(len(text), own.end + _AFTER))
    before = [turn for turn in turns if turn.start <= own.start]
    if not before or before[-1].asks:
        return
    for turn in reversed(before[-1 - _TURNS_BACK : -1]):
        if turn.asks and turn.speaker != before[-1].speaker:
            fits = turn.end - turn.start <= growth.room(position) * _SHARE
            asked = Span(turn.start, turn.end) if fits else sentence_spans(text, turn.start, turn.end)[-1]
            yield document, asked, "the question that a retrieved turn answers"
            return


def definitions(growth: Growth, position: int) -> Iterator[Companion]:
    """The sentences that define terms the child uses; none for code."""
    document, text, own = _child(growth, position)
    if growth.reads.kind(document) != "code":
        for term in growth.reads.terms(document).uses(text, own.start, own.end):
            if len(term.name) > 1:  # single letters match everywhere
                yield document, term.definition, f"the definition of “{term.name}”, which a retrieved child uses"


def session(growth: Growth, position: int) -> Iterator[Companion]:
    """Log entries near the child with the session id of its entry that has the most question terms."""
    document, text, own = _child(growth, position)
    line = text.rfind("\n", 0, own.start) + 1
    if not read_stamp(text[line : line + _LONGEST_STAMP_LINE].split("\n")[0]):
        return
    start = text.rfind("\n", 0, max(0, own.start - _BEFORE)) + 1
    entries = log_entries(text, start, min(len(text), own.end + _BEFORE))
    inside = [entry for entry in entries if own.start <= entry.start < own.end]
    terms = set(analyse(growth.ranking.question))
    best = max(inside, key=lambda entry: len(terms & set(analyse(text[entry.start : entry.end]))), default=None)
    ids = best.ids if best is not None else {}
    kind = next((kind for kind in _SESSIONS if kind in ids), "")
    for entry in entries if kind else ():
        if entry.ids.get(kind) == ids[kind] and not own.start <= entry.start < own.end:
            yield document, Span(entry.start, entry.end), f"an entry of the {kind} that a retrieved child tells of"


def calls(growth: Growth, position: int) -> Iterator[Companion]:
    """Definitions in other files of what the child's code calls, best-scored first; a long one is cut to fit."""
    child, room = growth.children[position], growth.room(position) * _SHARE
    callees: list[tuple[float, int, Span, str]] = []
    for name, document, span in growth.reads.called(child):
        if document == growth.leaves.documents[child]:
            continue  # search finds the same file anyway, and moving its parts up measured worse
        first, last = leaves_within(growth.leaves, document, span)
        while last > first and growth.span(first, last).length > room:
            last -= 1
        if first <= last:
            callees.append((growth.score(first), document, growth.span(first, last), name))
    for _, document, span, name in sorted(callees, key=lambda one: -one[0]):
        yield document, span, f"the definition of “{name}”, which a retrieved child calls"


COMPANIONS: dict[str, Callable[[Growth, int], Iterator[Companion]]] = {
    "question": question,
    "definitions": definitions,
    "session": session,
    "calls": calls,
}
