"""The state of the Chunks page: the dials' values, the cut they make, whether it is a trial, and where to scroll."""

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
    """What the panels beside the text show: a cut, the index of the selected leaf (-1: none), the caret's offset."""

    cut: Cut
    chosen: int
    caret: int | None

    @property
    def leaf(self) -> Chunk | None:
        """The selected leaf; ``None`` without one."""
        leaves = self.cut.tree.leaves
        return leaves[self.chosen] if 0 <= self.chosen < len(leaves) else None


@dataclass(frozen=True, slots=True)
class Shown:
    """One side of the page.

    ``cut``: the cut to draw. ``settings``, ``values``: those of its dials. ``trial``: they differ from the document's
    own settings. ``indexed``: searches use this cut. ``said``: sentences about values that another one limits.
    ``waiting``: the task that makes the new cut, while ``cut`` is still the previous one; else ``None``.
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
        """The reader's label."""
        if self.waiting:
            return "The cut before"
        if self.indexed:
            return "As indexed"
        return "Trial, not applied" if self.trial else "Not indexed yet"


def own_settings(version: str) -> tuple[ChunkingSettings, str]:
    """A document's own chunking settings, and what they are set for: "library", "kind" or "document"."""
    return services.library().cutting.effective_chunking(version)


def same(one: ChunkingSettings, other: ChunkingSettings) -> bool:
    """Whether two recipes cut every document alike.

    >>> same(ChunkingSettings(), ChunkingSettings(sentences=9))
    True
    """
    return stage_fingerprint(one) == stage_fingerprint(other)


def turned_values(side: str) -> Values | None:
    """The values of a side's dials; ``None`` if they are unchanged."""
    dials: dict[str, Values] = st.session_state.setdefault(state.CHUNKS_DIALS, {})
    return dials.get(side)


def turn(side: str, values: Mapping[str, Any] | None) -> None:
    """Set all dials of a side at once; ``None`` resets them. Later reports of widgets drawn before are ignored."""
    dials: dict[str, Values] = st.session_state.setdefault(state.CHUNKS_DIALS, {})
    state.bump(_round(side))
    if values is None:
        dials.pop(side, None)
    else:
        dials[side] = dict(values)


def turn_some(side: str, changes: Mapping[str, Any], drawn: Values, anew: int) -> None:
    """Change some dials of a side; the others keep their present values.

    ``drawn``: the values that the widgets showed. ``anew``: ``set_anew`` when they were drawn. If all dials were set at
    once since, the change is ignored: the browser may still report widgets of before, as during a progress bar.
    """
    if anew == set_anew(side):
        dials: dict[str, Values] = st.session_state.setdefault(state.CHUNKS_DIALS, {})
        dials[side] = {**(dials.get(side) or drawn), **changes}


def set_anew(side: str) -> int:
    """How often all dials of a side were set at once (``turn``)."""
    return state.counter(_round(side))


def _round(side: str) -> str:
    return f"{state.CHUNKS_DIALS}.{side}"


def shown(side: str, source: SourceRow, edits: Sequence[Edit], against: str | None = None) -> Shown:
    """The state of a side: the document cut with its dials and edits. ``against``: what the second side starts from."""
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
    """The cut and ``None``; while it takes long, the previous cut and the task that makes the new one."""
    key = cut_key(version, settings, edits)
    found = known_cut(key)
    if found is not None:
        return found, None
    task = tasks.get_or_start(f"cut {side}", key, cutting(version, settings, edits))
    if task.wait(tasks.PATIENCE):
        return task.result(), None
    last: tuple[str, str, Any] | None = st.session_state.setdefault(state.CHUNKS_LAST, {}).get(side)
    previous = known_cut(last[1]) if last and last[0] == version else None
    own, _ = own_settings(version)
    return previous or applied_cut(version, own, source.recipe_fingerprint), task


def turn_back(side: str) -> None:
    """Set the dials of a side to those of the cut that was shown last."""
    last = st.session_state.setdefault(state.CHUNKS_LAST, {}).get(side)
    turn(side, last[2] if last else None)


def jump_to(version: str, start: int, end: int) -> None:
    """Have the reader scroll to a span and highlight it."""
    state.bump(state.CHUNKS_JUMPS)
    st.session_state[state.CHUNKS_JUMP] = (
        version,
        {"start": start, "end": max(end, start + 1), "count": state.counter(state.CHUNKS_JUMPS)},
    )


def open_place(version: str, start: int, end: int) -> None:
    """Show a span of any document; for another document than the present one the whole page runs again."""
    if st.session_state.get(state.CHUNKS_VERSION) != version:
        arrivals.forget_arrival()
        arrivals.show(version)
        st.session_state[state.CHUNKS_WANTED] = True
    jump_to(version, start, end)


def jump(version: str) -> Mapping[str, int] | None:
    """The span that the reader of this document has to scroll to, as ``show_reader`` takes it."""
    target = st.session_state.get(state.CHUNKS_JUMP)
    return target[1] if target and target[0] == version else None
