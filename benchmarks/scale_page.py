"""Writes docs/scale.md and its picture from the figures of ``scale.py``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from statistics import median
from textwrap import fill
from typing import Any

WAYS = {"exact": "all vectors compared", "chroma": "Chroma asked"}
MEASURED = (
    *("encode", "words", "question", "95 %", "cpu", "memory"),
    *("open", "first", "remove", "after", "put", "leaf", "verify"),
)
FOLLOWS = (
    "`retrieval.exact_below` follows from this page: at 100,000 leaves comparing takes no more of the processor, and "
    "misses no leaf; it stands a little below, for it reads every vector before the first question, and keeps them. "
    "The first question after a change costs the same either way: it reads which leaves there are, and of leaves, "
    "their words and vectors those that came in. Chroma keeps an index of its own in memory: at these sizes it is not "
    "less."
)
HEAD = """# What a library costs as it grows

Made by `python -m benchmarks.scale --leaves {leaves} --ways exact,chroma --work DIR --json FILE`
with `--page docs/scale.md`; `benchmarks/scale_library.py` says what the libraries are made of. Milliseconds are medians
of {questions} new questions at default settings: to encode a question and to search its words by themselves, then the
whole question, its slowest twentieth, and the processor's time of it, which other programs lengthen least. A question
is seven words of one of the documents, all of them made up: each is looked up as a slip of spelling may be, which few
words of a person's question are, and read in several pieces. Memory is what opening and asking added to a process that
has the model loaded. In seconds: opening; the first question, which reads the table of leaves; a document of twenty
leaves taken out; the question after that; one put in; `verify`. Under "leaf" stand the milliseconds of the processor
that a leaf takes to be put into catalogue, word index and Chroma, 2,000 of them as an ingest does it.

{said}

![What a question costs by the number of leaves](scale.png)

{table}
"""


def write_page(page: Path, figures: Sequence[dict[str, Any]], questions: int, note: str = "") -> None:
    """Write the page, with a ``note`` on the machine, and ``scale.png`` beside it. Needs Playwright's Chromium, as the
    tests of the pages do.
    """
    made = {
        "leaves": ",".join(str(size) for size in dict.fromkeys(one["leaves"] for one in figures)),
        "questions": questions,
        "said": fill(" ".join(filter(None, (ratios(figures), growth(figures), note, FOLLOWS))), 120),
        "table": _table(figures),
    }
    page.write_text(HEAD.format(**made), encoding="utf-8")
    draw(figures, page.with_suffix(".png"))


def ratios(figures: Sequence[dict[str, Any]]) -> str:
    """The CPU time of a question with Chroma relative to exact search, by size, as a sentence.

    >>> figures = [{"chunks": n, "way": w, "question": {"cpu": c}} for n, w, c in
    ...            [(10, "exact", 1.0), (10, "chroma", 2.0), (9900, "exact", 5.0), (9900, "chroma", 2.5)]]
    >>> ratios(figures)
    "With Chroma asked a question takes of the processor's time of comparing all vectors: 2.00 at 10, 0.50 at 9,900."
    """
    worked = {(one["chunks"], one["way"]): one["question"]["cpu"] for one in figures}
    sizes = sorted(size for size, way in worked if way == "exact" and (size, "chroma") in worked)
    said = (f"{worked[size, 'chroma'] / worked[size, 'exact']:.2f} at {size:,}" for size in sizes)
    return f"With Chroma asked a question takes of the processor's time of comparing all vectors: {', '.join(said)}."


def growth(figures: Sequence[dict[str, Any]]) -> str:
    """The CPU time of adding a leaf to the largest library relative to smaller ones, as a sentence.

    >>> growth([{"chunks": 10, "leaf_cpu_ms": 1.0}, {"chunks": 990, "leaf_cpu_ms": 1.5}])
    "To put in, a leaf takes a library of 990 leaves 1.50 times the processor's time of one of 10."
    """
    taken: dict[int, list[float]] = {}
    for one in figures:
        taken.setdefault(one["chunks"], []).append(one["leaf_cpu_ms"])
    *smaller, largest = sorted(taken)
    said = (
        f"{median(taken[largest]) / median(taken[size]):.2f} times the processor's time of one of {size:,}"
        for size in smaller
    )
    return f"To put in, a leaf takes a library of {largest:,} leaves {', '.join(said)}."


def _table(figures: Sequence[dict[str, Any]]) -> str:
    columns = ("leaves", "search", *MEASURED)
    rows = [columns, ("---",) * len(columns), *map(_row, figures)]
    return "\n".join(f"| {' | '.join(map(str, row))} |" for row in rows)


def _row(one: dict[str, Any]) -> tuple[str, ...]:
    return (
        f"{one['chunks']:,}",
        WAYS.get(one["way"], one["way"]),
        *(f"{one[what]['p50']:.0f}" for what in ("encode", "lexical", "question")),
        f"{one['question']['p95']:.0f}",
        f"{one['question']['cpu']:.0f}",
        f"{one['resident_mb']:.0f} MB",
        *(f"{one[what]:.2f}" for what in ("open_s", "first_question_s", "remove_s", "after_s", "put_s", "leaf_cpu_ms")),
        f"{one['verify_s']:.0f}",
    )


def draw(figures: Sequence[dict[str, Any]], target: Path) -> None:
    """Draw the CPU time of a question by the number of leaves, a line for each way of searching, as a PNG."""
    import plotly.graph_objects as go
    from playwright.sync_api import sync_playwright

    from core.evaluation.reporting.charts import DASHES, LIGHT, SYMBOLS

    figure = go.Figure()
    for place, way in enumerate(dict.fromkeys(one["way"] for one in figures)):
        mine = [one for one in figures if one["way"] == way]
        figure.add_scatter(
            x=[one["chunks"] for one in mine],
            y=[one["question"]["cpu"] for one in mine],
            name=WAYS.get(way, way),
            mode="lines+markers",
            line={"color": LIGHT.colours[place], "dash": DASHES[place]},
            marker={"symbol": SYMBOLS[place], "size": 10},
        )
    figure.add_scatter(
        x=[one["chunks"] for one in mine],
        y=[one["encode"]["cpu"] + one["lexical"]["cpu"] for one in mine],
        name="encoding and the search by words alone",
        mode="lines",
        line={"color": LIGHT.ink, "dash": "dot"},
    )
    figure.update_layout(
        template="plotly_white",
        width=860,
        height=460,
        legend={"orientation": "h", "y": 1.12},
        xaxis={"title": "leaves", "type": "log", "dtick": 1},
        yaxis={"title": "processor's time of a question, ms", "rangemode": "tozero"},
    )
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=_chromium(), args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page(viewport={"width": 900, "height": 500}, device_scale_factor=1.5)
        page.set_content(figure.to_html(include_plotlyjs=True))
        page.wait_for_selector(".main-svg")
        page.locator(".plot-container").first.screenshot(path=str(target))
        browser.close()


def _chromium() -> str | None:
    """The path of the system's Chromium; ``None`` for Playwright's own."""
    import shutil

    return shutil.which("chromium")
