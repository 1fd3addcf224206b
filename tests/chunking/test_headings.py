"""A heading is parted from its body by no leaf and by no parent, however large the body is."""

from __future__ import annotations

from io import BytesIO
from itertools import pairwise

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as profile
from hypothesis import strategies as st
from openpyxl import Workbook

from core.chunking import chunk
from core.chunking.chunkers import CHUNKERS
from core.embedding.tokenizer import packaged_counter
from core.parsing import parse
from core.settings import ChunkingSettings, ParsingSettings
from core.types import BlockKind
from tests.chunking import checker, resources
from tests.chunking.domains import parents_of

RESOURCES = resources.every_resource()
BINDING = [name for name in CHUNKERS if name not in {"fixed", "recursive"}]  # which know no headings
SENTENCE = "The committee met on a rainy morning and agreed on nothing of note."


@st.composite
def handbooks(draw):
    """Markdown: short headings of several levels, some over nothing, and bodies from a line to many parents' worth."""
    parts = []
    for number in range(draw(st.integers(1, 5))):
        level = draw(st.integers(1, 3))
        chain = draw(st.sampled_from([1, 1, 2, 3]))
        parts += [f"{'#' * (level + at)} Part {number}{'abc'[at]}" for at in range(chain)]
        count = draw(st.sampled_from([0, 1, 5, 40]))
        body = draw(st.sampled_from(["prose", "lines", "table", "list", "lead-in", "code"]))
        if count and body == "prose":
            parts.append(" ".join([SENTENCE] * count))
        elif count and body == "lines":
            parts += [SENTENCE] * count
        elif count and body == "code":
            parts.append("```python\n" + "".join(f"value_{at} = call({at})\n" for at in range(count)) + "```")
        elif count:
            parts += ["The rest is as follows:"] * (body == "lead-in")
            rows = [f"the row of number {at}" for at in range(count)]
            listed = "\n".join(f"- {row}" for row in rows)
            table = "| a | b |\n|---|---|\n" + "\n".join(f"| {row} | {at} |" for at, row in enumerate(rows))
            parts.append(listed if body == "list" else table)
    return "\n\n".join(parts) + "\n"


def left_alone(tree):
    """The leaves and parents that end in a heading although a body, or a heading below it, follows."""
    text = tree.document.text
    blocks = [block for block in tree.document.blocks if block.kind not in {BlockKind.FURNITURE, BlockKind.RULE}]
    found = []
    for chunk_ in tree.chunks:
        for block, after in pairwise(blocks):
            if block.kind != BlockKind.HEADING or not block.start < chunk_.end <= block.end:
                continue
            if text[chunk_.end : block.end].strip() or (after.kind == BlockKind.HEADING and after.level < block.level):
                continue
            found.append((chunk_.level, chunk_.tokens, chunk_.text[-40:]))
    return found


@profile(deadline=None, suppress_health_check=list(HealthCheck))
@given(text=handbooks(), name=st.sampled_from(BINDING), most=st.sampled_from([48, 110]), data=st.data())
def test_no_leaf_or_parent_ends_in_a_heading(text, name, most, data):
    settings = ChunkingSettings(
        name,
        max_tokens=most,
        parent_max_tokens=most * data.draw(st.sampled_from([1, 2, 7])),
        parents=data.draw(st.sampled_from(["structure", "structure", "ratio", "both"])),
        overlap_tokens=data.draw(st.sampled_from([0, 0, most // 4])),
        prefix_max_tokens=12,
        levels=data.draw(st.sampled_from([2, 3])),
    )
    counter = packaged_counter()
    tree = chunk(parse(text.encode(), "a.md", ParsingSettings()), settings, counter, resources=RESOURCES)
    checker.check_tree(tree, settings, counter)
    assert left_alone(tree) == []


@pytest.mark.parametrize("lead", ["", "They are as follows:\n\n"])
def test_the_headings_over_a_table_larger_than_a_parent_are_in_its_first_parent(lead):
    rows = "".join(f"| row number {at} | the value {at} |\n" for at in range(90))
    text = f"# One\n\n## Prices of all\n\n{lead}| a | b |\n|---|---|\n{rows}"
    tree = chunk(parse(text.encode(), "a.md", ParsingSettings()), ChunkingSettings(), packaged_counter())
    first, second = parents_of(tree)
    assert first.text.startswith("# One")
    assert "the value 60" in first.text
    assert first.tokens > 4 * second.tokens > 0
    assert "| row number 0 |" in tree.leaves[0].text


def test_the_name_of_a_sheet_is_in_the_first_parent_of_its_rows():
    book = Workbook()
    book.active.title = "Sales of all regions"
    book.active.append(["Item", "Price", "Note"])
    for at in range(120):
        book.active.append([f"Item {at}", at * 1.5, f"note note note note note {at}"])
    file = BytesIO()
    book.save(file)
    tree = chunk(parse(file.getvalue(), "a.xlsx", ParsingSettings()), ChunkingSettings(), packaged_counter())
    first = parents_of(tree)[0]
    assert first.text.startswith("Sales of all regions\n\nItem")
    assert first.tokens > 400
    assert left_alone(tree) == []


@pytest.mark.parametrize("most", range(650, 660, 2))
def test_an_empty_heading_at_the_end_of_a_section_stays_with_what_fills_a_parent(most):
    text = f"# One\n\n{' '.join([SENTENCE] * 50)}\n\n### Last\n\n# Two\n\n{' '.join([SENTENCE] * 50)}\n"
    settings = ChunkingSettings(parent_max_tokens=most)
    tree = chunk(parse(text.encode(), "a.md", ParsingSettings()), settings, packaged_counter())
    assert left_alone(tree) == []
    assert not any(one.text.startswith("### Last") for one in tree.chunks)
