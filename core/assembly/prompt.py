"""The exact text a reader gets."""

from __future__ import annotations

from collections.abc import Sequence

from core.types import Passage, PrefixPart

INSTRUCTION = (
    "Answer the question from the passages below, and from nothing else. "
    "Cite a passage by its number in brackets after each statement it supports. "
    "If the passages do not hold the answer, say that the library does not say."
)
# Kinds of prefix without which a text that was parted from them cannot be read; titles and headings have their line.
TABLE_HEADER = "table_header"
REPEATED = (TABLE_HEADER, "signature", "speaker")


def heading_line(number: int, title: str, headings: Sequence[str], page: int | None) -> str:
    """The line above a passage: its number, document, heading path and page.

    >>> heading_line(2, "Handbook", ("Handbook", "Limits"), 7)
    '[2] Handbook › Limits (page 7)'
    """
    path = [title, *(heading for heading in headings if heading != title)]
    place = f" (page {page})" if page is not None else ""
    return f"[{number}] {' › '.join(path)}{place}"


def above(number: int, title: str, headings: Sequence[str], page: int | None, prefix: Sequence[PrefixPart] = ()) -> str:
    """What the prompt has above a passage's own text: its heading line, then the table header, signature or speaker
    that the passage was parted from.

    >>> print(above(1, "Rates", (), None, (PrefixPart("title", "Rates"), PrefixPart("table_header", "| zone | fee |"))))
    [1] Rates
    | zone | fee |
    """
    repeated = [part.text for part in prefix if part.kind in REPEATED]
    return "\n".join([heading_line(number, title, headings, page), *repeated])


def render_prompt(question: str, passages: Sequence[Passage]) -> str:
    """Instruction, the passages in the given order below what ``above`` says of each, and the question."""
    parts = [
        f"{above(passage.rank, passage.document, passage.headings, passage.page, passage.prefix)}\n{passage.text}"
        for passage in passages
    ]
    return "\n\n".join([INSTRUCTION, *parts, f"Question: {question}"])
