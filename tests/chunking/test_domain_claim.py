"""Claims: citations, sentences that lean on one another, and lists of references."""

from __future__ import annotations

import pytest

from core.chunking.chunkers.claim import citations, depends_on_previous, exhibits
from core.text.markup.cited import reference_entries
from core.types import Span
from tests.chunking.domains import leaf_with, tree_of

FILLER = "The committee met on a rainy morning and agreed on nothing of note. "
CITED = {
    "It holds [3].": ["[3]"],
    "It holds [3, 5–7].": ["[3, 5–7]"],
    "It holds (Smith et al., 2019; Doe and Roe, 2020a).": ["(Smith et al., 2019; Doe and Roe, 2020a)"],
    "Smith et al. (2019) hold it.": ["Smith et al. (2019)"],
    "It holds.¹²": ["¹²"],
    r"It holds \citep{doe2019} [@roe2020].": [r"\citep{doe2019}", "[@roe2020]"],
    "In [2019] or (May 2019) x² is so [sic].": ["(May 2019)", "²"],
    "Nothing (see below) [a].": [],
}


@pytest.mark.parametrize("text", list(CITED))
def test_citations_are_found(text):
    assert [text[span.start : span.end] for span in citations(text, 0, len(text))] == CITED[text]


def test_exhibits_are_found_once():
    text = "Figs. 1 and Table S2, Fig. 1, eq. (4), Abb. 7; figure it out, table it."
    assert exhibits(text, 0, len(text)) == ["Figure 1", "Table S2", "Equation 4", "Figure 7"]


@pytest.mark.parametrize(
    ("first", "second", "leans"),
    [
        ("X causes Y [3].", "This is confirmed by two trials.", True),
        ("X causes Y.", "As shown in Fig. 2, it does so often.", True),
        ("X causes Y (Doe, 2019).", "These results hold.", True),
        ("X causes Y.", "Z was supported by others [4].", True),
        ("X causes Y.", "This is so.", False),
        ("X causes Y [3].", "Z is blue.", False),
    ],
)
def test_what_leans_on_what(first, second, leans):
    text = f"{first} {second}"
    assert depends_on_previous(text, Span(0, len(first)), Span(len(first) + 1, len(text))) is leans


def test_a_claim_and_its_basis_share_a_leaf():
    pair = "Fever follows infection in most of the patients seen [3, 4]. This is supported by two trials of note. "
    for before in range(9):
        text = f"# Paper\n\n{FILLER * before}{pair}{FILLER * 6}"
        tree = tree_of("claim", text, "file.md", max_tokens=80)
        leaf = leaf_with(tree, "Fever follows")
        assert "This is supported by" in leaf.text
        assert leaf.metadata["citations"] == ("[3, 4]",)
        (told,) = leaf.metadata["evidence"]
        said, _, place = told.rpartition(" ")
        start, end = map(int, place.split(":"))
        assert said == "Fever follows infection in most of the patients seen [3, 4]."
        assert text[start:end] == "This is supported by two trials of note.", "one claim, one sentence that it rests on"


def test_references_are_whole_entries():
    entries = [f"[{n}] Doe J, Roe A et al. On cats. And dogs. J. Pets. 20{n:02};{n}:1-9." for n in range(1, 13)]
    tree = tree_of(
        "claim", f"# Paper\n\n{FILLER * 9}\n\n## References\n\n" + "\n".join(entries), "file.md", max_tokens=90
    )
    for entry in entries:
        assert entry in leaf_with(tree, entry[:5]).text
    assert all("citations" not in leaf.metadata for leaf in tree.leaves)


def test_a_few_numbered_lines_are_no_references():
    text = "[1] One.\nTwo, which\nis long.\n\nThree.\n\nFour.\n\nFive.\n"
    assert reference_entries(text, 0, len(text)) == []


def test_without_citations_a_note_says_so():
    tree = tree_of("claim", FILLER * 3)
    assert tree.leaves[0].reasons[2] == "instead: sentences inside sections; this text has no citations"
