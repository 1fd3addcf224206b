"""One question under two presets: what each read of the gold, drawn on the documents' text."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import streamlit as st

from core.errors import LecternError
from core.evaluation.records import QuestionOutcome
from core.evaluation.regions import Placed
from core.evaluation.reporting.report import AskedQuestion
from core.text.numerals import ordinal
from core.text.spans import merge_spans, subtract_spans
from core.types import Span
from pages.ui.ask.stages import STAGES
from pages.ui.shared import assets

AROUND = 320  # characters of surroundings on either side of the gold
TextOf = Callable[[str], str]  # a document's text by its name; raises a LecternError where it could not be read

_drill = st.components.v2.component(
    "lectern.bench_drill",
    html='<div class="lectern bench-drill"></div>',
    css=assets.text(__file__, "palette.css", "bench_drill.css"),
    js=assets.text(__file__, "offsets.js", "bench_drill.js"),
)


@dataclass(frozen=True, slots=True)
class Read:
    """Characters that were read as part of the context's passage of this 1-based rank."""

    start: int
    end: int
    rank: int


@dataclass(frozen=True, slots=True)
class Part:
    """A run of text that is all gold or none, and all of one passage or of none (``rank`` 0)."""

    text: str
    rank: int
    gold: bool


def what_was_read(context: Sequence[Placed], budget: int) -> dict[str, list[Read]]:
    """New characters by document, each with the passage that brought it, until ``budget`` are taken.

    >>> what_was_read([("a", 0, 4), ("a", 2, 8), ("b", 0, 9)], 7)
    {'a': [Read(start=0, end=4, rank=1), Read(start=4, end=7, rank=2)]}
    """
    found: dict[str, list[Read]] = {}
    room = budget
    for rank, (name, start, end) in enumerate(context, start=1):
        held = merge_spans([Span(item.start, item.end) for item in found.get(name, [])])
        for piece in subtract_spans([Span(start, end)], held):
            taken = min(piece.length, room)
            if taken:
                found.setdefault(name, []).append(Read(piece.start, piece.start + taken, rank))
            room -= taken
    return found


def parts(text: str, window: Span, gold: Sequence[Span], read: Sequence[Read]) -> list[Part]:
    """The window's text in pieces that are marked alike.

    >>> parts("abcdef", Span(0, 6), [Span(2, 4)], [Read(3, 6, 1)])[1:3]
    [Part(text='c', rank=0, gold=True), Part(text='d', rank=1, gold=True)]
    """
    bounds = {window.start, window.end}
    for start, end in [*((span.start, span.end) for span in gold), *((item.start, item.end) for item in read)]:
        bounds |= {place for place in (start, end) if window.start < place < window.end}
    edges = sorted(bounds)
    return [
        Part(
            text[start:end],
            next((item.rank for item in read if item.start <= start < item.end), 0),
            any(span.start <= start < span.end for span in gold),
        )
        for start, end in pairwise(edges)
    ]


def windows(gold: Sequence[Span], length: int) -> list[Span]:
    """The gold with its surroundings, what touches taken together.

    >>> windows([Span(400, 450), Span(1000, 1010)], 1200)
    [Span(start=80, end=1200)]
    """
    return merge_spans([Span(max(0, span.start - AROUND), min(length, span.end + AROUND)) for span in gold])


def side(
    preset: str,
    question: AskedQuestion,
    measured: QuestionOutcome,
    budget: int,
    text_of: TextOf,
    stages: Collection[str],
) -> dict[str, Any]:
    """One preset's half of the picture. ``stages``: those that rank under it; the others are not spoken of."""
    context = measured.contexts.get(budget, ())
    read = what_was_read(context, budget)
    share = measured.scores.get(f"recall@{budget}")
    return {
        "preset": preset,
        "recall": "–" if share is None else f"{100 * share:.0f} %",
        "story": gold_story(measured.lost.get(budget, {}), budget),
        "ranks": [
            [stage.word, ordinal(measured.ranks[name]) if name in measured.ranks else ""]
            for name, stage in STAGES.items()
            if question.gold and name in stages
        ],
        "excerpts": _excerpts(question, read, text_of),
        "passages": [_passage(rank, place, question, text_of) for rank, place in enumerate(context, start=1)],
    }


def _excerpts(question: AskedQuestion, read: dict[str, list[Read]], text_of: TextOf) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    for name in dict.fromkeys(span.document for span in question.gold):
        gold = merge_spans([Span(item.start, item.end) for item in question.gold if item.document == name])
        try:
            text = text_of(name)
        except LecternError as error:
            found.append({"document": name, "before": 0, "parts": [], "problem": str(error)})
            continue
        before = 0
        for window in windows(gold, len(text)):
            pieces = parts(text, window, gold, read.get(name, []))
            rows = [[piece.text, piece.rank, piece.gold] for piece in pieces]
            found.append({"document": name, "before": window.start - before, "parts": rows, "problem": ""})
            before = window.end
        found[-1]["after"] = len(text) - before
    return found


def _passage(rank: int, place: Placed, question: AskedQuestion, text_of: TextOf) -> dict[str, Any]:
    name, start, end = place
    gold = any(item.document == name and item.start < end and start < item.end for item in question.gold)
    try:
        text = text_of(name)[start:end]
    except LecternError as error:
        text = str(error)
    return {"rank": rank, "document": name, "start": start, "end": end, "gold": gold, "text": text}


def gold_story(lost: Mapping[str, int], budget: int) -> str:
    """What became of a question's gold at one budget, in a sentence. ``lost``: characters, "read" among them.

    >>> gold_story({"budget": 80}, 1000), gold_story({"read": 80}, 4000)
    ('The budget of 1,000 characters ended before it.', 'All of it was read.')
    >>> gold_story({"search": 30, "budget": 10}, 4000)
    'None of it was read: no search had 75 % among its first chunks; the budget of 4,000 characters ended before 25 %.'
    >>> gold_story({"read": 250, "budget": 250, "cutting": 1}, 4000)
    '50 % of it was read; the budget of 4,000 characters ended before the rest.'
    """
    total, read = sum(lost.values()), lost.get("read", 0)
    if not total:
        return "The documents do not answer this question: there is no answer to find."
    if read == total:
        return "All of it was read."
    gone = sorted(((count, stage) for stage, count in lost.items() if stage != "read"), reverse=True)
    gone = [item for item in gone if 200 * item[0] >= total] or gone[:1]  # less than half a percent is a blank or two
    if len(gone) == 1:
        reason = _reason(gone[0][1], "the rest" if read else "it", budget)
        return f"{_share(read, total)} of it was read; {reason}." if read else f"{reason[0].upper()}{reason[1:]}."
    reasons = "; ".join(_reason(stage, _share(count, total), budget) for count, stage in gone)
    return f"{_share(read, total) if read else 'None'} of it was read: {reasons}."


def _share(part: int, total: int) -> str:
    return f"{100 * part / total:.0f} %"


def _reason(stage: str, what: str, budget: int) -> str:
    return {
        "budget": f"the budget of {budget:,} characters ended before {what}",
        "threshold": f"{what} fell below the least similarity asked for",
        "ranking": f"the fused ranking left out {what}, which one search had among its first chunks",
        "search": f"no search had {what} among its first chunks",
        "condition": f"{what} was left out by a condition that the question itself states",
        "cutting": f"no chunk holds {what}",
        "reading": f"{what} lies in a document that could not be read",
    }.get(stage, f"{what} was lost: {stage}")


def show_drill(question: AskedQuestion, sides: Sequence[dict[str, Any]]) -> None:
    """Draw one or two halves side by side."""
    data = {"question": question.question, "id": question.id, "gold": bool(question.gold), "sides": list(sides)}
    _drill(key="benchmark.drill", data=data)
