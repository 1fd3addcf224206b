"""Why a place is not in the context: its fate at every stage, and the smallest single change that admits it.

Nothing is guessed: a change is told only after the whole way was run with it and the place came out in the context.
The searches run once for all settings that search alike; every trial orders and fills again from what they found.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from math import log2
from typing import Any

from core.search.explaining.dial_steps import (
    LARGEST_BUDGET,
    MOST_LEAVES,
    RANKING_STAGES,
    WIDEST,
    Turns,
    budgets,
    dial_steps,
    value_of,
)
from core.search.explaining.trials import ADMITTED, Fate, Front, Keys, Trial, nearer
from core.search.question.analysis import Key
from core.search.searcher import Searcher
from core.settings import Settings
from core.storage.catalogue.conditions import Condition
from core.storage.catalogue.names import Scope
from core.text.numerals import ordinal
from core.types import Span

BUDGET, NUMBER = "assembly.budget_tokens", "retrieval.k"
_REMOVAL = 0.5  # the size of a change that takes a condition out of the question: half a dial's way

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Change:
    """What to turn, and what to take out of the question, for the context to hold the place.

    ``settings``: by name, the values before and after. ``size``: how far they move, as a share of each dial's way;
    smaller is less of a change. ``held``: the share of the place's characters that the context then holds.
    ``remove``: keys of conditions of the question that are not to be heeded, as ``Searcher.find`` takes them.
    """

    settings: Mapping[str, tuple[Any, Any]]
    size: float
    held: float
    remove: tuple[Key, ...] = ()


@dataclass(frozen=True, slots=True)
class WhyNot:
    """``held``: the share of the place that the context holds. ``fates``: of its leaves, the best ranked first.

    ``changes``: the smallest found for each dial, smallest first; () when the place is in, or nothing admits it.
    ``tried``: how many contexts were filled. ``excluded``: conditions of the question by which no chunk of the place is
    searched; then there are no fates, and every change removes them. It may be read all the same, around a chunk that
    is found, where nothing in it is left out. ``untried``: dials of which no change was found and not every step was
    tried, because it had been too much.
    """

    held: float
    stages: tuple[str, ...]
    fates: tuple[Fate, ...]
    changes: tuple[Change, ...]
    sentence: str
    tried: int
    excluded: tuple[Condition, ...] = ()
    untried: tuple[str, ...] = ()

    @property
    def admitted(self) -> bool:
        """Whether the context holds the place as it is."""
        return self.held >= ADMITTED


def why_not(
    searcher: Searcher,
    question: str,
    settings: Settings,
    version_id: str,
    place: Span,
    scope: Scope | None = None,
    progress: Progress | None = None,
    ignored: Keys = frozenset(),
) -> WhyNot:
    """The fate of ``place`` in a document under ``settings``, and what would admit it.

    ``progress(done, total)`` gets the steps tried; it may raise to stop. ``ignored``: as in ``Searcher.find``.
    """
    trial = Trial(searcher, question, version_id, place, scope, ignored)
    if not len(trial.searched(settings)):
        return _outside(trial, settings, progress)
    ranking, context, fates = trial.filled(settings)
    stages, told, held = tuple(ranking.scores), trial.fates(ranking, fates), trial.held(context)
    if held >= ADMITTED:
        return WhyNot(held, stages, told, (), f"It is in the context: {held:.0%} of it is read.", trial.runs)
    search = _Search(trial, settings, progress)
    changes = search.run()
    unread = next((fate for fate in told if fate.said != "kept"), told[0])
    part = f"Only {held:.0%} of it is read. " if held else ""
    sentence = f"{part}{way(unread)} {remedy(changes)}"
    return WhyNot(held, stages, told, changes, sentence, trial.runs, untried=search.untried)


def _outside(trial: Trial, settings: Settings, progress: Progress | None) -> WhyNot:
    """Of a place of which no chunk was searched: what leaves it out, or that it is read around one that was found."""
    library, asked = trial.whole(None), trial.whole(trial.scope)
    if not len(trial.leaves_in(asked)):
        sentence = _UNCUT
        if not trial.stands_in(library):
            sentence = "Its document is not in the library any more, or no chunk of it is searched."
        elif not trial.stands_in(asked):
            sentence = "Its document is not among those that were asked."
        return WhyNot(0.0, (), (), (), sentence, 0)
    excluded = _barring(trial, settings)
    read = trial.read(settings)
    if read >= ADMITTED:
        sentence = f"It is in the context: {read:.0%} of it is read, around a chunk that the question asks for."
        return WhyNot(read, (), (), (), sentence, trial.runs, excluded)
    removed = tuple(one.key for one in excluded)
    without = trial.ignoring(frozenset(removed))
    search = _Search(without, settings, progress, removed)
    held = without.admits(settings)
    changes = (Change({}, _REMOVAL, held, removed),) if held else search.run()
    part = f"Only {read:.0%} of it is read. " if read else ""
    sentence = f"{part}{_unfit(excluded)} {remedy(changes)}"
    return WhyNot(read, (), (), changes, sentence, trial.runs + without.runs, excluded, search.untried)


def _unfit(excluded: Sequence[Condition]) -> str:
    """Which conditions leave a place out, as a sentence.

    >>> _unfit([Condition("type", "pdf", 0, 8, "type: PDF")])
    'It was not searched: the question asks for “type: PDF”, which it does not fit.'
    >>> _unfit([Condition("not", "draft", 0, 6, "not: draft")])
    'The question leaves it out: its chunk holds “draft”.'
    """
    asked = [one.words if "“" in one.words else f"“{one.words}”" for one in excluded if one.kind != "not"]
    held = [f"“{one.value}”" for one in excluded if one.kind == "not"]
    holds = f"The question leaves it out: its chunk holds {' and '.join(held)}."
    if not asked:
        return holds
    fits = f"It was not searched: the question asks for {' and '.join(asked)}, which it does not fit."
    return f"{fits} {holds}" if held else fits


_UNCUT = "No chunk holds this text: it is switched off, front matter, a running header or blank."


def _barring(trial: Trial, settings: Settings) -> tuple[Condition, ...]:
    """The fewest conditions, given up one after another, without which the place is searched."""
    conditions = trial.understood(settings).conditions
    barring = list(conditions)
    for one in conditions:
        fewer = [other for other in barring if other != one]
        if fewer and len(trial.ignoring(frozenset(other.key for other in fewer)).searched(settings)):
            barring = fewer
    return tuple(barring)


_BY = {"dense": "by meaning", "lexical": "by words"}
_AFTER = {"diverse": "after spreading", "reranked": "after re-ranking"}
_RANKED = re.compile(r"\Aranked [\d,]+: ")


def way(fate: Fate) -> str:
    """How a leaf went through the stages, as a sentence.

    >>> way(Fate(0, 9, {"dense": 34, "lexical": 2, "fused": 9}, {}, "the budget of 900 tokens ended before it"))
    'It was found 34th by meaning and 2nd by words; together it was 9th: the budget of 900 tokens ended before it.'
    """
    found = [f"{ordinal(fate.ranks[stage])} {said}" for stage, said in _BY.items() if stage in fate.ranks]
    later = [f"{_AFTER.get(stage, 'together')} it was {ordinal(rank)}" for stage, rank in fate.ranks.items()][-1:]
    told = [f"It was found {' and '.join(found)}" if found else "No search found it", *later]
    return f"{'; '.join(told)}: {_RANKED.sub('', fate.said)}."


def remedy(changes: Sequence[Change]) -> str:
    """The smallest change, as a sentence.

    >>> remedy([Change({"assembly.budget_tokens": (1000, 1600)}, 0.1, 1.0)])
    'It would be in with assembly.budget_tokens at 1,600 instead of 1,000.'
    >>> remedy([Change({}, 0.5, 1.0, (("type", "pdf"),))])
    'It would be in without “type: pdf” in the question.'
    """
    if not changes:
        return "No change that was tried admits it: of one dial, or of number and budget together."
    told = [f"{name} at {_value(new)} instead of {_value(old)}" for name, (old, new) in changes[0].settings.items()]
    without = " and ".join(f"“{kind}: {value}”" for kind, value in changes[0].remove)
    parts = [f"without {without} in the question"] if without else []
    parts += [f"with {' and '.join(told)}"] if told else []
    return f"It would be in {' and '.join(parts)}."


def _value(value: Any) -> str:
    """
    >>> [_value(value) for value in (True, 1600, 0.5, "", "flat")]
    ['on', '1,600', '0.5', 'off', 'flat']
    """
    if isinstance(value, bool):
        return "on" if value else "off"
    return f"{value:,}" if isinstance(value, int) else f"{value:g}" if isinstance(value, float) else str(value) or "off"


@dataclass(slots=True)
class _Search:
    """For the smallest change of each dial that admits the place. ``removed``: what the trial leaves out already."""

    trial: Trial
    settings: Settings
    progress: Progress | None
    removed: tuple[Key, ...] = ()
    untried: tuple[str, ...] = field(default=(), init=False)
    _found: list[Change] = field(default_factory=list, init=False)
    _told: int = field(default=0, init=False)
    _total: int = field(default=0, init=False)

    def run(self) -> tuple[Change, ...]:
        """The changes, smallest first: of numbers, budget and conditions, of each other dial; failing all, of both.

        Small steps are tried before large ones whatever their dial, so that what patience leaves out is large.
        """
        trial, settings = self.trial, self.settings
        understood, front = trial.understood(settings), trial.front(settings)
        dials = list(dial_steps(settings, understood, trial.lost(settings)))
        numbers = [dial for dial in dials if dial.rising]
        others = [(size, dial.name, turned) for dial in dials if not dial.rising for size, turned in dial.steps]
        self._total = len(numbers) + len(understood.conditions) + len(others) + 1
        for dial in numbers:
            self._tell()
            self._found.extend(self._least_number(dial, front))
        for condition in understood.conditions:
            self._tell()
            self._found.extend(self._without(condition.key))
        self._tell()
        self._found.extend(self._least_budget({}, WIDEST))
        self._found.extend(self._steps(sorted(others, key=lambda step: step[0]), front))
        if not self._found:
            number = next((dial for dial in numbers if dial.name == NUMBER), Turns(NUMBER, []))
            self._found.extend(self._both(number))
        self._tell()
        return tuple(sorted(self._found, key=lambda one: one.size))

    def _tell(self) -> None:
        if self.progress is not None:
            self.progress(self._told, self._total)
        self._told += 1

    def _steps(self, steps: Sequence[tuple[float, str, Settings]], front: Front) -> Iterator[Change]:
        """The first step of each dial that admits the place; the steps come smallest first."""
        admitted, untried = set[str](), dict[str, None]()
        for size, name, turned in steps:
            self._tell()
            if name in admitted:
                continue
            if self.trial.tired:
                untried[name] = None
            elif held := self._admits(name, turned, front):
                admitted.add(name)
                yield self._change((name,), turned, size, held)
        self.untried = tuple(untried)

    def _admits(self, name: str, turned: Settings, front: Front) -> float:
        """The share held where it is enough, else 0; an order that brings nothing forward is not filled."""
        if name.partition(".")[0] in RANKING_STAGES and not nearer(self.trial.front(turned), front):
            return 0.0
        return self.trial.admits(turned)

    def _without(self, key: Key) -> Iterator[Change]:
        """A condition of the question taken away."""
        without = self.trial.ignoring(frozenset((key, *self.removed)))
        if held := without.admits(self.settings):
            yield Change({}, _REMOVAL, held, (*self.removed, key))
        self.trial.runs += without.runs
        self.trial.orders += without.orders

    def _least_number(self, dial: Turns, front: Front) -> Iterator[Change]:
        """The least number that admits the place.

        More nearly always holds more, so ever more are passed over; where one is enough, those before it are halved.
        """
        rising = [turned for _, turned in dial.steps]
        for at, held in least(looks(len(rising)), lambda at: self._admits(dial.name, rising[at], front)):
            yield self._change((dial.name,), rising[at], dial.steps[at][0], held)

    def _least_budget(self, beside: Mapping[str, Any], widest: int) -> Iterator[Change]:
        """The least budget that admits the place, with other dials turned to the values ``beside``.

        More room nearly always holds more, so budgets are doubled until one is enough, and halved in between.
        """
        before = self.settings.assembly.budget_tokens
        rising = [self.settings.with_values({**beside, BUDGET: tokens}) for tokens in budgets(before, widest)]
        doubled = [*range(7, len(rising), 8), len(rising) - 1] if rising else []
        for at, held in least(doubled, lambda at: self.trial.admits(rising[at])):
            size = log2(rising[at].assembly.budget_tokens / before) / log2(WIDEST) + len(beside)
            yield self._change((*beside, BUDGET), rising[at], size, held)

    def _both(self, number: Turns) -> Iterator[Change]:
        """The least budget that admits the place with all that can go on, and the least number for that budget."""
        for widest in self._least_budget({NUMBER: MOST_LEAVES}, LARGEST_BUDGET):
            yield next(self._fewer(number, widest), widest)

    def _fewer(self, number: Turns, widest: Change) -> Iterator[Change]:
        room = widest.settings[BUDGET][1]
        rising = [turned.with_value(BUDGET, room) for _, turned in number.steps]
        for at, held in least(looks(len(rising)), lambda at: self.trial.admits(rising[at])):
            yield self._change((NUMBER, BUDGET), rising[at], widest.size, held)

    def _change(self, names: Sequence[str], turned: Settings, size: float, held: float) -> Change:
        changed = {name: (value_of(self.settings, name), value_of(turned, name)) for name in names}
        return Change(changed, size, held, self.removed)


def looks(length: int) -> list[int]:
    """Places to look at among so many: twice as many are passed over each time, and the last is among them.

    >>> looks(6), looks(1), looks(0)
    ([0, 1, 3, 5], [0], [])
    """
    return sorted({*(2**n - 1 for n in range(length.bit_length())), length - 1}) if length else []


def least(places: Iterable[int], held: Callable[[int], float]) -> Iterator[tuple[int, float]]:
    """The first place from 0 on that holds anything, where all behind it do, with what it holds.

    ``places``: to look at first, rising; between the first that holds something and the one before it is halved. None
    comes where none of them does; one that comes was looked at, whatever is true of the others. None is asked twice.

    >>> [*least([0, 1, 3, 7], lambda place: 0.5 * (place >= 6))], [*least([0, 1], lambda place: 0)]
    ([(6, 0.5)], [])
    """
    known = cache(held)
    low = 0
    for place in places:
        if known(place):
            first = low + bisect_left(range(low, place), True, key=lambda at: known(at) > 0)
            yield first, known(first)
            return
        low = place + 1
