"""The last net: a sentence in place of a traceback, whatever goes wrong."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import streamlit as st

from core.errors import LecternError
from pages.ui.shared.words import escaped

_log = logging.getLogger("lectern")


def attempt(action: Callable[[], object]) -> bool:
    """Whether it was done; where not, the page says why."""
    try:
        action()
    except LecternError as error:
        st.error(escaped(str(error)), icon=":material/error:")
        return False
    return True


def attempt_and_rerun(action: Callable[[], object]) -> None:
    """Do it, and draw the page anew; or say why not."""
    if attempt(action):
        st.rerun()


def attempt_or_toast(action: Callable[[], object]) -> bool:
    """As ``attempt``, for a callback: what the page draws next shows what was done, and a toast why it was not."""
    try:
        action()
    except LecternError as error:
        st.toast(escaped(str(error)))
        return False
    return True


@contextmanager
def guarded() -> Iterator[None]:
    """Show any failure inside as a sentence. Streamlit's reruns and stops pass through: they are no ``Exception``."""
    try:
        yield
    except LecternError as error:
        st.error(escaped(error.problem), icon=":material/error:")
        if error.remedy:
            st.caption(escaped(error.remedy))
    except Exception as error:  # the one place that may: a person gets a sentence, the log gets everything
        _log.exception("A page failed")
        st.error(
            "Lectern made a mistake here. Showing this page changed nothing in the library; reload to try again.",
            icon=":material/error:",
        )
        st.caption(escaped(f"For a report: {type(error).__name__}: {error}"))
