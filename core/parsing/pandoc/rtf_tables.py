"""Merged cells of RTF tables: pandoc counts cells and does not see that some are as wide as several of other rows."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise

_SAME_EDGE = 60  # twips between edges of one column that programs round differently
_MOST_COLUMNS = 60


@dataclass(slots=True)
class Rows:
    """The rows of a file's tables, as they are written. Words of RTF say where each cell ends, from the left margin."""

    edges: list[int] = field(default_factory=list)  # of the row's cells, as it or the row before it defines them
    text: str = ""  # of the cell so far
    _cells: list[tuple[int, str]] = field(default_factory=list)  # of the row: the end of each in the output, its text
    _tables: list[list[tuple[list[int], list[tuple[int, str]]]]] = field(default_factory=list)
    _is_new: bool = True

    def end_cell(self, place: int) -> None:
        """A cell ends at this place of the output."""
        self._cells.append((place, self.text))
        self.text = ""

    def end_row(self) -> None:
        if self._is_new:
            self._tables.append([])
        if len(self._cells) == len(self.edges) > 1:  # a single cell is a note on the table
            self._tables[-1].append((self.edges, self._cells))
        self._cells, self._is_new = [], False

    def end_table(self) -> None:
        """Text stands between the rows."""
        self._is_new, self.text = True, ""

    def repeats(self) -> list[tuple[int, str, int]]:
        """Where in the output which text is to be repeated how often, so that rows have all columns; the last first.

        >>> rows = Rows(edges=[100, 200, 300])
        >>> rows.end_cell(1), rows.end_cell(2), rows.end_cell(3), rows.end_row()
        (None, None, None, None)
        >>> rows.edges, rows.text = [200, 300], "wide"
        >>> rows.end_cell(4), rows.end_cell(5), rows.end_row(), rows.repeats()
        (None, None, None, [(4, 'wide', 1)])
        """
        found = []
        for table in self._tables:
            lines = sorted({edge for edges, _ in table for edge in edges})
            columns = lines[:1] + [after for before, after in pairwise(lines) if after - before > _SAME_EDGE]
            for edges, cells in table if len(columns) <= _MOST_COLUMNS else ():
                for left, right, (place, text) in zip([-(1 << 31), *edges], edges, cells, strict=False):
                    within = sum(left + _SAME_EDGE < column < right - _SAME_EDGE for column in columns)
                    if within:
                        found.append((place, text, within))
        return found[::-1]
