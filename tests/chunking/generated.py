"""Hypothesis strategies for documents of every block kind, built without a parser."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from core.settings import DIALS, OVERLAPS, PARENTS, PREFIX_KINDS, THRESHOLDS, UNITS, VECTORS, ChunkingSettings
from core.types import Block, BlockKind, Document, Span

KINDS = ("markdown", "html", "pdf", "docx", "pptx", "xlsx", "csv", "eml", "code", "notebook")
WORDS = st.sampled_from(
    "the a report tokens lifetime Müller 2024 3.14 e.g. Dr. internationalization x9f3 don't (see) “quoted” end. Why? "
    "naïve 日本語です。 漢字 שלום مرحبا hello\u0301 👩‍👩‍👧‍👦 🇩🇪🇫🇷 \u200b \ufffd \x01 [SEP] a\u0301\u0302\u0303 "
    "ก็ยังไม่ได้ हिन्दी। U.S. --- | # - 1. "
    "https://example.org/a/very/long/path?with=query&and=more#fragment".split(" ")
) | st.text(min_size=1, max_size=12)
LONG = st.sampled_from(["x" * 130, "ab1" * 200, "语" * 90, "e\u0301" * 120, "👩‍🚀" * 40, "สวัสดีครับ" * 30, "\ufffd" * 60])
SPACES = st.sampled_from([" ", " ", " ", "  ", "\t", "\u00a0", "\u2028", "\n", ". "])


@st.composite
def prose(draw, most=40):
    words = draw(st.lists(WORDS, min_size=1, max_size=most))
    if draw(st.integers(0, 12)) == 0:
        words.insert(draw(st.integers(0, len(words))), draw(LONG))
    return "".join(word + draw(SPACES) for word in words).strip() or "x"


@st.composite
def block(draw):
    """Kind, text, and a function that makes the block at an offset."""
    kind = draw(st.sampled_from(list(BlockKind)))
    if kind == BlockKind.HEADING:
        level = draw(st.integers(1, 6))
        text = draw(prose(6)).replace("\n", " ")
        return text, lambda at: Block(kind, at, at + len(text), level=level)
    if kind in {BlockKind.TABLE, BlockKind.CODE, BlockKind.LIST}:
        rows = draw(st.lists(prose(9).map(lambda row: " ".join(row.split()) or "x"), min_size=1, max_size=12))
        if draw(st.booleans()):
            rows = rows * 4
        text = "\n".join(rows)
        starts = [sum(len(row) + 1 for row in rows[:number]) for number in range(len(rows))]
        headed = kind == BlockKind.TABLE and len(rows) > 1 and draw(st.booleans())
        with_parts = draw(st.booleans())

        def make(at):
            spans = [Span(at + start, at + start + len(row)) for start, row in zip(starts, rows, strict=True)]
            parts = tuple(spans[1:] if headed else spans) if with_parts else ()
            return Block(kind, at, at + len(text), parts=parts, header=spans[0] if headed else None)

        return text, make
    if kind == BlockKind.RULE:
        return "---", lambda at: Block(kind, at, at + 3)
    text = draw(prose(60))
    if draw(st.integers(0, 5)) == 0:
        text += ":"
    return text, lambda at: Block(kind, at, at + len(text))


@st.composite
def documents(draw):
    made = draw(st.lists(block(), max_size=14))
    text = draw(st.sampled_from(["", "\n", "stray words\n\n"]))
    blocks = []
    for piece, make in made:
        if draw(st.integers(0, 9)) > 0:
            blocks.append(make(len(text)))
        text += piece + draw(st.sampled_from(["\n", "\n\n", "\n\n\n", "\n \n"]))
    title = draw(st.sampled_from(["Doc", "A rather long title " * 5, "t" * 150]))
    span = None
    if blocks and draw(st.booleans()):
        title, span = text[blocks[0].start : blocks[0].end], blocks[0].span
    kind = draw(st.sampled_from(["text", "text", *KINDS]))
    return Document("v" * 64, kind, title, text, tuple(blocks), title_span=span)


OWN = {
    "sentences": st.integers(1, 4),
    "semantic_threshold": st.sampled_from(THRESHOLDS),
    "semantic_buffer": st.integers(0, 3),
    "table_columns": st.sampled_from([0, 0, 1, 2, 5]),
    "table_key": st.sampled_from(["", "a", "Year"]),
    "clause_sentences": st.sampled_from([0, 0, 1, 2]),
    "log_minutes": st.sampled_from([1, 10]),
    "log_gap_minutes": st.sampled_from([1, 5]),
    "conversation_turns": st.sampled_from([1, 2, 6]),
    "anchors": st.sampled_from([(), ("due",), (r"Ada \w+", "7"), ("[A-Z]",)]),
    "anchor_at": st.sampled_from(["start", "inside"]),
}


@st.composite
def settings(draw, chunker=None):
    """Every dial of all chunkers, and those that this one reads."""
    chunker = chunker or draw(st.sampled_from(["structure", "recursive", "fixed"]))
    most = draw(st.sampled_from([8, 9, 12, 20, 33, 60, 110, 200]))
    kinds = draw(st.sampled_from([PREFIX_KINDS, (), ("title",), ("heading", "table_header"), ("table_header",)]))
    return ChunkingSettings(
        chunker=chunker,
        max_tokens=most,
        overlap_tokens=draw(st.sampled_from([0, 0, 1, most // 4, most // 2])),
        parent_max_tokens=draw(st.sampled_from([most, most * 2, most * 7])),
        prefix=kinds,
        prefix_max_tokens=draw(st.sampled_from([0, 2, most // 4, most // 2])),
        unit=draw(st.sampled_from(UNITS)),
        min_tokens=draw(st.sampled_from([0, most // 4, most // 2])),
        overlap=draw(st.sampled_from(OVERLAPS)),
        overlap_percent=draw(st.sampled_from([0.0, 0.0, 25.0])),
        parents=draw(st.sampled_from(PARENTS)),
        parent_ratio=draw(st.sampled_from([1.5, 3.0, 5.0])),
        levels=draw(st.sampled_from([2, 2, 3, 5])),
        vectors=draw(st.sampled_from(VECTORS)),
        **{name: draw(OWN[name]) for name in OWN if chunker == "auto" or name in DIALS.get(chunker, ())},
    )


class ThirdsCounter:
    """A token for every three code points, blanks included, wherever they stand: counts of parts do not add up."""

    fingerprint = "thirds"
    specials = 1

    def offsets(self, text):
        return np.array([(at, min(at + 3, len(text))) for at in range(0, len(text), 3)], dtype=np.int64).reshape(-1, 2)

    def count(self, texts):
        return [-(-len(text) // 3) for text in texts]
