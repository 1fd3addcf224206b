"""Lines of a listing or an indented list as things to quote: a statement whole, an option with what is said of it."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from core.search.answer.prose import is_prose
from core.text.sentences import sentence_spans
from core.text.spans import trimmed_pieces
from core.types import Span

LONGEST = 400  # characters of what is quoted as one
_HANGING = 10  # blanks from which on a line only goes on with the one above
_OPENING, _CLOSING = "([{", ")]}"
_QUOTED = re.compile(r"\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'")
_COMMENT = re.compile(r"\s*(#+|//+!?|--|;+|\*)(?=\s)")


def quotable_lines(text: str, start: int, end: int) -> list[Span]:
    """The lines of ``[start, end)``, in order, those that belong together as one span.

    A statement goes on until its brackets are closed, a comment as long as its lines are marked. An option or a term
    is one with the lines indented below it where these are words, and words that run on are parted by sentences.

    >>> text = "def wrap(text,\\n         width=70):\\n    return 1\\n  width (default: 70)\\n      how wide it may get"
    >>> [text[span.start : span.end] for span in quotable_lines(text, 0, len(text))]
    ['def wrap(text,\\n         width=70):', 'return 1', 'width (default: 70)\\n      how wide it may get']
    """
    lines = _lines(text, start, end)
    found: list[Span] = []
    at = 0
    while at < len(lines):
        group = _group(text, lines[at:])
        last = lines[at + group - 1]
        ends = [last.end]
        if group > 1 and _is_said(text, lines[at : at + group]):
            ends = [span.end for span in sentence_spans(text, lines[at].start, last.end)]
        found.extend(trimmed_pieces(text, lines[at].start, ends))
        at += group
    return found


def _lines(text: str, start: int, end: int) -> list[Span]:
    """Every line that is not blank; a blank one parts groups by being an empty span."""
    found: list[Span] = []
    at = start
    while at < end:
        stop = text.find("\n", at, end)
        stop = end if stop < 0 else stop
        found.append(Span(at, stop if text[at:stop].strip() else at))
        at = stop + 1
    return found


def _group(text: str, lines: Sequence[Span]) -> int:
    """How many of the lines, from the first on, are one thing."""
    near = [lines[0]]
    for line in lines[1:]:
        if not line.length or line.end - lines[0].start > LONGEST:
            break
        near.append(line)
    if not lines[0].length or len(near) == 1:
        return 1
    mark = _COMMENT.match(text, lines[0].start, lines[0].end)
    if mark:
        return _while(
            near, lambda line: (found := _COMMENT.match(text, line.start)) is not None and found[1] == mark[1]
        )
    closed = _closed(text, near)
    if closed > 1:
        return closed
    own = _indent(text, near[0])
    below = _while(near[1:], lambda line: _indent(text, line) == _indent(text, near[1])) if len(near) > 1 else 0
    deeper = _indent(text, near[1]) > own
    if deeper:
        if text[near[0].start : near[0].end].rstrip()[-1] in ":{":
            return 1  # it opens a block, which is not what is said of it
        ended = len(near) == 1 + below or _indent(text, near[1 + below]) <= own
        hangs = _indent(text, near[1]) >= own + _HANGING
        return 1 + below if ended and (hangs or is_prose(text[near[1].start : near[below].end])) else 1
    level = _while(near, lambda line: _indent(text, line) == own)
    if level < len(near) and _indent(text, near[level]) > own:
        level -= 1  # the last of them is a term of its own
    return level if level > 1 and _is_said(text, near[:level]) else 1


def _while(lines: Sequence[Span], holds: Callable[[Span], bool]) -> int:
    return next((at for at, line in enumerate(lines) if not holds(line)), len(lines))


def _comment(text: str, line: Span) -> str:
    """The sign that makes a line a comment, "" where it is none."""
    found = _COMMENT.match(text, line.start, line.end)
    return found[1] if found else ""


def _is_said(text: str, lines: Sequence[Span]) -> bool:
    """Whether lines of one indentation are words that run on."""
    level = {_indent(text, line) for line in lines}
    return len(level) == 1 and all(is_prose(text[line.start : line.end]) for line in lines[:-1])


def _closed(text: str, lines: Sequence[Span]) -> int:
    """How many lines it takes until the brackets are closed that the first one opens; 1 where they never are."""
    depth = 0
    for at, line in enumerate(lines, start=1):
        for character in _QUOTED.sub("", text[line.start : line.end]):
            depth += (character in _OPENING) - (character in _CLOSING)
        if depth <= 0:
            return at
    return 1


def _indent(text: str, line: Span) -> int:
    words = text[line.start : line.end].expandtabs()
    return len(words) - len(words.lstrip())
