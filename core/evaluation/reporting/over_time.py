"""What the log of questions and the runs of the bench tell over time: what changed, in sentences and in weeks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from statistics import median

import numpy as np

from core.evaluation.reporting.breakdown import headline_budget
from core.evaluation.reporting.report import BenchReport
from core.evaluation.statistics import SIGNIFICANT, unpaired_p_value
from core.storage.catalogue.question_log import LoggedQuestion

DAYS = 28  # held against as many before
LEAST = 20  # questions on either side before anything is said of a difference
DOUBTFUL = 0.6  # an answer less probable than that is one to look at
FELL = 0.1  # of recall, that a judged question lost


@dataclass(frozen=True, slots=True)
class Week:
    """The questions of the week that begins on ``monday``; those a model wrote the answer to are ``written``."""

    monday: date
    answered: int = 0
    doubtful: int = 0
    unanswered: int = 0
    written: int = 0


@dataclass(frozen=True, slots=True)
class Regression:
    """A judged question of which less gold is read since a document changed. Shares in 0..1."""

    question: str
    document: str
    before: float
    after: float


def standing(asked: LoggedQuestion) -> str:
    """The field of ``Week`` that a question counts in.

    >>> standing(LoggedQuestion("Who?", 80.0, 0.55, True, 0.4, ()))
    'doubtful'
    """
    if asked.quoted is None or asked.support is None:
        return "written"
    return "unanswered" if not asked.quoted else "doubtful" if asked.support < DOUBTFUL else "answered"


def weeks(log: Sequence[LoggedQuestion]) -> list[Week]:
    """Every week from the first question to the last, also those without one."""
    counts: dict[date, Counter[str]] = {}
    for asked in log:
        day = _day(asked)
        counts.setdefault(day - timedelta(day.weekday()), Counter())[standing(asked)] += 1
    if not counts:
        return []
    first, last = min(counts), max(counts)
    mondays = [first + timedelta(weeks=number) for number in range((last - first).days // 7 + 1)]
    return [Week(monday, **counts.get(monday, Counter())) for monday in mondays]


def alerts(log: Sequence[LoggedQuestion], today: date, collections: Mapping[str, Collection[str]]) -> list[str]:
    """What is worse than it was, in sentences; [] for nothing. ``collections``: name -> its documents' version ids.

    The latest ``DAYS`` days against as many before, where either has ``LEAST`` questions and the difference is not by
    chance (two-sided randomisation test, p at most 0.05).
    """
    now = [asked for asked in log if today - timedelta(DAYS) < _day(asked)]
    before = [asked for asked in log if today - timedelta(2 * DAYS) < _day(asked) <= today - timedelta(DAYS)]
    said = []
    quoted = [[asked for asked in part if asked.quoted is not None] for part in (before, now)]
    poor = [[float(standing(asked) != "answered") for asked in part] for part in quoted]
    if _worse(*poor):
        shares = [f"{np.mean(part):.0%} of {len(part):,} questions" for part in poor]
        said.append(f"More is unanswered or doubtful: {shares[1]}, {shares[0]} in the {DAYS} days before.")
    # A question that also loads a model is no slow one: the logarithm keeps a few of those from deciding.
    spent = [[float(np.log1p(asked.milliseconds)) for asked in part] for part in (before, now)]
    if _worse(*spent):
        times = [f"{median(asked.milliseconds for asked in part):,.0f} ms" for part in (before, now)]
        said.append(f"Answers take longer: {times[1]} at the median, {times[0]} in the {DAYS} days before.")
    for name, held in ((None, None), *collections.items()):
        near = [_distances(part, held) for part in (before, now)]
        if _worse(*near):
            values = [f"{-median(part):.2f}" for part in near]
            where = "" if name is None else f" about “{name}”"
            said.append(
                f"Questions{where} lie farther from the text: the nearest chunk is {values[1]} similar at the median, "
                f"{values[0]} in the {DAYS} days before."
            )
    return said


def to_look_at(log: Sequence[LoggedQuestion], count: int) -> list[LoggedQuestion]:
    """Unanswered and doubtful questions, the latest first, each as it was asked last; answered since, it is gone."""
    last = {asked.question: asked for asked in log}
    poor = [asked for asked in last.values() if standing(asked) in ("unanswered", "doubtful")]
    return sorted(poor, key=lambda asked: asked.at, reverse=True)[:count]


def read(log: Sequence[LoggedQuestion]) -> Counter[str]:
    """How many questions each document was read for, by version id."""
    return Counter(version for asked in log for version in asked.version_ids)


def regressions(before: BenchReport, after: BenchReport) -> list[Regression]:
    """Questions of which ``after`` reads ``FELL`` less gold than ``before``, whose document changed in between.

    Compared by the first preset with the same settings in both, at the smaller report's headline budget.
    """
    same = next(((old, new) for new in after.presets for old in before.presets if old.settings == new.settings), None)
    name = f"recall@{headline_budget(after)}"
    if same is None or not all(name in preset.scores for preset in same):
        return []
    held = [{document.name: document.version_id for document in report.documents} for report in (before, after)]
    known = {question.question: row for row, question in enumerate(before.questions)}
    found = []
    for row, question in enumerate(after.questions):
        now = same[1].scores[name][row]
        then = same[0].scores[name][known[question.question]] if question.question in known else None
        changed = [span.document for span in question.gold if held[0].get(span.document) != held[1].get(span.document)]
        if changed and now is not None and then is not None and now <= then - FELL:
            found.append(Regression(question.question, changed[0], then, now))
    return found


def _worse(before: Sequence[float], now: Sequence[float]) -> bool:
    enough = min(len(before), len(now)) >= LEAST
    return enough and float(np.mean(now)) > float(np.mean(before)) and unpaired_p_value(before, now) <= SIGNIFICANT


def _distances(log: Sequence[LoggedQuestion], held: Collection[str] | None) -> list[float]:
    """Similarities, negated, of the questions whose document read first is one of those (``None``: any)."""
    about = [asked for asked in log if held is None or (asked.version_ids and asked.version_ids[0] in held)]
    return [-asked.similarity for asked in about if asked.similarity is not None]


def _day(asked: LoggedQuestion) -> date:
    return datetime.fromisoformat(asked.at).astimezone().date()
