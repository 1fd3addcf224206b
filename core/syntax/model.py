"""The syntax of one source text as plain values: its units, the names in it, and a compact syntax tree.

They can be passed between processes.
"""

from __future__ import annotations

import base64
from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np

from core.types import Span

Plain = list[Any]  # nested lists of strings and integers
FACTS = ("symbols", "imports", "calls")
NAMED, LEADING = 1, 2  # flags of nodes in a ``Shape``
_STRIDE = 4  # numbers per node in a ``Shape``


class Unread(StrEnum):
    """Why a text has no syntax."""

    FOREIGN = "no grammar reads it"
    COSTLY = "it could not be read within the limits"


@dataclass(frozen=True, slots=True)
class Unit:
    """A function, class or run of statements, ``[start, end)``. Siblings cover their parent except for blanks.

    ``kind``: "module head", "statements", "head of class" (the text before its first method), or the language's word:
    "function", "method", "class", "test", ... ``name``: "" for none; ``path``: with the enclosing names, "Foo.bar".
    ``signature``: from its first line, below comments and decorators, to its body. ``doc``: its docstring, or the
    comment above it. ``children``: nested units, its head included; () without nested definitions. The names it
    defines, imports and calls are in ``Syntax.metadata``.
    """

    kind: str
    name: str
    path: str
    start: int
    end: int
    signature: Span
    doc: Span | None = None
    children: tuple[Unit, ...] = ()

    @property
    def span(self) -> Span:
        return Span(self.start, self.end)

    @property
    def title(self) -> str:
        """The unit's name for people: "method `Foo.bar`", "module head"."""
        return f"{self.kind} `{self.path}`" if self.path else self.kind


class Facts:
    """Names with their positions, in order."""

    __slots__ = ("_names", "_starts")

    def __init__(self, pairs: Iterable[tuple[int, str]]) -> None:
        ordered = sorted(pairs)
        self._starts = [start for start, _ in ordered]
        self._names = [name for _, name in ordered]

    def within(self, start: int, end: int) -> tuple[str, ...]:
        """The distinct names in ``[start, end)``, in order."""
        starts = self._starts
        first = bisect_left(starts, start)
        if first == len(starts) or starts[first] >= end:
            return ()
        return tuple(dict.fromkeys(self._names[first : bisect_left(starts, end, first)]))

    def to_plain(self) -> Plain:
        """Plain values that ``from_plain`` restores."""
        return [self._starts, self._names]

    @classmethod
    def from_plain(cls, plain: Plain) -> Facts:
        """The names that ``to_plain`` stored."""
        return cls(zip(*plain, strict=True))


class Shape:
    """A syntax tree as a flat array of numbers in preorder.

    Four per node: start and end in code points, the flags ``NAMED`` and ``LEADING`` (a comment or attribute, which
    belongs to the next node), and the array index after its last descendant.
    """

    __slots__ = ("_numbers",)

    def __init__(self, numbers: Iterable[int]) -> None:
        self._numbers = array("i", numbers)

    def cuts(self, span: Span, fits: Callable[[int, int], bool]) -> list[tuple[int, int]]:
        """See ``Syntax.cuts``."""
        numbers = self._numbers
        depth_at: dict[int, int] = {}
        pending = [(0, 0)]
        while pending:
            node, depth = pending.pop()
            after_leading = 0  # no cut between a comment or attribute and the node it belongs to
            child, after = node + _STRIDE, numbers[node + 3]
            while child < after:
                start, end, sibling = numbers[child], numbers[child + 1], numbers[child + 3]
                if start >= span.end:
                    break
                if end > span.start:
                    flags = numbers[child + 2]
                    if span.start < start and flags & NAMED and not after_leading:
                        depth_at.setdefault(start, depth)
                    after_leading = flags & LEADING
                    if sibling > child + _STRIDE and not fits(max(start, span.start), min(end, span.end)):
                        pending.append((child, depth + (start >= span.start)))
                child = sibling
        return sorted(depth_at.items())

    def to_plain(self) -> str:
        """The array as base64, which is compact for large trees."""
        return base64.b64encode(self._numbers.tobytes()).decode("ascii")

    @classmethod
    def from_plain(cls, plain: str) -> Shape:
        """The tree that ``to_plain`` stored. Raises ``ValueError`` for an invalid one, which ``cuts`` could loop on."""
        shape = cls(())
        shape._numbers.frombytes(base64.b64decode(plain))
        ends = np.frombuffer(shape._numbers, dtype=np.int32).reshape(-1, _STRIDE)[:, 3]
        nodes = np.arange(len(ends)) * _STRIDE
        if not len(nodes) or (ends <= nodes).any() or (ends > len(shape._numbers)).any():
            raise ValueError("these numbers are no tree")
        return shape


@dataclass(frozen=True, slots=True)
class Syntax:
    """The syntax of one text. ``language``: the grammar that parsed it, which may differ from the declared language.

    ``facts``: the positions of defined, imported and called names, by ``FACTS``.
    """

    language: str
    units: tuple[Unit, ...]
    facts: Mapping[str, Facts]
    shape: Shape

    def cuts(self, span: Span, fits: Callable[[int, int], bool]) -> list[tuple[int, int]]:
        """Where ``span`` may be cut, in order: the (position, depth) of statements inside it.

        A node is only entered, for deeper cuts, if ``fits(start, end)`` is false for it. [] for a span of one small
        node.
        """
        return self.shape.cuts(span, fits)

    def metadata(self, start: int, end: int) -> dict[str, tuple[str, ...]]:
        """The names defined, imported and called in ``[start, end)``, by ``FACTS``, without empty entries."""
        return {name: values for name, facts in self.facts.items() if (values := facts.within(start, end))}

    def to_plain(self) -> Plain:
        """Plain values that ``from_plain`` restores."""
        facts = [self.facts[name].to_plain() for name in FACTS]
        return [self.language, facts, [_plain_unit(unit) for unit in self.units], self.shape.to_plain()]

    @classmethod
    def from_plain(cls, plain: Plain) -> Syntax:
        """The syntax that ``to_plain`` stored. Raises ``TypeError`` or ``ValueError`` for anything else."""
        language, lists, units, shape = plain
        facts = {name: Facts.from_plain(pairs) for name, pairs in zip(FACTS, lists, strict=True)}
        return cls(language, tuple(map(_unit, units)), facts, Shape.from_plain(shape))


def _plain_unit(unit: Unit) -> Plain:
    doc = [unit.doc.start, unit.doc.end] if unit.doc else []
    children = [_plain_unit(child) for child in unit.children]
    signature = [unit.signature.start, unit.signature.end]
    return [unit.kind, unit.name, unit.path, unit.start, unit.end, signature, doc, children]


def _unit(plain: Plain) -> Unit:
    kind, name, path, start, end, signature, doc, children = plain
    nested = tuple(map(_unit, children))
    return Unit(kind, name, path, start, end, Span(*signature), Span(*doc) if doc else None, nested)
