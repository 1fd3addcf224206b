"""Headings of pages that state none, by how they look, and the lines that every printed sheet of a page repeats."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby

from core.parsing.flow import Piece
from core.parsing.html.tree import PLAIN_LOOK, Look, Node, look_of
from core.types import BlockKind

_LARGER = 1.15  # times the body's size: what is set so is a heading without being bold
_MOSTLY = 0.4  # of the letters; where so many are bold, bold heads nothing
_LONGEST, _SENTENCE = 120, 60  # characters of a heading, and of one that ends as a sentence does
_LONGEST_RUN = 5  # headings one after the other; more are a title page or an address
_MAX_LEVEL = 6
_USUAL = 3  # headings that look alike; fewer, as on a title page, are no level of their own
_SHEETS, _SHARE = 3, 0.2  # sheets, at least, and of all, that a line stands on the edge of to be none of the text
_EDGE = 4  # pieces before and behind the edge of a sheet
_STYLE_BREAK = re.compile(r"(?:page-)?break-(before|after)\s*:\s*(?:always|page)", re.IGNORECASE)


def common_look(first: Look, second: Look) -> Look:
    """The look of two runs of one line."""
    return Look(first.size, first.bold and second.bold, first.italic and second.italic)


def looks_within(node: Node) -> Iterator[Look]:
    """How each text below a node is set, blanks aside."""
    for child in node.children:
        if isinstance(child, Node):
            yield from looks_within(child)
        elif not child.isspace():
            yield look_of(child)


def sheet_edge(style: str) -> str:
    """ "before", "after" or "": where an element's style begins a new sheet of paper.

    >>> sheet_edge("page-break-before:always"), sheet_edge("break-after: page"), sheet_edge("color: red")
    ('before', 'after', '')
    """
    found = _STYLE_BREAK.search(style)
    return found[1].lower() if found else ""


def without_running_lines(pieces: Sequence[Piece], edges: Sequence[int]) -> tuple[Piece, ...]:
    """The pieces, short ones that recur at the edges of sheets as furniture.

    ``edges``: places between pieces where a sheet ends, as the number of pieces before. The last line of a sheet may
    count; anywhere else the same words must recur, for a chapter has a number, too.

    >>> from core.parsing.flow import Words
    >>> texts = ["Ducks swim.", "p. 1", "Geese fly.", "p. 2", "Swans do both.", "p. 3"]
    >>> pieces = [Piece(BlockKind.PARAGRAPH, Words(text)) for text in texts]
    >>> [piece.words.text for piece in without_running_lines(pieces, (2, 4, 6)) if piece.kind is BlockKind.FURNITURE]
    ['p. 1', 'p. 2', 'p. 3']
    >>> all(piece.kind is BlockKind.PARAGRAPH for piece in without_running_lines(pieces, (1, 3, 5)))
    True
    """
    if not edges:
        return tuple(pieces)
    beside_edges = {place for edge in edges for place in range(max(edge - _EDGE, 0), min(edge + _EDGE, len(pieces)))}
    last = {edge - 1 for edge in edges if edge}
    least = max(_SHEETS, _SHARE * len(set(edges)))
    running: set[int] = set()
    for beside, counted in ((beside_edges, False), (last, True)):
        lines = [_line(piece, counted=counted) for piece in pieces]
        on_edges, anywhere = Counter(lines[place] for place in beside), Counter(lines)
        told = {line for line, count in on_edges.items() if line and count >= least and 2 * count > anywhere[line]}
        running |= {place for place, line in enumerate(lines) if line in told}
    return tuple(
        replace(piece, kind=BlockKind.FURNITURE) if place in running else piece for place, piece in enumerate(pieces)
    )


def _line(piece: Piece, *, counted: bool) -> str:
    """A short piece, ``counted``: of a paragraph without the numbers in it; "" for any other."""
    text = " ".join(piece.words.text.split())
    if piece.kind not in (BlockKind.PARAGRAPH, BlockKind.HEADING) or len(text) > _LONGEST:
        return ""
    return re.sub(r"\d+", "#", text) if counted and piece.kind is BlockKind.PARAGRAPH else text


def with_headings(pieces: Sequence[Piece], looks: Mapping[int, Look]) -> tuple[Piece, ...]:
    """The pieces, paragraphs that look like headings as such, where the page states at most one heading.

    ``looks``: of paragraphs, by the piece's ``id``. A heading is short and bold, or larger than most letters; larger
    ones stand above smaller ones, capitals above small letters, upright above slanted ones.
    """
    if len({piece.words.text for piece in pieces if piece.kind is BlockKind.HEADING}) > 1:
        return tuple(pieces)
    letters: Counter[Look] = Counter()
    for piece in pieces:
        if id(piece) in looks:
            letters[looks[id(piece)]] += len(piece.words.text)
    bold = sum(count for look, count in letters.items() if look.bold) > _MOSTLY * letters.total()
    body = max(letters, key=lambda look: (not look.bold, letters[look]), default=PLAIN_LOOK).size
    found = {
        place: looks[id(piece)]
        for place, piece in enumerate(pieces)
        if id(piece) in looks and _heads(piece, looks[id(piece)], body, mostly_bold=bold)
    }
    for _, run in groupby(
        enumerate(list(found)), key=lambda entry: entry[1] - entry[0]
    ):  # those that follow each other
        places = [place for _, place in run]
        if len(places) > _LONGEST_RUN:
            found = {place: look for place, look in found.items() if place not in places}
    ranks = {
        place: (-look.size, not look.bold, not pieces[place].words.text.isupper(), look.italic)
        for place, look in found.items()
    }
    counts = Counter(ranks.values())
    usual = sorted(rank for rank, count in counts.items() if count >= _USUAL)
    return tuple(
        replace(piece, kind=BlockKind.HEADING, level=min(_MAX_LEVEL, 1 + bisect_left(usual, ranks[place])))
        if place in ranks
        else piece
        for place, piece in enumerate(pieces)
    )


def _heads(piece: Piece, look: Look, body: float, *, mostly_bold: bool) -> bool:
    text = piece.words.text.strip()
    aside = text[0] == "(" and text[-1] == ")"
    if aside or len(text) > _LONGEST or "\n" in text or text[-1] in ",;" or text[0].islower():
        return False
    letters = sum(map(str.isalpha, text))
    linked = sum(end - start for start, end, _ in piece.words.links)
    if letters < 2 or letters < 0.4 * len(text.replace(" ", "")) or 2 * linked > len(text):
        return False
    larger = 0 < body * _LARGER < look.size
    return larger or (look.bold and not mostly_bold and not (text[-1] in ".!?" and len(text) > _SENTENCE))
