"""Every session-state key in one place, named ``page.thing``, with typed access."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import streamlit as st

ENTERED = "app.entered"  # app.py ran in this session
ADDRESS = "app.address"  # the page that ran last, and the query of its address
ADDRESS_LED = "app.address_led"  # a query that the page has to follow and has not taken yet
ADDRESS_MISSING = "app.address_missing"  # the name of a library in a link that does not exist here
LIBRARY = "app.library"  # the folder of this window's library
TASKS = "library.tasks"  # the running tasks of this window, by purpose; forgotten when the library is switched
WAY_IN = "library.way_in"
FOLDER_LOOK = "library.folder_look"  # the preview of a folder that is about to be added
DROPPED = "library.dropped"  # uploaded files that wait until the person confirms the time they take
UPLOAD_ROUND = "library.upload_round"  # a counter in the drop zone's key: raised to empty it after an upload
UPLOADED = "library.uploaded"  # the ids of uploads that were queued
QUEUED = "library.queued"  # the jobs of the files that were added since the page was opened
FILTER = "library.filter"
TITLE = "library.title"  # the document whose title was clicked
TABLE = "library.table"
THROWN = "library.thrown"  # the documents put in the trash last, for undo
COLLECTIONS = "library.collections"
TAGS = "library.tags"
KINDS = "library.kinds"
CHUNKS_VERSION = "chunks.version"  # the document shown; its picker gets a new key when it was chosen elsewhere
CHUNKS_SOURCE = "chunks.source"  # the id of its source, which keeps it while its file and version change
CHUNKS_PICKER = "chunks.picker"
CHUNKS_VIEW = "chunks.view"
CHUNKS_PAGE = "chunks.page"
CHUNKS_CHOSEN = "chunks.chosen"
CHUNKS_ARRIVAL = "chunks.arrival"
ARRIVALS = "chunks.arrivals"
READER = "chunks.reader"
SHELF = "chunks.shelf"
SECOND = "chunks.second"  # the second reader, while two cuts are compared
CHUNKS_DIALS = "chunks.dials"  # side -> changed values of its dials; a side without changes is left out
CHUNKS_SIDE = "chunks.side"  # the side whose dials are shown
CHUNKS_FOLDED = "chunks.folded"
CHUNKS_PANEL = "chunks.panel"
CHUNKS_OTHER = "chunks.other"  # the cut to compare with, None for none
CHUNKS_BOXES = "chunks.boxes"  # the cut whose boxes are drawn on the page
CHUNKS_JUMP = "chunks.jump"
CHUNKS_JUMPS = "chunks.jumps"
CHUNKS_CARET = "chunks.caret"
CHUNKS_HEALTH = "chunks.health"  # in which document which kind of finding is stepped through, and which of them
CHUNKS_DRAWN = "chunks.drawn"  # document, view, page and arrival that stand drawn
CHUNKS_LAST = "chunks.last"  # side -> the cut that was shown last, with its dials
CHUNKS_SCOPE = "chunks.scope"
CHUNKS_NOTICE = "chunks.notice"
CHUNKS_DROPPED = "chunks.dropped"  # an edit that was switched off, for undo
CHUNKS_WANTED = "chunks.wanted"  # the fragment changed something drawn outside it, such as the document
QUESTION = "ask.question"
ASKED = "ask.asked"
ASKING = "ask.asking"  # an id of the request, new each time a question is asked
TURN = "ask.turn"  # the question whose answer is drawn, and how many were asked before it
TURNS = "ask.turns"  # the questions of the conversation, in order
WORDINGS = "ask.wordings"  # further question -> how its wording was made
FURTHER = "ask.further.words"
MEANING_TRIED = "ask.meaning_tried"  # when documents were last encoded because the embedder's server was back
FOLLOWING = "ask.following"  # the further question that a model is rewriting
QUOTED = "ask.quoted"  # the question whose quotes are on the page
SCOPE = "ask.scope"
EVIDENCE = "ask.evidence"
PROFILE = "ask.profile"
PAST = "ask.past"  # the questions asked in this window, latest first
LOGGED = "ask.logged"  # the ASKING of the question that was logged last
IGNORED = "ask.ignored"  # question -> conditions found in it that the person removed: key -> words
KEPT_AS_A = "ask.a"  # the settings that the dials are compared with
WHY = "ask.why"  # the place whose absence is to be explained, and the settings to explain it for
WHY_DOCUMENT = "ask.why.document"
WHY_WORDS = "ask.why.words"
WHY_PLACE = "ask.why.place"
TAB_POINTED = "ask.tab.pointed"  # a counter: how often a tab was brought into view
ASK_WANTED = "ask.wanted"  # text was selected on another page to be explained on Ask
ASK_TAB = "ask.tab"
JUDGED_QUESTION = "judging.question"  # the question judged last, and the question on Ask at that time
JUDGING_LINES = "judging.lines"  # a counter of the notices shown
JUDGING_NOTICE = "judging.notice"  # the last notice, and the component that shows it
JUDGING_UNDO = "judging.undo"
JUDGING_HEARD = "judging.heard"  # ids of the components' requests that were carried out
JUDGING_UNPLACED = "judging.unplaced"  # judgments of the last import that have no place in a document
MAKING_COUNT = "making.count"
NEEDLES = "needles.kinds"
NEEDLES_STAGE = "needles.stage"
OVER_TIME = "benchmark.over_time"
JUDGING_FILTER = "judging.filter"
JUDGING_SHOWN = "judging.shown"
SUITE = "benchmark.suite"
SUITE_NEXT = "benchmark.suite.next"  # a suite chosen elsewhere on the page, set before the widget is drawn again
PRESETS_CHOSEN = "benchmark.presets"
BENCH_PLACE = "benchmark.place"  # what each part of the page puts into the address
BENCH_VARY = "benchmark.vary"
BENCH_AXES = "benchmark.axes"  # the initial settings to vary, as "name=values"
SUITE_ORIGINS = "benchmark.origins"  # the origins of judgments that are measured on
BENCH_TOKENS = "benchmark.tokens"
BENCH_ANSWERS = "benchmark.answers"
RUN_SHOWN = "benchmark.run"
BASELINE = "benchmark.baseline"
BENCH_COLUMNS = "benchmark.columns"
BENCH_TABLE = "benchmark.table"
BENCH_SELECTED = "benchmark.selected"  # the preset chosen in the table or on a figure
BENCH_VIEW = "benchmark.view"
BENCH_MEASURE = "benchmark.measure"
BENCH_BUDGET = "benchmark.budget"
BENCH_COST = "benchmark.cost"
BENCH_PARETO_ROUND = "benchmark.pareto_round"  # a counter in the figure's key: raised to forget the clicked point
BENCH_BY = "benchmark.by"
BENCH_METRIC = "benchmark.metric"
BENCH_SOUGHT = "benchmark.sought"
BENCH_QUESTION = "benchmark.question"
BENCH_OTHER = "benchmark.other"
ERASED = "settings.erased"  # a counter in a popover's key: raised to close it after erasing
SETTINGS_TAB = "settings.tab"
REQUESTS_KEPT = 100  # ids of a component's past requests that are remembered


def counter(key: str) -> int:
    """The value of a counter; 0 before the first ``bump``."""
    return int(st.session_state.get(key, 0))


def bump(key: str) -> None:
    """Raise a counter by one."""
    st.session_state[key] = counter(key) + 1


def forget_unoffered(key: str, options: Collection[object]) -> None:
    """Delete a widget's choice if it is not among the options."""
    if key in st.session_state and st.session_state[key] not in options:
        del st.session_state[key]


def choose(key: str, options: Collection[object], usual: object) -> None:
    """Set a widget's choice to ``usual`` if it has none, or one that is not among the options."""
    forget_unoffered(key, options)
    st.session_state.setdefault(key, usual)


def new_requests(key: str, requests: Sequence[Mapping[str, Any]], name: str) -> list[Mapping[str, Any]]:
    """Those of a component's requests that an earlier call did not return.

    ``key``: where the ids of past requests are kept. ``name``: the field of a request that is its id.

    A component sends its last few requests each time. If it sent one only, a request that comes while a script runs
    would overwrite another that was not carried out yet.
    """
    past: list[Any] = st.session_state.setdefault(key, [])
    new = [request for request in requests if request[name] not in past]
    past.extend(request[name] for request in new)
    del past[:-REQUESTS_KEPT]
    return new
