"""What was understood of a question, as chips: each can be taken away, and brought back."""

from __future__ import annotations

from hashlib import sha256
from textwrap import shorten

import streamlit as st

from core.retrieval.analysis import Chip, Key, Understanding
from core.retrieval.named_anchors import NamedAnchor
from core.retrieval.rewording import IMAGINED, PART, REWRITTEN, Written
from core.settings import UnderstandingSettings
from core.storage.conditions import Condition
from pages.ui import state, words

_BOOSTED = " (boost)"
_SHOWN = 90  # characters of what a language model wrote; the tooltip has the rest
_WRITTEN = {
    REWRITTEN: "In these words of a language model it is searched.",
    PART: "A language model sees this in it: it is searched as well.",
    IMAGINED: "Made up by a language model, and never quoted: what is like it by meaning is looked for.",
}


def ignored(question: str) -> frozenset[Key]:
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


def show_chips(question: str, understanding: Understanding | None, settings: UnderstandingSettings) -> None:
    """Draw them where there are any. A filter has a border and says "only"; what only lends weight has neither."""
    taken = _taken(question)
    chips = understanding.chips if understanding else ()
    if chips or taken:
        with st.container(horizontal=True, vertical_alignment="center", gap="xsmall"):
            st.markdown(":small[understood:]", width="content")
            for chip in chips:
                st.button(
                    words.escaped(chip_words(chip, settings)),
                    key=f"ask.chip.{_named(chip.key)}",
                    type="secondary" if filters(chip) else "tertiary",
                    icon=":material/close:",
                    icon_position="right",
                    on_click=take_away,
                    args=[question, chip.key, chip.words],
                    help=f"{_told(chip, settings)} Click to take it away.",
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
    if understanding and len(understanding.parts) > 1 and not any(one.kind == PART for one in understanding.written):
        parts = " · ".join(f"“{part.text}”" for part in understanding.parts)
        st.caption(words.escaped(f"Searched in {len(understanding.parts)} parts: {parts}"))
    for note in understanding.notes if understanding else ():
        st.caption(f":material/info: {words.escaped(note)}")


def _named(key: Key) -> str:
    """A chip's key as a part of its widget's: texts of a language model are too long for one."""
    kind, value = key
    return f"{kind}.{value if len(value) <= _SHOWN else sha256(value.encode()).hexdigest()[:16]}"


def filters(chip: Chip) -> bool:
    """Whether only what fits it is searched."""
    return isinstance(chip, Condition) and chip.stated


def weight(chip: Condition | NamedAnchor, settings: UnderstandingSettings) -> float:
    """How much a chip that does not filter lends; 0 where its boost is off.

    >>> weight(NamedAnchor("section", "Sec. 4.1", "4.1", 0, 8), UnderstandingSettings(anchor_boost=0.5))
    0.5
    """
    if isinstance(chip, NamedAnchor):
        return settings.anchor_boost
    return {"intent": settings.intent_boost, "genre": settings.genre_boost}.get(chip.kind, settings.place_boost)


def chip_words(chip: Chip, settings: UnderstandingSettings) -> str:
    """A chip's words, which say whether it filters, lends weight, or was noticed alone.

    >>> chip_words(NamedAnchor("section", "Sec. 4.1", "4.1", 0, 8), UnderstandingSettings())
    'section: 4.1 (noticed)'
    """
    if isinstance(chip, Written):
        return shorten(chip.words, _SHOWN, placeholder=" …")
    said = chip.words.removesuffix(_BOOSTED)
    if filters(chip):
        return f"without {chip.value}" if chip.kind == "not" else f"only {said}"
    return f"{said}{_BOOSTED if weight(chip, settings) else ' (noticed)'}"


def _told(chip: Chip, settings: UnderstandingSettings) -> str:
    if isinstance(chip, Written):
        return f"“{words.escaped(chip.value)}” {_WRITTEN[chip.kind]}"
    if filters(chip):
        return "A filter: only what fits it is searched."
    lent = weight(chip, settings)
    return f"It lends {lent:.1f} standard deviations." if lent else "Its boost is 0: it changes nothing."
