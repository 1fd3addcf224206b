"""Opening, locking, transactions, revision: the ground everything else in storage stands on."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import pytest

from core.errors import StorageError
from core.settings import Settings
from core.storage import lock
from core.storage.catalogue.filing.sources import sources
from core.storage.connections import CATALOGUE
from core.storage.lock import holder, writer
from core.storage.schema import migrations
from core.storage.store import Store, settings_from
from tests.storage.builders import ingest

ROOT = Path(__file__).resolve().parents[2]


def in_another_process(code: str, *arguments: object) -> str:
    command = [sys.executable, "-c", code, *map(str, arguments)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True, timeout=60).stdout


def test_a_second_writer_is_told_who_writes(store) -> None:
    answer = in_another_process(
        "import sys, pathlib\n"
        "from core.errors import LibraryLockedError\n"
        "from core.storage.store import Store\n"
        "try:\n    Store.open(pathlib.Path(sys.argv[1]), write=True)\n"
        "except LibraryLockedError as error:\n    print(error)\n",
        store.home,
    )
    assert f"process {os.getpid()} on " in answer
    assert str(store.home) in answer


def test_the_lock_is_free_after_close_and_after_a_failed_opening(tmp_path) -> None:
    home = tmp_path / "library"
    Store.open(home, write=True).close()
    path = home / CATALOGUE
    good = path.read_bytes()
    path.write_bytes(b"no database at all" * 100)
    with pytest.raises(StorageError, match="not a database"):
        Store.open(home, write=True)
    path.write_bytes(good)
    Store.open(home, write=True).close()


def test_who_only_asks_for_the_writer_keeps_none_out(store, monkeypatch) -> None:
    assert writer(store.home) == holder(store.home)
    store.close()
    assert writer(store.home) == ""
    free, asked = lock._try_lock, iter([False, False])  # somebody asks at the very moments that the writer tries
    monkeypatch.setattr(lock, "_try_lock", lambda descriptor: next(asked, True) and free(descriptor))
    Store.open(store.home, write=True).close()


def test_a_reader_needs_no_lock_and_sees_commits_alone(store) -> None:
    ingest(store, "one", "The first document, quite short.")
    with Store.open(store.home, write=False) as reader:
        assert not reader.writable
        before = reader.revision()
        with store.transaction():
            ingest(store, "two", "The second document, quite short.")
            assert [row.name for row in reader_sources(reader)] == ["one"]
            assert [row.name for row in sources(store)] == ["one", "two"]
        assert [row.name for row in sources(reader)] == ["one", "two"]
        assert reader.revision() > before
        with pytest.raises(StorageError, match="opened for reading"), reader.transaction():
            pass
        with pytest.raises(StorageError, match="opened for reading"):
            reader.files.stage(b"bytes")


def reader_sources(reader):
    """The reader's view from another thread: this one is inside the writer's transaction, of another store."""
    found = []
    thread = threading.Thread(target=lambda: found.extend(sources(reader)))
    thread.start()
    thread.join()
    return found


def test_a_reader_in_another_process_reads_while_a_writer_writes(store) -> None:
    ingest(store, "one", "The first document, quite short.")
    code = (
        "import sys, pathlib\n"
        "from core.storage.store import Store\n"
        "from core.storage.catalogue.filing.sources import sources\n"
        "from core.storage.index.lexical import FtsIndex\n"
        "from core.storage.index.leaves import load_leaves\n"
        "with Store.open(pathlib.Path(sys.argv[1]), write=False) as store:\n"
        "    rows, _ = FtsIndex(store, 1).search(['first'])\n"
        "    names = [row.name for row in sources(store)]\n"
        "    print(names, len(rows), len(load_leaves(store)), 'chromadb' in sys.modules)\n"
    )
    with store.transaction() as connection:
        connection.execute("DELETE FROM outbox")
        assert in_another_process(code, store.home).strip() == "['one'] 1 2 False"


def test_an_inner_transaction_can_fail_alone(store) -> None:
    hooks = []

    def fail() -> None:
        with store.transaction():
            store.set_meta("inner", "lost")
            store.after_commit(lambda: hooks.append("inner"))
            raise RuntimeError("stop")

    with store.transaction():
        store.set_meta("outer", "kept")
        with pytest.raises(RuntimeError):
            fail()
        store.after_commit(lambda: hooks.append("outer"))
        assert hooks == []
    assert (store.meta("outer"), store.meta("inner"), hooks) == ("kept", None, ["outer"])


def test_settings_are_kept_and_old_ones_are_read(store) -> None:
    assert store.settings() is None
    changed = Settings().with_value("chunking.prefix", ("title",)).with_value("chunking.max_tokens", 80)
    store.save_settings(changed)
    assert store.settings() == changed
    gone = {"method": "clusters", "cluster_similarity": 0.5}
    assert settings_from({"diversity": gone}) == Settings()
    assert settings_from({"chunking": {"max_tokens": 80, "of_another_age": 1}, "gone": {}}) == Settings().with_value(
        "chunking.max_tokens", 80
    )


def test_settings_that_an_earlier_lectern_kept_still_open(store) -> None:
    values = Settings().with_value("expansion.kinds", ("guide",)).to_dict()
    values["expansion"]["kinds"] = ["pdf", "guide", "nothing at all"]  # any word could be among them
    values["expansion"]["strategy"] = "gated-parent"
    values["retrieval"] |= {"title_boost": 2.0, "fusion": "minmax"}
    values["answering"]["authority"] = ["api.md > notes"]  # whose word counted
    store.set_meta("settings", json.dumps({**values, "format": 3}))
    assert store.settings() == Settings().with_value("expansion.kinds", ("guide",))


def test_the_threshold_of_an_answer_that_was_the_default_is_that_of_now(store) -> None:
    def stored(least: float, **more: int) -> float:
        values = Settings().with_value("answering.least_support", least).to_dict()
        store.set_meta("settings", json.dumps({**values, **more}))
        return store.settings().answering.least_support

    now = Settings().answering.least_support
    assert [stored(0.24), stored(0.24, format=2), stored(0.3, format=2)] == [now, now, 0.3]
    store.save_settings(Settings().with_value("answering.least_support", 0.24))
    assert store.settings().answering.least_support == 0.24, "chosen by hand, it stays"


def test_a_size_that_was_the_default_is_that_of_now(store) -> None:
    def stored(below: int, **more: int) -> int:
        values = Settings().with_value("retrieval.exact_below", below).to_dict()
        store.set_meta("settings", json.dumps({**values, **more}))
        return store.settings().retrieval.exact_below

    now = Settings().retrieval.exact_below
    assert [stored(200_000, format=3), stored(70_000, format=3), stored(200_000, format=4)] == [now, 70_000, 200_000]


def test_the_defaults_of_a_reranker_that_was_off_are_those_of_now(store) -> None:
    values = Settings().to_dict()

    def stored(**reranking) -> Settings | None:
        values["reranking"] |= reranking
        store.set_meta("settings", json.dumps(values))
        return store.settings()

    assert stored(blend=1.0, neighbour_share=0.0) == Settings()
    assert stored(blend=0.35, model="late-interaction", neighbour_share=1.0) == Settings()
    assert stored(blend=0.7, model="") == Settings().with_value("reranking.blend", 0.7), "what was fitted stays"
    assert stored(blend=1.0, model="lectern", neighbour_share=0.0) == Settings().with_values(
        {"reranking.model": "packaged", "reranking.blend": 1.0, "reranking.neighbour_share": 0.0}
    )
    chosen = Settings().with_value("reranking.blend", 1.0)
    store.save_settings(chosen)
    assert store.settings() == chosen, "what is chosen now stays as well"


def test_many_threads_read_and_write_at_once(store) -> None:
    failures: list[BaseException] = []

    def work(number: int) -> None:
        try:
            for turn in range(5):
                ingest(store, f"{number}-{turn}", f"Document {number} of turn {turn}, with some text in it.")
                assert any(row.name == f"{number}-{turn}" for row in sources(store))
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert len(sources(store)) == 30


def test_few_of_many_readers_stay_open(store) -> None:
    gate = threading.Barrier(9)

    def read() -> None:
        with store.reading():
            gate.wait()

    threads = [threading.Thread(target=read) for _ in range(9)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(store._connections._pool) == 4


def test_the_catalogue_is_durable_and_names_itself(store) -> None:
    with store.transaction() as connection:
        assert connection.execute("PRAGMA synchronous").fetchone() == (2,)
        assert connection.execute("PRAGMA foreign_keys").fetchone() == (1,)
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    with store.reading() as connection:
        assert connection.execute("PRAGMA application_id").fetchone() == (migrations.APPLICATION_ID,)


def test_readers_cannot_write_even_by_mistake(store) -> None:
    with pytest.raises(StorageError, match="read-only"), store.reading() as connection:
        connection.execute("INSERT INTO meta VALUES ('a', 'b')")


def test_a_closed_library_says_so(store) -> None:
    store.close()
    with pytest.raises(StorageError, match="closed"):
        store.revision()
    with pytest.raises(StorageError, match="closed"), store.transaction():
        pass
    store.close()


@pytest.mark.parametrize("write", [True, False])
def test_a_place_that_is_no_folder(tmp_path, write) -> None:
    file = tmp_path / "file"
    file.write_text("text")
    for place in (file, file / "below"):
        with pytest.raises(StorageError, match=str(file)):
            Store.open(place, write=write)


def test_reading_where_there_is_nothing(tmp_path) -> None:
    with pytest.raises(StorageError, match="no library"):
        Store.open(tmp_path, write=False)
    (tmp_path / CATALOGUE).touch()  # as a process killed at its first breath leaves it
    with pytest.raises(StorageError, match="no library"):
        Store.open(tmp_path, write=False)
    Store.open(tmp_path, write=True).close()


@pytest.mark.parametrize("write", [True, False])
def test_a_strange_database_is_refused_and_left_alone(tmp_path, write) -> None:
    path = tmp_path / CATALOGUE
    strange = sqlite3.connect(path)
    strange.execute("CREATE TABLE somebody_elses (a)")
    strange.commit()
    strange.close()
    before = path.read_bytes()
    with pytest.raises(StorageError, match="not a Lectern catalogue"):
        Store.open(tmp_path, write=write)
    assert path.read_bytes() == before


@pytest.mark.parametrize("write", [True, False])
def test_a_library_of_a_newer_lectern_is_refused(tmp_path, write) -> None:
    Store.open(tmp_path, write=True).close()
    newer = sqlite3.connect(tmp_path / CATALOGUE)
    newer.execute("INSERT INTO migration(name, applied_at) VALUES ('0099_of_tomorrow', '2099')")
    newer.commit()
    newer.close()
    with pytest.raises(StorageError, match=r"newer Lectern.*0099_of_tomorrow"):
        Store.open(tmp_path, write=write)


def test_a_step_that_fails_leaves_nothing_behind(tmp_path, monkeypatch) -> None:
    Store.open(tmp_path, write=True).close()
    broken = ("0002_broken", "CREATE TABLE note (id INTEGER); INSERT INTO nowhere VALUES (1);")
    monkeypatch.setattr(migrations, "MIGRATIONS", (*migrations.MIGRATIONS, broken))
    with pytest.raises(StorageError, match="nowhere"):
        Store.open(tmp_path, write=True)
    monkeypatch.undo()
    with Store.open(tmp_path, write=True) as store, store.reading() as connection:
        assert connection.execute("SELECT count(*) FROM sqlite_master WHERE name = 'note'").fetchone() == (0,)


@pytest.fixture
def plain_user():
    """A folder, and no right to do more than anybody may: root steps down for the test."""
    if not hasattr(os, "geteuid"):
        pytest.skip("this system has other permissions")
    with tempfile.TemporaryDirectory() as name:
        stepped_down = os.geteuid() == 0
        if stepped_down:
            os.chown(name, 65534, 65534)
            os.seteuid(65534)
        try:
            yield Path(name)
        finally:
            if stepped_down:
                os.seteuid(0)


@pytest.mark.parametrize("write", [True, False])
def test_a_folder_that_may_not_be_used(plain_user, write) -> None:
    home = plain_user / "library"
    Store.open(home, write=True).close()
    home.chmod(0)
    with pytest.raises(StorageError, match="permissions"):
        Store.open(home, write=write)
    home.chmod(0o755)


def test_a_folder_that_may_only_be_read_can_be_read(plain_user) -> None:
    with Store.open(plain_user, write=True) as store:
        ingest(store, "one", "The first document, quite short.")
    plain_user.chmod(0o555)
    with Store.open(plain_user, write=False) as reader:
        assert [row.name for row in sources(reader)] == ["one"]
    with pytest.raises(StorageError, match="permissions"):
        Store.open(plain_user / "new", write=True)
    plain_user.chmod(0o755)


def test_a_file_that_may_not_be_read(plain_user) -> None:
    secret = plain_user / "secret.txt"
    secret.write_text("text")
    secret.chmod(0)
    with (
        Store.open(plain_user / "library", write=True) as store,
        pytest.raises(StorageError, match=r"secret\.txt may not be read"),
    ):
        store.files.hash_of(secret)
