"""Whether two texts say yes or no to the same: negations by what they deny, not by their number."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from core.text.analysis import analyse

# Words that deny in the languages that Lectern's sentences are told apart in; "no" is all of theirs or none.
_DENIES = frozenset(
    "not never cannot no none nobody nothing neither nor without nicht kein keine keinen keiner keinem nie niemals"
    " ohne jamais sans aucun aucune nunca ningún ninguna nessun nessuna не нет никогда".split()
)
_TOKEN = re.compile(r"(?P<number>\bNo\. ?\d)|(?P<word>[^\W\d_]+(?:[’'][^\W\d_]+)?)|(?P<edge>[.;:!?,()—–]|\n)")
_CONTRASTS = frozenset("but except unless although though while whereas because if when sondern aber mais pero".split())
_REACH = 3  # words that say something, from a negation on
_ONLY = frozenset({"only", "just", "merely"})


@dataclass(frozen=True, slots=True)
class Polarity:
    """``denied``: the words that each negation denies, the nearest first; ``words``: all that say something."""

    denied: tuple[tuple[str, ...], ...]
    words: frozenset[str]

    @property
    def covered(self) -> frozenset[str]:
        """All that is denied."""
        return frozenset(word for scope in self.denied for word in scope)


def polarity(text: str) -> Polarity:
    """What a text denies. Pure.

    >>> polarity("Tea isn't free, but it does not need sugar.").denied
    (('free',), ('need', 'sugar'))
    >>> polarity("It is not only fast.").denied
    ()
    """
    return Polarity(tuple(_scopes(text)), frozenset(analyse(text)))


def opposed(one: Polarity, other: Polarity) -> str:
    """What one denies of the other and not both; "" where they agree, or speak of different things.

    >>> free, costly = polarity("Tea is free on Fridays."), polarity("Tea is not free.")
    >>> opposed(free, costly), opposed(costly, polarity("Tea isn't free for guests."))
    ('free', '')
    """
    return _unmet(one, other) or _unmet(other, one)


def _unmet(one: Polarity, other: Polarity) -> str:
    there = other.covered
    for scope in one.denied:
        if not scope or there.intersection(scope) or (not other.denied and not set(scope) & other.words):
            continue
        held = [word for word in scope if word in other.words]
        if held and (scope[0] in other.words or 2 * len(held) > len(scope)):
            return held[0]
    return ""


def _scopes(text: str) -> Iterator[tuple[str, ...]]:
    tokens = [match for match in _TOKEN.finditer(text) if match["number"] is None]
    for at, match in enumerate(tokens):
        word = (match["word"] or "").lower()
        if word not in _DENIES and not word.endswith(("n't", "n’t")):
            continue
        scope: list[str] = []
        for follower in tokens[at + 1 :]:
            said = (follower["word"] or "").lower()
            if follower["edge"] is not None or said in _CONTRASTS or len(scope) >= _REACH:
                break
            if said in _ONLY and not scope:
                break
            scope += analyse(said)[:1]
        if scope:
            yield tuple(scope)
