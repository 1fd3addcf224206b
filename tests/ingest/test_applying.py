"""Recipes of a kind or of one document: what they reach, what they leave alone, and what they cost, said beforehand."""

from __future__ import annotations

import sqlite3
from dataclasses import asdict, replace

import pytest

from core.chunking.edits.edits import merge
from core.errors import CancelledError, LecternError, NotFoundError
from core.ingest.work import apply_handler
from core.library import Incoming, Library
from core.settings import ChunkingSettings
from core.storage.catalogue.job_rows import Job, NewItem
from core.storage.store import Store
from tests.fast_encoder import FastEncoder

ANIMALS = ("otter", "falcon", "badger", "heron")
SMALL = ChunkingSettings(max_tokens=16, parent_max_tokens=64)


def text_about(animal: str) -> str:
    return "\n\n".join(f"The {animal} is item {number} of the list and lives by the river." for number in range(9))


@pytest.fixture
def library(store, tmp_path) -> Library:
    """Four documents: two Markdown, two text."""
    library = Library(store, FastEncoder())
    items = []
    for number, animal in enumerate(ANIMALS):
        path = tmp_path / f"{animal}.{('md', 'txt')[number % 2]}"
        path.write_text(f"# {animal}\n\n{text_about(animal)}\n")
        items.append(Incoming(path.name, path))
    assert library.ingest(items).failures == ()
    return library


def version(library: Library, name: str) -> str:
    return next(row.version_id for row in library.sources() if row.name == name)


def rows(store: Store, but: str) -> list[sqlite3.Row]:
    """All that is stored of the chunks of every document but one: rows, ids, spans, vectors, recipes."""
    with store.reading() as connection:
        return [
            connection.execute(
                f"SELECT * FROM {table} WHERE version <> (SELECT number FROM version WHERE id = ?) ORDER BY 1, 2",
                (but,),
            ).fetchall()
            for table in ("chunk", "recipe")
        ]


def test_one_documents_recipe_leaves_the_rows_of_all_others_untouched(library, store) -> None:
    one = version(library, "otter.md")
    before, tree = rows(store, one), library.tree(one)
    report = library.cutting.apply("document", one, SMALL)
    assert [item.source for item in report.documents] == ["otter.md"]
    assert rows(store, one) == before
    assert len(library.tree(one).leaves) > len(tree.leaves)
    assert library.cutting.effective_chunking(one) == (SMALL, "document")
    labels = {row.name: row.recipe for row in library.sources()}
    assert labels["otter.md"].startswith("auto · child 16 · parent 64")
    assert len(set(labels.values())) == 2
    assert library.verify() == []
    assert library.apply(library.settings).encoded == 0, "the library's settings do not decide for it"
    assert len(library.tree(one).leaves) > len(tree.leaves)
    back = library.cutting.apply("document", one, None)
    assert back.encoded == 0
    assert library.tree(one) == tree


def test_a_recipe_resolves_from_library_to_kind_to_document(library, store) -> None:
    one, other = version(library, "otter.md"), version(library, "badger.md")
    larger = replace(SMALL, max_tokens=32)
    library.cutting.apply("document", one, SMALL)
    report = library.cutting.apply("kind", "markdown", larger)
    assert [item.source for item in report.documents] == ["badger.md"], "what has a recipe of its own is not reached"
    assert library.cutting.effective_chunking(other) == (larger, "kind")
    assert library.cutting.effective_chunking(one) == (SMALL, "document")
    text = version(library, "falcon.txt")
    assert library.cutting.effective_chunking(text) == (library.settings.chunking, "library")
    assert [row.name for row in library.cutting.reached("library", "")] == ["falcon.txt", "heron.txt"]
    assert [(own.scope, own.name) for own in library.cutting.recipes()] == [("kind", ""), ("document", "otter")]
    report = library.cutting.apply("document", one, None)
    assert library.cutting.effective_chunking(one) == (larger, "kind")
    assert library.verify() == []


def test_a_recipe_goes_along_when_the_file_changes(library, store, tmp_path) -> None:
    one = version(library, "otter.md")
    library.cutting.apply("document", one, SMALL)
    path = tmp_path / "otter.md"
    path.write_text(path.read_text() + "\n\nOne paragraph more.\n")
    library.ingest([Incoming(path.name, path)])
    new = version(library, "otter.md")
    assert new != one
    assert library.cutting.effective_chunking(new) == (SMALL, "document")
    row = next(row for row in library.sources() if row.name == "otter.md")
    assert row.recipe.startswith("auto · child 16"), "it was cut by it when it came in"
    assert library.apply(library.settings).encoded == 0


def test_a_new_document_of_a_kind_is_cut_by_the_kinds_recipe(library, store, tmp_path) -> None:
    library.cutting.set_recipe("kind", "text", SMALL)
    path = tmp_path / "crane.txt"
    path.write_text(text_about("crane"))
    library.ingest([Incoming(path.name, path)])
    assert {row.recipe.split(" · ")[1] for row in library.sources() if row.name == "crane.txt"} == {"child 16"}


@pytest.mark.parametrize(("scope", "key"), [("document", "otter.md"), ("kind", "markdown"), ("library", "")])
def test_what_is_planned_is_what_is_done(library, store, scope, key) -> None:
    key = version(library, key) if scope == "document" else key
    whole = library.document(version(library, "badger.md"))
    library.cutting.edit(merge(whole, whole.text.index("The badger is item 5")))
    library.cutting.recut([whole.version_id])
    library.cutting.apply("document", version(library, "heron.txt"), SMALL)
    before = {row.version_id: row.recipe_fingerprint for row in library.sources()}
    told: list[tuple[int, int]] = []
    cost = library.cutting.plan(scope, key, SMALL, lambda *counts: told.append(counts))
    assert {row.version_id: row.recipe_fingerprint for row in library.sources()} == before, "nothing has happened yet"
    now = sum(row.chunks for row in library.sources())
    if scope == "library":
        report = library.apply(replace(library.settings, chunking=SMALL))
    else:
        report = library.cutting.apply(scope, key, SMALL)
    assert report.encoded == cost.texts_to_encode > 0
    after = {row.version_id: row.recipe_fingerprint for row in library.sources()}
    assert sum(after[one] != before[one] for one in after) == cost.documents
    assert sum(row.chunks for row in library.sources()) - now == cost.chunks_then - cost.chunks_now
    assert told[0][0] == 0
    assert cost.seconds > 0
    again = library.cutting.plan(scope, key, SMALL)
    assert (again.documents, again.texts_to_encode) == (0, 0)
    assert again.sentence == "Nothing would change."


def test_a_plan_can_be_cancelled(library, store) -> None:
    def stop(done: int, total: int) -> None:
        raise CancelledError("Stopped.")

    with pytest.raises(CancelledError):
        library.cutting.plan("library", "", SMALL, stop)


def test_what_is_cancelled_goes_on_from_there(library, store) -> None:
    class Stopping:
        """Lets one document through."""

        done = 0

        def stage(self, index: int, stage: str, done: int, total: int) -> None:
            if self.done:
                raise CancelledError("Stopped.")

        def finished(self, index: int, outcome: object) -> None:
            self.done += 1

    with pytest.raises(CancelledError):
        library.cutting.apply("kind", "markdown", SMALL, Stopping())
    assert library.verify() == []
    first = library.cutting.plan("kind", "markdown", SMALL)
    assert first.documents == 1
    report = library.cutting.apply("kind", "markdown", SMALL)
    assert library.cutting.plan("kind", "markdown", SMALL).documents == 0
    assert report.failures == ()


def test_a_recipe_has_a_scope_and_a_document(library, store) -> None:
    with pytest.raises(LecternError, match="cannot belong to 'folder'"):
        library.cutting.set_recipe("folder", "x", SMALL)
    with pytest.raises(NotFoundError):
        library.cutting.set_recipe("document", "0" * 64, SMALL)
    library.cutting.set_recipe("document", "0" * 64, None)
    with pytest.raises(NotFoundError):
        library.cutting.effective_chunking("0" * 64)


def job(library: Library, payload: dict[str, object]) -> Job:
    """Run as the app does it: a durable job."""
    number = library.queue.enqueue("apply", payload, [NewItem("One document")])
    assert library.queue.run_next({"apply": apply_handler(library)})
    return library.queue.job(number)


def test_a_recipe_is_applied_as_a_durable_job(library) -> None:
    one = version(library, "otter.md")
    done = job(library, {"scope": "document", "key": one, "chunking": asdict(SMALL)})
    assert (done.state, done.reason, done.result["documents"]) == ("done", "", 1)
    assert library.cutting.effective_chunking(one) == (SMALL, "document")
    assert library.cutting.is_cut_so(one)
    leaf = library.tree(one).leaves[1]
    library.cutting.edit(merge(library.document(one), leaf.start))
    assert not library.cutting.is_cut_so(one)
    assert job(library, {"versions": [one]}).result["encoded"] == 1
    assert library.cutting.is_cut_so(one)
    assert job(library, {"scope": "document", "key": one, "chunking": None}).state == "done"
    assert library.cutting.effective_chunking(one) == (library.settings.chunking, "library")
    assert library.verify() == []


@pytest.mark.parametrize("chunker", ["structure", "semantic"])
def test_what_another_library_has_encoded_is_not_encoded_again(library, tmp_path, chunker) -> None:
    chunking = replace(SMALL, chunker=chunker)
    with Library.open(tmp_path / "bench", encoder=FastEncoder()) as other:
        other.ingest([Incoming(f"{animal}.md", tmp_path / f"{animal}.md") for animal in ("otter", "badger")])
        other.ingest([Incoming(f"{animal}.txt", tmp_path / f"{animal}.txt") for animal in ("falcon", "heron")])
        other.apply(replace(other.settings, chunking=chunking))
    wanted = {"settings": replace(library.settings, chunking=chunking).to_dict()}
    encoded_before = len(library.model.encoder.texts)
    done = job(library, {**wanted, "lender": str(tmp_path / "bench")})
    assert (done.state, done.result["documents"], done.result["encoded"]) == ("done", 4, 0)
    assert done.result["reused"] > 0
    assert len(library.model.encoder.texts) == encoded_before
    assert library.verify() == []


def test_a_lender_that_is_gone_is_done_without(library, tmp_path) -> None:
    wanted = {"settings": replace(library.settings, chunking=SMALL).to_dict(), "lender": str(tmp_path / "gone")}
    done = job(library, wanted)
    assert done.state == "done"
    assert done.result["encoded"] > 0


def test_a_job_for_a_document_that_has_left_fails_with_a_sentence(library) -> None:
    one = version(library, "otter.md")
    library.remove(next(row.id for row in library.sources() if row.version_id == one))
    done = job(library, {"scope": "document", "key": one, "chunking": asdict(SMALL)})
    assert done.state == "failed"
    assert "may have been removed" in done.reason


def test_a_recipe_for_another_embedder_waits_until_that_serves(library, store) -> None:
    class Other(FastEncoder):
        fingerprint = "hashed-words-2"

    one = version(library, "otter.md")
    other = Library(store, Other())
    other.cutting.apply("document", one, SMALL)
    assert other.cutting.effective_chunking(one) == (SMALL, "document")
    assert other.search("otter").hits
    assert other.verify() == []


def test_a_chunker_that_reads_sentences_is_reckoned_until_they_are_encoded(library, store, fast_encoder) -> None:
    one = version(library, "otter.md")
    by_meaning = replace(SMALL, chunker="semantic", max_tokens=40)
    reckoned = library.cutting.plan("document", one, by_meaning)
    assert not reckoned.exact
    assert "about" in reckoned.sentence.partition(":")[2]
    encoded = len(library.model.encoder.texts)
    report = library.cutting.apply("document", one, by_meaning)
    assert report.encoded == len(library.model.encoder.texts) - encoded > 0
    assert reckoned.texts_to_encode > 0
    sharper = replace(by_meaning, semantic_percentile=50.0)
    exact = library.cutting.plan("document", one, sharper)
    assert exact.exact, "its sentences are kept"
    assert library.cutting.apply("document", one, sharper).encoded == exact.texts_to_encode
    assert library.apply(library.settings).encoded == 0
    assert library.verify() == []
