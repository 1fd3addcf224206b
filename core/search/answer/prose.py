"""What can be quoted of a text by its lines: words that were said, and statements of a listing whole."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence

from core.text.sentences import is_ended, sentence_spans
from core.text.spans import trimmed_pieces
from core.text.tokens import is_unspaced, is_wide
from core.types import Span

# What stands before the first word: a bullet or number of a list, a sign of a quotation, a comment or a heading.
_MARKER = re.compile(r"\A(?:[-*+•–>#%;]+|/{2,}|/?\*+|\"{3}|'{3}|\(?\d{1,3}[.)]|[a-z][.)])\s+|\A(?:\"{3}|'{3})")
# Set apart inside a sentence and part of it: code between backticks, addresses, links, figures with their units.
_SET_APART = re.compile(r"`+[^`\n]+`+|https?://\S+|\[([^\]\n]*)\]\([^)\s]*\)|<[^<>\s]+@[^<>\s]+>")
_DATA = re.compile(
    r"[\"'][\w .$@/-]{1,60}[\"']\s*:"  # "name": of JSON
    r"|\A[\[{(]*[\"']?[\w.-]+[\"']?\s*(?::\s*[\[{]|=\s*[\[{\"'])"  # name: {, name = "
    r"|</?[A-Za-z][^>]*>"
)
# A row of a table that is drawn with signs.
ROW = re.compile(r"\A\s*\||\s\|\s.*\s\|\s|\t.*\t")
# The line that opens a note or a tab, which names what stands below it.
OPENING = re.compile(r"\A(?:!!!|\?\?\?\+?|===[+!]?|:::+)[^\n]*\Z")
_WORD = re.compile(r"[\"'“‘„‚«(\[*_¿¡]*[^\W\d_]+(?:['’.-][^\W\d_]+)*[\"'”’“‘»)\]*_.,;:!?…]*")
_NUMBER = re.compile(r"[\"'“(\[*_±+−-]?[€$£]?\d[\d.,:/–-]*[%‰°\"'”)\]*_.,;:!?]*")
_CAMEL = re.compile(r"[a-z][A-Z]")
_FEWEST, _FEWEST_IN_CODE = 2, 4
# Letters of a word in scripts without spaces, roughly: Han and kana, and the others.
_LETTERS_WIDE, _LETTERS = 2, 4
# Any character of a script that leaves spaces out or writes marks beside its letters; soft hyphens and joiners.
_COUNTED_OTHERWISE = re.compile(
    "[\u00ad\u0300-\u036f\u0483-\u0489\u0559-\u1cff\u200b-\u200f\u2060\u2e80-\ua4cf\ua66f-\uabff\uf900-\U0010ffff]"
)
# Marks of scripts that mostly leave no space beside them; those of the others are read with their words.
_PARTS = re.compile(
    "[\u055d\u055e\u0589\u05be\u05c3\u05f3\u05f4\u060c\u061b\u061f\u06d4\u0964\u0965\u0f0b-\u0f12\u1361-\u1368"
    "\uff01-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65]"
)


def is_prose(text: str, *, in_code: bool = False) -> bool:
    """Whether words, and not marks, make up a line, so that it can be quoted as something that was said. Pure.

    ``in_code``: it stands in a listing, where it must also be whole: a comment, begun by a capital and ended by a stop.

    >>> [is_prose(text) for text in ("- Valid for `3600` seconds", '"expires_in": 3600,', "| Scope | Allows |")]
    [True, False, False]
    >>> is_prose('??? example "In the file of settings"')
    False
    >>> [is_prose(text, in_code=True) for text in ("# Keys are rotated every month.", "for name in names of all")]
    [True, False]
    >>> [is_prose(text) for text in ("受付は九時に開きます。", "कार्यालय सुबह खुलता है।", "東京")]
    [True, True, False]
    """
    line = " ".join(text.split())
    if ROW.search(text) or OPENING.match(text) or line.startswith(("```", "~~~")):
        return False
    while (marker := _MARKER.match(line)) is not None:
        line = line[marker.end() :]
    plain = _SET_APART.sub(lambda found: found[1] or "x", line)
    if _DATA.search(plain):
        return False
    tokens = _words_apart(plain).split()
    words = sum(_is_word(token) for token in tokens)
    others = len(tokens) - words - sum(_NUMBER.fullmatch(token) is not None for token in tokens)
    if words < (_FEWEST_IN_CODE if in_code else _FEWEST) or 2 * others > words:
        return False
    return not in_code or (_is_capital(line.lstrip("\"'“‘(*_「『")[:1]) and is_ended(line))


def _is_word(token: str) -> bool:
    return _WORD.fullmatch(token) is not None and not _CAMEL.search(token)


def _is_capital(character: str) -> bool:
    """Whether it may begin a sentence: a capital, or a letter of a script that has none."""
    return character.isalpha() and not character.islower()


def _words_apart(text: str) -> str:
    """The text with blanks between its words, to be counted: letters are composed and without marks of their own, and
    where a script leaves no spaces, so many letters as make a word there count as one.

    >>> _words_apart("東京の天気は3日間、雨。"), _words_apart("o\\u0308ffnet हिन्दी।")
    ('東京 の天 気は 3 日間 雨 ', 'öffnet हनद ')
    """
    composed = unicodedata.normalize("NFC", text)
    if not _COUNTED_OTHERWISE.search(composed):
        return composed
    found: list[str] = []
    run = 0  # letters without spaces so far
    last = ""
    for character in _PARTS.sub(" ", composed):
        if unicodedata.category(character) in {"Mn", "Mc", "Me", "Cf"}:
            continue
        unspaced = is_unspaced(character)
        if unspaced and character.isalpha():
            if last.isalnum() and run % (_LETTERS_WIDE if is_wide(character) else _LETTERS) == 0:
                found.append(" ")
            run += 1
        else:
            if run and character.isalnum():
                found.append(" ")
            run = 0
            character = " " if unspaced and not character.isdigit() else character
        found.append(character)
        last = character
    return "".join(found)


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
