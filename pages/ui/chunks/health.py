"""The health panel: the findings about a cut, grouped by remedy, the most severe first, with steps through them."""

from __future__ import annotations

import streamlit as st

from core.chunking.auditing import UNEXPLAINED
from core.inspecting.findings import WORDINGS, Defect, Severity
from core.text.places import pages_read
from pages.ui.chunks import state as chunks_state
from pages.ui.chunks.cuts import Cut
from pages.ui.shared import state, words

_SIGNS = {
    Severity.SERIOUS: ":red[:material/error:]",
    Severity.MODERATE: ":orange[:material/warning:]",
    Severity.MINOR: ":material/info:",
}


def show_health(cut: Cut) -> None:
    """Draw a group for each remedy: a row for each kind of finding, where the one stepped through shows its place."""
    health = cut.health
    counts, groups = health.counts, health.by_remedy
    current = _current(cut)
    pages = pages_read(cut.tree.document.pages)
    with st.container(key="chunks_health", gap=None):
        st.markdown(f"**Health** · {words.count(len(groups), 'thing') + ' to do' if groups else 'nothing found'}")
        if pages and not pages.whole:
            st.markdown(f":red[:material/error:] Read {words.read(pages)}.")
        for remedy, defects in groups.items():
            for defect in defects:
                severity, number = health.severities[defect], counts[defect]
                st.button(
                    f"{_SIGNS[severity]} {WORDINGS[defect].counted(number)}",
                    key=f"chunks.health.{defect}",
                    type="tertiary",
                    help=f"{severity.value.capitalize()}. A click leads to the first, the next one to the second.",
                    on_click=_step,
                    args=(cut, defect, 1),
                )
                if current and current[0] == defect:
                    _place(cut, defect, min(current[1], number - 1))
            st.caption(f":material/build: {words.escaped(remedy)}")
        st.caption(audit_line(cut))


def _place(cut: Cut, defect: Defect, at: int) -> None:
    """Draw the finding at an index, with buttons to the previous and the next one of its kind."""
    found = cut.health.of(defect)
    with st.container(horizontal=True, gap="xsmall", vertical_alignment="center", key="chunks_place"):
        st.markdown(f"{at + 1} of {len(found):,}")
        for by, icon, said in ((-1, "chevron_left", "Previous"), (1, "chevron_right", "Next")):
            st.button(
                f"{said} place",
                key=f"chunks.health.{said.lower()}",
                icon=f":material/{icon}:",
                on_click=_step,
                args=(cut, defect, by),
                disabled=len(found) < 2,
            )
    st.caption(words.escaped(found[at].sentence))


def _current(cut: Cut) -> tuple[Defect, int] | None:
    """The kind of finding stepped through and the index of the present one; ``None`` without one in this document."""
    version, defect, at = st.session_state.get(state.CHUNKS_HEALTH) or ("", None, 0)
    return (defect, at) if version == cut.version and defect is not None else None


def _step(cut: Cut, defect: Defect, by: int) -> None:
    """Scroll to the next finding of a kind (``by`` 1) or the previous one (-1); to the first if the kind is new."""
    found = cut.health.of(defect)
    current = _current(cut)
    at = (min(current[1], len(found) - 1) + by) % len(found) if current and current[0] == defect else 0
    st.session_state[state.CHUNKS_HEALTH] = (cut.version, defect, at)
    chunks_state.jump_to(cut.version, found[at].start, found[at].end)


def audit_line(cut: Cut) -> str:
    """The share of the text that is in chunks, or how many characters are lost without a reason, in one line."""
    audit, lost = cut.audit, [gap for gap in cut.audit.gaps if gap.reason == UNEXPLAINED]
    if lost:
        characters = sum(gap.end - gap.start for gap in lost)
        return f":red[:material/error: **{words.count(characters, 'character')} lost**: in no chunk, for no reason.]"
    share = audit.covered / audit.characters if audit.characters else 1.0
    reasons = tuple(dict.fromkeys(gap.reason for gap in audit.gaps))
    return words.escaped(f"In chunks: {words.covered(share, reasons)}.")
