"""Typed reading of JSON fields in suites and imported files.

Every function raises ``SuiteError``, naming file, line and field, for a value that is missing or of another type.
``place`` is where the value stands, for that message: ``corpus.jsonl, line 3``.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from core.errors import SuiteError


def file_text(files: Mapping[str, str | None], name: str) -> str:
    """The text of a required file, without a byte order mark."""
    text = files.get(name)
    if text is None:
        raise SuiteError(f"{name} is missing.", "Name the folder, or the file, as it was downloaded.")
    return text.removeprefix("\ufeff")


def parsed(text: str, place: str) -> Any:
    """The JSON value in ``text``."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise SuiteError(f"{place} is not JSON ({error}).") from error


def rows(files: Mapping[str, str | None], name: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """The objects of a JSON Lines file, each with its place."""
    for number, line in enumerate(file_text(files, name).split("\n"), start=1):
        if line.strip():
            place = f"{name}, line {number}"
            yield place, mapping(parsed(line, place), place)


def mapping(value: object, place: str) -> dict[str, Any]:
    """``value`` as a JSON object."""
    if not isinstance(value, dict):
        raise SuiteError(f"{place} is {shown(value)}.", "It must be an object.")
    return value


def text(row: Mapping[str, Any], name: str, place: str, *, empty: bool = False) -> str:
    """A string field; blank only where ``empty`` allows it."""
    value = _field(row, name, place)
    if not isinstance(value, str) or not (empty or value.strip()):
        raise SuiteError(f"{place}: {name!r} is {shown(value)}.", "It must be text.")
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise SuiteError(f"{place}: {name!r} holds half a surrogate pair.", "Write the whole character.") from error
    return value


def identifier(row: Mapping[str, Any], name: str, place: str) -> str:
    """An id field: a string, or the decimal form of an integer, as some data sets have it."""
    value = _field(row, name, place)
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else text(row, name, place)


def offset(row: Mapping[str, Any], name: str, place: str) -> int:
    """An integer field of at least 0."""
    value = _field(row, name, place)
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise SuiteError(f"{place}: {name!r} is {shown(value)}.", "It must be a whole number from 0.")
    return value


def sequence(row: Mapping[str, Any], name: str, place: str) -> list[Any]:
    """A list field."""
    value = _field(row, name, place)
    if not isinstance(value, list):
        raise SuiteError(f"{place}: {name!r} is {shown(value)}.", "It must be a list.")
    return value


def shown(value: object) -> str:
    """The value for a message, truncated to 80 characters.

    >>> shown("a" * 100)[-3:], shown(None)
    ('aa…', 'None')
    """
    words = repr(value)
    return words if len(words) <= 80 else words[:79] + "…"


def require(row: Mapping[str, Any], names: Iterable[str], place: str, remedy: str) -> None:
    """Raise ``SuiteError`` for the first of ``names`` that ``row`` lacks; ``remedy`` describes the format."""
    for name in names:
        if name not in row:
            raise SuiteError(f"{place} has no {name!r}.", remedy)


def _field(row: Mapping[str, Any], name: str, place: str) -> Any:
    require(row, [name], place, "")
    return row[name]
