"""Further grammars. Most of these have no fields for the name and the body of a definition (``core.syntax.names``)."""

from __future__ import annotations

from core.syntax.grammar import NO_CALLS, Grammar, each, words

_CALLS = """
(call_expression (simple_identifier) @call)
(call_expression (navigation_expression (navigation_suffix (simple_identifier) @call)))
"""  # of Kotlin and Swift

FURTHER_GRAMMARS = (
    Grammar(
        "kotlin",
        {"function_declaration": "function", "secondary_constructor": "method"},
        {"class_declaration": "class", "object_declaration": "object", "companion_object": "companion object"},
        words("package_header file_annotation"),
        _CALLS + "(import_header (identifier) @import)",
        comments=words("line_comment multiline_comment"),
        transparent=words("import_list import_header ERROR"),  # the last import takes in the comment below it
    ),
    Grammar(
        "swift",
        {"function_declaration": "function", "init_declaration": "method"},
        {"class_declaration": "class", "protocol_declaration": "protocol"},
        words("import_declaration"),
        _CALLS + "(import_declaration (identifier) @import)",
        comments=words("comment multiline_comment"),
    ),
    Grammar(
        "scala",
        each("function_definition function_declaration", "function"),
        {
            "class_definition": "class",
            "object_definition": "object",
            "trait_definition": "trait",
            "enum_definition": "enum",
            "extension_definition": "extension",
        },
        words("package_clause import_declaration"),
        "(call_expression function: [(identifier) @call (field_expression field: (identifier) @call)])"
        "(import_declaration) @import",
        comments=words("comment block_comment"),
    ),
    Grammar(
        "lua",
        {"function_declaration": "function"},
        {},
        frozenset(),
        """
        (function_call name: [(identifier) @call (dot_index_expression field: (identifier) @call)
         (method_index_expression method: (identifier) @call)])
        (function_call name: (identifier) @_f arguments: (arguments (string content: (_) @import))
         (#eq? @_f "require"))
        """,
        values=words("function_definition"),
    ),
    Grammar(
        "r",
        {},
        {},
        frozenset(),
        """
        (call function: (identifier) @call)
        (call function: (identifier) @_f arguments: (arguments (argument) @import)
         (#match? @_f "^(library|require)$"))
        """,
        values=words("function_definition"),
    ),
    Grammar(
        "julia",
        {"function_definition": "function", "macro_definition": "macro"},
        {"struct_definition": "struct", "module_definition": "module"},
        words("using_statement import_statement export_statement"),
        "(call_expression (identifier) @call) (using_statement (_) @import) (import_statement (_) @import)",
        comments=words("line_comment block_comment"),
        attributes=words("string_literal"),  # a docstring stands before what it documents
    ),
    Grammar(
        "elixir",
        {"call": "function"},  # those of ``def`` and ``defmodule``
        {},
        frozenset(),
        "(call target: [(identifier) @call (dot right: (identifier) @call)])",
        attributes=words("unary_operator"),  # @doc and @spec
    ),
    Grammar(
        "perl",
        {"subroutine_declaration_statement": "function"},
        {},
        words("use_statement package_statement"),
        "(function_call_expression function: (function) @call)"
        "(method_call_expression method: (method) @call)"
        "(use_statement module: (package) @import)",
        comments=words("comment pod"),
    ),
    Grammar(
        "powershell",
        {"function_statement": "function", "class_method_definition": "method"},
        {"class_statement": "class", "enum_statement": "enum"},
        frozenset(),
        "(command command_name: (command_name) @call)",
        transparent=words("statement_list script_block script_block_body ERROR"),
    ),
    Grammar(
        "matlab",
        {"function_definition": "function"},
        {"class_definition": "class"},
        frozenset(),
        "(function_call name: (identifier) @call)",
        transparent=words("methods ERROR"),
    ),
    Grammar(
        "objc",
        {"function_definition": "function", "method_definition": "method"},
        {"class_interface": "interface", "class_implementation": "class", "protocol_declaration": "protocol"},
        words("preproc_include module_import"),
        "(call_expression function: (identifier) @call) (message_expression method: (identifier) @call)"
        "(preproc_include path: (_) @import)",
        attributes=words("preproc_call"),  # "#pragma mark"
        transparent=words("implementation_definition preproc_ifdef preproc_if preproc_else ERROR"),
        related=("matlab",),  # whose files are named alike
    ),
    Grammar(
        "make",
        {"rule": "rule", "define_directive": "definition"},
        {},
        words("include_directive variable_assignment"),
        "(include_directive filenames: (_) @import)",
    ),
    *(
        Grammar(
            name,
            {"mixin_statement": "mixin", "function_statement": "function"} if name == "scss" else {},
            {"rule_set": "rule", "media_statement": "rule", "keyframes_statement": "rule"},
            words("import_statement"),
            "(import_statement (_) @import)",
            comments=words("comment js_comment"),
            separator=" ",
            related=("scss",) if name == "css" else (),
            is_data=True,
        )
        for name in ("css", "scss")
    ),
    Grammar(
        "toml",
        {},
        each("table table_array_element", "table"),
        frozenset(),
        NO_CALLS,
        is_data=True,
    ),
    Grammar(
        "ini",
        {},
        {"section": "section"},
        frozenset(),
        NO_CALLS,
        is_data=True,
    ),
)
