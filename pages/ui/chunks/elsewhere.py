"""Passages that stand in other documents too: found in the background at each change of the library, then shown."""

from __future__ import annotations

from collections.abc import Sequence
from threading import Lock

import streamlit as st

from core.errors import CancelledError
from core.inspecting.repeated import Likeness, Repeated
from core.types import Span
from pages.ui.chunks import state as chunks_state
from pages.ui.chunks.cuts import Cut
from pages.ui.shared import services, state, words
from pages.ui.shared.guard import guarded
from pages.ui.shared.tasks import Task

PATIENCE = 0.25  # seconds a page waits for what it can do without


class _Search:
    """The search of one library: the last one, stopped when the library has changed."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._task: Task[Repeated] | None = None

    def task(self) -> Task[Repeated]:
        library = services.library()
        key = (library.revision(), library.settings.enriching.twin_similarity)

        def work(task: Task[Repeated]) -> Repeated:
            found = library.twins(task.tell)
            return Repeated(found.pairs, found.places, {row.version_id for row in library.sources()})

        with self._lock:
            if self._task is None or self._task.key != key:
                if self._task is not None:
                    self._task.cancel()
                self._task = Task(key, work)
            return self._task


@st.cache_resource(max_entries=4, show_spinner=False)
def _search(place: str) -> _Search:
    return _Search()


def repeated() -> Repeated | None:
    """What stands in several documents of the library as it is now; ``None`` while that is looked for."""
    task = _search(str(services.home())).task()
    try:
        return task.result() if task.wait(PATIENCE) else None
    except CancelledError:  # by another window, which saw a later change first
        return None


def elsewhere(version: str, span: Span) -> list[tuple[str, Likeness]] | None:
    """What is like a passage in other documents, each with its title; ``None`` while that is looked for."""
    found = repeated()
    if found is None:
        return None
    alike = found.elsewhere(version, span)
    titles = {row.version_id: row.title for row in services.library().sources()} if alike else {}
    return [(titles.get(one.version_id, "another document"), one) for one in alike]


def has_others() -> bool:
    """Whether the library holds more than one document."""
    return len({row.version_id for row in services.library().sources()}) > 1


def show_elsewhere(cut: Cut) -> None:
    """Under the findings: how many passages of the document stand in others too; each click leads to the next."""
    found = repeated()
    if found is None:
        st.fragment(_waiting, run_every=1.0)()
        return
    spans = found.spans(cut.version)
    if not spans:
        return
    stands = "passage stands" if len(spans) == 1 else "passages stand"
    said = words.count(found.count, "passage")
    st.button(
        f":material/info: {len(spans):,} {stands} in other documents too",
        key="chunks.elsewhere",
        type="tertiary",
        help=f"Minor. Said in nearly the same words; the chosen chunk's card leads there. In the whole library {said} "
        f"nearly {'repeats' if found.count == 1 else 'repeat'} an earlier one.",
        on_click=_step,
        args=(cut.version, spans),
    )
    held = st.session_state.get(state.CHUNKS_ELSEWHERE)
    if held and held[0] == cut.version and held[1] < len(spans):
        titles = dict.fromkeys(title for title, _ in elsewhere(cut.version, spans[held[1]]) or ())
        st.caption(words.escaped(f"{held[1] + 1} of {len(spans):,} · also in {', '.join(titles)}"))


def _step(version: str, spans: Sequence[Span]) -> None:
    """Go to the next of the passages: the first in a document where none was looked at yet."""
    held = st.session_state.get(state.CHUNKS_ELSEWHERE)
    at = (held[1] + 1) % len(spans) if held and held[0] == version else 0
    st.session_state[state.CHUNKS_ELSEWHERE] = (version, at)
    chunks_state.jump_to(version, spans[at].start, spans[at].end)


def _waiting() -> None:
    with guarded():
        if repeated() is not None:
            st.rerun()
        st.caption("Looking for passages that stand in other documents too …")
