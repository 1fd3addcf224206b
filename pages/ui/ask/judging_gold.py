"""Gold as it is drawn: judged passages as plain numbers and words, and a sentence about how they fare."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from core.evidence import Hit, Passage
from core.library import JudgmentRow
from core.types import Span
from pages.ui.shared import words


def gold_rows(rows: Iterable[JudgmentRow]) -> list[list[Any]]:
    """``[start, end, questions]`` of every passage that is gold, in the order of the text; one for equal passages."""
    passages: dict[tuple[int, int], list[dict[str, Any]]] = {}
    for row in rows:
        if row.start is not None and row.end is not None:
            item = {"id": row.id, "question": row.judgment.question, "answer": row.judgment.answer}
            passages.setdefault((row.start, row.end), []).append({**item, "origin": row.judgment.origin})
    return [[start, end, passages[start, end]] for start, end in sorted(passages)]


def judgments_mark(rows: Iterable[JudgmentRow]) -> str:
    """Differs whenever the judgments, or the places of their gold, do."""
    return f"{hash(tuple((row.id, row.version_id, row.start, row.end, row.lost) for row in rows))}"


def of_question(rows: Iterable[JudgmentRow], question: str) -> list[JudgmentRow]:
    """The judgments of a question, whatever its case and blanks."""
    asked = " ".join(question.split()).casefold()
    return [row for row in rows if " ".join(row.judgment.question.split()).casefold() == asked]


def gold_in(rows: Iterable[JudgmentRow], place: Hit | Passage) -> list[list[Any]]:
    """The gold inside a text that stands at a place: as ``gold_rows``, in code points of that text."""
    within = gold_rows(row for row in rows if row.version_id == place.version_id)
    return [
        [max(start, place.start) - place.start, min(end, place.end) - place.start, questions]
        for start, end, questions in within
        if start < place.end and place.start < end
    ]


def gold_line(rows: Sequence[JudgmentRow], passages: Sequence[Passage]) -> str:
    """How the gold of a question fares, as a sentence; "" where none is held."""
    gold = {(row.version_id, row.start, row.end) for row in rows if row.start is not None and row.end is not None}
    lost = sum(1 for row in rows if row.lost)
    gone = f"{lost:,} judged for this question {'is' if lost == 1 else 'are'} lost." if lost else ""
    if not gold:
        return gone
    shares = [_read(str(version), Span(start or 0, end or 0), passages) for version, start, end in gold]
    whole, part = sum(share == 1 for share in shares), sum(0 < share < 1 for share in shares)
    read = f"{whole:,} {'is' if whole == 1 else 'are'}" if whole else "none is"
    cut = f", {part:,} in part" if part else ""
    line = f"{words.count(len(gold), 'answer')} marked for this question; {read} in what the reader gets{cut}."
    return f"{line} {gone}".strip()


def _read(version: str, gold: Span, passages: Sequence[Passage]) -> float:
    """The share of a gold passage that stands in the passages; they do not overlap."""
    spans = (Span(passage.start, passage.end) for passage in passages if passage.version_id == version)
    return sum(gold.overlap(span) for span in spans) / max(1, gold.length)
