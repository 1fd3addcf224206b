"""The answer line on the Ask page: what a quoted cell is of."""

from __future__ import annotations

import json
from typing import Any

from streamlit.testing.v1 import AppTest


def answer_of(app: AppTest) -> dict[str, Any]:
    """The data of the answer line's component."""
    every = [json.loads(element.proto.json) for element in app.get("bidi_component")]
    (found,) = [data for data in every if "weak" in data]
    return dict(found)


def cells_page() -> None:
    """An answer of a cell and a sentence."""
    from core.library import SearchResult
    from core.search.answer.support import Support
    from core.search.question.analysis import Understanding
    from core.types import Answer, Citation, Context, Quote, Trace
    from pages.ui.ask import answer as ask_answer

    asked = "How available was it?"
    place = Citation("v", "Status", "status.md", 3, 15)
    answer = Answer((Quote("99.92 %", 0.9, place, "Availability › Q3 2026"), Quote("It held.", 0.4, place)))
    nothing = Context((), (), 0, 100, "")
    result = SearchResult(asked, (), (), nothing, Trace(asked, (), ()), {}, Understanding(asked, asked))
    ask_answer.show_answer(answer, Support(0.7, True, "It is likely."), result, lambda version: "text")


def test_a_cell_says_what_it_is_of() -> None:
    app = AppTest.from_function(cells_page, default_timeout=180).run()
    assert not app.exception
    answer = answer_of(app)
    assert [(quote["told"], quote["text"]) for quote in answer["quotes"]] == [
        ("Availability › Q3 2026", "99.92 %"),
        ("", "It held."),
    ]
    assert answer["likely"] == " · the library is 70% likely to answer this"
