"""Why a place is not in the context: its fate at every stage, and the smallest single change that admits it.

Nothing is guessed: a change is told only after the whole way was run with it and the place came out in the context.
The searches run once for all settings that search alike; every trial orders and fills again from what they found.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import log2
from typing import Any

from core.dial_steps import LARGEST_BUDGET, MOST_LEAVES, RANKING_STAGES, WIDEST, budgets, dial_steps, value_of
from core.retrieval.analysis import Key
from core.searching import Searcher
from core.settings import Settings
from core.storage.conditions import Condition
from core.storage.scopes import Scope
from core.text.ordinals import ordinal
from core.trials import ADMITTED, Fate, Keys, Trial, nearer
from core.types import Span

BUDGET = "assembly.budget_tokens"
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
    ``tried``: how many contexts were filled. ``barred``: conditions of the question that keep the whole place out;
    then there are no fates, and every change removes them.
    """

    held: float
    stages: tuple[str, ...]
    fates: tuple[Fate, ...]
    changes: tuple[Change, ...]
    sentence: str
    tried: int
    barred: tuple[Condition, ...] = ()

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

    ``progress(done, total)`` gets the dials tried; it may raise to stop. ``ignored``: as in ``Searcher.find``.
    """
    trial = Trial(searcher, question, version_id, place, scope, ignored)
    if not len(trial.searched(settings)):
        return _outside(trial, settings, progress)
    ranking, context, fates = trial.filled(settings)
    stages, told, held = tuple(ranking.scores), trial.fates(ranking, fates), trial.held(context)
    if held >= ADMITTED:
        return WhyNot(held, stages, told, (), f"It is in the context: {held:.0%} of it is read.", trial.runs)
    changes = _changes(trial, settings, progress)
    unread = next((fate for fate in told if fate.said != "kept"), told[0])
    part = f"Only {held:.0%} of it is read. " if held else ""
    return WhyNot(held, stages, told, changes, f"{part}{way(unread)} {remedy(changes)}", trial.runs)


def _outside(trial: Trial, settings: Settings, progress: Progress | None) -> WhyNot:
    """Of a place that was not searched at all: which leaves out what it stands in."""
    library, asked = trial.whole(None), trial.whole(trial.scope)
    if not len(trial.leaves_in(asked)):
        sentence = _UNCUT
        if not trial.stands_in(library):
            sentence = "Its document is not in the library any more, or no chunk of it is searched."
        elif not trial.stands_in(asked):
            sentence = "Its document is not among those that were asked."
        return WhyNot(0.0, (), (), (), sentence, 0)
    barred = _barring(trial, settings)
    removed = tuple(one.key for one in barred)
    without = trial.ignoring(frozenset(removed))
    held = without.admits(settings)
    changes = (Change({}, _REMOVAL, held, removed),) if held else _changes(without, settings, progress, removed)
    said = " and ".join(f"“{one.words}”" for one in barred)
    sentence = f"It was not searched: the question asks for {said}, which it does not fit. {remedy(changes)}"
    return WhyNot(0.0, (), (), changes, sentence, without.runs, barred)


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


def _changes(
    trial: Trial, settings: Settings, progress: Progress | None, removed: tuple[Key, ...] = ()
) -> tuple[Change, ...]:
    """The smallest change of each dial that admits the place, smallest first; failing all, number and budget.

    ``removed``: what the trial leaves out of the question already.
    """
    understood = trial.understood(settings)
    dials = list(dial_steps(settings, understood, trial.all_kept(settings)))
    conditions, front = understood.conditions, trial.front(settings)
    total = len(dials) + len(conditions) + 1
    changes: list[Change] = []

    def tell(done: int) -> None:
        if progress is not None:
            progress(done, total)

    for done, (name, steps) in enumerate(dials):
        tell(done)
        ranks = name.partition(".")[0] in RANKING_STAGES
        for size, turned in steps:
            if ranks and not nearer(trial.front(turned), front):
                continue
            if held := trial.admits(turned):
                changes.append(Change({name: (value_of(settings, name), value_of(turned, name))}, size, held, removed))
                break
    for done, condition in enumerate(conditions, start=len(dials)):
        tell(done)
        without = trial.ignoring(frozenset((condition.key, *removed)))
        if held := without.admits(settings):
            changes.append(Change({}, _REMOVAL, held, (*removed, condition.key)))
        trial.runs += without.runs
    tell(total - 1)
    changes.extend(_with_budget(trial, settings, {}, WIDEST))
    if not changes:
        changes.extend(_with_budget(trial, settings, {"retrieval.k": MOST_LEAVES}, LARGEST_BUDGET))
    tell(total)
    return tuple(sorted((replace(one, remove=one.remove or removed) for one in changes), key=lambda one: one.size))


def _with_budget(trial: Trial, settings: Settings, beside: Mapping[str, Any], widest: int) -> Iterator[Change]:
    """The least budget that admits the place, with other dials turned to the values ``beside``.

    More room nearly always holds more, so budgets are doubled until one is enough, and halved in between.
    """
    before = settings.assembly.budget_tokens
    held: dict[int, float] = {}

    def enough(tokens: int) -> bool:
        if tokens not in held:
            held[tokens] = trial.admits(settings.with_values({**beside, BUDGET: tokens}))
        return held[tokens] > 0

    rising = budgets(before, widest)
    coarse = [*rising[7::8], *rising[-1:]]
    upper = next((tokens for tokens in coarse if enough(tokens)), None)
    if upper is None:
        return
    between = [tokens for tokens in rising if max((low for low in coarse if low < upper), default=0) < tokens <= upper]
    least = between[bisect_left(between, True, key=enough)]
    size = log2(least / before) / log2(WIDEST) + len(beside)
    changed = {name: (value_of(settings, name), value) for name, value in beside.items()}
    yield Change({**changed, BUDGET: (before, least)}, size, held[least])
