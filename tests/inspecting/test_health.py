"""Diagnostics: every planted defect is found where it was planted, and a tree without defects has none."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.chunking import chunk
from core.inspecting.boundaries import boundaries
from core.inspecting.findings import WORDINGS, Defect, Severity, unread
from core.inspecting.health import diagnose
from core.settings import ChunkingSettings
from core.text.sentences import sentence_spans
from core.types import Chunk, ChunkTree, Document, PrefixPart
from tests.chunking import generated
from tests.inspecting.planting import CUT, WordCounter, cut_tree, document_of, tree_of

DIALS = ChunkingSettings(max_tokens=40, parent_max_tokens=4000)
COUNTER = WordCounter()
SIZES = {Defect.TINY, Defect.OVERSIZED}  # planted by themselves below; the texts here are as short as can be
MID = {Defect.STARTS_MID_SENTENCE: 1, Defect.ENDS_MID_SENTENCE: 1}

PLANTED = {
    "a sentence": ("The pump starts at ¦noon every day. The valve opens.", MID),
    "a sentence after an abbreviation": ("He pays Dr. ¦Miller for it. The valve opens.", MID),
    "a wrapped line": ("The pump of the upper station starts at\nnoon on every ¦day that is not a holiday.\n", MID),
    "a table between rows": (
        "| Pump | Hours |\n|---|---|\n| upper | 12 |\n¦| lower | 14 |\n",
        {Defect.TABLE_CUT: 1},
    ),
    "a table inside a row": ("| Pump | Hours |\n|---|---|\n| upper | ¦12 |\n| lower | 14 |\n", {Defect.TABLE_CUT: 1}),
    "a fence": ("```sh\nstart pump\n¦stop pump\n```\n", {Defect.CODE_CUT: 1}),
    "a heading": ("Words before.\n\n## The pump\n\n¦The pump starts.\n", {Defect.ORPHAN_HEADING: 1}),
    "code from its introduction": (
        "Start the pump like so:\n\n¦```sh\nstart pump\n```\n",
        {Defect.CODE_PARTED: 1},
    ),
    "a list": ("Pumps need:\n\n¦- oil\n- water\n", {Defect.LIST_PARTED: 1}),
    "a list announced without a colon": (
        "Pumps need the following things.\n\n¦- oil\n- water\n",
        {Defect.LIST_PARTED: 1},
    ),
}
HARMLESS = {
    "two sentences": "The pump starts at noon. ¦The valve opens at one.",
    "two paragraphs": "The pump starts at noon:\nslowly\n\n¦The valve opens at one.\n",
    "a heading with its text": "Words before.\n\n¦## The pump\n\nThe pump starts.\n",
    "a section without text": "Words before.\n\n## Empty\n\n¦## The pump\n\nThe pump starts.\n",
    "code with its introduction": "Words before.\n\n¦Start it like so:\n\n```sh\nstart pump\n```\n",
    "code before its explanation": "```sh\nstart pump\n```\n\n¦It starts the pump.\n",
    "code that nobody introduces": "The pump is green.\n\n¦```sh\nstart pump\n```\n\n¦Valves open at one.\n",
    "a list between items": "Pumps need:\n\n- oil\n- water\n¦- heat\n",
    "a chapter that speaks of itself": "The pump starts. ¦This chapter is about valves.",
    "nobody in particular": "The pump starts. ¦It is important to wait.",
    "verses": "Rain on the pump\n¦Wind on the valve\n",
}


def counts(tree, settings=DIALS):
    found = diagnose(tree, 256, settings, COUNTER).counts
    return {kind: number for kind, number in found.items() if kind not in SIZES}


@pytest.mark.parametrize(("marked", "expected"), PLANTED.values(), ids=PLANTED.keys())
def test_a_planted_defect_is_found_and_nothing_else(marked, expected):
    assert counts(cut_tree(marked)) == expected


@pytest.mark.parametrize(("marked", "expected"), PLANTED.values(), ids=PLANTED.keys())
def test_without_the_cut_there_is_no_defect(marked, expected):
    assert counts(cut_tree(marked.replace(CUT, ""))) == {}


@pytest.mark.parametrize("marked", HARMLESS.values(), ids=HARMLESS.keys())
def test_a_harmless_cut_is_left_in_peace(marked):
    tree = cut_tree(marked)
    assert len(tree.leaves) > 1
    assert counts(tree) == {}


SUBJECTS = ["pump", "valve", "gateway", "ledger", "sensor", "tide gate", "battery"]
SECTIONS = st.lists(
    st.lists(st.tuples(st.sampled_from(SUBJECTS), st.integers(3, 9)), min_size=2, max_size=5), min_size=2, max_size=6
)


def manual(plan):
    """A text of sections, where each begins, and the places inside sentences, between words."""
    text, starts, inner = "", [], []
    for number, sentences in enumerate(plan):
        starts.append(len(text))
        text += f"## Station {number}\n\n"
        for index, (subject, size) in enumerate(sentences):
            words = f"The {subject}" + "".join(f" w{number}x{index}y{word}" for word in range(size)) + " stays."
            inner += [len(text) + at + 1 for at, character in enumerate(words) if character == " "]
            text += words + ("\n\n" if index + 1 == len(sentences) else " ")
    return text, starts, inner


@given(SECTIONS)
def test_sections_cut_at_their_headings_have_no_defect(plan):
    text, starts, _ = manual(plan)
    tree = cut_tree(CUT.join(text[a:b] for a, b in zip(starts, [*starts[1:], len(text)], strict=True)))
    assert len(tree.leaves) == len(plan)
    assert counts(tree) == {}


@given(SECTIONS, st.data())
def test_a_cut_between_two_words_of_any_sentence_is_found_there(plan, data):
    text, starts, inner = manual(plan)
    planted = data.draw(st.sampled_from(inner))
    edges = sorted({*starts, planted, len(text)})
    tree = cut_tree(CUT.join(text[a:b] for a, b in pairwise(edges)))
    health = diagnose(tree, 256, DIALS, COUNTER)
    [ends], [begins] = health.of(Defect.ENDS_MID_SENTENCE), health.of(Defect.STARTS_MID_SENTENCE)
    assert begins.start == planted
    assert ends.end == len(text[:planted].rstrip())
    assert (begins.leaf, begins.other) == (ends.other, ends.leaf) == (ends.leaf + 1, ends.leaf)
    assert counts(tree) == MID
    assert list(health.findings) == sorted(health.findings, key=lambda found: found.start)


@given(generated.documents(), generated.settings())
def test_findings_lie_in_the_text_and_come_in_order(document, dials):
    """Right-to-left, emoji, words of a thousand letters, blocks that end anywhere: whatever is there."""
    counter = generated.ThirdsCounter()
    tree = chunk(document, dials, counter)
    health = diagnose(tree, 30, dials, counter)
    assert Defect.LOST not in health.counts
    places = [(found.start, found.end) for found in health.findings]
    assert places == sorted(places)
    for found in health.findings:
        assert 0 <= found.leaf < len(tree.leaves)
        assert found.other is None or 0 <= found.other < len(tree.leaves)
        assert document.text[found.start : found.end].strip()
    truncated = {found.leaf for found in health.of(Defect.TRUNCATED)}
    assert truncated <= {index for index, leaf in enumerate(tree.leaves) if leaf.encoder_tokens > 30}
    assert health == diagnose(tree, 30, dials, counter, sentence_spans(document.text))


def test_overlap_mends_what_a_cut_parts():
    document = document_of("Pumps need:\n\n- oil\n- water\n")
    behind = document.text.index("- oil")
    assert counts(tree_of(document, [(0, behind - 2), (behind, len(document.text) - 1)])) == {Defect.LIST_PARTED: 1}
    assert counts(tree_of(document, [(0, behind - 2), (0, len(document.text) - 1)])) == {}


def test_an_overlap_that_begins_inside_a_sentence_is_a_bad_beginning_alone():
    document = document_of("The pump starts at noon. The valve opens at one.")
    tree = tree_of(document, [(0, 24), (9, len(document.text))])
    [found] = (one for one in diagnose(tree, 256, DIALS, COUNTER).findings if one.kind not in SIZES)
    assert (found.kind, found.leaf, found.start) == (Defect.STARTS_MID_SENTENCE, 1, 9)


def test_a_table_that_would_fit_is_worse_than_one_too_large():
    rows = "".join(f"| pump {number} | {number} hours |\n{CUT if number == 4 else ''}" for number in range(8))
    tree = cut_tree(f"| Pump | Hours |\n|---|---|\n{rows}")
    header = (PrefixPart("table_header", "| Pump | Hours |"),)
    repeated = ChunkTree(
        tree.document, tuple(replace(leaf, prefix=header) if leaf.level == 0 else leaf for leaf in tree.chunks)
    )
    small = replace(DIALS, max_tokens=20)
    for leaves, dials, severity, words in (
        (tree, small, Severity.MODERATE, "header is not repeated"),
        (repeated, small, Severity.MINOR, "header is repeated before each"),
        (repeated, replace(DIALS, max_tokens=400), Severity.MODERATE, "would fit into one"),
    ):
        [found] = diagnose(leaves, 256, dials, COUNTER).of(Defect.TABLE_CUT)
        assert found.severity is severity
        assert words in found.sentence
        assert found.sentence.startswith("Table of about 62 tokens cut between rows, into 2 chunks")
        assert tree.document.text[found.start : found.end] == "| pump 4 | 4 hours |\n| pump 5 | 5 hours |"


def test_a_file_of_code_is_cut_between_lines_without_harm():
    clean = "class Pump:\n    def start(self):\n        return 1\n\n¦    def stop(self):\n        return 2\n"
    torn = "class Pump:\n    def start(self):\n        speed = ¦1\n        return speed\n"
    said = "# The pump starts slowly, as it should. ¦It stops at once,\n# and stays where it is.\npump = Pump()\n"
    assert counts(cut_tree(clean, "pump.py")) == counts(cut_tree(said, "pump.py")) == {}
    [found] = diagnose(cut_tree(torn, "pump.py"), 256, DIALS, COUNTER).of(Defect.CODE_CUT)
    assert found.severity is Severity.MODERATE


def test_tiny_and_oversized_leaves_are_measured_against_the_limit():
    document = document_of("one two three. " + "word " * 30 + "end.")
    tree = tree_of(document, [(0, 14), (15, len(document.text))])
    dials = ChunkingSettings(max_tokens=20, parent_max_tokens=30)
    found = diagnose(tree, 256, dials, COUNTER)
    assert [(one.kind, one.leaf) for one in found.findings if one.kind in SIZES] == [
        (Defect.TINY, 0),
        (Defect.OVERSIZED, 0),  # the parent, 34 words
        (Defect.OVERSIZED, 1),
    ]
    assert found.severities[Defect.TINY] is Severity.MINOR
    [joined] = diagnose(tree, 256, replace(dials, max_tokens=60, parent_max_tokens=60), COUNTER).of(Defect.TINY)
    assert joined.severity is Severity.MODERATE  # 3 words that would fit beside 31
    assert diagnose(tree_of(document, [(0, 14)]), 256, DIALS, COUNTER).of(Defect.TINY) == ()  # all there is


def test_in_characters_sizes_are_lengths():
    document = document_of("one two three. " + "w" * 60)
    tree = tree_of(document, [(0, 14), (15, 75)])
    dials = ChunkingSettings(max_tokens=50, parent_max_tokens=400, unit="characters")
    assert [one.leaf for one in diagnose(tree, 256, dials, COUNTER).of(Defect.OVERSIZED)] == [1]


def test_what_no_leaf_holds_is_found_as_lost():
    document = document_of("The pump starts. The valve opens. The tide turns.")
    tree = tree_of(document, [(0, 16), (34, len(document.text))])
    [found] = diagnose(tree, 256, DIALS, COUNTER).of(Defect.LOST)
    assert document.text[found.start : found.end] == "The valve opens."
    assert found.severity is Severity.SERIOUS


@given(st.integers(1, 40), st.integers(0, 6), st.integers(3, 30))
def test_the_unread_tail_is_what_does_not_fit_behind_the_prefix(words, before, limit):
    document = document_of(" ".join(f"w{number}" for number in range(words)))
    prefix = (PrefixPart("title", " ".join(["t"] * before)),) if before else ()
    tree = tree_of(document, [(0, len(document.text))], prefix=prefix)
    read = max(0, min(words, limit - COUNTER.specials - before))
    tails = unread(tree, COUNTER, limit)
    if read == words:
        assert tails == ()
        return
    [tail] = tails
    assert tail.tokens == words - read
    assert document.text[tail.start : tail.end].split() == document.text.split()[read:]
    health = diagnose(tree, limit, DIALS, COUNTER)
    assert [(one.start, one.end) for one in health.of(Defect.TRUNCATED)] == [(tail.start, tail.end)]


def test_a_repeated_chunk_names_the_first_one():
    tree = cut_tree("Press the red button twice now.\n\n¦Open the valve.\n\n¦Press the red button twice now.\n")
    [found] = diagnose(tree, 256, DIALS, COUNTER).of(Defect.NEAR_DUPLICATE)
    assert (found.leaf, found.other, found.severity) == (2, 0, Severity.MODERATE)


def test_a_leaf_inside_the_one_before_makes_no_boundary():
    document = Document("v", "text", "T", "ab cd ef")
    leaves = (Chunk("a", 0, None, 0, 8, "ab cd ef", 3), Chunk("b", 0, None, 3, 5, "cd", 1))
    assert boundaries(ChunkTree(document, leaves)) == ()


def test_every_kind_has_words_and_a_remedy():
    assert set(WORDINGS) == set(Defect)
    assert all(words.remedy.endswith(".") for words in WORDINGS.values())


def test_a_tree_without_leaves_is_healthy():
    assert diagnose(ChunkTree(Document("v", "text", "T", " "), ()), 256, DIALS, COUNTER).findings == ()
