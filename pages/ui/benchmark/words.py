"""What the bench measures, in words: verdicts, and what became of a question's gold."""

from __future__ import annotations

from collections.abc import Mapping

from core.evaluation.statistics import Comparison

MARKS = {"better": "▲", "worse": "▼", "no difference seen": "="}


def compared(found: Comparison) -> str:
    """What a comparison says, in words.

    >>> compared(Comparison(4.1, 1.2, 7.0, "better", 90, 0.001, 0.003))
    'better by 4.1 points (1.2 to 7.0), p = 0.003'
    >>> compared(Comparison(-4.1, -7.0, -1.2, "worse", 90, 0.0001, 0.0001))
    'worse by 4.1 points (1.2 to 7.0), p < 0.001'
    >>> compared(Comparison(0.04, -1.2, 1.0, "no difference seen", 90, 0.4, 0.4))
    'no difference seen (between −1.2 and 1.0 points), p = 0.400'
    """
    sure = "p < 0.001" if found.adjusted < 0.001 else f"p = {found.adjusted:.3f}"
    if found.verdict == "worse":
        return f"worse by {-found.difference:.1f} points ({_points(-found.high)} to {_points(-found.low)}), {sure}"
    if found.verdict == "better":
        return f"better by {found.difference:.1f} points ({_points(found.low)} to {_points(found.high)}), {sure}"
    return f"no difference seen (between {_points(found.low)} and {_points(found.high)} points), {sure}"


def _points(value: float) -> str:
    return f"{round(value, 1) + 0.0:.1f}".replace("-", "−")


def gold_story(lost: Mapping[str, int], budget: int) -> str:
    """What became of a question's gold at one budget, in a sentence. ``lost``: characters, "read" among them.

    >>> gold_story({"budget": 80}, 1000), gold_story({"read": 80}, 4000)
    ('The budget of 1,000 characters ended before it.', 'All of it was read.')
    >>> gold_story({"search": 30, "budget": 10}, 4000)
    'None of it was read: no search had 75 % among its first chunks; the budget of 4,000 characters ended before 25 %.'
    >>> gold_story({"read": 250, "budget": 250, "cutting": 1}, 4000)
    '50 % of it was read; the budget of 4,000 characters ended before the rest.'
    """
    total, read = sum(lost.values()), lost.get("read", 0)
    if not total:
        return "The documents do not answer this question: there is no gold to find."
    if read == total:
        return "All of it was read."
    gone = sorted(((count, stage) for stage, count in lost.items() if stage != "read"), reverse=True)
    gone = [item for item in gone if 200 * item[0] >= total] or gone[:1]  # less than half a percent is a blank or two
    if len(gone) == 1:
        reason = _reason(gone[0][1], "the rest" if read else "it", budget)
        return f"{_share(read, total)} of it was read; {reason}." if read else f"{reason[0].upper()}{reason[1:]}."
    reasons = "; ".join(_reason(stage, _share(count, total), budget) for count, stage in gone)
    return f"{_share(read, total) if read else 'None'} of it was read: {reasons}."


def _share(part: int, total: int) -> str:
    return f"{100 * part / total:.0f} %"


def _reason(stage: str, what: str, budget: int) -> str:
    return {
        "budget": f"the budget of {budget:,} characters ended before {what}",
        "threshold": f"{what} fell below the least similarity asked for",
        "ranking": f"the fused ranking left out {what}, which one search had among its first chunks",
        "search": f"no search had {what} among its first chunks",
        "condition": f"{what} was left out by a condition that the question itself states",
        "cutting": f"no chunk holds {what}",
        "reading": f"{what} lies in a document that could not be read",
    }.get(stage, f"{what} was lost: {stage}")
