"""The upper part of the Benchmark page: what to measure, what it will cost, and the button."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import streamlit as st

from core.errors import SettingsError
from core.evaluation.bench import BenchOptions
from core.evaluation.grid import Grid
from core.evaluation.planning import estimate, recipe_of
from core.settings import BASELINES, PRESETS, Settings
from pages.ui.benchmark import axes as bench_axes
from pages.ui.benchmark import benches
from pages.ui.benchmark.ready import show_ready
from pages.ui.benchmark.suites import Chosen, choose_suite
from pages.ui.settings.recipe_words import CHUNKER_WORDS
from pages.ui.shared import background, services, state, words
from pages.ui.shared.guard import guarded
from pages.ui.shared.work import Plan

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator

USUAL = ["default", "flat", "meaning-only", "words-only", "recursive-1000-200"]
OWN = "library"  # the library's own settings, where no preset has them
USUALLY = BenchOptions(failures=True)
TOKEN_BUDGETS = ["250", "500", "1000", "2000", "4000"]


def offered() -> dict[str, Settings]:
    """The presets one can choose, by name."""
    own = services.library().settings
    return dict(PRESETS) if own in PRESETS.values() else {OWN: own, **PRESETS}


def preset_words(name: str) -> str:
    """A preset's name with what it is.

    >>> preset_words("default"), preset_words("cluster"), preset_words("library")
    ('default', 'cluster · most alike together', "library · this library's settings")
    """
    if name == OWN:
        return f"{name} · this library's settings"
    if name in BASELINES:
        return f"{name} · common practice"
    chunker = PRESETS[name].chunking.chunker
    return name if chunker == Settings().chunking.chunker else f"{name} · {CHUNKER_WORDS[chunker].lower()}"


def show_choices() -> None:
    """Suite, presets, grid and options; the plan they make, its cost, and Run."""
    st.fragment(_choices)()  # what is chosen here redraws this alone


def _choices() -> None:
    with guarded(), st.container(border=True, gap="small"):
        _choose()


def _choose() -> None:
    chosen: Chosen | None = None
    with guarded():  # a suite that cannot be read is a sentence, and the other choices stay
        chosen = choose_suite()
    known = offered()
    st.multiselect(
        "Presets",
        list(known),
        default=USUAL,
        key=state.PRESETS_CHOSEN,
        format_func=preset_words,
        persist_state="session",
        placeholder="Choose presets",
    )
    names = [name for name in st.session_state.get(state.PRESETS_CHOSEN, []) if name in known]
    bar = st.container(horizontal=True, vertical_alignment="center")
    vary = bar.toggle(
        "Vary settings",
        key=state.BENCH_VARY,
        persist_state="session",
        width="content",
        help="Every combination of the values of a few settings, measured beside the presets.",
    )
    options = _options(bar)
    grid = bench_axes.choose_grid(known) if vary else Grid({})
    presets = {name: known[name] for name in names} | dict(grid.presets)
    busy = bool(background.active_jobs("bench"))
    plan = _plan(chosen, presets, options, grid.skipped)
    bar.caption(_cost(chosen, plan, busy=busy), text_alignment="right")  # what it costs stands beside the button
    pressed = bar.button(
        "Run",
        key="benchmark.run_it",
        type="primary",
        icon=":material/play_arrow:",
        disabled=busy or plan is None,
    )
    if pressed and plan and not busy:  # clicked twice before it was answered, it is one run
        benches.start(plan)
        st.rerun()
    show_ready(partial(_plan, chosen), partial(_cost, chosen, busy=busy), services.library().settings, busy=busy)


def _plan(
    chosen: Chosen | None,
    presets: Mapping[str, Settings],
    options: BenchOptions = USUALLY,
    skipped: tuple[tuple[str, str], ...] = (),
) -> Plan | None:
    """These presets on the chosen questions; ``None`` where either is missing."""
    if chosen is None or not presets:
        return None
    if chosen.revision is not None:
        # Gold is a place in the text as this library reads the file: every preset reads it so.
        parsing = services.library().settings.parsing
        presets = {name: replace(settings, parsing=parsing) for name, settings in presets.items()}
    return Plan(chosen.folder, chosen.name, presets, options, chosen.revision, skipped)


def _cost(chosen: Chosen | None, plan: Plan | None, *, busy: bool) -> str:
    if busy:
        return "A benchmark is running; the next can start when it is done."
    if chosen is None:
        return "There is no question to ask yet."
    if plan is None:
        return "Choose a preset."
    # The library's own vectors are lent to the bench: what it has encoded costs nothing.
    library = services.library()
    held = [recipe_of(library.settings)] if chosen.revision is not None else []
    texts = {source.version_id: source.characters for source in services.sources()}
    cost = estimate(plan.of(chosen.suite), benches.workspace(), held, texts)
    return words.escaped(cost.sentence)


def _options(bar: DeltaGenerator) -> BenchOptions:
    """What is measured beyond the usual."""
    with bar.popover("Options", icon=":material/tune:"):
        budgets = st.multiselect(
            "Budgets in tokens, beside 1,000 to 8,000 characters",
            TOKEN_BUDGETS,
            key=state.BENCH_TOKENS,
            accept_new_options=True,
            persist_state="session",
            placeholder="None",
        )
        answers = st.checkbox(
            "Score quoted answers too (slower)",
            key=state.BENCH_ANSWERS,
            persist_state="session",
            help="The sentences Ask would quote, held against the suite's written answers. They have to be encoded.",
        )
    return replace(USUALLY, token_budgets=token_budgets(budgets), answers=answers)


def token_budgets(written: list[str]) -> tuple[int, ...]:
    """The numbers among what was written, sorted. Raises ``SettingsError`` for what is none.

    >>> token_budgets(["500", "250", "500"])
    (250, 500)
    """
    wrong = [text for text in written if not text.strip().isdecimal() or not 50 <= int(text) <= 1_000_000]
    if wrong:
        raise SettingsError(f"{wrong[0]!r} is no budget.", "Write whole tokens, from 50 to 1,000,000.")
    return tuple(sorted({int(text) for text in written}))
