"""Vary settings: the axes of a grid, a row a setting."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields

import streamlit as st

from core.errors import SettingsError
from core.evaluation.grid import Grid, grid
from core.settings import FUSIONS, PRESETS, Settings
from pages.ui.shared import words

FIRST = {"chunking.max_tokens": ("64", "110", "200"), "retrieval.fusion": FUSIONS}  # the axes one starts with
ROWS = [{"Setting": name, "Values": ", ".join(values)} for name, values in FIRST.items()]


def setting_names() -> list[str]:
    """Every setting that can be varied.

    >>> "retrieval.rrf_k" in setting_names()
    True
    """
    settings = Settings()
    return [f"{stage.name}.{item.name}" for stage in fields(settings) for item in fields(getattr(settings, stage.name))]


def choose_grid(bases: dict[str, Settings]) -> Grid:
    """The editor; an empty grid, with a sentence, while it says nothing that can be run."""
    with st.container(border=True, gap="small"):
        base = st.selectbox("Starting from", list(bases), key="benchmark.grid_base", width=260)
        rows = st.data_editor(
            ROWS,
            num_rows="dynamic",
            hide_index=True,
            key="benchmark.axes",
            column_config={
                "Setting": st.column_config.SelectboxColumn(options=setting_names(), width="medium"),
                "Values": st.column_config.TextColumn("Values, with a semicolon or comma between", width="large"),
            },
        )
        try:
            made = axes_of(bases.get(base or "default") or PRESETS["default"], rows)
        except SettingsError as error:
            st.warning(words.escaped(str(error)), icon=":material/error:")
            return Grid({})
        if not made.presets and not made.skipped:
            st.caption(
                "Name a setting and two or more of its values: every combination becomes a preset. `python -m core "
                "bench SUITE --grid FILE` takes a grid as a file."
            )
            return made
        left_out = f", {len(made.skipped):,} left out because they are no valid settings" if made.skipped else ""
        st.caption(f"{words.count(len(made.presets), 'cell')}{left_out}")
        if made.skipped:
            with st.expander("Left out"):
                for cell, reason in made.skipped[:50]:
                    st.caption(f"**{words.escaped(cell)}** {words.escaped(reason)}")
        return made


def axes_of(base: Settings, rows: Iterable[Mapping[str, str | None]]) -> Grid:
    """The grid that rows of settings and their values make. Raises ``SettingsError``.

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
