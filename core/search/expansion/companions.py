"""What a passage leaves unsaid because it stands elsewhere, read beside it: each kind of ``expansion.brings``.

Rules over the documents' own texts find it, so that it works under every way of cutting.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import numpy as np

from core.chunking.signals.log_lines import log_entries
from core.chunking.signals.log_stamps import read_stamp
from core.chunking.signals.turns import find_turns
from core.chunking.situating import points_back
from core.search.expansion.growth import Extent, Growth, family, leaf_at, stands_alone
from core.search.expansion.linking import referred
from core.search.expansion.relevance import added
from core.text.analysis import analyse
from core.text.sentences import sentence_spans
from core.types import Span

Place = tuple[int, Span, str]  # a document, what of it is read, and why, for people

_ROOM = 0.5  # what companions may take of the budget, as a part of what their child's passage may
_BEFORE, _BEHIND = 4000, 2000  # characters around a child that are read for turns and entries of a log
_TURNS = 3  # turns before one among which what it answers is looked for
_SENTENCE = 600  # characters before a child in which the sentence before it is looked for
_LISTING, _HEAD_LINES = 20_000, 200  # characters and lines above a child in which what encloses it is looked for
_IMPORTS = 6000  # characters at a listing's beginning that are read for imports
_IMPORT = re.compile(
    r"^[ \t]*(?:(?:from|import|use|using|require|include|#include)\b[^\n]*|\"[\w./-]+\"|[\w.]+ \"[\w./-]+\")$",
    re.MULTILINE,
)
_NAME = re.compile(r"[^\W\d]\w*")
_DOCSTRING = ('"""', "'''")
_SESSIONS = ("session", "request", "id")  # kinds of id, the most telling first; threads serve many
_LINE = 1000  # characters of a line in which a stamp is looked for


def with_companions(growth: Growth, made: list[Extent]) -> list[Extent]:
    """The extents, and behind them what their children bring; ``made``: the children's own extents first, in order.

    A companion is as relevant as its child, and so is read right after it; what a child of low confidence refers to
    comes half way between it and the last one kept. Together they may take half of what the child's passage may. Each
    text is brought once, by the best child that needs it, and none that the child's own passage holds.
    """
    brings = growth.settings.brings
    extra: list[Extent] = []
    brought: dict[int, list[Span]] = {}
    if "references" in brings:
        unsure = growth.confidences[: growth.first] < growth.settings.confidence
        growth.reads.references([growth.children[place] for place in np.flatnonzero(unsure)])  # all at once
    least = float(growth.relevances.min()) if len(growth.relevances) else 0.0
    for place in range(len(growth.children[: growth.first]) if brings else 0):
        own = made[place]
        left = growth.room(place) * _ROOM
        for kind in brings:
            relevance = float(growth.relevances[place])
            for document, span, reason in COMPANIONS[kind](growth, place):
                held = brought.setdefault(document, [])
                inside = own.document == document and own.start <= span.start and span.end <= own.end
                if inside or span.length > left or any(one.contains(span) for one in held):
                    continue
                held.append(span)
                left -= span.length
                child = leaf_at(growth.leaves, document, span.start)
                worth = added(relevance, least) if kind == "references" else relevance
                extra.append(Extent(child, document, span.start, span.end, reason, worth))
    return [*made, *extra]


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


def antecedent(growth: Growth, place: int) -> Iterator[Place]:
    """The sentence before a child of prose that begins with a word such as "it", inside its parent."""
    document, text, own = _child(growth, place)
    if not points_back(text[own.start : own.start + 80]) or not stands_alone(text, own, growth.reads.kind(document)):
        return
    first, _ = family(growth.leaves, growth.children[place])
    start = max(int(growth.leaves.starts[first]), own.start - _SENTENCE)
    if start < own.start and (before := growth.reads.sentences(document, start, own.start)):
        yield document, before[-1], "the sentence that the first word of a retrieved child points back to"


def head(growth: Growth, place: int) -> Iterator[Place]:
    """Of a listing: the lines that enclose the child by their indentation, docstrings with them, and its imports."""
    document, text, own = _child(growth, place)
    if growth.reads.kind(document) != "code":
        return
    names = set(_NAME.findall(text, own.start, own.end))
    lines = text[max(0, own.start - _LISTING) : own.start].split("\n")[-_HEAD_LINES:]
    begun = text[own.start - len(lines[-1]) : own.end]
    indent = min((_indent(line) for line in begun.split("\n") if line.strip()), default=0)
    end = own.start - len(lines.pop()) - 1
    for line in reversed(lines):
        if line.strip() and _indent(line) < indent:
            indent = _indent(line)
            yield document, _documented(text, Span(end - len(line) + indent, end)), "what encloses a retrieved child"
        end -= len(line) + 1
    for found in _IMPORT.finditer(text, 0, min(_IMPORTS, own.start)):
        if names & set(_NAME.findall(found.group())[-3:]):
            yield document, Span(*found.span()), "an import of what a retrieved child uses"


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _documented(text: str, line: Span) -> Span:
    """A line with the docstring right below it."""
    mark = next((mark for mark in _DOCSTRING if text[line.end : line.end + 200].lstrip()[:3] == mark), "")
    opened = text.find(mark, line.end) if mark else -1
    closed = text.find(mark, opened + 3) if mark else -1
    return Span(line.start, closed + 3) if closed > 0 else line


def definitions(growth: Growth, place: int) -> Iterator[Place]:
    """The sentences that define the terms which the child uses, of prose that defines any."""
    document, text, own = _child(growth, place)
    if growth.reads.kind(document) != "code":
        for term in growth.reads.terms(document).uses(text, own.start, own.end):
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
    kind = next((kind for kind in _SESSIONS if best is not None and kind in best.ids), "")
    for entry in entries if best is not None and kind else ():
        if entry.ids.get(kind) == best.ids[kind] and not own.start <= entry.start < own.end:
            yield document, Span(entry.start, entry.end), f"an entry of the {kind} that a retrieved child tells of"


def references(growth: Growth, place: int) -> Iterator[Place]:
    """The leaves at the places a child of low confidence refers to, in its document or another."""
    if growth.confidences[place] < growth.settings.confidence:
        child = growth.children[place]
        for leaf, reason in referred(growth, child, growth.reads.references([child])[child]):
            yield int(growth.leaves.documents[leaf]), growth.span(leaf, leaf), reason


COMPANIONS: dict[str, Callable[[Growth, int], Iterator[Place]]] = {
    "question": question,
    "antecedent": antecedent,
    "head": head,
    "definitions": definitions,
    "session": session,
    "references": references,
}
