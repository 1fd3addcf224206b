"""HTML tags inside other texts, such as anchors in Markdown tables, which models should not read."""

from __future__ import annotations

import re

# Inline markup and tables only: another name in angle brackets may be code or a placeholder, as a bare "<table>" is.
# Valid for the regular expressions of both Rust (tokenizers) and Python.
_CELLS = "t[dhr]|thead|tbody|tfoot"
_NAMED = r'[\w:-]+="[^"<>]*"'
PATTERN = rf"<(?:a|span|table|{_CELLS})(?:\s+{_NAMED})+\s*>|<(?:{_CELLS})>|</(?:a|span|table|{_CELLS})>|<br\s*/?>"
_TAG = re.compile(PATTERN)


def blanked(text: str) -> str:
    """The text with each character of such tags replaced by a blank, so that offsets stay.

    >>> blanked("<tr><td>5</td>").split(), blanked('<table width="9"><table>').split()
    (['5'], ['<table>'])
    >>> blanked('a <a id="x">b</a><br/>c'), blanked("a<b, c>d and <path>")
    ('a           b         c', 'a<b, c>d and <path>')
    """
    return _TAG.sub(lambda tag: " " * len(tag[0]), text) if "<" in text else text
