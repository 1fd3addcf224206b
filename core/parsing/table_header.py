"""Typed values of table cells, and detection of a table's header rows."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import compress, groupby, pairwise
from typing import NamedTuple, TypeVar

from core.types import CellValue

_EMPHASIS = re.compile(r"^(\*\*|__|\*|_|`|~~)(.+)\1$", re.DOTALL)
_CURRENCY = r"(?:[$€£¥₹₽₩₺₫₪฿¢]|US\$|USD|EUR|GBP|CHF|JPY|CNY|INR|CAD|AUD)"
_NUMBER = re.compile(
    rf"(?:{_CURRENCY}\s*(?=\())?(?P<open>\()?\s*(?P<sign>[+\-\u2212])?\s*{_CURRENCY}?\s*(?P<sign2>[+\-\u2212])?"
    r"(?P<digits>\d[\d.,'\u2019 \u00a0\u202f\u2009]*|\.\d+)(?P<exponent>[eE][+\-]?\d{1,3})?"
    rf"\s*(?:%|‰|{_CURRENCY})?\s*(?P<close>\))?"
)
_GROUPED = re.compile(r"\d{1,3}(?P<mark>[,'\u2019 \u00a0\u202f\u2009])\d{3}(?:(?P=mark)\d{3})*(?:\.\d+)?")
_GROUPED_BY_POINT = re.compile(r"\d{1,3}(?:\.\d{3})+,\d+|\d{1,3}(?:\.\d{3}){2,}")
_PLAIN = re.compile(r"(?:0|[1-9]\d*)(?:\.\d*)?|\.\d+")
_DECIMAL_COMMA = re.compile(r"(?:0|[1-9]\d*),\d+")
_TRUTH = {"true": True, "yes": True, "✓": True, "✔": True, "false": False, "no": False, "✗": False, "✘": False}
_MAX_NUMBER_CHARACTERS = 60


def cell_value(text: str) -> CellValue:
    """A cell's text as a number or truth value where it is one, else the text; ``None`` for a blank cell.

    Emphasis marks, thousands separators, currency and percent signs are ignored: ``12.5 %`` is the number 12.5.
    ``(3)`` is -3, as in accounts. Text with leading zeros, as in codes, stays text.

    >>> [cell_value(text) for text in ("1,234.50", "$2.5", "**12 %**", "$(1 200)", "1.200,50 €", "yes", "", "007")]
    [1234.5, 2.5, 12, -1200, 1200.5, True, None, '007']
    """
    text = text.strip()
    bare = text
    while match := _EMPHASIS.match(bare):
        bare = match.group(2).strip()
    if not bare:
        return None
    if bare.lower() in _TRUTH:
        return _TRUTH[bare.lower()]
    number = _number(bare) if len(bare) <= _MAX_NUMBER_CHARACTERS else None
    return text if number is None else number


def _number(text: str) -> int | float | None:
    match = _NUMBER.fullmatch(text)
    if not match or bool(match["open"]) != bool(match["close"]):
        return None
    digits = match["digits"].strip()
    if grouped := _GROUPED.fullmatch(digits):
        plain = digits.replace(grouped["mark"], "")
    elif _GROUPED_BY_POINT.fullmatch(digits):
        plain = digits.replace(".", "").replace(",", ".")
    elif _PLAIN.fullmatch(digits):
        plain = digits
    elif _DECIMAL_COMMA.fullmatch(digits):
        plain = digits.replace(",", ".")
    else:
        return None
    signs = (match["open"], match["sign"], match["sign2"])
    is_negative = any(sign in ("(", "-", "\u2212") for sign in signs)
    is_float = match["exponent"] or "." in plain
    value = float(plain + (match["exponent"] or "")) if is_float else int(plain)
    return -value if is_negative else value


TEXT, NUMBER, DATE, TRUTH, EMPTY = "text", "number", "date", "truth", ""
SAMPLE_ROWS = 60  # rows that suffice for telling the header
_MAX_HEADER_ROWS = 5
_MAX_LABEL = 60  # characters
_MOST = 0.7  # the share from which on cells of a column count as being of one kind


class CellFeatures(NamedTuple):
    """The features of a cell that tell headers from data. ``kind``: TEXT, NUMBER, DATE, TRUTH or EMPTY.

    ``strong``: set in bold. ``shaded``: on a coloured ground.
    """

    text: str
    kind: str
    strong: bool = False
    shaded: bool = False


class Merge(NamedTuple):
    """A merged cell: rows and columns from 0 within the table, both ends included."""

    top: int
    left: int
    bottom: int
    right: int


FeatureRow = Sequence[CellFeatures]
EMPTY_CELL = CellFeatures("", EMPTY)


def merges_in(rows: Sequence[Sequence[object]]) -> list[Merge]:
    """The merged cells of a table in which each is repeated, as the same object, in every position that it covers.

    ``None`` stands for a blank cell. Only the first ``SAMPLE_ROWS`` are looked at.

    >>> merges_in([["Year", wide := "Sales", wide], ["", "Day", "Night"]])
    [Merge(top=0, left=1, bottom=0, right=2)]
    """
    sample = rows[:SAMPLE_ROWS]
    merges: list[Merge] = []
    covered: set[int] = set()  # ids of cells
    for top, row in enumerate(sample):
        for left, cell in enumerate(row):
            if cell is None or id(cell) in covered:
                continue
            right, bottom = left, top
            while right + 1 < len(row) and row[right + 1] is cell:
                right += 1
            while bottom + 1 < len(sample) and left < len(sample[bottom + 1]) and sample[bottom + 1][left] is cell:
                bottom += 1
            if (bottom, right) != (top, left):
                covered.add(id(cell))
                merges.append(Merge(top, left, bottom, right))
    return merges


_Cell = TypeVar("_Cell")


def merged_once(rows: Sequence[Sequence[_Cell | None]], header_rows: int) -> list[list[_Cell | None]]:
    """The rows of a table with those merged cells once in which repeating tells nothing: all in a table without a
    header, as forms are, and a title across a row. Columns that hold nothing else are dropped. Where most of a form is
    merged cells, its columns mean nothing, and its rows have their filled cells alone.

    ``rows``: of one width, as for ``merges_in``.

    >>> merged_once([[name := "Name", name, name], [name, name, "Town"]], 0)
    [['Name', None], ['Name', 'Town']]
    >>> merged_once([[title := "Ducks", title, None], [None, wide := "Sales", wide]], 2)
    [['Ducks', None, None], [None, 'Sales', 'Sales']]
    """
    written = []
    for row in rows:
        once = not header_rows or all(cell is None or cell is row[0] for cell in row)
        written.append([None if once and at and cell is row[at - 1] else cell for at, cell in enumerate(row)])
    filled = sum(cell is not None for row in written for cell in row)
    if not header_rows and sum(cell is not None for row in rows for cell in row) > 2 * filled:
        return [[cell for cell in row if cell is not None] for row in written]
    columns = [
        any(cell is not None for cell in column) or all(cell is None for cell in before)
        for column, before in zip(zip(*written, strict=True), zip(*rows, strict=True), strict=True)
    ]
    return [list(compress(row, columns)) for row in written]


_DATE = re.compile(
    r"\d{4}[-/.]\d{1,2}[-/.]\d{1,2}(?:[T ]\d{1,2}:\d\d.*)?|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4}|\d{1,2}:\d\d.*"
)


def features_of(text: str) -> CellFeatures:
    """The features of a cell of which only the text is known.

    >>> features_of("12 %"), features_of("2024-05-01").kind, features_of(" ").kind
    (CellFeatures(text='12 %', kind='number', strong=False, shaded=False), 'date', '')
    """
    value = cell_value(text)
    if value is None:
        return EMPTY_CELL
    if isinstance(value, bool):
        return CellFeatures(text, TRUTH)
    if isinstance(value, int | float):
        return CellFeatures(text, NUMBER)
    return CellFeatures(text, DATE if _DATE.fullmatch(text) else TEXT)


def header_rows(rows: Sequence[FeatureRow], merges: Sequence[Merge] = (), *, words_over_words: bool = True) -> int:
    """How many rows at the top of a table are its header. ``rows``: the first ``SAMPLE_ROWS`` suffice.

    ``words_over_words``: whether a first row of short, distinct words counts as a header even over rows of words, as
    in spreadsheets. Otherwise a header must differ from the rows below in kind or typography.

    >>> def row(*cells): return [CellFeatures(str(cell), NUMBER if isinstance(cell, int) else TEXT) for cell in cells]
    >>> header_rows([row("Year", "Ducks"), row(2019, 120)]), header_rows([row(2019, 120), row(2020, 135)])
    (1, 0)
    >>> header_rows([row("Year", "Sales", "Sales"), row("", "Day", "Night"), row(1, 2, 3)], [Merge(0, 1, 0, 2)])
    2
    """
    if len(rows) < 2 or _are_pairs(rows):
        return 0
    count = _emphasised_rows(rows)
    if not count:
        verdict = contrast(rows[0], rows[1:])
        if verdict < 0 or (verdict == 0 and not (words_over_words and _reads_like_labels(rows[0], rows[1:]))):
            return 0
        count = 1
    while count < min(len(rows) - 1, _MAX_HEADER_ROWS) and _is_next_header(rows, count, merges):
        count += 1
    return count


def is_header_of_text(rows: Sequence[FeatureRow]) -> bool:
    """Whether the first row of a text file's table is its header. It is, unless it looks like data.

    >>> def row(*cells): return [CellFeatures(cell, NUMBER if cell.isdigit() else TEXT) for cell in cells]
    >>> [is_header_of_text([row("a", "b"), row(*second)]) for second in (("x", "y"), ("1", "y"), ("x", "b"))]
    [True, True, False]
    """
    if len(rows) < 2:
        return False
    verdict = contrast(rows[0], rows[1:])
    if verdict or max(map(len, rows)) < 2:
        return verdict > 0
    return not _recurs(rows[0], rows[1:])


def contrast(first: FeatureRow, body: Sequence[FeatureRow]) -> int:
    """How much a row's kinds of cells differ from those of ``body``, the rows below it.

    Above 0: they differ, as a header's do. Below 0: they are the same. 0: undecided, for example where all is text.
    """
    differing = same = 0  # columns
    min_share = _MOST if len(first) == 1 else 0.0  # a single column must be mostly of one kind
    for column, cell in enumerate(first):
        usual, share = _usual_kind(column, body)
        if cell.kind == EMPTY or not usual or share < min_share:
            continue
        if cell.kind == usual:
            same += usual != TEXT
        elif TEXT in (cell.kind, usual):
            differing += cell.kind == TEXT or share == 1.0
        else:
            differing += cell.kind == DATE
    distinct = [cell for cell, _ in groupby(first)]  # a merged cell is repeated in each column it covers
    if same and _is_series(distinct) and not any(_is_series(row) for row in body[:3]):
        return 1  # "Region, 2019, 2020, 2021" over amounts
    return differing - same


def _usual_kind(column: int, body: Sequence[FeatureRow]) -> tuple[str, float]:
    """The most frequent kind of a column's filled cells, and its share; ``EMPTY`` and 0.0 where all are empty."""
    kinds = Counter(row[column].kind for row in body if column < len(row) and row[column].kind)
    if not kinds:
        return EMPTY, 0.0
    # On a tie text loses: in a short body half of the rows may be further header rows.
    kind = max(kinds, key=lambda kind: (kinds[kind], kind != TEXT))
    return kind, kinds[kind] / kinds.total()


def _is_series(row: FeatureRow) -> bool:
    """Whether a row's numbers count up or down by one, as years and months in headers do."""
    numbers = [cell.text for cell in row if cell.kind == NUMBER]
    if len(numbers) < 2 or not all(text.isdecimal() and len(text) <= 4 for text in numbers):
        return False
    steps = {int(after) - int(before) for before, after in pairwise(numbers)}
    return len(steps) == 1 and abs(steps.pop()) == 1


def _are_pairs(rows: Sequence[FeatureRow]) -> bool:
    """Whether the table is a list of labels, which end with a colon or alone are bold, and their values: it has no
    header.
    """
    labels = [row[0] for row in rows if row and row[0].kind]
    with_colon = sum(label.text.rstrip().endswith((":", "：")) for label in labels)
    are_bold = all(label.strong for label in labels) and all(len(row) == 2 and not row[1].strong for row in rows)
    return len(labels) > 1 and (are_bold or with_colon > len(labels) / 2)


def _emphasised_rows(rows: Sequence[FeatureRow]) -> int:
    """How many leading rows are bold, or shaded, where most rows below them are not."""
    for feature in ("strong", "shaded"):
        emphasised = [_all_have(row, feature) for row in rows]
        count = next((index for index, is_emphasised in enumerate(emphasised) if not is_emphasised), 0)
        while count > 1 and _is_group_title(rows[count - 1]):
            count -= 1  # a bold title over the first group of rows
        rest = emphasised[count:]
        if 0 < count <= _MAX_HEADER_ROWS and rest and sum(rest) <= (1 - _MOST) * len(rest):
            return count
    return 0


def _all_have(row: FeatureRow, feature: str) -> bool:
    filled = [cell for cell in row if cell.kind]
    return bool(filled) and all(getattr(cell, feature) for cell in filled)


def _is_group_title(row: FeatureRow) -> bool:
    return len({cell.text for cell in row if cell.kind}) == 1 and len(row) > 1


def _is_next_header(rows: Sequence[FeatureRow], count: int, merges: Sequence[Merge]) -> bool:
    """Whether the row after ``count`` header rows is one more: it lies below or beside a merged label, or has words
    over columns of numbers.
    """
    row, body = rows[count], rows[count + 1 :]
    if row[0].kind and not any(cell.kind for cell in row[1:]):
        return False  # the title of a group of rows
    verdict = contrast(row, body)
    width = max(map(len, rows))
    below_wide_label = any(
        merge.top <= count - 1 <= merge.bottom and 0 < merge.right - merge.left < width - 1 for merge in merges
    )
    beside_tall_label = any(merge.top < count <= merge.bottom for merge in merges)
    if below_wide_label or beside_tall_label:
        return verdict >= 0 and not (verdict == 0 and any(cell.kind == NUMBER for cell in row))
    typed = [column for column in range(len(row)) if _usual_kind(column, body)[0] not in (TEXT, EMPTY)]
    return len(typed) > 1 and all(row[column].kind == TEXT for column in typed)


def _reads_like_labels(first: FeatureRow, body: Sequence[FeatureRow]) -> bool:
    """Whether a row has a short, distinct text in every column, none of which recurs in its column. The corner above
    the rows' own labels may be blank.
    """
    labels = first[1:] if first[0].kind == EMPTY else first
    texts = [cell.text.strip() for cell in labels]
    return (
        len(texts) > 1
        and all(cell.kind == TEXT for cell in labels)
        and len({text.casefold() for text in texts}) == len(texts)
        and all(len(text) <= _MAX_LABEL and not text.endswith((".", ":", ";")) for text in texts)
        and any(character.isalpha() for character in texts[0])
        and not _recurs(first, body)
    )


def _recurs(first: FeatureRow, body: Sequence[FeatureRow]) -> bool:
    """Whether one of a row's texts recurs further down in its column, which labels do not."""
    for column, cell in enumerate(first):
        if cell.kind == TEXT and any(column < len(row) and row[column].text == cell.text for row in body):
            return True
    return False
