"""Ask's dials in the sidebar, folded by stage. A change takes effect at once and is marked; a profile sets all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from core.errors import SettingsError
from core.settings import PACKAGED_RERANKER, Settings, carefully
from pages.ui.ask.dials.dial import Dial, Fold
from pages.ui.ask.dials.dial_list import FOLDS
from pages.ui.settings import rerankers
from pages.ui.shared import state, words

DIALS: tuple[Dial, ...] = tuple(dial for fold in FOLDS for dial in fold.dials)
BY_NAME: Mapping[str, Dial] = {dial.name: dial for dial in DIALS}
LABELS: Mapping[str, str] = {dial.name: f"{fold.title} · {dial.label}" for fold in FOLDS for dial in fold.dials}
QUICK, CAREFUL = "Quick", "Careful"
NO_WRITER = "The last three need a language model, and none is set up: Settings, Language model."


def differing(settings: Settings, base: Settings) -> list[Dial]:
    """The dials with an effect whose values differ from ``base``, in the order in which they are drawn.

    >>> [dial.label for dial in differing(Settings().with_value("retrieval.k", 9), Settings())]
    ['Chunks kept (k)']
    """
    return [dial for dial in DIALS if settings.value(dial.name) != base.value(dial.name) and dial.read(settings)]


def in_words(settings: Settings, base: Settings) -> str:
    """The dials that differ from ``base``, with both values, as text; "" if none does.

    >>> in_words(Settings().with_value("retrieval.k", 9), Settings())
    'Chunks kept (k) 9 instead of 50'
    """
    return " · ".join(
        f"{dial.label} {dial.said(settings.value(dial.name))} instead of {dial.said(base.value(dial.name))}"
        for dial in differing(settings, base)
    )


def as_labelled(sentence: str) -> str:
    """A sentence of core with names of settings replaced by labels of dials, escaped for a label.

    >>> as_labelled("It would be in with retrieval.k at 90 instead of 50.")
    'It would be in with “Chunks kept \\\\(k\\\\)” at 90 instead of 50\\\\.'
    """
    for name, dial in BY_NAME.items():
        sentence = sentence.replace(name, f"“{dial.label}”")
    return words.escaped(sentence)


def profiles(settings: Settings, model: str = PACKAGED_RERANKER) -> dict[str, Settings]:
    """The settings by profile: "Quick" is ``settings``; "Careful" adds the re-ranker ``model``.

    Careful keeps the library's own settings of the re-ranker, as ``core.settings.carefully`` describes.

    >>> found = profiles(Settings().with_value("retrieval.k", 7))
    >>> list(found), found["Careful"].retrieval.k, found["Careful"].reranking.model
    (['Quick', 'Careful'], 7, 'packaged')
    """
    return {QUICK: settings, CAREFUL: carefully(settings, model)}


def profile_choice(settings: Settings) -> Settings:
    """Draw the choice of a profile; returns its settings, which the dials start from."""
    known = profiles(settings, rerankers.chosen())
    st.session_state.setdefault(state.PROFILE, QUICK)
    chosen = st.segmented_control(
        "Profile",
        list(known),
        key=state.PROFILE,
        required=True,
        label_visibility="collapsed",
        help="Careful reads the best chunks once more, each together with the question, and fills the context with the "
        "sentences of prose that say most to it. It takes longer: how long stands below the chunks. Choosing one turns "
        "all dials to it.",
        on_change=lambda: turn_to(known[st.session_state[state.PROFILE]]),
        persist_state="session",
    )
    return known.get(str(chosen), settings)


def turn_to(settings: Settings) -> None:
    """Set all dials to these settings; a callback."""
    turn({dial.name: settings.value(dial.name) for dial in DIALS})


def turn(values: Mapping[str, Any]) -> None:
    """Set some dials, by the names of their settings; a callback. Names without a dial are ignored."""
    for name, value in values.items():
        if name in BY_NAME:
            st.session_state[BY_NAME[name].key] = value


def ask_dials(base: Settings, *, writer: bool = False) -> Settings:
    """Draw the dials; returns the settings they make, or ``base`` if they contradict each other.

    ``writer``: whether a language model is set up; without one, the dials that need it are disabled.
    """
    for dial in DIALS:
        st.session_state.setdefault(dial.key, base.value(dial.name))
    wrong = ""
    try:
        settings = base.with_values({dial.name: st.session_state[dial.key] for dial in DIALS})
    except SettingsError as error:
        settings, wrong = base, str(error)
    with st.sidebar, st.container(gap="xsmall"):
        if wrong:
            st.warning(words.escaped(wrong))
        marked = differing(settings, base)
        _mark(marked)
        own = st.session_state.get(state.PROFILE, QUICK) == QUICK
        st.button(
            "Reset to the library's settings" if own else f"Reset to {CAREFUL}",
            key="ask.reset",
            icon=":material/restart_alt:",
            on_click=turn_to,
            args=[base],
            help=f"{words.count(len(marked), 'dial')} turned." if marked else "No dial is turned.",
            width="stretch",
        )
        for fold in FOLDS:
            _draw_fold(fold, settings, writer)
    return settings


def _draw_fold(fold: Fold, settings: Settings, writer: bool) -> None:
    with st.expander(fold.title, expanded=fold.open, key=f"ask.fold.{fold.name}"), st.container(gap="xsmall"):
        for dial in fold.dials:
            if dial.read(settings):
                _draw(dial, disabled=dial.writes and not writer)
        if not writer and any(dial.writes for dial in fold.dials):
            st.caption(NO_WRITER)


def _draw(dial: Dial, *, disabled: bool = False) -> None:
    value = st.session_state[dial.key]
    alike: dict[str, Any] = {"key": dial.key, "persist_state": "session", "help": dial.help or None}
    if dial.reach is not None:
        low, high, step = dial.reach
        low, high = min(low, value), max(high, value)  # settings can come from elsewhere
        st.slider(dial.label, low, high, step=step, disabled=disabled, **alike)
    elif isinstance(value, tuple | list):  # Streamlit turns a tuple into a list
        st.multiselect(dial.label, list(dial.choices or ()), format_func=dial.said, placeholder=dial.empty, **alike)
    elif dial.choices is not None:
        choices = list(dict.fromkeys([*dial.choices, value]))
        st.selectbox(dial.label, choices, format_func=dial.said, accept_new_options=dial.open, **alike)
    else:
        st.toggle(dial.label, disabled=disabled, **alike)


def _mark(turned: Sequence[Dial]) -> None:
    """Mark each changed dial, and its fold, by CSS."""
    rules = [f'.{_of(dial.key)} [data-testid="stWidgetLabel"] p::after {{ content: " · turned"; }}' for dial in turned]
    for fold in FOLDS:
        count = sum(dial in turned for dial in fold.dials)
        if count:
            rules.append(f'.{_of(f"ask.fold.{fold.name}")} summary p::after {{ content: " · {count} turned"; }}')
    if turned:
        rules.append(f':root {{ --dials: "Dials · {len(turned)} turned"; }}')
    st.html(f"<style>{' '.join(rules) or '/* all as set */'}</style>")


def _of(key: str) -> str:
    """The CSS class that Streamlit gives to an element with this key.

    >>> _of("ask.retrieval.k")
    'st-key-ask-retrieval-k'
    """
    return f"st-key-{key.replace('.', '-')}"
