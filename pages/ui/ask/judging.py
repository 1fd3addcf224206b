"""Judging in the pages: gold as the components draw it, and what a person asked for there, done and undone."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import streamlit as st

from core.errors import LecternError
from core.library import SearchResult
from core.storage.catalogue.judging import Judgment
from core.types import Span
from pages.ui.ask import why as ask_why
from pages.ui.ask.judging_gold import gold_in, gold_rows, of_question
from pages.ui.reader import readings
from pages.ui.shared import services, state, words

READ_ONLY = "Judging is off: another program writes this library, this window only reads it."
CHUNKS, ASK, LIST = "chunks", "ask", "list"  # where something was asked for; its line is shown there alone
QUESTION_SHOWN = 60  # characters of a question in a line


@dataclass(frozen=True, slots=True)
class Notice:
    """The line that says what was done. ``serial`` tells it from the one before; ``wrong``: it was not done."""

    serial: int
    text: str
    undo: bool = False
    wrong: bool = False


@dataclass(frozen=True, slots=True)
class Undo:
    """What would take back the last thing done: judgments to forget, or judgments to keep again."""

    forget: tuple[int, ...] = ()
    keep: tuple[Judgment, ...] = ()


def take(requests: Sequence[Mapping[str, Any]] | None, place: str) -> None:
    """Do what a component asked for, once, and leave a line that says so; for a component's callback."""
    for request in state.new_requests(state.JUDGING_HEARD, requests or (), "at"):
        _do(request, place)


def _do(request: Mapping[str, Any], place: str) -> None:
    match request["do"]:
        case "judge":
            span, answer = Span(int(request["start"]), int(request["end"])), str(request.get("answer", ""))
            attempt(place, lambda: judge(place, str(request["question"]), str(request["version"]), span, answer))
        case "remove":
            attempt(place, lambda: remove(place, [int(number) for number in request["ids"]]))
        case "undo":
            attempt(place, lambda: undo(place))
        case "why":
            ask_why.point_at(str(request["version"]), Span(int(request["start"]), int(request["end"])))
            st.session_state[state.ASK_WANTED] = place != ASK
        case "close":
            st.session_state[state.JUDGING_NOTICE] = None


def attempt(place: str, action: Callable[[], None]) -> None:
    """Do it, or leave a line that says why not."""
    try:
        action()
    except LecternError as error:
        say(place, str(error), wrong=True)


def judge(place: str, question: str, version: str, span: Span, answer: str = "") -> None:
    """Keep a gold passage. What was judged already stays as it was, and cannot be undone here."""
    library = services.library()
    known = {row.id for row in library.judgments()}
    number = library.judge(question, version, span.start, span.end, answer=answer)
    st.session_state[state.JUDGED_QUESTION] = (question, st.session_state.get(state.ASKED))
    if number in known:
        say(place, f"That was marked as an answer to {quoted(question)} already.")
    else:
        say(place, f"Saved as an answer to {quoted(question)}.", Undo(forget=(number,)))


def remove(place: str, ids: Sequence[int]) -> None:
    """Forget judgments, with a way back."""
    library = services.library()
    held = [row.judgment for row in library.judgments() if row.id in set(ids)]
    library.remove_judgments(ids)
    said = quoted(held[0].question) if len(held) == 1 else words.count(len(held), "judgment")
    say(place, f"Removed: {said}.", Undo(keep=tuple(held)))


def undo(place: str) -> None:
    """Take the last thing back, once."""
    last: Undo = st.session_state.pop(state.JUDGING_UNDO, None) or Undo()
    library = services.library()
    if last.forget:
        library.remove_judgments(last.forget)
        say(place, f"Taken back: {words.count(len(last.forget), 'judgment')}.")
    elif last.keep:
        library.add_judgments(last.keep)
        say(place, f"Back again: {words.count(len(last.keep), 'judgment')}.")


def say(place: str, text: str, way_back: Undo | None = None, *, wrong: bool = False) -> None:
    """Leave a line, and what undoes it."""
    state.bump(state.JUDGING_LINES)
    notice = Notice(state.counter(state.JUDGING_LINES), text, undo=way_back is not None, wrong=wrong)
    st.session_state[state.JUDGING_NOTICE] = (place, _seen(place), notice)
    st.session_state[state.JUDGING_UNDO] = way_back


def notice_at(place: str) -> Notice | None:
    """The line of a place, ``None`` where nothing was done last, or to what is no longer shown there."""
    where, seen, notice = st.session_state.get(state.JUDGING_NOTICE) or ("", None, None)
    return notice if where == place and seen == _seen(place) else None


def _seen(place: str) -> object:
    """What a place shows now: the question on Ask, the document on Chunks; nothing of its own in the list of all."""
    key = {ASK: state.ASKED, CHUNKS: state.CHUNKS_VERSION}.get(place)
    return st.session_state.get(key) if key else None


def offered() -> str:
    """The question a passage is likely to answer: the one judged last, unless another was asked since; "" for none."""
    asked = st.session_state.get(state.ASKED)
    judged, asked_then = st.session_state.get(state.JUDGED_QUESTION) or ("", asked)
    return str((judged if asked == asked_then else "") or asked or "")


def off() -> str:
    """Why nothing can be judged here, "" where it can."""
    return "" if services.library().writable else READ_ONLY


def for_reader(version: str, page: int = 0) -> dict[str, Any]:
    """What the reader of a document is told: its gold, what was lost of it, and the question offered first.

    ``page``: the one whose picture is shown, where the gold on it is told too; 0 for none.
    """
    rows = services.library().judgments(version)
    gold = gold_rows(rows)
    return {
        **_common(CHUNKS),
        "question": offered(),
        "gold": gold,
        "boxes": readings.boxes_on(version, page, [Span(start, end) for start, end, _ in gold]) if page else [],
        "lost": [
            {"question": row.judgment.question, "quote": row.judgment.quote, "why": row.lost}
            for row in rows
            if row.lost
        ],
    }


def for_result(result: SearchResult) -> dict[str, Any]:
    """What the evidence is told: the gold of its question within each hit and each passage."""
    rows = of_question(services.library().judgments(), result.question)
    return {
        **_common(ASK),
        "question": result.question,
        "hits": [gold_in(rows, hit) for hit in result.hits],
        "passages": [gold_in(rows, passage) for passage in result.passages],
    }


def _common(place: str) -> dict[str, Any]:
    notice = notice_at(place)
    asked = str(st.session_state.get(state.ASKED) or "")
    return {"off": off(), "asked": asked, "notice": asdict(notice) if notice else None}


def quoted(question: str) -> str:
    """A question in a line, cut where it is long.

    >>> quoted("How  long?"), quoted("a" * 99)[-5:]
    ('“How long?”', 'aaa…”')
    """
    return f"“{words.shortened(question, QUESTION_SHOWN)}”"
