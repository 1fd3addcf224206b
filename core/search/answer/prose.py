"""Whether a text is prose, and the quotable pieces of a listing: whole statements, comments, options and terms."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence

from core.text.sentences import is_ended, sentence_spans
from core.text.spans import line_bounds, trimmed_pieces
from core.text.tokens import is_unspaced, is_wide
from core.types import Span

# Before the first word: a bullet or number of a list, or the sign of a quotation, a comment or a heading.
_MARKER = re.compile(r"\A(?:[-*+•–>#%;]+|/{2,}|/?\*+|\"{3}|'{3}|\(?\d{1,3}[.)]|[a-z][.)])\s+|\A(?:\"{3}|'{3})")
# Parts of a sentence that are not words: code between backticks, addresses, links.
_INLINE_MARKUP = re.compile(r"`+[^`\n]+`+|https?://\S+|\[([^\]\n]*)\]\([^)\s]*\)|<[^<>\s]+@[^<>\s]+>")
_DATA = re.compile(
    r"[\"'][\w .$@/-]{1,60}[\"']\s*:"  # "name": of JSON
    r"|\A[\[{(]*[\"']?[\w.-]+[\"']?\s*(?::\s*[\[{]|=\s*[\[{\"'])"  # name: {, name = "
    r"|</?[A-Za-z][^>]*>"
)
# A table row with pipes or tabs between the columns.
ROW = re.compile(r"\A\s*\||\s\|\s.*\s\|\s|\t.*\t")
# The line that opens an admonition or a tab.
OPENING = re.compile(r"\A(?:!!!|\?\?\?\+?|===[+!]?|:::+)[^\n]*\Z")
_WORD = re.compile(r"[\"'“‘„‚«(\[*_¿¡]*[^\W\d_]+(?:['’.-][^\W\d_]+)*[\"'”’“‘»)\]*_.,;:!?…]*")
_NUMBER = re.compile(r"[\"'“(\[*_±+−-]?[€$£]?\d[\d.,:/–-]*[%‰°\"'”)\]*_.,;:!?]*")
_CAMEL = re.compile(r"[a-z][A-Z]")
_FEWEST_WORDS, _FEWEST_WORDS_IN_CODE = 2, 4
# Letters counted as one word in scripts without spaces: Han and kana, and others.
_WIDE_LETTERS_PER_WORD, _LETTERS_PER_WORD = 2, 4
# Characters of scripts without spaces or with combining marks; soft hyphens and joiners.
_NEEDS_NORMALISING = re.compile(
    "[\u00ad\u0300-\u036f\u0483-\u0489\u0559-\u1cff\u200b-\u200f\u2060\u2e80-\ua4cf\ua66f-\uabff\uf900-\U0010ffff]"
)
# Punctuation of scripts that put no space beside it; other punctuation is matched with the words.
_UNSPACED_PUNCTUATION = re.compile(
    "[\u055d\u055e\u0589\u05be\u05c3\u05f3\u05f4\u060c\u061b\u061f\u06d4\u0964\u0965\u0f0b-\u0f12\u1361-\u1368"
    "\uff01-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65]"
)


def is_prose(text: str, *, in_code: bool = False) -> bool:
    """Whether a text consists mainly of words and not of symbols or data. Pure.

    ``in_code``: for a line of a listing; it must also start with a capital and end with a full stop, as a comment does.

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
    plain = _INLINE_MARKUP.sub(lambda found: found[1] or "x", line)
    if _DATA.search(plain):
        return False
    tokens = _separate_words(plain).split()
    words = sum(_is_word(token) for token in tokens)
    others = len(tokens) - words - sum(_NUMBER.fullmatch(token) is not None for token in tokens)
    if words < (_FEWEST_WORDS_IN_CODE if in_code else _FEWEST_WORDS) or 2 * others > words:
        return False
    return not in_code or (_is_capital(line.lstrip("\"'“‘(*_「『")[:1]) and is_ended(line))


def _is_word(token: str) -> bool:
    return _WORD.fullmatch(token) is not None and not _CAMEL.search(token)


def _is_capital(character: str) -> bool:
    """Whether a character may begin a sentence: a capital, or a letter of a script without case."""
    return character.isalpha() and not character.islower()


def _separate_words(text: str) -> str:
    """The text with blanks between its words, for counting them: composed and without combining marks; in scripts
    without spaces a fixed number of letters counts as a word.

    >>> _separate_words("東京の天気は3日間、雨。"), _separate_words("o\\u0308ffnet हिन्दी।")
    ('東京 の天 気は 3 日間 雨 ', 'öffnet हनद ')
    """
    composed = unicodedata.normalize("NFC", text)
    if not _NEEDS_NORMALISING.search(composed):
        return composed
    found: list[str] = []
    run = 0  # letters without spaces so far
    last = ""
    for character in _UNSPACED_PUNCTUATION.sub(" ", composed):
        if unicodedata.category(character) in {"Mn", "Mc", "Me", "Cf"}:
            continue
        unspaced = is_unspaced(character)
        if unspaced and character.isalpha():
            if last.isalnum() and run % (_WIDE_LETTERS_PER_WORD if is_wide(character) else _LETTERS_PER_WORD) == 0:
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


LONGEST = 400  # characters of one piece
_HANGING = 10  # a line indented by this many blanks more continues the line above
_OPENING_BRACKETS, _CLOSING_BRACKETS = "([{", ")]}"
_QUOTED = re.compile(r"\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'")
_COMMENT = re.compile(r"\s*(#+|//+!?|--|;+|\*)(?=\s)")


def quotable_lines(text: str, start: int, end: int) -> list[Span]:
    """The lines of ``[start, end)`` in order; lines that belong together are one span.

    A statement continues until its brackets are closed, a comment as long as lines have its mark. An option or a term
    includes the indented lines of prose below it. Running text over several lines is split into sentences.

    >>> text = "def wrap(text,\\n         width=70):\\n    return 1\\n  width (default: 70)\\n      how wide it may get"
    >>> [text[span.start : span.end] for span in quotable_lines(text, 0, len(text))]
    ['def wrap(text,\\n         width=70):', 'return 1', 'width (default: 70)\\n      how wide it may get']
    """
    bounds = line_bounds(text, start, end)
    lines = [Span(at, stop if text[at:stop].strip() else at) for at, stop in bounds]  # a blank line is an empty span
    pieces: list[Span] = []
    index = 0
    while index < len(lines):
        group = lines[index : index + _group_size(text, lines[index:])]
        ends = [group[-1].end]
        if len(group) > 1 and _is_running_text(text, group):
            ends = [span.end for span in sentence_spans(text, group[0].start, group[-1].end)]
        pieces.extend(trimmed_pieces(text, group[0].start, ends))
        index += len(group)
    return pieces


def _group_size(text: str, lines: Sequence[Span]) -> int:
    """How many of the lines, from the first on, belong together."""
    block = [lines[0]]  # up to the next blank line
    for line in lines[1:]:
        if not line.length or line.end - lines[0].start > LONGEST:
            break
        block.append(line)
    if not lines[0].length or len(block) == 1:
        return 1
    mark = _COMMENT.match(text, lines[0].start, lines[0].end)
    if mark:
        return _leading(
            block, lambda line: (match := _COMMENT.match(text, line.start)) is not None and match[1] == mark[1]
        )
    statement = _bracket_lines(text, block)
    if statement > 1:
        return statement
    indent, next_indent = _indent(text, block[0]), _indent(text, block[1])
    if next_indent > indent:
        if text[block[0].start : block[0].end].rstrip()[-1] in ":{":
            return 1  # the lines below are its block of code
        below = _leading(block[1:], lambda line: _indent(text, line) == next_indent)
        ended = len(block) == 1 + below or _indent(text, block[1 + below]) <= indent
        hangs = next_indent >= indent + _HANGING
        return 1 + below if ended and (hangs or is_prose(text[block[1].start : block[below].end])) else 1
    level = _leading(block, lambda line: _indent(text, line) == indent)
    if level < len(block) and _indent(text, block[level]) > indent:
        level -= 1  # the last of them is a term with indented lines of its own
    return level if level > 1 and _is_running_text(text, block[:level]) else 1


def _leading(lines: Sequence[Span], condition: Callable[[Span], bool]) -> int:
    """The number of leading lines that satisfy a condition."""
    return next((index for index, line in enumerate(lines) if not condition(line)), len(lines))


def _is_running_text(text: str, lines: Sequence[Span]) -> bool:
    """Whether all lines have the same indentation and all but the last are prose."""
    indents = {_indent(text, line) for line in lines}
    return len(indents) == 1 and all(is_prose(text[line.start : line.end]) for line in lines[:-1])


def _bracket_lines(text: str, lines: Sequence[Span]) -> int:
    """How many lines it takes to close the brackets that the first one opens; 1 if they are never closed."""
    depth = 0
    for number, line in enumerate(lines, start=1):
        for character in _QUOTED.sub("", text[line.start : line.end]):
            depth += (character in _OPENING_BRACKETS) - (character in _CLOSING_BRACKETS)
        if depth <= 0:
            return number
    return 1


def _indent(text: str, line: Span) -> int:
    words = text[line.start : line.end].expandtabs()
    return len(words) - len(words.lstrip())
