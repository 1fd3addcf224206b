"""Where a text may be cut without tearing what a reader sees as one character: a grapheme cluster of Unicode's Standard
Annex 29, as the ``regex`` package finds it.
"""

from __future__ import annotations

import regex

_CLUSTER = regex.compile(r"\X")
_ALONE = "\u0300"  # below it nothing joins another, but a carriage return and its line feed
_LOOKBACK = 64


def is_boundary(text: str, position: int) -> bool:
    """Whether a cut at ``position`` leaves every grapheme cluster whole; both ends of the text are boundaries.

    >>> [is_boundary("e\\u0301a", at) for at in range(4)]
    [True, False, True, True]
    >>> is_boundary("\\U0001f468\\u200d\\U0001f469", 2), is_boundary("\\U0001f1e9\\U0001f1ea\\U0001f1eb\\U0001f1f7", 2)
    (False, True)
    """
    if position <= 0 or position >= len(text):
        return True
    if text[position - 1] < _ALONE and text[position] < _ALONE:
        return text[position - 1 : position + 1] != "\r\n"
    start = position - 1
    while start > max(0, position - _LOOKBACK) and text[start] >= _ALONE:
        start -= 1
    clusters = _CLUSTER.finditer(text, start, position + 1)
    return any(cluster.end() == position for cluster in clusters)


def boundary_before(text: str, position: int, low: int) -> int:
    """The last boundary in ``(low, position]``, or else the first after ``position``: a cluster is never torn.

    >>> boundary_before("ae\\u0301b", 2, 0), boundary_before("e\\u0301\\u0301b", 2, 0)
    (1, 3)
    """
    at = position
    while at > low and not is_boundary(text, at):
        at -= 1
    if at > low:
        return at
    at = position
    while not is_boundary(text, at):
        at += 1
    return at
