"""The number that a line of a contract or law begins with, in all possible readings: ``(i)`` is a letter or a one."""

from __future__ import annotations

import re
from dataclasses import dataclass

from core.text.values.numerals import in_words, ordinal_in_words, roman

_WORDS = {in_words(number): number for number in range(1, 21)} | {
    ordinal_in_words(number): number for number in range(1, 11)
}
_HIGHEST_ROMAN = 399  # "(d)" and "(m)" are letters
# Names of divisions, outermost first; the names in one row have the same rank and style.
_DIVISIONS = (
    ("schedule", "schedule|annex|appendix|exhibit|attachment|anlage|anhang|annexe|anexo|allegato|приложение"),
    ("title", "book|title|part|buch|titel|teil|livre|titre|partie|libro|título|parte|часть"),
    ("chapter", "chapter|kapitel|chapitre|capítulo|capitolo|глава|abschnitt"),
    (
        "article",
        r"article|articles|art\.|artikel|artículo|articolo|cláusula|clause|статья|§§?|section|sec\.|sect\.|раздел",
    ),
    ("paragraph", r"paragraph|para\.|abs\.|absatz|ziffer|nr\.|пункт|alinéa|rule|regulation"),
)
DIVISION_RANK = {name: rank for rank, (name, _) in enumerate(_DIVISIONS)}
_STYLE_OF = {re.sub(r"[^\w§]", "", word): name for name, words in _DIVISIONS for word in words.split("|")} | {
    "§": "article",
    "§§": "article",
}
_EDGE = re.compile(r"[ \t\u00a0]{0,40}(?:#{1,6}[ \t]{1,4}|>[ \t]?)?(?:[-*+•][ \t]{1,4})?(?:\*\*|__)?")
_KEYWORD = re.compile(
    rf"(?P<word>{'|'.join(words for _, words in _DIVISIONS)})[ \t\u00a0]{{0,3}}"
    r"(?P<number>\d{1,4}(?:\.\d{1,3}){0,4}[a-z]?|[IVXLC]{1,7}|[A-Z]|[a-z]{3,10})(?![\w’'])",
    re.IGNORECASE,
)
_DECIMAL = re.compile(
    r"(?P<number>\d{1,3}(?:\.\d{1,3}){1,5})(?P<end>[.):]?)(?=[\s*_]|\Z)|(?P<one>\d{1,3})(?P<stop>[.:])(?=[\s*_]|\Z)"
)
_BARE = re.compile(r"(?P<one>\d{1,2})[ \t]{1,8}(?=[^\W\d_a-zà-öø-ÿ])")
_BRACKETED = re.compile(
    r"(?P<open>\()?(?P<mark>\d{1,3}[a-z]?|[a-z]{1,2}|[A-Z]{1,2}|[ivxl]{1,6}|[IVXL]{1,6})(?P<close>\))(?=[\s*_]|\Z)"
)
_DOTTED = re.compile(r"(?P<mark>[a-z]|[A-Z]|[ivxl]{1,6}|[IVXLC]{1,7})\.(?=[\s*_]|\Z)")


@dataclass(frozen=True, slots=True)
class Number:
    """One reading of a line's number.

    ``style``: how it is written; numbers of one style form a sequence. ``path``: its components. ``label``: as written.
    ``end``: where it ends in the line.
    """

    style: str
    path: tuple[int, ...]
    label: str
    end: int


def read_numbers(line: str) -> list[Number]:
    """The readings of the number that a line begins with, likeliest first; [] where it begins with none.

    >>> [(one.style, one.path) for one in read_numbers("(i) rent;")]
    [('(i)', (1,)), ('(a)', (9,))]
    >>> [read_numbers(line)[0].path for line in ("2.1.3 Rent", "Article IV. Term", "§ 4a Miete", "12. Notices")]
    [(2, 1, 3), (4,), (4, 1), (12,)]
    >>> read_numbers("1999 was a good year."), read_numbers("I. think so")[0].style, read_numbers("Section heads")
    ([], 'I.', [])
    """
    edge = _EDGE.match(line)
    at = edge.end() if edge else 0
    if at >= len(line):
        return []
    if line[at].isdigit():
        return _decimal(line, at)
    if not (line[at].isalpha() or line[at] in "(§"):
        return []  # a fast exit for most lines of code
    if match := _BRACKETED.match(line, at):
        return _marked(match, "(" if match["open"] else "", ")")
    if match := _KEYWORD.match(line, at):
        return _keyword(match)
    if match := _DOTTED.match(line, at):
        return _marked(match, "", ".")
    return []


def _decimal(line: str, at: int) -> list[Number]:
    match = _DECIMAL.match(line, at) or _BARE.match(line, at)
    if match:
        number = match["one"] or match["number"]
        path = tuple(int(part) for part in number.split("."))
        return [Number("1", path, number, match.end())] if any(path) else []
    return _marked(match, "", ")") if (match := _BRACKETED.match(line, at)) else []


def _keyword(match: re.Match[str]) -> list[Number]:
    """The reading of a named division: "Article IV", "§ 4a", "Section Two"."""
    word = re.sub(r"[^\w§]", "", match["word"].lower())
    written = match["number"]
    style = _STYLE_OF.get(word, word)
    label = match[0].strip()
    if written[0].isdigit():
        letter = written[-1] if written[-1].isalpha() else ""
        path = tuple(int(part) for part in written.rstrip(letter or " ").split("."))
        return [Number(style, (*path, ord(letter) - 96) if letter else path, label, match.end())]
    if (value := _WORDS.get(written.lower(), 0)) or (value := _roman(written) if written.isupper() else 0):
        return [Number(style, (value,), label, match.end())]
    if len(written) == 1 and written.isupper():
        return [Number(style, (ord(written) - 64,), label, match.end())]
    return []


def _marked(match: re.Match[str], opening: str, closing: str) -> list[Number]:
    """The readings of a number or letter with a mark: "(a)", "(iv)", "B."."""
    mark = match["mark"]
    label = f"{opening}{mark}{closing}"
    if mark[0].isdigit():
        digits = mark.rstrip("abcdefghijklmnopqrstuvwxyz")
        path = (int(digits),) if digits == mark else (int(digits), ord(mark[-1]) - 96)
        return [Number(f"{opening}1{closing}", path, label, match.end())]
    upper = mark.isupper()
    readings: list[Number] = []
    if value := _roman(mark):
        readings.append(Number(f"{opening}{'I' if upper else 'i'}{closing}", (value,), label, match.end()))
    if len(mark) == 1 or len(set(mark)) == 1:
        value = ord(mark[0].lower()) - 96 + 26 * (len(mark) - 1)
        letter = Number(f"{opening}{'A' if upper else 'a'}{closing}", (value,), label, match.end())
        readings.insert(0 if mark.lower() not in {"i", "v", "x", "ii"} else len(readings), letter)
    return readings


def _roman(mark: str) -> int:
    """The value of a Roman numeral; 0 where it is none, or too high to number a clause."""
    value = roman(mark)
    return value if value <= _HIGHEST_ROMAN else 0
