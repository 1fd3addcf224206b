"""Wiki links as notes write them (``[[Ducks]]``, ``![[Ducks#Feed|what they eat]]``)."""

from __future__ import annotations

import re

WIKI = "wiki:"
"""What the target of such a link begins with."""
PATTERN = r"!?\[\[(?=[ \t]*[^\[\]|\s])(?P<wiki>[^\[\]|\n]{1,300})(?:\|(?P<shown>[^\[\]\n]{0,300}))?\]\]"


def wiki_target(match: re.Match[str]) -> str:
    """Where a match of ``PATTERN`` leads; a heading of the note itself keeps its ``#``.

    >>> [wiki_target(re.match(PATTERN, text)) for text in ("[[Ducks#Feed|this]]", "[[#Feed]]")]
    ['wiki:Ducks#Feed', '#Feed']
    """
    target = match["wiki"].strip()
    return target if target.startswith("#") else WIKI + target
