"""Files in files: each a document of its own that comes, goes, is found and is cut with what it came in."""

from __future__ import annotations

import pytest

from core.errors import StorageError
from core.library import Incoming, Library
from tests.fast_encoder import FastEncoder
from tests.parcels import BROKEN, PARCELS, install, locked, parcel

REPORT = b"The otter report counts nine otters at the weir."
MINUTES = b"The minutes say that the heron committee met at dawn."
LETTER = "Dear all, two files about the river are attached."
MAIL = parcel(LETTER, {"report.txt": REPORT, "minutes.txt": MINUTES})


@pytest.fixture(autouse=True)
def parsed(monkeypatch) -> list[str]:
    return install(monkeypatch)


def put(library: Library, name: str, data: bytes):
    return library.ingest([Incoming(name, content_hash=library.stage(data))])


def names(library: Library) -> list[str]:
    return [row.name for row in library.sources()]


def row_of(library: Library, name: str):
    return next(row for row in (*library.sources(), *library.trashed()) if row.name == name)


def found(library: Library, question: str) -> set[str]:
    """The sources whose text holds a word of the question, among the hits."""
    return {hit.source for hit in library.search(question).hits if question.lower() in hit.text.lower()}


def sound(library: Library) -> bool:
    return library.verify() == []


def test_what_is_attached_is_a_document_of_its_own(library):
    report = put(library, "river.eml", MAIL)
    assert [(item.source, item.kind, item.reused) for item in report.documents] == [
        ("river.eml", "parcel", False),
        ("river.eml › report.txt", "text", False),
        ("river.eml › minutes.txt", "text", False),
    ]
    mail, first, second = library.sources()
    assert [first.parent, second.parent, mail.parent] == [mail.version_id, mail.version_id, None]
    assert [item.parent for item in report.documents] == [None, mail.version_id, mail.version_id]
    assert (first.name, first.kind, first.title) == ("river.eml › report.txt", "attachment", "Report")
    assert library.original(first.version_id) == REPORT
    assert library.document(mail.version_id).attachments == ()
    assert library.document(mail.version_id).notes == ("A parcel.",)
    assert found(library, "otters") == {"river.eml › report.txt"}
    assert found(library, "attached") == {"river.eml"}
    assert sound(library)


def test_a_second_time_nothing_is_read_or_encoded(library, fast_encoder, parsed):
    put(library, "river.eml", MAIL)
    texts, read, revision = list(fast_encoder.texts), list(parsed), library.revision()
    report = put(library, "river.eml", MAIL)
    assert [(item.source, item.reused) for item in report.documents] == [(name, True) for name in names(library)]
    assert (fast_encoder.texts, parsed, library.revision()) == (texts, read, revision)


def test_what_cannot_be_read_is_named_and_fails_alone(library):
    mail = parcel(LETTER, {"broken.bin": BROKEN, "secret.pdf": locked("hidden", "pass"), "report.txt": REPORT})
    report = put(library, "river.eml", mail)
    assert report.failures == ()
    assert names(library) == ["river.eml", "river.eml › report.txt"]
    assert library.document(library.sources()[0].version_id).notes == (
        "A parcel.",
        "The attachment broken.bin was not read: broken.bin is broken.",
        "The attachment secret.pdf was not read: it is encrypted. Save it as a file and add that with its password.",
    )
    assert {len(library.original(row.version_id)) for row in library.sources()} == {len(mail), len(REPORT)}
    assert library.stats().files_bytes == len(mail) + len(REPORT), "nothing is kept of what was not read"
    assert sound(library)


def test_a_password_that_was_offered_opens_what_is_attached(library):
    library.passwords.offer("pass")
    put(library, "river.eml", parcel(LETTER, {"secret.pdf": locked("The hidden otter.", "pass")}))
    assert found(library, "hidden") == {"river.eml › secret.pdf"}


def test_one_run_reads_what_many_mails_carry_once(library, parsed):
    mails = [parcel(f"Mail number {number}.", {"report.txt": REPORT, "b.txt": MINUTES}) for number in range(5)]
    items = [Incoming(f"{number}.eml", content_hash=library.stage(mail)) for number, mail in enumerate(mails)]
    report = library.ingest(items)
    assert len(report.documents) == 15
    assert sorted(parsed) == sorted([*(f"{number}.eml" for number in range(5)), "report.txt", "b.txt"])
    assert library.stats().documents == 7
    assert sound(library)


def test_two_files_of_one_name_and_the_same_file_twice(library):
    put(library, "a.eml", parcel("Three.", [("x.txt", REPORT), ("x.txt", MINUTES), ("y.txt", REPORT)]))
    assert names(library) == ["a.eml", "a.eml › x.txt", "a.eml › x (2).txt", "a.eml › y.txt"]
    assert row_of(library, "a.eml › x.txt").also == ("a.eml › y.txt",)
    library.trash([row_of(library, "a.eml › x.txt").id])
    assert found(library, "otters") == {"a.eml › y.txt"}
    library.trash([row_of(library, "a.eml").id])
    library.restore([row_of(library, "a.eml").id])
    assert names(library) == ["a.eml", "a.eml › x (2).txt", "a.eml › y.txt"]
    assert sound(library)


def test_mails_in_mails_to_a_depth(library):
    mail = parcel("The innermost otter.", {})
    for depth in range(6, 0, -1):
        mail = parcel(f"Mail at depth {depth}.", {f"{depth}.eml": mail})
    report = put(library, "0.eml", mail)
    assert [item.source.count("›") for item in report.documents] == [0, 1, 2, 3, 4, 5]
    deepest = library.sources()[-1]
    assert deepest.name == "0.eml › 1.eml › 2.eml › 3.eml › 4.eml › 5.eml"
    assert library.document(deepest.version_id).notes[-1] == (
        "The attachment 6.eml was not read: it lies more than 5 mails deep."
    )
    library.trash([library.sources()[0].id])
    assert (names(library), len(library.trashed())) == ([], 1)
    assert sound(library)
    assert len(library.restore([row_of(library, "0.eml").id]).documents) == 6
    assert library.sources()[-1].name == deepest.name
    assert sound(library)
    library.remove(library.sources()[0].id)
    assert (names(library), library.stats().documents, library.stats().files_bytes) == ([], 0, 0)


def test_a_changed_mail_replaces_what_was_attached(library):
    put(library, "river.eml", MAIL)
    library.labels.tag([row_of(library, "river.eml").id], "river")
    put(library, "river.eml", parcel(LETTER, {"minutes.txt": MINUTES, "plan.txt": b"The plan of the badgers."}))
    assert names(library) == ["river.eml", "river.eml › minutes.txt", "river.eml › plan.txt"]
    assert {row.tags for row in library.sources()} == {("river",)}, "what comes new is filed where its mail is"
    assert found(library, "otters") == set()
    assert library.stats().documents == 3
    assert sound(library)


def test_an_attachment_put_in_the_trash_by_itself_comes_back_by_itself(library):
    put(library, "river.eml", MAIL)
    mail, report, minutes = (row.id for row in library.sources())
    library.trash([report])
    assert names(library) == ["river.eml", "river.eml › minutes.txt"]
    library.trash([mail])
    assert {row.name for row in library.trashed()} == {"river.eml", "river.eml › report.txt"}
    refused = library.restore([report])
    assert [failure.reason for failure in refused.failures] == [
        "river.eml › report.txt is attached to a mail that is in the trash. Restore the mail."
    ]
    assert sound(library)
    library.restore([mail])
    assert names(library) == ["river.eml", "river.eml › minutes.txt"]
    put(library, "river.eml", MAIL)
    assert names(library) == ["river.eml", "river.eml › minutes.txt"], "taking the mail in again is no wish for it"
    library.trash([mail])
    assert library.restore([report, mail, minutes]).failures == (), "mails first, whatever the order"
    assert len(names(library)) == 3
    assert sound(library)


def test_what_is_attached_is_cut_anew_and_encoded_anew_with_the_rest(tmp_path):
    with Library.open(tmp_path, encoder=FastEncoder()) as library:
        put(library, "river.eml", MAIL)
        report = library.apply(library.settings.with_value("chunking.chunker", "fixed"))
        assert len(report.documents) == 3
        assert {row.recipe.split(" ")[0] for row in library.sources()} == {"fixed"}
        assert [row.title for row in library.sources()][1:] == ["Report", "Minutes"]
        library.trash([library.sources()[0].id])
    other = FastEncoder()
    other.fingerprint = "another"
    with Library.open(tmp_path, encoder=other) as library:
        library.apply(library.settings)
        assert (library.stats().chunks, other.texts) == (0, []), "what lies in the trash costs nothing"
        library.restore([row.id for row in library.trashed()])
        assert found(library, "heron") == {"river.eml › minutes.txt"}
        assert sound(library)


def test_a_newer_parser_finds_other_attachments(library, monkeypatch):
    put(library, "river.eml", MAIL)
    library.trash([row_of(library, "river.eml › minutes.txt").id])
    monkeypatch.setattr(PARCELS, "version", 2)
    monkeypatch.setattr(PARCELS, "left_out", ("report.txt",))
    library.rebuild()
    assert (names(library), [row.name for row in library.trashed()]) == (["river.eml"], ["river.eml › minutes.txt"])
    assert sound(library)
    monkeypatch.setattr(PARCELS, "version", 3)
    monkeypatch.setattr(PARCELS, "left_out", ())
    library.rebuild()
    assert names(library) == ["river.eml", "river.eml › report.txt"]
    assert sound(library)


def test_a_full_disk_fails_the_mail_not_its_attachments_silently(library, monkeypatch):
    def full(self, data):
        if data == REPORT:
            raise StorageError("The disk is full.")
        return real(self, data)

    from core.storage.files import FileStore

    content = library.stage(MAIL)
    real = FileStore.stage
    monkeypatch.setattr(FileStore, "stage", full)
    report = library.ingest([Incoming("river.eml", content_hash=content)])
    assert [failure.reason for failure in report.failures] == ["The disk is full."]
    assert library.sources() == []
