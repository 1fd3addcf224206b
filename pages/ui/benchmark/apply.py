"""Applies a measured preset to the library: what changes and costs, how far it is, that it is done, and back again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from core.evaluation.planning import EarlierBenches, recipe_of
from core.evaluation.reporting.report import BenchReport
from core.settings import Settings
from core.storage.store import settings_from
from pages.ui.benchmark import benches
from pages.ui.settings.setting_words import setting_title, value_words
from pages.ui.shared import background, services, words
from pages.ui.shared.queue import show_jobs

SHOWN = 16  # changed settings listed


def show_apply(report: BenchReport, preset: str) -> None:
    """Draw the "Apply" menu of a preset that the library does not have: what would change, and the button.

    There is none while settings are applied, so that it closes at the click and leaves the progress in sight.
    """
    library, chosen = services.library(), report.preset(preset)
    wanted = settings_from(dict(chosen.settings))
    changes = differences(library.settings.to_dict(), wanted.to_dict())
    if not library.writable or not changes or background.active_jobs("apply"):
        return
    with st.popover("Apply", icon=":material/check:", width="stretch"):
        st.markdown(f"**Make “{words.escaped(chosen.preset)}” this library's settings**")
        st.markdown(_cost(wanted))
        st.button(
            "Apply to the library",
            key="benchmark.apply",
            type="primary",
            on_click=background.start_apply,
            args=[wanted, _lender(report)],
        )
        st.table(changes_table(dict(list(changes.items())[:SHOWN])), border="horizontal")  # last, as it may be long
        if len(changes) > SHOWN:
            st.caption(f"and {len(changes) - SHOWN} more")


def show_applied(report: BenchReport) -> None:
    """Draw how far settings are applied, then which preset the library was given, with the button that undoes it."""
    busy = bool(background.active_jobs("apply"))
    if busy or background.failures("apply"):
        show_jobs("apply")
    if busy:
        st.caption("Ask goes on meanwhile: each document is searched as it was until it is cut anew.")
    elif services.library().writable and (preset := applied_of(report)):
        before = background.settings_before()
        if before in (None, services.library().settings):
            return  # its row says that it is in use
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            st.markdown(f":material/check: The library has the settings of **{words.escaped(preset)}**; Ask uses them.")
            st.button(
                "Undo",
                key="benchmark.apply.undo",
                icon=":material/undo:",
                help=_cost(before),
                on_click=background.undo_apply,
                args=[_lender(report)],
            )


def _cost(wanted: Settings) -> str:
    """``cost`` of giving the library other settings, with the time at the speeds of the benches on this machine."""
    library, sources = services.library(), services.sources()
    speeds = EarlierBenches.of(benches.workspace() / "any", library.cutting.texts_a_second())
    chunks = services.stats().chunks
    cutting = sum(source.characters for source in sources) / speeds.characters_a_second[1]
    encoding = chunks / speeds.texts_a_second if library.settings.embedding != wanted.embedding else 0.0
    return cost(library.settings, wanted, len(sources), chunks, words.about(cutting + encoding))


def _lender(report: BenchReport) -> str:
    """The folder of the library that the run was measured in, whose vectors are taken over."""
    return str(benches.workspace() / report.library)


def applied_of(report: BenchReport) -> str | None:
    """The measured preset whose settings the library has."""
    now = services.library().settings.to_dict()
    return next(
        (item.preset for item in report.presets if not differences(now, settings_from(dict(item.settings)).to_dict())),
        None,
    )


def changes_table(
    changes: Mapping[str, tuple[Any, Any]], heads: Sequence[str] = ("Setting", "Now", "Then")
) -> dict[str, list[str]]:
    """A table of settings with both values, in words; the exact name of a setting stands behind in small type.

    ``changes``: (value now, value then) by setting. ``heads``: the titles of the three columns.

    >>> table = changes_table({"retrieval.fusion": ("zscore", "rrf"), "chunking.prefix": (("title", "heading"), ())})
    >>> table["Setting"][1], table["Now"]
    ('Cut · Read before a chunk :small[`chunking.prefix`]', ['Standard scores', 'Title, Headings'])
    """
    columns = (
        [f"{words.escaped(setting_title(name))} :small[`{name}`]" for name in changes],
        [words.escaped(value_words(name, now)) for name, (now, _) in changes.items()],
        [words.escaped(value_words(name, then)) for name, (_, then) in changes.items()],
    )
    return dict(zip(heads, columns, strict=True))


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


def cost(now: Settings, then: Settings, documents: int, chunks: int, time: str) -> str:
    """A sentence on what a change of settings encodes or cuts again. ``time``: it takes, in words.

    >>> cost(Settings(), Settings().with_value("retrieval.k", 20), 12, 900, "about 4 min")
    'Nothing is read, cut or encoded anew: it holds from the next question on.'
    >>> cost(Settings(), Settings().with_value("chunking.max_tokens", 64), 12, 900, "about 4 min").partition(";")[0]
    '12 documents are cut anew in the background, about 4 min'
    """
    if recipe_of(now) == recipe_of(then) or not documents:
        return "Nothing is read, cut or encoded anew: it holds from the next question on."
    if now.embedding != then.embedding:
        return f"Another embedder: all {words.count(chunks, 'chunk')} are encoded anew, in the background, {time}."
    are = "is" if documents == 1 else "are"
    return (
        f"{words.count(documents, 'document')} {are} cut anew in the background, {time}; what the library or this run "
        "has encoded is not encoded again."
    )
