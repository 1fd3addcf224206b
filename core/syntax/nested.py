"""Recognises what data, schemas and queries define: keys that hold more than one value, records, messages, tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.syntax.definition import Definition
from core.syntax.tree import SyntaxText

if TYPE_CHECKING:
    from tree_sitter import Node

_BODIES = frozenset({"message_body", "enum_body", "column_definitions", "statement", "create_query", "function_body"})
_PAIRS = frozenset({"block_mapping_pair", "pair"})
_HOLDERS = frozenset({"block_node", "object", "array"})
_NAMES = frozenset({"object_reference", "identifier", "service_name", "message_name", "enum_name", "rpc_name"})
_NAMING = ("name", "id", "title")  # keys whose value is what a record is called
_LONGEST_NAME = 60  # characters
_LOOKED_AT = 4  # pairs of a record, of which the first may name it


def nested_definition(node: Node, kind: str, source: SyntaxText) -> Definition | None:
    """The definition that a node is; ``None`` for a key with a plain value, and for a list's item that is one."""
    if node.type in _PAIRS:
        value = node.child_by_field_name("value")
        if value is None or value.type not in _HOLDERS:
            return None
        key = node.child_by_field_name("key")
        return Definition(kind, _plain(source, key) if key is not None else "", value)
    if node.type in {"block_sequence_item", "object"}:
        pairs = _pairs_of(node)
        alone = node.parent is not None and node.parent.type == "document" and node.parent.named_child_count == 1
        return Definition(kind, "" if alone else _name_of(pairs, source), node) if pairs else None
    if node.type == "document":
        return Definition(kind, "", node)
    if node.type == "block":
        labels = [_plain(source, child) for child in node.named_children if child.type in {"identifier", "string_lit"}]
        body = next((child for child in node.named_children if child.type == "body"), None)
        return Definition(kind, " ".join(labels), body)
    named = next((child for child in node.named_children if child.type in _NAMES), None)
    body = next((child for child in node.named_children if child.type in _BODIES), None)
    if body is None and any(child.type == "rpc" for child in node.named_children):
        body = node
    return Definition(kind, _plain(source, named) if named is not None else "", body)


def _name_of(pairs: list[Node], source: SyntaxText) -> str:
    """What a record is called: the value of a key that says so, else its first plain value; "" for none."""
    found: dict[str, str] = {}
    for pair in pairs[:_LOOKED_AT]:
        key, value = pair.child_by_field_name("key"), pair.child_by_field_name("value")
        if key is None or value is None or value.type in _HOLDERS:
            continue
        words = _plain(source, value)
        if len(words) <= _LONGEST_NAME and any(map(str.isalpha, words)):
            found.setdefault(_plain(source, key).lower(), words)
    return next((found[key] for key in _NAMING if key in found), next(iter(found.values()), ""))


def _pairs_of(node: Node) -> list[Node]:
    """The keys of a record, looked for below the nodes that only wrap it."""
    while node.type not in {"block_mapping", "object"}:
        inner = [child for child in node.named_children if child.type in {"block_node", "block_mapping"}]
        if not inner:
            return []
        node = inner[0]
    return [child for child in node.named_children if child.type in _PAIRS]


def _plain(source: SyntaxText, node: Node) -> str:
    """The words of a name without the quotes around it."""
    return source.words(node).strip("\"'`")[:200]


def above_comments(text: str, start: int) -> int:
    """Where the comment lines right above a YAML key begin, which its grammar gives to the key before or around it.

    Only lines of the key's own indentation: deeper ones may be text of the key before.

    >>> text = "a:\\n  # of b\\n  b: 1"
    >>> text[above_comments(text, text.index("b: 1")) :]
    '# of b\\n  b: 1'
    """
    line = text.rfind("\n", 0, start) + 1
    comment = text[line:start] + "#"
    if not comment[:-1].isspace() and comment != "#":
        return start
    while line and text.startswith(comment, above := text.rfind("\n", 0, line - 1) + 1):
        start, line = above + len(comment) - 1, above
    return start
