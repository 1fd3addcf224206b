"""Collections, tags and notes: named once, counted right, and still there when a file has changed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import LecternError, NotFoundError
from core.storage import labels
from core.storage.labels import Collection, Tag, fold
from core.storage.sources import put_source, remove_source, sources
from core.storage.store import Store
from core.storage.trash import trash_sources
from core.storage.verify import verify
from tests.storage.builders import document, ingest


@pytest.fixture
def store(tmp_path):
    with Store.open(tmp_path / "library", write=True) as opened:
        for name in ("one", "two", "three"):
            ingest(opened, name, f"The text of {name}.")
        yield opened


def ids(store):
    return {row.name: row.id for row in sources(store)}


def test_collections_hold_what_was_put_into_them(store) -> None:
    work = labels.create_collection(store, "  Work \n notes ")
    home = labels.create_collection(store, "at Home")
    one, two, three = ids(store).values()
    labels.collect(store, [one, two, one], work)
    labels.collect(store, [two, three], home)
    assert labels.collections(store) == [Collection(home, "at Home", 2), Collection(work, "Work notes", 2)]
    assert [row.collections for row in sources(store)] == [("Work notes",), ("at Home", "Work notes"), ("at Home",)]
    labels.uncollect(store, [two], home)
    labels.rename_collection(store, home, "AT HOME")
    assert labels.collections(store)[0] == Collection(home, "AT HOME", 1)
    labels.delete_collection(store, work)
    assert [row.collections for row in sources(store)] == [(), (), ("AT HOME",)]
    assert labels.create_collection(store, "Work notes") not in {work, home}, "an id is not used twice"
    assert verify(store) == []


def test_a_name_is_taken_however_it_is_spelt(store) -> None:
    work = labels.create_collection(store, "Straße")
    other = labels.create_collection(store, "Other")
    for spelt in ("STRASSE", " straße "):
        with pytest.raises(LecternError, match="a collection named 'Straße' already"):
            labels.create_collection(store, spelt)
        with pytest.raises(LecternError, match="already"):
            labels.rename_collection(store, other, spelt)
    labels.rename_collection(store, work, "STRASSE")
    assert [known.name for known in labels.collections(store)] == ["Other", "STRASSE"]


@pytest.mark.parametrize("name", ["", " \t\n", "x" * 81])
def test_an_unfit_name_is_refused_with_a_sentence(store, name) -> None:
    for refuse in (lambda: labels.create_collection(store, name), lambda: labels.tag(store, [1], name)):
        with pytest.raises(LecternError, match=r"(needs a name|has 81 characters)\. [GU].*\.$"):
            refuse()
    labels.create_collection(store, "x" * 80)


def test_what_is_not_there(store) -> None:
    work = labels.create_collection(store, "Work")
    for miss in (
        lambda: labels.collect(store, [99], work),
        lambda: labels.uncollect(store, [99], work),
        lambda: labels.collect(store, [1], 99),
        lambda: labels.uncollect(store, [1], 99),
        lambda: labels.rename_collection(store, 99, "New"),
        lambda: labels.delete_collection(store, 99),
        lambda: labels.tag(store, [99], "new"),
        lambda: labels.untag(store, [99], "new"),
        lambda: labels.note(store, 99),
        lambda: labels.write_note(store, 99, "text"),
    ):
        with pytest.raises(NotFoundError, match="99"):
            miss()
    assert labels.tags(store) == []


def test_tags_come_with_their_first_document_and_go_with_their_last(store) -> None:
    one, two, three = ids(store).values()
    labels.tag(store, [one, two], "Urgent")
    labels.tag(store, [three], "uRGENT")
    labels.tag(store, [one], "a b")
    assert labels.tags(store) == [Tag("a b", 1), Tag("Urgent", 3)]
    assert sources(store)[0].tags == ("a b", "Urgent")
    trash_sources(store, [one])
    assert labels.tags(store) == [Tag("Urgent", 2)]
    labels.untag(store, [two, three], "URGENT")
    assert labels.tags(store) == []
    remove_source(store, one)
    labels.tag(store, [two], "URGENT")
    assert labels.tags(store) == [Tag("URGENT", 1)], "nobody carried the old spelling any more"
    assert verify(store) == []


def test_labels_and_notes_survive_a_change_of_the_file(store) -> None:
    work = labels.create_collection(store, "Work")
    one = ids(store)["one"]
    labels.collect(store, [one], work)
    labels.tag(store, [one], "kept")
    labels.write_note(store, one, "  Read by Friday.\n")
    ingest(store, "one", "Another text altogether.")
    row = sources(store)[0]
    assert (row.id, row.version_id) == (one, document("Another text altogether.").version_id)
    assert (row.collections, row.tags, row.note) == (("Work",), ("kept",), "Read by Friday.")
    trash_sources(store, [one])
    put_source(store, name="one", version_id=row.version_id)
    assert labels.note(store, one) == "Read by Friday."
    labels.write_note(store, one, " ")
    assert labels.note(store, one) == ""
    with pytest.raises(LecternError, match="100,001 characters"):
        labels.write_note(store, one, "x" * 100_001)


def test_labels_change_the_revision_and_not_what_was_read_of_leaves(store) -> None:
    revision, contents = store.revision(), store.contents()
    labels.tag(store, [1], "new")
    labels.write_note(store, 1, "noted")
    labels.collect(store, [1], labels.create_collection(store, "Work"))
    assert store.revision() == revision + 4
    assert store.contents() == contents
    remove_source(store, 1)
    assert store.contents() > contents


def test_a_reader_sees_labels_and_changes_none(store) -> None:
    labels.tag(store, [1], "seen")
    with Store.open(store.home, write=False) as reader:
        assert labels.tags(reader) == [Tag("seen", 1)]
        with pytest.raises(LecternError, match="opened for reading"):
            labels.tag(reader, [1], "no")


@given(st.text())
def test_folding_is_done_once_and_for_all(name) -> None:
    assert fold(fold(name)) == fold(name)
    assert fold(f"  {name} ") == fold(name)
