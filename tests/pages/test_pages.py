"""The pages' logic through AppTest, on a small library made with the packaged embedder."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.ingest.work import ingest_handler
from core.library import Library
from core.storage.catalogue.job_rows import NewItem
from tests.pages.apps import said, start

pytestmark = pytest.mark.model
NOTES = {
    "tokens.md": "# Tokens\n\nAn access token is valid for 3600 seconds.\n\n## Renewal\n\nAsk anew before it ends.\n",
    "tea.txt": "The kettle stands in the kitchen on the second floor.\n\nTea is free on Fridays.\n",
}


@pytest.mark.usefixtures("empty_home")
@pytest.mark.parametrize(
    ("page", "sentence"),
    [
        ("", "Put your documents in"),
        ("library", "Put your documents in"),
        ("chunks", "Nothing to look at yet"),
        ("ask", "The library is empty"),
        ("benchmark", "Make questions from my documents"),
    ],
)
def test_an_empty_library_says_what_to_do(page: str, sentence: str) -> None:
    assert sentence in said(start(page))


@pytest.mark.usefixtures("home")
def test_contradicting_dials_are_a_sentence() -> None:
    app = start("ask")
    app.slider(key="ask.retrieval.dense_weight").set_value(0.0)
    app.slider(key="ask.retrieval.lexical_weight").set_value(0.0).run()
    assert "weights are 0" in said(app)
    assert not app.exception


@pytest.mark.parametrize(
    ("known", "span", "sentence"),
    [(False, "3-9", "not in this library"), (True, "1-99999999", "beyond the end"), (True, "javascript:x", "not one")],
)
def test_a_bad_link_is_a_sentence(home: Path, known: bool, span: str, sentence: str) -> None:
    with Library.open(home, write=False) as library:
        version = library.sources()[0].version_id
    assert sentence in said(start("chunks", document=version if known else "0" * 64, span=span))


def test_a_file_that_cannot_be_read_is_named_until_it_is_dismissed(home: Path) -> None:
    with Library.open(home) as library:
        picture = library.stage(b"\x89PNG\r\n\x1a\n" + bytes(200))
        library.queue.enqueue("ingest", {}, [NewItem("picture.md", content_hash=picture)])
        assert library.queue.run_next({"ingest": ingest_handler(library)})
    app = start()
    assert "picture.md" in said(app).replace("\\", "")
    assert "Retry" in {button.label for button in app.button}
    app.button(key="library.dismiss").click().run()
    assert "picture.md" not in said(app).replace("\\", "")


def test_a_locked_library_is_read_with_a_sentence(home: Path) -> None:
    with Library.open(home):
        app = start()
        assert "Reading only" in said(app)
        assert not app.get("file_uploader")
        assert app.button(key="library.trash").disabled
    assert {metric.label: metric.value for metric in app.metric}["Documents"] == "2"


def test_a_damaged_catalogue_is_a_sentence(empty_home: Path) -> None:
    empty_home.mkdir()
    (empty_home / "catalogue.sqlite").write_bytes(b"this is no database " * 400)
    app = start()
    assert app.error
    assert not app.exception


def test_a_folder_that_cannot_be_made_is_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("LECTERN_HOME", str(tmp_path / "file" / "home"))
    app = start()
    assert app.error
    assert not app.exception


@pytest.mark.usefixtures("home")
def test_totals_are_named_nothing_is_thrown_away_without_a_choice_and_the_filter_knows_kinds() -> None:
    from pages.ui.library import documents
    from pages.ui.shared import services

    app = start()
    figures = {metric.label: metric.value for metric in app.metric}
    assert (figures["Documents"], figures["Too long"]) == ("2", "0 chunks")
    assert list(app.dataframe[0].value["Title"]) == ["Tea", "Tokens"]
    assert app.button(key="library.trash").disabled
    assert app.button(key="library.open").disabled
    sources = services.library().sources()
    services.library().trash([sources[0].id])
    assert [source.name for source in services.library().sources()] == ["tea.txt"]
    assert documents.matches(sources[0], "tokens MARKDOWN")
    assert not documents.matches(sources[0], "tokens pdf")
