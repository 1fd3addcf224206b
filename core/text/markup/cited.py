"""Finds lists of references: their headings and entries."""

from __future__ import annotations

import re
from collections.abc import Iterator

from core.text.spans import line_bounds, trimmed_pieces
from core.types import Span

CAPITAL = "A-ZÀ-ÖØ-Þ"
NAME = r"[\w’'-]{1,30}"  # after the first capital letter
OTHERS = rf"(?:,? (?:and|&|und|et) [{CAPITAL}]{NAME}| et al\.?,?)?"
AUTHORS = f"[{CAPITAL}]{NAME}{OTHERS}"
YEAR = r"(?:1[89]|20)\d\d[a-z]?"
_HEADING = re.compile(
    r"(?:#{1,6}[ \t]*)?(?:\*\*)?(?:\d{1,2}[.)]?[ \t]+)?(?:references?(?:[ \t]+(?:cited|list))?"
    r"|bibliography|literature(?:[ \t]+cited)?|works[ \t]+cited|literatur(?:verzeichnis)?|quellen|bibliographie"
    r"|références|referencias|bibliograf[ií]a|список литературы|참고문헌|参考文献)[ \t]*:?(?:\*\*)?[ \t]*\Z",
    re.IGNORECASE,
)
_ENTRY = re.compile(
    r"(?:[-*][ \t]+)?(?:\[\d{1,3}\]|\[[A-Z][\w+]{1,12}\d{2}[a-z]?\]|\(?\d{1,3}[.)](?=[ \t])|\d{1,3}[ \t]+(?=[A-Z]))"
)
_BY_AUTHOR = re.compile(rf"{AUTHORS},? (?:[A-Z]\.?[- ]?){{1,3}}.{{0,300}}?{YEAR}")
_NUMBER = re.compile(r"[ \t]*(?:[-*•][ \t]+)?(?:\[(?P<bracket>\d{1,3})\]|(?P<bare>\d{1,3})[.)](?=[ \t]))")


def is_reference_heading(line: str) -> bool:
    """Whether a line is the heading of a list of references.

    >>> is_reference_heading("## References"), is_reference_heading("References to the king are rare.")
    (True, False)
    """
    return bool(_HEADING.match(line.strip()[:60]))


def is_entry(text: str, start: int, end: int) -> bool:
    """Whether ``[start, end)`` begins like a reference: with a number, or an author and a year.

    >>> [is_entry(words, 0, len(words)) for words in ("[1] Doe J. Cats.", "- Doe, J. Cats. 2019.", "Doe saw cats.")]
    [True, True, False]
    """
    line = text[start : min(end, start + 400)].split("\n")[0]
    return bool(_ENTRY.match(line) or _BY_AUTHOR.match(line.lstrip("-*• \t")))


def reference_entries(text: str, start: int, end: int) -> list[Span]:
    """The entries of a list of references; [] where ``[start, end)`` is no such list.

    An entry begins with a line as in ``is_entry``; other lines belong to the entry before. At least three entries are
    needed, and at least half of the paragraphs must begin one.

    >>> text = "[1] Doe J. On cats. 2019.\\n[2] Roe A. On\\ndogs. 2020.\\n[3] Poe E. Ravens. 1845."
    >>> [span.start for span in reference_entries(text, 0, len(text))]
    [0, 26, 52]
    """
    begins: list[int] = []
    openers, blank = 0, True
    for at, line in _lines(text, start, end):
        opens = bool(_ENTRY.match(line) or _BY_AUTHOR.match(line))
        openers += bool(line.strip()) and (blank or opens)
        blank = not line.strip()
        if opens:
            begins.append(at)
    if len(begins) < 3 or len(begins) < 0.5 * openers:
        return []
    return trimmed_pieces(text, begins[0], [*begins[1:], end])


def numbered_entries(text: str, start: int, end: int) -> list[Span]:
    """The entries of a paragraph with numbered lines, "[7]" or "7."; [] where the first line has no number.

    A line begins an entry if its number has the form of the first one and follows the last: any larger one in brackets,
    else the next one. So a wrapped line that happens to begin with "[2]" or "12." stays in its entry.

    >>> text = "[1] Doe J. On cats, after\\n[1] and 3. 2019.\\n[2] Roe A. On\\n14. dogs.\\n[4] Poe E. Ravens."
    >>> [text[span.start : span.end][:7] for span in numbered_entries(text, 0, len(text))]
    ['[1] Doe', '[2] Roe', '[4] Poe']
    """
    begins: list[int] = []
    form, last = "", 0
    for at, line in _lines(text, start, end):
        match = _NUMBER.match(line)
        if match is None:
            if not begins:
                return []
            continue
        number = int(match[match.lastgroup or "bare"])
        if not begins or (match.lastgroup == form and (number > last if form == "bracket" else number == last + 1)):
            begins.append(at)
            form, last = str(match.lastgroup), number
    return trimmed_pieces(text, start, [*begins[1:], end])


def _lines(text: str, start: int, end: int) -> Iterator[tuple[int, str]]:
    return ((at, text[at : min(stop, at + 400)]) for at, stop in line_bounds(text, start, end))
