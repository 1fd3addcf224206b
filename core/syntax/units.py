"""Nodes of a syntax tree to units: definitions with what belongs to them, and the runs of statements between."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.syntax.languages import Grammar
from core.syntax.model import Facts, Unit
from core.syntax.names import Definition, definition_of
from core.syntax.tree import SyntaxText
from core.text.spans import trim
from core.types import Span

if TYPE_CHECKING:
    from tree_sitter import Node

_DEEPEST = 12  # definitions inside definitions; deeper ones stay part of the one around them
_CLOSERS = frozenset({"}", ")", "]", ";", "};", ",", "end", "#endif"})


@dataclass(slots=True)
class _Part:
    """A unit in the making: its nodes' extent, and the definition in it, if it is one."""

    kind: str
    start: int
    end: int
    found: Definition | None = None
    above: int = -1  # where the definition itself begins, below its comments


class UnitReader:
    """Nodes to units: what belongs together joined, names put into paths."""

    def __init__(self, source: SyntaxText, grammar: Grammar, facts: dict[str, Facts]) -> None:
        self._source, self._grammar, self._facts = source, grammar, facts
        self._symbols: list[tuple[int, str]] = []

    def read(self, root: Node) -> tuple[Unit, ...]:
        drafts = self._parts(root.children, 0)
        made = [self._unit(part, (), 0) for part in self._tiled(drafts, 0, len(self._source.text))]
        self._facts["symbols"] = Facts(self._symbols)
        return tuple(unit for unit in made if unit is not None)

    def _parts(self, nodes: Sequence[Node], depth: int) -> list[_Part]:
        """The nodes as definitions and runs between them; comments and attributes go with what follows."""
        grammar, position, text = self._grammar, self._source.position, self._source.text
        parts: list[_Part] = []
        waiting = -1  # where comments and attributes begin that belong to what follows
        held = -1  # where the last of them ended
        pending = list(reversed(nodes))
        head = not depth
        while pending:
            node = pending.pop()
            kind = node.type
            start, end = position(node.start_byte), position(node.end_byte)
            if start >= end:
                continue
            if kind in grammar.open and node.child_count:
                pending.extend(reversed(node.children))
                continue
            if held >= 0 and not text[held:start].strip() and text.count("\n", held, start) > 1 and waiting >= 0:
                if not (parts and parts[-1].found is None):
                    parts.append(_Part("module head" if head else "statements", waiting, held))
                parts[-1].end = held
                waiting = held = -1
            if kind in grammar.comments or kind in grammar.attributes:
                last = parts[-1] if parts else None
                remark = kind in grammar.comments
                if last and remark and waiting < 0 and "\n" not in text[last.end : start]:
                    last.end = end  # a remark at the end of a line belongs to that line
                    continue
                waiting = start if waiting < 0 else waiting
                held = end - 1 if text[end - 1] == "\n" else end
                if kind in grammar.attributes:
                    held = -1
                continue
            found = definition_of(node, grammar, self._source) if node.is_named else None
            begin = start if waiting < 0 else waiting
            waiting = held = -1
            if found is not None:
                head = False
                parts.append(_Part(found.kind, begin, end, found, start))
                continue
            head = head and self._is_head(node, parts)
            name = "module head" if head else "statements"
            last = parts[-1] if parts else None
            closing = not node.is_named and text[start:end] in _CLOSERS
            if last is not None and (closing or (last.found is None and last.kind == name)):
                last.end = max(last.end, end)
            else:
                parts.append(_Part(name, begin, end))
        if waiting >= 0:
            end = max(held, waiting + 1)
            if parts and parts[-1].found is None:
                parts[-1].end = max(parts[-1].end, end)
            else:
                parts.append(_Part("module head" if head else "statements", waiting, end))
        return parts

    def _is_head(self, node: Node, parts: Sequence[_Part]) -> bool:
        """Whether a top-level statement still belongs to the module's head: imports, and what is said before them."""
        kind = node.type
        if kind in self._grammar.imports or not node.is_named or kind.startswith(("preproc", "string", "identifier")):
            return True
        if kind == "expression_statement":
            return not parts and node.child_count == 1 and node.children[0].type == "string"
        start, end = self._source.position(node.start_byte), self._source.position(node.end_byte)
        return kind in {"if_statement", "try_statement", "mod_item", "lexical_declaration"} and bool(
            self._facts["imports"].within(start, end)
        )

    def _tiled(self, parts: Sequence[_Part], start: int, end: int) -> list[_Part]:
        """The parts widened so that together they hold all that is not blank in ``[start, end)``."""
        text = self._source.text
        if not parts:
            span = trim(text, start, end)
            return [_Part("statements", span.start, span.end)] if span else []
        widened: list[_Part] = []
        at = start
        for number, part in enumerate(parts):
            begin = at if number == 0 or text[at : part.start].strip() == "" else part.start
            if number and begin != at:  # what no node holds stays with the part before it
                widened[-1].end = part.start
            stop = parts[number + 1].start if number + 1 < len(parts) else end
            widened.append(_Part(part.kind, begin, max(part.end, begin), part.found, part.above))
            at = min(max(part.end, begin), stop)
            if number + 1 == len(parts):
                widened[-1].end = end
        result: list[_Part] = []
        for part in widened:
            span = trim(text, part.start, part.end)
            if span is not None:
                part.start, part.end = span.start, span.end
                result.append(part)
        return result

    def _unit(self, part: _Part, above: tuple[str, ...], depth: int) -> Unit | None:
        text, position = self._source.text, self._source.position
        found = part.found
        if found is None:
            end = min(part.end, len(text))
            line = text.find("\n", part.start, end)
            within = self._grammar.joint.join(above) if part.kind.startswith("head of ") else ""
            return Unit(part.kind, "", within, part.start, end, Span(part.start, end if line < 0 else line))
        owner = (found.owner,) if found.owner and above[-1:] != (found.owner,) else ()
        path = self._grammar.joint.join((*above, *owner, found.name)) if found.name else ""
        kind = "method" if part.kind == "function" and (owner or (above and depth and found.method)) else part.kind
        begin = max(part.start, part.above)
        body = position(found.body.start_byte) if found.body is not None else part.end
        signature = trim(text, begin, max(begin, min(body, part.end))) or Span(begin, begin)
        if found.name:
            self._symbols.append((begin, path))
        doc = trim(text, part.start, begin)
        children: tuple[Unit, ...] = ()
        if found.body is not None:
            doc = self._docstring(found.body) or doc
            if depth < _DEEPEST:
                children = self._children(part, found, found.body, (*above, *owner, found.name), depth)
        return Unit(kind, found.name, path, part.start, part.end, signature, doc, children)

    def _docstring(self, body: Node) -> Span | None:
        if self._grammar.name != "python" or not body.children:
            return None
        first = body.children[0]
        if first.type == "expression_statement" and first.children:
            first = first.children[0]
        if first.type != "string":
            return None
        return Span(self._source.position(first.start_byte), self._source.position(first.end_byte))

    def _children(
        self, part: _Part, found: Definition, body: Node, path: tuple[str, ...], depth: int
    ) -> tuple[Unit, ...]:
        parts = self._parts(body.children, depth + 1)
        if not any(inner.found for inner in parts):
            return ()
        head, opening = f"head of {part.kind}", parts[0]
        if opening.found is not None:
            parts.insert(0, _Part(head, part.start, self._source.position(body.start_byte)))
        else:
            opening.kind, opening.start = head, part.start
        for inner in parts:
            if inner.found is not None:
                inner.found.method = found.holds
        tiles = self._tiled(parts, part.start, part.end)
        made = (self._unit(inner, tuple(name for name in path if name), depth + 1) for inner in tiles)
        return tuple(unit for unit in made if unit is not None)
