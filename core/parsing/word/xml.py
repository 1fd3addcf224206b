"""Names of WordprocessingML, and helpers that read its elements (ECMA-376 part 1, section 17)."""

from __future__ import annotations

from collections.abc import Iterator

from core.parsing.ooxml.package import Element

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
M = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
ALTERNATE = "{http://schemas.openxmlformats.org/markup-compatibility/2006}AlternateContent"
CHOICE = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Choice"
FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"

PARAGRAPH, TABLE, ROW, CELL = f"{W}p", f"{W}tbl", f"{W}tr", f"{W}tc"
CONTENT_CONTROL, CONTROL_CONTENT = f"{W}sdt", f"{W}sdtContent"
BOX_CONTENT = f"{W}txbxContent"
# Elements that only wrap content, tracked insertions among them.
WRAPPERS = frozenset(f"{W}{name}" for name in ("smartTag", "customXml", "ins", "moveTo", "dir", "bdo"))
DELETIONS = frozenset((f"{W}del", f"{W}moveFrom"))
_MAX_NUMBER = 100_000_000


def value(element: Element | None, name: str) -> str | None:
    """``w:val`` of the child ``w:name``; ``None`` where either is missing.

    >>> from lxml import etree
    >>> value(etree.fromstring(f'<a xmlns:w="{W[1:-1]}"><w:pStyle w:val="Quote"/></a>'), "pStyle")
    'Quote'
    """
    child = None if element is None else element.find(f"{W}{name}")
    return None if child is None else child.get(f"{W}val")


def number(element: Element | None, name: str) -> int | None:
    """``value`` as an integer; ``None`` where it is missing, not a number or too large."""
    return integer(value(element, name))


def integer(text: str | None) -> int | None:
    """An integer; ``None`` for other text and for too large numbers.

    >>> integer("12"), integer("-1"), integer("a"), integer(None), integer("9" * 99)
    (12, -1, None, None, None)
    """
    try:
        result = int(text or "")
    except ValueError:
        return None
    return result if abs(result) <= _MAX_NUMBER else None


def switch(element: Element | None, name: str) -> bool | None:
    """The state of an on/off child such as ``w:vanish``; ``None`` where it is missing."""
    child = None if element is None else element.find(f"{W}{name}")
    return None if child is None else is_on(child)


def is_on(element: Element) -> bool:
    """Whether an on/off element is on. Without a value it is."""
    return element.get(f"{W}val", "1") not in ("0", "false", "off", "none")


def indent_of(properties: Element | None) -> int | None:
    """The left indent of paragraph properties in twentieths of a point; ``None`` where they state none."""
    indent = None if properties is None else properties.find(f"{W}ind")
    return None if indent is None else integer(indent.get(f"{W}left") or indent.get(f"{W}start"))


def content(parent: Element) -> Iterator[Element]:
    """The children of ``parent`` with content: wrappers and content controls are replaced by what is in them, deletions
    are left out. ``mc:AlternateContent`` is returned as it is.
    """
    for child in parent:
        if child.tag in WRAPPERS:
            yield from content(child)
        elif child.tag == CONTENT_CONTROL:
            for inside in child.iterfind(CONTROL_CONTENT):
                yield from content(inside)
        elif child.tag not in DELETIONS:
            yield child


def alternative(element: Element) -> Element | None:
    """The branch of an ``mc:AlternateContent`` to read: the first choice, else the fallback."""
    choice = element.find(CHOICE)
    return element.find(FALLBACK) if choice is None else choice
