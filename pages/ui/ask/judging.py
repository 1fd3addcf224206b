"""Judgments made in the pages: requests of the components carried out and undone, and gold spans as their data."""

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
CHUNKS, ASK, LIST = "chunks", "ask", "list"  # places that send requests; a notice is shown only in the place it is for
QUESTION_SHOWN = 60  # characters of a question in a notice


@dataclass(frozen=True, slots=True)
class Notice:
    """The outcome of a request, as a sentence.

    ``serial`` distinguishes it from an equal earlier notice. ``undo``: it can be undone. ``wrong``: the request failed.
    """

    serial: int
    text: str
    undo: bool = False
    wrong: bool = False


@dataclass(frozen=True, slots=True)
class Undo:
    """How to undo the last request: the ids of judgments to remove, or judgments to add again."""

    forget: tuple[int, ...] = ()
    keep: tuple[Judgment, ...] = ()


def take(requests: Sequence[Mapping[str, Any]] | None, place: str) -> None:
    """Carry out the new requests of a component in a place, each once, and set the notice; for its callback."""
    for request in state.new_requests(state.JUDGING_HEARD, requests or (), "at"):
        _do(request, place)


def _do(request: Mapping[str, Any], place: str) -> None:
    """Carry out one request. Its "do" is "judge", "remove", "undo", "why" (explain a span) or "close" (the notice)."""
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
    """Run an action; a ``LecternError`` becomes the place's notice."""
    try:
        action()
    except LecternError as error:
        say(place, str(error), wrong=True)


def judge(place: str, question: str, version: str, span: Span, answer: str = "") -> None:
    """Store a gold span and set the notice. A judgment that exists already is left as it is and offers no undo."""
    library = services.library()
    known = {row.id for row in library.judgments()}
    judgment_id = library.judge(question, version, span.start, span.end, answer=answer)
    st.session_state[state.JUDGED_QUESTION] = (question, st.session_state.get(state.ASKED))
    if judgment_id in known:
        say(place, f"That was marked as an answer to {quoted(question)} already.")
    else:
        say(place, f"Saved as an answer to {quoted(question)}.", Undo(forget=(judgment_id,)))


def remove(place: str, ids: Sequence[int]) -> None:
    """Remove judgments and set a notice that offers to undo it."""
    library = services.library()
    removed = [row.judgment for row in library.judgments() if row.id in set(ids)]
    library.remove_judgments(ids)
    name = quoted(removed[0].question) if len(removed) == 1 else words.count(len(removed), "judgment")
    say(place, f"Removed: {name}.", Undo(keep=tuple(removed)))


def undo(place: str) -> None:
    """Undo the last request, if it was not undone yet."""
    last: Undo = st.session_state.pop(state.JUDGING_UNDO, None) or Undo()
    library = services.library()
    if last.forget:
        library.remove_judgments(last.forget)
        say(place, f"Taken back: {words.count(len(last.forget), 'judgment')}.")
    elif last.keep:
        library.add_judgments(last.keep)
        say(place, f"Back again: {words.count(len(last.keep), 'judgment')}.")


def say(place: str, text: str, way_back: Undo | None = None, *, wrong: bool = False) -> None:
    """Set the notice of a place, and how to undo what it reports."""
    state.bump(state.JUDGING_LINES)
    notice = Notice(state.counter(state.JUDGING_LINES), text, undo=way_back is not None, wrong=wrong)
    st.session_state[state.JUDGING_NOTICE] = (place, _seen(place), notice)
    st.session_state[state.JUDGING_UNDO] = way_back


def notice_at(place: str) -> Notice | None:
    """The notice of a place; ``None`` if the last one is for another place, question or document than shown now."""
    where, seen, notice = st.session_state.get(state.JUDGING_NOTICE) or ("", None, None)
    return notice if where == place and seen == _seen(place) else None


def _seen(place: str) -> object:
    """What a place shows now: the question on Ask, the document on Chunks, ``None`` in the list of all judgments."""
    key = {ASK: state.ASKED, CHUNKS: state.CHUNKS_VERSION}.get(place)
    return st.session_state.get(key) if key else None


def offered() -> str:
    """The question to offer for a new judgment: the one judged last, or the one asked since; "" without either."""
    asked = st.session_state.get(state.ASKED)
    judged, asked_then = st.session_state.get(state.JUDGED_QUESTION) or ("", asked)
    return str((judged if asked == asked_then else "") or asked or "")


def off() -> str:
    """Why judging is off, as a sentence; "" if it is on."""
    return "" if services.library().writable else READ_ONLY


def for_reader(version: str, page: int = 0) -> dict[str, Any]:
    """The judgments of a document as data for the reader: gold spans, lost judgments, the question to offer.

    ``page``: the 1-based page whose picture is shown, for the boxes of the gold spans on it; 0 for none.
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
    """The gold of a result's question inside each hit and each passage, as data for the evidence."""
    rows = of_question(services.library().judgments(), result.question)
    return {
        **_common(ASK),
        "question": result.question,
        "hits": [gold_in(rows, hit) for hit in result.hits],
        "passages": [gold_in(rows, passage) for passage in result.passages],
    }


def _common(place: str) -> dict[str, Any]:
    """The data that both components get: whether judging is off, the last question, the notice."""
    notice = notice_at(place)
    asked = str(st.session_state.get(state.ASKED) or "")
    return {"off": off(), "asked": asked, "notice": asdict(notice) if notice else None}


def quoted(question: str) -> str:
    """A question in quotation marks, at most ``QUESTION_SHOWN`` characters of it.

    >>> quoted("How  long?"), quoted("a" * 99)[-5:]
    ('“How long?”', 'aaa…”')
    """
    return f"“{words.shortened(question, QUESTION_SHOWN)}”"
