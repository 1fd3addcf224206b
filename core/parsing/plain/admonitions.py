"""Notes and tabs of Python-Markdown, whose content is indented: ``!!! note``, ``??? tip``, ``=== "Tab"``."""

from __future__ import annotations

import re

_OPENS = re.compile(r"(?:!!!|\?\?\?\+?|===[+!]?) +[\w\"]")
_FENCE = re.compile(r"`{3,}|~{3,}")
_STEP = 4  # columns that each of them indents what it holds


def unindented(text: str) -> str:
    """The text for a reader of CommonMark, to which what notes and tabs hold were code: without their indentation.

    As many lines as before; those outside of notes and tabs, and of fenced code that merely shows some, stay as they
    are.

    >>> unindented('!!! note "A"\\n    One.\\n\\n    - x\\n        y\\nTwo.\\n\\n    code')
    '!!! note "A"\\nOne.\\n\\n- x\\n    y\\nTwo.\\n\\n    code'
    """
    if not re.search(r"^ *(?:!!!|\?\?\?|===[+! ])", text, re.MULTILINE):
        return text
    lines, open_at, fence = text.split("\n"), list[int](), ""
    for number, line in enumerate(lines):
        said = line.expandtabs(_STEP)
        if not said.strip():
            continue
        column = len(said) - len(said.lstrip())
        while open_at and column < open_at[-1] + _STEP:
            open_at.pop()
        kept = said[_STEP * len(open_at) :]
        if open_at:
            lines[number] = kept
        mark = _FENCE.match(kept.lstrip())
        if fence:
            fence = "" if mark and mark[0].startswith(fence) else fence
        elif mark:
            fence = mark[0]
        elif _OPENS.match(said, column):
            open_at.append(column)
    return "\n".join(lines)
