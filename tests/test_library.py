"""A library from outside: what goes in, what is found, what stays when it changes, and what costs nothing."""

from __future__ import annotations

import shutil
import threading
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path

import pytest

from core.chunking import cut_edited
from core.errors import (
    CancelledError,
    LibraryLockedError,
    ModelError,
    NotFoundError,
    ParseError,
    StorageError,
)
from core.ingest import ingest
from core.library import Incoming, Ingested, ItemCancelledError, Library, SearchResult
from core.search.ranking import finding
from core.settings import PRESETS, Settings
from core.storage.catalogue.texts import generations
from core.storage.store import Store
from core.types import Chunk
from tests.fast_encoder import FastEncoder

ANIMALS = ("otter", "falcon", "badger", "salmon", "heron")


class OtherEncoder(FastEncoder):
    """Another embedder: same size, other vectors."""

    fingerprint = "hashed-words-2"

    def _vector(self, text):
        return -super()._vector(text)


def text_about(animal: str) -> str:
    facts = (f"The {animal} is item number {number} of the list and lives by the river." for number in range(9))
    return f"# The {animal}\n\n" + "\n\n".join(f"## Part {index}\n\n{fact}" for index, fact in enumerate(facts)) + "\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "documents"
    place.mkdir()
    for animal in ANIMALS:
        (place / f"{animal}.md").write_text(text_about(animal), encoding="utf-8")
    return place


def incoming(folder: Path) -> list[Incoming]:
    return [Incoming(path.name, path) for path in sorted(folder.iterdir())]


def chunks_of(library: Library) -> dict[str, tuple[Chunk, ...]]:
    return {source.name: library.tree(source.version_id).chunks for source in library.sources()}


@dataclass
class Recorder:
    """A watch that keeps what it is told and raises where it is asked to."""

    stop_all_at: str = ""
    stop_item: tuple[int, str] = (-1, "")
    stop_after_finished: int = -1
    stages: list[tuple[int, str]] = field(default_factory=list)
    encoding: list[int] = field(default_factory=list)
    finished_items: list[int] = field(default_factory=list)

    def stage(self, index: int, stage: str, done: int, total: int) -> None:
        self.stages.append((index, stage))
        self.encoding += [total] if stage == "encoding" else []
        assert 0 <= done <= total
        if stage == self.stop_all_at:
            raise CancelledError("Stopped.")
        if (index, stage) == self.stop_item:
            raise ItemCancelledError(index)

    def finished(self, index: int, outcome: object) -> None:
        if len(self.finished_items) == self.stop_after_finished:
            raise CancelledError("Stopped.")
        self.finished_items.append(index)


def test_what_goes_in_is_found(library, folder):
    watch = Recorder()
    report = library.ingest(incoming(folder), watch)
    assert [item.source for item in report.documents] == sorted(f"{animal}.md" for animal in ANIMALS)
    assert report.failures == ()
    assert all(isinstance(item, Ingested) and not item.reused for item in report.documents)
    assert watch.finished_items == list(range(len(ANIMALS)))
    assert {stage for _, stage in watch.stages} >= {"reading", "chunking", "encoding", "storing"}
    result = library.search("Which part of the list is the otter?")
    assert result.hits[0].source == "otter.md"
    assert "otter" in result.hits[0].text
    assert library.document(result.hits[0].version_id).text == text_about("otter")
    assert library.original(result.hits[0].version_id) == text_about("otter").encode()
    assert library.audit(result.hits[0].version_id).gaps == ()
    assert library.verify() == []


def test_a_second_ingest_encodes_nothing(library, folder, fast_encoder):
    first = library.ingest(incoming(folder))
    texts, before, revision = list(fast_encoder.texts), chunks_of(library), library.revision()
    assert first.encoded == len(set(texts)) == len(texts)
    second = library.ingest(incoming(folder))
    assert (second.encoded, fast_encoder.texts) == (0, texts)
    assert all(item.reused for item in second.documents)
    assert chunks_of(library) == before
    assert library.revision() == revision, "nothing changed, so nothing cached of it is stale"


def test_a_dial_changed_and_back_encodes_nothing(library, folder, fast_encoder):
    library.ingest(incoming(folder))
    before = chunks_of(library)
    own = library.settings
    library.apply(own.with_value("chunking.max_tokens", 24).with_value("chunking.parent_max_tokens", 48))
    assert chunks_of(library) != before
    assert library.verify() == []
    encoded = len(fast_encoder.texts)
    back = library.apply(own)
    assert back.encoded == 0
    assert len(fast_encoder.texts) == encoded
    assert chunks_of(library) == before, "the same recipe gives the same chunks under the same ids"
    assert library.verify() == []
    assert library.ingest(incoming(folder)).encoded == 0


def test_changing_one_document_encodes_that_one(library, folder, fast_encoder):
    library.ingest(incoming(folder))
    before = chunks_of(library)
    encoded = len(fast_encoder.texts)
    changed = text_about("otter").replace("number 3", "number thirty-three")
    (folder / "otter.md").write_text(changed, encoding="utf-8")
    watch = Recorder()
    report = library.ingest(incoming(folder), watch)
    fresh = fast_encoder.texts[encoded:]
    assert len(fresh) == report.encoded == max(watch.encoding) >= 1
    assert len(library.tree(report.documents[0].version_id).leaves) > 1, "what is told to be encoded is not all of it"
    assert all("thirty-three" in text for text in fresh), "only what changed is encoded"
    after = chunks_of(library)
    assert {name for name in after if after[name] != before[name]} == {"otter.md"}
    assert len(library.sources()) == len(ANIMALS)
    assert not any("number 3 " in hit.text and hit.source == "otter.md" for hit in library.search("number 3").hits)
    assert library.search("thirty-three").hits[0].source == "otter.md"
    assert library.stats().documents == len(ANIMALS), "the old version went with its last source"
    assert library.verify() == []


def test_the_same_bytes_twice_in_one_batch_are_read_once_and_under_the_first_name(library):
    content = library.stage(b"Otters hold hands while they sleep.\n\nSo they do not drift apart.\n")
    report = library.ingest([Incoming(name, content_hash=content) for name in ("river notes.txt", "other name.md")])
    assert [(item.document, item.kind, item.reused) for item in report.documents] == [
        ("River notes", "text", False),
        ("River notes", "text", True),
    ]
    assert {(row.title, row.document_kind) for row in library.sources()} == {("River notes", "text")}
    assert library.verify() == []


@pytest.mark.parametrize("at", ["reading", "chunking", "encoding", "storing"])
def test_a_document_removed_while_the_library_is_cut_anew_does_not_come_back(library, at):
    for name in ("otter", "falcon"):
        prose = " ".join(f"The {name} swims past stone {number} of the river." for number in range(60))
        library.ingest([Incoming(f"{name}.txt", content_hash=library.stage(prose.encode()))])

    class Remover(Recorder):
        def stage(self, index: int, stage: str, done: int, total: int) -> None:
            if stage == at and len(library.sources()) == 2:
                library.remove(library.sources()[0].id)

    report = library.apply(library.settings.with_value("chunking.max_tokens", 50), Remover())
    assert report.failures == ()
    assert [row.name for row in library.sources()] == ["falcon.txt"]
    assert {hit.source for hit in library.search("otter").hits} == {"falcon.txt"}
    assert (library.stats().documents, library.verify()) == (1, [])


def test_where_chroma_cannot_be_written_the_library_still_opens_and_forgets(tmp_path):
    home = tmp_path / "home"
    with Library.open(home, encoder=FastEncoder()) as library:
        (home / "chroma").write_text("in the way, as a full disk is")
        for name in ("otter", "heron"):
            library.ingest([Incoming(f"{name}.txt", content_hash=library.stage(f"The {name} waits.".encode()))])
        library.remove(library.sources()[0].id)
    with Library.open(home, encoder=FastEncoder()) as library:
        assert [hit.source for hit in library.search("Who waits?").hits] == ["heron.txt"]
        (home / "chroma").unlink()
    with Library.open(home, encoder=FastEncoder()) as library:
        assert (library.stats().pending, library.verify()) == (0, [])


def test_a_defect_met_on_one_file_costs_that_file_alone(library, monkeypatch):
    from core.chunking.chunkers import CHUNKERS

    auto = CHUNKERS["auto"]

    def fails_on_wolves(frame):
        if "wolf" in frame.document.text:
            raise TypeError("a defect")
        return auto(frame)

    monkeypatch.setitem(CHUNKERS, "auto", fails_on_wolves)
    texts = {"otter.txt": b"The otter swims.", "wolf.txt": b"The wolf howls.", "heron.txt": b"The heron waits."}
    report = library.ingest([Incoming(name, content_hash=library.stage(text)) for name, text in texts.items()])
    assert [item.source for item in report.documents] == ["otter.txt", "heron.txt"]
    (failure,) = report.failures
    assert failure.source == "wolf.txt"
    assert "wolf.txt could not be read: Lectern made a mistake (TypeError: a defect)." in failure.reason


def test_removed_is_gone_from_every_index(library, folder):
    library.ingest(incoming(folder))
    gone = next(row for row in library.sources() if row.name == "otter.md")
    revision = library.revision()
    library.remove(gone.id)
    assert library.revision() > revision
    for preset in ("default", "meaning-only", "words-only"):
        result = library.search("otter", PRESETS[preset])
        assert all(hit.source != "otter.md" for hit in result.hits)
        assert "otter" not in "".join(passage.text for passage in result.passages)
    with pytest.raises(NotFoundError, match="missing"):
        library.original(gone.version_id)
    with pytest.raises(NotFoundError, match="no source"):
        library.remove(gone.id)
    assert library.verify() == []
    for row in library.sources():
        library.remove(row.id)
    assert library.search("otter").hits == ()
    assert (library.stats().chunks, library.stats().documents, library.stats().files_bytes) == (0, 0, 0)
    assert library.verify() == []


def test_trashed_is_nowhere_and_comes_back_without_encoding(library, folder, fast_encoder):
    library.ingest(incoming(folder))
    chunks, texts = chunks_of(library), list(fast_encoder.texts)
    chosen = [row for row in library.sources() if row.name in {"otter.md", "heron.md"}]
    library.trash([row.id for row in chosen])
    assert {row.name for row in library.trashed()} == {"otter.md", "heron.md"}
    for preset in ("default", "meaning-only", "words-only"):
        result = library.search("otter heron", PRESETS[preset])
        assert not {hit.source for hit in result.hits} & {"otter.md", "heron.md"}
        assert not {candidate.version_id for candidate in result.trace.candidates} & {row.version_id for row in chosen}
    assert not {library.searcher.rank("otter", library.settings).leaves.names.count(row.name) for row in chosen} - {0}
    stats = library.stats()
    assert (stats.sources, stats.documents, stats.trash) == (3, 3, 2)
    assert stats.chunks == sum(row.chunks for row in library.sources())
    assert library.apply(library.settings.with_value("retrieval.k", 11)).failures == ()
    assert library.verify() == []
    finished = Recorder()
    report = library.restore([chosen[1].id, chosen[0].id, chosen[0].id], finished)
    assert ([item.source for item in report.documents], report.encoded) == (["heron.md", "otter.md"], 0)
    assert finished.finished_items == [0, 1]
    assert [text for text in fast_encoder.texts if text not in texts] == ["otter heron", "otter"], "questions alone"
    assert chunks_of(library) == chunks
    assert library.search("otter").hits[0].source == "otter.md"
    assert library.restore([chosen[0].id]).documents == (), "it is not in the trash"
    with pytest.raises(NotFoundError):
        library.restore([99])
    assert library.verify() == []


def test_restored_as_the_library_is_cut_now(library, folder):
    library.ingest(incoming(folder))
    row = library.sources()[0]
    library.trash([row.id])
    library.apply(library.settings.with_value("chunking.max_tokens", 24).with_value("chunking.parent_max_tokens", 48))
    library.restore([row.id])
    assert len({row.recipe for row in library.sources()}) == 1
    assert library.verify() == []


def test_what_cannot_be_restored_stays_in_the_trash(library, folder, monkeypatch):
    library.ingest(incoming(folder))
    row = library.sources()[0]
    library.trash([row.id])

    def refuse(*asked):
        raise ParseError("It cannot be cut.")

    monkeypatch.setattr("core.ingest.preparing.cut_edited", refuse)
    assert [failure.reason for failure in library.restore([row.id]).failures] == ["It cannot be cut."]
    assert [held.id for held in library.trashed()] == [row.id]
    assert library.verify() == []


def test_the_original_where_it_still_lies(library, folder):
    library.ingest([*incoming(folder)[:1], Incoming("up.md", content_hash=library.stage(b"# Up"))])
    path, upload = library.sources()
    assert library.folders.original_path(path.id) == folder / "badger.md"
    assert library.folders.original_path(upload.id) is None
    (folder / "badger.md").unlink()
    assert library.folders.original_path(path.id) is None
    with pytest.raises(NotFoundError):
        library.folders.original_path(99)


def test_a_large_file_nothing_reads_is_refused_by_its_head(library, tmp_path, monkeypatch):
    film = tmp_path / "film.mp4"
    film.write_bytes(b"\0\0\0\x18ftypmp42")
    with film.open("ab") as stream:
        stream.truncate(65 << 20)
    monkeypatch.setattr(Path, "read_bytes", lambda path: pytest.fail("all of it was read"))
    report = library.ingest([Incoming("film.mp4", film)])
    assert [failure.problem for failure in report.failures] == ["kind"]
    assert library.stats().files_bytes == 0, "and no copy of it is kept"


def test_an_empty_library_answers_with_nothing(library):
    for question, settings in product(("", "anything at all"), PRESETS.values()):
        result = library.search(question, settings)
        assert (result.hits, result.passages, result.context.tokens, result.context.order) == ((), (), 0, ())
        assert not list(result.trace.candidates)
        assert library.searcher.answer(result, library.settings.answering).answer.quotes == ()
        assert library.search(question, settings.with_value("retrieval.exact_below", 0)).hits == ()
    assert library.verify() == []


def test_settings_persist_and_are_the_librarys_own(tmp_path, folder, fast_encoder):
    chosen = Settings().with_value("chunking.max_tokens", 40).with_value("retrieval.k", 7)
    with Library.open(tmp_path / "home", encoder=fast_encoder) as library:
        assert library.settings == Settings()
        library.ingest(incoming(folder), settings=chosen)
        revision = library.revision()
        assert len(library.search("river").hits) == 7
    with Library.open(tmp_path / "home", encoder=fast_encoder) as library:
        assert library.settings == chosen
        assert library.revision() == revision, "opening changes nothing"
        assert library.ingest(incoming(folder)).encoded == 0
    with Library.open(tmp_path / "home", write=False, encoder=fast_encoder) as reader:
        assert reader.settings.fingerprint() == chosen.fingerprint()


def test_revision_grows_with_every_change(library, folder):
    seen = [library.revision()]

    def grew() -> bool:
        seen.append(library.revision())
        return seen[-1] > seen[-2]

    library.ingest(incoming(folder)[:2])
    assert grew()
    library.ingest(incoming(folder))
    assert grew()
    library.apply(library.settings.with_value("chunking.chunker", "fixed"))
    assert grew()
    library.apply(library.settings.with_value("retrieval.k", 9))
    assert grew()
    library.remove(library.sources()[0].id)
    assert grew()
    library.search("otter")
    assert not grew(), "asking changes nothing"


def test_chroma_is_rebuilt_without_encoding(tmp_path, folder, fast_encoder):
    home = tmp_path / "home"
    near = Settings().with_value("retrieval.exact_below", 0)
    with Library.open(home, encoder=fast_encoder) as library:
        library.ingest(incoming(folder))
        before = [hit.chunk_id for hit in library.search("the salmon of the river", near).hits]
    encoded = len(fast_encoder.texts)
    shutil.rmtree(home / "chroma")
    with Library.open(home, encoder=fast_encoder) as library:
        (problem,) = library.verify()
        assert problem.repairable
        report = library.rebuild()
        assert (report.encoded, len(fast_encoder.texts)) == (0, encoded)
        assert library.verify() == []
        assert [hit.chunk_id for hit in library.search("the salmon of the river", near).hits] == before
    shutil.rmtree(home / "chroma")
    with Library.open(home, encoder=fast_encoder) as library:
        assert library.verify(repair=True) == []


def test_another_embedder_builds_beside_and_flips(tmp_path, folder, fast_encoder):
    home = tmp_path / "home"
    with Library.open(home, encoder=fast_encoder) as library:
        library.ingest(incoming(folder))
        ids = chunks_of(library)
    other = OtherEncoder()
    with Library.open(home, encoder=other) as library:
        with pytest.raises(StorageError, match=r"another embedder.*rebuild"):
            library.search("otter")
        served = []

        class Looking(Recorder):
            def finished(self, index: int, outcome: object) -> None:
                with Store.open(home, write=False) as reader:
                    served.append(generations.serving(reader).embedder)

        report = library.apply(library.settings, Looking())
        assert set(served) == {FastEncoder.fingerprint}, "the old generation serves until the new one is whole"
        assert (len(report.documents), report.failures) == (len(ANIMALS), ())
        assert report.encoded == len(other.texts)
        assert sorted(other.texts) == sorted(fast_encoder.texts), "each text once"
        with Store.open(home, write=False) as reader:
            (left,) = generations.generations(reader)
        assert (left.embedder, left.serving) == (OtherEncoder.fingerprint, True)
        assert library.search("Which part is the otter?").hits[0].source == "otter.md"
        assert {name: [chunk.span for chunk in tree] for name, tree in chunks_of(library).items()} == {
            name: [chunk.span for chunk in tree] for name, tree in ids.items()
        }
        assert library.verify() == []
    with Library.open(home, encoder=fast_encoder) as library:
        known = len(fast_encoder.texts)
        library.apply(library.settings)
        assert len(fast_encoder.texts) == known, "the first embedder's vectors were kept"
        assert library.verify() == []


def test_a_generation_half_built_goes_on(tmp_path, folder, fast_encoder):
    home = tmp_path / "home"
    with Library.open(home, encoder=fast_encoder) as library:
        library.ingest(incoming(folder))
    other = OtherEncoder()
    with Library.open(home, encoder=other) as library, pytest.raises(CancelledError):
        library.apply(library.settings, Recorder(stop_after_finished=2))
    with Library.open(home, encoder=fast_encoder) as library:
        assert library.search("Which part is the otter?").hits[0].source == "otter.md", "the old one still serves"
        assert library.verify() == []
    encoded = len(other.texts)
    with Library.open(home, encoder=other) as library:
        library.ingest(incoming(folder)[:1])
        assert len(other.texts) == encoded, "what was encoded before the stop is not encoded again"
        assert library.search("Which part is the otter?").hits[0].source == "otter.md"
        assert library.verify() == []


def test_an_ingest_that_waits_for_another_embedder_says_so_and_can_be_stopped(tmp_path, folder, fast_encoder):
    home = tmp_path / "home"
    with Library.open(home, encoder=fast_encoder) as library:
        library.ingest(incoming(folder))
    new = [Incoming(f"{name}.md", content_hash=None, path=folder / "otter.md") for name in ("one", "two", "three")]

    @dataclass
    class Telling(Recorder):
        told: list[tuple[int, str, int, int]] = field(default_factory=list)
        cancelled: int = 0

        def stage(self, index: int, stage: str, done: int, total: int) -> None:
            if stage == "renewing" and index < self.cancelled:
                raise ItemCancelledError(index)
            self.told.append((index, stage, done, total))
            super().stage(index, stage, done, total)

    other = OtherEncoder()
    with Library.open(home, encoder=other) as library:
        with pytest.raises(CancelledError):
            library.ingest(new, Telling(stop_all_at="renewing"))
        with pytest.raises(CancelledError, match="Every file was cancelled"):
            library.ingest(new, Telling(cancelled=3))
        assert other.texts == [], "cancelled before anything was encoded"
    with Library.open(home, encoder=fast_encoder) as library:
        assert library.search("otter").hits, "the first embedder still serves"
    with Library.open(home, encoder=other) as library:
        watch = Telling(cancelled=1)
        report = library.ingest(new, watch)
        renewing = [(done, total) for index, stage, done, total in watch.told if (index, stage) == (1, "renewing")]
        assert (renewing[0], renewing[-1]) == ((0, len(ANIMALS)), (len(ANIMALS), len(ANIMALS)))
        assert renewing == sorted(renewing)
        assert {index for index, stage, *_ in watch.told if stage == "reading"} == {0, 1, 2}
        assert len(report.documents) == 3
        assert library.verify() == []


def test_an_embedder_that_reads_nothing_takes_nothing_away(tmp_path, folder, fast_encoder):
    class Broken(OtherEncoder):
        def encode(self, texts, progress=None):
            raise ModelError("The embedder ran out of memory.")

    home = tmp_path / "home"
    with Library.open(home, encoder=fast_encoder) as library:
        library.ingest(incoming(folder))
    moved = pytest.raises(ModelError, match="No document could be moved to the new embedder: The embedder ran out")
    with Library.open(home, encoder=Broken()) as library, moved:
        library.apply(library.settings)
    with Library.open(home, encoder=FastEncoder()) as library:
        assert library.verify() == []
        assert library.search("salmon").hits
        assert library.model.encoder.texts == ["salmon"]


def test_a_document_that_cannot_be_cut_anew_does_not_keep_the_others_back(tmp_path, folder, fast_encoder, monkeypatch):
    home = tmp_path / "home"
    with Library.open(home, encoder=fast_encoder) as library:
        library.ingest(incoming(folder))

    def refuse(piece, *rest):
        if "otter" in piece.document.text:
            raise ParseError("otter.md cannot be cut.")
        return cut_edited(piece, *rest)

    monkeypatch.setattr("core.ingest.preparing.cut_edited", refuse)
    with Library.open(home, encoder=OtherEncoder()) as library:
        report = library.apply(library.settings)
        assert [failure.reason for failure in report.failures] == ["otter.md cannot be cut."]
        assert len(report.documents) == len(ANIMALS) - 1
        assert library.search("salmon").hits
        monkeypatch.undo()
        assert [document.source for document in library.apply(library.settings).documents if not document.reused] == [
            "otter.md"
        ]
        assert library.search("Which part is the otter?").hits[0].source == "otter.md"
        assert library.verify() == []


def test_one_long_document_is_cancelled_while_it_is_cut(library, tmp_path):
    long = tmp_path / "long.md"
    long.write_text("# Rivers\n\n" + "The otter swims in the river. " * 2000, encoding="utf-8")

    class Impatient:
        told = 0

        def stage(self, index, stage, done, total):
            self.told += stage == "chunking"
            if self.told == 2:  # by then the tokenizer has been through it
                raise CancelledError("The work was stopped.")

        def finished(self, index, outcome):
            raise AssertionError("it was cancelled")

    with pytest.raises(CancelledError):
        library.ingest([Incoming("long.md", path=long)], Impatient())
    assert library.sources() == []
    assert library.verify() == []


def test_cancelled_midway_keeps_what_was_stored(library, folder, fast_encoder):
    with pytest.raises(CancelledError):
        library.ingest(incoming(folder), Recorder(stop_after_finished=2))
    assert [row.name for row in library.sources()] == [item.name for item in incoming(folder)[:2]]
    assert library.verify() == []
    assert {hit.source for hit in library.search("river").hits} == {row.name for row in library.sources()}
    encoded = len(fast_encoder.texts)
    library.ingest(incoming(folder))
    assert set(fast_encoder.texts[encoded:]) <= {"river"}, "vectors made before the stop were kept"
    assert library.verify() == []


@pytest.mark.parametrize("stage", ["reading", "chunking", "encoding", "storing"])
def test_one_cancelled_item_leaves_alone(library, folder, stage):
    report = library.ingest(incoming(folder), Recorder(stop_item=(2, stage)))
    names = [item.name for item in incoming(folder)]
    assert [item.source for item in report.documents] == names[:2] + names[3:]
    assert report.failures == ()
    assert library.verify() == []


def held(library: Library) -> dict[str, tuple[tuple[str, ...], list[bytes]]]:
    """By source: the ids of its chunks and the vectors of its leaves."""
    leaves = library.searcher.snapshot().leaves
    vectors = {version: [] for version in leaves.version_ids}
    for document, vector in zip(leaves.documents, leaves.vectors.of(), strict=True):
        vectors[leaves.version_ids[document]].append(vector.tobytes())
    return {
        row.name: (tuple(chunk.chunk_id for chunk in library.tree(row.version_id).chunks), vectors[row.version_id])
        for row in library.sources()
    }


class Asking(Recorder):
    """Asks of every document whenever the encoder begins."""

    def __init__(self, library: Library) -> None:
        super().__init__()
        self.library = library
        self.met: list[tuple[set[str], set[str]]] = []

    def stage(self, index, stage, done, total):
        super().stage(index, stage, done, total)
        if stage == "encoding" and not done:
            by_words = {row.name for row in self.library.sources() if row.by_words}
            hits = self.library.search("river").hits
            assert all(("dense" in hit.scores) == (hit.source not in by_words) for hit in hits)
            assert self.library.verify() == []
            self.met.append((by_words, {hit.source for hit in hits}))


def test_each_document_is_found_by_its_words_before_it_is_encoded(library, folder, tmp_path, monkeypatch):
    monkeypatch.setattr(ingest, "SMALL_BATCH_DOCUMENTS", 2)
    items, asking = incoming(folder), Asking(library)
    assert library.ingest(items, asking, promptly=True).failures == ()
    by_words, found = asking.met[0]
    assert by_words == found == {item.name for item in items[:2]}, "found before anything is encoded"
    by_words, found = asking.met[-1]
    assert by_words < found, "and what was encoded meanwhile by its meaning"
    assert not any(row.by_words for row in library.sources())
    assert library.verify() == []
    with Library.open(tmp_path / "at once", encoder=FastEncoder()) as whole:
        whole.ingest(items)
        assert held(whole) == held(library), "the library is the one that a batch at once makes"


def test_an_encoder_that_fails_leaves_what_is_found_by_words(library, folder, fast_encoder, monkeypatch):
    def broken(texts, progress=None):
        raise ModelError("The model is gone.")

    with monkeypatch.context() as patch:
        patch.setattr(fast_encoder, "encode", broken)
        report = library.ingest(incoming(folder)[:2], promptly=True)
    assert len(report.failures) == 2
    assert [row.by_words for row in library.sources()] == [True, True]
    assert library.verify() == []
    library.ingest(incoming(folder)[:2], promptly=True)
    assert [row.by_words for row in library.sources()] == [False, False]
    assert library.verify() == []


def nearest(result: SearchResult) -> list[float]:
    return sorted((hit.scores["dense"] for hit in result.hits), reverse=True)[:3]


def test_a_reader_beside_a_writer(tmp_path, folder, fast_encoder, monkeypatch):
    home = tmp_path / "home"
    with Library.open(home, encoder=fast_encoder) as writer:
        writer.ingest(incoming(folder)[:1])
        with pytest.raises(LibraryLockedError):
            Library.open(home, encoder=FastEncoder())
        with Library.open(home, write=False, encoder=FastEncoder()) as reader:
            assert not reader.writable
            assert {hit.source for hit in reader.search("river").hits} == {"badger.md"}
            writer.ingest(incoming(folder))
            assert {hit.source for hit in reader.search("river").hits} == {f"{animal}.md" for animal in ANIMALS}
            near = reader.settings.with_value("retrieval.exact_below", 0)
            monkeypatch.setattr(finding, "POOL", 3)  # so that the library is larger than what a search hands on
            for question in ("river", "Which item of the list is the heron?"):
                asked, alone = writer.search(question, near), reader.search(question, near)
                # Leaves of equal similarity may stand in for each other at the pool's edge, so likeness is compared.
                assert nearest(alone) == pytest.approx(nearest(asked), abs=1e-5), (
                    "a reader has no Chroma, and ranks as the writer does"
                )
            assert [hit.chunk_id for hit in reader.search("falcon").hits] == [
                hit.chunk_id for hit in writer.search("falcon").hits
            ]
            assert reader.verify() == []
            for refused in (
                lambda: reader.ingest(incoming(folder)),
                lambda: reader.remove(reader.sources()[0].id),
                lambda: reader.apply(Settings()),
                lambda: reader.stage(b"text"),
            ):
                with pytest.raises(StorageError, match="for reading"):
                    refused()
            writer.remove(writer.sources()[0].id)
            assert "badger.md" not in {hit.source for hit in reader.search("river").hits}


def test_asked_by_many_threads_while_it_grows(library, folder):
    library.ingest(incoming(folder)[:1])
    faults: list[BaseException] = []
    done = threading.Event()

    def ask() -> None:
        try:
            while not done.is_set():
                result = library.search("the river by item number 4")
                for hit in result.hits:
                    assert library.document(hit.version_id).text[hit.start : hit.end] == hit.text
        except BaseException as error:
            faults.append(error)

    threads = [threading.Thread(target=ask) for _ in range(3)]
    for thread in threads:
        thread.start()
    for item in incoming(folder):
        library.ingest([item])
    done.set()
    for thread in threads:
        thread.join()
    assert faults == []
    assert library.verify() == []


def test_closing_twice_is_once(tmp_path, fast_encoder):
    library = Library.open(tmp_path / "home", encoder=fast_encoder)
    library.close()
    library.close()
    with pytest.raises(StorageError):
        library.search("anything")
    with Library.open(tmp_path / "home", encoder=fast_encoder):
        pass
