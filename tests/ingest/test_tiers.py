"""Documents left to their words alone: what that saves, that nothing encodes them, and the way back."""

from __future__ import annotations

import json
import os
import time
from datetime import UTC, datetime, timedelta
from email.message import EmailMessage

import pytest

from core.cli.main import main
from core.errors import LecternError, NotFoundError
from core.library import Incoming, Library
from core.storage.archive import archive, unarchive
from core.storage.catalogue.question_log import LoggedQuestion
from core.storage.index.outbox import pending
from tests.fast_encoder import FastEncoder

COAST = "The lighthouse keeper counts the gulls at dusk. " * 12
INLAND = "Sheep graze below the windmill all summer long. " * 12


@pytest.fixture
def folder(tmp_path):
    place = tmp_path / "documents"
    place.mkdir()
    (place / "coast.txt").write_text(COAST)
    (place / "inland.txt").write_text(INLAND)
    return place


@pytest.fixture
def held(library, folder, fast_encoder):
    """Both documents, the coast's left to its words; the encoder's list of texts is empty."""
    library.ingest([Incoming(path.name, path) for path in sorted(folder.iterdir())])
    coast, _ = library.sources()
    library.cutting.leave_to_words([coast.id])
    fast_encoder.texts.clear()
    return library


def rows(library):
    return {row.name: row for row in library.sources()}


def dense(library, name, question="Who counts the gulls?"):
    """Whether the hits of a document were found by their meaning, too."""
    return {"dense" in hit.scores for hit in library.search(question).hits if hit.source == name}


def test_what_it_saves_is_told_and_then_saved(library, folder):
    library.ingest([Incoming(path.name, path) for path in sorted(folder.iterdir())])
    ids, before = [row.id for row in library.sources()], library.stats()
    cost = library.cutting.tier_cost(ids[:1])
    assert cost.documents == 1
    assert 0 < cost.chunks < before.chunks
    assert 4 * FastEncoder.dimension * cost.chunks // 2 < cost.freed_bytes, "Chroma is counted too"
    assert cost.seconds == pytest.approx(cost.chunks / library.cutting.texts_a_second())
    library.cutting.leave_to_words(ids[:1])
    after = library.stats()
    assert (after.chunks, after.documents) == (before.chunks, before.documents)
    assert after.vectors < before.vectors
    assert library.cutting.tier_cost(ids[:1]).freed_bytes == 0
    assert pending(library._store) == 0
    assert library._store.projection.count(1) == before.chunks - cost.chunks
    with pytest.raises(NotFoundError):
        library.cutting.leave_to_words([ids[1], 99])
    assert not rows(library)["inland.txt"].words_alone, "none is left where one is not there"


def test_it_is_found_by_its_words_and_the_others_by_both(held):
    assert rows(held)["coast.txt"].words_alone
    assert not any(row.by_words for row in held.sources()), "nothing waits"
    assert dense(held, "coast.txt") == {False}
    assert dense(held, "inland.txt", "Where do sheep graze?") == {True}
    assert held.search("Who counts the gulls?").hits[0].source == "coast.txt"


def test_nothing_encodes_it(held, folder, fast_encoder):
    held.rebuild()
    held.ingest([Incoming("coast.txt", folder / "coast.txt")])
    held.apply(held.settings.with_value("chunking.max_tokens", 60))
    assert not [text for text in fast_encoder.texts if "gulls" in text]
    (folder / "coast.txt").write_text(COAST + "The lamp is lit at nine. " * 9)
    held.ingest([Incoming("coast.txt", folder / "coast.txt")], promptly=True)
    assert not [text for text in fast_encoder.texts if "gulls" in text or "lamp" in text]
    assert rows(held)["coast.txt"].words_alone
    assert held.search("When is the lamp lit?").hits[0].source == "coast.txt"
    held.trash([rows(held)["coast.txt"].id])
    held.restore([held.trashed()[0].id])
    assert dense(held, "coast.txt") == {False}
    assert held.verify() == []


def test_a_library_carried_elsewhere_and_one_mended_keep_it(held, tmp_path):
    held.close()
    archive(held.home, tmp_path / "whole.zip")
    unarchive(tmp_path / "whole.zip", tmp_path / "elsewhere")
    with Library.open(tmp_path / "elsewhere", encoder=FastEncoder()) as other:
        other.rebuild()
        assert dense(other, "coast.txt") == {False}
        assert other.verify() == []
        assert not [text for text in other.model.encoder.texts if "lighthouse" in text]
    (held.home / "catalogue.sqlite").unlink()
    with Library.open(held.home, encoder=FastEncoder(), repair=True) as mended:
        mended.verify(repair=True)
        assert {row.name: row.words_alone for row in mended.sources()} == {"coast.txt": True, "inland.txt": False}
        assert dense(mended, "coast.txt") == {False}


def test_the_way_back_encodes_what_was_dropped(held, fast_encoder):
    coast = rows(held)["coast.txt"]
    assert held.cutting.tier_cost([coast.id]).unencoded == coast.chunks
    versions = held.cutting.take_from_words([coast.id])
    assert versions == [coast.version_id]
    assert rows(held)["coast.txt"].by_words, "found by its words until it is encoded"
    held.cutting.recut(versions)
    assert len(fast_encoder.texts) == len(set(fast_encoder.texts)) > 0
    assert dense(held, "coast.txt") == {True}
    assert held.cutting.take_from_words([coast.id]) == []
    assert held.verify() == []


def test_what_another_source_holds_keeps_its_meaning(held, fast_encoder):
    held.ingest([Incoming("copy.txt", content_hash=held.stage(COAST.encode()))])
    assert fast_encoder.texts, "the copy is wanted by its meaning"
    assert not any(row.words_alone for row in held.sources())
    held.remove(rows(held)["copy.txt"].id)
    held.cutting.leave_to_words([rows(held)["coast.txt"].id])
    assert dense(held, "coast.txt") == {False}


def test_another_embedder_leaves_it_alone(held):
    held.close()
    other = FastEncoder()
    other.fingerprint = "hashed-words-2"
    with Library.open(held.home, encoder=other) as library:
        library.apply(library.settings)
        assert [text for text in other.texts if "windmill" in text]
        assert not [text for text in other.texts if "lighthouse" in text]
        assert dense(library, "coast.txt") == {False}


def ago(days):
    return (datetime.now(UTC) - timedelta(days=days)).isoformat("T", "seconds")


def test_a_rule_takes_what_is_old_and_what_nobody_reads(held, folder):
    def asked(days, name):
        version = rows(held)[name].version_id
        held.log.note(LoggedQuestion("Who?", 1.0, 0.5, True, 0.5, (version,), ago(days)))

    held.cutting.take_from_words([rows(held)["coast.txt"].id])
    coast, inland = (rows(held)[name].id for name in ("coast.txt", "inland.txt"))
    assert held.cutting.rarely_used(older_than_days=30) == []
    with pytest.raises(LecternError, match="off or empty"):
        held.cutting.rarely_used(unread_for_days=30)
    for name, days in (("coast.txt", 100), ("inland.txt", 20)):
        os.utime(folder / name, (time.time() - 86_400 * days,) * 2)
        held.ingest([Incoming(name, folder / name)])
    assert held.cutting.rarely_used(older_than_days=30) == [coast], "a file is as old as it says"
    asked(20, "inland.txt")
    with pytest.raises(LecternError, match="goes back to"):
        held.cutting.rarely_used(unread_for_days=30)
    asked(90, "coast.txt")
    assert held.cutting.rarely_used(unread_for_days=30) == [], "what came in meanwhile could not be read before"
    held._store.write("UPDATE source SET changed_at = ?", ago(95))
    assert held.cutting.rarely_used(unread_for_days=30) == [coast]
    assert held.cutting.rarely_used(unread_for_days=10) == [coast, inland]
    assert held.cutting.rarely_used(50, 10) == [coast], "both are asked"
    with pytest.raises(LecternError, match="36,500"):
        held.cutting.rarely_used(-1)
    cost = held.cutting.tier_cost([coast])
    assert (cost.asked, cost.read) == (2, 1)
    held.cutting.leave_to_words([coast])
    assert held.cutting.rarely_used(unread_for_days=10) == [inland], "what is left already is none of them"
    held.log.switch(False)
    with pytest.raises(LecternError, match="off or empty"):
        held.cutting.rarely_used(unread_for_days=10)


def test_a_mail_is_read_as_often_as_what_came_in_it(library, tmp_path):
    mail = EmailMessage()
    mail["Subject"] = "Figures"
    mail.set_content("The figures are attached.")
    mail.add_attachment(COAST, filename="coast.txt")
    (tmp_path / "figures.eml").write_bytes(mail.as_bytes())
    library.ingest([Incoming("figures.eml", tmp_path / "figures.eml")])
    library._store.write("UPDATE source SET changed_at = ?, modified_ns = NULL", ago(400))
    assert library.cutting.rarely_used(365) == [row.id for row in library.sources()]
    attached = next(row for row in library.sources() if row.parent)
    library.log.note(LoggedQuestion("Who?", 1.0, 0.5, True, 0.5, (), ago(99)))
    library.log.note(LoggedQuestion("Who counts?", 1.0, 0.5, True, 0.5, (attached.version_id,)))
    assert library.cutting.rarely_used(unread_for_days=30) == []


@pytest.mark.parametrize("dry", [True, False])
def test_the_command_tells_and_does_it(held, capsys, monkeypatch, dry):
    held.labels.collect([row.id for row in held.sources()], held.labels.create_collection("Old notes"))
    held.close()
    opened = Library.open
    monkeypatch.setattr(Library, "open", lambda home, **given: opened(home, encoder=FastEncoder(), **given))
    options = ["--collection", "old notes", "--library", str(held.home), "--json", *(["--dry-run"] if dry else [])]
    assert main(["tier", "words", *options]) == 0
    said = capsys.readouterr()
    assert "of vectors are freed" in said.err
    assert json.loads(said.out)["cost"]["documents"] == 2
    with opened(held.home, write=False, encoder=FastEncoder()) as library:
        assert [row.words_alone for row in library.sources()] == [True, not dry]
    assert main(["tier", "meaning", "coast.txt", "nobody.txt", *options[2:]]) == 1
    said = json.loads(capsys.readouterr().out)
    assert (len(said["sources"]), len(said["failures"]), said["encoded"] > 0) == (1, 1, not dry)
    assert main(["tier", "words", "--library", str(held.home)]) == 2
    assert main(["tier", "meaning", "--older-than", "9", *options[2:]]) == 2
    capsys.readouterr()
    assert main(["tier", "words", "--older-than", "9", *options[2:]]) == 0
    assert json.loads(capsys.readouterr().out)["sources"] == [], "they came in today"
