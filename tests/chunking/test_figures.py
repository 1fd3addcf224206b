"""Figures keep their captions where both fit, whatever the format calls either; other text is cut as if it had none."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.chunking import chunk
from core.chunking.signals.captions import captioned
from core.embedding.tokenizer import packaged_counter
from core.parsing import parse
from core.settings import ChunkingSettings, ParsingSettings
from core.types import Block, BlockKind
from tests.chunking import checker

PROSE = "Text beside the figure with some words, and yet a few more of them to fill."
IMAGE = "![A mill](mill.png)"


def tree_of(text, name="file.md", most=35):
    document = parse(text.encode(), name, ParsingSettings())
    settings = ChunkingSettings("structure", max_tokens=most, prefix=())
    tree = chunk(document, settings, packaged_counter())
    checker.check_tree(tree, settings, packaged_counter())
    return tree


def together(tree, one, other):
    return any(one in leaf.text and other in leaf.text for leaf in tree.leaves)


@pytest.mark.parametrize(
    ("image", "caption"),
    [
        (IMAGE, "Figure 1: The mill at dawn."),
        (IMAGE, "*At dawn.*"),
        (f"[{IMAGE}](large.png)", "*Figure 1: The mill.*"),
        ("![A mill][m]", "**Abb. 1.** Mühle"),
        (f"{IMAGE} ![Two](b.png){{width=3}}", "図1: 水車"),
    ],
)
@pytest.mark.parametrize("most", [40, 48])
def test_an_image_keeps_the_caption_below_it(image, caption, most):
    tree = tree_of(f"# T\n\n{PROSE}\n\n{image}\n\n{caption}\n\n{PROSE}\n\n{PROSE}\n\n[m]: m.png\n", most=most)
    assert together(tree, image, caption), [leaf.text for leaf in tree.leaves]


@pytest.mark.parametrize("most", range(24, 44, 4))
def test_captions_above_are_kept_too_and_no_figure_takes_the_caption_of_the_next(most):
    above = "\n\n".join(f"Figure {number}: The mill.\n\n![{number}](m{number}.png)\n\n{PROSE}" for number in range(4))
    tree = tree_of(f"# T\n\n{above}", most=most)
    assert all(together(tree, f"Figure {number}: ", f"m{number}.png") for number in range(4))
    below = "\n\n".join(f"![{number}](m{number}.png)\n\nFigure {number}: The mill at the weir." for number in range(4))
    tree = tree_of(f"# T\n\n{below}", most=most)
    assert all(together(tree, f"Figure {number}: ", f"m{number}.png") for number in range(4))


@pytest.mark.parametrize("most", range(24, 44, 4))
def test_a_table_keeps_a_paragraph_that_names_it(most):
    table = "| a | b |\n|---|---|\n| 1 | 2 |"
    tree = tree_of(f"# T\n\n{PROSE}\n\nTable 1: Sizes.\n\n{table}\n\n{PROSE}\n\n{table}\n\nTable 2. More.\n", most=most)
    assert together(tree, "Table 1: ", table)
    assert together(tree, "Table 2. ", table)


@pytest.mark.parametrize("most", range(16, 44, 3))
def test_alternative_text_and_caption_of_a_page_stay_together(most):
    page = "<h1>T</h1>" + "".join(
        f"<p>{PROSE}</p><figure><img src='a' alt='Mill {number}'><figcaption>Seen at {number}.</figcaption></figure>"
        for number in range(4)
    )
    tree = tree_of(page, "page.html", most)
    assert all(together(tree, f"Mill {number}", f"Seen at {number}.") for number in range(4))


def test_reasons_call_them_what_they_are():
    tree = tree_of(f"# T\n\n{PROSE}\n\n{IMAGE}\n\nFigure 1: The mill at dawn.\n\n{PROSE}\n")
    assert any("the next figure" in reason for leaf in tree.leaves for reason in leaf.reasons)


@pytest.mark.parametrize(
    "words",
    ["Figure 2 shows a mill.", "Figure 1.5 is large.", "*One* and *two*", "![no", "[x](y)", "Tables: none"],
)
def test_what_is_no_caption_of_an_image(words):
    text = f"{IMAGE}\n\n{words}"
    blocks = Block(BlockKind.PARAGRAPH, 0, len(IMAGE)), Block(BlockKind.PARAGRAPH, len(IMAGE) + 2, len(text))
    assert captioned(text, *blocks) is None


@given(st.lists(st.text("Figtable 1:.*_![]()aé\n", max_size=80) | st.just("Figure 1: A mill."), min_size=2, max_size=2))
def test_plain_paragraphs_are_never_a_figure_with_its_caption(pieces):
    before, after = pieces
    text = before + after
    blocks = Block(BlockKind.PARAGRAPH, 0, len(before)), Block(BlockKind.PARAGRAPH, len(before), len(text))
    if "![" not in text:
        assert captioned(text, *blocks) is None


def test_a_text_without_structure_says_so():
    said = "instead: paragraphs packed by size; this text has no headings, lists, tables or code"
    plain = tree_of(f"{PROSE}\n\n{PROSE}\n\n{PROSE}\n", "plain.txt")
    assert all(said in one.reasons for one in plain.chunks)
    for text in (f"# T\n\n{PROSE}\n", f"{PROSE}\n\n- one\n- two\n", f"{PROSE}\n\n```\nx\n```\n"):
        assert not any(said in one.reasons for one in tree_of(text).chunks)
