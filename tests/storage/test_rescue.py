"""Whatever becomes of the catalogue, the originals give their documents back, backups and keepsakes the rest."""

from __future__ import annotations

import errno
import json
import os
import shutil
import sqlite3
from contextlib import closing, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from core.chunking.edits.edits import Anchor, Edit
from core.errors import (
    CancelledError,
    LecternError,
    LibraryDamagedError,
    LibraryLockedError,
    NotFoundError,
    SettingsError,
    StorageError,
)
from core.ingest.rescuing import ENCODED_AGAIN, READ_AGAIN
from core.library import Incoming, Library
from core.settings import ChunkingSettings
from core.storage import backups, keepsakes, rescue
from core.storage.backups import Backup
from core.storage.catalogue.filing.folders import add_folder, folders, pause_folder
from core.storage.catalogue.texts.edits import add_edit
from core.storage.connections import CATALOGUE
from core.storage.keepsakes import FILE
from tests.fast_encoder import FastEncoder

TEXTS = {"bridges.md": "# Bridges\n\nThe long bridge opened in 1932.\n", "rivers.md": "# Rivers\n\nThe Elbe is long.\n"}


@pytest.fixture(scope="module")
def made(tmp_path_factory) -> Path:
    """A library of two documents, one labelled and judged; not to be changed."""
    home = tmp_path_factory.mktemp("made") / "library"
    with Library.open(home, encoder=FastEncoder()) as library:
        for name, text in TEXTS.items():
            library.ingest([Incoming(name, content_hash=library.stage(text.encode()))])
        source = library.sources()[0]
        library.judge("When did it open?", source.version_id, 12, 43)
        library.labels.tag([source.id], "steel")
        library.labels.write_note(source.id, "Look again.")
        library.apply(library.settings.with_value("retrieval.k", "7"))
    return home


@pytest.fixture
def home(tmp_path, made) -> Path:
    """A copy of it, to be damaged."""
    return Path(shutil.copytree(made, tmp_path / "library"))


@pytest.fixture(scope="module")
def before(made) -> object:
    """What it held."""
    return state(made)


def held(library: Library) -> object:
    """What a person would miss."""
    sources = [(one.name, library.document(one.version_id).text, one.tags, one.note) for one in library.sources()]
    gold = [(row.judgment.question, row.judgment.quote, row.lost) for row in library.judgments()]
    return sorted(sources), gold, library.settings


def state(home: Path) -> object:
    with Library.open(home, encoder=FastEncoder()) as library:
        return held(library)


def remove(home: Path) -> None:
    for path in home.glob(CATALOGUE + "*"):
        path.unlink()


def garble(home: Path) -> None:
    path = home / CATALOGUE
    data = bytearray(path.read_bytes())
    data[8192 * 2 :: 97] = b"\xff" * len(data[8192 * 2 :: 97])
    path.write_bytes(data)


def swap(home: Path) -> None:
    other = home.parent / "other"
    with Library.open(other, encoder=FastEncoder()) as library:
        library.ingest([Incoming("other.txt", content_hash=library.stage(b"Another library."))])
    remove(home)
    shutil.copy(other / CATALOGUE, home / CATALOGUE)


def rename(home: Path) -> None:
    """As a flipped bit of the schema does, which SQLite takes for what was meant."""
    with closing(sqlite3.connect(home / CATALOGUE)) as connection, connection:
        connection.execute("PRAGMA writable_schema = ON")
        connection.execute("UPDATE sqlite_master SET sql = replace(sql, 'added_at', 'added_au') WHERE name = 'folder'")


HARMS = {
    "emptied": lambda home: (home / CATALOGUE).write_bytes(b""),
    "removed": remove,
    "garbled": garble,
    "a column's name": rename,
    "no database": lambda home: (home / CATALOGUE).write_bytes(b"this is no database" * 900),
    "another library's": swap,
}


@pytest.mark.parametrize("backed_up", [False, True])
@pytest.mark.parametrize("harm", HARMS)
def test_a_lost_catalogue_is_said_and_given_back(home, before, harm, backed_up) -> None:
    if backed_up:
        with Library.open(home, encoder=FastEncoder()) as library:
            assert library.back_up() is not None
    HARMS[harm](home)
    files = sorted((home / "files").rglob("*"))
    if harm not in ("garbled", "a column's name"):  # which may be seen by whoever reads the rows
        with pytest.raises(LibraryDamagedError, match="verify --repair"):
            Library.open(home, encoder=FastEncoder())
    assert sorted((home / "files").rglob("*")) == files
    with Library.open(home, encoder=FastEncoder(), repair=True) as library:
        assert [problem for problem in library.verify(repair=True) if problem.where != "repair"] == []
        assert held(library) == before
        assert library.search("When did the bridge open?").hits
    assert state(home) == before
    with Library.open(home, encoder=FastEncoder()) as library:
        assert library.verify() == []


@pytest.mark.parametrize("backed_up", [False, True])
def test_a_repair_that_is_stopped_goes_on_from_there(home, before, backed_up) -> None:
    if backed_up:
        with Library.open(home, encoder=FastEncoder()) as library:
            assert library.back_up() is not None
            library.ingest([Incoming("late.md", content_hash=library.stage(b"# Late\n\nAfter the backup.\n"))])
    HARMS["emptied"](home)
    told: list[str] = []

    def stop(what: str, done: int, total: int) -> None:
        told.append(what)
        if what in (READ_AGAIN, ENCODED_AGAIN):
            raise CancelledError("Stopped.")

    with Library.open(home, encoder=FastEncoder(), repair=True) as library, pytest.raises(CancelledError):
        library.verify(repair=True, progress=stop)
    assert told[0] == "catalogue"
    with Library.open(home, encoder=FastEncoder()):
        pass  # as by a page that is looked at meanwhile
    with Library.open(home, encoder=FastEncoder(), repair=True) as library:
        assert [problem for problem in library.verify(repair=True) if problem.where != "repair"] == []
        assert {one.name for one in library.sources()} == {*TEXTS, *(["late.md"] if backed_up else [])}
        assert held(library)[1:] == before[1:]


def test_without_anything_written_down_the_documents_still_come_back(home) -> None:
    remove(home)
    (home / FILE).unlink()
    with Library.open(home, encoder=FastEncoder(), repair=True) as library:
        assert library.verify(repair=True) == []
        assert sorted(library.document(one.version_id).text for one in library.sources()) == sorted(TEXTS.values())
        assert all(one.name.startswith("recovered-") for one in library.sources())


def test_an_older_catalogue_put_back_by_hand_is_told_and_caught_up(home, tmp_path) -> None:
    shutil.copy(home / CATALOGUE, tmp_path / "older.sqlite")
    with Library.open(home, encoder=FastEncoder()) as library:
        library.ingest([Incoming("late.md", content_hash=library.stage(b"# Late\n\nWritten last.\n"))])
        library.judge_unanswerable("Who built it?")
    before = state(home)
    remove(home)
    shutil.copy(tmp_path / "older.sqlite", home / CATALOGUE)
    with Library.open(home, encoder=FastEncoder()) as library:
        assert all(problem.repairable for problem in library.verify())
        assert library.verify(repair=True) == []
        assert held(library) == before


def test_a_backup_is_made_once_a_day_looked_into_and_put_back(home, before) -> None:
    with Library.open(home, encoder=FastEncoder()) as library:
        (backup,) = [made for made in (library.back_up(), library.back_up()) if made]
        assert library.stats().backups_bytes == backup.size_bytes
        library.remove(library.sources()[0].id)
        with pytest.raises(LibraryLockedError):
            backups.restore(home, backup)
    backups.restore(home, backups.named(home, ""))
    with Library.open(home, encoder=FastEncoder()) as library:
        assert held(library) == before
        # The removed original went with its removal: it is named, and the text is there.
        assert [problem.what for problem in library.verify()] == ["The original file is missing."]
    backup.path.write_bytes(b"no copy" * 9000)
    catalogue = (home / CATALOGUE).read_bytes()
    with pytest.raises(StorageError):
        backups.restore(home, backup)
    assert (home / CATALOGUE).read_bytes() == catalogue
    with pytest.raises(NotFoundError, match=backup.name):
        backups.named(home, "unknown")


@pytest.mark.parametrize("failing", ["copyfile", "copy2", "fsync"])
def test_a_backup_for_which_there_is_no_room_leaves_the_catalogue(home, before, monkeypatch, failing) -> None:
    with Library.open(home, encoder=FastEncoder()) as library:
        backup = library.back_up()
        library.labels.write_note(library.sources()[0].id, "Later.")
    assert backup is not None

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    files = {path: path.read_bytes() for path in (home / CATALOGUE, home / FILE)}
    with monkeypatch.context() as patched:
        patched.setattr(os if failing == "fsync" else shutil, failing, full)
        with pytest.raises(StorageError, match="full"):
            backups.restore(home, backup)
    assert {path: path.read_bytes() for path in files} == files
    assert list((home / "replaced").glob("*")) == []
    backups.restore(home, backup)
    assert state(home) == before


def test_a_restore_killed_between_its_renames_loses_nothing(home) -> None:
    with Library.open(home, encoder=FastEncoder()) as library:
        backup = library.back_up()
        library.labels.write_note(library.sources()[0].id, "Later.")
    before = state(home)
    (home / FILE).unlink()  # the catalogue alone knows of the note
    child = os.fork()
    if not child:
        with rescue.moved_aside(home, "replaced"):
            os._exit(9)
    os.waitpid(child, 0)
    assert backup is not None
    with Library.open(home, encoder=FastEncoder(), repair=True) as library:
        assert library.verify(repair=True) == []
    assert state(home) == before


def test_an_old_backup_that_cannot_be_deleted_costs_nothing(home, caplog) -> None:
    for day in range(10, 30):
        (home / "backups" / f"200001{day}T000000-r1.sqlite").mkdir(parents=True)
    with Library.open(home, encoder=FastEncoder()) as library:
        backup = library.back_up()
        assert backup == backups.backups(home)[0]
    assert "was not deleted" in caplog.text


def test_folders_and_preferences_are_written_down(home, tmp_path) -> None:
    (tmp_path / "folder").mkdir()
    with Library.open(home, encoder=FastEncoder()) as library:
        revision = library.revision()
        library.set_preference("tour", "taken")
        assert library.revision() == revision, "nothing that is held has changed"
    with Library.open(home, encoder=FastEncoder()) as library:
        number = add_folder(library._store, tmp_path / "folder", ["*.tmp"])
        before = library.revision()
        assert before > revision
        add_folder(library._store, tmp_path / "folder", ["*.tmp"])
        assert library.revision() == before, "nothing was changed"
        pause_folder(library._store, number, False)
    remove(home)
    with Library.open(home, encoder=FastEncoder(), repair=True) as library:
        assert library.verify(repair=True) == []
        assert library.preference("tour") == "taken"
        assert [(one.path.name, one.patterns) for one in folders(library._store)] == [("folder", ("*.tmp",))]


def test_one_garbled_value_costs_its_row_alone(home, before) -> None:
    remove(home)
    library_line, *lines = (home / FILE).read_text("utf-8").splitlines()
    source = next(line for line in lines if '"kind": "source"' in line)
    garbled = [
        json.dumps({**json.loads(source), "name": "none.md", "version_id": "z" * 64}),
        json.dumps({"kind": "folder", "path": {"hex": "zz"}, "patterns": "[]", "added_at": "", "paused": 1}),
        json.dumps({"kind": "judgment", "question": "\ud800", "version_id": None, "start": None, "end": None}),
        json.dumps({"kind": "own_recipe", "scope": ["kind"], "key": 1 << 80}),
    ]
    (home / FILE).write_text("\n".join([library_line, *garbled, *lines]), "utf-8")
    with Library.open(home, encoder=FastEncoder(), repair=True) as library:
        told = " ".join(problem.what for problem in library.verify(repair=True))
        assert held(library) == before
    for lost in ("none.md", "row of folder", "row of judgment", "row of own_recipe"):
        assert lost in told


@pytest.mark.parametrize("harm", ["revision", "question"])
def test_a_garbled_catalogue_is_salvaged_but_for_the_value(home, before, harm) -> None:
    raw = sqlite3.connect(home / CATALOGUE)
    if harm == "revision":
        raw.execute("UPDATE meta SET value = 'many' WHERE key = 'revision'")
    else:
        raw.execute(
            "INSERT INTO judgment SELECT 99, CAST(x'ff41' AS TEXT), version_id, text_hash, start, \"end\", quote,"
            ' "before", "after", origin, created_at, answer, judged FROM judgment'
        )
    raw.execute("DROP TABLE chunk_metadata")
    raw.commit()
    raw.close()
    if harm == "question":
        (home / FILE).unlink()
    rescue.replace_catalogue(home)
    with Library.open(home, encoder=FastEncoder(), repair=True) as library:
        told = [problem.what for problem in library.verify(repair=True)]
        assert held(library) == before
    if harm == "question":
        assert any("row of judgment" in sentence for sentence in told)


def test_the_newest_record_decides_and_nothing_is_doubled(home) -> None:
    with Library.open(home, encoder=FastEncoder()) as library:
        store, version = library._store, library.sources()[0].version_id
        removed = library.judge_unanswerable("Removed later?")
        library.cutting.set_recipe("kind", "text", ChunkingSettings(max_tokens=60))
        at = Anchor(0, 9, "# Bridges", "", "")
        for kind in ("pin", "disable"):
            add_edit(store, Edit(kind, version, at, None, "hash"))
        library.back_up()
        library.remove_judgments([removed])
        library.cutting.set_recipe("kind", "text", ChunkingSettings(max_tokens=80))
        library.cutting.undo(version)
        library.judge_unanswerable("Made later?")

    def kept(library: Library) -> object:
        recipes = [own.chunking.max_tokens for own in library.cutting.recipes()]
        edits = [
            [edit.kind for edit in found] for found in (library.cutting.edits(version), library.cutting.undone(version))
        ]
        return [row.judgment.question for row in library.judgments()], recipes, edits

    with Library.open(home, encoder=FastEncoder()) as library:
        before = kept(library)
    remove(home)
    with Library.open(home, encoder=FastEncoder(), repair=True) as library:
        assert kept(library) != before, "the backup is older"
        library.verify(repair=True)
        assert kept(library) == before
        recipe = {"scope": "kind", "key": "text", "chunking": "{}", "changed_at": "2000-01-01T00:00:00+00:00"}
        older = keepsakes.Keepsakes(library._store.meta("library") or "", 1, {"own_recipe": [recipe]})
        assert keepsakes.merge(library._store, [older]) == []
        assert kept(library) == before


def test_settings_that_cannot_be_read_refuse_work_until_they_are_had_back(home) -> None:
    raw = sqlite3.connect(home / CATALOGUE)
    raw.execute(ROWS["settings garbled"])
    raw.commit()
    raw.close()
    with Library.open(home, encoder=FastEncoder()) as library:
        late = Incoming("late.md", content_hash=library.stage(b"# Late\n\nWritten last.\n"))
        for refused in (
            lambda: library.ingest([late]),
            lambda: library.ingest([late], settings=library.settings),
            lambda: library.apply(library.settings),
            library.rebuild,
        ):
            with pytest.raises(SettingsError, match="verify --repair"):
                refused()
        assert library.search("When did the bridge open?").hits
        assert len(library.sources()) == len(TEXTS)
        library.apply(library.settings.with_value("retrieval.k", "9"))
        assert library.notice == ""
        assert len(library.ingest([late]).documents) == 1
    with Library.open(home, encoder=FastEncoder()) as library:
        assert (library.notice, library.settings.retrieval.k) == ("", 9)


def test_the_three_newest_backups_and_those_of_seven_days_and_four_weeks_stay() -> None:
    start = datetime(2026, 3, 31, 12, tzinfo=UTC)
    made = [
        Backup(f"{n}-{part}", Path("x"), start - timedelta(days=n, hours=part), 400 - n, 1)
        for n in range(90)
        for part in range(3)
    ]
    days = [f"{n}-0" for n in range(7)]
    weeks = [f"{n}-0" for n in (0, 2, 9, 16)]  # of 31 March, a Tuesday, and the Sundays before
    assert {backup.name for backup in backups.retained(made)} == {"0-1", "0-2", *days, *weeks}


def test_backups_of_a_clock_that_ran_ahead_do_not_push_new_ones_out(home) -> None:
    for day in range(1, 30):
        ahead = home / backups.FOLDER / f"209901{day:02}T120000-r{day}.sqlite"
        ahead.parent.mkdir(exist_ok=True)
        ahead.touch()
    with Library.open(home, encoder=FastEncoder()) as library:
        with library._store.transaction() as connection:
            connection.execute("UPDATE meta SET value = '50' WHERE key = 'revision'")
        new = library.back_up()
        assert new is not None
        assert backups.backups(home)[0] == new
        assert new.path.exists()


ROWS = {
    "settings garbled": "UPDATE meta SET value = '{\"chunking\": [1' WHERE key = 'settings'",
    "settings of another shape": "UPDATE meta SET value = '[]' WHERE key = 'settings'",
    "features garbled": "UPDATE enriched SET features = x'00ff'",
    "text with a bad byte": "UPDATE version SET text = CAST(x'ff41' AS TEXT) WHERE number = 1",
    "title with a bad byte": "UPDATE version SET title = CAST(x'42ff' AS TEXT) WHERE number = 1",
    "headings garbled": "UPDATE chunk SET headings = '5'",
    "prefix cut": "UPDATE chunk SET prefix = '[[\"headings\"'",
    "gaps garbled": "UPDATE recipe SET gaps = 'x', \"values\" = 'x'",
    "parts garbled": "UPDATE block SET parts = '{}', kind = 'heap'",
    "metadata garbled": "UPDATE version SET metadata = x'fe', notes = '7'",
    "a vector halved": "UPDATE vector SET data = substr(data, 1, 6) WHERE number = 2",
    "a vector of nothing": "UPDATE vector SET data = zeroblob(length(data)) WHERE number = 2",
    "tokens gone": "DELETE FROM lexical_1_tokens",
    "a chunk outside": 'UPDATE chunk SET "end" = 900 WHERE level = 0',
    "not cut": "DELETE FROM recipe",
    "no source": "DELETE FROM source WHERE id = 2",
    "a letter of a question": "UPDATE judgment SET question = 'Whem did it open?'",
    "a byte of a note": "UPDATE source SET note = CAST(x'4cff' AS TEXT) WHERE note <> ''",
    "languages garbled": "INSERT OR REPLACE INTO meta VALUES ('languages', '{')",
}


@pytest.mark.parametrize("row", ROWS)
def test_every_row_can_be_wrong(home, before, row) -> None:
    raw = sqlite3.connect(home / CATALOGUE)
    raw.execute(ROWS[row])
    raw.commit()
    raw.close()
    with Library.open(home, encoder=FastEncoder()) as library:
        problems = library.verify()
        assert problems
        assert all(problem.repairable for problem in problems), problems
        with suppress(LecternError):
            library.search("When did the bridge open?")
    with Library.open(home, encoder=FastEncoder(), repair=True) as library:
        assert library.verify(repair=True) == []
        sources, *rest = held(library)
        if row == "no source":  # its name stood in that row alone, and in what is written down at each closing
            assert sorted(text for _, text, *_ in sources) == sorted(TEXTS.values())
        else:
            assert (sources, *rest) == before
        assert library.search("When did the bridge open?").hits


def test_a_flipped_bit_in_an_original_is_healed_by_the_same_file(home) -> None:
    with Library.open(home, encoder=FastEncoder()) as library:
        version = library.sources()[0].version_id
        path = library._store.files.path(version)
        data = bytearray(path.read_bytes())
        data[5] ^= 4
        path.write_bytes(data)
        (home / "files" / path.parent.name / "@eaDir").mkdir()
        (home / "files" / "staged" / "@eaDir").mkdir(parents=True)
        assert {problem.what.split()[1] for problem in library.verify()} == {"original", "is"}
        library.ingest([Incoming("bridges.md", content_hash=library.stage(TEXTS["bridges.md"].encode()))])
        assert all("none of Lectern's" in problem.what for problem in library.verify())
        path.chmod(0)
        path.unlink()
        path.mkdir()  # as good as unreadable, for whoever may read everything
        assert [problem.version for problem in library.verify() if problem.version] == [version]
    assert len(state(home)[0]) == 2
