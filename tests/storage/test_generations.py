"""A new generation grows beside the serving one and is flipped to at once."""

from __future__ import annotations

import pytest

from core.errors import NotFoundError
from core.storage.catalogue.filing.sources import remove_source
from core.storage.catalogue.texts.generations import (
    begin_generation,
    drop_generation,
    generations,
    serve,
    serving,
    unfinished_versions,
)
from core.storage.verify import verify
from tests.storage.builders import cut, document, ingest, keep_vectors, swap

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
