"""Headers over several columns of a table: each is repeated in all of the columns that it names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations, pairwise

from core.parsing.pdf.layout.columns import Row, WordBox

CENTRED = 12.0  # twice the points by which a title may miss the middle of what it is over
_MAX_HEADERS = 4  # in a row, over groups of columns of different sizes


def spread_headers(rows: list[Row], columns: int) -> list[Row]:
    """The rows; above the first with a number, a header over several columns is repeated in each of them.

    That needs a row below in which each of these columns has a name or a year: in "Other" over "Income" both words are
    the name of one column.
    """
    extents = {
        column: (min(cell[0].x0 for cell in cells), max(cell[-1].x1 for cell in cells))
        for column in range(1, columns)
        if (cells := [row.cells[column] for row in rows if column in row.cells])
    }
    max_headers = 0
    for index, row in enumerate(rows):
        headers = list({id(cell[0]): cell for column, cell in sorted(row.cells.items()) if column}.values())
        if any(row.is_number(column) for column in row.cells if column):
            break
        max_headers = max(max_headers, len(headers))
        groups = _column_groups(headers, extents)
        if not groups:
            continue
        if len(headers) < max_headers and not headers[0][0].text.startswith("("):  # it continues the name above
            continue
        spread = {column: list(header) for header, group in zip(headers, groups, strict=True) for column in group}
        names = next((below.cells for below in rows[index + 1 :] if len(below.cells.keys() - {0}) > len(headers)), {})
        if names.keys() >= extents.keys():
            row.cells = {0: row.cells[0], **spread} if 0 in row.cells else spread
    return rows


def _column_groups(
    headers: Sequence[Sequence[WordBox]], extents: Mapping[int, tuple[float, float]]
) -> Sequence[Sequence[int]]:
    """The columns below each header: those in whose middle it is, else equally many each; () if neither fits.

    ``extents``: left and right edge of each column.
    """
    columns, count = sorted(extents), len(headers)
    if not 0 < count <= len(columns) // 2:
        return ()
    middles = [(header[0].x0 + header[-1].x1) / 2 for header in headers]
    if 1 < count <= _MAX_HEADERS:
        best: tuple[float, Sequence[Sequence[int]]] = (CENTRED / 2, ())
        for cuts in combinations(range(1, len(columns)), count - 1):
            groups = [columns[start:end] for start, end in pairwise((0, *cuts, len(columns)))]
            spans = [(extents[group[0]][0], extents[group[-1]][1]) for group in groups]
            worst_miss = max(abs(middle - sum(span) / 2) for middle, span in zip(middles, spans, strict=True))
            best = min(best, (worst_miss, groups), key=lambda candidate: candidate[0])
        if best[1]:
            return best[1]
    width = len(columns) // count
    groups = [columns[start : start + width] for start in range(0, len(columns), width)]
    is_centred = all(
        extents[group[0]][0] < middle < extents[group[-1]][1] for middle, group in zip(middles, groups, strict=False)
    )
    return groups if width * count == len(columns) and is_centred else ()
