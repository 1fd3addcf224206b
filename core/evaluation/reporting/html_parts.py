"""Parts of the HTML report: figures as JSON, the palettes as CSS, its content security policy.

Also the questions with the lowest scores, and quotes of their gold.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.evaluation.records import QuestionOutcome
from core.evaluation.reporting.breakdown import STAGE_WORDS
from core.evaluation.reporting.charts import DARK, LIGHT, Palette
from core.evaluation.reporting.report import READ, BenchReport
from core.evaluation.suites import GoldSpan

if TYPE_CHECKING:
    import plotly.graph_objects

_NO_STYLE = ""  # Plotly inserts an empty style element and adds its rules by script


def figure_json(figure: Callable[[Palette], plotly.graph_objects.Figure]) -> str:
    """The figure in both palettes as JSON, escaped for an HTML script element.

    >>> import plotly.graph_objects as plot
    >>> figure_json(lambda palette: plot.Figure(layout={"title": {"text": "<b>"}}))[:56]
    '{"light": {"data": [], "layout": {"title": {"text": "\\\\u0'
    """
    from plotly.utils import PlotlyJSONEncoder

    both = {name: figure(palette).to_plotly_json() for name, palette in (("light", LIGHT), ("dark", DARK))}
    text = json.dumps(both, cls=PlotlyJSONEncoder)
    for sign in "<>&":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return text


def palette_style() -> str:
    """The palettes' colours as CSS variables."""
    pairs = zip(LIGHT.colours, DARK.colours, strict=True)
    return ":root{" + "".join(f"--c{n}:light-dark({light},{dark});" for n, (light, dark) in enumerate(pairs)) + "}"


def policy(scripts: Sequence[str], style: str) -> str:
    """The content security policy that allows these scripts and this style, and nothing else.

    >>> policy([], "").startswith("default-src 'none'; script-src ; style-src 'sha256-47DEQ")
    True
    """
    return (
        f"default-src 'none'; script-src {' '.join(map(_hash, scripts))}; style-src {_hash(style)} {_hash(_NO_STYLE)}; "
        "base-uri 'none'; form-action 'none'"
    )


def _hash(text: str) -> str:
    """The source expression of a script or style in a content security policy."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


_QUOTED, _AROUND = 420, 90  # characters of gold, and of text on either side of it
_SEARCHES = (("dense", "meaning"), ("lexical", "words"))


@dataclass(frozen=True, slots=True)
class Quote:
    """Gold with the text around it. ``place``: its position in words. ``cut``: characters left out at its end."""

    place: str
    before: str = ""
    gold: str = ""
    after: str = ""
    cut: int = 0


def worst_questions(report: BenchReport, metric: str, count: int) -> tuple[tuple[int, float], ...]:
    """(position, mean ``metric`` over all presets) of the ``count`` worst questions, the lowest first.

    Questions on which every preset scores 1 are left out.
    """
    means: list[tuple[float, int]] = []
    for row in range(len(report.questions)):
        scores = [item.scores[metric][row] for item in report.presets if metric in item.scores]
        values = [score for score in scores if score is not None]
        if values and sum(values) < len(values):
            means.append((sum(values) / len(values), row))
    return tuple((row, mean) for mean, row in sorted(means)[:count])


def gold_quote(span: GoldSpan, text: str | None) -> Quote:
    """A gold span quoted from its document's text; only its place where the text is ``None``.

    >>> gold_quote(GoldSpan("a.md", 4, 8), "One two, three")
    Quote(place='a.md, characters 4 to 8', before='One ', gold='two,', after=' three', cut=0)
    """
    place = f"{span.document}, characters {span.start:,} to {span.end:,}"
    if text is None:
        return Quote(place)
    end = min(span.end, span.start + _QUOTED)
    cut = span.end - end
    first, last = max(0, span.start - _AROUND), end + _AROUND
    before = ("…" if first else "") + text[first : span.start]
    after = "" if cut else text[end:last] + ("…" if last < len(text) else "")
    return Quote(place, before, text[span.start : end], after, cut)


def fate_words(outcome: QuestionOutcome | None, budget: int) -> str:
    """The stage that lost most of the gold, and the rank of the gold in each search; "" where nothing was lost."""
    if outcome is None:
        return ""
    parts = {stage: size for stage, size in outcome.lost.get(budget, {}).items() if stage != READ and size}
    if not parts:
        return ""
    stage_words = STAGE_WORDS[max(parts, key=lambda stage: parts[stage])]
    ranks = [f"{outcome.ranks[stage]:,} by {words}" for stage, words in _SEARCHES if stage in outcome.ranks]
    return f"{stage_words}; best chunk with gold ranked {', '.join(ranks)}" if ranks else stage_words
