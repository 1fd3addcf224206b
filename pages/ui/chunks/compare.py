"""Two cuts of one text compared: shared boundaries, gold spans that are cut apart, and chunk sizes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

import streamlit as st

from core.chunking.edits.edits import Edit
from core.inspecting.comparing import Agreement, Comparison, compare
from core.inspecting.findings import Defect
from core.library import SourceRow
from core.settings import ChunkingSettings
from core.types import Span
from pages.ui.chunks import state as chunks_state
from pages.ui.chunks.state import Shown
from pages.ui.settings.recipe_words import STARTS, in_short
from pages.ui.shared import services, state, words

APPLIED, OWN = "As it is cut now", "Another set of dials"
OTHERS = (APPLIED, OWN, *STARTS)
MOST_MARKS = 4000
_SHOWN = 12


@dataclass(frozen=True, slots=True)
class CutPair:
    """Both sides of a comparison. ``found``: how B differs from A; ``None`` while either cut is being made."""

    a: Shown
    b: Shown
    found: Comparison | None

    @property
    def marks(self) -> list[tuple[int, str]]:
        """The marks of both readers: (position, "agreed", "added" by B, or "removed" by B)."""
        if self.found is None:
            return []
        return [(cut.position, cut.agreement.value) for cut in self.found.cuts[:MOST_MARKS]]


def chosen_other() -> str | None:
    """The name of the recipe to compare with, ``None`` for none."""
    other = st.session_state.get(state.CHUNKS_OTHER)
    return other if other in OTHERS else None


def show_choice() -> None:
    """Draw the choice of the recipe to compare with."""
    state.forget_unoffered(state.CHUNKS_OTHER, [*OTHERS, None])
    st.selectbox(
        "Compare with",
        OTHERS,
        index=None,
        placeholder="Compare with …",
        key=state.CHUNKS_OTHER,
        label_visibility="collapsed",
        persist_state="session",
        on_change=_other_chosen,
    )


def _other_chosen() -> None:
    """Reset the dials of the second side, and show them if there is one."""
    other = st.session_state.get(state.CHUNKS_OTHER)
    chunks_state.turn("b", None)
    st.session_state[state.CHUNKS_SIDE] = "b" if other == OWN else "a"


def compared(source: SourceRow, a: Shown, other: str, edits: Sequence[Edit]) -> CutPair:
    """The second side, compared with the first."""
    b = chunks_state.shown("b", source, edits, other)
    done = not (a.waiting or b.waiting)
    return CutPair(a, b, _compare(a, b, gold_of(source.version_id)) if done else None)


def _compare(a: Shown, b: Shown, gold: Sequence[Span]) -> Comparison:
    """``compare``, cached for the last pair."""
    cached: tuple[object, Comparison] | None = st.session_state.get("chunks.comparison")
    key = (a.cut, b.cut, tuple(gold))
    if cached is None or cached[0] != key:
        cached = (key, compare(a.cut.tree, b.cut.tree, gold))
        st.session_state["chunks.comparison"] = cached
    return cached[1]


def gold_of(version: str) -> list[Span]:
    """The gold spans of a document."""
    rows = services.library().judgments(version)
    return sorted({Span(row.start, row.end) for row in rows if row.start is not None and row.end is not None})


def show_comparison(pair: CutPair) -> None:
    """Draw the figures of a comparison."""
    if pair.found is None:
        st.caption("Comparing when both cuts are made …")
        return
    found = pair.found
    counts = {agreement: len(found.of(agreement)) for agreement in Agreement}
    st.markdown(
        f"**=** {counts[Agreement.AGREED]:,} cuts in both · **▲** {counts[Agreement.ADDED]:,} only in B · "
        f"**▽** {counts[Agreement.REMOVED]:,} only in A"
    )
    st.button(
        "Take B's dials",
        key="chunks.take_b",
        icon=":material/arrow_upward:",
        help="The document is then shown cut as B is. Nothing is indexed before you press Apply above the dials.",
        disabled=chunks_state.same(pair.a.settings, pair.b.settings),
        on_click=take_b,
        args=(pair.b.settings,),
    )
    st.table(table(pair), border="horizontal")
    _severed(pair, found)
    if len(found.cuts) > MOST_MARKS:
        st.caption(f"The first {MOST_MARKS:,} cuts are marked.")


def take_b(settings: ChunkingSettings) -> None:
    """Set A's dials to B's and end the comparison, so that B's cut becomes the trial that can be applied."""
    chunks_state.turn("a", asdict(settings))
    chunks_state.turn("b", None)
    st.session_state[state.CHUNKS_OTHER] = None
    st.session_state[state.CHUNKS_SIDE] = "a"
    st.session_state[state.CHUNKS_WANTED] = True  # the choice of the comparison is drawn outside the fragment


def table(pair: CutPair) -> dict[str, list[str]]:
    """Both cuts side by side, as columns: recipe, number and sizes of chunks, findings, severed gold spans."""
    assert pair.found is not None  # noqa: S101 - called only when both cuts are made
    a, b, gold = pair.found.sizes_a, pair.found.sizes_b, len(pair.found.gold)
    truncated = [side.cut.health.counts.get(Defect.TRUNCATED, 0) for side in (pair.a, pair.b)]
    rows: list[tuple[str, str, str]] = [
        ("Cut by", in_short(pair.a.settings), in_short(pair.b.settings)),
        ("Chunks", f"{a.leaves:,}", f"{b.leaves:,}"),
        ("Median, tokens", f"{a.median:,.0f}", f"{b.median:,.0f}"),
        ("Smallest, tokens", f"{a.smallest:,}", f"{b.smallest:,}"),
        ("Largest, tokens", f"{a.largest:,}", f"{b.largest:,}"),
        ("Read in part", f"{truncated[0]:,}", f"{truncated[1]:,}"),
        ("Parents", f"{a.parents:,}", f"{b.parents:,}"),
        ("Findings", f"{len(pair.a.cut.health.findings):,}", f"{len(pair.b.cut.health.findings):,}"),
    ]
    if gold:
        rows.append(
            ("Answers severed", f"{len(pair.found.severed_a)} of {gold}", f"{len(pair.found.severed_b)} of {gold}")
        )
    names, left, right = zip(*rows, strict=True)
    return {"": list(names), "A": list(left), "B": list(right)}


def _severed(pair: CutPair, found: Comparison) -> None:
    """Draw a link to each gold span that no single chunk of A or of B contains, at most ``_SHOWN``."""
    if not found.gold:
        st.caption("No judged passage in this document: nothing says which cut serves a question.")
        return
    text = pair.a.cut.tree.document.text
    for gold in [gold for gold in found.gold if not (gold.whole_a and gold.whole_b)][:_SHOWN]:
        by = " and ".join(name for name, whole in (("A", gold.whole_a), ("B", gold.whole_b)) if not whole)
        words_ = " ".join(text[gold.span.start : gold.span.end].split())[:50]
        st.button(
            words.escaped(f"Severed by {by}: “{words_}”"),
            key=f"chunks.severed.{gold.span.start}.{gold.span.end}",
            type="tertiary",
            on_click=chunks_state.jump_to,
            args=(pair.a.cut.version, gold.span.start, gold.span.end),
        )
