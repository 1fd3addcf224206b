"""What a language model proposes is used where it is a division of the sentences, and refused where it is not."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.chunking import chunk, recipe_fingerprint
from core.chunking.chunkers import CHUNKERS
from core.chunking.chunkers.proposed import INTENTS, parse_passages
from core.chunking.plan import ChunkerResources
from core.embedding.tokenizer import packaged_counter
from core.errors import LecternError
from core.settings import ChunkingSettings
from core.types import Document
from tests.chunking import checker
from tests.scripted_writer import Scripted

TEXT = (
    "A lease is a contract for the use of a thing. It names a term and a rent. "
    "To end it, write to the owner. Then hand over the keys. "
    "Do not forget the cellar."
)
DIALS = ChunkingSettings(chunker="proposed", max_tokens=60, prefix=())


def tree_of(text, *answers):
    writer = Scripted(*answers)
    document = Document("v" * 64, "text", "Leases", text)
    tree = chunk(document, DIALS, packaged_counter(), resources=ChunkerResources(writer=writer))
    checker.check_tree(tree, DIALS, packaged_counter())
    return tree, writer


def ranges(*given):
    return json.dumps([{"first": first, "last": last, "intent": intent} for first, last, intent in given])


def test_leaves_begin_where_the_model_says():
    answer = ranges((1, 2, "definition"), (3, 4, "procedure"), (5, 5, "caveat"))
    tree, writer = tree_of(TEXT, f"Gladly:\n```json\n{answer}\n```")
    assert [leaf.text for leaf in tree.leaves] == [TEXT[:73], TEXT[74:129], TEXT[130:]]
    assert tree.leaves[1].reasons[0] == "begins: the language model sees a procedure begin here"
    assert "2. It names a term and a rent." in writer.prompts[0]


@pytest.mark.parametrize(
    ("answer", "fault"),
    [
        ("I would cut after the second sentence.", "no list in JSON"),
        (ranges((1, 2, "definition"), (4, 5, "caveat")), "leaves out sentence 3"),
        (ranges((1, 3, "definition"), (3, 5, "caveat")), "names sentence 3 twice"),
        (ranges((1, 9, "definition")), "names sentence 6 twice"),
        (ranges((1, 5, "poem")), "no intent"),
        ('[{"first": "1", "last": 5, "intent": "other"}]', "no first and last number"),
        (ranges((1, 0, "other"), (1, 5, "other")), "before it begins"),
        ("[" * 100_000, "no list in JSON"),
        (LecternError("The endpoint does not answer.", "Start it."), "The endpoint does not answer."),
    ],
)
def test_what_is_no_division_is_refused(answer, fault):
    tree, _ = tree_of(TEXT, answer)
    plain = chunk(tree.document, ChunkingSettings(max_tokens=60, prefix=()), packaged_counter())
    assert [leaf.span for leaf in tree.leaves] == [leaf.span for leaf in plain.leaves]
    assert tree.leaves[0].reasons[2].startswith("instead: structure; no proposal of the language model could be used")
    assert fault in tree.leaves[0].reasons[2]


def test_one_bad_answer_costs_its_own_stretch_alone():
    text = " ".join(f"This is sentence number {number} of the text." for number in range(1, 61))
    good = ranges((1, 2, "definition"), (3, 30, "explanation"))
    tree, writer = tree_of(text, "no", good)
    assert len(writer.prompts) == 2
    assert all("refused: 1 of 2 proposals" in leaf.reasons[2] for leaf in tree.leaves)
    begun = [leaf.text for leaf in tree.leaves if "language model" in leaf.reasons[0]]
    assert [words[:33] for words in begun] == ["This is sentence number 31 of the", "This is sentence number 33 of the"]


def test_without_a_model_structure_does_it_and_says_so():
    document = Document("v" * 64, "text", "Leases", TEXT)
    tree = chunk(document, DIALS, packaged_counter())
    assert {leaf.reasons[2] for leaf in tree.leaves} == {"instead: structure; no language model is set up"}


def test_who_proposes_is_named_in_the_recipe_of_proposed_alone():
    alone, writer, other = ChunkerResources(), ChunkerResources(writer=Scripted()), ChunkerResources(writer=Scripted())
    other.writer.fingerprint = "another"

    def recipes(chunker):
        settings = ChunkingSettings(chunker=chunker)
        return [recipe_fingerprint("p", settings, "c", resources) for resources in (alone, writer, other)]

    assert len(set(recipes("proposed"))) == 3
    assert all(len({*recipes(chunker)}) == 1 for chunker in CHUNKERS if chunker != "proposed")


@given(
    sizes=st.lists(st.integers(1, 5), min_size=1, max_size=8),
    intents=st.lists(st.sampled_from(INTENTS), min_size=8, max_size=8),
)
def test_every_true_division_is_taken(sizes, intents):
    starts = [sum(sizes[:at]) for at in range(len(sizes))]
    given = [(start + 1, start + size, intent) for start, size, intent in zip(starts, sizes, intents, strict=False)]
    assert parse_passages(ranges(*given), sum(sizes)) == (
        [(start, intent) for start, (_, _, intent) in zip(starts, given, strict=True)],
        "",
    )


@given(answer=st.text(max_size=60) | st.recursive(st.integers() | st.text(), st.lists).map(json.dumps))
def test_nothing_else_is(answer):
    found, fault = parse_passages(answer, 4)
    assert bool(found) != bool(fault)
