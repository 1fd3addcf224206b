"""Whether a user's regular expression is one that cannot run away on a line of text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib import import_module
from typing import Any

codes: Any = import_module("re._constants")
parser: Any = import_module("re._parser")  # the tree that `re` itself compiles; since Python 3.11

_MANY = 20  # repetitions from which a repeat counts as open-ended
_OPEN_REPEATS = 2
_MOST_WAYS = 10_000  # in which the rest of a pattern may match or fail at one place
_REPEATS = (codes.MAX_REPEAT, codes.MIN_REPEAT, codes.POSSESSIVE_REPEAT)


def pattern_problem(pattern: str) -> str:
    """What is wrong with a pattern, as the end of a sentence; "" for one that compiles and stays quick.

    Python's engine backtracks: a repeat inside a repeat, or three open repeats in a row, can take longer than anyone
    waits, and nothing can stop it (Davis et al., "The Impact of Regular Expression Denial of Service in Practice",
    ESEC/FSE 2018). Such patterns are refused before they meet a text; so are references back to a group.

    >>> pattern_problem(r"Step \\d+:"), pattern_problem(r"(?i)^appendix [A-Z]\\b")
    ('', '')
    >>> pattern_problem("(a+)+$"), pattern_problem("[")
    ('it repeats a part that repeats itself', 'it is not a regular expression: unterminated character set')
    """
    try:
        re.compile(pattern)
        tree = parser.parse(pattern)
    except re.error as error:
        return f"it is not a regular expression: {error.msg}"
    except (RecursionError, OverflowError):
        return "it is nested too deeply"
    if re.compile(pattern).match(""):
        return "it matches an empty text, and so every line"
    repeats = list(_open_repeats(tree, inside=0))
    if any(depth > 1 for depth in repeats):
        return "it repeats a part that repeats itself"
    if len(repeats) > _OPEN_REPEATS:
        return f"it has more than {_OPEN_REPEATS} parts that may repeat without end"
    if _ways(tree) > _MOST_WAYS:
        return "its optional parts and alternatives leave too many ways to try"
    return "it refers back to a group" if _refers_back(tree) else ""


def _open_repeats(tree: Any, inside: int) -> Iterator[int]:
    """For every open-ended repeat, how many such repeats it stands in, itself included.

    An alternative inside a repeat counts as a repeat: two of its branches may match the same words.
    """
    for code, argument in tree:
        if code in _REPEATS:
            _, most, body = argument
            is_open = most is codes.MAXREPEAT or most > _MANY
            if is_open:
                yield inside + 1
            yield from _open_repeats(body, inside + is_open)
        elif code is codes.BRANCH:
            if inside:
                yield inside + 1
            for branch in argument[1]:
                yield from _open_repeats(branch, inside)
        else:
            for body in _bodies(argument):
                yield from _open_repeats(body, inside)


def _ways(tree: Any) -> int:
    """In how many ways optional parts, counted repeats and alternatives can be chosen: what the engine may have to try.

    Open-ended repeats count as one. More than ``_MOST_WAYS`` is counted no further.
    """
    ways = 1
    for code, argument in tree:
        if code in _REPEATS:
            least, most, body = argument
            own = _ways(body)
            if most is not codes.MAXREPEAT and most <= _MANY:
                own = sum(own**times for times in range(least, most + 1))
        elif code is codes.BRANCH:
            own = sum(_ways(branch) for branch in argument[1])
        else:
            own = 1
            for body in _bodies(argument):
                own *= _ways(body)
        ways *= own
        if ways > _MOST_WAYS:
            return _MOST_WAYS + 1
    return ways


def _refers_back(tree: Any) -> bool:
    for code, argument in tree:
        if code in {codes.GROUPREF, codes.GROUPREF_EXISTS, codes.GROUPREF_IGNORE}:
            return True
        bodies = argument[1] if code is codes.BRANCH else _bodies(argument)
        if any(_refers_back(body) for body in bodies):
            return True
    return False


def _bodies(argument: Any) -> list[Any]:
    """The patterns inside a pattern's argument."""
    if isinstance(argument, parser.SubPattern):
        return [argument]
    if isinstance(argument, tuple | list):
        return [found for part in argument for found in _bodies(part)]
    return []
