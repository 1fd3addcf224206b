"""The numbers in printed lines that may be rows of a table: whether they are aligned, and where their columns part."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf

from core.parsing.pdf.layout.columns import CURRENCY, WordBox, is_number_or_dash, join_words, line_parts, part_of
from core.parsing.pdf.lines import around

Line = list[WordBox]

_PREFIXES = ("$", "£")  # signs that stand before their number nearly everywhere, unlike "€"
_SAME = 3.0  # points within which edges count as aligned


def text_of(part: Sequence[WordBox]) -> str:
    """The words, with blanks between them."""
    return " ".join(word.text for word in part)


def as_one(part: Sequence[WordBox]) -> WordBox:
    """The words of a part of a line as one."""
    x0, y0, x1, y1 = around([word.frame for word in part])
    sources = tuple(index for word in part for index in word.sources)
    box = around([word.box for word in part])
    return WordBox(x0, y0, x1, y1, join_words(part), box, all(word.bold for word in part), sources)


def without_sign(run: WordBox) -> list[WordBox]:
    """A run as it is; a number with the currency sign of the next one ("3,226.8 $") as two, by their letters' share."""
    number, _, sign = run.text.rpartition(" ")
    if not number or sign not in _PREFIXES or not is_number_or_dash(number):
        return [run]
    return [part_of(run, 0, len(number.rstrip())), part_of(run, len(run.text) - len(sign), len(run.text))]


def number_parts(line: Sequence[WordBox]) -> list[Line]:
    """The parts of a line that are numbers or dashes. The first part counts only if there are others."""
    first, *others = line_parts(line)
    numbers = [part for part in others if is_number_or_dash(text_of(part))]
    return [first, *numbers] if numbers and is_number_or_dash(text_of(first)) else numbers


def has_numbers(line: Sequence[WordBox]) -> bool:
    """Whether a line has a number, or a dash in place of one, after a gap."""
    return any(char.isdigit() or char in "–—" for part in number_parts(line) for char in text_of(part))


def has_names(run: Sequence[Line], body: Sequence[Line]) -> bool:
    """Whether the line above the first row with numbers names several columns, which have numbers in all rows."""
    above = run[: run.index(body[0])] if body else ()
    names = len(line_parts(above[-1])) if above else 0
    return names > 1 and all(
        len(number_parts(line)) in (names, names - 1) and len(line_parts(line)) > 2 for line in body
    )


def beside_amounts(gutters: Sequence[tuple[float, float]], body: Sequence[Line]) -> list[tuple[float, float]]:
    """The gutters, up to the currency signs in them, and without those that lie between a sign and its number, which
    are set apart in the few rows with a sign: no row has a number on both sides.
    """
    parts = [line_parts(line) for line in body]
    amounts = [part for line in parts for part in line if len(part) == 2 and _is_amount(*part)]
    numbers = [[as_one(part) for part in line if is_number_or_dash(text_of(part))] for line in parts]
    kept: list[tuple[float, float]] = []
    for index, (start, end) in enumerate(gutters):
        left = kept[-1][1] if kept else -inf
        right = gutters[index + 1][0] if index + 1 < len(gutters) else inf
        is_within = any(sign.x0 < start + 1 and number.x1 > end - 1 for sign, number in amounts)
        if is_within and not any(
            any(left <= one.x0 and one.x1 <= start + 1 for one in line)
            and any(end - 1 <= one.x0 and one.x1 <= right for one in line)
            for line in numbers
        ):
            continue
        first = min((sign.x0 for sign, _ in amounts if start + 1 < sign.x0 < end), default=end)
        kept.append((start, first))
    return kept


def _is_amount(sign: WordBox, number: WordBox) -> bool:
    return bool(CURRENCY.fullmatch(sign.text)) and is_number_or_dash(number.text)


def share_edges(body: Sequence[Line], *, with_signs: bool) -> bool:
    """Whether most numbers are aligned with one of another line: on the left, in the middle, or on the right, where "%"
    and brackets may hang over if ``with_signs``.
    """
    edges = [
        [
            (part[0].x0, (part[0].x0 + part[-1].x1) / 2, _right_edges(part) if with_signs else [part[-1].x1])
            for part in number_parts(line)
        ]
        for line in body
    ]
    aligned = total = 0
    for index, line in enumerate(edges):
        others = [other for row, mates in enumerate(edges) if row != index for other in mates]
        for left, middle, rights in line:
            total += 1
            aligned += any(
                abs(left - other_left) <= _SAME
                or abs(middle - other_middle) <= _SAME
                or any(abs(one - other) <= _SAME for one in rights for other in other_rights)
                for other_left, other_middle, other_rights in others
            )
    return aligned >= 0.6 * total


def _right_edges(part: Sequence[WordBox]) -> list[float]:
    """The right edge of a number, and those it has without each of the signs after its last digit, estimated."""
    word = next((word for word in reversed(part) if any(map(str.isdigit, word.text))), part[-1])
    signs = next((at for at, char in enumerate(reversed(word.text)) if char.isdigit()), 0)
    return [part[-1].x1, *(word.x1 - (word.x1 - word.x0) * at / len(word.text) for at in range(signs + 1))]
