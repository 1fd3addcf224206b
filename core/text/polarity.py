"""Detects contradicting negations of two texts, by the words that each negation denies."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import dropwhile, takewhile

from core.text.analysis import STOP_WORDS, analyse

# Negations in several languages.
_NEGATIONS = frozenset(
    "not never cannot no none nobody nothing neither nor without nicht kein keine keinen keiner keinem nie niemals"
    " ohne jamais sans aucun aucune nunca ningún ninguna nessun nessuna не нет никогда".split()
)
# A line break may be anywhere in a sentence, but a list item, table or paragraph begins a new one. The abbreviation of
# "number" and the value None of a program are no negations.
_TOKEN = re.compile(
    r"(?P<number>\bNo\. ?\d|`(?i:no|not|none|never)`|(?<=\w )None\b(?! of))|(?P<word>[^\W\d_]+(?:[’'][^\W\d_]+)?)"
    r"|(?P<edge>[.,:](?!\d)|[;!?()—–]|\n\s*(?:\n|[-*+•|#>]|\d+[.)] ))"
)
_CONTRASTS = frozenset("but except unless although though while whereas because if when sondern aber mais pero".split())
_ENDS = _CONTRASTS | _NEGATIONS  # words that end the scope of a negation
_REACH = 3  # content words in the scope of a negation
_LINKING_WORDS = frozenset("am is are was were be been being it he she they we you i".split())
_ONLY = frozenset({"only", "just", "merely"})


@dataclass(frozen=True, slots=True)
class Polarity:
    """The negations of a text. ``denied``: the stems in the scope of each, nearest first; ``words``: all stems."""

    denied: tuple[tuple[str, ...], ...]
    words: frozenset[str]

    @property
    def covered(self) -> frozenset[str]:
        """The union of all scopes."""
        return frozenset(word for scope in self.denied for word in scope)


def polarity(text: str) -> Polarity:
    """The negations of a text.

    >>> polarity("Tea isn't free, but it does not need sugar.").denied
    (('free',), ('need', 'sugar'))
    >>> polarity("It is not only fast.").denied
    ()
    """
    words = (match["word"].lower() for match in _TOKEN.finditer(text) if match["word"])
    return Polarity(tuple(_scopes(text)), frozenset(analyse(text)) | STOP_WORDS.intersection(words))


def opposed(one: Polarity, other: Polarity) -> str:
    """A word that one text denies and the other affirms; "" where they agree or are about different things.

    >>> free, costly = polarity("Tea is free on Fridays."), polarity("Tea is not free.")
    >>> opposed(free, costly), opposed(costly, polarity("Tea isn't free for guests."))
    ('free', '')
    """
    return _contradiction(one, other) or _contradiction(other, one)


def _contradiction(one: Polarity, other: Polarity) -> str:
    """A word that ``one`` denies and ``other`` affirms, or ``one`` denies twice and ``other`` once; "" for none."""
    covered, firsts = other.covered, frozenset(scope[0] for scope in other.denied)
    for scope in one.denied:
        if scope[0] in covered or firsts.intersection(scope):
            continue
        if scope[0] in other.words:
            return scope[0]
    counts = Counter(scope[0] for scope in one.denied)
    return next((word for word, count in counts.items() if count % 2 == 0 and word in firsts), "")


def _scopes(text: str) -> Iterator[tuple[str, ...]]:
    """The stems that each negation denies, nearest first."""
    tokens = [match for match in _TOKEN.finditer(text) if match["number"] is None]
    words = [(match["word"] or "").lower() for match in tokens]  # "" for an edge
    for at, word in enumerate(words):
        if word not in _NEGATIONS and not word.endswith(("n't", "n’t")):
            continue
        following = list(takewhile(lambda after: after and after not in _ENDS, words[at + 1 :]))
        if following and following[0] in _ONLY:
            continue  # "not only" is no negation
        verbs = list(dropwhile(lambda after: after.endswith("ly"), following)) or following
        scope = [stem for after in verbs for stem in analyse(after)[:1]][:_REACH]
        # Without content words after it ("and coffee is not", "should not"), the nearest word is denied.
        clause = list(takewhile(bool, reversed(words[:at])))[:_REACH]
        before = [stem for word in clause for stem in analyse(word)[:1]] or [
            w for w in clause if w not in _LINKING_WORDS
        ]
        near = following[:1] or before[:1]
        if scope or near:
            yield tuple(scope or near)
