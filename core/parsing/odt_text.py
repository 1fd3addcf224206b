"""Paragraphs of OpenDocument text as inline words, and what is anchored in them (OpenDocument 1.3, section 6)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from core.parsing.inline import Inline, safe_target
from core.parsing.odt_styles import TEXT, Styles

Element = Any  # lxml's elements come without types
XLINK = "{http://www.w3.org/1999/xlink}"
_SPACE = re.compile(r"[ \t\r\n]+")
_SHAPES = frozenset(
    "frame custom-shape g rect ellipse circle line polyline polygon path connector caption regular-polygon measure "
    "control page-thumbnail".split()
)
_UNSEEN = frozenset(
    "tracked-changes change change-start change-end script annotation-end hidden-text number ruby-text "
    "page-number page-count page-continuation soft-page-break title desc variable-decls sequence-decls".split()
)
_MAX_BLANKS = 500
_MAX_DEPTH = 60


@dataclass(slots=True)
class Anchored:
    """What stands in a paragraph but is no words of it: shapes, and notes and comments with their labels."""

    shapes: list[Element] = field(default_factory=list)
    notes: list[tuple[str, Element]] = field(default_factory=list)
    hidden_words: int = 0


def local_name(element: Element) -> str:
    """An element's name without its namespace, "" for comments and the like."""
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""


def gather(element: Element, styles: Styles, inline: Inline, anchored: Anchored, *, verbatim: bool = False) -> None:
    """The words below ``element`` into ``inline``. ``verbatim``: tabs stay tabs, as in code."""
    _Gatherer(styles, inline, anchored, "\t" if verbatim else " ").below(element, 0)


def plain_text(element: Element) -> str:
    """All text below an element, paragraphs as lines."""
    lines = [_SPACE.sub(" ", "".join(part.itertext())).strip() for part in element.iter(f"{TEXT}p", f"{TEXT}h")]
    return "\n".join(filter(None, lines))


@dataclass(slots=True)
class _Gatherer:
    styles: Styles
    inline: Inline
    anchored: Anchored
    tab: str

    def below(self, element: Element, depth: int) -> None:
        self._add(element.text)
        for child in element:
            self._child(child, local_name(child), depth)
            self._add(child.tail)

    def _add(self, text: str | None) -> None:
        if text:
            self.inline.add(_SPACE.sub(" ", text))

    def _child(self, child: Element, name: str, depth: int) -> None:
        if name == "s":
            self.inline.add(" " * _count(child))
        elif name == "tab":
            self.inline.add(self.tab)
        elif name == "line-break":
            self.inline.add("\n")
        elif name == "note":
            self._note(child)
        elif name == "annotation":
            self.anchored.notes.append(("", child))
        elif name in _SHAPES:
            self.anchored.shapes.append(child)
        elif name in _UNSEEN or not name:
            return
        elif name == "ruby":
            self._ruby(child, depth)
        elif self._is_hidden(child, name):
            self.anchored.hidden_words += len("".join(child.itertext()).split())
        elif name == "a":
            self.inline.open_link(safe_target(child.get(f"{XLINK}href", "")))
            self.below(child, depth)
            self.inline.close_link()
        elif depth < _MAX_DEPTH:
            self.below(child, depth + 1)
        else:
            self._add("".join(child.itertext()))

    def _note(self, note: Element) -> None:
        citation = note.find(f"{TEXT}note-citation")
        label = (citation.get(f"{TEXT}label") or "".join(citation.itertext())).strip() if citation is not None else ""
        label = label or "*"
        self.inline.add(f"[{label}]")
        self.anchored.notes.append((label, note))

    def _ruby(self, ruby: Element, depth: int) -> None:
        for part in ruby:
            if local_name(part) == "ruby-text":
                said = "".join(part.itertext()).strip()
                self._add(f"({said})" if said else "")
            elif depth < _MAX_DEPTH:
                self.below(part, depth + 1)

    def _is_hidden(self, element: Element, name: str) -> bool:
        if name in ("hidden-paragraph", "conditional-text"):
            return False  # what they show now is their content
        return name == "span" and self.styles.look("text", element.get(f"{TEXT}style-name", "")).is_hidden


def _count(blank: Element) -> int:
    text = blank.get(f"{TEXT}c", "1")
    return min(int(text), _MAX_BLANKS) if text.isdecimal() and len(text) < 9 else 1


def children(element: Element) -> Iterator[tuple[str, Element]]:
    """Child elements with their local names."""
    for child in element:
        if isinstance(child.tag, str):
            yield local_name(child), child
