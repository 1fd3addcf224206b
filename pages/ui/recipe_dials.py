"""The recipe's dials: what each turns, drawn from and kept in plain values that no redrawing takes back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any

import streamlit as st

from core.settings import ANCHOR_PLACES, CHUNKERS, DIALS, PARENTS, THRESHOLDS, UNITS
from pages.ui.recipe_values import FIELDS, SIZES, Slider, Values
from pages.ui.recipe_words import (
    ANCHOR_WORDS,
    CHUNKER_HELP,
    CHUNKER_WORDS,
    OVERLAP_WORDS,
    PARENTS_WORDS,
    PREFIX_WORDS,
    STARTS,
    THRESHOLD_WORDS,
)

FIRST_OVERLAP = 0.25  # of the chunk, where overlap is switched on
_WAY = "overlap_way"


def show_dials(side: str, values: Values, turned: Callable[[str, Values], None], sliders: Mapping[str, Slider]) -> None:
    """Draw all dials of one side. ``turned(side, values)`` hears the values with one of them changed."""
    board = _Board(side, values, turned, sliders)
    board.starts()
    board.choice("chunker", "Chunker", CHUNKERS, CHUNKER_WORDS)
    chunker, unit = values["chunker"], values["unit"]
    st.caption(CHUNKER_HELP[chunker])
    for name in DIALS.get(chunker, ()):
        board.own(name)
    board.slider("max_tokens")
    board.slider("parent_max_tokens" if values["parents"] == "structure" else "parent_ratio")
    board.overlap()
    with st.expander("More dials"):
        board.choice("parents", "Parents are made of", PARENTS, PARENTS_WORDS)
        board.slider("levels")
        if values["levels"] > 2 and values["parents"] == "structure":
            board.slider("parent_ratio")
        board.prefix()
        board.choice("unit", "Sizes count", UNITS, {"tokens": "Tokens", "characters": "Characters"})
        if unit == "characters":
            st.caption("Nothing then holds a chunk within what the encoder reads.")
        board.late()


class _Board:
    """Widgets of one side over its values."""

    def __init__(
        self, side: str, values: Values, turned: Callable[[str, Values], None], sliders: Mapping[str, Slider]
    ) -> None:
        self.side, self.values, self.turned, self.sliders = side, values, turned, sliders

    def key(self, name: str, value: Any) -> str:
        """The widget's key, its state brought to the value: the values rule, also over what Streamlit remembers."""
        key = f"chunks.{'' if self.side == 'a' else f'{self.side}.'}{name}"
        if st.session_state.get(key) != value:
            st.session_state[key] = value
        return key

    def hear(self, name: str, key: str, as_kept: Callable[[Any], Any] = lambda value: value) -> None:
        self.turned(self.side, {**self.values, name: as_kept(st.session_state[key])})

    def slider(self, name: str) -> None:
        dial, value = self.sliders[name], self.values[name]
        whole = isinstance(FIELDS[name].default, int)
        number: Callable[[float], Any] = int if whole else float
        scale = 20 if name in SIZES and self.values["unit"] == "characters" else 1
        label = f"{dial.label}{self.values['unit']}" if name in SIZES else dial.label
        low, high = min(dial.low, value), max(min(dial.high * scale, dial.most), value)
        key = self.key(name, number(value))
        st.slider(
            label,
            number(low),
            number(high),
            step=number(dial.step),
            format="%d" if dial.step >= 1 else "%.1f" if dial.step >= 0.1 else "%.2f",
            key=key,
            help=dial.help or None,
            on_change=self.hear,
            args=(name, key),
        )

    def choice(self, name: str, label: str, options: tuple[str, ...], said: Mapping[str, str]) -> None:
        key = self.key(name, self.values[name])
        st.selectbox(
            label, options, key=key, format_func=lambda option: said[option], on_change=self.hear, args=(name, key)
        )

    def own(self, name: str) -> None:
        """A dial of the chosen chunker; of the thresholds' values only the chosen one's."""
        rule = name.removeprefix("semantic_")
        if name == "semantic_threshold":
            self.choice(name, "Cuts by", THRESHOLDS, THRESHOLD_WORDS)
        elif rule in THRESHOLDS:
            if rule == self.values["semantic_threshold"]:
                self.slider(name)
        elif name in self.sliders:
            self.slider(name)
        elif name == "anchor_at":
            self.choice(name, "A window", ANCHOR_PLACES, ANCHOR_WORDS)
        elif name == "anchors":
            key = self.key(name, "\n".join(self.values[name]))
            told = "Regular expressions, one a line. Headings and common words are anchors anyway."
            st.text_area("Your anchors", key=key, height=80, help=told, on_change=self.hear, args=(name, key, _lines))
        elif name == "table_sentences":
            key = self.key(name, self.values[name])
            told = "The embedder reads “In 2023, revenue was 5 M” beside the row."
            st.toggle("Rows as sentences", key=key, help=told, on_change=self.hear, args=(name, key))

    def overlap(self) -> None:
        way = self.values["overlap"] if self.values["overlap_tokens"] else "off"
        key = self.key(_WAY, way)
        told = "Adaptive: more near tables, code and cuts inside a sentence, less inside even prose."
        st.segmented_control(
            "Overlap",
            list(OVERLAP_WORDS),
            format_func=OVERLAP_WORDS.__getitem__,
            key=key,
            required=True,
            help=told,
            on_change=self.hear_way,
            args=(key,),
        )
        if way != "off":
            self.slider("overlap_tokens")

    def hear_way(self, key: str) -> None:
        way = st.session_state[key]
        first = self.values["overlap_tokens"] or int(FIRST_OVERLAP * self.values["max_tokens"])
        new = {"overlap_tokens": 0} if way == "off" else {"overlap": way, "overlap_tokens": first}
        self.turned(self.side, {**self.values, **new})

    def prefix(self) -> None:
        key = self.key("prefix", [kind for kind in PREFIX_WORDS if kind in self.values["prefix"]])
        st.pills(
            "Read before a chunk",
            list(PREFIX_WORDS),
            selection_mode="multi",
            format_func=PREFIX_WORDS.__getitem__,
            key=key,
            on_change=self.hear,
            args=("prefix", key, _in_order),
        )
        if self.values["prefix"]:
            self.slider("prefix_max_tokens")

    def late(self) -> None:
        key = self.key("vectors", self.values["vectors"] == "late")
        told = "Late chunking: the encoder reads a whole window, and a chunk's vector is pooled from its tokens there."
        st.toggle("Vectors of the whole window", key=key, help=told, on_change=self.hear, args=("vectors", key, _late))

    def starts(self) -> None:
        key = self.key("start", None)
        st.selectbox(
            "Start from",
            list(STARTS),
            key=key,
            index=None,
            placeholder="Start from …",
            label_visibility="collapsed",
            on_change=self.start,
            args=(key,),
        )

    def start(self, key: str) -> None:
        name = st.session_state[key]
        if name is not None:
            self.turned(self.side, asdict(STARTS[name]))


def _lines(text: str) -> tuple[str, ...]:
    return tuple(line.strip() for line in text.splitlines() if line.strip())


def _in_order(kinds: list[str]) -> tuple[str, ...]:
    return tuple(kind for kind in PREFIX_WORDS if kind in kinds)


def _late(on: bool) -> str:
    return "late" if on else "chunk"
