"""Code blocks of a page, with the language their classes name."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator

from core.parsing.file_kinds import LANGUAGES
from core.parsing.html.tree import Node

_LANGUAGE = re.compile(r"(?:\b(?:language|lang|highlight-source|highlight|src)-|\bbrush:\s*)([\w+#.-]+)")
_NO_LANGUAGE = frozenset(
    {"default", "none", "text", "plain", "plaintext", "source", "nohighlight", "auto", "container"}
)
_LANGUAGE_NAMES = frozenset(LANGUAGES.values()) | frozenset(LANGUAGES)


def code_text(node: Node) -> str:
    """A preformatted element's text without the indentation that all its lines share."""
    return textwrap.dedent("".join(_lines(node)))


def _lines(node: Node) -> Iterator[str]:
    """A code block's text in parts. Elements inside it are lines, which end with the element."""
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
    """A code block's language by its classes or ``data-lang``, "" for none."""
    match = _LANGUAGE.search(node.classes) if node.classes else None
    stated = (match[1] if match else node.attributes.get("data-lang", "")).lower()
    if not stated and node.tag in ("pre", "code"):
        stated = next((name for name in node.classes.lower().split() if name in _LANGUAGE_NAMES), "")
    return "" if stated in _NO_LANGUAGE else LANGUAGES.get(stated, stated)
