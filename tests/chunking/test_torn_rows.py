"""Rows and items that are longer than a leaf: cut between sentences, and each part of a row says which row it is of."""

from __future__ import annotations

import re

import pytest

from tests.chunking.domains import tree_of

SENTENCES = [f"Sentence {number} tells of this option what its name does not say at all." for number in range(12)]
OPTIONS = (
    "# Options\n\n| Option | Default | Meaning |\n|---|---|---|\n| `--short` | 1 | A short one. |\n"
    f"| `--long` | 2 | {' '.join(SENTENCES)} |\n| `--last` | 3 | Another one. |\n"
)


def unparted(text: str) -> bool:
    """Whether a leaf holds whole sentences: it ends with a stop or a bar, and begins with a capital or a mark."""
    return bool(re.search(r"[.|]\Z", text) and re.match(r"[A-Z#|-]", text))


@pytest.mark.parametrize("chunker", ["structure", "table", "auto"])
def test_each_part_of_a_long_row_says_which_row_it_is_of(chunker):
    tree = tree_of(chunker, OPTIONS, "a.md", max_tokens=90)
    inside = [leaf for leaf in tree.leaves if leaf.text.startswith("Sentence")]
    assert len(inside) > 1
    assert all(unparted(leaf.text) for leaf in tree.leaves)
    for leaf in inside:
        assert [(part.kind, part.text) for part in leaf.prefix][-1] == ("sentences", "Option `--long`:")
    for leaf in tree.leaves:
        if leaf not in inside:
            assert all(part.kind != "sentences" for part in leaf.prefix)


def test_a_long_item_of_a_list_is_cut_between_its_sentences():
    tree = tree_of("structure", f"# Rules\n\n- {' '.join(SENTENCES)}\n- Short.\n", "a.md", max_tokens=60)
    assert len(tree.leaves) > 3
    assert all(unparted(leaf.text) for leaf in tree.leaves)
