"""A syntax tree whose offsets are code points, read within a bound that is the same on every machine.

tree-sitter recovers from errors in time and memory that may grow with the square of a hostile text, so reading stops
after so many steps for the size. Steps are not seconds and not bytes of memory: a few kilobytes of ``a=|`` take seconds
within their steps, patterns of C++ gigabytes. A text that nobody vouches for is therefore read in a process
that can be killed (``core/parsing/sandbox/syntax.py``), and no clock decides here: the same text gives the same tree.
"""

from __future__ import annotations

import re
from array import array
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from tree_sitter import Language, Node, Point, Query

LARGEST = 4_000_000  # bytes; a tree takes about a hundred times its text
_CALLBACKS = 200
_BYTES_PER_CALLBACK = 25  # of real code, of its beginnings, and of either read by the wrong grammar, 52 bytes or more
_UNWRITABLE = re.compile("[\0\ud800-\udfff]")


class SyntaxText:
    """A text as the parser reads it: ``data`` in UTF-8, and ``position`` from its bytes back to code points."""

    __slots__ = ("_before", "data", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        # NUL ends a text for some scanners, and half a pair cannot be written: each is one character, and so is "?".
        self.data = (text if text.isascii() and "\0" not in text else _UNWRITABLE.sub("?", text)).encode()
        self._before: array[int] | None = None
        if len(self.data) != len(text):
            leads = (np.frombuffer(self.data, dtype=np.uint8) & 0xC0) != 0x80
            counts = np.zeros(len(self.data) + 1, dtype=np.int32)
            np.cumsum(leads, out=counts[1:])
            self._before = array("i")
            self._before.frombytes(counts.tobytes())

    def position(self, offset: int) -> int:
        """The code point that begins at, or else the first after, a byte.

        >>> [SyntaxText("aé語b").position(at) for at in (0, 1, 3, 6, 7)]
        [0, 1, 2, 3, 4]
        """
        return offset if self._before is None else self._before[offset]

    def positions(self, offsets: list[int]) -> list[int]:
        """``position`` of each, in order."""
        before = self._before
        return offsets if before is None else [before[offset] for offset in offsets]

    def words(self, node: Node) -> str:
        """The node's text, blanks run together, at most 200 characters."""
        return " ".join(
            self.data[node.start_byte : min(node.end_byte, node.start_byte + 800)].decode("utf-8", "replace").split()
        )[:200]


@lru_cache(maxsize=32)
def language(grammar: str) -> Language:
    """The grammar out of the wheel: nothing is downloaded."""
    from typing import cast

    from tree_sitter_language_pack import SupportedLanguage, get_language

    return get_language(cast("SupportedLanguage", grammar))


@lru_cache(maxsize=64)
def kinds(grammar: str, names: frozenset[str]) -> frozenset[int]:
    """The numbers under which a grammar knows nodes of these names; one name may have several."""
    known = language(grammar)
    return frozenset(at for at in range(known.node_kind_count) if known.node_kind_for_id(at) in names)


@lru_cache(maxsize=32)
def query(grammar: str, source: str) -> Query:
    """A compiled query of one grammar."""
    from tree_sitter import Query

    return Query(language(grammar), source)


def read(text: SyntaxText, grammar: str) -> Node | None:
    """The root of the syntax tree; ``None`` when the text is too large or too far from the grammar to be read."""
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
    except ValueError:  # what the binding makes of a stop
        parser.reset()
        return None


def error_share(root: Node) -> float:
    """The share of the text that the grammar could not place, from 0 to 1; a missing token counts as one byte."""
    if not root.has_error:
        return 0.0
    wrong, pending = 0, [root]
    while pending:
        node = pending.pop()
        if node.type == "ERROR":
            wrong += node.end_byte - node.start_byte
        elif node.is_missing:
            wrong += 1
        elif node.has_error:
            pending.extend(node.children)
    return wrong / max(1, root.end_byte - root.start_byte)
