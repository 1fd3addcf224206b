"""Reads what a notebook's cell put out as HTML: tables, as data frames are shown, and the words around them."""

from __future__ import annotations

from collections.abc import Iterator

from core.parsing.flow import Piece, Words
from core.parsing.html.source import parse_source
from core.parsing.html.tables import grid, header_rows, table_of
from core.parsing.html.tree import Node, plain_text
from core.types import BlockKind

_ENDS_LINE = frozenset({"br", "div", "h1", "h2", "h3", "h4", "h5", "h6", "li", "p", "pre", "tr"})


def html_pieces(page: str) -> Iterator[Piece]:
    """The tables of an output and the text before, between and behind them; scripts and styles are left out.

    >>> [piece.kind.value for piece in html_pieces("<table><tr><th>a</th></tr><tr><td>1</td></tr></table><p>1 row</p>")]
    ['table', 'paragraph']
    """
    words: list[str] = []
    for part in _tables_and_words(parse_source(page).body):
        if isinstance(part, str):
            words.append(part)
            continue
        yield from _prose(words)
        table = table_of(part)
        if table.rows:
            cells = grid(table.rows, lambda cell: Words(" ".join(plain_text(cell).split())))
            yield Piece(BlockKind.TABLE, rows=cells, header_rows=header_rows(table.rows, cells))
    yield from _prose(words)


def _prose(words: list[str]) -> Iterator[Piece]:
    for line in "".join(words).split("\n"):
        if line.strip():
            yield Piece(BlockKind.PARAGRAPH, Words(" ".join(line.split())))
    words.clear()


def _tables_and_words(node: Node) -> Iterator[Node | str]:
    for child in node.children:
        if isinstance(child, str) or child.tag == "table":
            yield child
        else:
            yield from _tables_and_words(child)
            if child.tag in _ENDS_LINE:
                yield "\n"
