"""HTML tags inside other texts, such as anchors in Markdown tables, which models should not read."""

from __future__ import annotations

import re

# Inline markup only: another name in angle brackets may be code or a placeholder. Valid for the regular expressions of
# both Rust (tokenizers) and Python.
PATTERN = r'<(?:a|span)(?:\s+[\w:-]+="[^"<>]*")+\s*>|</(?:a|span)>|<br\s*/?>'
_TAG = re.compile(PATTERN)


def blanked(text: str) -> str:
    """The text with each character of such tags replaced by a blank, so that offsets stay.

    >>> blanked('a <a id="x">b</a><br/>c'), blanked("a<b, c>d and <path>")
    ('a           b         c', 'a<b, c>d and <path>')
    """
    return _TAG.sub(lambda tag: " " * len(tag[0]), text) if "<" in text else text
