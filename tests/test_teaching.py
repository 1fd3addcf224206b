"""A library's own headings teach where sections start; what was learned is kept and named by the recipes it decides."""

from __future__ import annotations

import pytest

from core.errors import CancelledError
from core.library import Incoming, Library
from core.settings import Settings
from core.teaching import known_starts, teach
from tests.fast_encoder import FastEncoder

LEARNED = Settings().with_values({"chunking.chunker": "learned", "chunking.max_tokens": 60})
TOPICS = (
    "otters",
    "herons",
    "salmon",
    "badgers",
    "wolves",
    "hares",
    "storks",
    "beavers",
    "foxes",
    "owls",
    "newts",
    "bats",
)


def handbook(turn):
    """Sections that begin alike, as a house style would have them."""
    parts = [
        f"## {topic.title()}\n\nThis chapter introduces {topic} {turn}. They live by the river. They eat at night. "
        f"Nobody has counted them. It rained a lot."
        for topic in TOPICS
    ]
    return f"# Handbook {turn}\n\n" + "\n\n".join(parts)


PLAIN = " ".join(
    f"This chapter introduces {topic} today. They live by the river. They eat at night. Nobody has counted them."
    for topic in TOPICS[:6]
)


@pytest.fixture
def taught(tmp_path):
    with Library.open(tmp_path / "home", encoder=FastEncoder()) as library:
        texts = {f"handbook-{turn}.md": handbook(turn) for turn in range(3)}
        library.ingest([Incoming(name, content_hash=library.stage(text.encode())) for name, text in texts.items()])
        yield library


def add(library, name, text, settings):
    report = library.ingest([Incoming(name, content_hash=library.stage(text.encode()))], settings=settings)
    assert report.failures == ()
    return library.tree(report.documents[-1].version_id)


def test_a_text_without_headings_is_cut_as_the_others_are(taught):
    tree = add(taught, "plain.txt", PLAIN, LEARNED)
    begun = [leaf for leaf in tree.leaves if "a section starts here with a probability" in leaf.reasons[0]]
    assert len(begun) >= 4
    assert all(leaf.text.startswith("This chapter introduces") for leaf in begun)
    assert not any(reason.startswith("instead") for leaf in tree.leaves for reason in leaf.reasons)


def test_a_library_without_headings_says_what_it_did_instead(tmp_path):
    with Library.open(tmp_path / "home", encoder=FastEncoder()) as library:
        tree = add(library, "plain.txt", PLAIN, LEARNED)
        assert all(leaf.reasons[2].startswith("instead: semantic; the library has too few") for leaf in tree.leaves)


def test_what_was_learned_outlives_the_program_and_costs_nothing_again(taught):
    add(taught, "plain.txt", PLAIN, LEARNED)
    home, cut = taught.home, taught.tree(taught.sources()[-1].version_id)
    taught.close()
    encoder = FastEncoder()
    with Library.open(home, encoder=encoder) as library:
        report = library.apply(LEARNED)
        assert (report.encoded, encoder.texts) == (0, [])
        assert library.tree(library.sources()[-1].version_id) == cut


def test_the_same_documents_teach_the_same_and_a_damaged_lesson_is_no_lesson(taught):
    model = taught.model
    store = taught._store
    first = teach(store, model)
    assert first is not None
    assert (first.documents, known_starts(store, model)) == (3, first)
    assert teach(store, model) == first
    store.set_meta("section_starts", '{"weights": "none"}')
    assert known_starts(store, model) is None


def test_looking_at_what_would_be_cut_learns_nothing(taught):
    encoded = len(taught.model.encoder.texts)
    assert not taught.cutting.plan("library", "", LEARNED.chunking).exact
    one = taught.sources()[0].version_id
    taught.cutting.set_recipe("document", one, LEARNED.chunking)
    assert not taught.cutting.is_cut_so(one)
    assert known_starts(taught._store, taught.model) is None
    assert len(taught.model.encoder.texts) == encoded
    taught.cutting.apply("document", one, LEARNED.chunking)
    assert known_starts(taught._store, taught.model) is not None
    assert taught.cutting.is_cut_so(one)


def test_learning_can_be_stopped_and_is_done_again(taught):
    class Stopping:
        def stage(self, index, stage, done, total):
            if stage == "chunking":
                raise CancelledError("Stopped.")

        def finished(self, index, outcome):
            raise AssertionError("nothing was cut")

    with pytest.raises(CancelledError):
        taught.apply(LEARNED, Stopping())
    assert known_starts(taught._store, taught.model) is None
    assert taught.apply(LEARNED).failures == ()
    assert known_starts(taught._store, taught.model) is not None
