"""What the structure chunker keeps together, seen on small Markdown files."""

from __future__ import annotations

import pytest

from core.chunking import chunk
from core.embedding.tokenizer import packaged_counter
from core.parsing import parse
from core.settings import ChunkingSettings, ParsingSettings
from tests.chunking import checker

SENTENCE = "The committee met on a rainy morning and agreed on nothing of note. "


def tree_of(text, **dials):
    document = parse(text.encode(), "file.md", ParsingSettings())
    settings = ChunkingSettings(**dials)
    tree = chunk(document, settings, packaged_counter())
    checker.check_tree(tree, settings, packaged_counter())
    return tree


def leaf_with(tree, words):
    return next(leaf for leaf in tree.leaves if words in leaf.text)


def test_a_heading_over_nothing_joins_what_follows_or_what_went_before():
    text = f"# Codes\n\n{SENTENCE * 6}\n\n## 403\n\n## 404\n\n{SENTENCE * 6}\n\n### Last\n\n"
    text += f"# Next\n\n{SENTENCE}\n\n## End\n"
    tree = tree_of(text)
    assert "## 404\n\nThe committee" in leaf_with(tree, "## 403").text
    assert "nothing of note. \n\n### Last" in leaf_with(tree, "### Last").text
    assert "nothing of note. \n\n## End" in leaf_with(tree, "## End").text


def test_paths_and_prefixes():
    tree = tree_of(f"# Guide\n\n{SENTENCE * 3}\n\n## *Fees* and `costs` ##\n\n{SENTENCE * 12}")
    leaves = [leaf for leaf in tree.leaves if leaf.headings == ("Guide", "Fees and costs")]
    assert len(leaves) > 1
    assert [part.text for part in leaves[0].prefix] == ["Guide"]
    assert [(part.kind, part.text) for part in leaves[1].prefix] == [
        ("heading", "Guide"),
        ("heading", "Fees and costs"),
    ]


def test_a_table_that_fits_is_whole_and_one_that_does_not_repeats_its_header():
    head = "| Plan | Price |\n|---|---|\n"
    small = head + "| Free | 0 |\n| Team | 10 |\n"
    assert small.strip() in leaf_with(tree_of(f"{SENTENCE * 7}\n\n{small}"), "Free").text
    rows = [f"| Plan number {row} for schools and libraries | {row * 7} euros a year |" for row in range(30)]
    tree = tree_of("# Prices\n\nThey are as follows:\n\n" + head + "\n".join(rows))
    inside = [leaf for leaf in tree.leaves if not leaf.text.startswith("#")]
    assert len(inside) > 2
    for leaf in inside:
        assert leaf.prefix[-1].kind == "table_header"
        assert leaf.prefix[-1].text.startswith("| Plan | Price |")
        assert all(line in rows for line in leaf.text.split("\n")), "a row was severed"
    assert "They are as follows:\n\n| Plan" in tree.leaves[0].text


def test_lists_and_fences_that_fit_are_whole():
    items = "\n".join(f"- item {number} of the list" for number in range(9))
    code = "```python\ndef load(key):\n    return key\n\n\ndef save(key):\n    return None\n```"
    tree = tree_of(f"# A\n\n{SENTENCE * 5}\n\n{items}\n\n{SENTENCE * 5}\n\n{code}\n\n{SENTENCE * 5}")
    assert items in leaf_with(tree, "item 4").text
    assert code in leaf_with(tree, "def load").text


def test_a_lead_in_stays_with_its_list():
    tree = tree_of(f"# A\n\n{SENTENCE * 6}\n\nDo as follows:\n\n1. Open the door.\n2. Walk in.\n\n{SENTENCE * 4}")
    assert "Do as follows:\n\n1. Open" in leaf_with(tree, "as follows").text


def test_large_sections_are_not_mixed_and_tiny_ones_are_merged():
    tree = tree_of(f"# A\n\n## B\n\n{SENTENCE * 3}\n\n## C\n\n{SENTENCE * 3}\n\n## D\n\nYes.\n\n## E\n\nNo.\n")
    assert "## C" not in leaf_with(tree, "## B").text
    assert "## E" in leaf_with(tree, "## D").text


def test_sections_that_share_a_leaf_have_their_common_path_for_headings():
    tree = tree_of(f"# A\n\n## B\n\n{SENTENCE * 3}\n\n## D\n\nYes.\n\n## E\n\nNo.\n\n### F\n\nPerhaps.\n")
    shared = leaf_with(tree, "## D")
    assert "### F" in shared.text
    assert shared.headings == ("A",)
    assert [part.text for part in shared.prefix if part.kind == "heading"] == ["A"]
    assert leaf_with(tree, "## B").headings == ("A", "B"), "of one section alone"
    nested = tree_of("## E\n\nNo.\n\n### F\n\nPerhaps.\n\n### G\n\nNever.\n").leaves[0]
    assert nested.headings == ("E",), "a section and those inside it"
    assert "### G" in nested.text


def test_a_leaf_that_begins_within_a_section_keeps_its_path():
    tree = tree_of(f"# A\n\n## B\n\n{SENTENCE * 16}\n\nThe tail.\n\n## C\n\nYes.\n", chunker="fixed")
    beginning_within = [leaf for leaf in tree.leaves if not leaf.text.startswith("#") and "## C" in leaf.text]
    assert [leaf.headings for leaf in beginning_within] == [("A", "B")]


def test_parents_are_sections_under_one_root():
    section = "\n\n".join(SENTENCE * 4 for _ in range(8))
    tree = tree_of(f"# A\n\n{section}\n\n# B\n\n{section}\n\n# C\n\nShort.\n")
    root, *rest = tree.chunks
    assert (root.level, root.parent_id) == (2, None)
    parents = [one for one in rest if one.level == 1]
    assert all(one.parent_id == root.chunk_id for one in parents)
    assert any(one.text.startswith("# B") for one in parents)
    assert not any("\n# " in one.text and "# A" in one.text and "# B" in one.text for one in parents)


def test_without_headings_there_are_fewer_levels():
    tree = tree_of("\n\n".join(SENTENCE * 4 for _ in range(30)))
    assert {one.level for one in tree.chunks} == {0, 1}


def test_rules_are_never_alone():
    tree = tree_of("---\n\n# A\n\n---\n\n" + "\n\n---\n\n".join(SENTENCE * 7 for _ in range(6)) + "\n\n---\n")
    assert all("committee" in leaf.text for leaf in tree.leaves)


@pytest.mark.parametrize("overlap", [10, 30, 55])
def test_overlap_is_whole_sentences(overlap):
    text = "# A\n\n" + "\n\n".join(SENTENCE * 6 for _ in range(5))
    tree = tree_of(text, overlap_tokens=overlap)
    overlapping = 0
    for before, after in zip(tree.leaves, tree.leaves[1:], strict=False):
        overlapping += after.start < before.end
        assert after.text.startswith("The committee")
    assert (overlapping > 0) == (overlap >= 15), "a sentence has 13 tokens"


@pytest.mark.parametrize(
    "body", ["| a | b |\n|---|---|\n" + "| 1 | two |\n" * 12, "```\n" + "one = two(three)\n" * 9 + "```"]
)
def test_adaptive_overlap_reaches_from_a_table_or_code_into_the_prose_before_it(body):
    text = f"# A\n\n{SENTENCE * 6}\n\n{body}\n"
    begins = {}
    for overlap in ("even", "adaptive"):
        tree = tree_of(text, max_tokens=90, overlap_tokens=30, overlap=overlap)
        begins[overlap] = next(leaf.text for leaf in tree.leaves if body[:6] in leaf.text)
    assert begins["even"].startswith(body[:6])
    assert begins["adaptive"].startswith("The committee")
    assert begins["even"][:20] in begins["adaptive"]


def test_a_leaf_that_begins_inside_a_sentence_overlaps_by_words():
    text = " ".join(f"word{number}" for number in range(400)) + "."
    tree = tree_of(text, overlap_tokens=20)
    pairs = list(zip(tree.leaves, tree.leaves[1:], strict=False))
    within = [(before, after) for before, after in pairs if before.parent_id == after.parent_id]
    assert len(within) > 2
    assert all(after.start < before.end and text[after.start - 1].isspace() for before, after in within)


def test_reasons_say_what_happened():
    tree = tree_of("# A\n\n" + "\n\n".join(SENTENCE * 4 for _ in range(5)))
    assert tree.leaves[0].reasons[0] == "begins: a section starts here"
    assert "would not fit" in tree.leaves[0].reasons[1]
    assert tree.leaves[-1].reasons[1] == "ends: the text ends here"
