"""What a passage leaves unsaid because it stands elsewhere, read beside it: each kind of ``expansion.brings``.

Rules over the documents' own texts find it, so that it works under every way of cutting.
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

Place = tuple[int, Span, str]  # a document, what of it is read, and why, for people

_ROOM = 0.5  # what companions may take of the budget, as a part of what their child's passage may
_BEFORE, _BEHIND = 4000, 2000  # characters around a child that are read for turns and entries of a log
_TURNS = 3  # turns before one among which what it answers is looked for
_SESSIONS = ("session", "request", "id")  # kinds of id, the most telling first; threads serve many
_LINE = 1000  # characters of a line in which a stamp is looked for


def with_companions(growth: Growth, made: list[Extent]) -> list[Extent]:
    """The extents, and behind them what their children bring; ``made``: the children's own extents first, in order.

    A companion is as relevant as its child, and so is read right after it. Together they may take half of what the
    child's passage may. Each text is brought once, by the best child that needs it, and none that its passage holds.
    """
    brings = growth.settings.brings
    extra: list[Extent] = []
    for place in range(len(growth.children[: growth.first]) if brings else 0):
        own, left = made[place], growth.room(place) * _ROOM
        for document, span, reason in chain.from_iterable(COMPANIONS[kind](growth, place) for kind in brings):
            if span.length <= left and not any(_holds(one, document, span) for one in (own, *extra)):
                left -= span.length
                child = leaf_at(growth.leaves, document, span.start)
                worth = float(growth.relevances[place])
                extra.append(Extent(child, document, span.start, span.end, reason, worth))
    return [*made, *extra]


def _holds(extent: Extent, document: int, span: Span) -> bool:
    return extent.document == document and extent.start <= span.start and span.end <= extent.end


def _child(growth: Growth, place: int) -> tuple[int, str, Span]:
    """The child's document, that document's text, and where in it the child stands."""
    child = growth.children[place]
    document = int(growth.leaves.documents[child])
    return document, growth.reads.text(document), growth.span(child, child)


def question(growth: Growth, place: int) -> Iterator[Place]:
    """The turn that the child's first turn answers: the nearest before it, of another speaker, that ends by asking.

    Of one that is longer than a passage its last sentence.
    """
    document, text, own = _child(growth, place)
    turns = find_turns(text, max(0, own.start - _BEFORE), min(len(text), own.end + _BEHIND))
    before = [turn for turn in turns if turn.start <= own.start]
    if not before or before[-1].asks:
        return
    for turn in reversed(before[-1 - _TURNS : -1]):
        if turn.asks and turn.speaker != before[-1].speaker:
            fits = turn.end - turn.start <= growth.room(place) * _ROOM
            asked = Span(turn.start, turn.end) if fits else sentence_spans(text, turn.start, turn.end)[-1]
            yield document, asked, "the question that a retrieved turn answers"
            return


def definitions(growth: Growth, place: int) -> Iterator[Place]:
    """The sentences that define the terms which the child uses, of prose that defines any."""
    document, text, own = _child(growth, place)
    if growth.reads.kind(document) != "code":
        for term in growth.reads.terms(document).uses(text, own.start, own.end):
            if len(term.name) > 1:  # letters are quoted in talk, and stand everywhere
                yield document, term.definition, f"the definition of “{term.name}”, which a retrieved child uses"


def session(growth: Growth, place: int) -> Iterator[Place]:
    """The entries near a log's child of the same session as the one in it that has most of the question's words."""
    document, text, own = _child(growth, place)
    line = text.rfind("\n", 0, own.start) + 1
    if not read_stamp(text[line : line + _LINE].split("\n")[0]):
        return
    start = text.rfind("\n", 0, max(0, own.start - _BEFORE)) + 1
    entries = log_entries(text, start, min(len(text), own.end + _BEFORE))
    inside = [entry for entry in entries if own.start <= entry.start < own.end]
    asked = set(analyse(growth.ranking.question))
    best = max(inside, key=lambda entry: len(asked & set(analyse(text[entry.start : entry.end]))), default=None)
    ids = best.ids if best is not None else {}
    kind = next((kind for kind in _SESSIONS if kind in ids), "")
    for entry in entries if kind else ():
        if entry.ids.get(kind) == ids[kind] and not own.start <= entry.start < own.end:
            yield document, Span(entry.start, entry.end), f"an entry of the {kind} that a retrieved child tells of"


def calls(growth: Growth, place: int) -> Iterator[Place]:
    """The definitions in other files of what the child's code calls, the best-scored first; of a long one what fits."""
    child, room = growth.children[place], growth.room(place) * _ROOM
    found: list[tuple[float, int, Span, str]] = []
    for name, document, span in growth.reads.called(child):
        if document == growth.leaves.documents[child]:
            continue  # the file is found by itself, and bringing its parts forward was seen to lose
        first, last = leaves_within(growth.leaves, document, span)
        while last > first and growth.span(first, last).length > room:
            last -= 1
        if first <= last:
            found.append((growth.score(first), document, growth.span(first, last), name))
    for _, document, span, name in sorted(found, key=lambda one: -one[0]):
        yield document, span, f"the definition of “{name}”, which a retrieved child calls"


COMPANIONS: dict[str, Callable[[Growth, int], Iterator[Place]]] = {
    "question": question,
    "definitions": definitions,
    "session": session,
    "calls": calls,
}
