"""Lines printed above and below a sheet's pages, without what a program fills in: page numbers, days, files' names."""

from __future__ import annotations

import re
from collections.abc import Iterable

_CODE = re.compile(r'&(?:"[^"]*"|K[0-9A-Fa-f]{6}|K\d\d[+-]\d{3}|\d{1,3}|[LCR]|&|.)', re.DOTALL)
_PART = frozenset("LCR")
# What is left of "Page &P of &N" says nothing.
_FILLER = frozenset("page of pages seite von seiten blatt página de pagina di sur pag p sheet pg".split())


def running_lines(codes: Iterable[str], sheet_name: str) -> list[str]:
    """The words of each header and footer, left, centre and right one after the other; those without any are left out.

    >>> running_lines(['&L&"Arial,Bold"&12Q&&A report&C&A&RPage &P of &N', "&CPage &P"], "Sales")
    ['Q&A report Sales Page of']
    """
    return [_without_codes(code, sheet_name) for code in codes if says_something(_without_codes(code, ""))]


def says_something(words: str) -> bool:
    """Whether more is left of a line than what stood around its page number.

    >>> says_something("Page of"), says_something("Confidential")
    (False, True)
    """
    return any(word.casefold() not in _FILLER for word in re.findall(r"[^\W\d_]+", words))


def _without_codes(line: str, sheet_name: str) -> str:
    def shown(match: re.Match[str]) -> str:
        code = match[0][1:]
        if code == "&":
            return "&"
        return sheet_name if code == "A" else " " if code in _PART else ""

    return " ".join(_CODE.sub(shown, line).split())
