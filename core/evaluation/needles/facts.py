"""What is planted: facts that no document states, about places that do not exist, and questions for them."""

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
DEPTHS = tuple(range(0, 101, 10))
# Said, asked in the same words, asked in others.
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
    """A person's own needle. ``answer``: words that an answer has to hold, "" where none is asked for."""

    sentence: str
    question: str
    answer: str = ""


@dataclass(frozen=True, slots=True)
class Sentence:
    """Planted at ``depth`` percent. ``answer``: what stands in an answer that knows it; "" counts for none.

    ``sought``: it is to be found; else it only distracts.
    """

    depth: int
    text: str
    answer: str = ""
    sought: bool = True

    def answered_by(self, said: str) -> bool:
        """Whether what was said holds the answer, as words of their own.

        >>> Sentence(0, "", "42").answered_by("It is 42."), Sentence(0, "", "42").answered_by("It is 421.")
        (True, False)
        """
        return bool(self.answer) and bool(re.search(rf"(?<!\w){re.escape(self.answer)}(?!\w)", said, re.IGNORECASE))


@dataclass(frozen=True, slots=True)
class Needle:
    """A question and the sentences planted for it."""

    kind: str
    question: str
    sentences: tuple[Sentence, ...]


def made_needles(kinds: Collection[str], seed: int, taken: Collection[str] = ()) -> tuple[Needle, ...]:
    """For every depth one needle of each kind; the same for the same arguments.

    No two tell of the same place, and no name is among ``taken``, in lower case. A second or third sentence stands at
    another depth.

    >>> made_needles(["plain"], 0)[0].question
    'From which pier does the Dovdessa ferry leave?'
    """
    draw = Random(f"needles {seed}")  # noqa: S311 - a choice of names, no secret
    names, values = _names(draw, taken), _values(draw)
    made = []
    for turn in range(len(DEPTHS)):
        for number, kind in enumerate(KINDS):
            # Drawn for all kinds, so that a needle is the same whichever of them are asked for.
            needle = _made(kind, _FACTS[(turn + number) % len(_FACTS)], turn, names, values)
            if kind in kinds:
                made.append(needle)
    return tuple(made)


def own_needles(own: Own) -> Iterator[Needle]:
    """A person's own sentence at every depth: one at a time, as it would be found elsewhere."""
    for depth in DEPTHS:
        yield Needle("own", own.question, (Sentence(depth, " ".join(own.sentence.split()), own.answer),))


def _made(kind: str, fact: tuple[str, str, str], turn: int, names: Iterator[str], values: Iterator[str]) -> Needle:
    said, asked, reworded = fact

    def planted(name: str, after: int = 0, *, sought: bool = True) -> Sentence:
        value = next(values)
        return Sentence(DEPTHS[(turn + after) % len(DEPTHS)], said.format(name=name, value=value), value, sought)

    name = next(names)
    sentences = [planted(name)]
    if kind == "alike":
        sentences += [planted(next(names), after, sought=False) for after in (0, 1)]
    elif kind == "conflicting":
        sentences.append(planted(name, 5))
    elif kind == "several":
        others = next(names), next(names)
        sentences += [planted(other, 4 * number) for number, other in enumerate(others, 1)]
        name = f"{name}, {others[0]} and {others[1]}"
    question = reworded if kind == "reworded" else asked
    return Needle(kind, question.format(name=name), tuple(sentences))


def _names(draw: Random, taken: Collection[str]) -> Iterator[str]:
    names = [first + last for first in _FIRST for last in _LAST]
    draw.shuffle(names)
    return (name for name in names if name.lower() not in taken)


def _values(draw: Random) -> Iterator[str]:
    values = list(range(200, 1000))
    draw.shuffle(values)
    return map(str, values)
