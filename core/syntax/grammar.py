"""What is known of a language's grammar: the node types that matter for cutting."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Grammar:
    """The node types of one language's grammar.

    ``functions``, ``types``: node type to its English name. ``wrappers``: nodes around a definition and its
    decorators. ``transparent``: nodes that are replaced by their children. ``attributes``: nodes that belong to the
    next one. ``values``: functions and classes as expressions. ``calls``: a tree-sitter query with the captures
    ``call`` and ``import``. ``separator``: between the names of a path. ``related``: grammars to try where this one has
    errors. ``is_data``: its definitions are keys and records, which no program calls by name.
    """

    name: str
    functions: Mapping[str, str]
    types: Mapping[str, str]
    imports: frozenset[str]
    calls: str
    comments: frozenset[str] = frozenset({"comment"})
    wrappers: frozenset[str] = frozenset()
    transparent: frozenset[str] = frozenset({"ERROR"})
    attributes: frozenset[str] = frozenset()
    separator: str = "."
    related: tuple[str, ...] = ()
    values: frozenset[str] = field(default=frozenset())
    is_data: bool = False


NO_CALLS = "(ERROR) @_"  # the query of a language in which nothing is called or imported by name


def words(names: str) -> frozenset[str]:
    """The set of blank-separated names."""
    return frozenset(names.split())


def each(names: str, kind: str) -> dict[str, str]:
    """The blank-separated names, each with this kind."""
    return dict.fromkeys(names.split(), kind)
