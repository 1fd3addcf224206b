"""Changes over time, from the log of questions and the runs of the bench: by week, and as alerts in sentences."""

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

DAYS = 28  # length of the latest period, which is compared with the one before
LEAST = 20  # questions that each period needs for a comparison
DOUBTFUL = 0.6  # probability of support below which an answer is doubtful
FELL = 0.1  # loss of recall from which on a question is a regression


@dataclass(frozen=True, slots=True)
class Week:
    """Numbers of questions in the week that begins on ``monday``. ``written``: answered by a language model."""

    monday: date
    answered: int = 0
    doubtful: int = 0
    unanswered: int = 0
    written: int = 0


@dataclass(frozen=True, slots=True)
class Regression:
    """A judged question whose recall fell after its document changed. ``before`` and ``after``: recall in [0, 1]."""

    question: str
    document: str
    before: float
    after: float


def standing(entry: LoggedQuestion) -> str:
    """The field of ``Week`` that counts a question.

    >>> standing(LoggedQuestion("Who?", 80.0, 0.55, True, 0.4, ()))
    'doubtful'
    """
    if entry.quoted is None or entry.support is None:
        return "written"
    return "unanswered" if not entry.quoted else "doubtful" if entry.support < DOUBTFUL else "answered"


def weeks(log: Sequence[LoggedQuestion]) -> list[Week]:
    """Every week from the first question to the last, including weeks without one."""
    counts: dict[date, Counter[str]] = {}
    for entry in log:
        day = _day(entry)
        counts.setdefault(day - timedelta(day.weekday()), Counter())[standing(entry)] += 1
    if not counts:
        return []
    first, last = min(counts), max(counts)
    mondays = [first + timedelta(weeks=number) for number in range((last - first).days // 7 + 1)]
    return [Week(monday, **counts.get(monday, Counter())) for monday in mondays]


def alerts(log: Sequence[LoggedQuestion], today: date, collections: Mapping[str, Collection[str]]) -> list[str]:
    """Sentences about what has become worse; [] for nothing. ``collections``: name -> its documents' version ids.

    The latest ``DAYS`` days are compared with as many before, where both periods have ``LEAST`` questions. A difference
    counts when it is significant (two-sided randomisation test, p at most 0.05).
    """
    now = [entry for entry in log if today - timedelta(DAYS) < _day(entry)]
    before = [entry for entry in log if today - timedelta(2 * DAYS) < _day(entry) <= today - timedelta(DAYS)]
    periods = (before, now)
    sentences = []
    quoted = [[entry for entry in period if entry.quoted is not None] for period in periods]
    poor = [[float(standing(entry) != "answered") for entry in period] for period in quoted]
    if _is_worse(*poor):
        shares = [f"{np.mean(values):.0%} of {len(values):,} questions" for values in poor]
        sentences.append(f"More is unanswered or doubtful: {shares[1]}, {shares[0]} in the {DAYS} days before.")
    # Logarithms, so that a few questions that also load a model do not decide.
    log_times = [[float(np.log1p(entry.milliseconds)) for entry in period] for period in periods]
    if _is_worse(*log_times):
        times = [f"{median(entry.milliseconds for entry in period):,.0f} ms" for period in periods]
        sentences.append(f"Answers take longer: {times[1]} at the median, {times[0]} in the {DAYS} days before.")
    for name, version_ids in ((None, None), *collections.items()):
        distances = [_distances(period, version_ids) for period in periods]
        if _is_worse(*distances):
            similarities = [f"{-median(values):.2f}" for values in distances]
            where = "" if name is None else f" about “{name}”"
            sentences.append(
                f"Questions{where} lie farther from the text: the nearest chunk is {similarities[1]} similar at the "
                f"median, {similarities[0]} in the {DAYS} days before."
            )
    return sentences


def to_look_at(log: Sequence[LoggedQuestion], count: int) -> list[LoggedQuestion]:
    """The ``count`` latest questions that were unanswered or doubtful when they were last asked, the latest first."""
    last = {entry.question: entry for entry in log}
    poor = [entry for entry in last.values() if standing(entry) in ("unanswered", "doubtful")]
    return sorted(poor, key=lambda entry: entry.at, reverse=True)[:count]


def read(log: Sequence[LoggedQuestion]) -> Counter[str]:
    """Version id -> number of questions whose context had the document."""
    return Counter(version for entry in log for version in entry.version_ids)


def regressions(before: BenchReport, after: BenchReport) -> list[Regression]:
    """Questions whose recall is at least ``FELL`` lower in ``after`` than in ``before``, and whose document changed.

    Compares the first preset with the same settings in both reports, at the headline budget of ``after``.
    """
    pair = next(((old, new) for new in after.presets for old in before.presets if old.settings == new.settings), None)
    metric = f"recall@{headline_budget(after)}"
    if pair is None or not all(metric in preset.scores for preset in pair):
        return []
    old_scores, new_scores = (preset.scores[metric] for preset in pair)
    old_versions, new_versions = (
        {document.name: document.version_id for document in report.documents} for report in (before, after)
    )
    old_rows = {question.question: row for row, question in enumerate(before.questions)}
    result = []
    for row, question in enumerate(after.questions):
        new = new_scores[row]
        old = old_scores[old_rows[question.question]] if question.question in old_rows else None
        names = [span.document for span in question.gold]
        changed = [name for name in names if old_versions.get(name) != new_versions.get(name)]
        if changed and new is not None and old is not None and new <= old - FELL:
            result.append(Regression(question.question, changed[0], old, new))
    return result


def _is_worse(before: Sequence[float], now: Sequence[float]) -> bool:
    """Whether the mean of ``now`` is significantly larger, which for all these figures is worse."""
    is_enough = min(len(before), len(now)) >= LEAST
    return is_enough and float(np.mean(now)) > float(np.mean(before)) and unpaired_p_value(before, now) <= SIGNIFICANT


def _distances(log: Sequence[LoggedQuestion], version_ids: Collection[str] | None) -> list[float]:
    """Negated similarities of the questions whose first document is one of ``version_ids`` (``None``: any)."""
    selected = [
        entry for entry in log if version_ids is None or (entry.version_ids and entry.version_ids[0] in version_ids)
    ]
    return [-entry.similarity for entry in selected if entry.similarity is not None]


def _day(entry: LoggedQuestion) -> date:
    return datetime.fromisoformat(entry.at).astimezone().date()
