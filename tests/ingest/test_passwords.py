"""Encrypted files ask, are opened by what a person says, and the password is never written down."""

from __future__ import annotations

import pytest

from core.errors import NotFoundError, PasswordNeededError
from core.ingest.passwords import Passwords
from core.ingest.work import ingest_handler
from core.library import Incoming, Library
from core.storage.catalogue.job_rows import NewItem
from tests.fast_encoder import FastEncoder
from tests.parcels import BROKEN, install, locked

SECRET = locked("The hidden otter.", "swordfish")


@pytest.fixture(autouse=True)
def parsed(monkeypatch) -> list[str]:
    return install(monkeypatch)


def run(library: Library) -> None:
    while library.queue.run_next({"ingest": ingest_handler(library)}):
        pass


def failed(library: Library, job: int) -> list[tuple[str, str, str]]:
    return [(item.name, item.problem, item.reason) for item in library.queue.items(job, states=["failed"])]


def test_an_item_that_needs_a_password_says_so_and_is_opened_with_it(library, tmp_path):
    path = tmp_path / "on disk.pdf"
    path.write_bytes(locked("The buried heron.", "sesame"))
    items = [NewItem("a.pdf", content_hash=library.stage(SECRET)), NewItem("b", content_hash=library.stage(BROKEN))]
    job = library.queue.enqueue("ingest", {}, [*items, NewItem(str(path), path)])
    run(library)
    assert failed(library, job) == [
        ("a.pdf", "password", "a.pdf is encrypted. Give its password."),
        ("b", "", "b is broken. Mend it."),
        (str(path), "password", f"{path} is encrypted. Give its password."),
    ]
    first, _, third = library.queue.items(job)
    library.unlock(first.id, "wrong")
    assert library.queue.item(first.id).problem == "", "it waits again"
    run(library)
    assert library.queue.item(first.id).problem == "password"
    library.unlock(first.id, "swordfish")
    library.unlock(third.id, "sesame")
    run(library)
    assert [item.state for item in library.queue.items(job)] == ["done", "failed", "done"]
    assert [row.name for row in library.sources()] == ["a.pdf", str(path)]
    version = library.sources()[0].version_id
    assert library.passwords.of(version) == "swordfish"
    assert library.passwords.of("0" * 64) is None
    with pytest.raises(NotFoundError):
        library.unlock(99, "x")
    home = library.home
    library.close()
    for written in home.rglob("*"):
        if written.is_file() and written != home / "files" / version[:2] / version[2:]:
            assert b"swordfish" not in written.read_bytes(), written
    with Library.open(home, encoder=FastEncoder()) as again:
        assert again.passwords.of(version) is None
        assert again.document(version).text == "The hidden otter.", "what was read stays read"


def test_a_password_offered_is_tried_on_all_and_kept_for_those_it_opens(library):
    library.passwords.offer("no")
    library.passwords.offer("swordfish")
    report = library.ingest(
        [
            Incoming("a.pdf", content_hash=library.stage(SECRET)),
            Incoming("b.pdf", content_hash=library.stage(locked("Other.", "another"))),
            Incoming("c.md", content_hash=library.stage(b"# Open")),
        ]
    )
    assert [item.source for item in report.documents] == ["a.pdf", "c.md"]
    assert [(failure.source, failure.problem) for failure in report.failures] == [("b.pdf", "password")]
    assert library.passwords.of(report.documents[0].version_id) == "swordfish"
    assert library.passwords.of(report.documents[1].version_id) is None


def test_a_wrong_password_remembered_does_not_keep_the_right_one_out():
    passwords = Passwords()
    passwords.remember("h", "wrong")
    passwords.offer("right")

    def read(said):
        if said != "right":
            raise PasswordNeededError("It is encrypted.")
        return "text"

    assert passwords.open("h", read) == "text"
    assert passwords.of("h") == "right"
    with pytest.raises(PasswordNeededError):
        Passwords().open("h", read)
