"""Features beside stored chunks: kept at every cut, made again where missing or stale, gone with the chunks."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.enriching import enrich
from core.errors import NotFoundError
from core.library import Incoming, Library
from core.storage.catalogue.texts import features as kept
from core.storage.catalogue.texts.features import put_features
from core.storage.store import Store
from tests.fast_encoder import FastEncoder

MILL = (
    "# Mill\n\n## Wheel\n\nThe wheel has twelve blades of oak, see the Gate section.\n\n"
    "## Gate\n\nVersion 4.3 of the gate opens on 2026-05-04 at the latest.\n"
)


def put_in(home: Path, pages: dict[str, str], encoder: FastEncoder) -> str:
    """A library of these pages; the version of the first one."""
    with Library.open(home, encoder=encoder) as library:
        items = []
        for name, text in pages.items():
            path = home.parent / name
            path.write_text(text, encoding="utf-8")
            items.append(Incoming(str(path), path=path))
        report = library.ingest(items)
        assert not report.failures
        return report.documents[0].version_id


def rows(store: Store, table: str) -> int:
    with store.reading() as connection:
        return int(connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0])


def test_a_cut_keeps_the_features_of_every_chunk(tmp_path, fast_encoder) -> None:
    version = put_in(tmp_path / "library", {"mill.md": MILL}, fast_encoder)
    with Library.open(tmp_path / "library", write=False, encoder=fast_encoder) as library:
        tree = library.tree(version)
        with Store.open(tmp_path / "library", write=False) as store:
            found = kept.features(store, version)
            assert found == enrich(tree)
            assert list(found) == [chunk.chunk_id for chunk in tree.chunks]
            assert rows(store, "enriched") == 1


def test_a_library_of_an_older_lectern_gets_them_when_they_are_asked_for(tmp_path, fast_encoder) -> None:
    version = put_in(tmp_path / "library", {"mill.md": MILL}, fast_encoder)
    with Store.open(tmp_path / "library", write=True) as store:
        wanted = kept.features(store, version)
        with store.transaction() as connection:
            connection.execute("DELETE FROM enriched")
    with Store.open(tmp_path / "library", write=False) as reader:
        assert kept.features(reader, version) == wanted
        assert rows(reader, "enriched") == 0  # a reader keeps nothing
    with Store.open(tmp_path / "library", write=True) as store:
        assert kept.features(store, version) == wanted
        assert rows(store, "enriched") == 1


def test_features_go_with_their_chunks(tmp_path, fast_encoder) -> None:
    version = put_in(tmp_path / "library", {"mill.md": MILL}, fast_encoder)
    with Library.open(tmp_path / "library", encoder=fast_encoder) as library:
        tree = library.tree(version)
        library.remove(library.sources()[0].id)
    with Store.open(tmp_path / "library", write=True) as store:
        assert rows(store, "enriched") == rows(store, "recipe")
        with pytest.raises(NotFoundError):
            put_features(store, tree, enrich(tree))


def test_a_note_of_nothing_but_properties_is_kept_without_chunks(tmp_path, fast_encoder) -> None:
    version = put_in(tmp_path / "library", {"todo.md": "---\ntags: [mill]\n---\n"}, fast_encoder)
    with Library.open(tmp_path / "library", encoder=fast_encoder) as library:
        assert [(source.title, source.chunks) for source in library.sources()] == [("Todo", 0)]
        assert library.tree(version).chunks == ()
        assert library.verify() == []
    with Store.open(tmp_path / "library", write=False) as store:
        assert kept.features(store, version) == {}
