"""Finds definitions (functions, types, tests) in syntax nodes: their kind, name and body."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from core.syntax.data_languages import DATA_GRAMMARS
from core.syntax.definition import Definition
from core.syntax.grammar import Grammar, words
from core.syntax.nested import nested_definition
from core.syntax.tree import SyntaxText

if TYPE_CHECKING:
    from tree_sitter import Node

_TEST_CALLS = frozenset({"describe", "it", "test", "suite", "context"})
_TEST_MACROS = re.compile(r"(?:TYPED_)?TEST(?:_[FP])?|TEST_CASE|SCENARIO|BOOST_AUTO_TEST_CASE")
_TEST_MARKS = re.compile(rb"#\[(?:\w+::)*test|@(?:Parameterized|Repeated)?Test\b")
_NESTED_NAMES = 8
_NESTED = frozenset(grammar.name for grammar in DATA_GRAMMARS)
_TYPED = frozenset({"struct_specifier", "class_specifier", "union_specifier", "enum_specifier"})
# Where the grammar has no fields for them. Of a signature, the name is what stands before its parameters or parents.
_NAME_NODES = words(
    "simple_identifier type_identifier identifier bareword function_name simple_name signature type_head selectors "
    "targets section_name bare_key dotted_key quoted_key keyframes_name"
)
_BODY_NODES = words("function_body class_body enum_class_body block script_block compound_statement")
_THEIR_OWN_BODY = words("class_statement class_definition class_interface class_implementation protocol_declaration")
_OPENS = re.compile(r"[(<{]|\s+(?:<:|where\b|::)")
_TYPE_WORDS = words("interface struct enum extension actor")
# A function or class as a value: the fields of its name and of itself.
_ASSIGNED = {
    "variable_declarator": ("name", "value"),
    "assignment_expression": ("left", "right"),
    "field_definition": ("property", "value"),
    "public_field_definition": ("name", "value"),
    "binary_operator": ("lhs", "rhs"),
}
_ELIXIR = {
    "defmodule": "module",
    "defprotocol": "protocol",
    "defimpl": "implementation",
    "test": "test",
} | dict.fromkeys(("def", "defp", "defmacro", "defmacrop", "defguard"), "function")


def definition_of(node: Node, grammar: Grammar, source: SyntaxText) -> Definition | None:
    """The definition that a node is or wraps; ``None`` for other nodes."""
    kind = node.type
    if grammar.name in _NESTED:
        return nested_definition(node, grammar.types[kind], source) if kind in grammar.types else None
    if grammar.name == "elixir":
        return _elixir(node, source) if kind in grammar.functions else None
    if kind in grammar.functions:
        return _function(node, grammar.functions[kind], grammar, source)
    if kind in grammar.types:
        return _type(node, grammar.types[kind], grammar, source)
    if kind in grammar.wrappers:
        for child in node.named_children:
            if (definition := definition_of(child, grammar, source)) is not None:
                return definition
    if grammar.values:
        return _value(node, grammar, source)
    if kind in {"declaration", "field_declaration"} and grammar.types:
        typed = node.child_by_field_name("type")
        if typed is not None and typed.type in _TYPED:
            return definition_of(typed, grammar, source)
    return None


def _function(node: Node, kind: str, grammar: Grammar, source: SyntaxText) -> Definition:
    """The definition of a function, method or test."""
    body = _body(node)
    name, owner = "", ""
    name_node = node.child_by_field_name("name")
    if name_node is None and node.child_by_field_name("declarator") is None:
        name = _plain_name(node, source)
    elif name_node is not None:
        name = source.words(name_node)
    elif (declarator := node.child_by_field_name("declarator")) is not None:
        name, owner = _declared_name(declarator, source)
        if _TEST_MACROS.fullmatch(name):
            arguments = declarator.child_by_field_name("parameters")
            words = source.words(arguments) if arguments is not None else ""
            return Definition("test", words.strip("()").replace(", ", "."), body)
    if (receiver := node.child_by_field_name("receiver")) is not None:
        owner = next(iter(re.findall(r"\*?\s*(\w+)\s*(?:\[.*)?\)$", source.words(receiver))), "")
    return Definition("test" if _is_test(node, name, grammar, source) else kind, name, body, owner)


def _is_test(node: Node, name: str, grammar: Grammar, source: SyntaxText) -> bool:
    """Whether a function is a test, by its name, or by an annotation or attribute before it."""
    if grammar.name == "python":
        return name.startswith("test_")
    if grammar.name == "go":
        return bool(re.match(r"(?:Test|Benchmark|Example|Fuzz)(?![a-z])", name))
    if grammar.name == "java":
        return bool(_TEST_MARKS.search(source.data, node.start_byte, min(node.end_byte, node.start_byte + 300)))
    if grammar.name == "rust":
        before, seen = node.prev_sibling, 0
        while before is not None and before.type == "attribute_item" and seen < _NESTED_NAMES:
            if _TEST_MARKS.match(source.data, before.start_byte, before.end_byte):
                return True
            before, seen = before.prev_sibling, seen + 1
    return False


def _declared_name(node: Node, source: SyntaxText) -> tuple[str, str]:
    """The name and owner in a C declarator: bar and Foo in ``*Foo::bar(int)``."""
    for _ in range(_NESTED_NAMES):
        inner = node.child_by_field_name("declarator")
        if inner is None and node.type == "reference_declarator" and node.named_children:
            inner = node.named_children[-1]
        if inner is None:
            break
        node = inner
    if node.type == "qualified_identifier":
        owner, _, name = source.words(node).rpartition("::")
        return name, owner
    return source.words(node)[:80], ""


def _type(node: Node, kind: str, grammar: Grammar, source: SyntaxText) -> Definition | None:
    """The definition of a type, module or impl block; ``None`` for a mere mention of one."""
    body = _body(node)
    if grammar.name in {"c", "cpp"} and body is None:
        return None  # a declaration or use of the type
    if kind == "module" and body is None and grammar.name == "rust":
        return None  # "mod other;" refers to a file
    name = node.child_by_field_name("name")
    if kind == "impl block":
        target, trait = node.child_by_field_name("type"), node.child_by_field_name("trait")
        words = re.sub(r"<.*", "", source.words(target)) if target is not None else ""
        if trait is not None and words:
            return Definition(
                f"impl block of {_without_generics(source.words(trait))} for", words, body, holds_methods=True
            )
        return Definition(kind, words, body, holds_methods=True)
    if name is None and grammar.name == "go" and node.named_children:
        name = node.named_children[0].child_by_field_name("name")
    holds_methods = kind not in {"namespace", "module", "foreign module"}
    called = source.words(name).strip("\"'") if name is not None else _plain_name(node, source)
    if kind == "class":
        kind = next((child.type for child in node.children if child.type in _TYPE_WORDS), kind)
    return Definition(kind, called, body, holds_methods=holds_methods)


def _body(node: Node) -> Node | None:
    """The node that holds the members of a definition; the definition itself where they are its own children."""
    body = node.child_by_field_name("body")
    if body is None:
        body = next((child for child in node.named_children if child.type in _BODY_NODES), None)
    return node if body is None and node.type in _THEIR_OWN_BODY else body


def _plain_name(node: Node, source: SyntaxText) -> str:
    """The name of a definition whose grammar has no field for it; "" for none."""
    if node.type == "media_statement":
        return source.words(node).partition("{")[0].strip()[:80]
    name = next((child for child in node.named_children if child.type in _NAME_NODES), None)
    if name is None:
        return ""
    text = source.words(name).strip()
    if name.type in {"section_name", "quoted_key"}:
        text = text.strip("[]\"'")
    opens = _OPENS.search(text) if name.type in {"signature", "type_head"} else None
    return " ".join(text[: opens.start() if opens else None].split())[:80]


def _elixir(node: Node, source: SyntaxText) -> Definition | None:
    """The definition that a call of ``defmodule``, ``def`` or ``test`` is; ``None`` for other calls."""
    target = node.child_by_field_name("target")
    word = source.words(target) if target is not None else ""
    kind = _ELIXIR.get(word, "")
    parts = {child.type: child for child in node.named_children}
    if not kind or "arguments" not in parts or not parts["arguments"].named_children:
        return None
    said = source.words(parts["arguments"].named_children[0]).strip('"')
    name = re.split(r"[(\s,]", said, maxsplit=1)[0] if kind == "function" else said
    return Definition(kind, name, parts.get("do_block"))


def _without_generics(words: str) -> str:
    return words.partition("<")[0]


def _value(node: Node, grammar: Grammar, source: SyntaxText) -> Definition | None:
    """A function or class as an expression: ``const f = () => {}``, a field, ``module.exports = ...``, a test."""
    kind = node.type
    if kind in {"export_statement", "lexical_declaration", "variable_declaration", "expression_statement"}:
        for child in node.named_children:
            if (definition := _value(child, grammar, source)) is not None:
                return definition
        return None
    name, value = None, None
    if kind in _ASSIGNED:
        name, value = map(node.child_by_field_name, _ASSIGNED[kind])
    elif kind == "assignment_statement" and len(node.named_children) == 2:  # lists of names and of values
        name, value = node.named_children
        value = value.named_children[0] if value.named_children else None
    if value is not None:
        if value.type not in grammar.values:
            return None
        what = "class" if value.type == "class" else "function"
        return Definition(
            what,
            source.words(name)[:80] if name is not None else "",
            value.child_by_field_name("body"),
            holds_methods=what == "class",
        )
    if kind == "call_expression":
        function = node.child_by_field_name("function")
        arguments = node.child_by_field_name("arguments")
        if function is None or arguments is None or source.words(function).partition(".")[0] not in _TEST_CALLS:
            return None
        values = arguments.named_children
        if len(values) >= 2 and values[0].type in {"string", "template_string"} and values[-1].type in grammar.values:
            return Definition("test", source.words(values[0]).strip("\"'`"), values[-1].child_by_field_name("body"))
    return None
