"""Import of judgments from data sets onto the library's documents, and export of its judgments as a suite."""

from __future__ import annotations

from functools import partial

import streamlit as st

from core.errors import LecternError
from core.evaluation.exchange import FORMATS, uploads
from core.evaluation.exchange.importing import import_judgments
from core.evaluation.exchange.judged import judged_questions, with_texts
from core.library import Library
from pages.ui.ask import judging
from pages.ui.shared import services, state, words

GUESS = ""
FORMS = [GUESS, *uploads.NAMES]


def show_import() -> None:
    """Draw the form with files and their format, and the judgments of the last import that were not placed."""
    with st.form("judging.import", border=False, clear_on_submit=True):
        given = st.file_uploader(
            "A table of questions and answers, or a data set's files",
            type=["csv", "xlsx", "ods", "tsv", "jsonl", "json", "zip", "txt", "md"],
            accept_multiple_files=True,
            key="judging.files",
        )
        left, right = st.columns([3, 1], vertical_alignment="bottom")
        chosen = left.selectbox(
            "Format",
            FORMS,
            format_func=lambda name: uploads.NAMES.get(name, "Guess from the files"),
            key="judging.format",
            help="A table has a column *question*, one for the *passage* that answers or for the *answer* in the "
            "document's words, and may have one for the *document*. Others: "
            + " ".join(f"{words_for} `{FORMATS[name].file}`." for name, words_for in uploads.NAMES.items()),
        )
        pressed = right.form_submit_button("Import", type="primary", icon=":material/upload:", width="stretch")
    if pressed and given:
        _import({file.name: file.getvalue() for file in given}, chosen)
        st.rerun(scope="fragment")
    _show_unplaced()


def _import(files: dict[str, bytes], chosen: str) -> None:
    library = services.library()
    st.session_state[state.JUDGING_UNPLACED] = ()
    try:
        with st.spinner("Finding each passage in the library's documents …"):
            name, exchange = uploads.read_uploads(files, chosen)
            known = {row.id for row in library.judgments()}
            done = import_judgments(library, exchange)
    except LecternError as error:
        judging.say(judging.LIST, str(error), wrong=True)
        return
    new = tuple(number for number in done.judgments if number not in known)
    old = len(done.judgments) - len(new)
    notice = f"{words.count(len(new), 'judgment')} imported ({uploads.NAMES[name]})"
    notice += f", {old:,} {'was' if old == 1 else 'were'} there before" if old else ""
    notice += (
        f", {words.count(len(done.unplaced), 'passage')} could not be placed: why stands below" if done.unplaced else ""
    )
    notice += f". Not read: the columns {', '.join(f'“{name}”' for name in exchange.unread)}" if exchange.unread else ""
    judging.say(judging.LIST, f"{notice}.", judging.Undo(forget=new) if new else None, wrong=not done.judgments)
    st.session_state[state.JUDGING_UNPLACED] = done.unplaced


def _show_unplaced() -> None:
    """The questions of the last import that could not be placed in a document, with reasons."""
    unplaced: tuple[tuple[str, str], ...] = st.session_state.get(state.JUDGING_UNPLACED) or ()
    if not unplaced:
        st.caption(
            "A row is a question and the passage that answers it, or the answer in the document's words; the "
            "document's name may stand beside. Case, blanks and marks may differ. Where you know that nothing answers, "
            "write *no answer*."
        )
        return
    st.markdown(f"**{words.count(len(unplaced), 'passage')} could not be placed**")
    st.dataframe(
        {"Question": [question for question, _ in unplaced], "Why not": [reason for _, reason in unplaced]},
        hide_index=True,
        height=min(300, 40 + 35 * len(unplaced)),
        alt="What could not be placed",
    )


def show_export() -> None:
    """Draw the download button, and how many lost judgments are not exported."""
    rows = services.library().judgments()
    held = sum(row.held for row in rows)
    if not held:
        st.caption("No judgment holds, so there is nothing to export.")
        return
    lost = len(rows) - held
    st.download_button(
        "Suite (.zip)",
        partial(_packed, services.library()),  # packed at the click, as the texts may be large
        "judgments.zip",
        key="judging.export",
        on_click="ignore",
        icon=":material/download:",
    )
    st.caption(
        f"{words.count(held, 'judgment')}: questions, spans, quotes, answers and origins, with the documents' texts. "
        "With their files, to measure elsewhere what is measured here: `python -m core judgments export FOLDER`."
        + (f" {words.count(lost, 'lost judgment')} cannot be exported." if lost else "")
    )


def _packed(library: Library) -> bytes:
    return uploads.packed(with_texts(library, judged_questions(library)))
