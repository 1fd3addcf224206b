"""Questions that a passage nearly answers: its own, with one thing in it changed."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence

_YEAR = re.compile(r"\b(1[5-9]\d\d|20\d\d)\b")
_NUMBER = re.compile(r"\b\d{1,3}\b")
_NAME = re.compile(r"(?<!^)(?<!\. )\b[A-Z][\w'’-]+(?: (?:of |the )?[A-Z][\w'’-]+)*")
_SIDES = (
    "first last, largest smallest, highest lowest, oldest youngest, before after, more less, most least, north south,"
    " east west, northern southern, eastern western, start end, begin end, began ended, won lost, minimum maximum,"
    " import export, increase decrease, men women, male female, father mother, husband wife, day night, summer winter,"
    " internal external, upper lower, left right, buy sell, open close, hot cold, AM FM, input output, read write,"
    " oldest newest, earliest latest, shortest longest, cause cure, birth death, born died"
)
_OTHER_SIDE = {one: other for pair in _SIDES.split(",") for one, other in (pair.split(), pair.split()[::-1])}


def names(question: str) -> list[str]:
    """The names in a question, its first word aside.

    >>> names("Who did Marie Curie meet in Paris?")
    ['Marie Curie', 'Paris']
    """
    return _NAME.findall(question)


def near_miss(question: str, passage: str, others: Sequence[str], choose: random.Random) -> str | None:
    """The question with one thing in it replaced by what the passage does not mention; ``None`` where it has none.

    ``others``: names that may stand for those of the question.

    >>> near_miss("Who sang in 1987?", "She sang in 1987.", [], random.Random(0))
    'Who sang in 1989?'
    >>> near_miss("Who lives here?", "He does.", [], random.Random(0)) is None
    True
    """
    found = [(one.span(), "year") for one in _YEAR.finditer(question)]
    found += [(one.span(), "number") for one in _NUMBER.finditer(question)]
    found += [(one.span(), "side") for one in re.finditer(r"\w+", question) if one.group() in _OTHER_SIDE]
    found += [(one.span(), "name") for one in _NAME.finditer(question)] if others else []
    if not found:
        return None
    (start, end), kind = choose.choice(found)
    old = question[start:end]
    if kind == "year":
        new = str(int(old) + choose.choice((-1, 1)) * choose.randint(1, 30))
    elif kind == "number":
        new = str(int(old) + choose.randint(1, 9))
    else:
        new = _OTHER_SIDE[old] if kind == "side" else choose.choice(others)
    # A part of the old name would still be answered by the passage.
    if re.search(rf"\b{re.escape(new)}\b", passage, re.IGNORECASE) or set(new.lower().split()) & set(
        old.lower().split()
    ):
        return None
    return question[:start] + new + question[end:]
