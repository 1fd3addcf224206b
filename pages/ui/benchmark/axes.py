"""Vary settings: axes of a grid, chosen here or written as JSON."""

from __future__ import annotations

from dataclasses import fields

import streamlit as st

from core.errors import SettingsError
from core.evaluation.grid import Grid, grid, read_grid
from core.settings import (
    CHUNKERS,
    EXPANSIONS,
    FUSIONS,
    LEXICAL_ENGINES,
    ORDERS,
    PACKAGED_RERANKER,
    PREFIX_KINDS,
    PRESETS,
    Settings,
)
from pages.ui.shared import state, words

FIRST = ("chunking.max_tokens", "retrieval.fusion")  # the axes one starts with
EVERY_PREFIX = ",".join(PREFIX_KINDS)
SUGGESTED: dict[str, tuple[str, ...]] = {
    "chunking.chunker": CHUNKERS,
    "chunking.max_tokens": ("64", "90", "110", "130", "200"),
    "chunking.unit": ("tokens", "characters"),
    "chunking.overlap_tokens": ("0", "10", "20", "40"),
    "chunking.parent_max_tokens": ("300", "500", "700", "1000"),
    "chunking.prefix": (EVERY_PREFIX, "heading", "title", "none"),
    "retrieval.fusion": FUSIONS,
    "retrieval.dense_weight": ("0.3", "0.5", "0.7", "1"),
    "retrieval.lexical_weight": ("0", "0.3", "0.5", "0.7"),
    "retrieval.neighbour_share": ("0", "0.1", "0.2", "0.3", "0.4", "0.5"),
    "retrieval.k": ("10", "20", "50", "100"),
    "retrieval.title_boost": ("0", "0.5", "1", "2"),
    "retrieval.headings_boost": ("0", "0.5", "1", "2"),
    "retrieval.captions_boost": ("0", "0.5", "1", "2"),
    "retrieval.lexical_engine": LEXICAL_ENGINES,
    "reranking.model": ("none", PACKAGED_RERANKER),
    "reranking.candidates": ("10", "20", "30", "50"),
    "reranking.blend": ("0.3", "0.5", "0.7", "1"),
    "expansion.strategy": EXPANSIONS,
    "expansion.max_share": ("0.1", "0.25", "0.5", "1"),
    "expansion.share_decay": ("0", "0.5", "1"),
    "assembly.order": ORDERS,
}
EXAMPLE = '{"base": "default", "vary": {"chunking.max_tokens": [64, 110], "retrieval.fusion": ["zscore", "rrf"]}}'
AXES, JSON = "Choose axes", "Grid as JSON"


def setting_names() -> list[str]:
    """Every setting that can be varied, those usually varied first.

    >>> names = setting_names()
    >>> names[0], "retrieval.rrf_k" in names
    ('chunking.chunker', True)
    """
    settings = Settings()
    found = [
        f"{stage.name}.{item.name}" for stage in fields(settings) for item in fields(getattr(settings, stage.name))
    ]
    usual = list(SUGGESTED)
    return usual + [name for name in found if name not in usual]


def suggested(name: str) -> list[str]:
    """Values to choose among; a person may write others.

    >>> suggested("retrieval.fusion"), suggested("retrieval.rrf_k")
    (['zscore', 'minmax', 'rrf'], ['60'])
    """
    return list(SUGGESTED.get(name, (str(state.setting(Settings(), name)),)))


def choose_grid(bases: dict[str, Settings]) -> Grid:
    """The editor; an empty grid, with a sentence, while it says nothing that can be run."""
    with st.container(border=True, gap="small"):
        way = st.segmented_control(
            "Way", [AXES, JSON], default=AXES, required=True, label_visibility="collapsed", key="benchmark.grid_way"
        )
        try:
            made = _written() if way == JSON else _chosen(bases)
        except SettingsError as error:
            st.warning(words.escaped(str(error)), icon=":material/error:")
            return Grid({})
        if made.presets or made.skipped:
            st.caption(
                f"{words.count(len(made.presets), 'cell')}"
                + (f", {len(made.skipped):,} left out because they are no valid settings" if made.skipped else "")
            )
        if made.skipped:
            with st.expander("Left out"):
                for cell, reason in made.skipped[:50]:
                    st.caption(f"**{words.escaped(cell)}** {words.escaped(reason)}")
        return made


def _chosen(bases: dict[str, Settings]) -> Grid:
    base = st.selectbox("Starting from", list(bases), key="benchmark.grid_base", width=260)
    axes: list[int] = st.session_state.setdefault(state.BENCH_AXES, [0, 1])
    vary: dict[str, list[str]] = {}
    for place, number in enumerate(axes):
        name, values = _axis(number, axes, first=not place)
        if name and values:
            vary[name] = ["" if value == "none" else value for value in values]
    st.button(
        "Add an axis",
        key="benchmark.axis_more",
        icon=":material/add:",
        on_click=lambda: axes.append(max(axes, default=-1) + 1),
    )
    if not vary:
        st.caption("Choose two or more values of a setting: every combination becomes a preset.")
        return Grid({})
    return grid(bases.get(base or "default") or PRESETS["default"], vary)


def _axis(number: int, axes: list[int], *, first: bool) -> tuple[str | None, list[str]]:
    """One row of the editor: the setting and its values."""
    left, right, gone = st.columns([3, 6, 1.1], vertical_alignment="bottom")
    names = setting_names()
    name: str | None = left.selectbox(
        "Setting",
        names,
        index=names.index(FIRST[number]) if number < len(FIRST) else None,
        key=f"benchmark.axis.{number}",
        label_visibility="visible" if first else "collapsed",
        placeholder="Choose a setting",
    )
    values = right.multiselect(
        "Values",
        suggested(name) if name else [],
        key=f"benchmark.values.{number}.{name}",
        label_visibility="visible" if first else "collapsed",
        accept_new_options=True,
        placeholder="Choose values, or type one and press Enter",
        disabled=not name,
    )
    gone.button(
        "Remove",
        key=f"benchmark.axis_gone.{number}",
        icon=":material/close:",
        on_click=axes.remove,
        args=[number],
        type="tertiary",
    )
    return name, values


def _written() -> Grid:
    left, right = st.columns([3, 2])
    text = left.text_area("Grid", placeholder=EXAMPLE, key="benchmark.grid_text", height=130, persist_state="session")
    file = right.file_uploader("or a file", type=["json"], key="benchmark.grid_file")
    written = file.getvalue().decode("utf-8", errors="replace") if file else text.strip()
    if not written:
        st.caption("The same file works on the command line: `python -m core bench SUITE --grid FILE`.")
        return Grid({})
    return read_grid(written)
