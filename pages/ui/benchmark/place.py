"""What the address of Benchmark says, and how it is taken up: questions, presets, the run that is open and its view."""

from __future__ import annotations

from typing import Any

import streamlit as st

from pages.ui.benchmark import benches
from pages.ui.benchmark import history as bench_history
from pages.ui.shared import address, state
from pages.ui.shared.address import Shown

ONES = {
    "suite": state.SUITE,
    "against": state.BASELINE,
    "chosen": state.BENCH_SELECTED,
    "view": state.BENCH_VIEW,
}
SEVERAL = {
    "preset": state.PRESETS_CHOSEN,
    "whose": state.SUITE_ORIGINS,
    "tokens": state.BENCH_TOKENS,
    "column": state.BENCH_COLUMNS,
    "vary": state.BENCH_AXES,
}


def arrive(runs: list[benches.Run]) -> None:
    """Take up the address once; what it does not say stands as usual."""
    led = address.take()
    if led is None:
        return
    finished = [run for run in runs if run.head.finished]
    name = address.last(led, "run")
    if any(run.head.folder == name for run in finished):
        st.session_state[bench_history.shown_key(finished)] = name
    for said, key in (*ONES.items(), *SEVERAL.items()):
        st.session_state.pop(key, None)
        if said in led:
            st.session_state[key] = led[said] if said in SEVERAL else address.last(led, said)
    st.session_state[state.BENCH_VARY] = "vary" in led
    st.session_state[state.BENCH_ANSWERS] = bool(address.last(led, "answers"))


def say(part: str, shown: Shown) -> None:
    """Put what a part of the page shows into the address, beside what the others do."""
    parts: dict[str, Shown] = st.session_state.setdefault(state.BENCH_PLACE, {})
    parts[part] = shown
    address.say({name: value for each in parts.values() for name, value in each.items()})


def differing(value: Any, usual: Any) -> Any:
    """A value for the address, ``None`` where it is the usual one.

    >>> differing("flat", "default"), differing(["flat"], ["flat"])
    ('flat', None)
    """
    return None if value == usual else value
