"""Every session-state key in one place, named ``page.thing``, with typed access."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import streamlit as st

ENTERED = "app.entered"  # app.py ran in this session
ADDRESS = "app.address"  # the page that was run last, and what its address says
ADDRESS_LED = "app.address_led"  # what an address asks for and no page took yet
ADDRESS_MISSING = "app.address_missing"  # a library that a link named in vain
LIBRARY = "app.library"  # the folder of the library this window looks at
TASKS = "library.tasks"  # the tasks of this window, by what they make; another library forgets them
WAY_IN = "library.way_in"
FOLDER_LOOK = "library.folder_look"  # what would happen to the folder that is about to be added
DROPPED = "library.dropped"  # files that wait for a word on how long reading them takes
UPLOAD_ROUND = "library.upload_round"  # grows to empty the drop zone after a batch was taken
UPLOADED = "library.uploaded"  # the ids of files that were taken in
FILTER = "library.filter"
TITLE = "library.title"  # the title that was clicked
TABLE = "library.table"
THROWN = "library.thrown"  # what went to the trash last, to be undone
COLLECTIONS = "library.collections"
TAGS = "library.tags"
KINDS = "library.kinds"
CHUNKS_VERSION = "chunks.version"  # which document is shown; its picker is anew whenever something else chose it
CHUNKS_PICKER = "chunks.picker"
CHUNKS_VIEW = "chunks.view"
CHUNKS_PAGE = "chunks.page"
CHUNKS_CHOSEN = "chunks.chosen"
CHUNKS_ARRIVAL = "chunks.arrival"
ARRIVALS = "chunks.arrivals"
READER = "chunks.reader"
SHELF = "chunks.shelf"
SECOND = "chunks.second"  # the reader under the first, while two cuts are compared
CHUNKS_DIALS = "chunks.dials"  # side -> the values its dials were turned to; a side that is not turned is left out
CHUNKS_SIDE = "chunks.side"  # whose dials are shown
CHUNKS_FOLDED = "chunks.folded"
CHUNKS_PANEL = "chunks.panel"
CHUNKS_OTHER = "chunks.other"  # what is compared with, None for nothing
CHUNKS_BOXES = "chunks.boxes"  # whose boxes are on the page
CHUNKS_JUMP = "chunks.jump"
CHUNKS_JUMPS = "chunks.jumps"
CHUNKS_CARET = "chunks.caret"
CHUNKS_HEALTH = "chunks.health"  # in which document which kind of finding is stepped through, and which of them
CHUNKS_DRAWN = "chunks.drawn"  # document, view, page and arrival that stand drawn
CHUNKS_LAST = "chunks.last"  # side -> the cut that was shown last, and its dials
CHUNKS_SCOPE = "chunks.scope"
CHUNKS_NOTICE = "chunks.notice"
CHUNKS_DROPPED = "chunks.dropped"  # an edit that was switched off, to be undone
CHUNKS_WANTED = "chunks.wanted"  # what stands outside the fragment was changed inside it, such as the document
QUESTION = "ask.question"
ASKED = "ask.asked"
ASKING = "ask.asking"  # another each time a question is asked
TURN = "ask.turn"  # the question whose answer is drawn, and how many were asked before it
TURNS = "ask.turns"  # the questions of the conversation, in their order
WORDINGS = "ask.wordings"  # further question -> how it came to be asked so
FURTHER = "ask.further.words"
MEANING_TRIED = "ask.meaning_tried"  # when it was last seen whether an embedder's server is back
FOLLOWING = "ask.following"  # the further question that a model is rewriting
QUOTED = "ask.quoted"  # the question whose quotes are on the page
SCOPE = "ask.scope"
EVIDENCE = "ask.evidence"
PROFILE = "ask.profile"
PAST = "ask.past"  # the questions asked in this window, latest first
LOGGED = "ask.logged"  # of the latest question that went into the log, its ASKING
IGNORED = "ask.ignored"  # question -> what was understood of it and taken away: key -> words
KEPT_AS_A = "ask.a"  # the settings that the dials are compared with
WHY = "ask.why"  # the place whose absence is explained, and the settings it is explained for
WHY_DOCUMENT = "ask.why.document"
WHY_WORDS = "ask.why.words"
WHY_PLACE = "ask.why.place"
TAB_POINTED = "ask.tab.pointed"  # how often a tab was brought into view
ASK_WANTED = "ask.wanted"  # words were marked elsewhere to be explained there
ASK_TAB = "ask.tab"
JUDGED_QUESTION = "judging.question"  # the one judged last, and what Ask had been asked then
JUDGING_LINES = "judging.lines"  # how many lines said what was done
JUDGING_NOTICE = "judging.notice"  # the last of them, and where
JUDGING_UNDO = "judging.undo"
JUDGING_HEARD = "judging.heard"  # the requests of components that were done
JUDGING_UNPLACED = "judging.unplaced"  # of the last import
MAKING_COUNT = "making.count"
NEEDLES = "needles.kinds"
NEEDLES_STAGE = "needles.stage"
OVER_TIME = "benchmark.over_time"
JUDGING_FILTER = "judging.filter"
JUDGING_SHOWN = "judging.shown"
SUITE = "benchmark.suite"
SUITE_NEXT = "benchmark.suite.next"  # chosen elsewhere on the page, where the window would send the old choice again
PRESETS_CHOSEN = "benchmark.presets"
BENCH_PLACE = "benchmark.place"  # what each part of the page says of itself in the address
BENCH_VARY = "benchmark.vary"
BENCH_AXES = "benchmark.axes"  # the settings to vary that one begins with, as "name=values"
SUITE_ORIGINS = "benchmark.origins"  # whose judgments are measured on
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
BENCH_PARETO_ROUND = "benchmark.pareto_round"  # grows to forget the point that was clicked
BENCH_BY = "benchmark.by"
BENCH_METRIC = "benchmark.metric"
BENCH_SOUGHT = "benchmark.sought"
BENCH_QUESTION = "benchmark.question"
BENCH_OTHER = "benchmark.other"
BENCH_REFIT = "benchmark.refit_asked"  # the fit to judgments that was asked for
ERASED = "settings.erased"  # how often, to close what asked for it
SETTINGS_TAB = "settings.tab"
HEARD_KEPT = 100  # requests of a component whose names are remembered


def counter(key: str) -> int:
    """A number that only grows; 0 at first."""
    return int(st.session_state.get(key, 0))


def bump(key: str) -> None:
    """Count on."""
    st.session_state[key] = counter(key) + 1


def keep_known(key: str, options: Collection[object]) -> None:
    """Forget a choice that is no longer offered."""
    if key in st.session_state and st.session_state[key] not in options:
        del st.session_state[key]


def choose(key: str, options: Collection[object], usual: object) -> None:
    """Give a widget ``usual`` where it has no choice yet, or one that is no longer offered."""
    keep_known(key, options)
    st.session_state.setdefault(key, usual)


def unheard(key: str, requests: Sequence[Mapping[str, Any]], name: str) -> list[Mapping[str, Any]]:
    """Those of a component's last few requests that were not handed out before; ``name``: of the field that tells them.

    A component tells its last few each time: one that comes while a script runs would else take the place of another.
    """
    heard: list[Any] = st.session_state.setdefault(key, [])
    fresh = [request for request in requests if request[name] not in heard]
    heard.extend(request[name] for request in fresh)
    del heard[:-HEARD_KEPT]
    return fresh
