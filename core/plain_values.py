"""Frozen dataclasses as values of JSON, checked field by field where they are read, be it from a pipe or a file."""

from __future__ import annotations

from functools import cache
from typing import Any, TypeVar

Sent = TypeVar("Sent")


@cache
def _adapter(kind: Any) -> Any:
    from pydantic import TypeAdapter

    return TypeAdapter(kind)


def to_values(sent: Any) -> dict[str, Any]:
    """A dataclass as values of JSON, without those that are its defaults.

    >>> from core.types import Page
    >>> to_values(Page(3, 612.0, 792.0))
    {'number': 3, 'width': 612.0, 'height': 792.0}
    """
    kind: Any = type(sent)
    values: dict[str, Any] = _adapter(kind).dump_python(sent, exclude_defaults=True)
    return values


def from_values(kind: type[Sent], values: object) -> Sent:
    """What ``to_values`` wrote, as a ``kind`` again; other keys are passed over. Raises ``ValueError`` for all else.

    >>> from core.types import Page
    >>> from_values(Page, {"type": "page", "number": 3, "width": 612, "height": 792.0})
    Page(number=3, width=612.0, height=792.0, reading='text', confidence=None)
    """
    dataclass: Any = kind
    received: Sent = _adapter(dataclass).validate_python(values)
    return received
