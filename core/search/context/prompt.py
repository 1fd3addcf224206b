"""The order of the passages in the context, their headers, and the rendered prompt."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from core.evidence import Passage
from core.search.context.filling import Budget
from core.search.expansion.growth import leaves_at
from core.search.ranking.catalogue_reads import CatalogueReads
from core.storage.catalogue.texts.chunks import ChunkRow
from core.storage.index.leaves import LeafTable
from core.types import PrefixPart

# A passage at most this many characters from an anchor joins its group: about a page.
REACH = 3000


def edges(count: int) -> list[int]:
    """The order of ``count`` items, sorted best first, in which the best come first and last and the worst between.

    Readers overlook the middle of a long context: Liu et al., "Lost in the Middle", TACL 2024.

    >>> edges(5)
    [0, 2, 4, 3, 1]
    """
    return [*range(0, count, 2), *reversed(range(1, count, 2))]


def blend(passages: Sequence[Passage], reach: int = REACH) -> list[Passage]:
    """The passages in groups of nearby ones: groups by relevance, passages of a group in document order.

    In order of relevance, each passage joins the group of the nearest anchor in its document, the more relevant of two
    equally near, if at most ``reach`` characters lie between them; otherwise it becomes an anchor. Groups are in the
    order of their anchors.

    The result equals the "relevance" order if no two passages of a document are within reach. A document whose passages
    are all within reach of its best one is read in text order. That this order helps: Yu et al., "In Defense of RAG in
    the Era of Long-Context Language Models", 2024, section 3.
    """
    groups: list[list[Passage]] = []  # the anchor of each is its first passage
    for passage in sorted(passages, key=lambda passage: passage.rank):
        near = [
            (distance, number)
            for number, group in enumerate(groups)
            if (distance := _distance(passage, group[0])) is not None and distance <= reach
        ]
        if near:
            groups[min(near)[1]].append(passage)
        else:
            groups.append([passage])
    return [passage for group in groups for passage in sorted(group, key=lambda passage: passage.start)]


def _distance(one: Passage, other: Passage) -> int | None:
    """Characters between two passages, 0 if they touch; ``None`` if they are in different documents."""
    if one.version_id != other.version_id:
        return None
    return max(0, one.start - other.end, other.start - one.end)


def arrange(passages: Sequence[Passage], order: str) -> list[Passage]:
    """The passages, given in relevance order, re-ordered. ``order``: one of ``core.settings.ORDERS``.

    "document": by title, then by offset. "edges" and "blend": as the functions of that name.
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
# Prefix parts that the prompt repeats above a passage; titles and headings are in the heading line already.
TABLE_HEADER = "table_header"
REPEATED = (TABLE_HEADER, "signature", "speaker")


def heading_line(number: int, title: str, headings: Sequence[str], page: int | None) -> str:
    """The first line of a passage's header: its number, document, heading path and page.

    >>> heading_line(2, "Handbook", ("Handbook", "Limits"), 7)
    '[2] Handbook › Limits (page 7)'
    """
    path = [title, *(heading for heading in headings if heading != title)]
    place = f" (page {page})" if page is not None else ""
    return f"[{number}] {' › '.join(path)}{place}"


def passage_header(
    number: int, title: str, headings: Sequence[str], page: int | None, prefix: Sequence[PrefixPart] = ()
) -> str:
    """The lines above a passage in the prompt: its heading line, then the table header, signature or speaker that the
    passage was cut off from.

    >>> prefix = (PrefixPart("title", "Rates"), PrefixPart("table_header", "| zone | fee |"))
    >>> print(passage_header(1, "Rates", (), None, prefix))
    [1] Rates
    | zone | fee |
    """
    repeated = [compact_tables(part.text) for part in prefix if part.kind in REPEATED]
    return "\n".join([heading_line(number, title, headings, page), *repeated])


def compact_tables(text: str) -> str:
    """The text with the column padding of its pipe tables removed, which may take as many tokens as the words do.

    >>> compact_tables("| a      | b |\\n|:-------|---|\\nx =      1")
    '| a | b |\\n|:---|---|\\nx =      1'
    """
    return _TABLE_LINE.sub(lambda line: _PADDING.sub(lambda run: "---" if run[0][0] == "-" else " ", line[0]), text)


_TABLE_LINE = re.compile(r"^[ \t]*\|.*\|[ \t]*$", re.MULTILINE)
_PADDING = re.compile(r"-{4,}|(?<=\S)[ \t]{2,}")


def render_prompt(question: str, passages: Sequence[Passage]) -> str:
    """The prompt: the instruction, the passages in the given order, each below its header, and the question."""
    parts = [
        passage_header(passage.rank, passage.document, passage.headings, passage.page, passage.prefix)
        + f"\n{compact_tables(passage.text)}"
        for passage in passages
    ]
    return "\n\n".join([INSTRUCTION, *parts, f"Question: {question}"])


_BLANK_LINE = re.compile(r"\n[^\S\n]*\n")


class HeaderParts(NamedTuple):
    """The parts of a passage's header: the heading path, the page if the document has pages, and the prefix parts that
    the passage is cut off from.
    """

    headings: tuple[str, ...]
    page: int | None
    prefix: tuple[PrefixPart, ...]


class PassageHeaders:
    """The headers of passages by their start, each leaf's facts read once.

    ``facts``: by leaf, those read so far. ``number``: the passage number with which sizes are counted.
    """

    def __init__(self, leaves: LeafTable, reads: CatalogueReads, number: int) -> None:
        self._leaves, self._reads, self._number = leaves, reads, number
        self.facts: dict[int, ChunkRow] = {}
        self._leaf_at: dict[tuple[int, int], int] = {}

    def prefetch(self, leaves: Sequence[int], positions: Sequence[tuple[int, int]]) -> None:
        """Read the facts of these leaves, and of the leaves at these (document, offset) positions, in one query."""
        new = [position for position in dict.fromkeys(positions) if position not in self._leaf_at]
        self._reads.prefetch_pages(new)
        self._leaf_at.update(zip(new, leaves_at(self._leaves, new), strict=True))
        missing = {*leaves, *(self._leaf_at[position] for position in positions)} - self.facts.keys()
        if missing:
            self.facts.update(self._reads.facts(sorted(missing)))

    def parts(self, document: int, start: int) -> HeaderParts:
        """The header parts of a passage that starts there: of the leaf's prefix, only what still applies to it."""
        if (document, start) not in self._leaf_at:
            self.prefetch((), [(document, start)])
        leaf = self._leaf_at[document, start]
        facts, page = self.facts[leaf], self._reads.page(document, start)
        prefix = facts.prefix
        if any(part.kind in REPEATED for part in prefix):
            before = self._reads.text(document)[int(self._leaves.starts[leaf]) : start]
            if before.strip():
                # Within a leaf a blank line ends the table. Where a speaker's turn or a function ends, is not known.
                applies = () if _BLANK_LINE.search(before) else (TABLE_HEADER,)
                prefix = tuple(part for part in prefix if part.kind not in REPEATED or part.kind in applies)
        return HeaderParts(facts.headings, page, prefix)

    def header(self, document: int, start: int) -> str:
        """The header of a passage that starts there, with the number given at construction."""
        return passage_header(self._number, self._leaves.titles[document], *self.parts(document, start))


def widest_number(count: int, budget: Budget) -> int:
    """A passage number up to ``count`` that takes the most tokens, since real numbers are known only at the end.

    Numbers of one or two digits all take the same; of longer ones ("343", "1000") some take more.
    """
    if not budget.counts_headers or count < 100:
        return count
    return max(range(100, count + 1), key=lambda number: budget.size(f"[{number}]"))
