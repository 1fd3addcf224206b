"""Formulas as far as they are read: not calculated, but moved with the cell that shares them, and asked for a link."""

from __future__ import annotations

import re

from core.parsing.sheet_grid import place_name

_LINK = re.compile(r'\s*HYPERLINK\(\s*"((?:[^"]|"")*)"\s*[,)]', re.IGNORECASE)
# Quoted text and sheets' names are passed over; a name or a function that only looks like a cell is none.
_REFERENCE = re.compile(
    r"\"(?:[^\"]|\"\")*\"|'(?:[^']|'')*'|(?<![\w.$])(?P<column>\$?[A-Z]{1,3})(?P<row>\$?[1-9]\d{0,6})(?![\w.(])"
)
_LAST_ROW, _LAST_COLUMN = 1_048_576, 16_384


def link_target(formula: str) -> str:
    """Where a HYPERLINK formula leads; "" for other formulas, and where it is calculated.

    >>> link_target('HYPERLINK("https://a.example/x","Site")'), link_target("HYPERLINK(A1)")
    ('https://a.example/x', '')
    """
    match = _LINK.match(formula)
    return match[1].replace('""', '"') if match else ""


def shifted(formula: str, rows: int, columns: int) -> str:
    """A formula moved by so many rows and columns, as cells that share it have it.

    >>> shifted('A1*$B$1&"A1"+LOG10(C$2)', 1, 1)
    'B2*$B$1&"A1"+LOG10(D$2)'
    """

    def moved(match: re.Match[str]) -> str:
        column, row = match["column"], match["row"]
        if not column:
            return match[0]
        number = 0
        for letter in column.lstrip("$"):
            number = number * 26 + ord(letter) - 64
        across = number - 1 if column.startswith("$") else number - 1 + columns
        down = int(row.lstrip("$")) - 1 if row.startswith("$") else int(row) - 1 + rows
        if not (0 <= across < _LAST_COLUMN and 0 <= down < _LAST_ROW):
            return "#REF!"
        name = place_name(down, across)
        letters = name.rstrip("0123456789")
        return f"{'$' * column.startswith('$')}{letters}{'$' * row.startswith('$')}{name[len(letters) :]}"

    return _REFERENCE.sub(moved, formula)
