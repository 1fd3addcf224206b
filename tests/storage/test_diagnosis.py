"""The diagnostic report says what is wrong and names nothing of a person's."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.ingest.jobs import NewItem
from core.ingest.work import ingest_handler
from core.library import Incoming, Library
from core.storage.diagnosis import PACKAGES, masked
from tests.fast_encoder import FastEncoder


def test_counts_and_faults_without_a_name(tmp_path, fast_encoder) -> None:
    secret = tmp_path / "ada lovelace" / "tax 2024"
    secret.mkdir(parents=True)
    bad = secret / "divorce.pdf"
    bad.write_bytes(b"%PDF-1.7 of Confidential things")
    (secret / "holiday.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    with Library.open(secret / "papers", encoder=fast_encoder) as library:
        library.ingest([Incoming("Diary of Ada.md", content_hash=library.stage(b"# Dear diary\n\nBabbage came."))])
        library.labels.collect([1], library.labels.create_collection("Lovers"))
        library.labels.tag([1], "hush")
        library.labels.write_note(1, "Never show this.")
        library.search("Did Babbage come?")
        items = [NewItem(str(path), path) for path in (bad, secret / "holiday.png", secret / "gone.txt")]
        library.queue.enqueue("ingest", {"settings": library.settings.with_value("retrieval.k", 9).to_dict()}, items)
        assert library.queue.run_next({"ingest": ingest_handler(library)})
        library.ingest([], settings=library.settings.with_value("retrieval.k", 9))
        report = library.report()
        again = library.report()
        sizes = [line for line in report.splitlines() if "bytes" in line]  # looking at Chroma writes to its files
        assert [line for line in report.splitlines() if line not in sizes] == [
            line for line in again.splitlines() if "bytes" not in line
        ]
        original = next(path for path in (library.home / "files").rglob("*") if path.is_file())
        original.write_bytes(b"changed")
        assert "The original file has been changed. (cannot be repaired)" in library.report()
    for told in (
        "Library 'papers', open for writing", "sources: 1", "chunks: 1", "retrieval.k = 9",
        "documents of kind markdown: 1", "0002_trash_labels_attachments_folders",
        "generation 1: 256 dimensions", "The library is sound.",
    ):  # fmt: skip
        assert told in report
    assert all(name in report for name in PACKAGES)
    failures = report.split("Recent failures, names left out\n")[1].split("\n\n")[0].splitlines()
    assert [line.split(":")[0] for line in failures] == ["  ingest, .pdf", "  ingest, .png", "  ingest, .txt"]
    assert "is damaged" in failures[1]
    assert "does not exist" in failures[2]
    for kept in (
        "ada", "lovelace", "tax", "divorce", "holiday", "gone", "diary", "dear", "babbage", "lovers", "hush",
        "never show", str(tmp_path), "confidential", "/tmp",
    ):  # fmt: skip
        assert kept.lower() not in report.lower()


def test_an_empty_library_has_a_report_for_readers_too(tmp_path, fast_encoder) -> None:
    Library.open(tmp_path / "empty", encoder=fast_encoder).close()
    with Library.open(tmp_path / "empty", write=False, encoder=FastEncoder()) as reader:
        report = reader.report()
    assert "open for reading" in report
    assert "  none" in report
    assert "  all as Lectern sets them" in report


@pytest.mark.parametrize(
    ("sentence", "names", "shown"),
    [
        ("D:\\Papers\\Ada\\tax.pdf cannot be read.", (), "[…] cannot be read."),
        ("my tax.pdf is empty. Save it.", ("my tax.pdf",), "[…] is empty. Save it."),
        ("tax.pdf: page 3 is broken.", ("/data/ada/tax.pdf",), "[…]: page 3 is broken."),
        ("The disk that holds /data/a b is full.", ("/data/a b",), "The disk that holds […] is full."),
        ('It says "Dear Ada" here.', (), "It says […] here."),
        ("A page failed after 1.5 s.", (), "A page failed after 1.5 s."),
        ("Lectern made a mistake (KeyError: Dear Ada). Report it.", (), "Lectern made a mistake (KeyError: […]"),
    ],
)
def test_what_is_masked(sentence, names, shown) -> None:
    assert masked(sentence, *names) == shown


@given(st.text(alphabet="ab./\\ '\"", min_size=1, max_size=12).map(str.strip).filter(bool))
def test_a_given_name_never_remains(name) -> None:
    assert name not in masked(f"Before {name} after.", name).replace("[…]", "") or name in "Before  after."
