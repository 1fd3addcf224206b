"""Chips for what was understood of a question (filters, rewordings, corrections); each can be removed and restored."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from textwrap import shorten

import streamlit as st

from core.search.question.analysis import Chip, Key, Keys, Understanding
from core.search.question.rewording import IMAGINED, PART, REWRITTEN, Written
from core.search.question.spelling import Respelt
from core.storage.catalogue.filing.conditions import Condition, set_aside
from pages.ui.shared import state, words

_SHOWN = 90  # characters of what a language model wrote; the tooltip has the rest
_WRITTEN = {
    REWRITTEN: "In these words of a language model it is searched.",
    PART: "A language model sees this in it: it is searched as well.",
    IMAGINED: "Made up by a language model, and never quoted: what is like it by meaning is looked for.",
}


def ignored(question: str) -> Keys:
    """The keys of the chips that the person removed from this question."""
    return frozenset(_removed(question))


def _removed(question: str) -> dict[Key, str]:
    """The words of the removed chips by key; {} for another question than the last."""
    stored: tuple[str, dict[Key, str]] = st.session_state.get(state.IGNORED) or ("", {})
    return stored[1] if stored[0] == question else {}


def take_away(question: str, key: Key, text: str) -> None:
    """Ignore what the chip of this key and text stands for; a callback."""
    st.session_state[state.IGNORED] = (question, {**_removed(question), key: text})


def bring_back(question: str, key: Key) -> None:
    """Restore a removed chip; a callback."""
    remaining = {other: text for other, text in _removed(question).items() if other != key}
    st.session_state[state.IGNORED] = (question, remaining)


def show_chips(question: str, understanding: Understanding | None, notes: Sequence[str] = ()) -> None:
    """Draw the chips, if there are any. Filters have a border and begin with "only", "not" or "without".

    ``notes``: the result's notes, which tell the filters that match nothing and are therefore ignored.
    """
    removed = _removed(question)
    chips = understanding.chips if understanding else ()
    if chips or removed:
        with st.container(horizontal=True, vertical_alignment="center", gap="xsmall"):
            st.markdown(":small[understood:]", width="content")
            for chip in chips:
                idle = isinstance(chip, Condition) and set_aside(chip) in notes
                st.button(
                    words.escaped(f"{chip.words} (nothing has it)" if idle else chip_words(chip)),
                    key=f"ask.chip.{_widget_key(chip.key)}",
                    type="secondary" if isinstance(chip, Condition) and not idle else "tertiary",
                    icon=":material/close:",
                    icon_position="right",
                    on_click=take_away,
                    args=[question, chip.key, chip.words],
                    help=f"{'It filters nothing.' if idle else _explanation(chip)} Click to take it away.",
                )
            for key, text in removed.items():
                st.button(
                    f"~~{words.escaped(shorten(text, _SHOWN, placeholder=' …'))}~~",
                    key=f"ask.chip.back.{_widget_key(key)}",
                    type="tertiary",
                    icon=":material/undo:",
                    icon_position="right",
                    on_click=bring_back,
                    args=[question, key],
                    help="Taken away. Click to bring it back.",
                )
    for note in understanding.notes if understanding else ():
        st.caption(f":material/info: {words.escaped(note)}")


def _widget_key(key: Key) -> str:
    """A chip's key as part of a widget's key; long texts of a language model are hashed."""
    kind, value = key
    return f"{kind}.{value if len(value) <= _SHOWN else sha256(value.encode()).hexdigest()[:16]}"


def chip_words(chip: Chip) -> str:
    """The label of a chip; a filter says whether it keeps or excludes.

    >>> chip_words(Condition("in", "handbook", 0, 11, "in: handbook"))
    'only in: handbook'
    >>> chip_words(Condition("not", "draft", 0, 6, "not: draft"))
    'without draft'
    """
    if not isinstance(chip, Condition):
        return shorten(chip.words, _SHOWN, placeholder=" …")
    if chip.kind == "not":
        return f"without {chip.value}"
    return chip.words if chip.denied else f"only {chip.words}"


def _explanation(chip: Chip) -> str:
    if isinstance(chip, Respelt):
        return f"“{words.escaped(chip.typed)}” stands nowhere in the library."
    if isinstance(chip, Written):
        return f"“{words.escaped(chip.value)}” {_WRITTEN[chip.kind]}"
    return "A filter: only what fits it is searched."
