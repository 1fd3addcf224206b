"""What the chunkers of logs and conversations promise beyond the laws of all, and lines that go on and on."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as profile
from hypothesis import strategies as st

from core.chunking.chunkers import CHUNKERS
from core.chunking.prepared_document import PreparedDocument
from core.chunking.signals.log_lines import log_entries
from core.chunking.signals.turns import find_turns
from core.embedding.tokenizer import packaged_counter
from core.settings import ChunkingSettings
from core.text.markup.cited import numbered_entries, reference_entries
from tests.chunking.domain_texts import chats, logs, papers, plain

DOMAINS = ("table", "log", "conversation", "clause", "claim", "anchored", "auto")
PATIENT = profile(deadline=None, suppress_health_check=list(HealthCheck))


def made(name, text, **dials):
    settings = ChunkingSettings(chunker=name, **dials)
    return PreparedDocument(plain(text), packaged_counter()).tree(settings, CHUNKERS[name], "recipe")


@pytest.mark.parametrize(
    ("name", "missing"),
    [
        ("table", "no table"),
        ("log", "no lines with a time stamp"),
        ("conversation", "no speakers who take turns"),
        ("clause", "no numbered clauses"),
        ("anchored", "no anchors"),
    ],
)
def test_where_its_structure_is_absent_the_structure_decides_and_a_note_says_so(name, missing):
    tree = made(name, "Nothing of that is here.\n")
    assert {leaf.reasons[2] for leaf in tree.leaves} == {f"instead: structure; this text has {missing}"}


@PATIENT
@given(text=chats(), most=st.sampled_from([1, 2, 5]), size=st.sampled_from([12, 60, 110]))
def test_no_leaf_holds_more_turns_than_asked(text, most, size):
    tree = made("conversation", text, max_tokens=size, conversation_turns=most)
    counted = [turn.start for turn in find_turns(text) if turn.counts]
    for leaf in tree.leaves:
        assert sum(leaf.start <= start < leaf.end for start in counted) <= most


@PATIENT
@given(text=logs(), minutes=st.sampled_from([1, 5, 10]), gap=st.sampled_from([1, 5]))
def test_no_leaf_holds_more_minutes_than_asked(text, minutes, gap):
    tree = made("log", text, log_minutes=minutes, log_gap_minutes=gap)
    entries = log_entries(text)
    for leaf in tree.leaves:
        held = [entry.seconds for entry in entries if leaf.start <= entry.start < leaf.end]
        if len(leaf.reasons) == 2 and held:  # without a note that something else was done
            assert max(held) - min(held) < 60 * minutes


@PATIENT
@given(text=st.one_of(st.text(), logs(), chats(), papers()))
def test_what_is_found_is_in_order_and_inside_the_text(text):
    cited = (reference_entries(text, 0, len(text)), numbered_entries(text, 0, len(text)))
    for found in (log_entries(text), find_turns(text), *cited):
        assert all(0 <= one.start < one.end <= len(text) for one in found)
        assert all(before.end <= after.start for before, after in pairwise(found))


@pytest.mark.parametrize("name", DOMAINS)
def test_a_long_single_line_is_cut(name):
    for line in ("x", "a: ", "1. ", "(a) ", "10:00:01 ", "[1] ", '"A" means ', "- - | ", "Fig. 1 (", "<v "):
        text = line * (9_000 // len(line))
        tree = made(name, text)
        assert sum(leaf.end - leaf.start for leaf in tree.leaves) >= len(text.strip()) * 0.9, line
        assert all(leaf.encoder_tokens - 2 <= 110 for leaf in tree.leaves), line
