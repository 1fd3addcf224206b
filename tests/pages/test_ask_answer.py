"""The answer line on the Ask page: what a quoted cell is of, and comparisons that can be taken away."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from pages.ui import state
from tests.pages.apps import filled, start

REGIONS = """# Growth by region

| Region | Growth | Customers |
|---|---|---|
| North | 4.9 % | 1,200 |
| East | 5.1 % | 40 |
| West | 7 % | 5 |
"""
QUESTION = "Which regions grew above 5 %?"
CHIP = "ask.chip.comparison.above 5 %"


def answer_of(app: AppTest) -> dict[str, Any]:
    """The data of the answer line's component."""
    every = [json.loads(element.proto.json) for element in app.get("bidi_component")]
    (found,) = [data for data in every if "weak" in data]
    return dict(found)


def cells_page() -> None:
    """An answer of a cell and a sentence, and chips of comparisons that list rows and that do not."""
    import streamlit

    from core.answering import Compared
    from core.answering.support import Support
    from core.library import SearchResult
    from core.retrieval.analysis import Understanding, understand
    from core.retrieval.bounds import comparison_in
    from core.settings import UnderstandingSettings
    from core.types import Answer, Citation, Context, Quote, Trace
    from pages.ui import ask_answer, ask_chips

    asked = "Which figures are above 5 %?"
    place = Citation("v", "Status", "status.md", 3, 15)
    answer = Answer((Quote("99.92 %", 1.0, place, "Availability › Q3 2026"), Quote("It held.", 0.4, place)))
    nothing = Context((), (), 0, 100, "")
    result = SearchResult(asked, (), (), nothing, Trace(asked, (), ()), {}, Understanding(asked, asked))
    comparison = comparison_in(asked)
    compared = Compared(comparison, 1, 4) if comparison else None
    ask_answer.show_answer(answer, Support(0.1, True, "In tables."), result, lambda version: "text", compared)
    for question in (asked, "Why is it below 3 V?"):
        found = understand(question)
        for settings in (UnderstandingSettings(), UnderstandingSettings(comparison_boost=0.5)):
            streamlit.caption(" | ".join(ask_chips.chip_words(chip, settings) for chip in found.chips))


def test_a_cell_says_what_it_is_of_and_what_was_compared() -> None:
    app = AppTest.from_function(cells_page).run()
    assert not app.exception
    answer = answer_of(app)
    assert [(quote["told"], quote["text"]) for quote in answer["quotes"]] == [
        ("Availability › Q3 2026", "99.92 %"),
        ("", "It held."),
    ]
    assert answer["compared"] == "In tables, 4 numbers are above 5 %; 1 of them quoted."
    assert answer["likely"] == "", "a typed match is no matter of likelihood"
    assert [caption.value for caption in app.caption] == [
        "above 5 %",
        "above 5 % (boost)",
        "below 3 V (noticed)",  # it lists nothing
        "below 3 V (boost)",
    ]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The library the app opens, with a table in it; let go of afterwards."""
    from pages.ui import services

    with filled(tmp_path, monkeypatch, {"regions.md": REGIONS}):
        pass
    yield tmp_path / "home"
    services._desk.clear()


@pytest.mark.model
@pytest.mark.usefixtures("home")
def test_a_comparison_is_answered_from_the_table_until_it_is_taken_away() -> None:
    app = start("ask")
    app.text_input(key=state.QUESTION).set_value(QUESTION)
    app.button[0].click().run()
    assert not app.exception
    cells = [("East › Growth", "5.1 %"), ("West › Growth", "7 %")]
    answer = answer_of(app)
    assert [(quote["told"], quote["text"]) for quote in answer["quotes"] if quote["told"]] == cells
    assert (answer["weak"], answer["compared"]) == ("", "In tables, 2 numbers are above 5 %.")
    app.button(key=CHIP).click().run()
    assert not app.exception
    assert (answer_of(app)["compared"], CHIP in {button.key for button in app.button}) == ("", False)
    app.button(key="ask.chip.back.comparison.above 5 %").click().run()
    assert answer_of(app) == answer
