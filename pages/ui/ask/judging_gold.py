"""Gold spans as data for the components, and a sentence on how much of them the context contains."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from core.evidence import Hit, Passage
from core.library import JudgmentRow
from core.types import Span
from pages.ui.shared import words


def gold_rows(rows: Iterable[JudgmentRow]) -> list[list[Any]]:
    """``[start, end, questions]`` of every gold span, in text order; equal spans are one row."""
    passages: dict[tuple[int, int], list[dict[str, Any]]] = {}
    for row in rows:
        if row.start is not None and row.end is not None:
            item = {"id": row.id, "question": row.judgment.question, "answer": row.judgment.answer}
            passages.setdefault((row.start, row.end), []).append({**item, "origin": row.judgment.origin})
    return [[start, end, passages[start, end]] for start, end in sorted(passages)]


def judgments_mark(rows: Iterable[JudgmentRow]) -> str:
    """A hash of the judgments and the places of their gold, for caches."""
    return f"{hash(tuple((row.id, row.version_id, row.start, row.end, row.lost) for row in rows))}"


def of_question(rows: Iterable[JudgmentRow], question: str) -> list[JudgmentRow]:
    """The judgments of a question, ignoring case and blanks."""
    asked = " ".join(question.split()).casefold()
    return [row for row in rows if " ".join(row.judgment.question.split()).casefold() == asked]


def gold_in(rows: Iterable[JudgmentRow], place: Hit | Passage) -> list[list[Any]]:
    """The gold inside a hit or passage: as ``gold_rows``, with offsets in its text."""
    within = gold_rows(row for row in rows if row.version_id == place.version_id)
    return [
        [max(start, place.start) - place.start, min(end, place.end) - place.start, questions]
        for start, end, questions in within
        if start < place.end and place.start < end
    ]


def gold_line(rows: Sequence[JudgmentRow], passages: Sequence[Passage]) -> str:
    """A sentence on how much of a question's gold the passages contain; "" without judgments."""
    gold = {(row.version_id, row.start, row.end) for row in rows if row.start is not None and row.end is not None}
    lost = sum(1 for row in rows if row.lost)
    lost_line = f"{lost:,} judged for this question {'is' if lost == 1 else 'are'} lost." if lost else ""
    if not gold:
        return lost_line
    shares = [_share_read(str(version), Span(start or 0, end or 0), passages) for version, start, end in gold]
    whole, part = sum(share == 1 for share in shares), sum(0 < share < 1 for share in shares)
    read = f"{whole:,} {'is' if whole == 1 else 'are'}" if whole else "none is"
    cut = f", {part:,} in part" if part else ""
    line = f"{words.count(len(gold), 'answer')} marked for this question; {read} in what the reader gets{cut}."
    return f"{line} {lost_line}".strip()


def _share_read(version: str, gold: Span, passages: Sequence[Passage]) -> float:
    """The share of a gold span that the passages contain, 0 to 1. Passages do not overlap each other."""
    spans = (Span(passage.start, passage.end) for passage in passages if passage.version_id == version)
    return sum(gold.overlap(span) for span in spans) / max(1, gold.length)
