"""Conversion of frozen dataclasses to JSON values and back, with validation of every field on the way back."""

from __future__ import annotations

from functools import cache
from typing import Any, TypeVar

Value = TypeVar("Value")


@cache
def _adapter(kind: Any) -> Any:
    from pydantic import TypeAdapter

    return TypeAdapter(kind)


def to_values(value: Any) -> dict[str, Any]:
    """A dataclass instance as JSON values; fields that have their default are omitted.

    >>> from core.types import Page
    >>> to_values(Page(3, 612.0, 792.0))
    {'number': 3, 'width': 612.0, 'height': 792.0}
    """
    kind: Any = type(value)
    values: dict[str, Any] = _adapter(kind).dump_python(value, exclude_defaults=True)
    return values


def from_values(kind: type[Value], values: object) -> Value:
    """The ``kind`` that ``to_values`` converted. Unknown keys are ignored. Raises ``ValueError`` for invalid values.

    >>> from core.types import Page
    >>> from_values(Page, {"type": "page", "number": 3, "width": 612, "height": 792.0})
    Page(number=3, width=612.0, height=792.0, reading='text', confidence=None)
    """
    dataclass: Any = kind
    value: Value = _adapter(dataclass).validate_python(values)
    return value
