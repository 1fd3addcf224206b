"""Lines of programs held against passages sign by sign: every sign of them says something, and none is a sentence."""

from __future__ import annotations

import re
from collections.abc import Iterator

from core.search.answer.prose import is_prose
from core.types import Span

_CODE = re.compile(r"[{}]|;\s*$|\w\(|[=!<>]=|[-=]>|::|\w = |&&|\|\||^\s*[@#]\w", re.MULTILINE)
_SET_APART = re.compile(r"(?<!`)`[^`\n]+`(?!`)")
_MARK = r"(?:/{2,}!?|/\*+!?|\*+/|\*+|#+|--+)"  # of a comment, at the head of a line
_MARKED = re.compile(rf"^[ \t]*(?:{_MARK}(?=\s|$)|```\w*$)", re.MULTILINE)
_SIGN = re.compile(r"\w+|[^\w\s]")
_BETWEEN = rf"(?:\s*\n[ \t]*{_MARK}(?=\s))*\s*"
# What stands around a whole sentence or line, and around a whole piece of a program: no part of a longer one is said.
_LINE = re.compile(r"(?:\A|\n|[.!?]\s)\W*\Z"), re.compile(r"(?<=[.!?])(?=\s|\Z)|\W*(?:\n|\Z)")
_PIECE = (
    re.compile(r"(?:\A|[\n{};,(`\"'])[^\w\n]*\Z"),
    re.compile(r"(?<=[;{}])|\s*(?:[;,(){}\]:#`\"']|//|/\*|--|\n|\Z)"),
)
_NAME = re.compile(r"\w+")


def is_code(text: str) -> bool:
    """Whether a text is a piece of a program. Pure.

    >>> [is_code(text) for text in ("let n = rows[0];", "A token is valid for 15 minutes.", "| Scope | Allows |")]
    [True, False, False]
    """
    return bool(_CODE.search(_SET_APART.sub("x", text))) and not is_prose(text, in_code=True)


def standing(claim: str, text: str) -> Iterator[Span]:
    """Where a claim stands in a text word for word, whatever blanks, ends of lines and marks of comments lie between.

    It must be whole there: a line, a sentence, of code a piece; "it is free" is not said by "nobody said it is free".

    >>> list(standing("let n = rows[0];", "fn f() {\\n  let n =\\n    rows[0];\\n}"))
    [Span(start=11, end=31)]
    >>> list(standing("it is free", "Nobody said it is free.")), list(standing("The limit is 3.", "The limit is 3.5."))
    ([], [])
    >>> list(standing("timeout = 1", "timeout = 1.5")), list(standing("x = a", "x = a + b"))
    ([], [])
    """
    signs = _SIGN.findall(_MARKED.sub("", claim))
    if not signs:
        return
    edges = (r"\b" if signs[0][0].isalnum() else ""), (r"\b" if signs[-1][-1].isalnum() else "")
    pattern = edges[0] + _BETWEEN.join(map(re.escape, signs)) + edges[1]
    before, after = _PIECE if is_code(claim) else _LINE
    for found in re.finditer(pattern, text):
        if before.search(text, 0, found.start()) and after.match(text, found.end()):
            yield Span(*found.span())


def names_missing(claim: str, text: str) -> list[str]:
    """The names and numbers of a piece of a program that stand nowhere in a text, in their order, each once.

    >>> names_missing("timeout = 60", "timeout = 30")
    ['60']
    """
    there = frozenset(_NAME.findall(text))
    return [name for name in dict.fromkeys(_NAME.findall(claim)) if name not in there]
