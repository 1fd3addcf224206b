"""How what a question names exactly may be written in a passage, as runs of tokens of the lexical index."""

from __future__ import annotations

import re
from collections.abc import Sequence

from core.retrieval.named_anchors import NamedAnchor
from core.text.analysis import analyse
from core.text.periods import period

HEADINGS = ("headings",)
Run = tuple[str, ...]

_WRITTEN = {
    "figure": ("Figure", "Fig"),
    "table": ("Table", "Tab"),
    "section": ("section", "sec", "chapter", "part", "appendix", "article"),
    "clause": ("clause", "paragraph", "section", "article"),
    "equation": ("equation", "eq"),
}
_MONTHS = "January February March April May June July August September October November December".split()
_SUBPART = re.compile(r"(?:\(\w{1,3}\))+\Z|(?<=\d)[a-z]\Z")


def runs_of(anchor: NamedAnchor) -> tuple[tuple[Run, ...], tuple[Run, ...]]:
    """Runs of tokens that name the anchor anywhere in a leaf, and those that do in its headings alone.

    >>> runs_of(NamedAnchor("figure", "Fig. 2", "Figure 2", 0, 6))
    ((('figur', '2'), ('fig', '2')), ())
    >>> runs_of(NamedAnchor("section", "section 4.1", "4.1", 0, 11))[1]
    (('4p1',),)
    >>> runs_of(NamedAnchor("symbol", "getUserName()", "getUserName", 0, 13))[0]
    (('getusernam',),)
    """
    headings: list[str] = []
    match anchor.kind:
        case "figure" | "table" | "section" | "clause" | "equation":
            number = anchor.value.rpartition(" ")[2]
            numbers = list(dict.fromkeys((number, _SUBPART.sub("", number))))  # "4(b)" may be told of as 4 alone
            bodies = [f"{word} {one}" for one in numbers for word in _WRITTEN[anchor.kind]]
            if anchor.kind in ("section", "clause"):
                headings = numbers
                bodies += [one for one in numbers if "." in one]  # a clause's number, where it is no heading
        case "panel":
            bodies = [anchor.value if " " in anchor.value else f"panel {anchor.value}"]
        case "symbol":
            return _once([_joined(anchor.value)]), ()
        case "date":
            bodies = _dates(anchor)
        case "version":
            number = re.sub(r"^\D*", "", anchor.value)
            bodies = [
                anchor.text,
                anchor.value,
                f"v{number}",
                f"version {number}",
                *([number] if "." in number else []),
            ]
        case "page":
            bodies = []
        case _:
            bodies = [anchor.value]
    return _once([tuple(analyse(text)) for text in bodies]), _once([tuple(analyse(text)) for text in headings])


def _once(runs: Sequence[Run]) -> tuple[Run, ...]:
    return tuple(dict.fromkeys(run for run in runs if run))


def _joined(symbol: str) -> Run:
    """A symbol's tokens: the joined one, where it has such, tells it from all others."""
    tokens = tuple(analyse(symbol))
    if len(tokens) > 1 and len(tokens[0]) > max(map(len, tokens[1:])):
        return tokens[:1]
    return tokens


def _dates(anchor: NamedAnchor) -> list[str]:
    """The ways a day or month is written in English, and as it was asked."""
    bodies = [anchor.text, anchor.value]
    days = period(anchor.value)
    if days is not None:
        month, year = _MONTHS[days.first.month - 1], days.first.year
        if days.first == days.last:
            bodies += [f"{days.first.day} {name} {year}" for name in (month, month[:3])]
            bodies += [f"{name} {days.first.day} {year}" for name in (month, month[:3])]
        elif re.fullmatch(r"\d{4}-\d\d", anchor.value):
            bodies += [f"{name} {year}" for name in (month, month[:3])]
    elif (plain := re.fullmatch(r"(\d{1,2})\S*\s+(\w+)|(\w+)\s+(\d{1,2})\S*", anchor.value)) is not None:
        day, name = (plain[1] or plain[4]), (plain[2] or plain[3])
        bodies += [f"{day} {name}", f"{name} {day}"]
    return bodies
