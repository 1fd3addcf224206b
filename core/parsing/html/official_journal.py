"""The headings of EUR-Lex pages, the law of the European Union, which are paragraphs with telling classes."""

from __future__ import annotations

import re
from collections.abc import Iterator

from core.parsing.html.tree import Node, plain_text

_DIVISION = re.compile(r"(?:oj-)?ti-section-1|title-division-1")
_PART = re.compile(r"(?:oj-)?(?:ti-art|ti-grseq-1)|title-article-norm|title-gr-seq-level-1")
_DOCUMENT = re.compile(r"(?:oj-)?doc-ti|title-annex-1")
_SUBTITLE = re.compile(r"(?:oj-)?(?:ti-section-2|sti-art|doc-ti)|title-division-2|stitle-article-norm|title-annex-2")


def mark_headings(body: Node) -> None:
    """Turn titles of acts, annexes, divisions and articles into headings; each takes in the title of its own below it.

    The classes do not tell a part from a chapter. A division named like one above it ("TITLE II") is on its level.
    """
    names: list[str] = []  # of the open divisions: "part", "title", "chapter", in any language
    heading: Node | None = None  # the last paragraph, if it is a heading
    for node in _paragraphs(body):
        kind = node.classes.strip()
        if heading is not None and _SUBTITLE.fullmatch(kind):
            heading.children += [" ", *node.children]
            node.children = []
            continue
        heading = node
        if _DOCUMENT.fullmatch(kind):
            names, level = [], 1
        elif _DIVISION.fullmatch(kind):
            name = plain_text(node).strip().partition(" ")[0].casefold()
            names = [*names[: names.index(name) if name in names else len(names)], name]
            level = 1 + len(names)
        elif _PART.fullmatch(kind):
            level = 2 + len(names)
        else:
            heading = None
            continue
        node.tag = f"h{min(level, 6)}"


def _paragraphs(node: Node) -> Iterator[Node]:
    for child in node.children:
        if isinstance(child, Node):
            if child.tag == "p":
                yield child
            else:
                yield from _paragraphs(child)
