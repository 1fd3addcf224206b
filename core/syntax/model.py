"""What is known of one text of source code: its units, the names in it, and the shape of its syntax tree.

Plain values throughout, so that they can be read in one process and used in another.
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

Plain = list[Any]  # of lists, strings and whole numbers
FACTS = ("symbols", "imports", "calls")
NAMED, REMARK = 1, 2
_STRIDE = 4


class Unread(StrEnum):
    """Why a text has no syntax."""

    FOREIGN = "no grammar reads it"
    COSTLY = "it could not be read within the limits"


@dataclass(frozen=True, slots=True)
class Unit:
    """A stretch of code that says one thing. Siblings tile what they are part of; blanks between belong to none.

    ``kind``: "module head", "statements", "head of class" (what stands before its first method), or the language's
    word: "function", "method", "class", "test", ... ``name``: "" where it has none; ``path``: the name within those
    around it, "Foo.bar". ``signature``: from the unit's own first line (comments and decorators above it aside) to
    its body. ``doc``: its docstring, or the comment above it. ``children``: what a class, module or function holds,
    its head included; () when it holds no definitions. What it defines, imports and calls: ``Syntax.metadata``.
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
        """How a person would call it: "method `Foo.bar`", "module head"."""
        return f"{self.kind} `{self.path}`" if self.path else self.kind


class Facts:
    """Names and where they stand, in order."""

    __slots__ = ("_names", "_starts")

    def __init__(self, pairs: Iterable[tuple[int, str]]) -> None:
        ordered = sorted(pairs)
        self._starts = [start for start, _ in ordered]
        self._names = [name for _, name in ordered]

    def within(self, start: int, end: int) -> tuple[str, ...]:
        """Those that stand in ``[start, end)``, each once."""
        starts = self._starts
        first = bisect_left(starts, start)
        if first == len(starts) or starts[first] >= end:
            return ()
        return tuple(dict.fromkeys(self._names[first : bisect_left(starts, end, first)]))

    def to_plain(self) -> Plain:
        """As ``from_plain`` reads it."""
        return [self._starts, self._names]

    @classmethod
    def from_plain(cls, plain: Plain) -> Facts:
        """The names as they were."""
        return cls(zip(*plain, strict=True))


class Shape:
    """The nodes of a syntax tree as numbers, parents before their children.

    Four for each: start and end in code points, whether it is ``NAMED`` and a ``REMARK`` (a comment, or an attribute
    of what follows), and the place of the first node that is not inside it.
    """

    __slots__ = ("_numbers",)

    def __init__(self, numbers: Iterable[int]) -> None:
        self._numbers = array("i", numbers)

    def cuts(self, span: Span, fits: Callable[[int, int], bool]) -> list[tuple[int, int]]:
        """As ``Syntax.cuts``."""
        numbers, begin, finish = self._numbers, span.start, span.end
        found: dict[int, int] = {}
        pending = [(0, 0)]
        while pending:
            node, depth = pending.pop()
            tail = 0
            child, after = node + _STRIDE, numbers[node + 3]
            while child < after:
                start, end, following = numbers[child], numbers[child + 1], numbers[child + 3]
                if start >= finish:
                    break
                if end > begin:
                    marks = numbers[child + 2]
                    if begin < start and marks & NAMED and not tail:
                        found.setdefault(start, depth)
                    tail = marks & REMARK
                    if following > child + _STRIDE and not fits(max(start, begin), min(end, finish)):
                        pending.append((child, depth + (start >= begin)))
                child = following
        return sorted(found.items())

    def to_plain(self) -> str:
        """The numbers as text: a large tree stays small on its way through a pipe."""
        return base64.b64encode(self._numbers.tobytes()).decode("ascii")

    @classmethod
    def from_plain(cls, plain: str) -> Shape:
        """The nodes as they were. Raises ``ValueError`` for what is no tree: a walk through it might never end."""
        shape = cls(())
        shape._numbers.frombytes(base64.b64decode(plain))
        following = np.frombuffer(shape._numbers, dtype=np.int32).reshape(-1, _STRIDE)[:, 3]
        places = np.arange(len(following)) * _STRIDE
        if not len(places) or (following <= places).any() or (following > len(shape._numbers)).any():
            raise ValueError("these numbers are no tree")
        return shape


@dataclass(frozen=True, slots=True)
class Syntax:
    """The units of one text. ``language``: the grammar that read it, which may not be the one its name says."""

    language: str
    units: tuple[Unit, ...]
    facts: Mapping[str, Facts]
    shape: Shape

    def cuts(self, span: Span, fits: Callable[[int, int], bool]) -> list[tuple[int, int]]:
        """Where ``span`` may be cut: (position, depth) of statements, deeper ones where those above do not ``fit``.

        In order, all inside the span; () when it is one token, or one of the smallest nodes that were kept.
        """
        return self.shape.cuts(span, fits)

    def metadata(self, start: int, end: int) -> dict[str, tuple[str, ...]]:
        """Symbols defined in, imported by and called from ``[start, end)``; only those that are there."""
        return {name: values for name, facts in self.facts.items() if (values := facts.within(start, end))}

    def to_plain(self) -> Plain:
        """All of it as lists of strings and whole numbers."""
        facts = [self.facts[name].to_plain() for name in FACTS]
        return [self.language, facts, [_plain_unit(unit) for unit in self.units], self.shape.to_plain()]

    @classmethod
    def from_plain(cls, plain: Plain) -> Syntax:
        """What ``to_plain`` was made of. Raises ``TypeError`` or ``ValueError`` for anything else."""
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
    made = tuple(map(_unit, children))
    return Unit(kind, name, path, start, end, Span(*signature), Span(*doc) if doc else None, made)
