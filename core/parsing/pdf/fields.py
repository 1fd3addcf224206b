"""Filled form fields: each becomes one line, its name and its value, wherever the form prints the two."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from math import inf
from statistics import median
from typing import Any

from core.parsing.pdf.lines import Box, TextLine, around, has_word, title_key

_BUTTONS = frozenset({"Button", "CheckBox", "RadioButton", "Signature"})  # their values are drawn, or are no text
_AUTOMATIC = frozenset({"undefined"})  # the name Acrobat gives to a field beside which it finds no words
_ALIKE = 0.8  # of the letters of a field's name, in the words printed beside it
_CERTAIN = 0.8  # share of the fields without names of their own that have words beside them, if those are names
_COVERED = 0.9  # of the letters of a printed line, by the values of the fields it lies in
_ABOVE, _BESIDE = 1.0, 3.0  # of a printed name's height, between it and its field below, above or beside
_ALIGNED = 12.0  # points between the left edges of a field and the name above it
_OVER = 0.4  # of the height of a line with blanks, under its fields
_USUAL_SIZE = 10.0  # points, of the type in a field without a printed name
_MOST_NAME = 120  # characters
_MOST_FIELDS = 1000  # of a page; of more, no names are looked for
_BLANK = re.compile(r"_{3,}|\.{6,}|…[….]+")


@dataclass(frozen=True, slots=True)
class FormField:
    """A filled field. ``name``: what the file calls it for readers, "" if nothing. ``key``: for programs.

    ``has_lines``: the value has several lines, which someone ended.
    """

    name: str
    key: str
    value: str
    box: Box
    has_lines: bool = False


Side = Callable[[TextLine, FormField], bool]
Name = tuple[str, list[TextLine]]  # of a field, and the lines that print it


def filled_fields(widgets: Iterable[Any], clean: Callable[[str], str]) -> list[FormField]:
    """The filled fields among PyMuPDF's ``widgets`` of a page, in their order."""
    fields = []
    for widget in widgets:
        name = _one_line(widget.field_label or "", clean)
        name = name if has_word(name) and name not in _AUTOMATIC and len(name) <= _MOST_NAME else ""
        value = _one_line(_value(widget), clean)
        if any(map(str.isalnum, value)):
            x0, y0, x1, y1 = map(float, widget.rect)
            has_lines = len(_value(widget).strip().splitlines()) > 1
            fields.append(
                FormField(name, _one_line(widget.field_name or "", clean), value, (x0, y0, x1, y1), has_lines)
            )
    return fields


def with_fields(lines: Sequence[TextLine], fields: Sequence[FormField]) -> list[TextLine]:
    """The lines; a field over a blank ("____") is written into it. The printed value and the name of any other field
    are replaced by one line of both, which joins no other line.

    The name is the one printed beside the field, unless the file's own has more letters of it or another is there. If a
    page shows the value of a field that has neither, or all of its several lines, they stay as they are printed; if it
    does not show it, the field has the name for programs. What stays is no heading, however large its type.
    """
    if not fields:
        return list(lines)
    if len(fields) > _MOST_FIELDS:
        letters = title_key("".join(line.text for line in lines))
        hidden = [field for field in fields if title_key(field.value) not in letters]
        return [*lines, *(_line(field.name or field.key, field.value, field, field.box[3], []) for field in hidden)]
    lines, fields = _filled_in(lines, fields)
    shows = [_shown_by(line, fields) for line in lines]
    printed = {field: [line for line, some in zip(lines, shows, strict=True) if field in some] for field in fields}
    shown_keys = {field.key for field in fields if printed[field]}
    told = [field for field in fields if not _stays(field, printed[field], shown_keys)]
    others = [line for line, some in zip(lines, shows, strict=True) if not some]
    names = max((_names(told, others, side) for side in (_is_before, _is_below)), key=len)
    unnamed = [field for field in told if not field.name]
    if sum(field in names for field in unnamed) < _CERTAIN * len(unnamed):  # what stands beside them is no name
        names = {field: name for field, name in names.items() if field.name}
    taken = {line for _, parts in names.values() for line in parts}
    result: list[TextLine] = []
    for field, baseline in _in_rows(told):
        name, parts = names.get(field, (field.name, []))
        if name or not printed[field]:
            result.append(_line(name or field.key, _as_printed(field, printed[field]), field, baseline, parts))
            taken.update(printed[field])
    written = {line for field in fields if field not in told for line in printed[field]}
    size = median(line.size for line in others) if others else _USUAL_SIZE
    kept = (replace(line, size=min(size, line.size), bold=False) if line in written else line for line in lines)
    return [*(line for line, old in zip(kept, lines, strict=True) if old not in taken), *result]


def _filled_in(lines: Sequence[TextLine], fields: Sequence[FormField]) -> tuple[list[TextLine], list[FormField]]:
    """The lines with the values of fields in place of the blanks they lie over, and the other fields."""
    left = list(fields)
    result: list[TextLine] = []
    for line in lines:
        has_words = any(map(str.isalpha, line.text))
        over = [field for field in left if (has_words or not field.name) and _is_over(field, line)]
        blanks = list(_BLANK.finditer(line.text)) if over else []
        filled: dict[int, FormField] = {}
        for field in sorted(over, key=lambda field: field.box[0])[: len(blanks)]:
            free = [index for index in range(len(blanks)) if index not in filled]
            filled[min(free, key=lambda index: _offset(blanks[index], line, field))] = field
        text = line.text
        for index in sorted(filled, reverse=True):
            start, end = blanks[index].span()
            text = f"{text[:start]}{filled[index].value}{text[end:]}"
        result.append(replace(line, text=text) if filled else line)
        left = [field for field in left if field not in filled.values()] if filled else left
    written = [field for field in fields if field not in left]
    return [one for one, old in zip(result, lines, strict=True) if one != old or not _shown_by(old, written)], left


def _offset(blank: re.Match[str], line: TextLine, field: FormField) -> float:
    """How far a field's middle is from that of a blank of the line, in points along the line."""
    middle = line.x0 + line.width * sum(blank.span()) / 2 / len(line.text)
    return abs(middle - (field.box[0] + field.box[2]) / 2)


def _is_over(field: FormField, line: TextLine) -> bool:
    x0, y0, x1, y1 = field.box
    shared = min(y1, line.y1) - max(y0, line.y0)
    return x0 < line.x1 and line.x0 < x1 and shared > _OVER * min(line.height, y1 - y0)


def _stays(field: FormField, printed: Sequence[TextLine], shown_keys: Container[str]) -> bool:
    """Whether nothing is said of a field: it repeats a shown one unseen, or all of its lines are printed."""
    return field.key in shown_keys if not printed else field.has_lines and _prints_all(printed, field)


def _names(fields: Sequence[FormField], lines: Sequence[TextLine], is_name: Side) -> dict[FormField, Name]:
    """The names of the fields that have one printed beside them."""
    free = list(lines)
    names: dict[FormField, Name] = {}
    for field in fields:
        near = [line for line in free if is_name(line, field)]
        best = max(near, key=lambda one: (_likeness(one.text, field.name), -_distance(one, field)), default=None)
        if best is None or (field.name and _likeness(best.text, field.name) < _ALIKE):
            continue
        shown = best.text.strip()
        name = shown if len(title_key(shown)) >= len(title_key(field.name)) else field.name
        parts = [line for line in near if line is best or title_key(line.text) in title_key(name)]
        free = [line for line in free if line not in parts]
        names[field] = name, parts
    return names


def _as_printed(field: FormField, printed: Sequence[TextLine]) -> str:
    """The value as the page formats it ("(123) 456-7890"), if it prints all of it in one line."""
    return printed[0].text.strip() if len(printed) == 1 and _prints_all(printed, field) else field.value


def _prints_all(printed: Sequence[TextLine], field: FormField) -> bool:
    return title_key("".join(line.text for line in printed)) == title_key(field.value)


def _in_rows(fields: Sequence[FormField]) -> list[tuple[FormField, float]]:
    """The fields with their baselines; one for all of a row, though the boxes in it are not equally high."""
    rows: list[tuple[FormField, float]] = []
    for field in sorted(fields, key=lambda one: one.box[3]):
        before = rows[-1][1] if rows else -inf
        height = field.box[3] - field.box[1]
        rows.append((field, before if field.box[3] - before < 0.5 * height else field.box[3]))
    return rows


def _value(widget: Any) -> str:
    if widget.field_type_string in _BUTTONS or widget.field_value is None:
        return ""
    value = widget.field_value
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


def _one_line(text: str, clean: Callable[[str], str]) -> str:
    return " ".join(clean(text.replace("\r", " ").replace("\n", " ")).split())


def _shown_by(line: TextLine, fields: Sequence[FormField]) -> list[FormField]:
    """The fields whose values a printed line shows, perhaps cut off where their boxes end; [] if it has other words."""
    x0, y0, x1, y1 = line.box
    reached = [
        one for one in fields if one.box[1] <= (y0 + y1) / 2 <= one.box[3] and one.box[0] < x1 and x0 < one.box[2]
    ]
    covered = sum(min(x1, one.box[2]) - max(x0, one.box[0]) for one in reached)
    if not reached or covered < 0.5 * (x1 - x0):
        return []
    letters, values = title_key(line.text), title_key("".join(one.value for one in reached))
    same = SequenceMatcher(None, letters, values, autojunk=False).get_matching_blocks()
    return reached if letters and sum(block.size for block in same) >= _COVERED * len(letters) else []


def _is_before(line: TextLine, field: FormField) -> bool:
    """Whether a line may be a field's printed name: right above its left end, or left of it on the same line."""
    x0, y0, _, y1 = field.box
    beside = min(y1, line.y1) - max(y0, line.y0) > 0.5 * line.height and (
        -0.5 * line.height < x0 - line.x1 < _BESIDE * line.height
    )
    return _may_name(line) and (beside or _is_across(line, field, y0 - line.y1))


def _is_below(line: TextLine, field: FormField) -> bool:
    """Whether a line may be a field's printed name below it, as under a rule to write on."""
    return _may_name(line) and _is_across(line, field, line.y0 - field.box[3])


def _is_across(line: TextLine, field: FormField, white: float) -> bool:
    """Whether a line begins where a field does or lies within its width, with so little white between them."""
    x0, _, x1, _ = field.box
    is_aligned = abs(line.x0 - x0) < _ALIGNED or x0 <= line.x0 < line.x1 <= x1
    return is_aligned and -0.5 * line.height < white < _ABOVE * line.height


def _may_name(line: TextLine) -> bool:
    return not line.is_rotated and has_word(line.text) and len(line.text) <= _MOST_NAME


def _likeness(printed: str, name: str) -> float:
    """How alike a printed name and the file's are, in [0, 1]; 1 if one holds all of the other. 0 without a name."""
    one, other = sorted((title_key(printed), title_key(name)), key=len)
    return SequenceMatcher(None, one, other, autojunk=False).ratio() if not one or one not in other else 1.0


def _distance(line: TextLine, field: FormField) -> float:
    x0, y0, _, y1 = field.box
    return min(abs(x0 - line.x0) + min(abs(y0 - line.y1), abs(line.y0 - y1)), abs(x0 - line.x1))


def _line(name: str, value: str, field: FormField, baseline: float, printed: Sequence[TextLine]) -> TextLine:
    """The line of a field. ``printed``: the lines that print its name."""
    name = name.rstrip(". ")
    text = f"{name}{' ' if name[-1:] in ':?' else ': '}{value}" if name else value
    box = around([field.box, *(line.box for line in printed)])
    size = printed[0].size if printed else min(field.box[3] - field.box[1], _USUAL_SIZE)
    return TextLine(text, *box, baseline, size, is_field=True, box=box)
