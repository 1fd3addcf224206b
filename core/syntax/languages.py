"""The supported languages: for each grammar, the node types of functions, types, imports, comments and calls."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

_ALIASES = {
    **dict.fromkeys(("py", "python3", "ipython", "ipython3", "pycon"), "python"),
    **dict.fromkeys(("js", "jsx", "mjs", "node", "ecmascript"), "javascript"),
    **dict.fromkeys(("ts", "mts"), "typescript"),
    **dict.fromkeys(("golang",), "go"),
    **dict.fromkeys(("rs",), "rust"),
    **dict.fromkeys(("h",), "c"),
    **dict.fromkeys(("c++", "cc", "cxx", "hpp", "cuda"), "cpp"),
    **dict.fromkeys(("cs", "c#"), "csharp"),
    **dict.fromkeys(("rb",), "ruby"),
    **dict.fromkeys(("kt", "kts"), "kotlin"),
    **dict.fromkeys(("sh", "shell", "zsh"), "bash"),
}


@dataclass(frozen=True, slots=True)
class Grammar:
    """The node types of one language's grammar.

    ``functions``, ``types``: node type to its English name. ``wrappers``: nodes around a definition and its
    decorators. ``transparent``: nodes that are replaced by their children. ``attributes``: nodes that belong to the
    next one. ``values``: functions and classes as expressions. ``calls``: a tree-sitter query with the captures
    ``call`` and ``import``. ``separator``: between the names of a path. ``related``: grammars to try where this one has
    errors.
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


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


def _each(words: str, kind: str) -> dict[str, str]:
    return dict.fromkeys(words.split(), kind)


_JAVASCRIPT_CALLS = """
(call_expression function: [(identifier) @call (member_expression property: (property_identifier) @call)])
(new_expression constructor: (identifier) @call)
(import_statement source: (string (string_fragment) @import))
(call_expression function: (identifier) @_f arguments: (arguments . (string (string_fragment) @import))
 (#eq? @_f "require"))
"""
_JAVASCRIPT_FUNCTIONS = {
    **_each("function_declaration generator_function_declaration function_signature", "function"),
    **_each("method_definition abstract_method_signature method_signature", "method"),
}
_JAVASCRIPT_VALUES = _set("arrow_function function_expression generator_function class")
_C_CALLS = """
(call_expression function: [(identifier) @call (field_expression field: (field_identifier) @call)])
(preproc_include path: (_) @import)
"""
_PREPROCESSOR = _set("preproc_ifdef preproc_if preproc_else preproc_elif linkage_specification ERROR")
_TYPESCRIPT = {
    **_each("class_declaration abstract_class_declaration", "class"),
    "interface_declaration": "interface",
    "enum_declaration": "enum",
    "type_alias_declaration": "type",
    **_each("internal_module module", "namespace"),
}

_GRAMMARS = (
    Grammar(
        "python",
        {"function_definition": "function"},
        {"class_definition": "class"},
        _set("import_statement import_from_statement future_import_statement"),
        """
        (call function: [(identifier) @call (attribute attribute: (identifier) @call)])
        (import_statement name: [(dotted_name) @import (aliased_import name: (dotted_name) @import)])
        (import_from_statement module_name: (_) @import)
        """,
        wrappers=_set("decorated_definition"),
    ),
    Grammar(
        "javascript",
        _JAVASCRIPT_FUNCTIONS,
        {"class_declaration": "class"},
        _set("import_statement"),
        _JAVASCRIPT_CALLS,
        wrappers=_set("export_statement"),
        attributes=_set("decorator"),
        related=("tsx",),
        values=_JAVASCRIPT_VALUES,
    ),
    *(
        Grammar(
            name,
            _JAVASCRIPT_FUNCTIONS,
            _TYPESCRIPT,
            _set("import_statement"),
            _JAVASCRIPT_CALLS,
            wrappers=_set("export_statement ambient_declaration expression_statement"),
            attributes=_set("decorator"),
            related=(other,),
            values=_JAVASCRIPT_VALUES,
        )
        for name, other in (("typescript", "tsx"), ("tsx", "typescript"))
    ),
    Grammar(
        "go",
        {"function_declaration": "function", "method_declaration": "method"},
        {"type_declaration": "type"},
        _set("import_declaration package_clause"),
        """
        (call_expression function: [(identifier) @call (selector_expression field: (field_identifier) @call)])
        (import_spec path: (_) @import)
        """,
    ),
    Grammar(
        "rust",
        {"function_item": "function", "function_signature_item": "function", "macro_definition": "macro"},
        {
            "struct_item": "struct",
            "enum_item": "enum",
            "union_item": "union",
            "trait_item": "trait",
            "impl_item": "impl block",
            "mod_item": "module",
            "foreign_mod_item": "foreign module",
        },
        _set("use_declaration extern_crate_declaration"),
        """
        (call_expression function: [(identifier) @call (field_expression field: (field_identifier) @call)
         (scoped_identifier name: (identifier) @call)])
        (macro_invocation macro: (identifier) @call)
        (use_declaration argument: (_) @import)
        """,
        comments=_set("line_comment block_comment"),
        attributes=_set("attribute_item"),
        separator="::",
    ),
    Grammar(
        "java",
        {"method_declaration": "method", **_each("constructor_declaration compact_constructor_declaration", "method")},
        {
            **_each("class_declaration", "class"),
            "interface_declaration": "interface",
            "enum_declaration": "enum",
            "record_declaration": "record",
            "annotation_type_declaration": "annotation",
        },
        _set("import_declaration package_declaration"),
        """
        (method_invocation name: (identifier) @call)
        (object_creation_expression type: (type_identifier) @call)
        (import_declaration (_) @import)
        """,
        comments=_set("line_comment block_comment"),
        transparent=_set("enum_body_declarations ERROR"),
    ),
    Grammar(
        "c",
        {"function_definition": "function", "preproc_function_def": "macro"},
        {"struct_specifier": "struct", "union_specifier": "union", "enum_specifier": "enum"},
        _set("preproc_include"),
        _C_CALLS,
        transparent=_PREPROCESSOR,
        related=("cpp",),
        wrappers=_set("type_definition"),
    ),
    Grammar(
        "cpp",
        {"function_definition": "function", "preproc_function_def": "macro"},
        {
            "class_specifier": "class",
            "struct_specifier": "struct",
            "union_specifier": "union",
            "enum_specifier": "enum",
            "namespace_definition": "namespace",
            "concept_definition": "concept",
        },
        _set("preproc_include using_declaration"),
        _C_CALLS + "(call_expression function: (qualified_identifier name: (identifier) @call))",
        transparent=_PREPROCESSOR,
        wrappers=_set("template_declaration type_definition"),
        separator="::",
    ),
    Grammar(
        "csharp",
        _each("method_declaration constructor_declaration local_function_statement", "method"),
        {
            "class_declaration": "class",
            "interface_declaration": "interface",
            "struct_declaration": "struct",
            "record_declaration": "record",
            "enum_declaration": "enum",
            **_each("namespace_declaration file_scoped_namespace_declaration", "namespace"),
        },
        _set("using_directive"),
        "(invocation_expression function: [(identifier) @call (member_access_expression name: (identifier) @call)])"
        "(using_directive (_) @import)",
    ),
    Grammar(
        "ruby",
        _each("method singleton_method", "method"),
        {"class": "class", "module": "module"},
        frozenset(),
        "(call method: (identifier) @call)",
        separator="::",
    ),
    Grammar(
        "php",
        {"function_definition": "function", "method_declaration": "method"},
        {
            "class_declaration": "class",
            "interface_declaration": "interface",
            "trait_declaration": "trait",
            "enum_declaration": "enum",
        },
        _set("namespace_use_declaration namespace_definition php_tag"),
        "(function_call_expression function: (name) @call) (member_call_expression name: (name) @call)",
        separator="::",
    ),
    Grammar("bash", {"function_definition": "function"}, {}, frozenset(), "(command name: (command_name) @call)"),
)
GRAMMARS: dict[str, Grammar] = {grammar.name: grammar for grammar in _GRAMMARS}


def grammar_of(language: str) -> Grammar | None:
    """The grammar of a language in any common spelling, such as that of a code fence; ``None`` if unsupported.

    >>> grammar_of("C++").name, grammar_of("{.py}").name, grammar_of("cobol")
    ('cpp', 'python', None)
    """
    name = language.strip().strip("{}").lstrip(".").lower()
    return GRAMMARS.get(_ALIASES.get(name, name))
