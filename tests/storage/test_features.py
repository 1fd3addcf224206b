"""Features beside stored chunks: kept at every cut, made again where missing or stale, gone with the chunks."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.enriching import enrich
from core.errors import NotFoundError
from core.library import Incoming, Library
from core.settings import EnrichingSettings
from core.storage.catalogue import features as kept
from core.storage.catalogue.documents import document
from core.storage.catalogue.features import find, placed_twins, put_features
from core.storage.store import Store
from tests.fast_encoder import FastEncoder

MILL = (
    "# Mill\n\n## Wheel\n\nThe wheel has twelve blades of oak, see the Gate section.\n\n"
    "## Gate\n\nVersion 4.3 of the gate opens on 2026-05-04 at the latest.\n"
)


def put_in(home: Path, pages: dict[str, str], encoder: FastEncoder, **values: object) -> str:
    """A library of these pages; the version of the first one."""
    with Library.open(home, encoder=encoder) as library:
        if values:
            library.apply(library.settings.with_values(values))
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


def test_other_settings_make_other_features(tmp_path, fast_encoder) -> None:
    version = put_in(tmp_path / "library", {"mill.md": MILL}, fast_encoder)
    with Store.open(tmp_path / "library", write=True) as store:
        fewer = kept.features(store, version, EnrichingSettings(keywords=1))
        assert all(len(one.keywords) <= 1 for one in fewer.values())
        assert kept.features(store, version, EnrichingSettings(keywords=1)) == fewer
        assert any(len(one.keywords) > 1 for one in kept.features(store, version).values())


def test_features_go_with_their_chunks(tmp_path, fast_encoder) -> None:
    version = put_in(tmp_path / "library", {"mill.md": MILL}, fast_encoder)
    with Library.open(tmp_path / "library", encoder=fast_encoder) as library:
        tree = library.tree(version)
        library.remove(library.sources()[0].id)
    with Store.open(tmp_path / "library", write=True) as store:
        assert rows(store, "enriched") == rows(store, "recipe")
        with pytest.raises(NotFoundError):
            put_features(store, tree, find(tree, EnrichingSettings()))


def test_near_duplicates_are_found_across_documents(tmp_path, fast_encoder) -> None:
    shared_words = "The wheel was built of oak in 1780 and has turned ever since, but for the winter of the great ice."
    pages = {
        "one.md": f"# One\n\n{shared_words}\n",
        "two.md": f"# Two\n\nOther words about ducks, reeds and the moon.\n\n## Again\n\n{shared_words.upper()}\n",
    }
    put_in(tmp_path / "library", pages, fast_encoder)
    with Store.open(tmp_path / "library", write=False) as store:
        found = placed_twins(store, EnrichingSettings(twin_similarity=0.6))
        [pair] = found.pairs
        said = [document(store, version).text[span.start : span.end] for version, span in found.places]
        assert pair.similarity >= 0.6
        assert all("oak in 1780" in said[at].casefold() for at in (pair.first, pair.second))


def test_indexed_features_are_found_and_name_another_recipe(tmp_path, fast_encoder) -> None:
    page = {"mill.md": MILL}
    plain = put_in(tmp_path / "plain", page, fast_encoder)
    indexed = put_in(tmp_path / "indexed", page, fast_encoder, **{"enriching.indexed": "section_type,genre,dates"})
    assert plain == indexed
    recipes = []
    for home in ("plain", "indexed"):
        with Store.open(tmp_path / home, write=False) as store, store.reading() as connection:
            recipes.append(connection.execute("SELECT fingerprint FROM recipe").fetchone()[0])
            ids = connection.execute("SELECT chunk_id FROM chunk ORDER BY row").fetchall()
        recipes.append(ids)
    assert recipes[2].startswith(recipes[0] + "+")
    assert recipes[1] == recipes[3]  # what is indexed changes no chunk id
