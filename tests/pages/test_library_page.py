"""The Library and Settings pages' logic through AppTest: filters, trash, libraries, and what Settings says."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from core.library import Incoming, Library
from core.storage import shelf
from core.storage.catalogue.job_rows import NewItem
from pages.ui.library.adding import Dropped
from pages.ui.shared import background, state
from tests.pages.apps import said, start
from tests.pages.browsing import until
from tests.watching.keeper import hurry, write

pytestmark = pytest.mark.model


@pytest.fixture(scope="module")
def filed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two documents, one of them filed, tagged and noted, in a library that nothing opens."""
    folder = tmp_path_factory.mktemp("filed")
    (folder / "tokens.md").write_text("# Tokens\n\nValid for 3600 seconds.\n", encoding="utf-8")
    (folder / "tea.csv").write_text("kind,minutes\ngreen,3\nblack,4\n", encoding="utf-8")
    with Library.open(folder / "home") as library:
        library.ingest([Incoming(name, path=folder / name) for name in ("tokens.md", "tea.csv")])
        tea = next(source.id for source in library.sources() if source.name == "tea.csv")
        library.labels.collect([tea], library.labels.create_collection("Kitchen"))
        library.labels.tag([tea], "hot")
        library.labels.write_note(tea, "ask Femke")
    return folder / "home"


@pytest.fixture
def filled(empty_home: Path, filed: Path) -> Path:
    """The app's library: a copy of ``filed``."""
    shutil.copytree(filed, empty_home)
    return empty_home


def titles(app: AppTest) -> list[str]:
    return list(app.dataframe[0].value["File"])


@pytest.mark.usefixtures("filled")
def test_collections_tags_and_notes_are_shown_and_narrow_the_table() -> None:
    app = start()
    row = app.dataframe[0].value.set_index("File").loc["tea.csv"]
    assert (row["Collections and tags"], row["Note"], row["Kind"]) == ("Kitchen, #hot", "ask Femke", "Table (CSV)")
    app.multiselect(key="library.collections").set_value(["Kitchen"]).run()
    assert titles(app) == ["tea.csv"]
    app.multiselect(key="library.collections").set_value([]).run()
    app.multiselect(key="library.kinds").set_value(["markdown"]).run()
    assert titles(app) == ["tokens.md"]
    app.multiselect(key="library.kinds").set_value([]).run()
    app.text_input(key="library.filter").set_value("femke").run()
    assert titles(app) == ["tea.csv"]


def test_documents_of_an_earlier_parser_are_counted_and_read_again_on_request(filled: Path) -> None:
    with Library.open(filled) as library:
        assert library.cutting.outdated() == []
        library._store.write("UPDATE version SET parser = 'csv-0' WHERE kind = 'csv'", contents=True)
        versions = {source.name: source.version_id for source in library.sources()}
        assert library.cutting.outdated() == [versions["tea.csv"]]
    app = start()
    assert "1 document read by an earlier version" in said(app)
    app.button(key="library.outdated").click().run()
    until(lambda: not background.active_jobs("apply"))
    assert "earlier version" not in said(app.run())
    assert background.library().cutting.outdated() == []


def test_what_is_in_the_trash_is_listed_apart_and_emptied_only_after_a_question(filled: Path) -> None:
    with Library.open(filled) as library:
        library.trash([library.sources()[0].id])
    app = start()
    assert titles(app) == ["tea.csv"]
    assert list(app.dataframe[1].value["File"]) == ["tokens.md"]
    app.button(key="library.empty").click().run()
    assert "will be gone" in said(app)
    with Library.open(filled, write=False) as library:
        assert len(library.trashed()) == 1


def test_another_library_is_made_beside_the_first_and_returned_from(filled: Path, tmp_path: Path) -> None:
    app = start()
    made = next(field for field in app.text_input if field.label == "New library")
    made.set_value("Work notes")
    next(button for button in app.button if button.label == "Make it").click().run()
    assert "A library you can see into" in said(app)
    assert (tmp_path / "work-notes" / "catalogue.sqlite").exists()
    assert [known.name for known in shelf.shelf(shelf.shelf_file())] == ["home", "Work notes"]
    app.button(key=f"shelf.open.{filled}").click().run()
    assert titles(app) == ["tea.csv", "tokens.md"]


def read_twice() -> None:
    from pages.ui.library import adding

    adding._decide(read=True)
    adding._decide(read=True)  # a click that the first one's answer had not reached


def test_what_was_dropped_is_read_once_however_often_that_is_said(
    filled: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken: list[object] = []
    monkeypatch.setattr(background, "queue_files", taken.append)
    app = AppTest.from_function(read_twice)
    app.session_state[state.DROPPED] = Dropped(filled, (NewItem("tea.csv"),))
    app.run()
    assert taken == [(NewItem("tea.csv"),)]
    assert app.session_state[state.DROPPED] is None


def looked(app: AppTest, folder: Path, patterns: str = "") -> AppTest:
    """The app with a folder looked through that is about to be added."""
    app.segmented_control(key="library.way_in").set_value("Watch").run()
    app.text_input(key="library.folder.path").set_value(str(folder))
    app.text_input(key="library.folder.patterns").set_value(patterns)
    next(button for button in app.button if button.label == "Look").click().run()
    return app


def test_a_folder_shows_what_would_be_read_and_reads_nothing(filled: Path, tmp_path: Path) -> None:
    folder = tmp_path / "papers"
    folder.mkdir()
    (folder / "new.md").write_text("# New\n\nWords.\n", encoding="utf-8")
    (folder / "old.bak").write_text("left out", encoding="utf-8")
    app = looked(start(), folder, "*.bak")
    figures = {metric.label: metric.value for metric in app.metric}
    assert (figures["New"], figures["Passed over"], figures["Documents"]) == ("1", "1", "2")
    listed = next(frame.value for frame in app.dataframe if "State" in frame.value)
    assert list(listed) == ["File", "State", "Kind", "Size"], "all can be read: nothing says why not"
    with Library.open(filled, write=False) as library:
        assert (len(library.sources()), library.folders.all()) == (2, [])


def test_a_folder_that_is_kept_in_step_has_a_switch_and_a_log(
    filled: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hurry(monkeypatch)
    folder = tmp_path / "papers"
    folder.mkdir()
    (folder / "new.md").write_text("# New\n\nWords.\n", encoding="utf-8")
    os.utime(folder / "new.md", (1_700_000_000, 1_700_000_000))
    app = looked(start(), folder)
    app.button(key="library.folder.keep").click().run()
    with Library.open(filled, write=False) as library:
        until(lambda: [event.what for event in library.folders.events()] == ["read"])
        assert [row.name for row in library.sources()][-1] == "papers/new.md"
        app.run()
        assert "in step · 1 document" in said(app)
        (log,) = (frame.value for frame in app.dataframe if "What happened" in frame.value)
        assert list(log["What happened"]) == ["new.md: read"]
        (number,) = (known.id for known in library.folders.all())
        app.toggle(key=f"library.folder.watch.{number}.False").set_value(False).run()
        assert library.folders.all()[0].paused
        assert "paused" in said(app)
        app.button(key=f"library.folder.forget.{number}").click().run()
        assert (library.folders.all(), len(library.sources())) == ([], 3)


def test_a_folder_whose_files_are_gone_asks(filled: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hurry(monkeypatch)
    folder = tmp_path / "papers"
    for number in range(4):
        write(folder / f"{number}.md", f"Note {number}.\n")
    app = looked(start(), folder)
    app.button(key="library.folder.keep").click().run()
    with Library.open(filled, write=False) as library:
        until(lambda: len(library.folders.events()) == 4)
        shutil.rmtree(folder)
        folder.mkdir()
        until(lambda: library.folders.all()[0].asked == 4)
        app.run()
        assert "4 files of papers are gone at once" in said(app)
        app.button(key=f"library.folder.go.{library.folders.all()[0].id}").click().run()
        assert (len(library.sources()), len(library.trashed()), library.folders.all()[0].asked) == (2, 4, 0)


@pytest.mark.usefixtures("empty_home")
def test_a_look_at_nothing_is_a_sentence(tmp_path: Path) -> None:
    app = looked(start(), tmp_path / "not there")
    assert not app.exception
    assert any(status.state == "error" for status in app.status)


def test_settings_say_what_is_used_and_change_the_lexical_engine(filled: Path) -> None:
    app = start("settings")
    words = said(app)
    assert any("Reads English best" in caption for radio in app.radio for caption in radio.proto.captions)
    assert "256 tokens" in words
    assert "Nothing leaves this machine" in words
    engine = next(radio for radio in app.radio if radio.label == "Words are searched by")
    engine.set_value("rank-bm25")
    next(button for button in app.button if button.label == "Apply").click().run()
    assert not app.exception
    from pages.ui.shared import services

    library = services.library()
    until(lambda: all(job.finished for job in library.queue.jobs()))
    assert library.settings.retrieval.lexical_engine == "rank-bm25"
    assert library.search("How long is a token valid?").hits
