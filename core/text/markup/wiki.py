"""Wiki links (``[[Ducks]]``, ``![[Ducks#Feed|what they eat]]``) and ``#tags`` in Markdown notes."""

from __future__ import annotations

import re
from collections.abc import Mapping

WIKI = "wiki:"
"""Prefix of the target of a wiki link."""
TAG_NAMES = ("tags", "tag")
"""Names of tags in front matter, in any case."""
_CODE = re.compile(r"(`+).+?\1|\{:?[^{}\n]*\}", re.DOTALL)  # and the attributes of a block: {: #name .kind }
_TAG = re.compile(r"(?<!\S)#([\w/-]*[^\W\d_][\w/-]*)")
PATTERN = r"!?\[\[(?=[ \t]*[^\[\]|\s])(?P<wiki>[^\[\]|\n]{1,300})(?:\|(?P<shown>[^\[\]\n]{0,300}))?\]\]"


def wiki_target(match: re.Match[str]) -> str:
    """The link target of a match of ``PATTERN``; a heading of the note itself keeps its ``#``.

    >>> [wiki_target(re.match(PATTERN, text)) for text in ("[[Ducks#Feed|this]]", "[[#Feed]]")]
    ['wiki:Ducks#Feed', '#Feed']
    """
    target = match["wiki"].strip()
    return target if target.startswith("#") else WIKI + target


def tags_in(text: str) -> list[str]:
    """The distinct tags in a note's prose, in order; numbers and code are no tags.

    >>> tags_in("#birds/ducks are out, `#not` here, see #12 and a#b. #Winter {: #nor-this }")
    ['birds/ducks', 'Winter']
    """
    return list(dict.fromkeys(match[1].strip("/-") for match in _TAG.finditer(_CODE.sub(" ", text))))


def tags_of(metadata: Mapping[str, str]) -> tuple[str, ...]:
    """The tags in a document's metadata, without number signs.

    >>> tags_of({"Tags": "#birds, ponds"}), tags_of({"title": "Ducks"})
    (('birds', 'ponds'), ())
    """
    lists = [value for name, value in metadata.items() if name.lower() in TAG_NAMES]
    return tuple(dict.fromkeys(tag for one in lists for part in one.split(",") if (tag := part.strip().lstrip("#"))))
