"""Edits by hand in a library: made, seen in what is indexed, replayed after every other cut and every changed file."""

from __future__ import annotations

import email.message
from dataclasses import dataclass
from pathlib import Path

import pytest

from core.chunking.edits.edits import Edit, disable, merge, move, pin, split
from core.embedding import EmbeddingModel
from core.errors import LecternError, NotFoundError
from core.ingest.prepared import DocumentRecipe
from core.library import Incoming, Library
from core.storage.catalogue.texts import edits as stored
from core.storage.store import Store
from core.types import Chunk
from tests.fast_encoder import FastEncoder

ANIMALS = ("otter", "falcon", "badger", "heron")
TEXT = "".join(f"The {animal} lives by the river and sleeps all day.\n\n" for animal in ANIMALS)
DIALS = {"chunking.chunker": "recursive", "chunking.max_tokens": 20, "chunking.parent_max_tokens": 60}


@dataclass
class Bench:
    """A library on disk, its store at hand, and one document in it."""

    home: Path
    page: Path

    def __post_init__(self) -> None:
        self.open()

    def open(self) -> None:
        self.store = Store.open(self.home, write=True)
        self.encoder = FastEncoder()
        self.library = Library(self.store, self.encoder)

    def reopen(self) -> None:
        self.store.close()
        self.open()

    def put(self, text: str | bytes, page: Path | None = None) -> str:
        path = page or self.page
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        report = self.library.ingest([Incoming(path.name, path)])
        assert report.failures == ()
        return report.documents[0].version_id

    @property
    def version(self) -> str:
        return self.library.sources()[0].version_id

    def edit(self, make, *places: str | int) -> int:
        """``make`` an edit where words begin, and cut the document by it."""
        whole = self.library.document(self.version)
        at = [whole.text.index(place) if isinstance(place, str) else place for place in places]
        number = self.library.cutting.edit(make(whole, *at))
        self.recut()
        return number

    def recut(self) -> None:
        assert self.library.cutting.recut([self.version]).failures == ()

    def leaves(self) -> list[Chunk]:
        return list(self.library.tree(self.version).leaves)

    def words(self) -> list[str]:
        return ["+".join(animal for animal in ANIMALS if animal in leaf.text) for leaf in self.leaves()]


@pytest.fixture
def bench(tmp_path) -> Bench:
    made = Bench(tmp_path / "library", tmp_path / "page.txt")
    made.library.apply(made.library.settings.with_values(DIALS))
    made.put(TEXT)
    assert made.words() == list(ANIMALS)
    return made


def test_an_edit_is_seen_in_what_is_indexed_and_encodes_what_it_makes_alone(bench) -> None:
    before = {leaf.text: leaf.chunk_id for leaf in bench.leaves()}
    plain = bench.library.sources()[0]
    bench.encoder.texts.clear()
    bench.edit(merge, "The falcon")
    assert bench.words() == ["otter+falcon", "badger", "heron"]
    assert len(bench.encoder.texts) == 1
    leaf = bench.leaves()[0]
    assert leaf.metadata["edited"] == ("merged",)
    assert "edited: merged by hand" in leaf.reasons
    assert [before[other.text] for other in bench.leaves()[1:]] == [other.chunk_id for other in bench.leaves()[1:]]
    row = bench.library.sources()[0]
    assert row.recipe == f"{plain.recipe} · 1 edit"
    assert row.recipe_fingerprint != plain.recipe_fingerprint
    assert bench.library.verify() == []
    assert bench.library.search("badger").hits[0].text.startswith("The badger")


def test_undone_it_is_as_it_was_under_the_same_ids_and_encodes_nothing(bench) -> None:
    tree, row = bench.library.tree(bench.version), bench.library.sources()[0]
    bench.edit(split, "and sleeps")
    bench.edit(disable, "The heron", len(TEXT))
    assert bench.words() == ["otter", "", "falcon", "badger"]
    assert [gap.reason for gap in bench.library.audit(bench.version).gaps] == ["switched off by hand"]
    bench.encoder.texts.clear()
    bench.reopen()
    assert stored.undo_edit(bench.store, bench.version).kind == "disable"
    bench.recut()
    assert bench.words() == ["otter", "", "falcon", "badger", "heron"]
    assert stored.undo_edit(bench.store, bench.version).kind == "split"
    assert stored.undo_edit(bench.store, bench.version) is None
    bench.recut()
    assert bench.library.tree(bench.version) == tree
    assert bench.library.sources()[0].recipe_fingerprint == row.recipe_fingerprint
    assert bench.library.audit(bench.version).gaps == ()
    bench.reopen()
    assert stored.undone_edits(bench.store, bench.version)
    assert stored.redo_edit(bench.store, bench.version).kind == "split"
    bench.recut()
    assert bench.words()[1] == ""
    assert bench.encoder.texts == [], "every vector was still kept"
    assert bench.library.verify() == []


def test_edits_survive_another_chunker_and_an_edited_file(bench) -> None:
    bench.edit(merge, "The falcon")
    bench.edit(move, "The heron", "and sleeps all day.\n\nThe heron")
    bench.edit(pin, "lives", "sleeps")
    bench.library.apply(bench.library.settings.with_values({"chunking.chunker": "fixed", "chunking.max_tokens": 40}))
    assert bench.library.cutting.conflicts(bench.version) == []
    marks = [leaf.metadata["edited"] for leaf in bench.leaves() if "edited" in leaf.metadata]
    assert ("pinned",) in marks
    assert any("moved" in one for one in marks)
    assert any(leaf.text == "lives by the river and" for leaf in bench.leaves())

    before = bench.version
    bench.put("Animals of the river.\n\n" + TEXT.replace("badger lives", "badger, they say, lives"))
    assert bench.version != before
    assert [edit.kind for edit in stored.edits(bench.store, bench.version)] == ["merge", "move", "pin"]
    assert bench.library.cutting.conflicts(bench.version) == []
    assert any(leaf.text == "lives by the river and" for leaf in bench.leaves())
    assert any("moved" in leaf.metadata.get("edited", ()) for leaf in bench.leaves())
    row = bench.library.sources()[0]
    assert row.recipe.endswith("· 3 edits")
    encoded = len(bench.encoder.texts)
    bench.library.apply(bench.library.settings)
    assert bench.library.sources()[0] == row, "it was cut with its edits when it came in"
    assert len(bench.encoder.texts) == encoded
    assert bench.library.verify() == []


def test_what_no_longer_fits_is_listed_and_comes_back_with_its_words(bench) -> None:
    hunting = TEXT.replace("falcon lives by the river and sleeps all day", "falcon hunts over open fields from dawn on")
    bench.put(hunting)
    number = bench.edit(split, "over open fields")
    bench.edit(merge, "The heron")
    bench.put(hunting.replace("The falcon hunts over open fields from dawn on.\n\n", ""))
    (conflict,) = bench.library.cutting.conflicts(bench.version)
    assert (conflict.edit.id, conflict.edit.kind) == (number, "split")
    assert conflict.sentence == "The words it was made on are no longer in the text."
    assert bench.words() == ["otter", "badger+heron"]
    bench.put(hunting)
    assert bench.library.cutting.conflicts(bench.version) == []
    assert bench.words() == ["otter", "falcon", "", "badger+heron"]
    bench.library.cutting.drop(number)
    bench.recut()
    assert bench.words() == ["otter", "falcon", "badger+heron"]
    with pytest.raises(NotFoundError, match="no edit"):
        bench.library.cutting.drop(number)


def test_an_edit_that_cannot_be_is_refused_with_a_sentence(bench) -> None:
    whole = bench.library.document(bench.version)
    far = TEXT.index("sleeps", TEXT.index("heron"))
    with pytest.raises(LecternError, match="Another boundary now lies between") as refused:
        bench.library.cutting.edit(move(whole, TEXT.index("The falcon"), far))
    assert "Choose another place" in str(refused.value)
    with pytest.raises(NotFoundError):
        bench.library.cutting.edit(Edit("split", "0" * 64, split(whole, far).at))
    assert stored.edits(bench.store, bench.version) == []
    bench.edit(disable, "The falcon", TEXT.index("The badger"))
    with pytest.raises(LecternError, match="No chunk reaches this place"):
        bench.library.cutting.edit(split(whole, TEXT.index("falcon")))
    stale = bench.library.tree(bench.version)
    bench.put("Another text.")
    with pytest.raises(LecternError):
        bench.library.cutting.edit(split(whole, far), stale)


def test_an_edit_is_judged_by_the_cut_a_person_looks_at(bench) -> None:
    """The page shows other dials than those that are indexed: what fits there is what counts."""
    whole = bench.library.document(bench.version)
    far = TEXT.index("sleeps", TEXT.index("badger"))
    shown = bench.library.cutting._prepare().cut(whole, "p", DocumentRecipe(bench.library.settings.chunking))[0].tree
    with pytest.raises(LecternError):
        bench.library.cutting.edit(move(whole, TEXT.index("The falcon"), far), shown)
    large = bench.library.settings.with_values({"chunking.max_tokens": 60}).chunking
    shown = bench.library.cutting._prepare().cut(whole, "p", DocumentRecipe(large))[0].tree
    assert bench.library.cutting.edit(move(whole, TEXT.index("The falcon"), far), shown)


def test_edits_of_what_is_attached_go_to_the_mail_that_replaces_it(tmp_path) -> None:
    def mail(attached: str) -> bytes:
        message = email.message.EmailMessage()
        message["Subject"], message["From"], message["To"] = "River", "a@example.org", "b@example.org"
        message.set_content("See what is attached.\n")
        message.add_attachment(attached, filename="animals.txt")
        return bytes(message)

    bench = Bench(tmp_path / "library", tmp_path / "mail.eml")
    bench.library.apply(bench.library.settings.with_values(DIALS))
    bench.put(mail(TEXT))
    attached = next(row for row in bench.library.sources() if row.parent)
    whole = bench.library.document(attached.version_id)
    bench.library.cutting.edit(merge(whole, TEXT.index("The falcon")))
    bench.put(mail("Once more.\n\n" + TEXT))
    attached = next(row for row in bench.library.sources() if row.parent)
    assert attached.recipe.endswith("· 1 edit")
    assert any(
        "otter" in leaf.text and "falcon" in leaf.text for leaf in bench.library.tree(attached.version_id).leaves
    )
    assert bench.library.verify() == []


def test_edits_are_renewed_for_another_embedder(bench) -> None:
    class Other(FastEncoder):
        fingerprint = "hashed-words-2"

    bench.edit(merge, "The falcon")
    library = Library(bench.store, Other())
    assert isinstance(library.model, EmbeddingModel)
    library.apply(library.settings)
    assert "otter" in library.tree(bench.version).leaves[0].text
    assert "falcon" in library.tree(bench.version).leaves[0].text
    assert library.verify() == []
