"""What an HTML report holds within itself: figures as JSON, the colours of both themes, and what its scripts may do.

Also the questions of which least was read.
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

_NO_STYLE = ""  # Plotly makes an empty style element, and adds its rules from within


def drawn(figure: Callable[[Palette], plotly.graph_objects.Figure]) -> str:
    """The figure on a light and on a dark page, as JSON that can stand in an HTML element.

    >>> import plotly.graph_objects as plot
    >>> drawn(lambda palette: plot.Figure(layout={"title": {"text": "<b>"}}))[:56]
    '{"light": {"data": [], "layout": {"title": {"text": "\\\\u0'
    """
    from plotly.utils import PlotlyJSONEncoder

    both = {name: figure(palette).to_plotly_json() for name, palette in (("light", LIGHT), ("dark", DARK))}
    text = json.dumps(both, cls=PlotlyJSONEncoder)
    for sign in "<>&":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return text


def palette_style() -> str:
    """The palettes as variables of a style sheet."""
    pairs = zip(LIGHT.colours, DARK.colours, strict=True)
    return ":root{" + "".join(f"--c{n}:light-dark({light},{dark});" for n, (light, dark) in enumerate(pairs)) + "}"


def policy(scripts: Sequence[str], style: str) -> str:
    """The content security policy that lets in these scripts and this style, and nothing else.

    >>> policy([], "").startswith("default-src 'none'; script-src ; style-src 'sha256-47DEQ")
    True
    """
    return (
        f"default-src 'none'; script-src {' '.join(map(_hash, scripts))}; style-src {_hash(style)} {_hash(_NO_STYLE)}; "
        "base-uri 'none'; form-action 'none'"
    )


def _hash(text: str) -> str:
    """As a content security policy names a script or a style."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


_QUOTED, _AROUND = 420, 90  # characters of gold, and of what stands on either side of it
_SEARCHES = (("dense", "meaning"), ("lexical", "words"))


@dataclass(frozen=True, slots=True)
class Quote:
    """Gold with what stands around it. ``place``: where, in words. ``cut``: characters of gold that were left out."""

    place: str
    before: str = ""
    gold: str = ""
    after: str = ""
    cut: int = 0


def missed_most(report: BenchReport, metric: str, count: int) -> tuple[tuple[int, float], ...]:
    """Positions of questions and their mean of ``metric`` over all presets, the lowest first; none that is always 1."""
    means: list[tuple[float, int]] = []
    for row in range(len(report.questions)):
        scores = [item.scores[metric][row] for item in report.presets if metric in item.scores]
        known = [score for score in scores if score is not None]
        if known and sum(known) < len(known):
            means.append((sum(known) / len(known), row))
    return tuple((row, mean) for mean, row in sorted(means)[:count])


def quoted(span: GoldSpan, text: str | None) -> Quote:
    """A gold span in the text of its document; ``None``: the text is not at hand, and the place must do.

    >>> quoted(GoldSpan("a.md", 4, 8), "One two, three")
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


def fate_words(found: QuestionOutcome | None, budget: int) -> str:
    """Where most of what was missed was lost, and how high each search had it; "" where nothing was missed."""
    if found is None:
        return ""
    parts = {stage: size for stage, size in found.lost.get(budget, {}).items() if stage != READ and size}
    if not parts:
        return ""
    said = STAGE_WORDS[max(parts, key=lambda stage: parts[stage])]
    ranks = [f"{found.ranks[stage]:,} by {words}" for stage, words in _SEARCHES if stage in found.ranks]
    return f"{said}; best chunk with gold ranked {', '.join(ranks)}" if ranks else said
