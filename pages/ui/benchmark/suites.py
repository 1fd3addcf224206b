"""The choice of the suite to measure on: the library's own judgments, or the samples."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import streamlit as st

from core.evaluation.exchange.judged import ORIGIN_WORDS, judged_questions, write_judged_suite
from core.evaluation.making.suggesting import suggested_size
from core.evaluation.suites import Suite, load_suite
from core.storage.catalogue.judging import ORIGINS
from pages.ui.ask.judging_gold import judgments_mark
from pages.ui.benchmark import benches
from pages.ui.shared import background, samples, services, state, words

JUDGED, SAMPLES = "judged", "samples"


@dataclass(frozen=True, slots=True)
class Chosen:
    """The chosen suite. ``revision``: of the library whose judgments it was made from; ``None`` for the samples."""

    folder: Path
    name: str
    suite: Suite
    revision: int | None = None


def choose_suite() -> Chosen | None:
    """Draw the choice; returns the suite, ``None`` if there is nothing to measure on. Raises ``SuiteError``."""
    judgments = _judgments()
    alone = (
        [ORIGIN_WORDS[origin] for origin in judgments.origins if origin != "human"]
        if len(judgments.origins) == 1
        else []
    )
    counted = " ".join([f"{judgments.questions:,}", *alone])  # of several origins, the choice below tells them apart
    named = {JUDGED: f"My judgments ({counted})", SAMPLES: "The samples"}
    if chosen := st.session_state.pop(state.SUITE_NEXT, None):
        st.session_state[state.SUITE] = chosen
    state.choose(state.SUITE, named, JUDGED if judgments.questions else SAMPLES)
    kind = st.segmented_control(
        "Questions",
        list(named),
        format_func=named.__getitem__,
        key=state.SUITE,
        required=True,
        persist_state="session",
        help="A suite: questions with the exact places that answer them. Your library is not changed by measuring. "
        "Another suite is measured by `python -m core bench FOLDER`, or imported under *Judgments*.",
    )
    if kind == SAMPLES:
        return Chosen(samples.FOLDER, "The samples", suite_in(samples.FOLDER))
    return _own(judgments)


def _own(judgments: _Judgments) -> Chosen | None:
    """The library's judgments as a suite; ``None``, with a hint drawn, if there are none or none are chosen."""
    if not judgments.questions:
        st.info(
            "No judgments yet. Have questions made from your documents, below; or mark the words that answer a "
            "question, on Chunks or on Ask, press **g** and type the question; or import some under *Judgments*.",
            icon=":material/fact_check:",
        )
        return None
    if judgments.lost:
        st.caption(
            f"{words.count(judgments.lost, 'judgment')} more lost their place when a document changed: see *Judgments*."
        )
    library = services.library()
    origins = _choose_origins(judgments)
    if not origins:
        st.info("Choose whose judgments to measure on.", icon=":material/fact_check:")
        return None
    if size := _size(str(library.home), judgments.mark):
        st.caption(
            f"Your marked answers say what size to begin with: chunks of {size[0]:,} to {size[1]:,} tokens are three "
            "to five times the median of them."
        )
    folder = benches.workspace() / "judged"
    if not background.active_jobs("bench"):  # a running benchmark reads the folder, so it must not change
        folder = _written(str(library.home), judgments.mark, origins)
    return Chosen(folder, "My judgments", suite_in(folder), library.revision())


def _choose_origins(judgments: _Judgments) -> tuple[str, ...]:
    """The origins of judgments to measure on: all of them, or those chosen if there are several."""
    present = list(judgments.origins)
    if len(present) < 2:
        return tuple(present)
    previous: list[str] = st.session_state.get(state.SUITE_ORIGINS, present)
    st.session_state[state.SUITE_ORIGINS] = [origin for origin in previous if origin in present]
    chosen = st.pills(
        "Judged",
        present,
        selection_mode="multi",
        key=state.SUITE_ORIGINS,
        format_func=lambda origin: f"{ORIGIN_WORDS[origin]} {judgments.origins[origin]:,}",
        persist_state="session",
        help="Who judged the question. Questions made by a program repeat words of the documents and are easier: a "
        "figure over both is an average of two things, and is shown by kind as well.",
    )
    return tuple(origin for origin in present if origin in chosen)


@dataclass(frozen=True, slots=True)
class _Judgments:
    """Counts of the library's judgments.

    ``questions``: with a valid judgment. ``lost``: judgments that lost their place. ``mark``: changes whenever the
    judgments do, for caches. ``origins``: questions by origin.
    """

    questions: int
    lost: int
    mark: str
    origins: Mapping[str, int] = field(default_factory=dict)


def _judgments() -> _Judgments:
    library = services.library()
    rows = library.judgments()
    if not rows:
        return _Judgments(0, 0, "")
    mark = f"{library.revision()}.{judgments_mark(rows)}"
    origins = _counted(str(library.home), mark)
    lost = sum(bool(row.lost) for row in rows)
    return _Judgments(sum(origins.values()), lost, mark, origins)


@st.cache_resource(max_entries=4, show_spinner=False)
def _counted(home: str, mark: str) -> Mapping[str, int]:
    """The number of questions by origin."""
    counts = Counter(question.kind for question in judged_questions(services.library()).exchange.questions)
    return {origin: counts[origin] for origin in ORIGINS if counts[origin]}


@st.cache_resource(max_entries=4, show_spinner=False)
def _size(home: str, mark: str) -> tuple[int, int] | None:
    """The range of chunk sizes, in tokens, that the lengths of the marked answers suggest; ``None`` without enough."""
    library = services.library()
    quotes = [row.judgment.quote for row in library.judgments() if row.held and row.judgment.quote]
    return suggested_size(library.model.counter.count(quotes))


@st.cache_resource(max_entries=4, show_spinner="Writing your judgments as a suite …")
def _written(home: str, mark: str, origins: tuple[str, ...]) -> Path:
    return write_judged_suite(services.library(), benches.workspace() / "judged", origins)


def suite_in(folder: Path) -> Suite:
    """The suite in a folder, cached until its questions or documents change. Raises ``SuiteError``."""
    files = [folder / name for name in ("questions.jsonl", "documents.jsonl", "documents")]
    times = tuple(path.stat().st_mtime_ns if path.exists() else 0 for path in files)
    return _loaded(str(folder), times)


@st.cache_resource(max_entries=6, ttl=300, show_spinner="Reading the suite …")
def _loaded(folder: str, times: tuple[int, ...]) -> Suite:
    return load_suite(Path(folder))
