"""Nests the headings of a book as its table of contents does; its pages may set chapters and sections side by side."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from core.parsing.html.tree import Node, Source, address_of
from core.parsing.ooxml.package import Element

_DEEPEST = 6


def places_in_contents(root: Element, page: str) -> dict[str, int]:
    """The depth, from 1, of each address that a table of contents names; of one that it names often, the first.

    ``root``: of a navigation page (EPUB 3.3, section 7) or of an NCX file (EPUB 2). ``page``: its path in the book.
    """
    depths: dict[str, int] = {}
    for target, depth in (*_in_navigation(root), *_in_ncx(root)):
        depths.setdefault(address_of(target, page), depth)
    return depths


def _in_navigation(root: Element) -> Iterator[tuple[str, int]]:
    for navigation in root.iter("{*}nav"):
        if any(name.endswith("type") and "toc" in value.split() for name, value in navigation.attrib.items()):
            for link in navigation.iter("{*}a"):
                yield link.get("href", ""), sum(1 for _ in link.iterancestors("{*}ol"))


def _in_ncx(root: Element) -> Iterator[tuple[str, int]]:
    for content in root.iterfind(".//{*}navPoint/{*}content"):
        yield content.get("src", ""), sum(1 for _ in content.iterancestors("{*}navPoint"))


def nest(pages: Iterable[tuple[str, Source]], depths: Mapping[str, int]) -> None:
    """Lower headings so that each lies below the one that contains it in the table of contents.

    Only the tags of headings change, and no heading moves up. ``pages``: their paths and trees, in order. ``depths``:
    as from ``places_in_contents``. Headings that the contents do not name move with the one before them.
    """
    above: list[tuple[int, int]] = []  # depth in the contents and level of the headings that contain the place
    moved_from, shift = _DEEPEST, 0  # the level before it moved, and by how much, of the latest named heading
    for page, source in pages:
        depth = depths.get(f"{page}#")
        named = {id(source.ids[address]): depths[address] for address in source.ids if address in depths}
        for node in _nodes(source.body):
            depth = named.get(id(node), depth)
            if len(node.tag) != 2 or node.tag[0] != "h" or not node.tag[1].isdigit():
                continue
            level = int(node.tag[1])
            if depth is not None:
                above = [outer for outer in above if outer[0] < depth]
                moved = max(level, above[-1][1] + 1 if above else 1)
                above.append((depth, moved))
                moved_from, shift, depth = level, moved - level, None
            else:
                moved = level + (shift if level >= moved_from else 0)
            node.tag = f"h{min(moved, _DEEPEST)}"


def _nodes(node: Node) -> Iterator[Node]:
    """The node and those below it, in reading order."""
    waiting = [node]
    while waiting:
        node = waiting.pop()
        yield node
        waiting += [child for child in reversed(node.children) if isinstance(child, Node)]
