"""Whether two texts say yes or no to the same: negations by what they deny, not by their number."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import dropwhile, takewhile

from core.text.analysis import STOP_WORDS, analyse

# Words that deny in the languages that Lectern's sentences are told apart in; "no" is all of theirs or none.
_DENIES = frozenset(
    "not never cannot no none nobody nothing neither nor without nicht kein keine keinen keiner keinem nie niemals"
    " ohne jamais sans aucun aucune nunca ningún ninguna nessun nessuna не нет никогда".split()
)
# A line may end anywhere in a sentence; where a list, a table or a paragraph begins, the sentence ends. The value None
# of a program denies nothing.
_TOKEN = re.compile(
    r"(?P<number>\bNo\. ?\d|`(?i:no|not|none|never)`|(?<=\w )None\b(?! of))|(?P<word>[^\W\d_]+(?:[’'][^\W\d_]+)?)"
    r"|(?P<edge>[.,:](?!\d)|[;!?()—–]|\n\s*(?:\n|[-*+•|#>]|\d+[.)] ))"
)
_CONTRASTS = frozenset("but except unless although though while whereas because if when sondern aber mais pero".split())
_ENDS = _CONTRASTS | _DENIES  # where what a negation denies ends
_REACH = 3  # words that say something, from a negation on
_BEING = frozenset("am is are was were be been being it he she they we you i".split())
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
    words = (match["word"].lower() for match in _TOKEN.finditer(text) if match["word"])
    return Polarity(tuple(_scopes(text)), frozenset(analyse(text)) | STOP_WORDS.intersection(words))


def opposed(one: Polarity, other: Polarity) -> str:
    """What one denies of the other and not both; "" where they agree, or speak of different things.

    >>> free, costly = polarity("Tea is free on Fridays."), polarity("Tea is not free.")
    >>> opposed(free, costly), opposed(costly, polarity("Tea isn't free for guests."))
    ('free', '')
    """
    return _unmet(one, other) or _unmet(other, one)


def _unmet(one: Polarity, other: Polarity) -> str:
    there, firsts = other.covered, frozenset(scope[0] for scope in other.denied)
    for scope in one.denied:
        if scope[0] in there or firsts.intersection(scope):
            continue
        if scope[0] in other.words:
            return scope[0]
    own = Counter(scope[0] for scope in one.denied)
    doubled = (word for word, times in own.items() if times % 2 == 0 and sum(word == first for first in firsts))
    return next(doubled, "")


def _scopes(text: str) -> Iterator[tuple[str, ...]]:
    tokens = [match for match in _TOKEN.finditer(text) if match["number"] is None]
    said = [(match["word"] or "").lower() for match in tokens]
    for at, word in enumerate(said):
        if word not in _DENIES and not word.endswith(("n't", "n’t")):
            continue
        following = list(takewhile(lambda after: after and after not in _ENDS, said[at + 1 :]))
        if following and following[0] in _ONLY:
            continue  # "not only" denies nothing
        verbs = list(dropwhile(lambda after: after.endswith("ly"), following)) or following
        scope = [stem for after in verbs for stem in analyse(after)[:1]][:_REACH]
        # Where function words alone follow, "will not do", or none, "and coffee is not", "should not":
        clause = list(takewhile(bool, reversed(said[:at])))[:_REACH]
        before = [stem for word in clause for stem in analyse(word)[:1]] or [w for w in clause if w not in _BEING]
        near = following[:1] or before[:1]
        if scope or near:
            yield tuple(scope or near)
