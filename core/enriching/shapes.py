"""What the letters of one word show: identifiers, paths, addresses, numbers, months. No look beyond the word."""

from __future__ import annotations

import re
from enum import IntFlag
from typing import NamedTuple


class Shape(IntFlag):
    """What a word may be part of."""

    CAPITAL = 1
    NUMBER = 2
    MONTH = 4
    THING = 8  # an identifier, a path, an address: something ``things_in`` finds
    REFERRING = 16
    BRACKET = 32


class Thing(NamedTuple):
    """Something written in a way that names it exactly, ``at`` so many characters into its token.

    ``kind``: "url", "email", "path" or "symbol". ``text``: as written, "()" added to what is called.
    """

    kind: str
    text: str
    at: int


_URL = re.compile(r"(?:https?|ftp|sftp|file|git|ssh)://[^\s<>\"'`{}|\\^]{2,2000}|www\.[^\s<>\"'`{}|\\^]{3,2000}")
_EMAIL = re.compile(r"[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,6}")
_PATH = re.compile(
    r"(?:~|\.{1,2})?(?:/[\w.@%+~{}<>:*-]*[\w}>*]){2,40}/?|(?:~|\.{1,2})/[\w.@%+~-]+"
    r"|/[a-z][\w.{}<>-]*[\w}>]|[A-Za-z]:\\[\w.\\ -]*\w|(?:[\w.@-]+/)+[\w@-]+\.[A-Za-z]\w{0,5}"
)
_NAME = re.compile(
    r"[A-Z][A-Z0-9]{0,9}-\d{1,7}(?![\w-])"
    r"|--?[a-z][\w-]*[a-z0-9](?==|$|[^\w-])"
    r"|[$@]?[^\W\d]\w*(?:(?:\.|::?|->|#|-)[^\W\d]\w*)*(?:\(\))?"
)
_HUMP = re.compile(r"[a-z][A-Z]|[A-Z][a-z]+[A-Z][a-z]|[a-z]\d+[A-Z]")
_BRANDS = frozenset(
    "McDonald iPhone iPad iOS macOS eBay YouTube GitHub GitLab LinkedIn PhD KiB MiB GiB TiB kHz MHz GHz kWh MWh".split()
)
_TIMED = re.compile(r"\W*\d{4}-\d\d-\d\d")
_CALLED = re.compile(r"[^\W\d]\w*(?:(?:\.|::)[^\W\d]\w*)*\(")
_NUMBER = re.compile(r"[vV]?\d")
_CODED = re.compile(r"[A-Z][A-Z0-9]{0,9}-\d{1,7}")
_LONGEST = 200  # characters of a token that are looked through
_LONGEST_NAME = 64


def number_like(text: str) -> bool:
    """Whether a word begins as numbers and versions do.

    >>> number_like("3.11"), number_like("v2.1"), number_like("x2")
    (True, True, False)
    """
    return _NUMBER.match(text) is not None


def things_in(token: str) -> tuple[Thing, ...]:
    """The identifiers, paths, URLs and mail addresses in a token, in order.

    >>> [tuple(thing) for thing in things_in("(see:https://example.org/a(b)).")]
    [('url', 'https://example.org/a(b)', 5)]
    >>> [thing.text for thing in things_in("`getUserName(user_id)`,")], things_in("and/or")
    (['getUserName()', 'user_id'], ())
    >>> [tuple(thing) for thing in things_in("E-1042:")], things_in("Hello,")
    ([('symbol', 'E-1042', 0)], ())
    """
    if (token.isalpha() and (token.islower() or token.istitle())) or token.startswith(("```", "~~~")):
        return ()
    if _TIMED.match(token):
        return ()
    token = token[:_LONGEST] if "://" not in token else token
    if (url := _URL.search(token)) is not None:
        return (Thing("url", _unclosed(url.group()), url.start()),)
    if "@" in token and (email := _EMAIL.search(token)) is not None:
        return (Thing("email", email.group().rstrip(".-"), email.start()),)
    quoted = token.count("`") > 1
    if ("/" in token or "\\" in token) and (path := _PATH.search(token)) is not None and _is_path(token, path):
        return (Thing("path", path.group(), path.start()),)
    return tuple(_symbols(token, quoted))


def _unclosed(url: str) -> str:
    """A URL without the sentence's own punctuation at its end."""
    while url and (
        url[-1] in ".,;:!?*_'" or (url[-1] in ")]" and url.count(url[-1]) > url.count("(["[url[-1] == "]"]))
    ):
        url = url[:-1]
    return url


def _is_path(token: str, path: re.Match[str]) -> bool:
    """Whether slashes part folders, not alternatives: "and/or", "km/h", "</b>"."""
    before = token[path.start() - 1] if path.start() else ""
    return before not in {"<", "/"} and not before.isalnum()


def _symbols(token: str, quoted: bool) -> list[Thing]:
    found: list[Thing] = []
    for match in _NAME.finditer(token):
        name = match.group()
        called = name.endswith("()") or (
            token[match.end() : match.end() + 1] == "(" and _CALLED.match(token, match.start()) is not None
        )
        bare = name.removesuffix("()").strip("$@")
        if len(bare) < 2 or bare in _BRANDS:
            continue
        if _is_symbol(name, bare, called, quoted):
            found.append(Thing("symbol", f"{bare}()" if called else name, match.start()))
    return found


def _is_symbol(name: str, bare: str, called: bool, quoted: bool) -> bool:
    if name[0] == "-":
        return name.startswith("--")
    if len(bare) > _LONGEST_NAME:
        return False  # a key or a hash
    if "::" in name or "->" in name or "_" in bare.strip("_") or _CODED.fullmatch(bare):
        return True
    humped = _HUMP.search(bare) is not None and not bare.isupper()
    if "-" in name or ":" in name or "#" in name:
        return quoted
    if "." in bare:
        return called or quoted or humped
    return quoted or humped or (called and name.endswith("()"))
