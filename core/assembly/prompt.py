"""The exact text a reader gets."""

from __future__ import annotations

from collections.abc import Sequence

from core.types import Passage

INSTRUCTION = (
    "Answer the question from the passages below, and from nothing else. "
    "Cite a passage by its number in brackets after each statement it supports. "
    "If the passages do not hold the answer, say that the library does not say."
)


def heading_line(number: int, title: str, headings: Sequence[str], page: int | None) -> str:
    """The line above a passage: its number, document, heading path and page.

    >>> heading_line(2, "Handbook", ("Handbook", "Limits"), 7)
    '[2] Handbook › Limits (page 7)'
    """
    path = [title, *(heading for heading in headings if heading != title)]
    place = f" (page {page})" if page is not None else ""
    return f"[{number}] {' › '.join(path)}{place}"


def render_prompt(question: str, passages: Sequence[Passage]) -> str:
    """Instruction, the passages in the given order under their heading lines, and the question."""
    parts = [
        f"{heading_line(passage.rank, passage.document, passage.headings, passage.page)}\n{passage.text}"
        for passage in passages
    ]
    return "\n\n".join([INSTRUCTION, *parts, f"Question: {question}"])
