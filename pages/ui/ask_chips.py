"""What was understood of a question, as chips: each can be taken away and brought back, some be made a filter."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from textwrap import shorten

import streamlit as st

from core.retrieval.analysis import BOOSTED, Chip, Key, Keys, Understanding, may_filter
from core.retrieval.bounds import Comparison
from core.retrieval.named_anchors import NamedAnchor
from core.retrieval.rewording import IMAGINED, PART, REWRITTEN, Written
from core.retrieval.splitting import Part
from core.settings import UnderstandingSettings
from core.storage.conditions import Condition, set_aside
from pages.ui import state, words

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


def stated(question: str) -> Keys:
    """The keys of what this question hints at and was made a filter by hand."""
    held: tuple[str, Keys] = st.session_state.get(state.STATED) or ("", frozenset())
    return held[1] if held[0] == question else frozenset()


def make_filter(question: str, key: Key) -> None:
    """Have something that the question hints at filter; for a callback."""
    st.session_state[state.STATED] = (question, stated(question) | {key})


def only_hint(question: str, key: Key) -> None:
    """Let it be a hint again; for a callback."""
    st.session_state[state.STATED] = (question, stated(question) - {key})


def show_chips(
    question: str, understanding: Understanding | None, settings: UnderstandingSettings, notes: Sequence[str] = ()
) -> None:
    """Draw them where there are any. A filter has a border and says "only", "not" or "without"; a hint has neither.

    What can be made a filter has a button for it beside it, which then takes it back. ``notes``: of the result, among
    them on phrases that nothing has and that therefore filter nothing.
    """
    taken, by_hand = _taken(question), stated(question)
    chips = understanding.chips if understanding else ()
    if chips or taken:
        with st.container(horizontal=True, vertical_alignment="center", gap="xsmall"):
            st.markdown(":small[understood:]", width="content")
            for chip in chips:
                idle = isinstance(chip, Condition) and set_aside(chip) in notes
                st.button(
                    words.escaped(f"{chip.words} (nothing has it)" if idle else chip_words(chip, settings)),
                    key=f"ask.chip.{_named(chip.key)}",
                    type="secondary" if filters(chip) and not idle else "tertiary",
                    icon=":material/close:",
                    icon_position="right",
                    on_click=take_away,
                    args=[question, chip.key, chip.words],
                    help=f"{'It filters nothing.' if idle else _told(chip, settings)} Click to take it away.",
                )
                _filter_button(question, chip, by_hand)
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


def _filter_button(question: str, chip: Chip, by_hand: Keys) -> None:
    """What makes a hint a filter, or takes that back; nothing beside what can be neither."""
    if may_filter(chip):
        label, icon, act = "Only these", ":material/filter_alt:", make_filter
        told = "Search only documents that fit it. As it stands, the others are searched as well."
    elif filters(chip) and chip.key in by_hand:
        label, icon, act = "Not only these", ":material/filter_alt_off:", only_hint
        told = "You made it a filter. Click to search the other documents again as well."
    else:
        return
    st.button(
        label,
        key=f"ask.chip.only.{_named(chip.key)}",
        type="tertiary",
        icon=icon,
        on_click=act,
        args=[question, chip.key],
        help=f"{words.escaped(chip.words.removesuffix(BOOSTED))}: {told}",
    )


def _named(key: Key) -> str:
    """A chip's key as a part of its widget's: texts of a language model are too long for one."""
    kind, value = key
    return f"{kind}.{value if len(value) <= _SHOWN else sha256(value.encode()).hexdigest()[:16]}"


def filters(chip: Chip) -> bool:
    """Whether only what fits it is searched."""
    return isinstance(chip, Condition) and chip.stated


def weight(chip: Condition | NamedAnchor | Comparison, settings: UnderstandingSettings) -> float:
    """How much a chip that does not filter lends; 0 where its boost is off.

    >>> weight(NamedAnchor("section", "Sec. 4.1", "4.1", 0, 8), UnderstandingSettings(anchor_boost=0.5))
    0.5
    """
    if isinstance(chip, NamedAnchor):
        return settings.anchor_boost
    if isinstance(chip, Comparison):
        return settings.comparison_boost
    return {"intent": settings.intent_boost, "genre": settings.genre_boost}.get(chip.kind, settings.place_boost)


def chip_words(chip: Chip, settings: UnderstandingSettings) -> str:
    """A chip's words, which say whether it filters, lends weight, or was noticed alone.

    >>> chip_words(NamedAnchor("section", "Sec. 4.1", "4.1", 0, 8), UnderstandingSettings())
    'section: 4.1 (noticed)'
    >>> chip_words(Condition("-in", "handbook", True, 0, 12, "not in: handbook"), UnderstandingSettings())
    'not in: handbook'
    """
    if isinstance(chip, Part | Written):
        return shorten(chip.words, _SHOWN, placeholder=" …")
    said = chip.words.removesuffix(BOOSTED)
    if isinstance(chip, Condition) and chip.stated:
        return f"without {chip.value}" if chip.kind == "not" else said if chip.denied else f"only {said}"
    noticed = "" if isinstance(chip, Comparison) and chip.listed else " (noticed)"
    return f"{said}{BOOSTED if weight(chip, settings) else noticed}"


def _told(chip: Chip, settings: UnderstandingSettings) -> str:
    if isinstance(chip, Part):
        return f"“{words.escaped(chip.text)}” is one thing of several that the question asks, and is searched as well."
    if isinstance(chip, Written):
        return f"“{words.escaped(chip.value)}” {_WRITTEN[chip.kind]}"
    if filters(chip):
        return "A filter: only what fits it is searched."
    lent = weight(chip, settings)
    if isinstance(chip, Comparison) and chip.listed:
        boosted = f" Their chunks gain {lent:.1f} standard deviations." if lent else ""
        return f"Numbers {chip.words} in tables of the context are quoted first.{boosted}"
    return f"It lends {lent:.1f} standard deviations." if lent else "Its boost is 0: it changes nothing."
