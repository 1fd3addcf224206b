"""The supported languages: for each grammar, the node types of functions, types, imports, comments and calls."""

from __future__ import annotations

from core.syntax.data_languages import DATA_GRAMMARS
from core.syntax.further_languages import FURTHER_GRAMMARS
from core.syntax.grammar import Grammar, each, words

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
    **dict.fromkeys(("ex", "exs"), "elixir"),
    **dict.fromkeys(("jl",), "julia"),
    **dict.fromkeys(("pl", "pm"), "perl"),
    **dict.fromkeys(("ps1", "psm1", "pwsh"), "powershell"),
    **dict.fromkeys(("makefile", "mk"), "make"),
    **dict.fromkeys(("objectivec", "objective-c", "obj-c"), "objc"),
    **dict.fromkeys(("octave",), "matlab"),
    **dict.fromkeys(("less",), "scss"),
    **dict.fromkeys(("yml",), "yaml"),
    **dict.fromkeys(("jsonl", "ndjson", "geojson", "jsonc", "json5"), "json"),
    **dict.fromkeys(("tf", "terraform"), "hcl"),
    **dict.fromkeys(("protobuf", "proto3"), "proto"),
    **dict.fromkeys(("postgresql", "postgres", "plpgsql", "mysql", "tsql", "sqlite"), "sql"),
}


_JAVASCRIPT_CALLS = """
(call_expression function: [(identifier) @call (member_expression property: (property_identifier) @call)])
(new_expression constructor: (identifier) @call)
(import_statement source: (string (string_fragment) @import))
(call_expression function: (identifier) @_f arguments: (arguments . (string (string_fragment) @import))
 (#eq? @_f "require"))
"""
_JAVASCRIPT_FUNCTIONS = {
    **each("function_declaration generator_function_declaration function_signature", "function"),
    **each("method_definition abstract_method_signature method_signature", "method"),
}
_JAVASCRIPT_VALUES = words("arrow_function function_expression generator_function class")
_C_CALLS = """
(call_expression function: [(identifier) @call (field_expression field: (field_identifier) @call)])
(preproc_include path: (_) @import)
"""
_PREPROCESSOR = words("preproc_ifdef preproc_if preproc_else preproc_elif linkage_specification ERROR")
_TYPESCRIPT = {
    **each("class_declaration abstract_class_declaration", "class"),
    "interface_declaration": "interface",
    "enum_declaration": "enum",
    "type_alias_declaration": "type",
    **each("internal_module module", "namespace"),
}

_GRAMMARS = (
    Grammar(
        "python",
        {"function_definition": "function"},
        {"class_definition": "class"},
        words("import_statement import_from_statement future_import_statement"),
        """
        (call function: [(identifier) @call (attribute attribute: (identifier) @call)])
        (import_statement name: [(dotted_name) @import (aliased_import name: (dotted_name) @import)])
        (import_from_statement module_name: (_) @import)
        """,
        wrappers=words("decorated_definition"),
    ),
    Grammar(
        "javascript",
        _JAVASCRIPT_FUNCTIONS,
        {"class_declaration": "class"},
        words("import_statement"),
        _JAVASCRIPT_CALLS,
        wrappers=words("export_statement"),
        attributes=words("decorator"),
        related=("tsx",),
        values=_JAVASCRIPT_VALUES,
    ),
    *(
        Grammar(
            name,
            _JAVASCRIPT_FUNCTIONS,
            _TYPESCRIPT,
            words("import_statement"),
            _JAVASCRIPT_CALLS,
            wrappers=words("export_statement ambient_declaration expression_statement"),
            attributes=words("decorator"),
            related=(other,),
            values=_JAVASCRIPT_VALUES,
        )
        for name, other in (("typescript", "tsx"), ("tsx", "typescript"))
    ),
    Grammar(
        "go",
        {"function_declaration": "function", "method_declaration": "method"},
        {"type_declaration": "type"},
        words("import_declaration package_clause"),
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
        words("use_declaration extern_crate_declaration"),
        """
        (call_expression function: [(identifier) @call (field_expression field: (field_identifier) @call)
         (scoped_identifier name: (identifier) @call)])
        (macro_invocation macro: (identifier) @call)
        (use_declaration argument: (_) @import)
        """,
        comments=words("line_comment block_comment"),
        attributes=words("attribute_item"),
        separator="::",
    ),
    Grammar(
        "java",
        {"method_declaration": "method", **each("constructor_declaration compact_constructor_declaration", "method")},
        {
            **each("class_declaration", "class"),
            "interface_declaration": "interface",
            "enum_declaration": "enum",
            "record_declaration": "record",
            "annotation_type_declaration": "annotation",
        },
        words("import_declaration package_declaration"),
        """
        (method_invocation name: (identifier) @call)
        (object_creation_expression type: (type_identifier) @call)
        (import_declaration (_) @import)
        """,
        comments=words("line_comment block_comment"),
        transparent=words("enum_body_declarations ERROR"),
    ),
    Grammar(
        "c",
        {"function_definition": "function", "preproc_function_def": "macro"},
        {"struct_specifier": "struct", "union_specifier": "union", "enum_specifier": "enum"},
        words("preproc_include"),
        _C_CALLS,
        transparent=_PREPROCESSOR,
        related=("cpp",),
        wrappers=words("type_definition"),
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
        words("preproc_include using_declaration"),
        _C_CALLS + "(call_expression function: (qualified_identifier name: (identifier) @call))",
        transparent=_PREPROCESSOR,
        wrappers=words("template_declaration type_definition"),
        separator="::",
    ),
    Grammar(
        "csharp",
        each("method_declaration constructor_declaration local_function_statement", "method"),
        {
            "class_declaration": "class",
            "interface_declaration": "interface",
            "struct_declaration": "struct",
            "record_declaration": "record",
            "enum_declaration": "enum",
            **each("namespace_declaration file_scoped_namespace_declaration", "namespace"),
        },
        words("using_directive"),
        "(invocation_expression function: [(identifier) @call (member_access_expression name: (identifier) @call)])"
        "(using_directive (_) @import)",
    ),
    Grammar(
        "ruby",
        each("method singleton_method", "method"),
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
        words("namespace_use_declaration namespace_definition php_tag"),
        "(function_call_expression function: (name) @call) (member_call_expression name: (name) @call)",
        separator="::",
    ),
    Grammar("bash", {"function_definition": "function"}, {}, frozenset(), "(command name: (command_name) @call)"),
)
GRAMMARS: dict[str, Grammar] = {grammar.name: grammar for grammar in (*_GRAMMARS, *FURTHER_GRAMMARS, *DATA_GRAMMARS)}


def grammar_of(language: str) -> Grammar | None:
    """The grammar of a language in any common spelling, such as that of a code fence; ``None`` if unsupported.

    >>> grammar_of("C++").name, grammar_of("{.py}").name, grammar_of("cobol")
    ('cpp', 'python', None)
    """
    name = language.strip().strip("{}").lstrip(".").lower()
    return GRAMMARS.get(_ALIASES.get(name, name))
