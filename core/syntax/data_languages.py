"""The grammars of data, schemas and queries, whose keys, records, messages and tables are their definitions."""

from __future__ import annotations

from core.syntax.grammar import NO_CALLS, Grammar, each, words

DATA_GRAMMARS = (
    Grammar(
        "yaml",
        {},
        {"block_mapping_pair": "key", "block_sequence_item": "item", "document": "document"},
        frozenset(),
        NO_CALLS,
        transparent=words("block_node block_mapping block_sequence ERROR"),
        separator=" > ",
        is_data=True,
    ),
    Grammar(
        "json",
        {},
        {"pair": "key", "object": "item"},
        frozenset(),
        NO_CALLS,
        transparent=words("array ERROR"),
        separator=" > ",
        is_data=True,
    ),
    Grammar(
        "hcl",
        {},
        {"block": "block"},
        frozenset(),
        NO_CALLS,
        transparent=words("body ERROR"),
        separator=" > ",
        is_data=True,
    ),
    Grammar(
        "proto",
        {},
        {**{kind: kind for kind in ("service", "message", "enum", "oneof")}, "rpc": "RPC"},
        words("syntax package import option"),
        "(import path: (string) @import)",
    ),
    Grammar(
        "sql",
        {},
        {
            "create_table": "table",
            **each("create_view create_materialized_view", "view"),
            "create_function": "stored function",
            "create_trigger": "trigger",
            "cte": "query",
        },
        frozenset(),
        NO_CALLS,
        comments=words("comment marginalia"),
        transparent=words("statement ERROR"),
    ),
)
