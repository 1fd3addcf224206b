"""The upper part of the Benchmark page: the suite, the presets, settings to vary, the cost, and the Run button."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import streamlit as st

from core.errors import SettingsError
from core.evaluation.bench_plan import BenchOptions
from core.evaluation.grid import Grid, grid
from core.settings import BASELINES, FUSIONS, PRESETS, Settings
from pages.ui.benchmark import benches, place
from pages.ui.benchmark.ready import show_ready
from pages.ui.benchmark.suites import Chosen, choose_suite
from pages.ui.settings.recipe_words import CHUNKER_WORDS
from pages.ui.settings.setting_words import setting_names, setting_title, values_allowed
from pages.ui.shared import background, services, state, words
from pages.ui.shared.guard import guarded
from pages.ui.shared.work import Plan, cost

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator

USUAL = ["default", "flat", "meaning-only", "words-only", "recursive-1000-200"]
OWN = "library"  # name of the library's own settings, offered if no preset has the same
USUALLY = BenchOptions(failures=True)
TOKEN_BUDGETS = ["250", "500", "1000", "2000", "4000"]
AXES = ["chunking.max_tokens=64, 110, 200", f"retrieval.fusion={', '.join(FUSIONS)}"]  # initial rows of the grid editor


def offered() -> dict[str, Settings]:
    """The presets to choose from, by name."""
    own = services.library().settings
    return dict(PRESETS) if own in PRESETS.values() else {OWN: own, **PRESETS}


def preset_words(name: str) -> str:
    """A preset's name with a short explanation.

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
    """Draw the choices in a fragment, so that a change redraws them alone."""
    st.fragment(_choices)()


def _choices() -> None:
    with guarded(), st.container(border=True, gap="small"):
        _choose()


def _choose() -> None:
    chosen: Chosen | None = None
    with guarded():  # the other choices are drawn even if the suite cannot be read
        chosen = choose_suite()
    known = offered()
    previous: list[str] = st.session_state.get(state.PRESETS_CHOSEN, USUAL)
    st.session_state[state.PRESETS_CHOSEN] = [name for name in previous if name in known]
    st.multiselect(
        "Presets: ways of cutting and searching",
        list(known),
        key=state.PRESETS_CHOSEN,
        format_func=preset_words,
        persist_state="session",
        placeholder="Choose presets",
    )
    names: list[str] = st.session_state[state.PRESETS_CHOSEN]
    bar = st.container(horizontal=True, vertical_alignment="center")
    vary = bar.toggle(
        "Vary settings",
        key=state.BENCH_VARY,
        persist_state="session",
        width="content",
        help="Every combination of the values of a few settings, measured beside the presets.",
    )
    options = _options(bar)
    varied, axes = choose_grid(known) if vary else (Grid({}), [])
    presets = {name: known[name] for name in names} | dict(varied.presets)
    busy = bool(background.active_jobs("bench"))
    plan = _plan(chosen, presets, options, varied.skipped)
    bar.caption(_cost(chosen, plan, busy=busy), text_alignment="right")
    pressed = bar.button(
        "Run",
        key="benchmark.run_it",
        type="primary",
        icon=":material/play_arrow:",
        disabled=busy or plan is None,
    )
    if pressed and plan and not busy:  # ``busy`` is checked again: a double click starts one run
        benches.start(plan)
        st.rerun()
    place.say(
        "choices",
        {
            "suite": st.session_state[state.SUITE],
            "whose": st.session_state.get(state.SUITE_ORIGINS),
            "preset": place.differing(names, USUAL),
            "tokens": list(map(str, options.token_budgets)),
            "answers": "yes" if options.answers else "",
            "vary": axes,
        },
    )
    show_ready(partial(_plan, chosen), partial(_cost, chosen, busy=busy), services.library().settings, busy=busy)


def _plan(
    chosen: Chosen | None,
    presets: Mapping[str, Settings],
    options: BenchOptions = USUALLY,
    skipped: tuple[tuple[str, str], ...] = (),
) -> Plan | None:
    """The plan to measure these presets on the chosen suite; ``None`` if either is missing."""
    if chosen is None or not presets:
        return None
    if chosen.revision is not None:
        # Judgments are offsets in the text that this library's parsing gives: all presets have to parse alike.
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
    sentence = cost(plan, chosen.suite, services.library()).sentence
    behind = background.active_jobs("ingest", "apply")
    return words.escaped(f"{sentence}; it waits until the documents are read and cut" if behind else sentence)


def _options(bar: DeltaGenerator) -> BenchOptions:
    """Draw the menu of options; returns the options chosen."""
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
    """Budgets as sorted numbers without duplicates. Raises ``SettingsError`` for a text that is no valid budget.

    >>> token_budgets(["500", "250", "500"])
    (250, 500)
    """
    wrong = [text for text in written if not text.strip().isdecimal() or not 50 <= int(text) <= 1_000_000]
    if wrong:
        raise SettingsError(f"{wrong[0]!r} is no budget.", "Write whole tokens, from 50 to 1,000,000.")
    return tuple(sorted({int(text) for text in written}))


def choose_grid(bases: dict[str, Settings]) -> tuple[Grid, list[str]]:
    """Draw the grid editor; returns the grid, which is empty while the rows are not valid, and the rows as text.

    ``bases``: the presets that a grid can start from.
    """
    with st.container(border=True, gap="small"):
        base = st.selectbox("Starting from", list(bases), key="benchmark.grid_base", width=260)
        initial: list[str] = st.session_state.setdefault(state.BENCH_AXES, AXES)
        rows = st.data_editor(
            rows_of(initial),
            num_rows="dynamic",
            hide_index=True,
            key=f"benchmark.axes.{initial}",
            column_config={
                "Setting": st.column_config.SelectboxColumn(
                    options=setting_names(), width="large", format_func=lambda name: setting_title(str(name))
                ),
                "Values": st.column_config.TextColumn("Values, with a semicolon or comma between", width="large"),
            },
        )
        if known := [str(row["Setting"]) for row in rows if row.get("Setting")]:
            st.caption(" · ".join(f"{setting_title(name)}, `{name}`: {values_allowed(name)}" for name in known))
        axes = [f"{row.get('Setting') or ''}={row.get('Values') or ''}" for row in rows]
        try:
            cells = axes_of(bases.get(base or "default") or PRESETS["default"], rows)
        except SettingsError as error:
            st.warning(words.escaped(str(error)), icon=":material/error:")
            return Grid({}), axes
        if not cells.presets and not cells.skipped:
            st.caption(
                "Name a setting and two or more of its values: every combination becomes a preset. `python -m core "
                "bench SUITE --grid FILE` takes a grid as a file."
            )
            return cells, axes
        left_out = f", {len(cells.skipped):,} left out because they are no valid settings" if cells.skipped else ""
        st.caption(f"{words.count(len(cells.presets), 'combination')}{left_out}")
        if cells.skipped:
            with st.expander("Left out"):
                for cell, reason in cells.skipped[:50]:
                    st.caption(f"**{words.escaped(cell)}** {words.escaped(reason)}")
        return cells, axes


def rows_of(axes: Iterable[str]) -> list[dict[str, str]]:
    """Axes ("name=values") as rows of the editor.

    >>> rows_of(["retrieval.k=20, 50"])
    [{'Setting': 'retrieval.k', 'Values': '20, 50'}]
    """
    return [dict(zip(("Setting", "Values"), axis.partition("=")[::2], strict=True)) for axis in axes]


def axes_of(base: Settings, rows: Iterable[Mapping[str, str | None]]) -> Grid:
    """The grid of all combinations of the rows' values, starting from ``base``. Raises ``SettingsError``.

    >>> list(axes_of(Settings(), [{"Setting": "retrieval.fusion", "Values": "zscore, rrf"}]).presets)
    ['fusion=zscore', 'fusion=rrf']
    """
    vary: dict[str, list[str]] = {}
    for row in rows:
        written = row.get("Values") or ""
        values = [value.strip() for value in written.split(";" if ";" in written else ",") if value.strip()]
        if row.get("Setting") and values:
            vary[str(row["Setting"])] = ["" if value == "none" else value for value in values]
    return grid(base, vary) if vary else Grid({})
