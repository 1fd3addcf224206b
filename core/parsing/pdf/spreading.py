"""Names over several columns of a table: each stands in all of the columns that it names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations, pairwise

from core.parsing.pdf.columns import Piece, Row

CENTRED = 12.0  # twice the points by which a title may miss the middle of what it stands over
_MOST_HEADS = 4  # over groups of columns of unlike sizes


def spread(rows: list[Row], columns: int) -> list[Row]:
    """The rows; in those above the first with a figure, words that head several columns stand in each of them.

    Below such words, each of their columns has a name or a year: "Other" over "Income" is the name of one.
    """
    extents = {
        column: (min(cell[0].x0 for cell in cells), max(cell[-1].x1 for cell in cells))
        for column in range(1, columns)
        if (cells := [row.cells[column] for row in rows if column in row.cells])
    }
    most = 0
    for index, row in enumerate(rows):
        heads = list({id(cell[0]): cell for column, cell in sorted(row.cells.items()) if column}.values())
        if any(row.is_figure(column) for column in row.cells if column):
            break
        most = max(most, len(heads))
        groups = _groups(heads, extents)
        if not groups:
            continue
        if len(heads) < most and not heads[0][0].text.startswith("("):  # no unit of all: the name above goes on
            continue
        wanted = {column: list(head) for head, group in zip(heads, groups, strict=True) for column in group}
        below = next((under.cells for under in rows[index + 1 :] if len(under.cells.keys() - {0}) > len(heads)), {})
        if below.keys() >= extents.keys():
            row.cells = {0: row.cells[0], **wanted} if 0 in row.cells else wanted
    return rows


def _groups(heads: Sequence[Sequence[Piece]], extents: Mapping[int, tuple[float, float]]) -> Sequence[Sequence[int]]:
    """The columns that each head stands over: in whose middle it is, else equally many; () where neither holds."""
    columns, many = sorted(extents), len(heads)
    if not 0 < many <= len(columns) // 2:
        return ()
    middles = [(head[0].x0 + head[-1].x1) / 2 for head in heads]
    if 1 < many <= _MOST_HEADS:
        best: tuple[float, Sequence[Sequence[int]]] = (CENTRED / 2, ())
        for cuts in combinations(range(1, len(columns)), many - 1):
            groups = [columns[start:end] for start, end in pairwise((0, *cuts, len(columns)))]
            spans = [(extents[group[0]][0], extents[group[-1]][1]) for group in groups]
            misses = max(abs(middle - sum(span) / 2) for middle, span in zip(middles, spans, strict=True))
            best = min(best, (misses, groups), key=lambda one: one[0])
        if best[1]:
            return best[1]
    each = len(columns) // many
    groups = [columns[place : place + each] for place in range(0, len(columns), each)]
    within = all(
        extents[group[0]][0] < middle < extents[group[-1]][1] for middle, group in zip(middles, groups, strict=False)
    )
    return groups if each * many == len(columns) and within else ()
