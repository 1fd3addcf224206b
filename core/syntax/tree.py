"""Parses text with tree-sitter within a limit that is the same on every machine, and maps bytes to code points.

tree-sitter's error recovery may take time and memory quadratic in a hostile text, so parsing stops after a number of
steps that depends on the size. Being a count of steps and no clock, the limit is deterministic, but it bounds neither
seconds nor memory: a few kilobytes of ``a=|`` take seconds within it, patterns of C++ gigabytes. Untrusted text is
therefore parsed in a process that can be killed (``core/parsing/sandbox/syntax.py``).
"""

from __future__ import annotations

import re
from array import array
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from tree_sitter import Language, Node, Point, Query

LARGEST = 4_000_000  # bytes of a text; its tree takes about a hundred times as much memory
# The step limit: 200 steps plus one for every 25 bytes. Real code, even with the wrong grammar, needs one for 52 bytes.
_CALLBACKS, _BYTES_PER_CALLBACK = 200, 25
_UNWRITABLE = re.compile("[\0\ud800-\udfff]")


class SyntaxText:
    """A text for the parser: ``data`` in UTF-8, and ``position`` from byte offsets to code points."""

    __slots__ = ("_characters_before", "data", "text")

    def __init__(self, text: str, parsed: str = "") -> None:
        """``parsed``: what is parsed in the text's place, of the same length; "" is the text itself."""
        self.text, text = text, parsed or text
        # NUL ends a text for some scanners, and lone surrogates cannot be encoded. "?" has the same length.
        self.data = (text if text.isascii() and "\0" not in text else _UNWRITABLE.sub("?", text)).encode()
        self._characters_before: array[int] | None = None
        if len(self.data) != len(text):
            first_bytes = (np.frombuffer(self.data, dtype=np.uint8) & 0xC0) != 0x80
            counts = np.zeros(len(self.data) + 1, dtype=np.int32)
            np.cumsum(first_bytes, out=counts[1:])
            self._characters_before = array("i")
            self._characters_before.frombytes(counts.tobytes())

    def position(self, offset: int) -> int:
        """The index of the code point that begins at a byte offset, else of the first one after it.

        >>> [SyntaxText("aé語b").position(at) for at in (0, 1, 3, 6, 7)]
        [0, 1, 2, 3, 4]
        """
        return offset if self._characters_before is None else self._characters_before[offset]

    def positions(self, offsets: list[int]) -> list[int]:
        """``position`` of each offset."""
        before = self._characters_before
        return offsets if before is None else [before[offset] for offset in offsets]

    def words(self, node: Node) -> str:
        """The node's text with blanks collapsed, at most 200 characters."""
        return " ".join(
            self.data[node.start_byte : min(node.end_byte, node.start_byte + 800)].decode("utf-8", "replace").split()
        )[:200]


@lru_cache(maxsize=32)
def language(grammar: str) -> Language:
    """The compiled grammar, from the installed package; nothing is downloaded."""
    from typing import cast

    from tree_sitter_language_pack import SupportedLanguage, get_language

    return get_language(cast("SupportedLanguage", grammar))


@lru_cache(maxsize=64)
def kinds(grammar: str, names: frozenset[str]) -> frozenset[int]:
    """The ids of a grammar's node kinds with these names; a name may have several ids."""
    compiled = language(grammar)
    return frozenset(kind for kind in range(compiled.node_kind_count) if compiled.node_kind_for_id(kind) in names)


@lru_cache(maxsize=64)
def prose_kinds(grammar: str) -> frozenset[int]:
    """The ids of a grammar's strings and comments: their parts (quotes, escapes, contents) are no statements."""
    compiled = language(grammar)
    names = ((kind, compiled.node_kind_for_id(kind) or "") for kind in range(compiled.node_kind_count))
    return frozenset(kind for kind, name in names if "string" in name or "comment" in name)


@lru_cache(maxsize=32)
def query(grammar: str, source: str) -> Query:
    """A compiled query for a grammar."""
    from tree_sitter import Query

    return Query(language(grammar), source)


def read(text: SyntaxText, grammar: str) -> Node | None:
    """The root of the syntax tree; ``None`` if the text is too large or parsing reaches the step limit."""
    from tree_sitter import Parser

    data = text.data
    if len(data) > LARGEST:
        return None
    steps = 0
    most = _CALLBACKS + len(data) // _BYTES_PER_CALLBACK

    def part(offset: int, _: Point) -> bytes:
        return data[offset : offset + 65_536]

    def stop(_: int, __: bool) -> bool:
        nonlocal steps
        steps += 1
        return steps > most

    parser = Parser(language(grammar))
    try:
        return parser.parse(part, progress_callback=stop).root_node
    except ValueError:  # raised by the binding when ``stop`` ends parsing
        parser.reset()
        return None


def error_share(root: Node) -> float:
    """The share of the text in error nodes, from 0 to 1; a missing token counts as one byte."""
    if not root.has_error:
        return 0.0
    error_bytes, pending = 0, [root]
    while pending:
        node = pending.pop()
        if node.type == "ERROR":
            error_bytes += node.end_byte - node.start_byte
        elif node.is_missing:
            error_bytes += 1
        elif node.has_error:
            pending.extend(node.children)
    return error_bytes / max(1, root.end_byte - root.start_byte)
