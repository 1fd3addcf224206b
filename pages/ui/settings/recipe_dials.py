"""The recipe's dials: what each turns, drawn from and kept in plain values that no redrawing takes back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

import streamlit as st

from core.settings import ANCHOR_PLACES, CHUNKERS, DIALS, PARENTS, THRESHOLDS, UNITS, WRITTEN_FOR
from pages.ui.settings.recipe_values import FIELDS, SIZES, Slider, Values, in_order, late_or_not
from pages.ui.settings.recipe_words import (
    ALIAS_WORDS,
    ANCHOR_WORDS,
    CHUNKER_HELP,
    CHUNKER_WORDS,
    OVERLAP_WORDS,
    PARENTS_WORDS,
    PREFIX_WORDS,
    STARTS,
    THRESHOLD_WORDS,
    WRITTEN_FOR_WORDS,
)
from pages.ui.shared import words

FIRST_OVERLAP = 0.25  # of the chunk, where overlap is switched on
_WAY = "overlap_way"


def show_dials(
    side: str,
    values: Values,
    turned: Callable[[Values], None],
    started: Callable[[str, Values], None],
    sliders: Mapping[str, Slider],
    anew: int = 0,
) -> None:
    """Draw all dials of one side.

    ``turned`` hears the values of the dials that were turned alone, for several may be turned before the next drawing;
    ``started(side, values)`` hears all of a recipe to start from. ``anew``: how often all were set at once; each time
    they are other widgets, so that what the window reports of those before is not taken for a turn.
    """
    board = _Board(side, values, turned, started, sliders, anew)
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


@dataclass(frozen=True, slots=True)
class _Board:
    """Widgets of one side over its values; what they are made of, ``show_dials`` says."""

    side: str
    values: Values
    turned: Callable[[Values], None]
    started: Callable[[str, Values], None]
    sliders: Mapping[str, Slider]
    anew: int

    def name(self, name: str) -> str:
        """The widget's key."""
        return f"chunks.{'' if self.side == 'a' else f'{self.side}.'}{name}{f'.{self.anew}' if self.anew else ''}"

    def at(self, name: str, value: Any, /, **given: Any) -> Values:
        """How its widget is drawn: its key, and its value ``given``, or set where Streamlit remembers another.

        What is set reaches the window with that one drawing, and is lost where it is cut short: the window would then
        show, and report, the least there is. What is given comes with every drawing.
        """
        key = self.name(name)
        if key in st.session_state and st.session_state[key] != value:
            st.session_state[key] = value
            given = {}
        return {"key": key, **given}

    def hear(self, name: str, as_kept: Callable[[Any], Any] = lambda value: value) -> None:
        self.turned({name: as_kept(st.session_state[self.name(name)])})

    def slider(self, name: str) -> None:
        dial, value = self.sliders[name], self.values[name]
        whole = isinstance(FIELDS[name].default, int)
        number: Callable[[float], Any] = int if whole else float
        scale = 20 if name in SIZES and self.values["unit"] == "characters" else 1
        label = f"{dial.label}{self.values['unit']}" if name in SIZES else dial.label
        low, high = min(dial.low, value), max(min(dial.high * scale, dial.most), value)
        st.slider(
            label,
            number(low),
            number(high),
            step=number(dial.step),
            format="%d" if dial.step >= 1 else "%.1f" if dial.step >= 0.1 else "%.2f",
            help=dial.help or None,
            on_change=self.hear,
            args=(name,),
            **self.at(name, number(value), value=number(value)),
        )

    def choice(self, name: str, label: str, options: tuple[str, ...], said: Mapping[str, str]) -> None:
        at = self.at(name, self.values[name], index=options.index(self.values[name]))
        st.selectbox(label, options, format_func=said.__getitem__, on_change=self.hear, args=(name,), **at)

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
            lines = "\n".join(self.values[name])
            told = "Regular expressions, one a line. Headings and common words are anchors anyway."
            at = self.at(name, lines, value=lines)
            st.text_area("Your anchors", height=80, help=told, on_change=self.hear, args=(name, words.lines), **at)
        elif name == "table_key":
            at = self.at(name, self.values[name], value=self.values[name])
            told = "A chunk begins wherever the value in the column of this name changes. Empty: none."
            st.text_input("Rows grouped by", help=told, on_change=self.hear, args=(name, str.strip), **at)

    def overlap(self) -> None:
        way = self.values["overlap"] if self.values["overlap_tokens"] or self.values["overlap_percent"] else "off"
        told = "Adaptive: all where a chunk begins inside a table, list, code or sentence; less before whole blocks."
        st.segmented_control(
            "Overlap",
            list(OVERLAP_WORDS),
            format_func=OVERLAP_WORDS.__getitem__,
            required=True,
            help=told,
            on_change=self.hear_way,
            **self.at(_WAY, way, default=way),
        )
        if way != "off":
            self.slider("overlap_tokens")
            self.slider("overlap_percent")

    def hear_way(self) -> None:
        way = st.session_state[self.name(_WAY)]
        share = self.values["overlap_percent"]
        first = self.values["overlap_tokens"] or (0 if share else int(FIRST_OVERLAP * self.values["max_tokens"]))
        off = {"overlap_tokens": 0, "overlap_percent": 0.0}
        new = off if way == "off" else {"overlap": way, "overlap_tokens": first}
        self.turned(new)

    def prefix(self) -> None:
        kinds = [kind for kind in PREFIX_WORDS if kind in self.values["prefix"]]
        st.pills(
            "Read before a chunk",
            list(PREFIX_WORDS),
            selection_mode="multi",
            format_func=PREFIX_WORDS.__getitem__,
            on_change=self.hear,
            args=("prefix", in_order),
            **self.at("prefix", kinds, default=kinds),
        )
        if self.values["prefix"]:
            self.slider("prefix_max_tokens")
        aliases = [kind for kind in ALIAS_WORDS if kind in self.values["aliases"]]
        st.pills(
            "Found besides by what a language model writes",
            list(ALIAS_WORDS),
            selection_mode="multi",
            format_func=ALIAS_WORDS.__getitem__,
            on_change=self.hear,
            args=("aliases", in_order),
            **self.at("aliases", aliases, default=aliases),
        )
        if "written" in self.values["prefix"] or aliases:
            self.choice("written_for", "A language model writes of", WRITTEN_FOR, WRITTEN_FOR_WORDS)
            st.caption("Nothing is written before you apply it, which tells the cost. Without a model, nothing is.")

    def late(self) -> None:
        at = self.at("vectors", self.values["vectors"] == "late", value=self.values["vectors"] == "late")
        told = "Late chunking: the encoder reads a whole window, and a chunk's vector is pooled from its tokens there."
        st.toggle("Vectors of the whole window", help=told, on_change=self.hear, args=("vectors", late_or_not), **at)

    def starts(self) -> None:
        st.selectbox(
            "Start from",
            list(STARTS),
            placeholder="Start from …",
            label_visibility="collapsed",
            on_change=self.start,
            **self.at("start", None, index=None),
        )

    def start(self) -> None:
        name = st.session_state[self.name("start")]
        if name is not None:
            self.started(self.side, asdict(STARTS[name]))
