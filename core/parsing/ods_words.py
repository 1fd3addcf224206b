"""Paragraphs of OpenDocument sheets as inline text (OpenDocument 1.3 part 3, section 6)."""

from __future__ import annotations

import re

from core.parsing.flow import Words
from core.parsing.inline import Inline, joined, safe_target
from core.parsing.ooxml import Element
from core.parsing.sheet_grid import whole
from core.parsing.sheet_stream import local_name

XLINK = "{http://www.w3.org/1999/xlink}"
# What a paragraph holds that is not of its words: it is read elsewhere, or says nothing.
_ASIDE = frozenset(("annotation", "annotation-end", "frame", "custom-shape", "g", "ruby-text", "note"))
# Filled in by the program when it prints.
_FIELDS = frozenset(
    "page-number page-count sheet-name file-name title date time creation-date print-date page-continuation".split()
)
_SPACE = re.compile(r"[ \t\r\n]+")
_MAX_BLANKS, _MAX_DEPTH = 200, 100


def paragraphs(holder: Element, *, fields: bool = True) -> Words:
    """The paragraphs right below ``holder`` as lines. ``fields``: with what the program fills in."""
    if is_plain(holder):
        return Words(_SPACE.sub(" ", holder[0].text or ""))
    lines = []
    for child in holder:
        if local_name(child) in ("p", "h"):
            inline = Inline()
            _gather(child, inline, frozenset() if fields else _FIELDS, 0)
            lines.append(inline.take() or Words(""))
    return joined(lines, "\n") if lines else Words("")


def is_plain(holder: Element) -> bool:
    """Whether all there is below ``holder`` is one paragraph of bare text, as in nearly all cells."""
    return len(holder) == 1 and len(holder[0]) == 0 and local_name(holder[0]) == "p"


def _gather(element: Element, inline: Inline, left_out: frozenset[str], depth: int) -> None:
    inline.add(_SPACE.sub(" ", element.text or ""))
    for child in element if depth < _MAX_DEPTH else ():
        name = local_name(child)
        if name == "s":
            inline.add(" " * min(whole(child.get(f"{child.tag[: -len(name)]}c"), 1), _MAX_BLANKS))
        elif name == "tab":
            inline.add(" ")
        elif name == "line-break":
            inline.add("\n")
        elif name == "a":
            inline.open_link(safe_target(child.get(f"{XLINK}href", "")))
            _gather(child, inline, left_out, depth + 1)
            inline.close_link()
        elif name not in _ASIDE and name not in left_out:
            _gather(child, inline, left_out, depth + 1)
        inline.add(_SPACE.sub(" ", child.tail or ""))
