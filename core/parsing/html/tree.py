"""The small tree that HTML is read into: elements that shape a page, and its text."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import unquote

from core.parsing.looks import PLAIN_LOOK, Look


class Dressed(str):
    """Text that is set in another way than plainly."""

    __slots__ = ("look",)
    look: Look

    @classmethod
    def of(cls, text: str, look: Look) -> str:
        """The text, plain where it looks so."""
        if look == PLAIN_LOOK:
            return text
        dressed = cls(text)
        dressed.look = look
        return dressed


def look_of(text: str) -> Look:
    """How a text among a node's children is set."""
    return text.look if isinstance(text, Dressed) else PLAIN_LOOK


class Node:
    """An element that shapes the page. Text among ``children`` has its white space as blanks, newlines where kept.

    ``note``: the address a footnote's mark points to, "" for all else.
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
    """A page: its ``body``, what its head states, and how many words it hides.

    ``form_fields``: of the form that has most of them, buttons aside.
    ``ids``: nodes by their address, "chapter.xhtml#n1" in a book, "#n1" in a page alone. ``note_targets``: addresses
    that footnote marks point to.
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
    """All text below a node, as it stands."""
    return "".join(child if isinstance(child, str) else plain_text(child) for child in node.children)


def address_of(target: str, page: str) -> str:
    """Where a link on ``page`` leads, as ``Source.ids`` names it.

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
