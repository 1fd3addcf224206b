"""Running headers and footers of OpenDocument text: those of the page styles in use, each distinct line once."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from core.parsing.flow import Words
from core.parsing.inline import Inline, joined
from core.parsing.odt_package import OpenDocument
from core.parsing.odt_styles import STYLE, TEXT, Styles
from core.parsing.odt_text import Anchored, gather

Element = Any  # lxml's elements come without types
_SIDES = ("header", "header-first", "header-left", "footer", "footer-first", "footer-left")


def running_lines(document: OpenDocument, styles: Styles) -> Iterator[Words]:
    """The words of headers and footers; page numbers, which the program fills in, are no words."""
    if document.styles is None:
        return
    pages = {page.get(f"{STYLE}name", ""): page for page in document.styles.iter(f"{STYLE}master-page")}
    seen: set[str] = set()
    for name in _in_use(document, styles, pages):
        for side in _SIDES:
            for holder in pages[name].iterfind(f"{STYLE}{side}"):
                words = _words(holder, styles)
                said = " ".join(words.text.split())
                if holder.get(f"{STYLE}display") != "false" and any(map(str.isalnum, said)) and said not in seen:
                    seen.add(said)
                    yield words


def _in_use(document: OpenDocument, styles: Styles, pages: dict[str, Element]) -> Iterator[str]:
    """Names of page styles: the first one, those that paragraphs and tables ask for, and those that follow them."""
    used = {element.get(f"{TEXT}style-name", "") for element in document.content.iter(f"{TEXT}p", f"{TEXT}h")}
    asked = [styles.look("paragraph", name).master_page for name in sorted(used)]
    waiting = [name for name in ("Standard", *asked) if name in pages] or list(pages)[:1]
    done: set[str] = set()
    while waiting:
        name = waiting.pop(0)
        if name not in done:
            done.add(name)
            yield name
            follower = pages[name].get(f"{STYLE}next-style-name", "")
            waiting += [follower] if follower in pages else []


def _words(holder: Element, styles: Styles) -> Words:
    lines = []
    for paragraph in holder.iter(f"{TEXT}p", f"{TEXT}h"):
        inline = Inline()
        gather(paragraph, styles, inline, Anchored())
        lines.append(inline.take() or Words(""))
    return joined(lines or [Words("")], "\n")
