"""A library of an earlier Lectern is brought up to date in place, and loses nothing on the way."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.errors import StorageError
from core.ingest.ingest import Incoming
from core.library import Library
from core.storage.catalogue.filing.folders import Folder, folders
from core.storage.catalogue.filing.sources import sources
from core.storage.catalogue.texts.documents import text_hash
from core.storage.catalogue.texts.generations import INDEX_SCHEMA
from core.storage.index.lexical import FtsIndex
from core.storage.schema import migrations
from core.storage.schema.steps import MIGRATIONS
from core.storage.schema.word_tables import FIELDS, TOKENIZER, create_index
from core.storage.store import Store
from core.storage.verify import verify
from tests.fast_encoder import FastEncoder
from tests.storage.builders import DIMENSION, EMBEDDER, cut, document, ingest, keep_vectors, swap


def without_page_readings(connection) -> None:
    """Pages as they were kept before it was noted how they were read."""
    for column in ("reading", "confidence"):
        connection.execute(f"ALTER TABLE page DROP COLUMN {column}")


def without_captions(connection, generation: int = 1) -> None:
    """A word index as it was made before it had captions."""
    tokens, index = f"lexical_{generation}_tokens", f"lexical_{generation}"
    made = f"fts5(title, headings, text, content='{tokens}', content_rowid='row', tokenize=\"{TOKENIZER}\")"
    for statement in (
        f"DROP TABLE {index}_terms",
        f"DROP TABLE {index}",
        f"ALTER TABLE {tokens} DROP COLUMN captions",
        f"CREATE VIRTUAL TABLE {index} USING {made}",
        f"CREATE VIRTUAL TABLE {index}_terms USING fts5vocab('{index}', 'row')",
        f"INSERT INTO {index}({index}) VALUES ('rebuild')",
    ):
        connection.execute(statement)


def without_folders_in_step(connection) -> None:
    """Folders as they were before they were kept in step, and nothing that knows of a later step."""
    for statement in (
        "DROP TABLE logged_question",
        "DROP TABLE alias",
        "DROP TABLE written",
        "DROP TABLE folder_event",
        "DROP TABLE folder_file",
        "ALTER TABLE folder DROP COLUMN paused",
        "ALTER TABLE folder DROP COLUMN asked",
        "DELETE FROM migration WHERE name >= '0007'",
    ):
        connection.execute(statement)


def tokens_of(store: Store) -> list[tuple[object, ...]]:
    with store.reading() as connection:
        return connection.execute(f"SELECT row, {', '.join(FIELDS)} FROM lexical_1_tokens ORDER BY row").fetchall()


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
            without_captions(connection)
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


ROWS = "\n".join(f"| Gauge {number} | {number % 7} |" for number in range(60))
PAGE = f"# Harbours\n\nTable 1: Heights of the tides.\n\n| Gauge | Metres |\n|---|---|\n{ROWS}\n\nNothing else.\n"
GERMAN = PAGE.replace("Heights of the tides", "Die Höhen der Gezeiten, wie sie an der Küste gemessen wurden")


def test_libraries_get_the_captions_a_new_cut_would_give_and_nothing_is_cut(tmp_path, samples) -> None:
    for name, text in (("page.md", PAGE), ("seite.md", GERMAN), ("plain.txt", "No caption at all.")):
        (tmp_path / name).write_text(text)
    workbook = samples / "documents" / "capacity-plan.xlsx"
    incoming = [Incoming(path.name, path) for path in (*sorted(tmp_path.glob("*.*")), workbook)]
    with Library.open(tmp_path / "library", encoder=FastEncoder()) as library:
        assert not library.ingest(incoming).failures
    with Store.open(tmp_path / "library", write=True) as store:
        expected = tokens_of(store)
        with store.transaction() as connection:
            without_captions(connection)
            without_folders_in_step(connection)
            without_page_readings(connection)
            connection.execute("ALTER TABLE source DROP COLUMN words_alone")
    assert 60 > sum(bool(captions) for _, _, _, captions, _ in expected) > 4
    with Store.open(tmp_path / "library", write=True) as store:
        assert tokens_of(store) == expected
        assert verify(store) == []
        rows, _ = FtsIndex(store, 1).search(["tide"])
        assert len(rows) > 1, "found in no text but the first leaf's"
    with Library.open(tmp_path / "library", encoder=FastEncoder()) as library:
        again = library.ingest(incoming)
        assert (again.encoded, {document.reused for document in again.documents}) == (0, {True})


def test_folders_that_were_scanned_by_hand_begin_paused(tmp_path, monkeypatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(migrations, "MIGRATIONS", migrations.MIGRATIONS[:8])
        with Store.open(tmp_path / "library", write=True) as store, store.transaction() as connection:
            connection.execute("INSERT INTO folder(path, patterns, added_at) VALUES (?, '[]', '2026')", (b"/notes",))
    with Store.open(tmp_path / "library", write=True) as store:
        assert folders(store) == [Folder(1, Path("/notes"), (), "2026", "", paused=True, asked=0)]


def test_a_generation_whose_tokens_are_gone_is_left_to_verify(tmp_path) -> None:
    with Store.open(tmp_path / "library", write=True) as store:
        ingest(store, "one", "The first text.")
        with store.transaction() as connection:
            connection.execute("DROP TABLE lexical_1_tokens")
            without_folders_in_step(connection)
            without_page_readings(connection)
            connection.execute("ALTER TABLE source DROP COLUMN words_alone")
    with Store.open(tmp_path / "library", write=True) as store, store.reading() as connection:
        assert migrations.applied(connection) == [name for name, _ in MIGRATIONS]
        assert [problem.what for problem in verify(store)] == ["The tokens of the leaves are missing."]
