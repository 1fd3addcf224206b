"""Every piece of a figure or table is given its caption, wherever that stands, and nothing else is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.chunking.signals.captions import MAX_CHARACTERS, captions_of
from core.types import Block, BlockKind, Span

KINDS = {
    "T": (BlockKind.TABLE, "| a |"),
    "F": (BlockKind.PARAGRAPH, "![A mill](mill.png)"),
    "P": (BlockKind.PARAGRAPH, "Table 1 shows what we saw, as Figure 2 does."),
    "f": (BlockKind.PARAGRAPH, "Figure {}: A mill."),
    "t": (BlockKind.PARAGRAPH, "Table {}: Sizes."),
    "c": (BlockKind.CAPTION, "Words {} of a format."),
    "b": (BlockKind.CAPTION, "Table {}. What a format counts."),
    "g": (BlockKind.CAPTION, "Figure {}. What a format shows."),
    "-": (BlockKind.RULE, "---"),
    "~": (BlockKind.FURNITURE, "Page 7"),
}


def laid(pattern: str) -> tuple[str, list[Block]]:
    text, blocks = "", []
    for at, letter in enumerate(pattern):
        kind, words = KINDS[letter]
        words = words.format(at)
        blocks.append(Block(kind, len(text), len(text) + len(words)))
        text += f"{words}\n\n"
    return text, blocks


@pytest.mark.parametrize(
    ("pattern", "belongs"),
    [
        ("PtTP", {2: {1}}),
        ("PTtP", {1: {2}}),
        ("PcTP", {2: {1}}),
        ("PTcP", {1: {2}}),
        ("PccTP", {3: {1, 2}}),  # two lines over one table, as in sheets
        ("PbcTP", {3: {1, 2}}),
        ("cTc", {1: {0, 2}}),
        ("cTcTcT", {1: {0}, 3: {2}, 5: {4}}),
        ("TcTcTc", {0: {1}, 2: {3}, 4: {5}}),
        ("TtT", {2: {1}}),
        ("FfFf", {0: {1}, 2: {3}}),
        ("fFfF", {1: {0}, 3: {2}}),
        ("FfF", {0: {1}}),
        ("FcT", {2: {1}}),
        ("t~T", {2: {0}}),
        ("t-T", {2: {0}}),
        ("PfP", {}),  # a sentence of its own: the format calls it no caption and there is no figure
        ("PtPTP", {}),
        ("tF", {}),
        ("fT", {}),
        ("gT", {0: {0}}),
        ("PPTP", {}),
        ("cc", {0: {1}}),  # a picture is what is said of it: its alternative text and what stands below
        ("gc", {1: {0}}),
        ("ccP", {0: {1}}),
    ],
)
def test_what_belongs_to_what(pattern, belongs) -> None:
    text, blocks = laid(pattern)
    said = captions_of(text, blocks, [block.span for block in blocks])
    captions = set().union(*belongs.values())
    for at, lines in enumerate(said):
        expected = belongs.get(at, set()) | ({at} & captions)
        assert set(lines.split("\n")) - {""} == {text[blocks[one].start : blocks[one].end] for one in expected}, at


def test_a_formats_own_caption_is_one_where_it_stands_alone() -> None:
    text, blocks = laid("PcPgP")
    pieces = [Span(0, len(text)), *(block.span for block in blocks)]
    alone = ["", "Words 1 of a format.", "", "Figure 3. What a format shows.", ""]
    assert captions_of(text, blocks, pieces) == ["\n".join(filter(None, alone)), *alone]


def test_a_long_caption_is_cut_at_a_word_and_is_one_line() -> None:
    words = "Table 1: " + "many\nwords " * 100
    text = f"{words}\n\n| a |\n| b |"
    blocks = [Block(BlockKind.PARAGRAPH, 0, len(words)), Block(BlockKind.TABLE, len(words) + 2, len(text))]
    (said,) = captions_of(text, blocks, [Span(len(text) - 4, len(text))])
    assert MAX_CHARACTERS - 6 <= len(said) <= MAX_CHARACTERS
    assert said.startswith("Table 1: many words many")
    assert set(said.split()[2:]) == {"many", "words"}


@given(st.text("TFPftcbg-~", max_size=12), st.lists(st.integers(1, 40), min_size=1))
def test_pieces_of_any_size_get_what_their_characters_stand_in(pattern, sizes) -> None:
    """Cut in any places, overlapping too: a piece has the captions that its single characters have, and no others."""
    text, blocks = laid(pattern)
    singles = captions_of(text, blocks, [Span(at, at + 1) for at in range(len(text))])
    pieces, start = [], 0
    for size in sizes * len(text):
        if start >= len(text):
            break
        pieces.append(Span(start, min(len(text), start + size)))
        start += max(1, size - 3)
    for piece, lines in zip(pieces, captions_of(text, blocks, pieces), strict=True):
        held = {line for at in range(piece.start, piece.end) for line in singles[at].split("\n")}
        assert set(lines.split("\n")) - {""} == held - {""}
