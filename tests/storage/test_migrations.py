"""A library of an earlier Lectern is brought up to date in place, and loses nothing on the way."""

from __future__ import annotations

import pytest

from core.errors import StorageError
from core.storage import migrations
from core.storage.documents import text_hash
from core.storage.generations import INDEX_SCHEMA
from core.storage.lexical import create_index
from core.storage.sources import sources
from core.storage.store import Store
from core.storage.verify import verify
from tests.storage.builders import DIMENSION, EMBEDDER, cut, document, ingest, keep_vectors, swap


def test_sources_of_the_first_schema_go_on_with_their_ids(tmp_path, monkeypatch) -> None:
    old = tmp_path / "old"
    with monkeypatch.context() as patch:
        patch.setattr(migrations, "MIGRATIONS", migrations.MIGRATIONS[:1])
        with Store.open(old, write=True) as store, store.transaction() as connection:
            connection.execute("INSERT INTO generation VALUES (1, ?, ?, ?, '')", (EMBEDDER, DIMENSION, INDEX_SCHEMA))
            create_index(connection, 1)
            store.set_meta("serving", "1")
            for number, text in enumerate(("The first text.", "The second text."), 1):
                content = store.files.stage(text.encode())
                connection.execute(
                    "INSERT INTO version VALUES (?, ?, 'text', 't', NULL, NULL, ?, ?, ?, ?, 'p', '{}', '[]', '')",
                    (number, content, text, text_hash(text), len(text), len(text)),
                )
                connection.execute(
                    "INSERT INTO source VALUES (?, ?, ?, ?, ?, '2026-01-01', '2026-01-02')",
                    (4 + number, *(("path", "b", b"/b") if number == 2 else ("upload", "a", None)), number),
                )
                keep_vectors(store, cut(document(text), 5))
                swap(store, cut(document(text), 5))
            connection.execute("INSERT INTO source VALUES (40, 'upload', 'gone', NULL, 1, '', '')")
            connection.execute("DELETE FROM source WHERE id = 40")
            connection.execute(
                "INSERT INTO job(kind, payload, state, created_at) VALUES ('ingest', '{}', 'queued', '')"
            )
            connection.execute(
                "INSERT INTO job_item(job, ordinal, name, state, changed_at) VALUES (1, 0, 'x', 'failed', '')"
            )
    with pytest.raises(StorageError, match="older Lectern"):
        Store.open(old, write=False)
    with Store.open(old, write=True) as store:
        rows = sources(store)
        assert [(row.id, row.kind, row.name, str(row.path), row.added_at) for row in rows] == [
            (5, "upload", "a", "None", "2026-01-01"),
            (6, "path", "b", "/b", "2026-01-01"),
        ]
        assert {row.note or row.trashed_at or row.words for row in rows} == {None}
        assert ingest(store, "new", "A third text.") == 41, "an id that was given once is not given again"
        assert ingest(store, "a", "The first text.") == 5
        assert verify(store) == []
    with Store.open(old, write=False) as store:
        assert len(sources(store)) == 3


def test_a_library_made_now_is_a_library_brought_up_to_date(tmp_path, monkeypatch) -> None:
    def schema(store):
        with store.reading() as connection:
            return sorted(
                connection.execute("SELECT type, name, tbl_name FROM sqlite_master WHERE name NOT LIKE 'sqlite_%'")
            )

    with Store.open(tmp_path / "fresh", write=True) as store:
        fresh = schema(store)
    with monkeypatch.context() as patch:
        patch.setattr(migrations, "MIGRATIONS", migrations.MIGRATIONS[:1])
        Store.open(tmp_path / "old", write=True).close()
    with Store.open(tmp_path / "old", write=True) as store:
        assert schema(store) == fresh
        assert store.contents() == 0
