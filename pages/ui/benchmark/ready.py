"""Predefined comparisons, each run by one click, and the conclusion from a run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import streamlit as st

from core.evaluation.reporting.breakdown import headline_budget, headline_measure
from core.evaluation.reporting.report import BenchReport
from core.evaluation.statistics import Comparison
from core.settings import PACKAGED_RERANKER, PRESETS, USUAL_PREFIX, Settings
from pages.ui.benchmark import benches
from pages.ui.settings.recipe_words import CHUNKER_WORDS
from pages.ui.shared.work import Plan

Presets = Mapping[str, Settings]


@dataclass(frozen=True, slots=True)
class Ready:
    """A predefined comparison. ``presets``: makes its presets from the library's settings, the baseline first."""

    title: str
    presets: Callable[[Settings], Presets]


def _with_chunks_of(own: Settings, size: int) -> Settings:
    """``own`` with chunks of at most ``size`` tokens. Overlap and least size keep their share of a chunk."""
    cut = own.chunking
    values = {
        "unit": "tokens",
        "max_tokens": size,
        "overlap_tokens": cut.overlap_tokens * size // cut.max_tokens,
        "min_tokens": cut.min_tokens * size // cut.max_tokens,
        "parent_max_tokens": max(size, cut.parent_max_tokens),
    }
    return own.with_values({f"chunking.{name}": value for name, value in values.items()})


CHUNKERS = ("structure", "recursive", "sentence", "semantic", "fixed")  # suit any document

READY = (
    Ready(
        "Chunkers",
        lambda own: {
            CHUNKER_WORDS[name].lower(): own.with_value("chunking.chunker", name)
            for name in dict.fromkeys((own.chunking.chunker, *CHUNKERS))
        },
    ),
    Ready("Naive against ours", lambda own: {"naive: 1,000 characters": PRESETS["fixed-1000"], "ours": own}),
    Ready(
        "Small against large chunks",
        lambda own: {f"chunks of {size}": _with_chunks_of(own, size) for size in (60, 110, 220)},
    ),
    Ready(
        "With and without parents",
        lambda own: {
            "without parents": own.with_value("expansion.strategy", "flat"),
            "with parents": own.with_value("expansion.strategy", "parent"),
        },
    ),
    Ready(
        "Prefixes",
        lambda own: {
            "without prefixes": own.with_value("chunking.prefix", ()),
            "with prefixes": own.with_value("chunking.prefix", USUAL_PREFIX),
        },
    ),
    Ready(
        "What a language model writes",
        lambda own: {
            name: own.with_values(
                {
                    "chunking.prefix": (*USUAL_PREFIX, *before),
                    "chunking.written_for": chunks,
                    "chunking.aliases": aliases,
                }
            )
            for name, before, chunks, aliases in (
                ("nothing written", (), "every", ()),
                ("before every chunk", ("written",), "every", ()),
                ("before unclear chunks", ("written",), "unclear", ()),
                ("summaries", (), "every", ("summary", "document")),
                ("questions", (), "every", ("questions",)),
            )
        },
    ),
    Ready(
        "Re-rankers",
        lambda own: {
            "without a re-ranker": own.with_value("reranking.model", ""),
            "with a re-ranker": own.with_value("reranking.model", own.reranking.model or PACKAGED_RERANKER),
        },
    ),
)


def show_ready(
    plan: Callable[[Presets], Plan | None], cost: Callable[[Plan | None], str], own: Settings, *, busy: bool
) -> None:
    """Draw a button for each comparison, with its cost as help.

    ``plan``: the plan to measure presets on the chosen suite, ``None`` without a suite. ``cost``: a plan's cost in
    words. ``own``: the library's settings.
    """
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.caption("Or run a comparison at once:", width="content")
        for number, ready in enumerate(READY):
            planned = plan(ready.presets(own))
            pressed = st.button(
                ready.title, key=f"benchmark.ready.{number}", disabled=busy or planned is None, help=cost(planned)
            )
            if pressed and planned and not busy:
                benches.start(planned)
                st.rerun()


@dataclass(frozen=True, slots=True)
class Spoken:
    """The winners of a run by ``metric``, best first; none if the run does not decide by it.

    They are the presets that are significantly better than the baseline, or the baseline alone if all others are
    significantly worse.
    """

    metric: str
    winners: tuple[str, ...] = ()


def spoken_for(report: BenchReport, baseline: str, found: Mapping[str, Mapping[str, Comparison]]) -> list[Spoken]:
    """The winners of a run by the headline metric, then by its measure at the other budgets, the nearest first.

    [] if there is nothing to compare. ``found``: the comparisons of each preset with ``baseline``, by metric.
    """
    measure, headline = headline_measure(report), headline_budget(report)
    budgets = sorted(report.budgets, key=lambda budget: (abs(budget - headline), budget))
    spoken = [_spoken_by(f"{measure}@{budget}", baseline, found) for budget in budgets]
    return [item for item in spoken if item]


def _spoken_by(metric: str, baseline: str, found: Mapping[str, Mapping[str, Comparison]]) -> Spoken | None:
    """The winners by one metric; ``None`` if nothing is compared by it."""
    compared = {name: items[metric] for name, items in found.items() if metric in items and name != baseline}
    if not compared:
        return None
    if better := [name for name, item in compared.items() if item.verdict == "better"]:
        return Spoken(metric, tuple(sorted(better, key=lambda name: -compared[name].difference)))
    return Spoken(metric, (baseline,) if all(item.verdict == "worse" for item in compared.values()) else ())
