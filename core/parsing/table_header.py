"""What cells are worth, and how many rows of a table name its columns."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import groupby, pairwise
from typing import NamedTuple

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
    """The value a cell's text states, emphasis marks aside. ``None`` when it is blank.

    Thousands separators, currency and percent signs are read past: ``12.5 %`` is the number 12.5. ``(3)`` as in
    accounts is -3. Text with leading zeros, as in codes, stays text.

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
    negative = (
        bool(match["open"]) or "-" in (sign := (match["sign"] or "") + (match["sign2"] or "")) or "\u2212" in sign
    )
    if match["exponent"] or "." in plain:
        value = float(plain + (match["exponent"] or ""))
        return -value if negative else value
    return -int(plain) if negative else int(plain)


TEXT, NUMBER, DATE, TRUTH, EMPTY = "text", "number", "date", "truth", ""
SAMPLE_ROWS = 60
_MAX_HEADER_ROWS = 5
_MAX_LABEL = 60
_MOSTLY = 0.7


class Seen(NamedTuple):
    """What of a cell tells headers from data. ``kind``: TEXT, NUMBER, DATE, TRUTH or EMPTY."""

    text: str
    kind: str
    strong: bool = False
    shaded: bool = False


class Merge(NamedTuple):
    """A merged cell, rows and columns counted from the table's first, edges included."""

    top: int
    left: int
    bottom: int
    right: int


Line = Sequence[Seen]
NOTHING = Seen("", EMPTY)


_DATE = re.compile(
    r"\d{4}[-/.]\d{1,2}[-/.]\d{1,2}(?:[T ]\d{1,2}:\d\d.*)?|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4}|\d{1,2}:\d\d.*"
)


def seen(text: str) -> Seen:
    """A cell as its text alone shows it.

    >>> seen("12 %"), seen("2024-05-01").kind, seen(" ").kind
    (Seen(text='12 %', kind='number', strong=False, shaded=False), 'date', '')
    """
    value = cell_value(text)
    if value is None:
        return NOTHING
    if isinstance(value, bool):
        return Seen(text, TRUTH)
    if isinstance(value, int | float):
        return Seen(text, NUMBER)
    return Seen(text, DATE if _DATE.fullmatch(text) else TEXT)


def header_rows(rows: Sequence[Line], merges: Sequence[Merge] = (), *, words_over_words: bool = True) -> int:
    """How many of a table's rows, from the first, are its header. ``rows``: the first ``SAMPLE_ROWS`` will do.

    ``words_over_words``: a first row may be one by its short, distinct words alone, as in a sheet; without, only a row
    that looks other than those under it is.

    >>> def row(*cells): return [Seen(str(cell), NUMBER if isinstance(cell, int) else TEXT) for cell in cells]
    >>> header_rows([row("Year", "Ducks"), row(2019, 120)]), header_rows([row(2019, 120), row(2020, 135)])
    (1, 0)
    >>> header_rows([row("Year", "Sales", "Sales"), row("", "Day", "Night"), row(1, 2, 3)], [Merge(0, 1, 0, 2)])
    2
    """
    if len(rows) < 2 or _are_pairs(rows):
        return 0
    count = _standing_out(rows)
    if not count:
        verdict = contrast(rows[0], rows[1:])
        if verdict < 0 or (verdict == 0 and not (words_over_words and _reads_like_labels(rows[0], rows[1:]))):
            return 0
        count = 1
    while count < min(len(rows) - 1, _MAX_HEADER_ROWS) and _goes_on(rows, count, merges):
        count += 1
    return count


def is_header_of_text(rows: Sequence[Line]) -> bool:
    """Whether a text file's first row is its header: it is unless it looks like data.

    >>> def row(*cells): return [Seen(cell, NUMBER if cell.isdigit() else TEXT) for cell in cells]
    >>> [is_header_of_text([row("a", "b"), row(*second)]) for second in (("x", "y"), ("1", "y"), ("x", "b"))]
    [True, True, False]
    """
    if len(rows) < 2:
        return False
    verdict = contrast(rows[0], rows[1:])
    if verdict or max(map(len, rows)) < 2:
        return verdict > 0
    return not _recurs(rows[0], rows[1:])


def contrast(first: Line, body: Sequence[Line]) -> int:
    """Above 0 where the types of a row differ from those under it, below 0 where they repeat, 0 where all is text."""
    votes = 0
    repeated: list[int] = []
    least = _MOSTLY if len(first) == 1 else 0.0  # one column alone must be sure of its kind
    for column, cell in enumerate(first):
        usual, share = _usual_kind(column, body)
        if cell.kind == EMPTY or not usual or share < least:
            continue
        if cell.kind == usual:
            repeated += [column] if usual != TEXT else []
        elif TEXT in (cell.kind, usual):
            votes += 1 if cell.kind == TEXT or share == 1.0 else 0
        elif cell.kind == DATE:
            votes += 1
    distinct = [cell for cell, _ in groupby(first)]  # a merged year stands above each column of its own
    if repeated and _counts_up(distinct) and not any(_counts_up(line) for line in body[:3]):
        return 1  # "Region, 2019, 2020, 2021" over amounts
    return votes - len(repeated)


def _usual_kind(column: int, body: Sequence[Line]) -> tuple[str, float]:
    """The kind most cells of a column have, and their share; no kind where all are empty."""
    kinds = Counter(line[column].kind for line in body if column < len(line) and line[column].kind)
    if not kinds:
        return EMPTY, 0.0
    kind = max(kinds, key=lambda kind: (kinds[kind], kind != TEXT))  # half of a short body may be headers still
    return kind, kinds[kind] / kinds.total()


def _counts_up(line: Line) -> bool:
    """Whether a row's numbers are a plain series, as years and months in headers are."""
    numbers = [cell.text for cell in line if cell.kind == NUMBER]
    if len(numbers) < 2 or not all(text.isdecimal() and len(text) <= 4 for text in numbers):
        return False
    steps = {int(after) - int(before) for before, after in pairwise(numbers)}
    return len(steps) == 1 and abs(steps.pop()) == 1


def _are_pairs(rows: Sequence[Line]) -> bool:
    """Labels that end with a colon, each beside its value."""
    labels = [line[0].text.rstrip() for line in rows if line and line[0].kind]
    return len(labels) > 1 and sum(label.endswith((":", "：")) for label in labels) > len(labels) / 2


def _standing_out(rows: Sequence[Line]) -> int:
    """Leading rows that are bold, or shaded, over rows that mostly are not."""
    for looks in ("strong", "shaded"):
        marked = [_all_marked(line, looks) for line in rows]
        count = next((at for at, mark in enumerate(marked) if not mark), 0)
        while count > 1 and _is_alone(rows[count - 1]):
            count -= 1  # a bold line over the first group of rows
        rest = marked[count:]
        if 0 < count <= _MAX_HEADER_ROWS and rest and sum(rest) <= (1 - _MOSTLY) * len(rest):
            return count
    return 0


def _all_marked(line: Line, looks: str) -> bool:
    filled = [cell for cell in line if cell.kind]
    return bool(filled) and all(cell.strong if looks == "strong" else cell.shaded for cell in filled)


def _is_alone(line: Line) -> bool:
    return len({cell.text for cell in line if cell.kind}) == 1 and len(line) > 1


def _goes_on(rows: Sequence[Line], count: int, merges: Sequence[Merge]) -> bool:
    """Whether the row after ``count`` header rows is one more: under a merged label, or words over numbers itself."""
    line, body = rows[count], rows[count + 1 :]
    if line[0].kind and not any(cell.kind for cell in line[1:]):
        return False  # the name of a group of rows
    verdict = contrast(line, body)
    width = max(map(len, rows))
    under_wide = any(
        merge.top <= count - 1 <= merge.bottom and 0 < merge.right - merge.left < width - 1 for merge in merges
    )
    beside_tall = any(merge.top < count <= merge.bottom for merge in merges)
    if under_wide or beside_tall:
        return verdict >= 0 and not (verdict == 0 and any(cell.kind == NUMBER for cell in line))
    typed = [column for column in range(len(line)) if _usual_kind(column, body)[0] not in (TEXT, EMPTY)]
    return len(typed) > 1 and all(line[column].kind == TEXT for column in typed)


def _reads_like_labels(first: Line, body: Sequence[Line]) -> bool:
    """Short, distinct words in every column, none of which stands under itself again."""
    texts = [cell.text.strip() for cell in first]
    return (
        len(texts) > 1
        and all(cell.kind == TEXT for cell in first)
        and len({text.casefold() for text in texts}) == len(texts)
        and all(len(text) <= _MAX_LABEL and not text.endswith((".", ":", ";")) for text in texts)
        and any(character.isalpha() for character in texts[0])
        and not _recurs(first, body)
    )


def _recurs(first: Line, body: Sequence[Line]) -> bool:
    """Whether one of a row's texts stands in its own column again: a label does not."""
    for column, cell in enumerate(first):
        if cell.kind == TEXT and any(column < len(line) and line[column].text == cell.text for line in body):
            return True
    return False
