"""The order of the passages, and the exact text a reader gets with what it says above each of them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from core.evidence import Passage
from core.search.context.filling import Budget
from core.search.expansion.growth import leaves_at
from core.search.ranking.catalogue_reads import CatalogueReads
from core.storage.catalogue.chunks import ChunkRow
from core.storage.index.leaves import LeafTable
from core.types import PrefixPart

# Characters between a passage and its anchor up to which both are read together: about a page.
REACH = 3000


def edges(count: int) -> list[int]:
    """Positions of ``count`` items, best first given, so that the best stand at both edges and the worst inside.

    Readers overlook the middle of a long context: Liu et al., "Lost in the Middle", TACL 2024.

    >>> edges(5)
    [0, 2, 4, 3, 1]
    """
    return [*range(0, count, 2), *reversed(range(1, count, 2))]


def blend(passages: Sequence[Passage], reach: int = REACH) -> list[Passage]:
    """Groups by the score of their anchors, of what lies near each anchor, read as the document has it.

    The best passage is an anchor. Going down in relevance, each further passage joins the nearest anchor so far of its
    document, the better one of two equally near, where at most ``reach`` characters lie between them; else it is an
    anchor itself. Groups come in the order of their anchors; inside a group the passages come as the text goes. So
    score decides between groups, distance what belongs together, and document order inside.

    It is "relevance" where no two passages of a document are within reach of each other; where all of a document are
    within reach of its best, it is read in one go, never its end before its beginning. That text order is worth
    keeping: Yu et al., "In Defense of RAG in the Era of Long-Context Language Models", 2024, section 3.
    """
    groups: list[list[Passage]] = []  # each with its anchor first
    for passage in sorted(passages, key=lambda passage: passage.rank):
        near = [
            (distance, number)
            for number, group in enumerate(groups)
            if (distance := _between(passage, group[0])) is not None and distance <= reach
        ]
        if near:
            groups[min(near)[1]].append(passage)
        else:
            groups.append([passage])
    return [passage for group in groups for passage in sorted(group, key=lambda passage: passage.start)]


def _between(one: Passage, other: Passage) -> int | None:
    """Characters between two passages of one document, 0 where they touch; ``None`` of two documents."""
    if one.version_id != other.version_id:
        return None
    return max(0, one.start - other.end, other.start - one.end)


def arrange(passages: Sequence[Passage], order: str) -> list[Passage]:
    """A permutation of passages given in relevance order; ``order``: one of ``core.settings.ORDERS``.

    "document": by title, then as the text goes. "edges" and "blend": as the functions of that name.
    """
    if order == "document":
        return sorted(passages, key=lambda passage: (passage.document, passage.version_id, passage.start))
    if order == "edges":
        return [passages[position] for position in edges(len(passages))]
    if order == "blend":
        return blend(passages)
    return list(passages)


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
    repeated = [without_padding(part.text) for part in prefix if part.kind in REPEATED]
    return "\n".join([heading_line(number, title, headings, page), *repeated])


def without_padding(text: str) -> str:
    """The text without what makes the columns of its pipe tables even: as many blanks and marks again as it has words.

    >>> without_padding("| a      | b |\\n|:-------|---|\\nx =      1")
    '| a | b |\\n|:---|---|\\nx =      1'
    """
    return _TABLE_LINE.sub(lambda line: _PADDING.sub(lambda run: "---" if run[0][0] == "-" else " ", line[0]), text)


_TABLE_LINE = re.compile(r"^[ \t]*\|.*\|[ \t]*$", re.MULTILINE)
_PADDING = re.compile(r"-{4,}|(?<=\S)[ \t]{2,}")


def render_prompt(question: str, passages: Sequence[Passage]) -> str:
    """Instruction, the passages in the given order below what ``above`` says of each, and the question."""
    parts = [
        above(passage.rank, passage.document, passage.headings, passage.page, passage.prefix)
        + f"\n{without_padding(passage.text)}"
        for passage in passages
    ]
    return "\n\n".join([INSTRUCTION, *parts, f"Question: {question}"])


_BLANK_LINE = re.compile(r"\n[^\S\n]*\n")


class Beginning(NamedTuple):
    """What is said of a passage that begins at a place: the heading path of the leaf there, the page if there are
    pages, and what the passage is parted from.
    """

    headings: tuple[str, ...]
    page: int | None
    prefix: tuple[PrefixPart, ...]


class Notes:
    """What is said of passages by where they begin, each leaf's facts read once.

    ``facts``: by leaf, of those read so far. ``number``: the passage's number that sizes are counted with.
    """

    def __init__(self, leaves: LeafTable, reads: CatalogueReads, number: int) -> None:
        self._leaves, self._reads, self._number = leaves, reads, number
        self.facts: dict[int, ChunkRow] = {}
        self._at: dict[tuple[int, int], int] = {}

    def expect(self, leaves: Sequence[int], places: Sequence[tuple[int, int]]) -> None:
        """Read the facts of these leaves, and of those that hold the places (document, offset), in one go."""
        new = [place for place in dict.fromkeys(places) if place not in self._at]
        self._reads.expect_pages(new)
        self._at.update(zip(new, leaves_at(self._leaves, new), strict=True))
        wanted = {*leaves, *(self._at[place] for place in places)} - self.facts.keys()
        if wanted:
            self.facts.update(self._reads.facts(sorted(wanted)))

    def at(self, document: int, start: int) -> Beginning:
        """Of what the leaf at the place repeats, only what still belongs to a passage that begins there."""
        if (document, start) not in self._at:
            self.expect((), [(document, start)])
        leaf = self._at[document, start]
        facts, page = self.facts[leaf], self._reads.page(document, start)
        prefix = facts.prefix
        if any(part.kind in REPEATED for part in prefix):
            before = self._reads.text(document)[int(self._leaves.starts[leaf]) : start]
            if before.strip():
                # Inside a leaf a table ends with a blank line; where a turn or a function does, the text cannot tell.
                kept = () if _BLANK_LINE.search(before) else (TABLE_HEADER,)
                prefix = tuple(part for part in prefix if part.kind not in REPEATED or part.kind in kept)
        return Beginning(facts.headings, page, prefix)

    def above(self, document: int, start: int) -> str:
        """What the prompt has above such a passage, under the number that costs most."""
        return above(self._number, self._leaves.titles[document], *self.at(document, start))


def widest_number(count: int, budget: Budget) -> int:
    """A passage's number that costs as much as any up to ``count``: its own is known only when the context is done.

    Of numbers with one or two digits none costs more than another; of longer ones ("343", "1000") some do.
    """
    if not budget.headed or count < 100:
        return count
    return max(range(100, count + 1), key=lambda number: budget.size(f"[{number}]"))
