"""What the Chunks page shows: whose dials, which cut of them, whether it is a trial, and where to look."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import streamlit as st

from core.chunking.edits.edits import Edit
from core.library import SourceRow
from core.settings import ChunkingSettings, stage_fingerprint
from core.types import Chunk
from pages.ui.chunks import arrivals
from pages.ui.chunks.cuts import Cut, applied_cut, cut_key, cutting, known_cut
from pages.ui.settings.recipe_values import Values, settings_or_reason
from pages.ui.shared import services, state, tasks
from pages.ui.shared.tasks import Task


@dataclass(frozen=True, slots=True)
class PanelState:
    """What the panels beside the text show: a cut, the chosen chunk (an index, -1 for none) and the caret."""

    cut: Cut
    chosen: int
    caret: int | None

    @property
    def leaf(self) -> Chunk | None:
        """The chosen chunk."""
        leaves = self.cut.tree.leaves
        return leaves[self.chosen] if 0 <= self.chosen < len(leaves) else None


@dataclass(frozen=True, slots=True)
class Shown:
    """One side of the bench. ``cut``: what the reader draws; while ``waiting`` is at work, the one before.

    ``settings``: of the dials. ``trial``: they differ from the document's own. ``indexed``: this cut is the one that
    questions find. ``said``: sentences about dials that are held back.
    """

    cut: Cut
    settings: ChunkingSettings
    trial: bool
    indexed: bool
    said: Sequence[str] = ()
    waiting: Task[Cut] | None = None
    values: Values = field(default_factory=dict)

    @property
    def label(self) -> str:
        """What the reader calls it."""
        if self.waiting:
            return "The cut before"
        if self.indexed:
            return "As indexed"
        return "Trial, not applied" if self.trial else "Not indexed yet"


def own_settings(version: str) -> tuple[ChunkingSettings, str]:
    """How a document is cut, and what decides it: "library", "kind" or "document"."""
    return services.library().cutting.effective_chunking(version)


def same(one: ChunkingSettings, other: ChunkingSettings) -> bool:
    """Whether two recipes cut every document alike.

    >>> same(ChunkingSettings(), ChunkingSettings(sentences=9))
    True
    """
    return stage_fingerprint(one) == stage_fingerprint(other)


def turned_values(side: str) -> Values | None:
    """What a side's dials were turned to; ``None`` where they stand as the document is cut."""
    held: dict[str, Values] = st.session_state.setdefault(state.CHUNKS_DIALS, {})
    return held.get(side)


def turn(side: str, values: Mapping[str, Any] | None) -> None:
    """Set all dials of a side at once; ``None`` turns them back. No dial drawn before can turn one of them any more."""
    held: dict[str, Values] = st.session_state.setdefault(state.CHUNKS_DIALS, {})
    state.bump(_round(side))
    if values is None:
        held.pop(side, None)
    else:
        held[side] = dict(values)


def turn_some(side: str, changes: Mapping[str, Any], drawn: Values, anew: int) -> None:
    """Keep what some dials of a side were turned to; the others stand as they stand by now.

    ``drawn``: what these dials showed; ``anew``: ``set_anew`` then. A window that redraws itself, as beside a progress
    bar, reports the dials it still shows: of such, what was set anew meanwhile is not turned back.
    """
    if anew == set_anew(side):
        held: dict[str, Values] = st.session_state.setdefault(state.CHUNKS_DIALS, {})
        held[side] = {**(held.get(side) or drawn), **changes}


def set_anew(side: str) -> int:
    """How often the dials of a side were set all at once: by a start, by B's, or back."""
    return state.counter(_round(side))


def _round(side: str) -> str:
    return f"{state.CHUNKS_DIALS}.{side}"


def shown(side: str, source: SourceRow, edits: Sequence[Edit], against: str | None = None) -> Shown:
    """A side: the document as its dials cut it, edits carried out. ``against``: what the second side starts from."""
    version = source.version_id
    own, _ = own_settings(version)
    base, values, said = arrivals.base_of(side, version, against), turned_values(side), list[str]()
    settings = base
    if values:
        settings, said = settings_or_reason(values, base)
    trial = not same(settings, own)
    settings = settings if trial else own
    indexed = not trial and services.library().cutting.is_cut_so(version)
    waiting = None
    if indexed and not edits:
        cut = applied_cut(version, own, source.recipe_fingerprint)
    else:
        cut, waiting = _made(side, version, settings, edits, source)
    what = Shown(cut, settings, trial, indexed and not waiting, said, waiting, values or asdict(base))
    if not waiting:
        applied = (*cut.made.applied, *(conflict.edit for conflict in cut.conflicts))
        key = cut_key(version, settings, sorted(applied, key=lambda edit: edit.id))
        st.session_state.setdefault(state.CHUNKS_LAST, {})[side] = (version, key, values)
    return what


def _made(
    side: str, version: str, settings: ChunkingSettings, edits: Sequence[Edit], source: SourceRow
) -> tuple[Cut, Task[Cut] | None]:
    """The cut; or the one shown before it, and the work that makes it."""
    key = cut_key(version, settings, edits)
    found = known_cut(key)
    if found is not None:
        return found, None
    task = tasks.get_or_start(f"cut {side}", key, cutting(version, settings, edits))
    if task.wait(tasks.PATIENCE):
        return task.result(), None
    before: tuple[str, str, Any] | None = st.session_state.setdefault(state.CHUNKS_LAST, {}).get(side)
    held = known_cut(before[1]) if before and before[0] == version else None
    own, _ = own_settings(version)
    return held or applied_cut(version, own, source.recipe_fingerprint), task


def turn_back(side: str) -> None:
    """Turn the dials of a side back to the cut that was shown last."""
    before = st.session_state.setdefault(state.CHUNKS_LAST, {}).get(side)
    turn(side, before[2] if before else None)


def jump_to(version: str, start: int, end: int) -> None:
    """Let the reader scroll to a span and light it up."""
    state.bump(state.CHUNKS_JUMPS)
    st.session_state[state.CHUNKS_JUMP] = (
        version,
        {"start": start, "end": max(end, start + 1), "count": state.counter(state.CHUNKS_JUMPS)},
    )


def open_place(version: str, start: int, end: int) -> None:
    """Show a span of any document: the bench is laid anew where it is another one than is shown."""
    if st.session_state.get(state.CHUNKS_VERSION) != version:
        arrivals.forget_arrival()
        arrivals.show(version)
        st.session_state[state.CHUNKS_WANTED] = True
    jump_to(version, start, end)


def jump(version: str) -> Mapping[str, int] | None:
    """Where the reader is to go, in this document."""
    held = st.session_state.get(state.CHUNKS_JUMP)
    return held[1] if held and held[0] == version else None
