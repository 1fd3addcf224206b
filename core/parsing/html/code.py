"""Code blocks of a page with the language their classes name, and the markers a browser puts before list items
(HTML, section 4.4.8; CSS Counter Styles Level 3, sections 6 and 7).
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Mapping
from itertools import count

from core.parsing.file_kinds import LANGUAGES
from core.parsing.html.tree import Node
from core.text.numerals import numbered

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


_LANGUAGE = re.compile(r"(?:\b(?:language|lang|highlight-source|highlight|src)-|\bbrush:\s*)([\w+#.-]+)")
_NO_LANGUAGE = frozenset(
    {"default", "none", "text", "plain", "plaintext", "source", "nohighlight", "auto", "container"}
)
_LANGUAGE_NAMES = frozenset(LANGUAGES.values()) | frozenset(LANGUAGES)


def code_text(node: Node) -> str:
    """A preformatted element's text, the indentation that all its lines share taken off."""
    return textwrap.dedent("".join(_lines(node)))


def _lines(node: Node) -> Iterator[str]:
    """A code block's text; lines that are elements of their own end where those end."""
    for child in node.children:
        if isinstance(child, str):
            yield child
        elif child.tag == "br":
            yield "\n"
        else:
            inner = "".join(_lines(child))
            yield inner
            if child.tag not in ("a", "img") and not inner.endswith("\n"):
                yield "\n"


def stated_language(node: Node) -> str:
    """A code block's language as its classes state it, "" when they do not."""
    found = _LANGUAGE.search(node.classes) if node.classes else None
    stated = (found[1] if found else node.attributes.get("data-lang", "")).lower()
    if not stated and node.tag in ("pre", "code"):
        stated = next((name for name in node.classes.lower().split() if name in _LANGUAGE_NAMES), "")
    return "" if stated in _NO_LANGUAGE else LANGUAGES.get(stated, stated)
