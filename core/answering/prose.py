"""Whether a line that was taken for a sentence is one: data, markup and statements of a program are no quotes."""

from __future__ import annotations

import re

# What stands before the first word: a bullet or number of a list, a sign of a quotation, a comment or a heading.
_MARKER = re.compile(r"\A(?:[-*+•–>#%;]+|/{2,}|/?\*+|\"{3}|'{3}|\(?\d{1,3}[.)]|[a-z][.)])\s+|\A(?:\"{3}|'{3})")
# Set apart inside a sentence and part of it: code between backticks, addresses, links, figures with their units.
_SET_APART = re.compile(r"`+[^`\n]+`+|https?://\S+|\[([^\]\n]*)\]\([^)\s]*\)|<[^<>\s]+@[^<>\s]+>")
_DATA = re.compile(
    r"[\"'][\w .$@/-]{1,60}[\"']\s*:"  # "name": of JSON
    r"|\A[\[{(]*[\"']?[\w.-]+[\"']?\s*(?::\s*[\[{]|=\s*[\[{\"'])"  # name: {, name = "
    r"|</?[A-Za-z][^>]*>"
)
_ROW = re.compile(r"\A\s*\||\s\|\s.*\s\|\s|\t.*\t")
_WORD = re.compile(r"[\"'“‘«(\[*_]*[^\W\d_]+(?:['’.-][^\W\d_]+)*[\"'”’»)\]*_.,;:!?…]*")
_NUMBER = re.compile(r"[\"'“(\[*_±+−-]?[€$£]?\d[\d.,:/–-]*[%‰°\"'”)\]*_.,;:!?]*")
_CAMEL = re.compile(r"[a-z][A-Z]")
_ENDED = re.compile(r"[.!?…][\"'”’»)*_]*\Z")
_FEWEST, _FEWEST_IN_CODE = 2, 4


def is_prose(text: str, *, in_code: bool = False) -> bool:
    """Whether words, and not marks, make up a line, so that it can be quoted as something that was said. Pure.

    ``in_code``: it stands in a listing, where it must also be whole: a comment, begun by a capital and ended by a stop.

    >>> [is_prose(text) for text in ("- Valid for `3600` seconds", '"expires_in": 3600,', "| Scope | Allows |")]
    [True, False, False]
    >>> [is_prose(text, in_code=True) for text in ("# Keys are rotated every month.", "for name in names of all")]
    [True, False]
    """
    line = " ".join(text.split())
    if _ROW.search(text) or line.startswith(("```", "~~~")):
        return False
    while (marker := _MARKER.match(line)) is not None:
        line = line[marker.end() :]
    plain = _SET_APART.sub(lambda found: found[1] or "x", line)
    if _DATA.search(plain):
        return False
    tokens = plain.split()
    words = sum(_is_word(token) for token in tokens)
    others = len(tokens) - words - sum(_NUMBER.fullmatch(token) is not None for token in tokens)
    if words < (_FEWEST_IN_CODE if in_code else _FEWEST) or 2 * others > words:
        return False
    return not in_code or (line.lstrip("\"'“‘(*_")[:1].isupper() and _ENDED.search(line) is not None)


def _is_word(token: str) -> bool:
    return _WORD.fullmatch(token) is not None and not _CAMEL.search(token)
