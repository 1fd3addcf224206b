"""A library's own headings teach where sections start; what was learned is kept and named by the recipes it decides."""

from __future__ import annotations

import dataclasses
import json

import pytest

from core.errors import CancelledError
from core.ingest.teaching_section_starts import known_starts, outgrown, teach
from core.library import Incoming, Library
from core.settings import Settings
from tests.fast_encoder import FastEncoder

LEARNED = Settings().with_values({"chunking.chunker": "learned", "chunking.max_tokens": 60})
TOPICS = "otters herons salmon badgers wolves hares storks beavers foxes owls newts bats".split()


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


def ingest(library, turns, settings=None):
    items = [Incoming(f"handbook-{turn}.md", content_hash=library.stage(handbook(turn).encode())) for turn in turns]
    assert library.ingest(items, settings=settings).failures == ()


def lesson(library):
    return known_starts(library._store, library.model)


class Told:
    """Hears of progress, and stops at a share of it."""

    def __init__(self, until=lambda done, total: False):
        self.until, self.heard = until, []

    def __call__(self, done, total):
        self.heard.append((done, total))
        if self.until(done, total):
            raise CancelledError("Stopped.")


@pytest.mark.parametrize(
    "until",
    [lambda done, total: done == 0, lambda done, total: done == total],
    ids=["while documents are read", "when all is encoded"],
)
def test_a_stopped_lesson_leaves_nothing_half(taught, until):
    teach(taught._store, taught.model)
    before, learnt = lesson(taught), len(taught.model.encoder.texts)
    ingest(taught, [7])
    with pytest.raises(CancelledError):
        teach(taught._store, taught.model, Told(until))
    assert lesson(taught) == before
    taught._store.set_meta("section_starts", None)
    with pytest.raises(CancelledError):
        taught.cutting.chunker_resources("learned", taught.model.encoder, Told(until))
    assert lesson(taught) is None
    assert taught.cutting.chunker_resources("learned", taught.model.encoder).starts == lesson(taught) != before
    assert len(set(taught.model.encoder.texts)) == len(taught.model.encoder.texts) > learnt, "nothing twice"


def test_rebuilding_teaches_anew_what_a_recipe_uses(taught):
    add(taught, "plain.txt", PLAIN, LEARNED)
    first, version = lesson(taught), taught.sources()[-1].version_id
    recipe = taught.sources()[-1].recipe_fingerprint
    ingest(taught, [3, 4])
    assert lesson(taught) == first, "five are not twice three"
    assert taught.rebuild().failures == ()
    assert (first.documents, lesson(taught).documents) == (3, 5)
    assert taught.sources()[-1].recipe_fingerprint != recipe
    assert taught.cutting.is_cut_so(version)


def test_rebuilding_learns_nothing_that_no_recipe_uses(taught):
    taught.rebuild()
    assert lesson(taught) is None
    taught.cutting.set_recipe("kind", "markdown", LEARNED.chunking)
    taught.rebuild()
    assert lesson(taught).documents == 3


def test_twice_the_headings_teach_anew_when_more_comes_in(taught):
    add(taught, "plain.txt", PLAIN, LEARNED)
    first = lesson(taught)
    ingest(taught, [3, 4])
    ingest(taught, [5])
    assert lesson(taught) == first, "the sixth came just now"
    assert taught.cutting.chunker_resources("learned", taught.model.encoder).starts == first, "a trial changes nothing"
    taught.cutting.recut([taught.sources()[0].version_id])
    assert lesson(taught) == first, "nor does one document that is cut anew"
    ingest(taught, [6])
    assert lesson(taught).documents == 6
    assert not outgrown(taught._store, taught.model)


def test_a_lesson_kept_without_the_count_of_headings_goes_by_its_sections(taught):
    starts = teach(taught._store, taught.model)
    taught._store.set_meta("section_starts", json.dumps(starts.to_dict()))
    assert not outgrown(taught._store, taught.model)
    few = dataclasses.replace(starts, sections=13)
    taught._store.set_meta("section_starts", json.dumps(few.to_dict()))
    assert outgrown(taught._store, taught.model)
    taught.trash([row.id for row in taught.sources()[:2]])
    assert not outgrown(taught._store, taught.model), "what is in the trash teaches nothing"
