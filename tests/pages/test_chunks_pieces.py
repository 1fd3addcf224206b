"""A document on the bench: what must be learned before it can be cut is told of, and can be stopped."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from threading import Event

import pytest

from core.errors import CancelledError
from core.library import Incoming, Library
from core.settings import ChunkingSettings
from core.types import Vectors
from pages.ui.chunks.cuts import Cut, DocumentCutter
from pages.ui.settings.recipe_words import choice_in_words
from pages.ui.shared.tasks import Task
from tests.fast_encoder import FastEncoder
from tests.ingest.test_teaching_section_starts import PLAIN, handbook

LEARNED = ChunkingSettings("learned", max_tokens=60)
PATIENT = 60


class Held(FastEncoder):
    """Encodes when it is let."""

    def __init__(self) -> None:
        super().__init__()
        self.begun, self.let = Event(), Event()
        self.let.set()

    def encode(self, texts: Sequence[str], progress: Callable[[int], None] | None = None) -> Vectors:
        self.begun.set()
        assert self.let.wait(PATIENT)
        return super().encode(texts, progress)


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    texts = {"plain.txt": PLAIN, **{f"{turn}.md": handbook(turn) for turn in range(3)}}
    with Library.open(tmp_path / "home", encoder=Held()) as library:
        library.ingest([Incoming(name, content_hash=library.stage(text.encode())) for name, text in texts.items()])
        yield library


def taught(cut: Cut) -> bool:
    return any("a section starts here with a probability" in leaf.reasons[0] for leaf in cut.tree.leaves)


def test_learning_tells_how_far_it_is_and_stops(library: Library) -> None:
    encoder = library.model.encoder
    assert isinstance(encoder, Held)
    piece = DocumentCutter(library, library.document(library.sources()[0].version_id))
    encoder.begun.clear()
    encoder.let.clear()
    task: Task[Cut] = Task("learned", lambda task: piece.cut(LEARNED, [], task))
    assert encoder.begun.wait(PATIENT)
    done, total = task.progress
    assert done == 0 < total
    task.cancel()
    encoder.let.set()
    with pytest.raises(CancelledError):
        task.result()
    other: Task[Cut] = Task("again", lambda task: piece.cut(LEARNED, [], task))
    assert taught(other.result())


def test_a_library_that_has_changed_is_asked_again(library: Library) -> None:
    for row in library.sources()[1:]:
        library.trash([row.id])
    piece = DocumentCutter(library, library.document(library.sources()[0].version_id))
    assert not taught(piece.cut(LEARNED, []))
    library.restore([row.id for row in library.trashed()])
    assert taught(piece.cut(LEARNED, []))


def test_what_fits_the_document_is_told_with_the_reason(library: Library) -> None:
    log = "".join(f"2026-11-21 18:10:{second} INFO up\n" for second in range(10, 40))
    library.ingest([Incoming("a.log", content_hash=library.stage(log.encode()))])
    told = {row.name: choice_in_words(library.tree(row.version_id or "")) for row in library.sources()}
    assert told.pop("a.log") == "By log sessions, for 30 of 30 lines have a time stamp."
    assert {words.partition(",")[0] for words in told.values()} == {"By structure"}
