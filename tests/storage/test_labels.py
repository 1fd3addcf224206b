"""Collections, tags and notes: named once, counted right, and still there when a file has changed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import LecternError, NotFoundError
from core.storage.catalogue.filing.labels import Labels, Tag, fold
from core.storage.catalogue.filing.names import scope_named
from core.storage.catalogue.filing.sources import remove_source, sources
from core.storage.catalogue.filing.trash import trash_sources
from core.storage.store import Store
from core.storage.verify import verify
from tests.storage.builders import document, ingest, put_source


@pytest.fixture
def store(tmp_path):
    with Store.open(tmp_path / "library", write=True) as opened:
        for name in ("one", "two", "three"):
            ingest(opened, name, f"The text of {name}.")
        yield opened


def ids(store):
    return {row.name: row.id for row in sources(store)}


def test_a_name_is_taken_however_it_is_spelt(store) -> None:
    Labels(store).create_collection("Straße")
    for spelt in ("STRASSE", " straße "):
        with pytest.raises(LecternError, match="a collection named 'Straße' already"):
            Labels(store).create_collection(spelt)
    assert [known.name for known in Labels(store).collections()] == ["Straße"]


def test_a_tag_has_no_mark_in_its_name_and_is_found_with_one(store) -> None:
    Labels(store).tag([1], " #work")
    assert Labels(store).tags() == [Tag("work", 1)]
    assert scope_named(store, (), ["#work"]) == scope_named(store, (), ["Work"])
    with pytest.raises(NotFoundError, match="no tag 'play'"):
        scope_named(store, (), ["#play"])
    with pytest.raises(LecternError, match="needs a name"):
        Labels(store).tag([1], "#")


@pytest.mark.parametrize("name", ["", " \t\n", "x" * 81])
def test_an_unfit_name_is_refused_with_a_sentence(store, name) -> None:
    for refuse in (lambda: Labels(store).create_collection(name), lambda: Labels(store).tag([1], name)):
        with pytest.raises(LecternError, match=r"(needs a name|has 81 characters)\. [GU].*\.$"):
            refuse()
    Labels(store).create_collection("x" * 80)


def test_what_is_not_there(store) -> None:
    work = Labels(store).create_collection("Work")
    for miss in (
        lambda: Labels(store).collect([99], work),
        lambda: Labels(store).uncollect([99], work),
        lambda: Labels(store).collect([1], 99),
        lambda: Labels(store).uncollect([1], 99),
        lambda: Labels(store).delete_collection(99),
        lambda: Labels(store).tag([99], "new"),
        lambda: Labels(store).untag([99], "new"),
        lambda: Labels(store).write_note(99, "text"),
    ):
        with pytest.raises(NotFoundError, match="99"):
            miss()
    assert Labels(store).tags() == []


def test_tags_come_with_their_first_document_and_go_with_their_last(store) -> None:
    one, two, three = ids(store).values()
    Labels(store).tag([one, two], "Urgent")
    Labels(store).tag([three], "uRGENT")
    Labels(store).tag([one], "a b")
    assert Labels(store).tags() == [Tag("a b", 1), Tag("Urgent", 3)]
    assert sources(store)[0].tags == ("a b", "Urgent")
    trash_sources(store, [one])
    assert Labels(store).tags() == [Tag("Urgent", 2)]
    Labels(store).untag([two, three], "URGENT")
    assert Labels(store).tags() == []
    remove_source(store, one)
    Labels(store).tag([two], "URGENT")
    assert Labels(store).tags() == [Tag("URGENT", 1)], "nobody carried the old spelling any more"
    assert verify(store) == []


def test_labels_and_notes_survive_a_change_of_the_file(store) -> None:
    work = Labels(store).create_collection("Work")
    one = ids(store)["one"]
    Labels(store).collect([one], work)
    Labels(store).tag([one], "kept")
    Labels(store).write_note(one, "  Read by Friday.\n")
    ingest(store, "one", "Another text altogether.")
    row = sources(store)[0]
    assert (row.id, row.version_id) == (one, document("Another text altogether.").version_id)
    assert (row.collections, row.tags, row.note) == (("Work",), ("kept",), "Read by Friday.")
    trash_sources(store, [one])
    put_source(store, name="one", version_id=row.version_id)
    assert sources(store)[0].note == "Read by Friday."
    Labels(store).write_note(one, " ")
    assert sources(store)[0].note == ""
    with pytest.raises(LecternError, match="100,001 characters"):
        Labels(store).write_note(one, "x" * 100_001)


def test_labels_change_the_revision_and_not_what_was_read_of_leaves(store) -> None:
    revision, contents = store.revision(), store.contents()
    Labels(store).tag([1], "new")
    Labels(store).write_note(1, "noted")
    Labels(store).collect([1], Labels(store).create_collection("Work"))
    assert store.revision() == revision + 4
    assert store.contents() == contents
    remove_source(store, 1)
    assert store.contents() > contents


@given(st.text())
def test_folding_is_done_once_and_for_all(name) -> None:
    assert fold(fold(name)) == fold(name)
    assert fold(f"  {name} ") == fold(name)
