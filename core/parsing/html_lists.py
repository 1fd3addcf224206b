"""The markers a browser puts before list items (HTML, section 4.4.8; CSS Counter Styles Level 3, sections 6 and 7)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import count

from core.parsing.html_tree import Node
from core.parsing.numerals import numbered

LISTS = frozenset({"ul", "ol", "menu", "dir", "dl"})
BULLET = "-"
_STYLE_TYPE = re.compile(r"list-style(?:-type)?\s*:[^;]*?(none|(?:lower|upper)-(?:alpha|latin|roman)|decimal)")
_TYPES = {"a": "lower-alpha", "A": "upper-alpha", "i": "lower-roman", "I": "upper-roman", "1": "decimal"}
_LARGEST = 1 << 31


def markers(node: Node) -> Iterator[str]:
    """The markers of a list's items, one after the other, as many as are asked for.

    >>> list(zip("abc", markers(Node("ol", {"type": "i", "start": "3"}))))
    [('a', 'iii.'), ('b', 'iv.'), ('c', 'v.')]
    """
    if node.tag != "ol":
        while True:
            yield "" if node.tag == "dl" else BULLET
    style = _style(node)
    items = [child for child in node.children if isinstance(child, Node) and child.tag == "li"]
    down = "reversed" in node.attributes
    number = _whole(node.attributes, "start", len(items) if down else 1)
    for place in count():
        if place < len(items):
            number = _whole(items[place].attributes, "value", number)
        yield numbered(number, style)
        number += -1 if down else 1


def _style(node: Node) -> str:
    stated = _STYLE_TYPE.search(node.attributes.get("style", ""))
    return stated[1] if stated else _TYPES.get(node.attributes.get("type", ""), "decimal")


def _whole(attributes: Mapping[str, str], name: str, otherwise: int) -> int:
    found = re.match(r"\s*([+-]?\d{1,10})", attributes.get(name, ""))
    return max(-_LARGEST, min(_LARGEST, int(found[1]))) if found else otherwise
