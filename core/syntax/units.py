"""Turns the nodes of a syntax tree into units: definitions with their comments, and runs of statements between them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.syntax.definition import Definition
from core.syntax.grammar import Grammar
from core.syntax.model import Facts, Unit
from core.syntax.names import definition_of
from core.syntax.nested import above_comments
from core.syntax.tree import SyntaxText
from core.text.spans import trim
from core.types import Span

if TYPE_CHECKING:
    from tree_sitter import Node

_DEEPEST = 12  # levels of nested definitions; deeper ones are no units of their own
_CLOSERS = frozenset({"}", ")", "]", ";", "};", ",", "end", "@end", "#endif"})


@dataclass(slots=True)
class _Draft:
    """A unit in progress: the extent of its nodes, and its definition, if it is one."""

    kind: str
    start: int
    end: int
    definition: Definition | None = None
    definition_start: int = -1  # where the definition begins, below its comments


class UnitReader:
    """Builds the units of one text, and collects the symbols they define."""

    def __init__(self, source: SyntaxText, grammar: Grammar, facts: dict[str, Facts]) -> None:
        self._source, self._grammar, self._facts = source, grammar, facts
        self._symbols: list[tuple[int, str]] = []

    def read(self, root: Node) -> tuple[Unit, ...]:
        """The top-level units; stores the symbols in ``facts``."""
        drafts = self._drafts(root.children, 0)
        units = [self._unit(draft, (), 0) for draft in self._covering(drafts, 0, len(self._source.text))]
        self._facts["symbols"] = Facts(self._symbols)
        return tuple(units)

    def _drafts(self, nodes: Sequence[Node], depth: int) -> list[_Draft]:
        """The nodes as definitions and the runs between them; comments and attributes belong to the next node."""
        grammar, position, text = self._grammar, self._source.position, self._source.text
        parts: list[_Draft] = []
        leading_start = -1  # start of the comments and attributes that belong to the next node; -1 for none
        leading_end = -1  # end of the last comment among them; -1 after an attribute
        pending = list(reversed(nodes))
        head = not depth
        while pending:
            node = pending.pop()
            kind = node.type
            start, end = position(node.start_byte), position(node.end_byte)
            while end > start and text[end - 1].isspace():  # a rule of make takes in the blank lines below it
                end -= 1
            if start >= end:
                continue
            if kind in grammar.transparent and node.child_count:
                pending.extend(reversed(node.children))
                continue
            blanks_only = leading_end >= 0 and not text[leading_end:start].strip()
            if blanks_only and text.count("\n", leading_end, start) > 1:
                # The comments are detached by a blank line, so they join the statements before, or are statements.
                if not parts or parts[-1].definition is not None:
                    parts.append(_Draft("module head" if head else "statements", leading_start, leading_end))
                parts[-1].end = leading_end
                leading_start = leading_end = -1
            # What Elixir says of a module is no part of the function below it.
            is_attribute = kind in grammar.attributes and not text.startswith("@moduledoc", start)
            if kind in grammar.comments or is_attribute:
                last = parts[-1] if parts else None
                is_comment = kind in grammar.comments
                if last and is_comment and leading_start < 0 and "\n" not in text[last.end : start]:
                    last.end = end  # a comment at the end of a line belongs to that line
                    continue
                leading_start = start if leading_start < 0 else leading_start
                leading_end = -1 if is_attribute else end
                continue
            definition = definition_of(node, grammar, self._source) if node.is_named else None
            begin = start if leading_start < 0 else leading_start
            leading_start = leading_end = -1
            if grammar.name == "yaml" and parts:
                begin = above_comments(text, begin)
                parts[-1].end = min(parts[-1].end, begin)
            if definition is not None:
                head = False
                parts.append(_Draft(definition.kind, begin, end, definition, start))
                continue
            head = head and self._is_head(node, parts)
            name = "module head" if head else "statements"
            last = parts[-1] if parts else None
            closing = not node.is_named and text[start:end] in _CLOSERS
            if last is not None and (closing or (last.definition is None and last.kind == name)):
                last.end = max(last.end, end)
            else:
                parts.append(_Draft(name, begin, end))
        if leading_start >= 0:
            end = max(leading_end, leading_start + 1)
            if parts and parts[-1].definition is None:
                parts[-1].end = max(parts[-1].end, end)
            else:
                parts.append(_Draft("module head" if head else "statements", leading_start, end))
        return parts

    def _is_head(self, node: Node, parts: Sequence[_Draft]) -> bool:
        """Whether a top-level statement belongs to the module head: imports, a docstring, and conditional imports."""
        kind = node.type
        if kind in self._grammar.imports or not node.is_named or kind.startswith(("preproc", "string", "identifier")):
            return True
        if kind == "expression_statement":
            return not parts and node.child_count == 1 and node.children[0].type == "string"
        start, end = self._source.position(node.start_byte), self._source.position(node.end_byte)
        return kind in {"if_statement", "try_statement", "mod_item", "lexical_declaration"} and bool(
            self._facts["imports"].within(start, end)
        )

    def _covering(self, parts: Sequence[_Draft], start: int, end: int) -> list[_Draft]:
        """The parts widened so that they cover all non-blank text of ``[start, end)``."""
        text = self._source.text
        if not parts:
            span = trim(text, start, end)
            return [_Draft("statements", span.start, span.end)] if span else []
        widened: list[_Draft] = []
        at = start
        for number, part in enumerate(parts):
            begin = at if number == 0 or text[at : part.start].strip() == "" else part.start
            if number and begin != at:  # text in no node belongs to the part before it
                widened[-1].end = part.start
            stop = parts[number + 1].start if number + 1 < len(parts) else end
            widened.append(_Draft(part.kind, begin, max(part.end, begin), part.definition, part.definition_start))
            at = min(max(part.end, begin), stop)
            if number + 1 == len(parts):
                widened[-1].end = end
        result: list[_Draft] = []
        for part in widened:
            span = trim(text, part.start, part.end)
            if span is not None:
                part.start, part.end = span.start, span.end
                result.append(part)
        return result

    def _unit(self, part: _Draft, above: tuple[str, ...], depth: int) -> Unit:
        """The unit of a draft, with its nested units. ``above``: the names of the enclosing definitions."""
        text, position = self._source.text, self._source.position
        definition = part.definition
        if definition is None:
            end = min(part.end, len(text))
            line = text.find("\n", part.start, end)
            within = self._grammar.separator.join(above) if part.kind.startswith("head of ") else ""
            return Unit(part.kind, "", within, part.start, end, Span(part.start, end if line < 0 else line))
        owner = (definition.owner,) if definition.owner and above[-1:] != (definition.owner,) else ()
        path = self._grammar.separator.join((*above, *owner, definition.name)) if definition.name else ""
        is_method = part.kind == "function" and bool(owner or (above and depth and definition.is_method))
        kind = "method" if is_method else part.kind
        begin = max(part.start, part.definition_start)
        body = position(definition.body.start_byte) if definition.body is not None else part.end
        if body <= begin:  # a record, whose first line is what tells it from others
            body = text.find("\n", begin, part.end) + 1 or part.end
        signature = trim(text, begin, max(begin, min(body, part.end))) or Span(begin, begin)
        if definition.name and not self._grammar.is_data:
            self._symbols.append((begin, path))
        doc = trim(text, part.start, begin)
        children: tuple[Unit, ...] = ()
        if definition.body is not None:
            doc = self._docstring(definition.body) or doc
            if depth < _DEEPEST:
                children = self._children(part, definition, definition.body, (*above, *owner, definition.name), depth)
        return Unit(kind, definition.name, path, part.start, part.end, signature, doc, children)

    def _docstring(self, body: Node) -> Span | None:
        """The span of a Python docstring."""
        if self._grammar.name != "python" or not body.children:
            return None
        first = body.children[0]
        if first.type == "expression_statement" and first.children:
            first = first.children[0]
        if first.type != "string":
            return None
        return Span(self._source.position(first.start_byte), self._source.position(first.end_byte))

    def _children(
        self, part: _Draft, definition: Definition, body: Node, path: tuple[str, ...], depth: int
    ) -> tuple[Unit, ...]:
        """The nested units of a definition, its head first; () without nested definitions."""
        parts = self._drafts(body.children, depth + 1)
        if not any(inner.definition for inner in parts):
            return ()
        head, opening = f"head of {part.kind}", parts[0]
        if opening.definition is not None:
            parts.insert(0, _Draft(head, part.start, self._source.position(body.start_byte)))
        else:
            opening.kind, opening.start = head, part.start
        for inner in parts:
            if inner.definition is not None:
                inner.definition.is_method = definition.holds_methods
        enclosing = tuple(name for name in path if name)
        return tuple(self._unit(inner, enclosing, depth + 1) for inner in self._covering(parts, part.start, part.end))
