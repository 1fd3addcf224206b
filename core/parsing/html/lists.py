"""Lists of a page: the markers that browsers display (HTML, section 4.4.8; CSS Counter Styles Level 3, sections 6 and
7), and lists that are written as paragraphs or tables.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import count

from core.parsing.flow import Item, TableCell, Words
from core.parsing.html.tree import Node
from core.parsing.inline import without_start
from core.text.values.numerals import numbered

LISTS = frozenset({"ul", "ol", "menu", "dir", "dl"})
BULLET = "-"
_GLYPHS = "•●○▪■□◦∙‣⁃"
_BULLETED = re.compile(rf"\s*[{_GLYPHS}]\s+(?=\S)")
_BULLETS = re.compile(rf"[{_GLYPHS}·*–—-]")
_MARKER = re.compile(rf"{_BULLETS.pattern}|\(?(?:\d{{1,3}}|[A-Za-z]|[ivxlcIVXLC]{{2,5}})[.)]")
_STYLE_TYPE = re.compile(r"list-style(?:-type)?\s*:[^;]*?(none|(?:lower|upper)-(?:alpha|latin|roman)|decimal)")
_TYPES = {"a": "lower-alpha", "A": "upper-alpha", "i": "lower-roman", "I": "upper-roman", "1": "decimal"}
_LARGEST = 1 << 31


def markers(node: Node) -> Iterator[str]:
    """The markers of a list's items in order. The iterator has no end.

    >>> list(zip("abc", markers(Node("ol", {"type": "i", "start": "3"}))))
    [('a', 'iii.'), ('b', 'iv.'), ('c', 'v.')]
    """
    if node.tag != "ol":
        while True:
            yield "" if node.tag == "dl" else BULLET
    style = _style(node)
    items = [child for child in node.children if isinstance(child, Node) and child.tag == "li"]
    is_reversed = "reversed" in node.attributes
    number = _integer(node.attributes, "start", len(items) if is_reversed else 1)
    for index in count():
        if index < len(items):
            number = _integer(items[index].attributes, "value", number)
        yield numbered(number, style)
        number += -1 if is_reversed else 1


def _style(node: Node) -> str:
    stated = _STYLE_TYPE.search(node.attributes.get("style", ""))
    return stated[1] if stated else _TYPES.get(node.attributes.get("type", ""), "decimal")


def _integer(attributes: Mapping[str, str], name: str, default: int) -> int:
    match = re.match(r"\s*([+-]?\d{1,10})", attributes.get(name, ""))
    return max(-_LARGEST, min(_LARGEST, int(match[1]))) if match else default


def bulleted(words: Words) -> Item | None:
    """A paragraph that begins with a bullet as a list item; ``None`` for other paragraphs.

    >>> bulleted(Words("• ducks")), bulleted(Words("- 5 degrees"))
    (Item(words=Words(text='ducks', links=()), marker='-', depth=0), None)
    """
    match = _BULLETED.match(words.text)
    return Item(without_start(words, match.end()), BULLET) if match else None


def is_marker(text: str) -> bool:
    """Whether a text is nothing but the marker of an item, such as "(a)".

    >>> is_marker("(1)"), is_marker("one")
    (True, False)
    """
    return bool(_MARKER.fullmatch(text.strip()))


def items_of(rows: Sequence[Sequence[TableCell]]) -> list[Item]:
    """The items of a list that is laid out as a table with its markers in a column of their own; [] for other tables.

    >>> def row(*texts): return [TableCell(Words(text)) for text in texts]
    >>> [(item.marker, item.words.text) for item in items_of([row("•", "ducks"), row("(a)", "geese")])]
    [('-', 'ducks'), ('(a)', 'geese')]
    >>> items_of([row("1.", "ducks"), row("", "geese")])
    []
    """
    items: list[Item] = []
    for row in rows:
        filled = [cell.words for cell in row if cell.words.text.strip()]
        if not filled:
            continue
        marker = filled[0].text.strip()
        if len(filled) != 2 or not _MARKER.fullmatch(marker) or not any(map(str.isalpha, filled[1].text)):
            return []
        items.append(Item(filled[1], BULLET if _BULLETS.fullmatch(marker) else marker))
    return items
