"""Generates needles: sentences with invented facts about invented places, and questions about them."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from random import Random

KINDS = {
    "plain": "asked in its own words",
    "reworded": "asked in other words",
    "alike": "beside two sentences that say the same of something else",
    "conflicting": "two sentences that contradict each other",
    "several": "three sentences for one question",
}
DEPTHS = tuple(range(0, 101, 10))  # percent of the text
# Each: the sentence, its question in the same words, its question in other words.
_FACTS = (
    (
        "The {name} ferry leaves from pier {value}.",
        "From which pier does the {name} ferry leave?",
        "Where do passengers of the boat to {name} go aboard?",
    ),
    (
        "The vault of {name} opens with the code {value}.",
        "With which code does the vault of {name} open?",
        "What has to be dialled at the strongroom in {name}?",
    ),
    (
        "The bakery of {name} sells {value} loaves a day.",
        "How many loaves does the bakery of {name} sell a day?",
        "How much bread do people in {name} buy daily?",
    ),
    (
        "The bridge of {name} carries up to {value} tonnes.",
        "How many tonnes does the bridge of {name} carry?",
        "What weight may cross the river at {name}?",
    ),
    (
        "The {name} orchestra rehearses in room {value}.",
        "In which room does the {name} orchestra rehearse?",
        "Where do the musicians from {name} practise?",
    ),
    (
        "The {name} lighthouse flashes {value} times an hour.",
        "How many times an hour does the {name} lighthouse flash?",
        "What is the rhythm of the beacon at {name}?",
    ),
    (
        "The well of {name} is {value} metres deep.",
        "How deep is the well of {name}?",
        "How far down does one find water in {name}?",
    ),
)
_FIRST = ("Vel", "Ask", "Lum", "Tor", "Quin", "Har", "Bex", "Ul", "Zan", "Ked", "Ost", "Ryn", "Dov", "Fen", "Gal")
_LAST = ("morra", "tenby", "wickel", "lindu", "dessa", "ravik", "shannow", "bristo", "quell", "napour")


@dataclass(frozen=True, slots=True)
class Own:
    """A needle that the user wrote. ``answer``: words that an answer must contain, "" to check no answer."""

    sentence: str
    question: str
    answer: str = ""


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence to plant at ``depth`` percent of the text.

    ``answer``: words that a correct answer contains; with "" no answer is correct. ``sought``: whether the question
    asks for it; else it is a distractor.
    """

    depth: int
    text: str
    answer: str = ""
    sought: bool = True

    def answered_by(self, reply: str) -> bool:
        """Whether the reply contains the answer as whole words, in any case.

        >>> Sentence(0, "", "42").answered_by("It is 42."), Sentence(0, "", "42").answered_by("It is 421.")
        (True, False)
        """
        return bool(self.answer) and bool(re.search(rf"(?<!\w){re.escape(self.answer)}(?!\w)", reply, re.IGNORECASE))


@dataclass(frozen=True, slots=True)
class Needle:
    """A question and the sentences planted for it."""

    kind: str
    question: str
    sentences: tuple[Sentence, ...]


def generate_needles(kinds: Collection[str], seed: int, excluded: Collection[str] = ()) -> tuple[Needle, ...]:
    """One needle of each kind for every depth. The same arguments give the same needles.

    Every place has another name, and none is among ``excluded`` (lower case). The second and third sentences of a
    needle get other depths than the first.

    >>> generate_needles(["plain"], 0)[0].question
    'From which pier does the Dovdessa ferry leave?'
    """
    random = Random(f"needles {seed}")  # noqa: S311 - a choice of names, no secret
    names, values = _names(random, excluded), _values(random)
    needles = []
    for depth_index in range(len(DEPTHS)):
        for number, kind in enumerate(KINDS):
            # Generated for all kinds, so that a needle does not depend on which other kinds are requested.
            needle = _needle(kind, _FACTS[(depth_index + number) % len(_FACTS)], depth_index, names, values)
            if kind in kinds:
                needles.append(needle)
    return tuple(needles)


def own_needles(own: Own) -> Iterator[Needle]:
    """The user's sentence at every depth. Each is for a copy of its own, where the others would be found instead."""
    for depth in DEPTHS:
        yield Needle("own", own.question, (Sentence(depth, " ".join(own.sentence.split()), own.answer),))


def _needle(
    kind: str, fact: tuple[str, str, str], depth_index: int, names: Iterator[str], values: Iterator[str]
) -> Needle:
    template, question, reworded = fact

    def sentence(name: str, deeper: int = 0, *, sought: bool = True) -> Sentence:
        depth, value = DEPTHS[(depth_index + deeper) % len(DEPTHS)], next(values)
        return Sentence(depth, template.format(name=name, value=value), value, sought)

    name = next(names)
    sentences = [sentence(name)]
    if kind == "alike":
        sentences += [sentence(next(names), deeper, sought=False) for deeper in (0, 1)]
    elif kind == "conflicting":
        sentences.append(sentence(name, 5))
    elif kind == "several":
        others = next(names), next(names)
        sentences += [sentence(other, 4 * number) for number, other in enumerate(others, 1)]
        name = f"{name}, {others[0]} and {others[1]}"
    chosen = reworded if kind == "reworded" else question
    return Needle(kind, chosen.format(name=name), tuple(sentences))


def _names(random: Random, excluded: Collection[str]) -> Iterator[str]:
    names = [first + last for first in _FIRST for last in _LAST]
    random.shuffle(names)
    return (name for name in names if name.lower() not in excluded)


def _values(random: Random) -> Iterator[str]:
    values = list(range(200, 1000))
    random.shuffle(values)
    return map(str, values)
