"""The span laws for the chunkers of domains: on generated logs, chats, contracts, papers, tables, and on any text."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as profile
from hypothesis import strategies as st

from core.chunking import Workpiece
from core.chunking.anchored import anchored
from core.chunking.auto import auto
from core.chunking.claim import claim
from core.chunking.clause import clause
from core.chunking.conversation import conversation
from core.chunking.log import log
from core.chunking.log_lines import log_entries
from core.chunking.table import table
from core.chunking.turns import find_turns
from core.embedding.tokenizer import packaged_counter
from core.settings import PREFIX_KINDS, ChunkingSettings
from core.text.cited import numbered_entries, reference_entries
from core.types import Block, BlockKind, Cell, Document, Span
from tests.chunking import checker, generated

CHUNKERS = {
    "table": table,
    "log": log,
    "conversation": conversation,
    "clause": clause,
    "claim": claim,
    "anchored": anchored,
    "auto": auto,
}
PATIENT = profile(deadline=None, suppress_health_check=list(HealthCheck))
WORDS = "the rent is due and Ada said that it holds while nobody knew why ; see it now".split()


def sentence(draw, most=25):
    words = draw(st.lists(st.sampled_from(WORDS), min_size=1, max_size=most))
    return " ".join(words).capitalize() + draw(st.sampled_from([".", "?", ":", " [3].", " (Doe et al., 2019).", "!"]))


@st.composite
def logs(draw):
    second = draw(st.integers(0, 80_000))
    form = draw(st.integers(0, 3))
    lines = []
    for _ in range(draw(st.integers(0, 40))):
        second += draw(st.sampled_from([0, 1, 30, 200, 700]))
        clock = f"{second // 3600 % 24:02}:{second // 60 % 60:02}:{second % 60:02}"
        name = draw(st.sampled_from(["", " session=ab12", " session=cd34", " request_id=9f9f"]))
        stamp = (f"2026-11-21T{clock}Z", f"Nov 21 {clock} host", clock, f'{{"ts": {1_795_284_607 + second}}}')[form]
        level = draw(st.sampled_from(["INFO", "ERROR", "debug"]))
        lines.append(stamp if form == 3 else f"{stamp} {level}{name} {sentence(draw)}")
        lines.extend(["  at main.c:7 " + "x" * draw(st.integers(0, 90))] * draw(st.sampled_from([0, 0, 0, 3])))
    return "\n".join(lines)


@st.composite
def chats(draw):
    form = draw(st.sampled_from(["{name}: {words}", "[10:{at:02}] {name}: {words}", "{name} (10:{at:02}):\n{words}"]))
    turns = [
        form.format(name=draw(st.sampled_from(["Ada", "Bob Roe", "PhD C"])), words=sentence(draw, 60), at=at % 60)
        for at in range(draw(st.integers(0, 25)))
    ]
    return draw(st.sampled_from(["\n", "\n\n"])).join(turns)


@st.composite
def contracts(draw):
    lines = []
    for article in range(1, draw(st.integers(1, 6))):
        lines.append(
            draw(st.sampled_from(["ARTICLE {0}", "{0}. Scope", "§ {0} Miete", "## {0}. Terms"])).format(article)
        )
        for number in range(1, draw(st.integers(1, 6))):
            lines.append(f'{article}.{number} The "Rent" means {sentence(draw)}')
            lines.extend(f"({letter}) {sentence(draw)}" for letter in "abcd"[: draw(st.integers(0, 4))])
    return "\n\n".join(lines)


@st.composite
def papers(draw):
    paragraphs = [
        " ".join(sentence(draw) for _ in range(draw(st.integers(1, 9)))) for _ in range(draw(st.integers(0, 6)))
    ]
    entries = [f"[{number}] Doe J. {sentence(draw)} 2019." for number in range(1, draw(st.integers(1, 9)))]
    return "\n\n".join([*paragraphs, "References", "\n".join(entries)])


@st.composite
def tables(draw):
    """A table with cells, header or none, cells that may be empty, between paragraphs."""
    before = sentence(draw) + "\n\n" if draw(st.booleans()) else ""
    width, height = draw(st.integers(1, 7)), draw(st.integers(1, 14))
    headed = draw(st.booleans())
    text, rows, cells = before, [], []
    for row in range(height):
        start = len(text)
        for column in range(width):
            text += " | " if column else ""
            words = draw(
                st.sampled_from(["", "5 M", "North", "2023", "a long cell with many words in it", "x\\|y", "7"])
            )
            cells.append(Cell(row, column, len(text), len(text) + len(words), words or None, headed and not row))
            text += words
        if not text[start:].strip():
            text += "-"
        rows.append(Span(start, len(text)))
        text += "\n"
    block = Block(
        BlockKind.TABLE,
        rows[0].start,
        rows[-1].end,
        parts=tuple(rows[headed:]),
        header=rows[0] if headed else None,
        cells=tuple(cells),
    )
    return Document("v" * 64, "text", "Doc", text + draw(st.sampled_from(["", "\n\nAnd that is all."])), (block,))


def plain(text):
    blocks, at = [], 0
    for piece in text.split("\n\n"):
        if piece.strip():
            kind = BlockKind.HEADING if piece.startswith("## ") else BlockKind.PARAGRAPH
            blocks.append(Block(kind, at, at + len(piece), level=2 if kind == BlockKind.HEADING else 0))
        at += len(piece) + 2
    return Document("v" * 64, "text", "Doc", text, tuple(blocks))


DOCUMENTS = st.one_of(
    *(texts().map(plain) for texts in (logs, chats, contracts, papers)),
    tables(),
    generated.documents(),
    st.text().map(plain),
)


@st.composite
def dials(draw, name):
    most = draw(st.sampled_from([8, 12, 33, 60, 110]))
    return ChunkingSettings(
        chunker=name,
        max_tokens=most,
        overlap_tokens=draw(st.sampled_from([0, 0, most // 4])),
        parent_max_tokens=draw(st.sampled_from([most, most * 2, most * 7])),
        prefix=draw(st.sampled_from([PREFIX_KINDS, (), ("table_header",), ("title", "speaker")])),
        prefix_max_tokens=draw(st.sampled_from([0, 4, 32])),
        overlap=draw(st.sampled_from(["even", "adaptive"])),
        levels=draw(st.sampled_from([2, 2, 4])),
        unit=draw(st.sampled_from(["tokens", "tokens", "characters"])),
        table_sentences=draw(st.booleans()),
        table_columns=draw(st.sampled_from([0, 0, 1, 2, 5])),
        log_minutes=draw(st.sampled_from([1, 10])),
        log_gap_minutes=draw(st.sampled_from([1, 5])),
        conversation_turns=draw(st.sampled_from([1, 2, 6])),
        anchors=draw(st.sampled_from([(), ("due",), (r"Ada \w+", "7"), ("[A-Z]",)])),
        anchor_at=draw(st.sampled_from(["start", "inside"])),
    )


def made(name, document, settings, counter):
    return Workpiece(document, counter).tree(settings, CHUNKERS[name], "recipe")


@pytest.mark.parametrize("name", list(CHUNKERS))
def test_laws_hold(name):
    @PATIENT
    @given(document=DOCUMENTS, settings=dials(name))
    def holds(document, settings):
        counter = packaged_counter()
        tree = made(name, document, settings, counter)
        checker.check_tree(tree, settings, counter)
        again = made(name, document, settings, counter)
        assert again.chunks == tree.chunks

    holds()


@pytest.mark.parametrize("name", list(CHUNKERS))
def test_laws_hold_without_additive_counts(name):
    @PATIENT
    @given(document=DOCUMENTS, settings=dials(name))
    def holds(document, settings):
        counter = generated.ThirdsCounter()
        checker.check_tree(made(name, document, settings, counter), settings, counter)

    holds()


@PATIENT
@given(text=chats(), most=st.sampled_from([1, 2, 5]), size=st.sampled_from([12, 60, 110]))
def test_no_leaf_holds_more_turns_than_asked(text, most, size):
    settings = ChunkingSettings(chunker="conversation", max_tokens=size, conversation_turns=most)
    tree = made("conversation", plain(text), settings, packaged_counter())
    counted = [turn.start for turn in find_turns(text) if turn.counts]
    for leaf in tree.leaves:
        assert sum(leaf.start <= start < leaf.end for start in counted) <= most


@PATIENT
@given(text=logs(), minutes=st.sampled_from([1, 5, 10]), gap=st.sampled_from([1, 5]))
def test_no_leaf_holds_more_minutes_than_asked(text, minutes, gap):
    settings = ChunkingSettings(chunker="log", log_minutes=minutes, log_gap_minutes=gap)
    tree = made("log", plain(text), settings, packaged_counter())
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


@pytest.mark.parametrize("name", list(CHUNKERS))
@pytest.mark.parametrize(
    "line", ["x", "a: ", "1. ", "(a) ", "10:00:01 ", "[1] ", '"A" means ', "- - | ", "Fig. 1 (", "<v "]
)
def test_a_long_single_line_is_cut(name, line):
    text = line * (60_000 // len(line))
    settings = ChunkingSettings(chunker=name)
    tree = made(name, plain(text), settings, packaged_counter())
    assert sum(leaf.end - leaf.start for leaf in tree.leaves) >= len(text.strip()) * 0.9
    assert all(leaf.encoder_tokens - 2 <= settings.max_tokens for leaf in tree.leaves)
