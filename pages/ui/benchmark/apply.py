"""Applies a measured preset to the library, after showing what changes and what that costs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from core.evaluation.planning import recipe_of
from core.evaluation.reporting.report import BenchReport, PresetReport
from core.settings import Settings
from core.storage.store import settings_from
from pages.ui.ask.dials.sidebar import BY_NAME, LABELS
from pages.ui.benchmark import benches
from pages.ui.shared import background, services, words

SHOWN = 16  # changed settings listed


def show_apply(report: BenchReport, preset: str) -> None:
    """Draw the "Apply" menu of a preset: what would change, the button that applies it, and the one that undoes it."""
    library, chosen = services.library(), report.preset(preset)
    if not library.writable:
        return
    lender = str(benches.workspace() / report.library)
    wanted = settings_from(dict(chosen.settings))
    changes = differences(library.settings.to_dict(), wanted.to_dict())
    with st.popover("Apply", icon=":material/check:", width="stretch"):
        if not changes:
            st.markdown("The library has these settings already.")
        else:
            st.markdown(f"**Make {words.escaped(chosen.preset)} this library's settings**")
            _button("Apply to the library", "benchmark.apply", wanted, lender)  # above the table, which may be long
            st.table(changes_table(dict(list(changes.items())[:SHOWN])), border="horizontal")
        if len(changes) > SHOWN:
            st.caption(f"and {len(changes) - SHOWN} more")
        before = background.settings_before()
        if before not in (None, wanted, library.settings):
            st.markdown("**Take back what was applied last**")
            _button("Undo", "benchmark.apply.back", before, lender)


def is_applied(measured: PresetReport) -> bool:
    """Whether the library has the settings of a measured preset."""
    return not differences(services.library().settings.to_dict(), settings_from(dict(measured.settings)).to_dict())


def _button(label: str, key: str, wanted: Settings, lender: str) -> None:
    st.markdown(cost(services.library().settings, wanted, len(services.sources()), services.stats().chunks))
    busy = bool(background.active_jobs("apply"))
    if st.button(label, key=key, type="secondary" if key.endswith("back") else "primary", disabled=busy):
        background.apply_and_watch(wanted, lender)


def changes_table(
    changes: Mapping[str, tuple[Any, Any]], heads: Sequence[str] = ("Setting", "Now", "Then")
) -> dict[str, list[str]]:
    """A table of settings with both values, in words. A setting with a dial on Ask has the dial's name.

    ``changes``: (value now, value then) by setting. ``heads``: the titles of the three columns.

    >>> table = changes_table({"retrieval.fusion": ("zscore", "rrf"), "chunking.prefix": (("title", "heading"), ())})
    >>> table["Setting"][0], table["Now"], table["Then"]
    ('Find · Scores are joined by', ['Standard scores', 'title, heading'], ['Reciprocal ranks', 'none'])
    """
    columns = (
        [LABELS.get(name, name) for name in changes],
        [_value_words(name, now) for name, (now, _) in changes.items()],
        [_value_words(name, then) for name, (_, then) in changes.items()],
    )
    return {head: [words.escaped(cell) for cell in column] for head, column in zip(heads, columns, strict=True)}


def _value_words(name: str, value: Any) -> str:
    if name in BY_NAME:
        return BY_NAME[name].said(value)
    if isinstance(value, tuple | list):
        return ", ".join(map(str, value)) or "none"
    return "none" if value == "" else str(value)


def differences(
    now: Mapping[str, Mapping[str, Any]], then: Mapping[str, Mapping[str, Any]]
) -> dict[str, tuple[Any, Any]]:
    """The settings that differ, as "stage.name" -> (value in ``now``, value in ``then``).

    >>> differences({"retrieval": {"k": 50, "rrf_k": 60}}, {"retrieval": {"k": 20, "rrf_k": 60}})
    {'retrieval.k': (50, 20)}
    """
    return {
        f"{stage}.{name}": (now[stage][name], value)
        for stage, values in then.items()
        for name, value in values.items()
        if now[stage][name] != value
    }


def cost(now: Settings, then: Settings, documents: int, chunks: int) -> str:
    """A sentence on what a change of settings encodes or cuts again.

    >>> from dataclasses import replace
    >>> cost(Settings(), Settings().with_value("retrieval.k", 20), 12, 900)
    'Nothing is read, cut or encoded anew: it holds from the next question on.'
    """
    if recipe_of(now) == recipe_of(then) or not documents:
        return "Nothing is read, cut or encoded anew: it holds from the next question on."
    if now.embedding != then.embedding:
        return f"Another embedder: all {words.count(chunks, 'chunk')} are encoded anew, in the background."
    return (
        f"{words.count(documents, 'document')} cut anew in the background; what the library or this run has encoded is "
        "not encoded again."
    )
