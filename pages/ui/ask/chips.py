"""What was understood of a question, as chips: each can be taken away and brought back."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from textwrap import shorten

import streamlit as st

from core.search.question.analysis import Chip, Key, Keys, Understanding
from core.search.question.rewording import IMAGINED, PART, REWRITTEN, Written
from core.search.question.spelling import Respelt
from core.storage.catalogue.conditions import Condition, set_aside
from pages.ui.shared import state, words

_SHOWN = 90  # characters of what a language model wrote; the tooltip has the rest
_WRITTEN = {
    REWRITTEN: "In these words of a language model it is searched.",
    PART: "A language model sees this in it: it is searched as well.",
    IMAGINED: "Made up by a language model, and never quoted: what is like it by meaning is looked for.",
}


def ignored(question: str) -> Keys:
    """The keys of the chips that were taken away of this question."""
    return frozenset(_taken(question))


def _taken(question: str) -> dict[Key, str]:
    """Those keys with the words of their chips; another question begins anew."""
    held: tuple[str, dict[Key, str]] = st.session_state.get(state.IGNORED) or ("", {})
    return held[1] if held[0] == question else {}


def take_away(question: str, key: Key, said: str) -> None:
    """Leave something out of account; for a callback."""
    st.session_state[state.IGNORED] = (question, {**_taken(question), key: said})


def bring_back(question: str, key: Key) -> None:
    """Take it into account again; for a callback."""
    st.session_state[state.IGNORED] = (
        question,
        {held: said for held, said in _taken(question).items() if held != key},
    )


def show_chips(question: str, understanding: Understanding | None, notes: Sequence[str] = ()) -> None:
    """Draw them where there are any. A filter has a border and says "only", "not" or "without"; what was written has
    neither.

    ``notes``: of the result, among them on phrases that nothing has and that therefore filter nothing.
    """
    taken = _taken(question)
    chips = understanding.chips if understanding else ()
    if chips or taken:
        with st.container(horizontal=True, vertical_alignment="center", gap="xsmall"):
            st.markdown(":small[understood:]", width="content")
            for chip in chips:
                idle = isinstance(chip, Condition) and set_aside(chip) in notes
                st.button(
                    words.escaped(f"{chip.words} (nothing has it)" if idle else chip_words(chip)),
                    key=f"ask.chip.{_named(chip.key)}",
                    type="secondary" if isinstance(chip, Condition) and not idle else "tertiary",
                    icon=":material/close:",
                    icon_position="right",
                    on_click=take_away,
                    args=[question, chip.key, chip.words],
                    help=f"{'It filters nothing.' if idle else _told(chip)} Click to take it away.",
                )
            for key, said in taken.items():
                st.button(
                    f"~~{words.escaped(shorten(said, _SHOWN, placeholder=' …'))}~~",
                    key=f"ask.chip.back.{_named(key)}",
                    type="tertiary",
                    icon=":material/undo:",
                    icon_position="right",
                    on_click=bring_back,
                    args=[question, key],
                    help="Taken away. Click to bring it back.",
                )
    for note in understanding.notes if understanding else ():
        st.caption(f":material/info: {words.escaped(note)}")


def _named(key: Key) -> str:
    """A chip's key as a part of its widget's: texts of a language model are too long for one."""
    kind, value = key
    return f"{kind}.{value if len(value) <= _SHOWN else sha256(value.encode()).hexdigest()[:16]}"


def chip_words(chip: Chip) -> str:
    """A chip's words, which say what a condition keeps or leaves out.

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


def _told(chip: Chip) -> str:
    if isinstance(chip, Respelt):
        return f"“{words.escaped(chip.typed)}” stands nowhere in the library."
    if isinstance(chip, Written):
        return f"“{words.escaped(chip.value)}” {_WRITTEN[chip.kind]}"
    return "A filter: only what fits it is searched."
