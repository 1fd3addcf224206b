"""Section starts learned from headings: what is taught, that it is learned, kept and used, and what happens without."""

from __future__ import annotations

import json
import random
from dataclasses import replace

import numpy as np
import pytest

from core.chunking import cut
from core.chunking.plan import ChunkerResources
from core.chunking.prepared_document import PreparedDocument
from core.chunking.signals.section_starts import TrainedStarts, section_examples, train_section_starts
from core.errors import ModelError
from core.parsing import parse
from core.settings import ChunkingSettings, ParsingSettings
from core.text.sentences import sentence_spans
from core.types import Document
from tests.chunking import checker
from tests.fast_encoder import FastEncoder

SUBJECTS = {
    "bread": "dough oven flour yeast crust loaf baker salt".split(),
    "stars": "planet orbit telescope comet moon light galaxy dust".split(),
    "ships": "hull mast harbour cargo anchor tide crew rope".split(),
    "laws": "clause court judge tenant notice appeal fine oath".split(),
}


def section(chance, subject, opening):
    words = SUBJECTS[subject]
    first = f"{opening} introduces {subject} and {chance.choice(words)}."
    rest = [
        f"The {chance.choice(words)} and the {chance.choice(words)} meet the {chance.choice(words)} of {subject}."
        for _ in range(chance.randint(3, 6))
    ]
    return " ".join([first, *rest])


def marked(seed, sections=12):
    """A document whose sections open in one way: with the words "This part introduces"."""
    chance = random.Random(seed)
    parts = [(chance.choice(list(SUBJECTS)), number) for number in range(sections)]
    text = "\n\n".join(f"## {subject} {number}\n\n{section(chance, subject, 'This part')}" for subject, number in parts)
    return parse(text.encode(), f"{seed}.md", ParsingSettings())


def lessons(seeds, counter):
    for seed in seeds:
        piece = PreparedDocument(marked(seed), counter, ChunkerResources(FastEncoder()))
        found = section_examples(piece.document, piece.series.spans, piece.series.vectors())
        assert found is not None
        yield found


@pytest.fixture(scope="module")
def starts(counter):
    trained = train_section_starts(lessons(range(4), counter), FastEncoder.fingerprint)
    assert trained is not None
    return trained


def test_examples_are_the_sentences_below_headings(counter):
    text = "# One\n\nFirst here. Second here.\n\n```\ncode\n```\n\n## Two\n\n### Three\n\nFirst again. Second again.\n"
    piece = PreparedDocument(parse(text.encode(), "a.md", ParsingSettings()), counter, ChunkerResources(FastEncoder()))
    found = section_examples(piece.document, piece.series.spans, piece.series.vectors())
    assert found is not None
    assert found.starts.tolist() == [False, True, False]  # the first sentence of all is nobody's example
    assert found.features.shape == (3, 2 * FastEncoder.dimension + 4)
    assert found.features[:, -1].tolist() == [-1.0, 1.0, -1.0]


def test_a_text_without_headings_teaches_nothing(counter):
    piece = PreparedDocument(Document("v", "text", "T", "One. Two. Three."), counter, ChunkerResources(FastEncoder()))
    assert section_examples(piece.document, piece.series.spans, piece.series.vectors()) is None


def test_too_few_sections_teach_nothing(counter):
    few = list(lessons([1], counter))
    assert train_section_starts(few, "e") is None
    assert train_section_starts([], "e") is None


def test_the_same_lessons_give_the_same_classifier(starts, counter):
    again = train_section_starts(lessons(range(4), counter), FastEncoder.fingerprint)
    assert again == starts
    assert again.fingerprint == starts.fingerprint
    other = train_section_starts(lessons(range(1, 5), counter), FastEncoder.fingerprint)
    assert other.fingerprint != starts.fingerprint
    assert (starts.documents, starts.sections) == (4, 4 * 11)


def test_it_survives_json(starts):
    assert TrainedStarts.from_dict(json.loads(json.dumps(starts.to_dict()))) == starts
    with pytest.raises(ModelError, match="damaged"):
        TrainedStarts.from_dict({"weights": ["x"]})


def test_what_was_learned_cuts_a_text_without_headings(starts, counter):
    chance = random.Random(99)
    parts = [section(chance, subject, "This part") for subject in ("ships", "bread", "laws", "stars")]
    text = " ".join(parts)
    seams = {text.index(part) for part in parts}
    settings = ChunkingSettings("learned", max_tokens=400)
    tree = cut(
        PreparedDocument(Document("v", "text", "T", text), counter, ChunkerResources(FastEncoder(), starts)), settings
    )
    checker.check_tree(tree, settings, counter)
    assert {leaf.start for leaf in tree.leaves} == seams
    for leaf in tree.leaves[1:]:
        assert leaf.reasons[0].startswith("begins: a section starts here with a probability of ")
        assert len(leaf.reasons) == 2


def test_probabilities_are_probabilities_and_the_dial_is_monotone(starts, counter):
    document = marked(50)
    piece = PreparedDocument(document, counter, ChunkerResources(FastEncoder(), starts))
    chances = starts.probability(document, piece.series.spans, piece.series.vectors())
    assert chances.shape == (len(piece.series.spans),)
    assert 0 <= chances.min() <= chances.max() <= 1
    text = document.text
    for span, chance in zip(piece.series.spans, chances, strict=True):
        if text.startswith("#", span.start):
            assert chance == 0.0
    roomy = ChunkingSettings("learned", max_tokens=2000, parent_max_tokens=9000)
    numbers = [len(cut(piece, replace(roomy, learned_probability=least)).leaves) for least in (0.1, 0.5, 0.9)]
    assert numbers == sorted(numbers, reverse=True)


def test_another_embedders_vectors_are_refused(starts):
    document = Document("v", "text", "T", "One here. Two here.")
    with pytest.raises(ModelError, match="another embedder"):
        starts.probability(document, sentence_spans(document.text), np.ones((2, 3), dtype=np.float32))


def test_without_lessons_semantic_steps_in_and_says_so(counter):
    text = "The dough rests. The oven warms. A comet passes. The moon sets. "
    document = Document("v", "text", "T", (text * 6).strip())
    learned = cut(PreparedDocument(document, counter, ChunkerResources(FastEncoder())), ChunkingSettings("learned"))
    semantic = cut(PreparedDocument(document, counter, ChunkerResources(FastEncoder())), ChunkingSettings("semantic"))
    assert [leaf.span for leaf in learned.leaves] == [leaf.span for leaf in semantic.leaves]
    note = "instead: semantic; the library has too few headings to learn from where sections start"
    assert all(leaf.reasons[2:] == (note,) for leaf in learned.leaves)
