"""The address of the Benchmark page: suite, presets, options, the open run and its view."""

from __future__ import annotations

from typing import Any

import streamlit as st

from pages.ui.benchmark import benches
from pages.ui.benchmark import history as bench_history
from pages.ui.shared import address, state
from pages.ui.shared.address import Shown

SINGLE = {  # parameters with one value, and their session keys
    "suite": state.SUITE,
    "against": state.BASELINE,
    "chosen": state.BENCH_SELECTED,
    "view": state.BENCH_VIEW,
}
REPEATED = {  # parameters that can be repeated
    "preset": state.PRESETS_CHOSEN,
    "whose": state.SUITE_ORIGINS,
    "tokens": state.BENCH_TOKENS,
    "column": state.BENCH_COLUMNS,
    "vary": state.BENCH_AXES,
}


def arrive(runs: list[benches.Run]) -> None:
    """Set the page's state from the address, if it has to be followed; what it does not name gets its default."""
    query = address.take()
    if query is None:
        return
    finished = [run for run in runs if run.head.finished]
    name = address.last(query, "run")
    if any(run.head.folder == name for run in finished):
        st.session_state[bench_history.shown_key(finished)] = name
    for parameter, key in (*SINGLE.items(), *REPEATED.items()):
        st.session_state.pop(key, None)
        if parameter in query:
            st.session_state[key] = query[parameter] if parameter in REPEATED else address.last(query, parameter)
    st.session_state[state.BENCH_VARY] = "vary" in query
    st.session_state[state.BENCH_ANSWERS] = bool(address.last(query, "answers"))


def say(part: str, shown: Shown) -> None:
    """Put what one part of the page shows into the address, together with what the other parts show."""
    parts: dict[str, Shown] = st.session_state.setdefault(state.BENCH_PLACE, {})
    parts[part] = shown
    address.say({name: value for each in parts.values() for name, value in each.items()})


def differing(value: Any, usual: Any) -> Any:
    """A value for the address; ``None`` if it is the default.

    >>> differing("flat", "default"), differing(["flat"], ["flat"])
    ('flat', None)
    """
    return None if value == usual else value
