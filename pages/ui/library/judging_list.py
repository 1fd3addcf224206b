"""The line on Ask about judgments of its question, and the dialog with all judgments of the library."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import streamlit as st

from core.evaluation.exchange.judged import ORIGIN_WORDS
from core.evidence import Passage
from core.library import JudgmentRow
from pages.ui.ask import by_document, judging, why
from pages.ui.ask.judging_gold import gold_line, of_question
from pages.ui.library import judging_transfer
from pages.ui.shared import address, services, state, words
from pages.ui.shared.guard import attempt_and_rerun
from pages.ui.shared.tables import select_rows

HELD, LOST, NOTHING = "Held", "Lost", "Not in the library"
NO_ANSWER = "nothing answers it"
QUOTE_SHOWN = 240  # characters
_NOW = "Whether the answer still stands in its document, and why not."
COLUMNS = {
    "Question": st.column_config.TextColumn(width=250),
    "Marked answer": st.column_config.TextColumn(width=250, help="Gold: the words judged to answer the question."),
    "Document": st.column_config.TextColumn(width=150),
    "Now": st.column_config.TextColumn(width=130, help=_NOW),
    "Origin": st.column_config.TextColumn(width=80),
    "Made": st.column_config.DatetimeColumn(format="distance", width=116),
    "Expected answer": st.column_config.TextColumn(width=180),
}
WHY_LOST = {"Now": st.column_config.TextColumn(width=250, help=_NOW)}  # wider, for the reasons of lost judgments
NONE_YET = "No answer marked for this question yet: mark its words in a passage below, press g."
NOTHING_ANSWERS = "Judged for this question: nothing in the library answers it."
WHY = "A passage that should have been read: what became of it, stage by stage, and what would bring it in."
BOTH = "It was also judged that nothing answers it; the marked answer counts."


def show_row(question: str, passages: Sequence[Passage]) -> None:
    """Draw the line for a question, and its buttons. ``passages``: those in the context, in order."""
    rows = of_question(services.library().judgments(), question)
    unanswerable = [row.id for row in rows if row.unanswerable]
    line = gold_line(rows, passages)
    if unanswerable:
        held = any(row.held and not row.unanswerable for row in rows)
        line = f"{line} {BOTH}" if held else f"{NOTHING_ANSWERS} {line}".strip()
    off = judging.off()
    with st.container(horizontal=True, wrap=False, vertical_alignment="center", gap="small", key="ask_judging"):
        st.caption(f"{line} {off}".strip() or NONE_YET)
        if unanswerable:
            if st.button("Take that back", key="ask.answerable", type="tertiary", disabled=bool(off)):
                attempt_and_rerun(lambda: services.library().remove_judgments(unanswerable))
        elif not line and st.button(
            "Mark as unanswerable",
            key="ask.unanswerable",
            icon=":material/block:",
            disabled=bool(off),
            help="Nothing in the library answers it: kept as a judgment. A benchmark then checks that this question "
            "finds nothing it should trust.",
        ):
            attempt_and_rerun(lambda: services.library().judge_unanswerable(question))
        if len({passage.version_id for passage in passages}) > 1:
            st.button(
                by_document.TAB,
                key="ask.each.open",
                type="tertiary",
                icon=":material/library_books:",
                on_click=why.open_it,
                args=[by_document.TAB],
                help="What each document says of it by itself.",
            )
        st.button(
            "Why not …?", key="ask.why.open", type="tertiary", icon=":material/help:", on_click=why.open_it, help=WHY
        )
        if st.button("Judgments", key="ask.judgments", type="tertiary", icon=":material/verified:"):
            show_list()


def _closed() -> None:
    """On closing the dialog: forget its notice and the list of unplaced judgments."""
    st.session_state[state.JUDGING_UNPLACED] = ()
    if judging.notice_at(judging.LIST):
        st.session_state[state.JUDGING_NOTICE] = None


@st.dialog("Judgments", width="large", icon=":material/verified:", on_dismiss=_closed)
def show_list() -> None:
    """Open the dialog. Call it from the page, at most once in a run."""
    rows = services.library().judgments()[::-1]  # newest first
    if rows:
        _table(rows)
    else:
        st.markdown(
            "None yet. Mark the words that answer a question, in a text or in the evidence, and press **g**; or "
            "import some; or have some made of your documents and keep those you like."
        )
        if st.button("To Benchmark, where questions are made", key="judging.make", icon=":material/auto_awesome:"):
            address.go("pages/benchmark.py", {})
    _notice()  # between what is removed above and what is imported below: in view after either
    import_tab, export_tab = st.tabs(["Import", "Export"])
    with import_tab:
        if judging.off():
            st.caption(judging.off())
        else:
            judging_transfer.show_import()
    with export_tab:
        judging_transfer.show_export()


def _notice() -> None:
    notice = judging.notice_at(judging.LIST)
    if not notice:
        return
    line, back = st.columns([7, 1], vertical_alignment="center")
    if notice.wrong:
        line.error(words.escaped(notice.text), icon=":material/error:")
    else:
        line.success(words.escaped(notice.text), icon=":material/check:")
    if notice.undo and back.button("Undo", key="judging.undo.button", icon=":material/undo:", width="stretch"):
        _do(lambda: judging.undo(judging.LIST))


def _table(rows: Sequence[JudgmentRow]) -> None:
    shown = filtered(rows)
    names, columns = [row.id for row in shown], COLUMNS | (WHY_LOST if any(row.lost for row in shown) else {})
    height = None if len(shown) < 9 else 340
    chosen = select_rows(
        shown, names, table(shown), "judging.table", "The judgments of the library", columns, height=height
    )
    one = chosen[0] if len(chosen) == 1 and chosen[0].start is not None else None
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        if st.button("Open in Chunks", key="judging.open", disabled=one is None, icon=":material/data_array:") and one:
            address.go("pages/chunks.py", {"document": str(one.version_id), "span": f"{one.start}-{one.end}"})
        if st.button(
            "Remove", key="judging.remove", disabled=not chosen or bool(judging.off()), icon=":material/delete:"
        ):
            _do(lambda: judging.remove(judging.LIST, [row.id for row in chosen]))
        st.caption(
            "No judgment matches." if not shown else judging.off() or ("" if chosen else "Tick a row to act on it.")
        )


def filtered(rows: Sequence[JudgmentRow]) -> list[JudgmentRow]:
    """Draw the filters; returns the rows that match."""
    counts = {name: sum(standing(row) == name for row in rows) for name in (HELD, LOST, NOTHING)}
    find, which = st.columns([3, 4], vertical_alignment="bottom")
    sought = find.text_input(
        "Filter",
        key=state.JUDGING_FILTER,
        placeholder="Filter by question, words or document",
        label_visibility="collapsed",
        type="search",
        live=True,
    )
    offered = [name for name in counts if counts[name]]
    state.forget_unoffered(state.JUDGING_SHOWN, [*offered, None])
    wanted = which.segmented_control(
        "Show",
        offered,
        key=state.JUDGING_SHOWN,
        format_func=lambda name: f"{name} {counts[name]:,}",
        label_visibility="collapsed",
    )
    return [row for row in rows if matches(row, sought or "") and wanted in (None, standing(row))]


def standing(row: JudgmentRow) -> str:
    """The state of a judgment as the filter names it."""
    return LOST if row.lost else NOTHING if row.unanswerable else HELD


def matches(row: JudgmentRow, sought: str) -> bool:
    """Whether question, gold, answer, document and origin together contain every word of ``sought``."""
    judgment = row.judgment
    origin = ORIGIN_WORDS.get(judgment.origin, "")
    texts = (judgment.question, judgment.quote, judgment.answer, row.source or "", origin)
    return words.holds_all(" ".join(texts), sought)


def table(rows: Sequence[JudgmentRow]) -> dict[str, list[object]]:
    """The table's columns; "Expected answer" is left out if no judgment has one."""
    columns: dict[str, list[object]] = {
        "Question": [row.judgment.question for row in rows],
        "Marked answer": [words.shortened(row.judgment.quote, QUOTE_SHOWN) for row in rows],
        "Document": [words.file_name(row.source or "") for row in rows],
        "Now": [f"lost: {row.lost}" if row.lost else NO_ANSWER if row.unanswerable else "held" for row in rows],
        "Origin": [ORIGIN_WORDS.get(row.judgment.origin, row.judgment.origin) for row in rows],
        "Made": [row.created_at for row in rows],
        "Expected answer": [row.judgment.answer for row in rows],
    }
    return {name: values for name, values in columns.items() if name != "Expected answer" or any(values)}


def _do(action: Callable[[], None]) -> None:
    """Do it and draw the dialog again, with a notice of the result or of the error."""
    judging.attempt(judging.LIST, action)
    st.rerun(scope="fragment")
