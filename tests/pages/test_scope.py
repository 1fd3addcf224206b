"""The chips above the question: what is offered, and that the answer keeps to what was chosen."""

from __future__ import annotations

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from core.library import Library
from pages.ui.ask import tabs as ask_tabs
from pages.ui.shared import state
from tests.pages.apps import press, start

pytestmark = pytest.mark.model
NOTES = {
    "kettle.md": "# Kettle\n\nThe kettle stands in the kitchen on the second floor.\n",
    "cellar.md": "# Cellar\n\nThe old kettle stands in the cellar, behind the bicycles.\n",
}


@pytest.fixture(autouse=True)
def _filed(home: Path) -> None:
    """One of two notes about kettles has a tag, one lies in a collection."""
    with Library.open(home) as library:
        numbers = {source.name: source.id for source in library.sources()}
        library.labels.tag([numbers["kettle.md"]], "upstairs")
        library.labels.collect([numbers["cellar.md"]], library.labels.create_collection("Downstairs [old]"))


def asked(scope: list[tuple[str, int | str]] | None = None) -> AppTest:
    app = start("ask")
    app.session_state[state.ASK_TAB] = ask_tabs.PROMPT
    app.text_input(key=state.QUESTION).set_value("Where is the kettle?")
    if scope is not None:
        app.session_state[state.SCOPE] = scope
    return press(app, "Ask")


def read(app: AppTest) -> str:
    """What a language model would be given."""
    return str(app.code[0].value)


@pytest.mark.parametrize(
    ("kind", "held", "left"), [("tag", "second floor", "bicycles"), ("collection", "bicycles", "second floor")]
)
def test_a_choice_keeps_the_answer_to_it(home: Path, kind: str, held: str, left: str) -> None:
    with Library.open(home, write=False) as library:
        choice: tuple[str, int | str] = (
            ("tag", "upstairs") if kind == "tag" else (kind, library.labels.collections()[0].id)
        )
    prompt = read(asked([choice]))
    assert held in prompt
    assert left not in prompt


def test_a_choice_that_is_gone_is_forgotten() -> None:
    app = asked([("collection", 999), ("tag", "no such tag")])
    assert "bicycles" in read(app)
    assert app.session_state[state.SCOPE] == []
