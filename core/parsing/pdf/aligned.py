"""Tables that no rule marks, among the runs of a page or a column: told by their alignment.

Most are told by their figures: printed lines with figures behind a gap that share an edge with those of other lines.
Columns of words alone are a table beside a caption.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

from core.parsing.pdf.columns import (
    CLOSING,
    TABLE_CAPTION,
    Piece,
    Row,
    as_table,
    figures_of,
    hangs,
    is_blank_figure,
    placed,
    printed_lines,
    shared_gutters,
    spaced,
)
from core.parsing.pdf.lines import TextLine, around
from core.parsing.pdf.spreading import CENTRED, spread
from core.parsing.table_header import cell_value

Line = list[Piece]

_MIN_ROWS = 3
_MIN_GAP, _FIGURE_GAP = 0.8, 0.2  # of the type size, between columns
_CROSSED = 0.1  # of the rows, those that may reach over a gutter
_MAX_WHITE = 2.2  # of a line's height, between rows
_MAX_BETWEEN = 6  # lines without figures between two with: headings of a section, wrapped labels
_MAX_HEADER = 4  # lines above the first with figures
_MAX_TAIL = 2  # lines below the last, which go on with it
_SAME = 3.0  # points within which edges are one
_MARKER = re.compile(r"\W{0,2}(?:\w{1,4}[.):\]]|[•◦▪–—*+-])\s*")
_EQUATION_NUMBER = re.compile(r"\(\d+(?:[.-]\d+)*[a-z]?\)")
_CURRENCY = re.compile(r"[$€£¥₹₩]|US\$|EUR|USD")
_MAX_CELL = 60  # mean characters of a column's cells, behind the first
_PROSE_WIDTH = 9.0  # of a line's height: a narrower column is none of prose
_CAPTION_REACH = 45.0
_MIN_APART = 5  # rows of words
_SET_APART = 0.2  # of a line's height: more white than between lines, before a row
_TOGETHER = 0.8  # of the wide whites, those that part the rows of all columns
_LEAST_LINES, _MAX_LINES = 1.5, 8  # of a row of words


def aligned_tables(fragments: Sequence[TextLine]) -> list[TextLine]:
    """The fragments, those of an unruled table replaced by one stand-in each."""
    stand_ins = [item for item in fragments if item.stands_in]
    items = [item for item in fragments if not item.stands_in]
    captions = [item for item in items if TABLE_CAPTION.match(item.text.strip())]
    lines = printed_lines(_piece(item, place) for place, item in enumerate(items))
    gone: set[int] = set()
    for is_row, between in ((_is_figured, _MAX_BETWEEN), (_has_gaps, 1)):
        for run, tail in list(_runs(lines, stand_ins, is_row, between)):
            found = _table(run, tail, is_row, captions)
            if not found:
                continue
            kept, rows, columns = found
            places = [place for line in kept for piece in line for place in piece.sources]
            members = [items[place] for place in places]
            if 2 * sum(member.mono for member in members) > len(members):
                continue
            gone.update(places)
            stand_ins.append(_stand_in(members, rows, columns))
        lines = [line for line in lines if not gone.intersection(line[0].sources)]
    return [*(item for place, item in enumerate(items) if place not in gone), *stand_ins]


def set_apart(fragments: Sequence[TextLine]) -> TextLine | None:
    """Columns of words whose rows begin side by side, as a table's stand-in; ``None`` for columns of prose.

    White parts the rows in all columns at once, where paragraphs of prose end wherever they end. Columns of a list or
    a glossary, whose items may be equally long, are none either.
    """
    if any(item.stands_in for item in fragments):
        return None
    lines = printed_lines(_piece(item, place) for place, item in enumerate(fragments))
    gutters = shared_gutters(lines, _gap(lines[0]))
    rows = placed(lines, gutters)
    whites = [
        (min(piece.y0 for piece in below.cells[column]) - max(piece.y1 for piece in above.cells[column]), below)
        for column in range(len(gutters) + 1)
        for above, below in pairwise(row for row in rows if column in row.cells)
    ]
    if not gutters or not whites:
        return None
    height = sorted(row.y1 - row.y0 for row in rows)[len(rows) // 2]
    wide = sorted(white for white, _ in whites)[len(whites) // 4] + _SET_APART * height
    wholes, begin = rows[:1], {id(rows[0])}
    for above, row in pairwise(rows):
        if row.y0 - max(above.y1, wholes[-1].y1) > wide and len(row.cells) > 1:
            wholes.append(row)
            begin.add(id(row))
        else:
            wholes[-1].y1 = max(wholes[-1].y1, row.y1)
            for column, pieces in row.cells.items():
                wholes[-1].cells.setdefault(column, []).extend(pieces)
    gaps = [id(below) in begin for white, below in whites if white > wide]
    lines_a_row = len(rows) / len(wholes)
    if len(wholes) < _MIN_APART or sum(gaps) < _TOGETHER * len(gaps) or not _LEAST_LINES < lines_a_row < _MAX_LINES:
        return None
    begun = [[row.cells[column][0].text for row in wholes if column in row.cells] for column in range(len(gutters) + 1)]
    behind = [text for column in begun[1:] for text in column]
    every = [text.casefold() for column in begun for text in column]
    if 2 * sum(bool(_MARKER.match(text)) for text in behind) > len(behind) or every == sorted(every):
        return None
    return _stand_in(fragments, wholes, len(gutters) + 1)


def _piece(item: TextLine, place: int) -> Piece:
    return Piece(item.x0, item.y0, item.x1, item.y1, item.text.strip(), item.box, item.bold, (place,))


def _stand_in(members: Sequence[TextLine], rows: Sequence[Row], columns: int) -> TextLine:
    x0, y0, x1, y1 = around([(item.x0, item.y0, item.x1, item.y1) for item in members])
    box = around([item.box for item in members])
    return TextLine("", x0, y0, x1, y1, y1, y1 - y0, box=box, table=as_table(rows, columns))


def _gap(line: Sequence[Piece]) -> float:
    return _MIN_GAP * max(piece.height for piece in line) / 1.2


def _parts(line: Sequence[Piece]) -> list[Line]:
    """The line parted at its gaps: a currency's sign goes with the figure behind it, a bracket with the one before.

    Between two figures a blank is gap enough.
    """
    size = max(piece.height for piece in line) / 1.2
    parts: list[Line] = []
    for piece in line:
        last = parts[-1][-1] if parts else None
        if last is None:
            parts.append([piece])
            continue
        gap = piece.x0 - max(mate.x1 for mate in parts[-1])
        opens = _CURRENCY.fullmatch(piece.text)
        between_figures = is_blank_figure(last.text) and (opens or is_blank_figure(piece.text))
        least = _FIGURE_GAP if between_figures else _MIN_GAP
        if gap < least * size or _CURRENCY.fullmatch(last.text) or CLOSING.fullmatch(piece.text):
            parts[-1].append(piece)
        else:
            parts.append([piece])
    return parts


def _text(part: Sequence[Piece]) -> str:
    return " ".join(piece.text for piece in part)


def _figures(line: Sequence[Piece]) -> list[Line]:
    """The parts behind the first that are figures, or stand for none; the first as well when it is not alone in it."""
    first, *others = _parts(line)
    figures = [part for part in others if is_blank_figure(_text(part))]
    return [first, *figures] if figures and is_blank_figure(_text(first)) else figures


def _is_figured(line: Sequence[Piece]) -> bool:
    return any(char.isdigit() or char in "–—" for part in _figures(line) for char in _text(part))


def _has_gaps(line: Sequence[Piece]) -> bool:
    return len(_parts(line)) > 1


def _runs(
    lines: Sequence[Line], stand_ins: Sequence[TextLine], is_row: Callable[[Line], bool], between: int
) -> Iterator[tuple[Sequence[Line], Sequence[Line]]]:
    """Stretches of lines from one row to another, with the lines right above that may head them; what follows each."""
    start = last = -1
    floor = 0
    for index, line in enumerate([*lines, None]):
        if start >= 0 and (line is None or index - last > between or _apart(lines[index - 1], line, stand_ins)):
            if last > start:
                head = _with_header(lines, start, floor, stand_ins)
                yield lines[head : last + 1], lines[last + 1 : last + 1 + _MAX_TAIL]
                floor = last + 1
            start = -1
        if line is not None and is_row(line):
            start, last = (index if start < 0 else start), index


def _with_header(lines: Sequence[Line], start: int, floor: int, stand_ins: Sequence[TextLine]) -> int:
    """Where the lines begin that head the row at ``start``: close above it, and right of its label.

    Labels without figures, such as of a section, may stand between.
    """
    label = max(piece.x1 for piece in _parts(lines[start])[0])
    head = at = start
    while at > max(floor, head - _MAX_HEADER) and not _apart(lines[at - 1], lines[at], stand_ins):
        at -= 1
        parts = _parts(lines[at])
        if TABLE_CAPTION.match(_text(lines[at])):
            break  # its number stands apart from its words, as cells do
        if len(parts) > 1 or parts[0][0].x0 >= label:
            head = at
    return max(head, start - 2 * _MAX_HEADER)


def _apart(above: Sequence[Piece], below: Sequence[Piece], stand_ins: Sequence[TextLine]) -> bool:
    foot, head = max(piece.y1 for piece in above), min(piece.y0 for piece in below)
    between = any(item.y0 < head and item.y1 > foot for item in stand_ins)
    return between or head - foot > _MAX_WHITE * max(above[0].height, below[0].height)


def _table(
    run: Sequence[Line], tail: Sequence[Line], is_row: Callable[[Line], bool], captions: Sequence[TextLine]
) -> tuple[Sequence[Line], list[Row], int] | None:
    """The lines of a run that make a table, its rows and how many columns it has; ``None`` when it is none.

    Lines of ``tail`` are its own as long as they go on with the last row.
    """
    body = [line for line in run if is_row(line)]
    if len(body) < _MIN_ROWS:
        return None
    figured = is_row is _is_figured
    parted = [[_whole(part) for part in _parts(line)] for line in body]
    # Bold sums are as wide as their columns, and reach over all gutters as one run: the other lines tell these.
    apart = [[piece for piece in line if not figures_of(piece)] for line in parted]
    if 2 * sum(len(one) < len(line) for one, line in zip(apart, parted, strict=True)) < len(parted):
        parted = apart
    gutters = shared_gutters(parted, 1.0, _CROSSED) if figured else shared_gutters(parted, _gap(body[0]))
    columns = len(gutters) + 1
    if columns < 2:
        return None

    def rows_of(lines: Sequence[Line]) -> list[Row]:
        parted = [[_whole(part) for whole in _parts(line) for part in _at(gutters, whole)] for line in lines]
        return spread(placed(parted, gutters), columns)

    run = _without_title(run)

    if any(_is_prose(rows_of(run), column) for column in ({0, columns - 1} if figured else range(columns))):
        return None
    rows = _rows(rows_of(run))
    for line in tail:
        longer = _rows(rows_of([*run, line]))
        if len(longer) > len(rows):
            break
        run, rows = [*run, line], longer
    texts = [[row.text(column) for row in rows if column in row.cells] for column in range(columns)]
    if _reads_on(rows, texts) or any(sum(map(len, cells)) > _MAX_CELL * len(cells) for cells in texts[1:]):
        return None
    if not (_share_edges(body) if figured else _is_captioned(run, captions)):
        return None
    return run, rows, columns


def _without_title(run: Sequence[Line]) -> Sequence[Line]:
    """The lines without those at the top that stand alone in the middle of all columns."""
    left, right = min(line[0].x0 for line in run), max(piece.x1 for line in run for piece in line)
    start = 0
    while len(_parts(run[start])) == 1 and abs(run[start][0].x0 + run[start][-1].x1 - left - right) < CENTRED:
        start += 1
    return run[start:]


def _at(gutters: Sequence[tuple[float, float]], part: Sequence[Piece]) -> list[Line]:
    """A part behind the labels parted at the gutters that run between its pieces: names of columns stand close."""
    if part[0].x0 < gutters[0][0] or any(p.x0 < start and p.x1 > end for p in part for start, end in gutters):
        return [list(part)]
    places = [sum((start + end) / 2 < piece.x0 for start, end in gutters) for piece in part]
    return [[piece for piece, at in zip(part, places, strict=True) if at == place] for place in sorted(set(places))]


def _whole(part: Sequence[Piece]) -> Piece:
    """A part of a line as one piece."""
    x0, y0, x1, y1 = around([(piece.x0, piece.y0, piece.x1, piece.y1) for piece in part])
    sources = tuple(place for piece in part for place in piece.sources)
    box = around([piece.box for piece in part])
    return Piece(x0, y0, x1, y1, spaced(part), box, all(piece.bold for piece in part), sources)


def _share_edges(body: Sequence[Line]) -> bool:
    """Whether most figures stand below or above another one, flush with it on one side or in the middle."""
    figures = [[(part[0].x0, part[-1].x1) for part in _figures(line)] for line in body]
    flush = every = 0
    for index, line in enumerate(figures):
        others = [other for at, mates in enumerate(figures) if at != index for other in mates]
        for x0, x1 in line:
            every += 1
            flush += any(min(abs(x0 - o0), abs(x1 - o1), abs(x0 + x1 - o0 - o1) / 2) <= _SAME for o0, o1 in others)
    return flush >= 0.6 * every


def _is_captioned(run: Sequence[Line], captions: Sequence[TextLine]) -> bool:
    """Whether a table's caption stands right above or below."""
    x0, y0, x1, y1 = around([(piece.x0, piece.y0, piece.x1, piece.y1) for line in run for piece in line])
    return any(
        (-_CAPTION_REACH < item.y0 - y0 < 20 or -20 < item.y0 - y1 < _CAPTION_REACH)
        and min(item.x1, x1) > max(item.x0, x0)
        for item in captions
    )


def _rows(printed: Sequence[Row]) -> list[Row]:
    """Rows with the printed lines of their labels and of their cells of words together."""
    whites = [below.y0 - above.y1 for above, below in pairwise(printed)]
    height = sorted(row.y1 - row.y0 for row in printed)[len(printed) // 2]
    both = [
        white for white, pair in zip(whites, pairwise(printed), strict=True) if all(len(row.cells) > 1 for row in pair)
    ]
    usual = sorted(both)[len(both) // 2] if both else 0.0
    rows = [printed[0]]
    for white, row in zip(whites, printed[1:], strict=True):
        heads = len(rows) == 1 and 0 not in row.cells and not any(r.is_figure(c) for r in (*rows, row) for c in r.cells)
        if heads or _belongs(rows[-1], row, close=white < usual - 0.2 * height or white < -0.2 * height):
            for column, pieces in row.cells.items():
                rows[-1].cells.setdefault(column, []).extend(pieces)
            rows[-1].y1 = row.y1
        else:
            rows.append(row)
    return rows


def _belongs(above: Row, row: Row, *, close: bool) -> bool:
    """Whether a printed line goes on with the row above.

    A label does with the row it stands closer to than rows stand, or whose label it goes on with in lower case; other
    words do when they stand under words of the same column alone.
    """
    label, before = row.text(0), above.text(0)
    goes_on = label[:1].islower() and bool(before)
    if set(above.cells) == {0}:
        return not before.endswith(":") and (goes_on or close)
    if set(row.cells) == {0}:
        return goes_on or (close and bool(before))
    return hangs(above, row) and not _spans(above, row)


def _spans(above: Row, row: Row) -> bool:
    """Whether a row is but one cell that stands under several of the row above: the title of the rows below."""
    pieces = [piece for cell in row.cells.values() for piece in cell]
    x0, x1 = min(piece.x0 for piece in pieces), max(piece.x1 for piece in pieces)
    over = (cell for cell in above.cells.values() if cell[0].x0 < x1 and cell[-1].x1 > x0)
    return len(row.cells) == 1 and sum(1 for _ in over) > 1


def _is_prose(rows: Sequence[Row], column: int) -> bool:
    """Whether a column's printed lines fill its width, as running text does."""
    lines = [row.cells[column] for row in rows if column in row.cells]
    if not lines:
        return False
    left, right = min(line[0].x0 for line in lines), max(line[-1].x1 for line in lines)
    full = sum(line[-1].x1 - line[0].x0 >= 0.85 * (right - left) for line in lines)
    letters = sum(char.isalpha() for line in lines for piece in line for char in piece.text)
    size = sum(piece.height for line in lines for piece in line) / sum(map(len, lines))
    return right - left > _PROSE_WIDTH * size and full >= 0.5 * len(lines) and letters > 15 * len(lines)


def _reads_on(rows: Sequence[Row], texts: Sequence[Sequence[str]]) -> bool:
    """Whether these are a list, a table of contents, equations or something else that only looks like columns."""
    if any(not cells for cells in texts) or all(_EQUATION_NUMBER.fullmatch(cell) for cell in texts[-1]):
        return True
    if len(texts) > 2:
        return False
    if sum(bool(_MARKER.fullmatch(cell)) for cell in texts[0]) >= 0.6 * len(texts[0]):
        return True
    numbers = [value for row in rows if isinstance(value := cell_value(row.text(1)), int)]
    return len(numbers) >= 0.8 * len(rows) and all(one <= other for one, other in pairwise(numbers))
