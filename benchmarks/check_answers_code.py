"""Quotes of programs changed by rule: in one thing that makes them wrong, or in their form alone.

As in ``check_answers_changes.py``; a quote is a few lines of a listing. No rule knows how the check works.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator

from benchmarks.check_answers_changes import Change, Pool, verbatim

_NAME = re.compile(r"\b[A-Za-z_]\w{3,}\b")
_DIGITS = re.compile(r"(?<![\w.])\d+(?![\w.])")
_COMMENT = re.compile(r"(?m)^[ \t]*(?:///?!?|#|\*)[ \t]+")
_OPPOSED = (("==", "!="), ("!=", "=="), ("<=", ">="), (">=", "<="), ("&&", "||"), ("||", "&&"), (" and ", " or "))
_TRUTH = {"true": "false", "false": "true", "True": "False", "False": "True"}


def quotes(text: str, chance: random.Random) -> Iterator[tuple[int, int]]:
    """Where runs of one to four lines of a listing begin and end, none twice; lines that say something."""
    lines = [(match.start(), match.end()) for match in re.finditer(r"[^\n]+", text)]
    at = 0
    while at < len(lines):
        run = lines[at : at + chance.randint(1, 4)]
        at += len(run)
        if sum(len(_NAME.findall(text[start:end])) for start, end in run) >= 2:
            yield run[0][0], run[-1][1]


def _number(text: str, around: str, pool: Pool, chance: random.Random) -> str | None:
    places = list(_DIGITS.finditer(text))
    if not places:
        return None
    match = chance.choice(places)
    return text[: match.start()] + str(int(match[0]) + chance.randint(1, 9)) + text[match.end() :]


def _renamed(text: str, around: str, pool: Pool, chance: random.Random) -> str | None:
    """A name of another program in the place of one."""
    others = [name for name in pool.names if name not in around]
    match = chance.choice(list(_NAME.finditer(text)))
    return text[: match.start()] + chance.choice(others) + text[match.end() :] if others else None


def _opposed(text: str, around: str, pool: Pool, chance: random.Random) -> str | None:
    found = [(one, other) for one, other in _OPPOSED if one in text]
    if not found:
        return None
    one, other = chance.choice(found)
    return text.replace(one, other, 1)


def _untrue(text: str, around: str, pool: Pool, chance: random.Random) -> str | None:
    found = list(re.finditer(r"\b(?:true|false|True|False)\b", text))
    if not found:
        return None
    match = chance.choice(found)
    return text[: match.start()] + _TRUTH[match[0]] + text[match.end() :]


def _swapped(text: str, around: str, pool: Pool, chance: random.Random) -> str | None:
    names = [name for name in dict.fromkeys(_NAME.findall(text)) if len(re.findall(rf"\b{name}\b", text)) == 1]
    if len(names) < 2:
        return None
    one, other = chance.sample(names, 2)
    return re.sub(rf"\b(?:{one}|{other})\b", lambda match: other if match[0] == one else one, text)


def _foreign(text: str, around: str, pool: Pool, chance: random.Random) -> str | None:
    other = chance.choice(pool.sentences)
    return None if other.strip() in around else other


def _on_one_line(text: str, around: str, pool: Pool, chance: random.Random) -> str | None:
    return None if _COMMENT.search(text) else " ".join(text.split())


def _indented(text: str, around: str, pool: Pool, chance: random.Random) -> str | None:
    return "\n".join("    " + line for line in text.split("\n"))


def _unmarked(text: str, around: str, pool: Pool, chance: random.Random) -> str | None:
    """Comments without their marks."""
    return _COMMENT.sub("", text) if _COMMENT.search(text) else None


def _fenced(text: str, around: str, pool: Pool, chance: random.Random) -> str | None:
    return f"```\n{text}\n```"


CODE_ALTERED: dict[str, Change] = {
    "number": _number, "renamed": _renamed, "opposed": _opposed, "untrue": _untrue, "swapped": _swapped,
    "foreign": _foreign,
}  # fmt: skip
CODE_FAITHFUL: dict[str, Change] = {
    "verbatim": verbatim, "on one line": _on_one_line, "indented": _indented, "unmarked": _unmarked,
    "fenced": _fenced,
}  # fmt: skip
