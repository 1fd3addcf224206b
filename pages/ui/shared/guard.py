"""Errors as sentences: no page and no callback ever shows a traceback."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import streamlit as st

from core.errors import LecternError
from pages.ui.shared.words import escaped

_log = logging.getLogger("lectern")


def attempt(action: Callable[[], object]) -> bool:
    """Do it; returns whether it succeeded. A ``LecternError`` is shown on the page."""
    try:
        action()
    except LecternError as error:
        st.error(escaped(str(error)), icon=":material/error:")
        return False
    return True


def attempt_and_rerun(action: Callable[[], object]) -> None:
    """Do it and run the page again, or show the error."""
    if attempt(action):
        st.rerun()


def attempt_or_toast(action: Callable[[], object]) -> bool:
    """As ``attempt``, for callbacks, which run before the page is drawn: an error is shown as a toast."""
    try:
        action()
    except LecternError as error:
        st.toast(escaped(str(error)))
        return False
    return True


@contextmanager
def guarded() -> Iterator[None]:
    """Show any exception as a sentence. Streamlit's reruns and stops pass: they derive from ``BaseException``."""
    try:
        yield
    except LecternError as error:
        st.error(escaped(error.problem), icon=":material/error:")
        if error.remedy:
            st.caption(escaped(error.remedy))
    except Exception as error:  # any bug: the person gets a sentence, the log the traceback
        _log.exception("A page failed")
        st.error(
            "Lectern made a mistake here. Showing this page changed nothing in the library; reload to try again.",
            icon=":material/error:",
        )
        st.caption(escaped(f"For a report: {type(error).__name__}: {error}"))
