"""Windows around anchors, and the patterns a user may give for them."""

from __future__ import annotations

import sys

import pytest

from core.chunking.chunkers.anchored import find_anchors
from core.errors import SettingsError
from core.settings import ChunkingSettings
from core.types import Document, Span
from tests.chunking.domains import leaf_with, tree_of

SENTENCE = "The committee met on a rainy morning and agreed on nothing of note. "
TEXT = (
    f"# Guide\n\n{SENTENCE * 4}\n\n## Setup\n\n{SENTENCE * 2}\n\nWarning: the device is hot. {SENTENCE * 5}\n\n"
    f"Theorem 1. All is well. {SENTENCE * 2}\n\nProof. It is trivial. {SENTENCE * 3}"
)


def names(text, *patterns):
    return [anchor.name for anchor in find_anchors(Document("v", "text", "t", text), Span(0, len(text)), patterns)]


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("Summary", "Summary"),
        ("Abstract: it is so.", "Abstract"),
        ("**Conclusion**", "Conclusion"),
        ("3.1 Methods", "Methods"),
        ("Theorem 1.2 (Euler). It is so.", "Theorem"),
        ("Proof. It is trivial.", "Proof"),
        ("Lemma", "Lemma"),
        ("RFC: a new wheel", "RFC"),
        ("> **Note:** it is hot", "Note"),
        ("Hinweis: es ist heiß", "Hinweis"),
    ],
)
def test_words_that_open_parts_are_anchors(line, name):
    assert names(f"It rained.\n{line}\nIt went on.") == [name]


@pytest.mark.parametrize(
    "line", ["Summary execution is illegal.", "A proof is long.", "Note that it rains.", "Examples abound"]
)
def test_prose_has_none(line):
    assert names(f"It rained.\n{line}\nIt went on.") == []


def test_every_anchor_begins_a_leaf():
    tree = tree_of("anchored", TEXT, "a.md", max_tokens=80)
    for words in ("# Guide", "## Setup", "Warning:", "Theorem 1", "Proof."):
        assert leaf_with(tree, words).text.startswith(words)
    assert leaf_with(tree, "Warning:").reasons[0] == "begins: the anchor “Warning” stands here"
    assert leaf_with(tree, "Proof.").metadata == {"anchors": ("Proof",)}


def test_a_pattern_is_an_anchor_inside_a_line():
    text = SENTENCE * 5 + "Then came item QX-17 at last. " + SENTENCE * 5
    tree = tree_of("anchored", text, max_tokens=80, anchors=(r"QX-\d\d",))
    assert leaf_with(tree, "QX-17").text.startswith("QX-17 at last.")
    assert leaf_with(tree, "QX-17").metadata == {"anchors": ("QX-17",)}


def test_inside_an_anchor_has_text_on_both_sides():
    text = SENTENCE * 9 + "\n\nWarning: the device is hot.\n\n" + SENTENCE * 9
    leaf = leaf_with(tree_of("anchored", text, max_tokens=80, anchor_at="inside"), "Warning:")
    before, after = leaf.text.split("Warning: the device is hot.")
    assert min(len(before), len(after)) > len(SENTENCE)
    assert "Warning" in leaf.reasons[0]


def test_inside_a_pattern_tears_no_sentence():
    said = "The device is warm and it runs all day in the cellar of the house. "
    filed = "They filed TICKET-9 on a Monday in the rain, they say. "
    text = f"{said * 3}Please see TICKET-7 for more about that. {said * 2}{filed}{said * 3}"
    tree = tree_of("anchored", text, max_tokens=60, prefix=(), anchors=("TICKET-[0-9]+",), anchor_at="inside")
    assert all(leaf.text.endswith(".") for leaf in tree.leaves)
    assert filed.strip() in leaf_with(tree, "TICKET-9").text
    assert leaf_with(tree, "TICKET-9").metadata["anchors"][-1] == "TICKET-9"


def test_anchors_close_together_share_a_window():
    tree = tree_of("anchored", f"{SENTENCE * 5}\n\nNote: x.\nWarning: y.\n{SENTENCE * 5}", max_tokens=80)
    assert "Warning" in leaf_with(tree, "Note:").text


@pytest.mark.parametrize("pattern", ["[", "x*", "(a", "a" * 999])
def test_what_is_no_pattern_or_fits_every_line_is_refused(pattern):
    with pytest.raises(SettingsError, match=r"chunking\.anchors"):
        ChunkingSettings(chunker="anchored", anchors=(pattern,))


def test_a_pattern_that_runs_away_ends_with_a_sentence(monkeypatch):
    monkeypatch.setattr(sys.modules[find_anchors.__module__], "LONGEST", 0.05)
    text = ("a" * 60 + "b ") * 3
    with pytest.raises(SettingsError, match="take more than"):
        find_anchors(Document("v", "text", "t", text), Span(0, len(text)), [r"(?:a|b?a)+(?:a|b?a)+(?:a|b?a)+(a+)+\1c"])


@pytest.mark.parametrize("pattern", ["(a+)+$", r"(\w+\s?)*:", "(a)\\1", "(?:ab|ab){18}c"])
def test_patterns_that_backtrack_are_quick_enough(pattern):
    text = "a" * 400 + "b"
    find_anchors(Document("v", "text", "t", text), Span(0, len(text)), [pattern])
