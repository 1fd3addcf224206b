"""A definition in source code: what it is, its name, and where its body is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node


@dataclass(slots=True)
class Definition:
    """A definition. ``owner``: the type of a method that is defined outside of it, "" for none.

    ``holds_methods``: whether functions inside it are methods. ``is_method``: set for functions inside such a type.
    """

    kind: str
    name: str
    body: Node | None
    owner: str = ""
    holds_methods: bool = False
    is_method: bool = False
