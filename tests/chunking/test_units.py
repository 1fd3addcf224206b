"""Sizes in characters: what the other unit changes, and what it must not."""

from __future__ import annotations

from itertools import pairwise

import pytest

from core.chunking import chunk
from core.chunking.chunkers import CHUNKERS
from core.embedding.tokenizer import packaged_counter
from core.errors import SettingsError
from core.settings import PRESETS, ChunkingSettings, Settings, stage_fingerprint
from core.storage.store import settings_from
from core.types import Block, BlockKind, Document

SENTENCE = "The otter swims in the cold river, and the heron on the bank does not move. "
TEXT = "\n\n".join(SENTENCE * count for count in (3, 9, 1, 14, 6, 2, 20, 5)).strip()
DOCUMENT = Document("v", "text", "Animals", TEXT)


def leaves(settings, document=DOCUMENT):
    return chunk(document, settings, packaged_counter()).leaves


def test_fixed_cuts_where_the_next_word_would_pass_the_size():
    found = leaves(PRESETS["fixed-1000"].chunking)
    assert len(found) > 3
    for leaf in found[:-1]:
        word = len(TEXT[leaf.end :].split()[0])
        assert 1000 - word - 1 < len(leaf.text) <= 1000
        assert leaf.prefix == () or leaf.encoder_tokens == packaged_counter().count([leaf.text])[0] + 2
    assert found[0].reasons[1] == "ends: its parent ends here"


def test_overlap_is_characters_from_a_sentences_beginning():
    found = leaves(PRESETS["recursive-1000-200"].chunking)
    overlaps = [before.end - after.start for before, after in pairwise(found)]
    assert all(0 < overlap <= 200 for overlap in overlaps)
    assert all(leaf.text.startswith("The otter") for leaf in found)
    assert "characters of overlap" in found[1].reasons[0]
    assert all("tokens" not in reason for leaf in found for reason in leaf.reasons)


def test_nothing_holds_a_leaf_of_characters_within_what_the_embedder_reads():
    digits = Document("v", "text", "Digits", " ".join(str(number % 10) for number in range(1000)))
    found = leaves(PRESETS["fixed-1000"].chunking, digits)
    assert len(found) == 2
    assert min(leaf.encoder_tokens for leaf in found) > 256, "so ingest counts it as truncated"


@pytest.mark.parametrize("name", list(CHUNKERS))
def test_a_prefix_leaves_its_room_free_so_that_no_leaf_is_halved(name):
    heading = "A heading of some length"
    text = f"{heading}\n\n{TEXT}"
    blocks = (
        Block(BlockKind.HEADING, 0, len(heading), level=1),
        Block(BlockKind.PARAGRAPH, len(heading) + 2, len(text)),
    )
    document = Document("v", "markdown", "Animals of the river", text, blocks)
    settings = ChunkingSettings(chunker=name, max_tokens=240, prefix_max_tokens=120, unit="characters")
    found = leaves(settings, document)
    assert any(leaf.prefix for leaf in found)
    assert not [leaf for leaf in found if "counted by itself" in "".join(leaf.reasons)]


def test_only_two_units_are_known():
    with pytest.raises(SettingsError, match="words"):
        ChunkingSettings(unit="words")


def test_recipes_older_than_the_unit_are_what_they_were():
    older = Settings().to_dict()
    del older["chunking"]["unit"]
    for stage in ("understanding", "diversity", "reranking", "answering"):  # stages of questions, which came later
        del older[stage]
    assert settings_from(older) == Settings()
    assert stage_fingerprint(ChunkingSettings("structure")) == "d0f4b33ff56d8bd2", "else all libraries are stale"
    assert stage_fingerprint(ChunkingSettings("table")) == "ccb0db0129c1fe8a", "its rows were once said as sentences"
    assert stage_fingerprint(ChunkingSettings("auto")) == "ee91acc3c68f7841"
    assert stage_fingerprint(ChunkingSettings(unit="characters")) != stage_fingerprint(ChunkingSettings())


def test_overlap_in_percent_is_overlap_in_tokens():
    share, size = (
        leaves(ChunkingSettings(max_tokens=50, **dial)) for dial in ({"overlap_percent": 24.0}, {"overlap_tokens": 12})
    )
    assert [leaf.span for leaf in share] == [leaf.span for leaf in size]
    long = ChunkingSettings(max_tokens=200, overlap_percent=24.0)
    assert any(after.start < before.end for before, after in pairwise(leaves(long)))
    assert long.overlap_room == 48
