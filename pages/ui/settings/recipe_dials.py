"""The widgets of a chunking recipe. Their values are kept apart from Streamlit's widget state, so redraws lose none."""

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

FIRST_OVERLAP = 0.25  # share of the chunk that overlaps when overlap is switched on
_OVERLAP_MODE = "overlap_way"


def show_dials(
    side: str,
    values: Values,
    turned: Callable[[Values], None],
    started: Callable[[str, Values], None],
    sliders: Mapping[str, Slider],
    anew: int = 0,
) -> None:
    """Draw the dials of one side of a comparison, at ``values``.

    ``turned``: called with the changed values only, because several dials may change before the next redraw.
    ``started``: called with the side and all values of a recipe to start from. ``anew``: a counter of how often all
    values were set at once; it is part of the widgets' keys, so that late reports of the previous widgets are ignored.
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
    """The widgets of one side. Fields as the parameters of ``show_dials``."""

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
        """Arguments of a dial's widget: its key, and ``given``, which names its value as a default.

        If the session has another value under that key, it is set there instead. That reaches the browser with this
        run only and is lost if the run is stopped; the widget would then show and report its lowest value. So the
        default is given whenever the two agree.
        """
        key = self.name(name)
        if key in st.session_state and st.session_state[key] != value:
            st.session_state[key] = value
            given = {}
        return {"key": key, **given}

    def report(self, name: str, convert: Callable[[Any], Any] = lambda value: value) -> None:
        """A widget's callback: passes its value, converted to the setting's type, to ``turned``."""
        self.turned({name: convert(st.session_state[self.name(name)])})

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
            on_change=self.report,
            args=(name,),
            **self.at(name, number(value), value=number(value)),
        )

    def choice(self, name: str, label: str, options: tuple[str, ...], titles: Mapping[str, str]) -> None:
        at = self.at(name, self.values[name], index=options.index(self.values[name]))
        st.selectbox(label, options, format_func=titles.__getitem__, on_change=self.report, args=(name,), **at)

    def own(self, name: str) -> None:
        """A dial of the chosen chunker. Of the thresholds' values, only that of the chosen threshold is drawn."""
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
            about = "Regular expressions, one a line. Headings and common words are anchors anyway."
            at = self.at(name, lines, value=lines)
            st.text_area("Your anchors", height=80, help=about, on_change=self.report, args=(name, words.lines), **at)
        elif name == "table_key":
            at = self.at(name, self.values[name], value=self.values[name])
            about = "A chunk begins wherever the value in the column of this name changes. Empty: none."
            st.text_input("Rows grouped by", help=about, on_change=self.report, args=(name, str.strip), **at)

    def overlap(self) -> None:
        mode = self.values["overlap"] if self.values["overlap_tokens"] or self.values["overlap_percent"] else "off"
        about = "Adaptive: all where a chunk begins inside a table, list, code or sentence; less before whole blocks."
        st.segmented_control(
            "Overlap",
            list(OVERLAP_WORDS),
            format_func=OVERLAP_WORDS.__getitem__,
            required=True,
            help=about,
            on_change=self.report_overlap,
            **self.at(_OVERLAP_MODE, mode, default=mode),
        )
        if mode != "off":
            self.slider("overlap_tokens")
            self.slider("overlap_percent")

    def report_overlap(self) -> None:
        """Switch overlap off, or to a mode; without a size yet, it gets ``FIRST_OVERLAP`` of the chunk."""
        mode = st.session_state[self.name(_OVERLAP_MODE)]
        if mode == "off":
            self.turned({"overlap_tokens": 0, "overlap_percent": 0.0})
            return
        tokens = self.values["overlap_tokens"]
        if not tokens and not self.values["overlap_percent"]:
            tokens = int(FIRST_OVERLAP * self.values["max_tokens"])
        self.turned({"overlap": mode, "overlap_tokens": tokens})

    def prefix(self) -> None:
        kinds = [kind for kind in PREFIX_WORDS if kind in self.values["prefix"]]
        st.pills(
            "Read before a chunk",
            list(PREFIX_WORDS),
            selection_mode="multi",
            format_func=PREFIX_WORDS.__getitem__,
            on_change=self.report,
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
            on_change=self.report,
            args=("aliases", in_order),
            **self.at("aliases", aliases, default=aliases),
        )
        if "written" in self.values["prefix"] or aliases:
            self.choice("written_for", "A language model writes of", WRITTEN_FOR, WRITTEN_FOR_WORDS)
            st.caption("Nothing is written before you apply it, which tells the cost. Without a model, nothing is.")

    def late(self) -> None:
        at = self.at("vectors", self.values["vectors"] == "late", value=self.values["vectors"] == "late")
        about = "Late chunking: the encoder reads a whole window, and a chunk's vector is pooled from its tokens there."
        st.toggle("Vectors of the whole window", help=about, on_change=self.report, args=("vectors", late_or_not), **at)

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
