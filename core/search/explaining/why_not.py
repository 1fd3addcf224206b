"""Why a place is not in the context: its fate at every stage, and the smallest single change that admits it.

Every reported change was tried: all stages ran with it, and the place was in the context. Settings with equal search
scores share a search; every trial ranks and fills the context again.
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
)
from core.search.explaining.trials import ADMITTED, Fate, Front, Trial, moves_forward
from core.search.question.analysis import Key
from core.search.question.query import Query
from core.search.searcher import Searcher
from core.settings import Settings
from core.storage.catalogue.filing.conditions import Condition
from core.storage.catalogue.filing.names import ALL_DOCUMENTS
from core.text.values.numerals import ordinal
from core.types import Span

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Change:
    """A change after which the context contains the place.

    ``settings``: by name, the values before and after. ``size``: how large the change is, as a share of the setting's
    range. ``held``: the share of the place's characters that the context then contains. ``remove``: keys of the
    question's conditions to ignore, as in ``Query.ignored``.
    """

    settings: Mapping[str, tuple[Any, Any]]
    size: float
    held: float
    remove: tuple[Key, ...] = ()


@dataclass(frozen=True, slots=True)
class WhyNot:
    """The explanation for one place.

    ``held``: the share of the place that the context contains. ``stages``: those of the ranking. ``fates``: of its
    leaves, best ranked first. ``changes``: the smallest for each setting, smallest first; () if the place is in the
    context or no change admits it. ``sentence``: the explanation in words. ``tried``: number of contexts filled.

    ``excluded``: conditions of the question because of which no chunk of the place was searched. Then there are no
    fates, and every change removes them; the place may still be read with a chunk that was found. ``untried``: settings
    without a change of which not every step was tried, because the limit of trials was reached.
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
        """Whether the context contains the place without a change."""
        return self.held >= ADMITTED


def why_not(
    searcher: Searcher,
    query: Query,
    settings: Settings,
    version_id: str,
    place: Span,
    progress: Progress | None = None,
) -> WhyNot:
    """The fate of ``place`` in a document under ``settings``, and the changes that would admit it.

    ``progress(done, total)`` counts the steps tried; it may raise to stop.
    """
    trial = Trial(searcher, query, version_id, place)
    if not len(trial.searched(settings)):
        return _not_searched(trial, settings, progress)
    ranking, context, assembled = trial.fill(settings)
    stages, fates, share = tuple(ranking.scores), trial.fates(ranking, assembled), trial.covered_share(context)
    if share >= ADMITTED:
        return WhyNot(share, stages, fates, (), f"It is in the context: {share:.0%} of it is read.", trial.runs)
    changes, untried = _smallest_changes(trial, settings, progress)
    unread = next((fate for fate in fates if fate.said != "kept"), fates[0])
    part = f"Only {share:.0%} of it is read. " if share else ""
    sentence = f"{part}{explanation(unread)} {remedy(changes)}"
    return WhyNot(share, stages, fates, changes, sentence, trial.runs, untried=untried)


def _not_searched(trial: Trial, settings: Settings, progress: Progress | None) -> WhyNot:
    """The explanation for a place of which no chunk was searched."""
    library, scope = trial.scope_leaves(ALL_DOCUMENTS), trial.scope_leaves(trial.query.scope)
    if not len(trial.leaves_in(scope)):
        sentence = _NO_CHUNK
        if not trial.has_document(library):
            sentence = "Its document is not in the library any more, or no chunk of it is searched."
        elif not trial.has_document(scope):
            sentence = "Its document is not among those that were asked."
        return WhyNot(0.0, (), (), (), sentence, 0)
    excluded = _blocking_conditions(trial, settings)
    share = trial.share_read(settings)
    if share >= ADMITTED:
        sentence = f"It is in the context: {share:.0%} of it is read, around a chunk that the question asks for."
        return WhyNot(share, (), (), (), sentence, trial.runs, excluded)
    removed = tuple(condition.key for condition in excluded)
    without = trial.ignoring(frozenset(removed))
    changes: tuple[Change, ...]
    untried: tuple[str, ...]
    if share_without := without.admitted_share(settings):
        changes, untried = (Change({}, CHOICE, share_without, removed),), ()
    else:
        changes, untried = _smallest_changes(without, settings, progress, removed)
    part = f"Only {share:.0%} of it is read. " if share else ""
    sentence = f"{part}{_excluded_sentence(excluded)} {remedy(changes)}"
    return WhyNot(share, (), (), changes, sentence, trial.runs + without.runs, excluded, untried)


def _excluded_sentence(excluded: Sequence[Condition]) -> str:
    """A sentence on the conditions that exclude a place.

    >>> _excluded_sentence([Condition("type", "pdf", 0, 8, "type: PDF")])
    'It was not searched: the question asks for “type: PDF”, which it does not fit.'
    >>> _excluded_sentence([Condition("not", "draft", 0, 6, "not: draft")])
    'The question leaves it out: its chunk holds “draft”.'
    """
    required = [one.words if "“" in one.words else f"“{one.words}”" for one in excluded if one.kind != "not"]
    forbidden = [f"“{one.value}”" for one in excluded if one.kind == "not"]
    sentences = []
    if required:
        unmet = " and ".join(required)
        sentences.append(f"It was not searched: the question asks for {unmet}, which it does not fit.")
    if forbidden or not required:
        sentences.append(f"The question leaves it out: its chunk holds {' and '.join(forbidden)}.")
    return " ".join(sentences)


_NO_CHUNK = "No chunk holds this text: it is switched off, front matter, a running header or blank."


def _blocking_conditions(trial: Trial, settings: Settings) -> tuple[Condition, ...]:
    """A minimal set of conditions without which the place is searched: greedily, one after another is tried to keep."""
    conditions = trial.understood(settings).conditions
    blocking = list(conditions)
    for condition in conditions:
        fewer = [other for other in blocking if other != condition]
        if fewer and len(trial.ignoring(frozenset(other.key for other in fewer)).searched(settings)):
            blocking = fewer
    return tuple(blocking)


_SEARCHES = {"dense": "by meaning", "lexical": "by words"}
_STAGES = {"diverse": "after spreading", "reranked": "after re-ranking"}
_RANKED = re.compile(r"\Aranked [\d,]+: ")


def explanation(fate: Fate) -> str:
    """A leaf's ranks and fate, as a sentence.

    >>> explanation(Fate(0, 9, {"dense": 34, "lexical": 2, "fused": 9}, {}, "the budget of 900 tokens ended before it"))
    'It was found 34th by meaning and 2nd by words; together it was 9th: the budget of 900 tokens ended before it.'
    """
    found = [f"{ordinal(fate.ranks[stage])} {words}" for stage, words in _SEARCHES.items() if stage in fate.ranks]
    final = [f"{_STAGES.get(stage, 'together')} it was {ordinal(rank)}" for stage, rank in fate.ranks.items()][-1:]
    parts = [f"It was found {' and '.join(found)}" if found else "No search found it", *final]
    return f"{'; '.join(parts)}: {_RANKED.sub('', fate.said)}."


def remedy(changes: Sequence[Change]) -> str:
    """The smallest change, as a sentence.

    >>> remedy([Change({"assembly.budget_tokens": (1000, 1600)}, 0.1, 1.0)])
    'It would be in with assembly.budget_tokens at 1,600 instead of 1,000.'
    >>> remedy([Change({}, 0.5, 1.0, (("type", "pdf"),))])
    'It would be in without “type: pdf” in the question.'
    """
    if not changes:
        return "No change that was tried admits it: of one dial, or of number and budget together."
    values = [f"{name} at {_value(new)} instead of {_value(old)}" for name, (old, new) in changes[0].settings.items()]
    removed = " and ".join(f"“{kind}: {value}”" for kind, value in changes[0].remove)
    parts = [f"without {removed} in the question"] if removed else []
    parts += [f"with {' and '.join(values)}"] if values else []
    return f"It would be in {' and '.join(parts)}."


def _value(value: Any) -> str:
    """
    >>> [_value(value) for value in (True, 1600, 0.5, "", "flat")]
    ['on', '1,600', '0.5', 'off', 'flat']
    """
    if isinstance(value, bool):
        return "on" if value else "off"
    return f"{value:,}" if isinstance(value, int) else f"{value:g}" if isinstance(value, float) else str(value) or "off"


def _smallest_changes(
    trial: Trial, settings: Settings, progress: Progress | None, removed: tuple[Key, ...] = ()
) -> tuple[tuple[Change, ...], tuple[str, ...]]:
    """The smallest change of each setting that admits the place, smallest first, and the settings not tried completely.

    Steps of all settings are tried in order of size, so that those left out at the limit of trials are large. If no
    setting alone is enough, ``retrieval.k`` and the budget are raised together, with the whole budget filled.
    ``removed``: conditions that the trial already ignores.
    """
    conditions, front = trial.understood(settings).conditions, trial.front(settings)
    candidates = sorted(steps(settings, trial.genre(settings)), key=lambda step: step[0])
    found: dict[str, Change] = {}
    untried: dict[str, None] = {}
    total = len(conditions) + len(candidates) + 1

    def report(done: int) -> None:
        if progress is not None:
            progress(done, total)

    for done, condition in enumerate(conditions):
        report(done)
        keys = (*removed, condition.key)
        without = trial.ignoring(frozenset(keys))
        if share := without.admitted_share(settings):
            found[condition.words] = Change({}, CHOICE, share, keys)
        trial.runs, trial.orders = trial.runs + without.runs, trial.orders + without.orders
    for done, (size, name, changed) in enumerate(candidates, start=len(conditions)):
        report(done)
        if name in found:
            continue
        if trial.exhausted:
            untried[name] = None
        elif share := _admitted_share(trial, name, changed, front):
            found[name] = Change(_changed_values(settings, changed, name), size, share, removed)
    report(total - 1)
    if not found and (both := _number_and_budget(trial, settings)):
        changed, share = both
        found[NUMBER] = Change(_changed_values(settings, changed, NUMBER, BUDGET, ENDING), 1.0 + CHOICE, share, removed)
    report(total)
    changed_names = {name for change in found.values() for name in change.settings}
    changes = tuple(sorted(found.values(), key=lambda change: change.size))
    return changes, tuple(name for name in untried if name not in changed_names)


def _admitted_share(trial: Trial, name: str, changed: Settings, front: Front) -> float:
    """``Trial.admitted_share``, but 0 without filling a context if a new ranking brings nothing forward."""
    if name.partition(".")[0] in RANKING_STAGES and not moves_forward(trial.front(changed), front):
        return 0.0
    return trial.admitted_share(changed)


def _number_and_budget(trial: Trial, settings: Settings) -> tuple[Settings, float] | None:
    """The smallest filled budget that admits the place with the largest ``retrieval.k``, and then the smallest
    ``retrieval.k`` that suffices: the settings and the share; ``None`` if no budget does.
    """
    for budget in budgets(settings.assembly.budget_tokens, LARGEST_BUDGET)[4::4]:
        widest = settings.with_values({NUMBER: MOST_LEAVES, BUDGET: budget, ENDING: 0})
        if trial.admitted_share(widest):
            numbers = [int(number) for number in RUNGS[NUMBER] if number > settings.retrieval.k]
            narrower = (widest.with_value(NUMBER, number) for number in numbers)
            return next((changed, share) for changed in narrower if (share := trial.admitted_share(changed)))
    return None


def _changed_values(settings: Settings, changed: Settings, *names: str) -> Mapping[str, tuple[Any, Any]]:
    """By name, the values before and after, of those settings that differ."""
    values = {name: (settings.value(name), changed.value(name)) for name in names}
    return {name: (before, after) for name, (before, after) in values.items() if before != after}
