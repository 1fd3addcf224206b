"""Hypothesis strategies for what the chunkers of domains look for: logs, chats, contracts, papers, tables, programs."""

from __future__ import annotations

from hypothesis import strategies as st

from core.types import Block, BlockKind, Cell, Document, Span
from tests.syntax.test_units import PROGRAM

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


def as_code(text, language):
    return Document("v" * 64, "code", "T", text, metadata={"language": language})


def documents():
    programs = PROGRAM | st.text("def clas(){}:;#/*@\n\\ \tA1<h>", max_size=300)
    languages = st.sampled_from("python typescript go rust java c cpp bash latex html".split())
    prose = (texts().map(plain) for texts in (logs, chats, contracts, papers, st.text))
    return st.one_of(*prose, tables(), st.builds(as_code, programs, languages))
