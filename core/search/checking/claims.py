"""The sentences of a text with the passages they cite by number, and pieces of programs, held against texts by sign."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from core.search.answer.prose import is_prose
from core.text.sentences import sentence_spans
from core.types import Span

_CITED = re.compile(r"[ \u00a0]*\[(\d{1,3}(?:\s*[,;–-]\s*\d{1,3})*)\]")
_BEHIND = re.compile(_CITED.pattern.replace("*", "+", 1) + r"\s*\Z")  # of a listing, where names[0] cites nothing
_WORD = re.compile(r"\w")
_LEADING = re.compile(r"\A(?:[-*•#>]+|\d{1,2}[.)])\s+")
_SILENT = re.compile(r"(?:the |your )?library does not say", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Claim:
    """A sentence of a text. ``text``: without citations; ``span``: in the text, with them. ``cited``: their numbers."""

    text: str
    span: Span
    cited: tuple[int, ...] = ()

    @property
    def is_silence(self) -> bool:
        """Whether it only says that the library does not say."""
        return bool(_SILENT.search(self.text)) and len(self.text) < 160


def claims(text: str) -> list[Claim]:
    """The sentences of a text that say something, in order. Pure.

    >>> [(claim.text, claim.cited) for claim in claims("It is free [1, 3]. Tea is hot. [2] Why?")]
    [('It is free.', (1, 3)), ('Tea is hot.', (2,)), ('Why?', ())]
    >>> [(claim.text, claim.cited) for claim in claims("let n = **rows[0]; [2]")]
    [('let n = **rows[0];', (2,))]
    """
    found: list[Claim] = []
    for span in _sentences(text):
        whole = text[span.start : span.end]
        code = is_code(whole)
        mark = _BEHIND if code else _CITED
        cited = tuple(dict.fromkeys(number for cite in mark.finditer(whole) for number in _numbers(cite[1])))
        plain = mark.sub("", whole).strip()
        plain = plain if code else _LEADING.sub("", plain).replace("**", "")
        if _WORD.search(plain):
            found.append(Claim(plain, span, cited))
    return found


def marks(text: str) -> Iterator[tuple[Span, tuple[int, ...]]]:
    """Where citations stand in a text, and the numbers in each.

    >>> list(marks("Free [1-3]."))
    [(Span(start=4, end=10), (1, 2, 3))]
    """
    for mark in _CITED.finditer(text):
        yield Span(*mark.span()), tuple(_numbers(mark[1]))


def _sentences(text: str) -> list[Span]:
    """Sentences; what only cites belongs to the one before it, wherever the stop was put."""
    merged: list[Span] = []
    for span in sentence_spans(text):
        lead = _CITED.match(text, span.start, span.end)
        if merged and lead is not None:
            end = lead.end()
            while (more := _CITED.match(text, end, span.end)) is not None:
                end = more.end()
            merged[-1] = Span(merged[-1].start, end)
            span = Span(end, span.end)
            while span.start < span.end and text[span.start] in " \n.":
                span = Span(span.start + 1, span.end)
        if span.start < span.end:
            merged.append(span)
    return merged


def _numbers(written: str) -> Iterator[int]:
    for part in re.split(r"[,;]", written):
        first, dash, last = (piece.strip() for piece in re.sub("–", "-", part).partition("-"))
        if not dash:
            yield int(first)
        elif int(first) <= int(last) < int(first) + 50:
            yield from range(int(first), int(last) + 1)
        else:
            yield from (int(first), int(last))


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
