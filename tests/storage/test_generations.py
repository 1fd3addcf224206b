"""A new generation grows beside the serving one and is flipped to at once."""

from __future__ import annotations

import pytest

from core.errors import NotFoundError, StorageError
from core.storage.catalogue.generations import (
    begin_generation,
    drop_generation,
    generations,
    serve,
    serving,
    unfinished_versions,
)
from core.storage.catalogue.sources import remove_source
from core.storage.index.leaves import load_leaves
from core.storage.index.lexical import FtsIndex
from core.storage.index.outbox import apply_outbox, compare_projection
from core.storage.store import Store
from core.storage.verify import verify
from tests.storage.builders import cut, document, ingest, keep_vectors, nearest, swap, vector

TEXTS = ["The first document, quite short.", "The second one, which is a little longer."]


def test_the_first_one_serves_and_the_same_one_is_found_again(store) -> None:
    assert serving(store) is None
    first = begin_generation(store, "one", 8)
    assert first.serving
    assert begin_generation(store, "one", 8) == first == serving(store)
    second = begin_generation(store, "two", 8)
    assert not second.serving
    assert begin_generation(store, "two", 8) == second
    assert [known.number for known in generations(store)] == [1, 2]


def test_building_resumes_and_flips_whole(store) -> None:
    for place, text in enumerate(TEXTS):
        ingest(store, str(place), text)
    before = load_leaves(store)
    new = begin_generation(store, "wider", 16)
    versions = [document(text).version_id for text in TEXTS]
    assert unfinished_versions(store, new.number) == versions
    with pytest.raises(StorageError, match="still lacks 2 documents"):
        serve(store, new.number)

    def build(text: str) -> None:
        pieces = cut(document(text), 10)
        keep_vectors(store, pieces, "wider", 16)
        swap(store, pieces, generation=new.number, embedder="wider")

    build(TEXTS[0])
    home = store.home
    store.close()  # a crash half way: what is built stays built
    with Store.open(home, write=True) as store:
        again = begin_generation(store, "wider", 16)
        assert again.number == new.number
        assert unfinished_versions(store, new.number) == versions[1:]
        assert list(load_leaves(store).rows) == list(before.rows)
        build(TEXTS[1])
        serve(store, new.number)
        after = load_leaves(store)
        assert (after.generation, after.dimension) == (new.number, 16)
        assert not set(after.rows) & set(before.rows)
        assert FtsIndex(store, new.number).search(["second"], {})[0].size == 1
        apply_outbox(store)
        assert compare_projection(store) == ""
        with pytest.raises(StorageError, match="serving one"):
            drop_generation(store, new.number)
        drop_generation(store, 1)
        assert [known.number for known in generations(store)] == [new.number]
        apply_outbox(store)
        rows, similarities = nearest(store, vector(TEXTS[1][10:20], 16), 1)
        assert rows[0] in after.rows
        assert similarities[0] > 0.999
        store.files.named(*versions)
        assert verify(store) == []
        with store.reading() as connection:
            assert connection.execute(
                "SELECT count(*) FROM sqlite_master WHERE name GLOB 'lexical_1_*'"
            ).fetchone() == (0,)


def test_a_removed_document_leaves_every_generation(store) -> None:
    source = ingest(store, "one", TEXTS[0])
    new = begin_generation(store, "wider", 16)
    pieces = cut(document(TEXTS[0]), 10)
    keep_vectors(store, pieces, "wider", 16)
    swap(store, pieces, generation=new.number, embedder="wider")
    remove_source(store, source)
    with store.reading() as connection:
        assert connection.execute("SELECT count(*) FROM chunk").fetchone() == (0,)
    assert unfinished_versions(store, new.number) == []
    assert verify(store) == []


def test_unknown_generations(store) -> None:
    for action in (serve, drop_generation):
        with pytest.raises(NotFoundError, match="no generation 9"):
            action(store, 9)
