"""Edits by hand and own recipes as they are kept: undone and redone, across restarts, changed files and removals."""

from __future__ import annotations

from dataclasses import replace

import pytest

from core.chunking.edits.edits import merge, split
from core.errors import LecternError
from core.settings import ChunkingSettings
from core.storage.catalogue.filing.sources import predecessor, remove_source, sources
from core.storage.catalogue.texts import edits as stored
from core.storage.catalogue.texts.documents import put_document, text_hash
from core.storage.catalogue.texts.edits import (
    add_edit,
    edits,
    prospective_edits,
    redo_edit,
    remove_edit,
    undo_edit,
    undone_edits,
)
from core.storage.catalogue.texts.following_judgments import VersionText
from core.storage.catalogue.texts.recipes import overrides, own_recipes, set_own_recipe
from core.storage.store import Store
from core.storage.verify import verify
from tests.storage import builders

TEXT = "One two three. Four five six. Seven eight nine. Ten eleven twelve."


@pytest.fixture
def home(tmp_path):
    return tmp_path / "library"


def made(store: Store, position: int, text: str = TEXT, make=split) -> int:
    whole = builders.document(text)
    return add_edit(store, replace(make(whole, position), text_hash=text_hash(text)))


def version_of(text: str) -> str:
    return builders.document(text).version_id


def words_at(store: Store, text: str) -> list[str]:
    return [text[edit.at.end :].split()[0] for edit in edits(store, version_of(text))]


def test_undo_and_redo_survive_a_restart(home) -> None:
    with Store.open(home, write=True) as store:
        builders.ingest(store, "a", TEXT)
        for word in ("Four", "Seven", "Ten"):
            made(store, TEXT.index(word))
        assert words_at(store, TEXT) == ["Four", "Seven", "Ten"]
        assert undo_edit(store, version_of(TEXT)).at.after.startswith("Ten")
        undo_edit(store, version_of(TEXT))
        before = store.revision()
    with Store.open(home, write=True) as store:
        assert words_at(store, TEXT) == ["Four"]
        assert redo_edit(store, version_of(TEXT)).at.after.startswith("Seven")
        assert store.revision() > before
    with Store.open(home, write=True) as store:
        assert words_at(store, TEXT) == ["Four", "Seven"]
        assert len(undone_edits(store, version_of(TEXT))) == 1
        made(store, TEXT.index("eleven"))
        assert redo_edit(store, version_of(TEXT)) is None, "a new edit ends what could be done again"
        for _ in range(3):
            undo_edit(store, version_of(TEXT))
        assert (undo_edit(store, version_of(TEXT)), edits(store, version_of(TEXT))) == (None, [])
        assert verify(store) == []


def test_an_edit_comes_back_as_it_was_made(store) -> None:
    builders.ingest(store, "a", TEXT)
    wish = replace(merge(builders.document(TEXT), TEXT.index("Four")), text_hash=text_hash(TEXT))
    number = add_edit(store, wish)
    (kept,) = edits(store, version_of(TEXT))
    assert (kept, kept.id) == (wish, number)
    assert remove_edit(store, number)
    assert not remove_edit(store, number)


def test_there_is_an_end_to_what_is_kept(home, monkeypatch) -> None:
    monkeypatch.setattr(stored, "MAX_EDITS", 5)
    monkeypatch.setattr(stored, "MAX_UNDONE", 2)
    with Store.open(home, write=True) as store:
        builders.ingest(store, "a", TEXT)
        numbers = [made(store, TEXT.index("Four") + step) for step in range(1, 4)] + [
            made(store, TEXT.index("Seven") + step) for step in range(1, 3)
        ]
        with pytest.raises(LecternError, match="5 edits by hand"):
            made(store, TEXT.index("Ten"))
        for _ in range(4):
            undo_edit(store, version_of(TEXT))
        assert [edit.id for edit in undone_edits(store, version_of(TEXT))] == numbers[1:3]


def test_edits_and_a_recipe_go_along_with_a_changed_file(home) -> None:
    new = TEXT.replace("One two", "One and two") + " The end."
    own = ChunkingSettings(max_tokens=64)
    with Store.open(home, write=True) as store:
        builders.ingest(store, "a", TEXT)
        made(store, TEXT.index("Seven"))
        made(store, TEXT.index("Ten"))
        undo_edit(store, version_of(TEXT))
        set_own_recipe(store, "document", version_of(TEXT), own)
        assert predecessor(store, name="a") == version_of(TEXT)
        ahead = prospective_edits(store, version_of(new), VersionText(new, text_hash(new)), version_of(TEXT))
        builders.ingest(store, "a", new)
        assert edits(store, version_of(new)) == ahead, "what is foreseen when a file is cut is what is stored with it"
        assert words_at(store, new) == ["Seven"]
        assert edits(store, version_of(TEXT)) == []
        assert redo_edit(store, version_of(new)) is not None
        assert words_at(store, new) == ["Seven", "Ten"]
        assert overrides(store) == {("document", version_of(new)): own}


def test_of_two_sources_the_one_that_stays_keeps_them(store) -> None:
    builders.ingest(store, "a", TEXT)
    builders.put_source(store, name="b", version_id=version_of(TEXT))
    made(store, TEXT.index("Seven"))
    assert predecessor(store, name="a") is None
    builders.ingest(store, "a", TEXT + " More.")
    assert words_at(store, TEXT) == ["Seven"]
    assert edits(store, version_of(TEXT + " More.")) == []


def test_edits_wait_for_a_document_that_was_removed(store) -> None:
    builders.ingest(store, "a", TEXT)
    made(store, TEXT.index("Seven"))
    set_own_recipe(store, "document", version_of(TEXT), ChunkingSettings(max_tokens=64))
    remove_source(store, sources(store)[0].id)
    assert verify(store) == []
    assert [(own.scope, own.name) for own in own_recipes(store)] == [("document", "")]
    builders.ingest(store, "a", TEXT)
    assert words_at(store, TEXT) == ["Seven"]
    assert [own.name for own in own_recipes(store)] == ["A title"]


def test_another_reading_of_the_same_bytes_takes_edits_along(store) -> None:
    builders.ingest(store, "a", TEXT)
    made(store, TEXT.index("Seven"))
    whole = builders.document(TEXT)
    put_document(store, replace(whole, text="Title. " + TEXT), size_bytes=1, parser="plain-2")
    (kept,) = edits(store, whole.version_id)
    assert kept.at.end == TEXT.index("Seven") + 7
    put_document(store, replace(whole, text="Nothing."), size_bytes=1, parser="plain-3")
    assert edits(store, whole.version_id) == [kept], "it keeps its last place"
    put_document(store, whole, size_bytes=1, parser="plain-1")
    assert words_at(store, TEXT) == ["Seven"]


def test_own_recipes_are_kept_by_scope(home) -> None:
    small, large = ChunkingSettings(max_tokens=50, prefix=()), ChunkingSettings(max_tokens=200, anchors=("^RFC",))
    with Store.open(home, write=True) as store:
        builders.ingest(store, "a", TEXT)
        set_own_recipe(store, "document", version_of(TEXT), small)
        set_own_recipe(store, "kind", "text", small)
        set_own_recipe(store, "kind", "text", large)
    with Store.open(home, write=False) as store:
        assert overrides(store) == {("kind", "text"): large, ("document", version_of(TEXT)): small}
        assert [own.scope for own in own_recipes(store)] == ["kind", "document"]
