"""Why a place is not in the context: its fate at every stage, and the smallest single change that admits it.

Nothing is guessed: a change is told only after the whole way was run with it and the place came out in the context.
The searches run once for all settings that search alike; every trial orders and fills again from what they found.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from core.search.explaining.dial_changes import (
    BUDGET,
    CHOICE,
    ENDING,
    LARGEST_BUDGET,
    MOST_LEAVES,
    NUMBER,
    RANKING_STAGES,
    RUNGS,
    budgets,
    steps,
    value_of,
)
from core.search.explaining.trials import ADMITTED, Fate, Front, Trial, nearer
from core.search.question.analysis import Key
from core.search.question.query import Query
from core.search.searcher import Searcher
from core.settings import Settings
from core.storage.catalogue.conditions import Condition
from core.storage.catalogue.names import ALL_DOCUMENTS
from core.text.numerals import ordinal
from core.types import Span

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
    query: Query,
    settings: Settings,
    version_id: str,
    place: Span,
    progress: Progress | None = None,
) -> WhyNot:
    """The fate of ``place`` in a document under ``settings``, and what would admit it.

    ``progress(done, total)`` gets the steps tried; it may raise to stop.
    """
    trial = Trial(searcher, query, version_id, place)
    if not len(trial.searched(settings)):
        return _outside(trial, settings, progress)
    ranking, context, fates = trial.filled(settings)
    stages, told, held = tuple(ranking.scores), trial.fates(ranking, fates), trial.held(context)
    if held >= ADMITTED:
        return WhyNot(held, stages, told, (), f"It is in the context: {held:.0%} of it is read.", trial.runs)
    changes, untried = _smallest(trial, settings, progress)
    unread = next((fate for fate in told if fate.said != "kept"), told[0])
    part = f"Only {held:.0%} of it is read. " if held else ""
    sentence = f"{part}{explanation(unread)} {remedy(changes)}"
    return WhyNot(held, stages, told, changes, sentence, trial.runs, untried=untried)


def _outside(trial: Trial, settings: Settings, progress: Progress | None) -> WhyNot:
    """Of a place of which no chunk was searched: what leaves it out, or that it is read around one that was found."""
    library, asked = trial.whole(ALL_DOCUMENTS), trial.whole(trial.query.scope)
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
    held = without.admits(settings)
    changes, untried = (
        ((Change({}, CHOICE, held, removed),), ()) if held else _smallest(without, settings, progress, removed)
    )
    part = f"Only {read:.0%} of it is read. " if read else ""
    sentence = f"{part}{_unfit(excluded)} {remedy(changes)}"
    return WhyNot(read, (), (), changes, sentence, trial.runs + without.runs, excluded, untried)


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


def explanation(fate: Fate) -> str:
    """How a leaf went through the stages, as a sentence.

    >>> explanation(Fate(0, 9, {"dense": 34, "lexical": 2, "fused": 9}, {}, "the budget of 900 tokens ended before it"))
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


def _smallest(
    trial: Trial, settings: Settings, progress: Progress | None, removed: tuple[Key, ...] = ()
) -> tuple[tuple[Change, ...], tuple[str, ...]]:
    """The smallest change of each dial that admits the place, smallest first, and the dials not tried to their ends.

    Small steps are tried before large ones whatever their dial, so that what patience leaves out is large. Where no
    dial alone is enough, number and budget are turned together, and the room is filled. ``removed``: conditions the
    trial leaves out already.
    """
    conditions, front = trial.understood(settings).conditions, trial.front(settings)
    tried = sorted(steps(settings, trial.genre(settings), len(trial.whole(ALL_DOCUMENTS))), key=lambda step: step[0])
    found: dict[str, Change] = {}
    untried: dict[str, None] = {}
    total = len(conditions) + len(tried) + 1

    def tell(done: int) -> None:
        if progress is not None:
            progress(done, total)

    for done, condition in enumerate(conditions):
        tell(done)
        keys = (*removed, condition.key)
        without = trial.ignoring(frozenset(keys))
        if held := without.admits(settings):
            found[condition.words] = Change({}, CHOICE, held, keys)
        trial.runs, trial.orders = trial.runs + without.runs, trial.orders + without.orders
    for done, (size, name, turned) in enumerate(tried, start=len(conditions)):
        tell(done)
        if name in found:
            continue
        if trial.tired:
            untried[name] = None
        elif held := _admits(trial, name, turned, front):
            found[name] = Change(_changed(settings, turned, name), size, held, removed)
    tell(total - 1)
    if not found and (both := _together(trial, settings)):
        turned, held = both
        found[NUMBER] = Change(_changed(settings, turned, NUMBER, BUDGET, ENDING), 1.0 + CHOICE, held, removed)
    tell(total)
    turns = {name for change in found.values() for name in change.settings}
    return tuple(sorted(found.values(), key=lambda one: one.size)), tuple(name for name in untried if name not in turns)


def _admits(trial: Trial, name: str, turned: Settings, front: Front) -> float:
    """The share held where it is enough, else 0; an order that brings nothing forward is not filled."""
    if name.partition(".")[0] in RANKING_STAGES and not nearer(trial.front(turned), front):
        return 0.0
    return trial.admits(turned)


def _together(trial: Trial, settings: Settings) -> tuple[Settings, float] | None:
    """The least budget that, filled, admits the place with all that can go on, with the least number enough for it."""
    rooms = budgets(settings.assembly.budget_tokens, LARGEST_BUDGET)[::4]
    for room in rooms[1:]:
        wide = settings.with_values({NUMBER: MOST_LEAVES, BUDGET: room, ENDING: 0})
        if trial.admits(wide):
            numbers = [int(number) for number in RUNGS[NUMBER] if number > settings.retrieval.k]
            every = (wide.with_value(NUMBER, number) for number in numbers)
            return next((one, held) for one in every if (held := trial.admits(one)))
    return None


def _changed(settings: Settings, turned: Settings, *names: str) -> Mapping[str, tuple[Any, Any]]:
    values = {name: (value_of(settings, name), value_of(turned, name)) for name in names}
    return {name: (before, after) for name, (before, after) in values.items() if before != after}
