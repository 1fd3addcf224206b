"""One question under one or two presets: what each read of the gold spans, drawn on the documents' text."""

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
from core.text.spans import merge_spans, subtract_spans
from core.text.values.numerals import ordinal
from core.types import Span
from pages.ui.ask.stages import STAGES
from pages.ui.shared import assets

AROUND = 320  # characters of context shown on either side of a gold span
TextOf = Callable[[str], str]  # a document's text by its name; raises LecternError if it cannot be read

_drill = st.components.v2.component(
    "lectern.bench_drill",
    html='<div class="lectern bench-drill"></div>',
    css=assets.text(__file__, "palette.css", "bench_drill.css"),
    js=assets.text(__file__, "offsets.js", "bench_drill.js"),
)


@dataclass(frozen=True, slots=True)
class Read:
    """A range of characters that was read in the passage of this rank (1-based) of the context."""

    start: int
    end: int
    rank: int


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of text with uniform marks: ``gold`` or not, and the ``rank`` of the passage that read it (0: none)."""

    text: str
    rank: int
    gold: bool


def what_was_read(context: Sequence[Placed], budget: int) -> dict[str, list[Read]]:
    """The first ``budget`` distinct characters of a context, by document, each with the first passage that has it.

    ``context``: (document, start, end) of the passages, in order.

    >>> what_was_read([("a", 0, 4), ("a", 2, 8), ("b", 0, 9)], 7)
    {'a': [Read(start=0, end=4, rank=1), Read(start=4, end=7, rank=2)]}
    """
    reads: dict[str, list[Read]] = {}
    room = budget
    for rank, (name, start, end) in enumerate(context, start=1):
        known = merge_spans([Span(read.start, read.end) for read in reads.get(name, [])])
        for piece in subtract_spans([Span(start, end)], known):
            length = min(piece.length, room)
            if length:
                reads.setdefault(name, []).append(Read(piece.start, piece.start + length, rank))
            room -= length
    return reads


def parts(text: str, window: Span, gold: Sequence[Span], read: Sequence[Read]) -> list[Part]:
    """The text of a window, split wherever a mark begins or ends.

    >>> parts("abcdef", Span(0, 6), [Span(2, 4)], [Read(3, 6, 1)])[1:3]
    [Part(text='c', rank=0, gold=True), Part(text='d', rank=1, gold=True)]
    """
    edges = {window.start, window.end}
    marks: list[Span | Read] = [*gold, *read]
    for marked in marks:
        edges |= {edge for edge in (marked.start, marked.end) if window.start < edge < window.end}
    return [
        Part(
            text[start:end],
            next((item.rank for item in read if item.start <= start < item.end), 0),
            any(span.start <= start < span.end for span in gold),
        )
        for start, end in pairwise(sorted(edges))
    ]


def windows(gold: Sequence[Span], length: int) -> list[Span]:
    """The gold spans with ``AROUND`` characters on either side, overlapping ones merged.

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
    """One preset's side of the drawing. ``stages``: the stages that rank under this preset; others are not shown."""
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
    excerpts: list[dict[str, Any]] = []
    for name in dict.fromkeys(span.document for span in question.gold):
        gold = merge_spans([Span(item.start, item.end) for item in question.gold if item.document == name])
        try:
            text = text_of(name)
        except LecternError as error:
            excerpts.append({"document": name, "before": 0, "parts": [], "problem": str(error)})
            continue
        previous_end = 0
        for window in windows(gold, len(text)):
            pieces = parts(text, window, gold, read.get(name, []))
            rows = [[piece.text, piece.rank, piece.gold] for piece in pieces]
            excerpts.append({"document": name, "before": window.start - previous_end, "parts": rows, "problem": ""})
            previous_end = window.end
        excerpts[-1]["after"] = len(text) - previous_end
    return excerpts


def _passage(rank: int, place: Placed, question: AskedQuestion, text_of: TextOf) -> dict[str, Any]:
    name, start, end = place
    gold = any(item.document == name and item.start < end and start < item.end for item in question.gold)
    try:
        text = text_of(name)[start:end]
    except LecternError as error:
        text = str(error)
    return {"rank": rank, "document": name, "start": start, "end": end, "gold": gold, "text": text}


def gold_story(lost: Mapping[str, int], budget: int) -> str:
    """A sentence on where a question's gold was lost at one budget.

    ``lost``: characters of gold by the stage that lost them; "read" are those that were read.

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
    losses = sorted(((count, stage) for stage, count in lost.items() if stage != "read"), reverse=True)
    # Less than half a percent is a blank or two between words.
    losses = [loss for loss in losses if 200 * loss[0] >= total] or losses[:1]
    if len(losses) == 1:
        reason = _reason(losses[0][1], "the rest" if read else "it", budget)
        return f"{_share(read, total)} of it was read; {reason}." if read else f"{reason[0].upper()}{reason[1:]}."
    reasons = "; ".join(_reason(stage, _share(count, total), budget) for count, stage in losses)
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
    """Draw one or two sides, as ``side`` makes them."""
    data = {"question": question.question, "id": question.id, "gold": bool(question.gold), "sides": list(sides)}
    _drill(key="benchmark.drill", data=data)
