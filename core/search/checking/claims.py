"""Splits a text into claims with their citations, and finds claims and pieces of code verbatim in other texts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from core.search.answer.prose import is_prose
from core.text.sentences import sentence_spans
from core.types import Span

_CITED = re.compile(r"[ \u00a0]*\[(\d{1,3}(?:\s*[,;–-]\s*\d{1,3})*)\]")
_CITED_AT_END = re.compile(_CITED.pattern.replace("*", "+", 1) + r"\s*\Z")  # for code, where names[0] is no citation
_WORD = re.compile(r"\w")
_LIST_MARK = re.compile(r"\A(?:[-*•#>]+|\d{1,2}[.)])\s+")
_SILENT = re.compile(r"\b(?:library|passages?|documents?|sources?) do(?:es)?(?: not|n['’]t) say\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Claim:
    """A sentence of a text. ``text``: without citations. ``span``: in the whole text, citations included.

    ``cited``: the numbers of the cited passages.
    """

    text: str
    span: Span
    cited: tuple[int, ...] = ()

    @property
    def is_silence(self) -> bool:
        """Whether it only states that the library does not say.

        >>> [claims(text)[0].is_silence for text in ("The passages don't say when.", "The lease does not say when.")]
        [True, False]
        """
        return bool(_SILENT.search(self.text)) and len(self.text) < 160


def claims(text: str) -> list[Claim]:
    """The sentences of a text that contain a word, in order. Pure.

    >>> [(claim.text, claim.cited) for claim in claims("It is free [1, 3]. Tea is hot. [2] Why?")]
    [('It is free.', (1, 3)), ('Tea is hot.', (2,)), ('Why?', ())]
    >>> [(claim.text, claim.cited) for claim in claims("let n = **rows[0]; [2]")]
    [('let n = **rows[0];', (2,))]
    """
    result: list[Claim] = []
    for span in _sentences(text):
        sentence = text[span.start : span.end]
        code = is_code(sentence)
        citation = _CITED_AT_END if code else _CITED
        cited = tuple(dict.fromkeys(number for mark in citation.finditer(sentence) for number in _numbers(mark[1])))
        plain = citation.sub("", sentence).strip()
        if not code:
            plain = _LIST_MARK.sub("", plain).replace("**", "")
        if _WORD.search(plain):
            result.append(Claim(plain, span, cited))
    return result


def marks(text: str) -> Iterator[tuple[Span, tuple[int, ...]]]:
    """The span of each citation in a text, and its numbers.

    >>> list(marks("Free [1-3]."))
    [(Span(start=4, end=10), (1, 2, 3))]
    """
    for mark in _CITED.finditer(text):
        yield Span(*mark.span()), tuple(_numbers(mark[1]))


def _sentences(text: str) -> list[Span]:
    """The sentences of a text; citations at the start of one, after the full stop, belong to the sentence before."""
    sentences: list[Span] = []
    for span in sentence_spans(text):
        start = span.start
        if sentences and _CITED.match(text, start, span.end):
            while (citation := _CITED.match(text, start, span.end)) is not None:
                start = citation.end()
            sentences[-1] = Span(sentences[-1].start, start)
            while start < span.end and text[start] in " \n.":
                start += 1
        if start < span.end:
            sentences.append(Span(start, span.end))
    return sentences


def _numbers(written: str) -> Iterator[int]:
    """The numbers of a citation: "1, 3-5" gives 1, 3, 4, 5."""
    for part in re.split(r"[,;]", written):
        first, dash, last = (piece.strip() for piece in re.sub("–", "-", part).partition("-"))
        if not dash:
            yield int(first)
        elif int(first) <= int(last) < int(first) + 50:
            yield from range(int(first), int(last) + 1)
        else:
            yield from (int(first), int(last))


_CODE = re.compile(r"[{}]|;\s*$|\w\(|[=!<>]=|[-=]>|::|\w = |&&|\|\||^\s*[@#]\w", re.MULTILINE)
_INLINE_CODE = re.compile(r"(?<!`)`[^`\n]+`(?!`)")
_COMMENT_MARK = r"(?:/{2,}!?|/\*+!?|\*+/|\*+|#+|--+)"  # at the start of a line
_MARKED_LINE = re.compile(rf"^[ \t]*(?:{_COMMENT_MARK}(?=\s|$)|```\w*$)", re.MULTILINE)
_TOKEN = re.compile(r"\w+|[^\w\s]")
_BETWEEN_TOKENS = rf"(?:\s*\n[ \t]*{_COMMENT_MARK}(?=\s))*\s*"
# What must be before and after a match, so that it is a whole sentence or line, or a whole piece of code.
_SENTENCE_BOUNDS = re.compile(r"(?:\A|\n|[.!?]\s)\W*\Z"), re.compile(r"(?<=[.!?])(?=\s|\Z)|\W*(?:\n|\Z)")
_CODE_BOUNDS = (
    re.compile(r"(?:\A|[\n{};,(`\"'])[^\w\n]*\Z"),
    re.compile(r"(?<=[;{}])|\s*(?:[;,(){}\]:#`\"']|//|/\*|--|\n|\Z)"),
)
_NAME = re.compile(r"\w+")


def is_code(text: str) -> bool:
    """Whether a text is code. Pure.

    >>> [is_code(text) for text in ("let n = rows[0];", "A token is valid for 15 minutes.", "| Scope | Allows |")]
    [True, False, False]
    """
    return bool(_CODE.search(_INLINE_CODE.sub("x", text))) and not is_prose(text, in_code=True)


def find_verbatim(claim: str, text: str) -> Iterator[Span]:
    """The spans where a text contains a claim verbatim, ignoring white space, line breaks and comment marks.

    Only as a whole line, sentence or piece of code: "nobody said it is free" does not contain "it is free".

    >>> list(find_verbatim("let n = rows[0];", "fn f() {\\n  let n =\\n    rows[0];\\n}"))
    [Span(start=11, end=31)]
    >>> list(find_verbatim("it is free", "Nobody said it is free."))
    []
    >>> list(find_verbatim("The limit is 3.", "The limit is 3.5."))
    []
    >>> list(find_verbatim("timeout = 1", "timeout = 1.5")), list(find_verbatim("x = a", "x = a + b"))
    ([], [])
    """
    tokens = _TOKEN.findall(_MARKED_LINE.sub("", claim))
    if not tokens:
        return
    edges = (r"\b" if tokens[0][0].isalnum() else ""), (r"\b" if tokens[-1][-1].isalnum() else "")
    pattern = edges[0] + _BETWEEN_TOKENS.join(map(re.escape, tokens)) + edges[1]
    before, after = _CODE_BOUNDS if is_code(claim) else _SENTENCE_BOUNDS
    for found in re.finditer(pattern, text):
        if before.search(text, 0, found.start()) and after.match(text, found.end()):
            yield Span(*found.span())


def names_missing(claim: str, text: str) -> list[str]:
    """The names and numbers of a piece of code that a text lacks, in order, each once.

    >>> names_missing("timeout = 60", "timeout = 30")
    ['60']
    """
    known = frozenset(_NAME.findall(text))
    return [name for name in dict.fromkeys(_NAME.findall(claim)) if name not in known]
