"""Reads what a notebook's cell put out as HTML: tables, as data frames are shown, and the words around them."""

from __future__ import annotations

from collections.abc import Iterator
from html.parser import HTMLParser

from core.parsing.flow import Piece, Words
from core.parsing.html.tables import grid, header_rows, table_of
from core.parsing.html.tree import Node, plain_text
from core.types import BlockKind

_VOID = frozenset({"br", "col", "hr", "img", "input", "link", "meta", "wbr"})
_UNSEEN = frozenset({"head", "script", "style", "template", "title"})
_ENDS_LINE = frozenset({"br", "div", "h1", "h2", "h3", "h4", "h5", "h6", "li", "p", "pre", "tr"})
_DEEPEST = 100  # elements in each other; deeper ones are read as siblings


def html_pieces(page: str) -> Iterator[Piece]:
    """The tables of an output and the text before, between and behind them; scripts and styles are left out.

    >>> [piece.kind.value for piece in html_pieces("<table><tr><th>a</th></tr><tr><td>1</td></tr></table><p>1 row</p>")]
    ['table', 'paragraph']
    """
    reader = _Reader()
    reader.feed(page)
    reader.close()
    words: list[str] = []
    for part in _tables_and_words(reader.root):
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


class _Reader(HTMLParser):
    """Builds the tree of a page that Jupyter or a library wrote. Rows outside a section are put into a ``tbody``."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.root = Node("body", {})
        self._open = [self.root]

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        if tag == "tr" and self._open[-1].tag == "table":
            self._enter(Node("tbody", {}))
        node = Node(tag, {name: value or "" for name, value in attributes})
        if tag in _VOID or len(self._open) > _DEEPEST:
            self._open[-1].children.append(node)
        else:
            self._enter(node)

    def _enter(self, node: Node) -> None:
        self._open[-1].children.append(node)
        self._open.append(node)

    def handle_endtag(self, tag: str) -> None:
        for at in range(len(self._open) - 1, 0, -1):
            if self._open[at].tag == tag:
                del self._open[at:]
                break

    def handle_data(self, data: str) -> None:
        if not any(node.tag in _UNSEEN for node in self._open):
            self._open[-1].children.append(data)
