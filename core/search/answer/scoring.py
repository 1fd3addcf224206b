"""How well each candidate answers: signals of the search, of words and meaning, and of the reader, weighed together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from core.search.answer.asking import CERTAIN, asked_thing, holds
from core.search.answer.candidates import Quotable
from core.search.answer.marking import Mark, scaled
from core.text.analysis import analyse


@dataclass(frozen=True, slots=True)
class Signals:
    """What speaks for a candidate, each in [0, 1] and 0 where it is not known. As weights: what one of each counts.

    ``rank``: 1 / the rank of the retrieved child it stands in. ``lit``: whether it stands in one. ``meaning``: cosine
    to the question; ``beside``: of the better of the two candidates beside it. ``words``: share of the question's words
    it holds, rare ones counting more; ``around``: that its passage, title and headings hold. ``kind``: it holds the
    kind of thing that is asked for, a number, a date, a name or a default; ``manner``: it is worded as the definition
    or the step that is asked for. ``prose``: words make it up. ``marked``: the log-odds the reader gives the answer it
    marks in it, from 0 at -10 or less to 1 at 10 or more.
    """

    rank: float = 0.0
    lit: float = 0.0
    meaning: float = 0.0
    beside: float = 0.0
    words: float = 0.0
    around: float = 0.0
    kind: float = 0.0
    manner: float = 0.0
    prose: float = 0.0
    marked: float = 0.0


def signals(
    question: str,
    candidates: Sequence[Quotable],
    meaning: NDArray[np.float64],
    marks: Sequence[Mark | None],
    rarity: Mapping[str, float],
    intent: str = "",
) -> list[Signals]:
    """The signals of every candidate.

    ``meaning``: ``(len(candidates),)`` cosines to the question. ``marks``: what the reader marks in each, ``None`` in
    what it did not read. ``rarity``: what each token of the question weighs; one that is not there weighs 1.
    ``intent``: "definition", "procedure", "comparison", "number" or "" as question analysis has it.
    """
    wanted = {token: rarity.get(token, 1.0) for token in analyse(question)}
    total = sum(wanted.values()) or 1.0
    asked = asked_thing(question, intent)
    close = np.clip(meaning, 0.0, 1.0)
    beside = _beside(candidates, close)
    around: dict[int, float] = {}

    def share(text: str) -> float:
        return sum(wanted[token] for token in wanted.keys() & frozenset(analyse(text))) / total

    found: list[Signals] = []
    for place, item in enumerate(candidates):
        passage = item.passage
        if id(passage) not in around:
            around[id(passage)] = share(" ".join([passage.document, *passage.headings, passage.text]))
        found.append(
            Signals(
                rank=1 / item.standing if item.standing else 0.0,
                lit=float(bool(item.standing)),
                meaning=float(close[place]),
                beside=float(beside[place]),
                words=share(item.reading),
                around=around[id(passage)],
                kind=float(asked in CERTAIN and holds(item.reading, asked)),
                manner=float(asked not in CERTAIN and holds(item.reading, asked)),
                prose=float(item.prose),
                marked=0.0 if (mark := marks[place]) is None else scaled(mark),
            )
        )
    return found


# By ``benchmarks/answer_weights.py`` over code, covidqa, and held-out questions of SQuAD and Natural Questions. On the
# half of the questions that was not learnt from the best line lies on gold for 67 %, 46 % (of 28 questions), 86 % and
# 74 %.
WEIGHTS = Signals(
    rank=2.0, lit=0.2, meaning=1.4, beside=1.9, words=1.0, around=1.9, kind=1.5, manner=-1.0, prose=-0.3, marked=4.3
)
BIAS = -6.0


def scores(found: Sequence[Signals], weights: Signals = WEIGHTS) -> NDArray[np.float64]:
    """``(len(found),)``, higher is better."""
    names = [field.name for field in fields(Signals)]
    table = np.array([[getattr(one, name) for name in names] for one in found]).reshape(len(found), len(names))
    return np.asarray(table @ np.array([getattr(weights, name) for name in names]) + BIAS)


def _beside(candidates: Sequence[Quotable], meaning: NDArray[np.float64]) -> NDArray[np.float64]:
    """For each candidate the better cosine of the two beside it in its passage; 0 where there is none."""
    beside = np.zeros(len(candidates))
    places: dict[int, list[int]] = {}
    for place, item in enumerate(candidates):
        places.setdefault(id(item.passage), []).append(place)
    for group in places.values():
        group.sort(key=lambda place: candidates[place].span)
        for before, after in pairwise(group):
            beside[before] = max(beside[before], meaning[after])
            beside[after] = max(beside[after], meaning[before])
    return beside
