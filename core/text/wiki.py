"""What notes write besides Markdown: wiki links (``[[Ducks]]``, ``![[Ducks#Feed|what they eat]]``) and ``#tags``."""

from __future__ import annotations

import re
from collections.abc import Mapping

WIKI = "wiki:"
"""What the target of such a link begins with."""
TAG_NAMES = ("tags", "tag")
"""What front matter calls a note's tags, whatever the case."""
_CODE = re.compile(r"(`+).+?\1|\{:?[^{}\n]*\}", re.DOTALL)  # and the attributes of a block: {: #name .kind }
_TAG = re.compile(r"(?<!\S)#([\w/-]*[^\W\d_][\w/-]*)")
PATTERN = r"!?\[\[(?=[ \t]*[^\[\]|\s])(?P<wiki>[^\[\]|\n]{1,300})(?:\|(?P<shown>[^\[\]\n]{0,300}))?\]\]"


def wiki_target(match: re.Match[str]) -> str:
    """Where a match of ``PATTERN`` leads; a heading of the note itself keeps its ``#``.

    >>> [wiki_target(re.match(PATTERN, text)) for text in ("[[Ducks#Feed|this]]", "[[#Feed]]")]
    ['wiki:Ducks#Feed', '#Feed']
    """
    target = match["wiki"].strip()
    return target if target.startswith("#") else WIKI + target


def tags_in(text: str) -> list[str]:
    """The tags that a note's prose carries, in their order, each once: a number alone is none, nor is code.

    >>> tags_in("#birds/ducks are out, `#not` here, see #12 and a#b. #Winter {: #nor-this }")
    ['birds/ducks', 'Winter']
    """
    return list(dict.fromkeys(match[1].strip("/-") for match in _TAG.finditer(_CODE.sub(" ", text))))


def tags_of(metadata: Mapping[str, str]) -> tuple[str, ...]:
    """What a document itself says it is tagged with, without number signs.

    >>> tags_of({"Tags": "#birds, ponds"}), tags_of({"title": "Ducks"})
    (('birds', 'ponds'), ())
    """
    said = [value for name, value in metadata.items() if name.lower() in TAG_NAMES]
    return tuple(dict.fromkeys(tag for one in said for part in one.split(",") if (tag := part.strip().lstrip("#"))))
