"""The chips above the question: what is offered, and that the answer keeps to what was chosen."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from core.library import Library
from pages.ui.ask import tabs as ask_tabs
from pages.ui.shared import services, state
from tests.pages.apps import filled

pytestmark = pytest.mark.model
APP = Path(__file__).resolve().parents[2] / "app.py"
NOTES = {
    "kettle.md": "# Kettle\n\nThe kettle stands in the kitchen on the second floor.\n",
    "cellar.md": "# Cellar\n\nThe old kettle stands in the cellar, behind the bicycles.\n",
}


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Two notes about kettles; one has a tag, one lies in a collection."""
    with filled(tmp_path, monkeypatch, NOTES) as library:
        numbers = {source.name: source.id for source in library.sources()}
        library.labels.tag([numbers["kettle.md"]], "upstairs")
        library.labels.collect([numbers["cellar.md"]], library.labels.create_collection("Downstairs [old]"))
    yield tmp_path / "home"
    services._desk.clear()


def asked(scope: list[tuple[str, int | str]] | None = None) -> AppTest:
    app = AppTest.from_file(str(APP), default_timeout=120)
    app.run()
    app.switch_page("pages/ask.py").run()
    app.session_state[state.ASK_TAB] = ask_tabs.PROMPT
    app.text_input(key=state.QUESTION).set_value("Where is the kettle?")
    if scope is not None:
        app.session_state[state.SCOPE] = scope
    next(button for button in app.button if button.label == "Ask").click().run()
    assert not app.exception
    return app


def read(app: AppTest) -> str:
    """What a language model would be given."""
    return str(app.code[0].value)


@pytest.mark.usefixtures("home")
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


@pytest.mark.usefixtures("home")
def test_a_choice_that_is_gone_is_forgotten() -> None:
    app = asked([("collection", 999), ("tag", "no such tag")])
    assert "bicycles" in read(app)
    assert app.session_state[state.SCOPE] == []
