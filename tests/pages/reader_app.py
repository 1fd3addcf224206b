"""An app with nothing but the reader, over a document of as many characters as the address asks for.

Its cuts are its own, by words: a slider cuts anew, and every edit has an answer. ``?two=1`` compares two readers.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, field, replace
from hashlib import blake2b

import streamlit as st

from core.chunking.auditing import SWITCHED_OFF, Audit, Gap
from core.inspecting.findings import Unread
from core.parsing import parse
from core.settings import Settings
from core.types import BlockKind, Chunk, ChunkTree, Document, PrefixPart
from pages.ui.reader import reader_messages as reader_told
from pages.ui.reader.data import Reading, read_cut
from pages.ui.reader.reader import Half, shelve, show_reader
from pages.ui.reader.reader_messages import Arrival
from pages.ui.reader.text import TextReading, read_text
from pages.ui.shared.entry import follow_theme

SENTENCE = "The gauge at the weir was read at noon, and the level was noted. "
TABLE = "| gauge | level | flow |\n|---|---|---|\n| weir | 112 cm | 40 l/s |\n| lock | 98 cm | 31 l/s |\n\n"
PARENT_LEAVES = 6


def section(number: int) -> str:
    """One section in three has a table, so that heights differ from what a count of characters says."""
    table = TABLE if number % 3 == 0 else ""
    return f"## Section {number}\n\n{table}{SENTENCE * (8 + number % 29)}\n\nThe fjörd of mark {number}.\n\n"


@st.cache_resource
def book(characters: int) -> tuple[Document, TextReading]:
    """The document, parsed as any other."""
    parts = ["# A long book 🚀\n\n"]
    written = 0
    while written < characters:
        parts.append(section(len(parts)))
        written += len(parts[-1])
    document = parse("".join(parts).encode(), "book.md", Settings().parsing)
    return document, read_text(document)


@dataclass(frozen=True, slots=True)
class Cut:
    """Where leaves begin and what a person did to them. ``overlap``: characters. ``levels``: of parents above them."""

    starts: tuple[int, ...]
    edits: tuple[tuple[str, int, int, str], ...] = ()
    off: frozenset[tuple[int, int]] = frozenset()
    overlap: int = 0
    levels: int = 1


@dataclass(slots=True)
class History:
    """The cuts before and after this one, and the line that says what was done."""

    now: Cut
    before: list[Cut] = field(default_factory=list)
    after: list[Cut] = field(default_factory=list)
    line: str = ""
    wrong: bool = False
    serial: int = 0


@st.cache_resource
def starts_by_words(characters: int, size: int) -> tuple[int, ...]:
    """A leaf begins with every heading and table, and every ``size`` words in between."""
    document, _ = book(characters)
    found: list[int] = []
    for block in document.blocks:
        words = [word.start() for word in re.finditer(r"\S+", document.text[block.start : block.end])]
        joined = block.kind is BlockKind.PARAGRAPH and found and found[-1] != block.start and len(words) < 9
        found += (
            []
            if joined
            else [block.start + at for at in words[:: size if block.kind is BlockKind.PARAGRAPH else 10**9]]
        )
    return tuple(found)


def reading(characters: int, cut: Cut) -> Reading:
    """The document in a cut, as the reader draws it."""
    return _reading(characters, hash(cut), cut)


@st.cache_resource(max_entries=40)
def _reading(characters: int, name: int, _cut: Cut) -> Reading:
    document, text = book(characters)
    cut = _cut
    return read_cut(text, *cut_tree(document, cut), 256, [Unread(3, cut.starts[3] + 30, cut.starts[4] - 1, 30)])


def cut_tree(document: Document, cut: Cut) -> tuple[ChunkTree, Audit]:
    """Leaves from one start to the next under parents of six, and the audit."""
    text, chunks = document.text, list[Chunk]()
    headings = [block for block in document.blocks if block.kind is BlockKind.HEADING]
    places = [block.start for block in headings]

    def family(spans: list[tuple[int, int]], level: int, parent: str | None) -> None:
        """Chunks of a level over leaves in order, each with its own below it."""
        size = PARENT_LEAVES**level
        for at in range(0, len(spans), size):
            start, end = spans[at][0], spans[min(len(spans), at + size) - 1][1]
            if level:
                made = chunk_of(text, start, end, level, parent)
                chunks.append(made)
                family(spans[at : at + size], level - 1, made.chunk_id)
                continue
            above = headings[max(0, bisect_right(places, start) - 1)]
            heading = text[above.start : above.end].strip("# \n")
            leaf = chunk_of(text, max(spans[0][0], start - cut.overlap), end, 0, parent)
            prefix = (PrefixPart("heading", heading),)
            why = ("begins: the window before is full", f"ends: {end - start} characters are a full window")
            chunks.append(replace(leaf, headings=(heading,), prefix=prefix, reasons=why))

    family(
        [span for span in zip(cut.starts, (*cut.starts[1:], len(text)), strict=True) if span not in cut.off],
        cut.levels,
        None,
    )
    gaps = tuple(Gap(start, end, SWITCHED_OFF) for start, end in sorted(cut.off))
    return ChunkTree(document, tuple(chunks)), Audit(
        len(text), len(text) - sum(gap.end - gap.start for gap in gaps), gaps
    )


def chunk_of(text: str, start: int, end: int, level: int, parent: str | None) -> Chunk:
    name = blake2b(f"{level} {start} {end}".encode(), digest_size=8).hexdigest()
    tokens = (end - start) // 5
    return Chunk(name, level, parent, start, end, text[start:end], tokens, 0 if level else tokens + 2)


def edit() -> None:
    """Answer what a person asked for: a new cut, or a line that says why not."""
    history: History = st.session_state["history"]
    for asked in reader_told.edits_asked("reader"):
        history.serial += 1
        history.wrong = False
        if asked.kind in ("undo", "redo"):
            source, target = (history.before, history.after)[:: 1 if asked.kind == "undo" else -1]
            target.append(history.now)
            history.now, history.line = source.pop(), "Taken back." if asked.kind == "undo" else "Done again."
            continue
        changed = edited(history.now, asked)
        history.wrong = changed is None
        history.line = f"Done: {asked.kind} at {asked.at} to {asked.to}." if changed else "That is refused here."
        if changed:
            history.before.append(history.now)
            history.now, history.after = changed, []


def edited(cut: Cut, asked: reader_told.EditRequest) -> Cut | None:
    """The cut after one edit; ``None``: it is refused."""
    at, span = asked.at or 0, (asked.start or 0, asked.end or 0)
    starts = set(cut.starts)
    match asked.kind:
        case "merge":
            return replace(cut, starts=tuple(sorted(starts - {at})), edits=(*cut.edits, ("merge", *span, "merged")))
        case "split":
            return replace(cut, starts=tuple(sorted(starts | {at})), edits=(*cut.edits, ("split", at, at, "split")))
        case "move":
            to = asked.to or 0
            moved = tuple(sorted(starts - {at} | {to}))
            return replace(cut, starts=moved, edits=(*cut.edits, ("move", to, to, "boundary moved")))
        case "disable":
            row = ("disable", *span, "switched off")
            return replace(
                cut,
                off=cut.off ^ {span},
                edits=tuple(e for e in cut.edits if e != row) + (row,) * (span not in cut.off),
            )
        case "pin" if span[0] > 0:
            row = ("pin", *span, "pinned")
            return replace(cut, edits=tuple(e for e in cut.edits if e != row) + (row,) * (row not in cut.edits))
    return None


def compared(cut: Cut, other: Cut) -> list[tuple[int, str]]:
    """The cuts of one beside the other's."""
    mine, theirs = set(cut.starts), set(other.starts)
    fates = [(at, "agreed" if at in theirs else "added") for at in cut.starts]
    return sorted(fates + [(at, "removed") for at in theirs - mine])[:4000]


@st.fragment
def draw(characters: int) -> None:
    """As on the Chunks page: a dial, a choice and an edit run this alone."""
    size = st.slider("Words", 20, 200, 80, step=10)
    base = Cut(starts_by_words(characters, size))
    if "history" not in st.session_state or st.session_state.get("size") != size:
        st.session_state.update(history=History(base), size=size)
    history: History = st.session_state["history"]
    if st.button("Jump"):
        st.session_state["jump"] = {
            "start": 90_000,
            "end": 90_040,
            "count": st.session_state.get("jump", {"count": 0})["count"] + 1,
        }
    notice = {"serial": history.serial, "text": history.line, "undo": bool(history.before), "wrong": history.wrong}
    told = reader_told.editing(
        history.now.edits,
        ["“split” no longer fits: its words are gone."] if len(history.now.edits) > 1 else (),
        notice if history.line else None,
        can_undo=bool(history.before),
        can_redo=bool(history.after),
    )
    shown = reading(characters, history.now)
    two = "two" in st.query_params
    card = {
        "leaf": 1,
        "features": [
            ("section type", "steps"),
            ("Refers to", [("section 40", 90_000, 90_040, ""), ("Smith (2020)", -1, -1, "")]),
            ("See", [("Another book", 30, 60, "other")]),
        ],
        "near_duplicates": [(5, "93 % alike")],
        "notes": ["What is known of it: looking through the whole text …"],
    }
    other = Cut(starts_by_words(characters, 50), overlap=30, levels=5)
    choice = show_reader(
        shown,
        Arrival(),
        key="reader",
        editing=None if two else told,
        jump=st.session_state.get("jump"),
        card=card,
        half=Half("A", 340, compared(history.now, other)) if two else Half(),
        on={"edit": edit},
    )
    if two:
        show_reader(reading(characters, other), Arrival(), key="second", half=Half("B", 340))
    st.write(choice.leaf)
    st.write(f"caret {choice.caret}")
    st.write(f"opened {' '.join(map(str, (st.session_state['reader'].get('open') or ())[:3]))}")


if __name__ == "__main__":  # pytest imports this file too, in search of doctests
    st.set_page_config(layout="wide")
    length = int(st.query_params["characters"])
    shelve(book(length)[1], key="shelf")
    draw(length)
    follow_theme()  # below the reader, which stands where it would without
