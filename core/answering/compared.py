"""Rows of tables that satisfy an asked comparison, as the first quotes of an answer: typed, so exact."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from core.retrieval.bounds import Comparison
from core.retrieval.comparing import FoundRow, Listing
from core.types import Citation, Passage, Quote

ROWS = 10  # cells quoted at most: they are short, and half a list is no answer
SURE = 1.0  # a number either satisfies or does not


@dataclass(frozen=True, slots=True)
class Compared:
    """What was compared in tables: ``quoted`` of ``count`` cells that satisfy; they are the first quotes."""

    asked: Comparison
    quoted: int
    count: int

    @property
    def more(self) -> int:
        """How many satisfy and are not quoted."""
        return self.count - self.quoted

    @property
    def sentence(self) -> str:
        """Says so, for people.

        >>> from core.retrieval.bounds import comparison_in
        >>> asked = comparison_in("Which regions grew above 5 %?")
        >>> Compared(asked, 1, 1).sentence, Compared(asked, 10, 1200).sentence
        ('In tables, 1 number is above 5 %.', 'In tables, 1,200 numbers are above 5 %; 10 of them quoted.')
        """
        held = f"{self.count:,} {'number is' if self.count == 1 else 'numbers are'} {self.asked.words}"
        return f"In tables, {held}; {self.quoted} of them quoted." if self.more else f"In tables, {held}."


def compared_quotes(
    listing: Listing, passages: Sequence[Passage], page: Callable[[str, int], int | None]
) -> tuple[Quote, ...]:
    """A quote for each row that is listed: the cell that satisfies, told by the row's label, the column's header and
    what its numbers are told in.

    ``passages``: those whose tables were looked at. ``page`` as in ``choose_quotes``.
    """
    holders = {passage.version_id: passage for passage in passages}
    return tuple(_quote(row, holders[row.version_id], page) for row in listing.rows)


def _quote(row: FoundRow, holder: Passage, page: Callable[[str, int], int | None]) -> Quote:
    cell = row.cell
    cited = Citation(
        row.version_id, holder.document, holder.source, cell.start, cell.end, page(row.version_id, cell.start)
    )
    header = ", ".join(part for part in (row.header, row.told_in) if part)
    told = " › ".join(part for part in (row.label, header) if part)
    return Quote(cell.text, SURE, cited, told)
