"""The keyboard shortcuts of a page: the sheet that lists them, opened by ``?``, and ``/`` for the question field."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from pages.ui.shared import assets

Keys = Sequence[tuple[Sequence[str], str]]  # keys, and what they do

CHUNKS: Keys = (
    (("]",), "Next chunk"),
    (("[",), "Previous chunk"),
    (("f",), "Find in this document; Ctrl F or ⌘ F too"),
    (("g",), "Keep the marked words as an answer (gold), or the chosen chunk where none are marked"),
    (("w",), "Why the question asked last does not bring the marked words, or the chosen chunk"),
    (("Tab",), "From the text to a boundary, and why it is there; then ↑ ↓ from one to the next"),
    (("←", "→"), "On a boundary: move it by a word, with Shift by a sentence; Enter keeps, Esc cancels"),
    (("m",), "On a boundary: merge the chunks it parts"),
    (("s",), "Split the chunk at the word clicked last, or where the marked words begin"),
    (("d",), "Switch the chosen chunk off, or one that is off on again"),
    (("p",), "Pin the chosen chunk, or let it go"),
    (("Ctrl Z",), "Undo the last edit; with Shift, redo it"),
    (("Enter",), "Next match, while finding"),
    (("Shift Enter",), "Previous match"),
    (("Esc",), "Close find"),
    (("↑", "↓"), "In the tree: from row to row"),
    (("←", "→"), "In the tree: close and open"),
    (("?",), "This sheet"),
)
ASK: Keys = (
    (("/",), "To the question"),
    (("Enter",), "Ask; on a hit: open it in Chunks"),
    (("↑", "↓"), "From hit to hit"),
    (("Home", "End"), "First and last hit"),
    (("g",), "Keep the marked words as an answer (gold), or the lit hit where none are marked"),
    (("w",), "Why the marked words are not read, or the lit hit"),
    (("?",), "This sheet"),
)

_keys = st.components.v2.component(
    "lectern.keys",
    html=assets.text(__file__, "keys.html"),
    css=assets.text(__file__, "palette.css", "keys.css"),
    js=assets.text(__file__, "offsets.js", "mounting.js", "keys.js"),
)


def show_keys(keys: Keys, question: str = "", *, button: bool = True) -> None:
    """Listen for ``?``, which opens the sheet of keys.

    ``question``: the label of the field that ``/`` focuses, "" for none. ``button``: draw a button for the sheet, too.
    """
    rows = [[list(names), meaning] for names, meaning in keys]
    _keys(key="keys", data={"keys": rows, "question": question, "button": button})
