"""The simplified tree of an HTML page: elements that structure the page, and text."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import unquote

from core.parsing.looks import PLAIN_LOOK, Look


class StyledText(str):
    """Text with a ``look`` other than ``PLAIN_LOOK``."""

    __slots__ = ("look",)
    look: Look

    @classmethod
    def of(cls, text: str, look: Look) -> str:
        """The text with its look; a plain ``str`` for ``PLAIN_LOOK``."""
        if look == PLAIN_LOOK:
            return text
        styled = cls(text)
        styled.look = look
        return styled


def look_of(text: str) -> Look:
    """The look of a text among a node's children."""
    return text.look if isinstance(text, StyledText) else PLAIN_LOOK


class Node:
    """An element that structures the page. In the text among its ``children``, white space is blanks; newlines occur
    only where the page keeps white space.

    ``note``: for a footnote's mark, the address of the footnote; else "".
    """

    __slots__ = ("attributes", "children", "note", "tag")

    def __init__(self, tag: str, attributes: Mapping[str, str]) -> None:
        self.tag = tag
        self.attributes = attributes
        self.children: list[Node | str] = []
        self.note = ""

    @property
    def classes(self) -> str:
        return self.attributes.get("class", "")


@dataclass(slots=True)
class Source:
    """A parsed page: its ``body``, the metadata of its head, and the number of its hidden words.

    ``form_fields``: the number of fields of the largest form, without buttons. ``ids``: nodes by their address,
    "chapter.xhtml#n1" in a book and "#n1" in a single page. ``note_targets``: addresses of footnotes, from their marks.
    """

    body: Node
    title: str = ""
    language: str = ""
    metadata: dict[str, str] = field(default_factory=dict)
    hidden_words: int = 0
    form_fields: int = 0
    ids: dict[str, Node] = field(default_factory=dict)
    note_targets: set[str] = field(default_factory=set)


def plain_text(node: Node) -> str:
    """All text below a node, with its white space."""
    return "".join(child if isinstance(child, str) else plain_text(child) for child in node.children)


def address_of(target: str, page: str) -> str:
    """The address, as in ``Source.ids``, to which a link on ``page`` leads.

    >>> address_of("#n1", ""), address_of("../notes.xhtml#n1", "text/one/a.xhtml")
    ('#n1', 'text/notes.xhtml#n1')
    """
    path, _, fragment = target.partition("#")
    if path:
        path = posixpath.normpath(posixpath.join(posixpath.dirname(page), unquote(path)))
    return f"{path or page}#{unquote(fragment)}"


def is_note_mark(node: Node) -> bool:
    """Whether a link is a footnote's mark in the text (DPUB-ARIA, EPUB)."""
    return node.attributes.get("role") == "doc-noteref" or "noteref" in node.attributes.get("epub:type", "").split()
