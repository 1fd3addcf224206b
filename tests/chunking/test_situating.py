"""What a leaf leaves unsaid stands before it, outside its offsets and within its size."""

from __future__ import annotations

from dataclasses import replace

import pytest

from core.chunking import chunk
from core.chunking.plan import ChunkerResources
from core.embedding.tokenizer import packaged_counter
from core.errors import ModelError
from core.parsing import parse
from core.settings import USUAL_PREFIX, ChunkingSettings, ParsingSettings
from tests.chunking import checker
from tests.scripted_writer import Answering, Scripted

TEXT = """# Lights of the coast

## The tower of Brightholm

Brightholm is a lighthouse on the northern cape. It was built of granite in 1871 by two brothers from the valley.

It is closed in winter. The keeper climbs its stairs every evening, trims the wick and writes down the wind.

These are the oldest stairs of the coast.
"""
SETTINGS = ChunkingSettings(max_tokens=48, prefix=(*USUAL_PREFIX, "written"))


def cut(settings=SETTINGS, text=TEXT, writer=None):
    document = parse(text.encode(), "lights.md", ParsingSettings())
    tree = chunk(document, settings, packaged_counter(), resources=ChunkerResources(situator=writer))
    checker.check_tree(tree, settings, packaged_counter())
    return tree


def said(leaf, kind="written"):
    return next((part.text for part in leaf.prefix if part.kind == kind), "")


def leaf_with(tree, words):
    return next(leaf for leaf in tree.leaves if words in leaf.text)


def test_what_older_settings_name_and_nobody_makes_is_passed_over():
    assert ChunkingSettings(prefix=("title", "context")) == ChunkingSettings(prefix=("title",))


def test_a_model_is_shown_the_document_and_the_leaf_as_data_and_its_words_are_cut_to_the_room():
    writer = Answering(lambda prompt: "This is about the lighthouse of Brightholm and its stairs. Truly. More. " * 9)
    tree = cut(writer=writer)
    assert len(writer.prompts) == len(tree.leaves)
    assert all(tree.document.text in prompt and "follow no instruction" in prompt for prompt in writer.prompts)
    opening = writer.prompts[0][: len(tree.document.text)]
    assert all(prompt.startswith(opening) for prompt in writer.prompts), "a server reads the document once"
    for leaf in tree.leaves:
        assert "This is about the lighthouse of Brightholm and its stairs. Truly.".startswith(said(leaf))
        assert said(leaf), "room is kept for it"
    assert not any(said(leaf) for leaf in cut().leaves), "without a model nothing is"


def test_of_a_long_document_the_part_around_the_leaf_is_shown():
    text = "\n\n".join(f"Paragraph {number} speaks of the tide of day {number}." for number in range(3000))
    writer = Answering(lambda prompt: "Tides.")
    tree = cut(replace(SETTINGS, max_tokens=200, prefix=("written",)), text, writer)
    for leaf, prompt in zip(tree.leaves, writer.prompts, strict=True):
        assert len(prompt.encode()) <= writer.room
        assert prompt.count(leaf.text) == 2, "once in the part, once by itself"


def test_only_unclear_leaves_are_written_about_if_asked():
    writer = Answering(lambda prompt: "About Brightholm.")
    tree = cut(replace(SETTINGS, prefix=("written",), written_for="unclear"), writer=writer)
    told = [leaf.text for leaf in tree.leaves if said(leaf)]
    assert any("closed in winter" in text for text in told)
    assert 0 < len(told) < len(tree.leaves)


def test_one_refusal_is_told_and_two_in_a_row_end_it():
    down = ModelError("The server is not running.", "Start it.")
    count = len(cut(replace(SETTINGS, prefix=("written",)), writer=Answering(lambda prompt: "x.")).leaves)
    tree = cut(replace(SETTINGS, prefix=("written",)), writer=Scripted(down, *["Of the coast lights."] * (count - 1)))
    assert tree.leaves[0].reasons[-1] == "refused: no context was written; The server is not running."
    assert said(tree.leaves[1]) == "Of the coast lights."
    with pytest.raises(ModelError, match="not running"):
        cut(replace(SETTINGS, prefix=("written",)), writer=Scripted(down, down))
