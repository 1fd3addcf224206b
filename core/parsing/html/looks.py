"""Headings of pages that state none, by how they look, and the lines that every printed sheet of a page repeats."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from core.parsing.file_names import is_part_of_title
from core.parsing.flow import Piece
from core.parsing.html.tree import Node, look_of
from core.parsing.looks import Look, levels_by_look
from core.types import BlockKind

_LONGEST = 120  # characters of a line that may run
_OF_TITLE = 0.4  # a part of a stated title that is shorter may be the name of the site
_SHEETS, _SHARE = 3, 0.2  # sheets, at least, and of all, that a line stands on the edge of to be none of the text
_EDGE = 4  # pieces before and behind the edge of a sheet
_STYLE_BREAK = re.compile(r"(?:page-)?break-(before|after)\s*:\s*(?:always|page)", re.IGNORECASE)


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

    ``looks``: of paragraphs, by the piece's ``id``.
    """
    if len({piece.words.text for piece in pieces if piece.kind is BlockKind.HEADING}) > 1:
        return tuple(pieces)
    levels = levels_by_look(
        {place: (piece.words, looks[id(piece)]) for place, piece in enumerate(pieces) if id(piece) in looks},
        len(pieces),
    )
    return tuple(
        replace(piece, kind=BlockKind.HEADING, level=levels[place]) if place in levels else piece
        for place, piece in enumerate(pieces)
    )


def with_title(pieces: tuple[Piece, ...], stated: str) -> tuple[Piece, ...]:
    """The pieces, the page's title as a heading where it stands before all headings and no tag says so.

    ``stated``: what the page's head says its title is, with the site's name or without.

    >>> from core.parsing.flow import Words
    >>> pieces = tuple(Piece(BlockKind.PARAGRAPH, Words(text)) for text in ("v2.0", "Duck Class", "It swims."))
    >>> [piece.kind.value for piece in with_title(pieces, "Pond: Duck Class")]
    ['paragraph', 'heading', 'paragraph']
    """
    if any(piece.kind is BlockKind.HEADING and piece.level == 1 for piece in pieces):
        return pieces
    first = next((place for place, piece in enumerate(pieces) if piece.kind is BlockKind.HEADING), len(pieces))
    said = {place: " ".join(piece.words.text.split()) for place, piece in enumerate(pieces[:first])}
    found = [
        place
        for place, text in said.items()
        if pieces[place].kind is BlockKind.PARAGRAPH
        and len(text) > _OF_TITLE * len(stated)
        and is_part_of_title(text, stated)
    ]
    if not found:
        return pieces
    place = max(found, key=lambda one: len(said[one]))
    return (*pieces[:place], replace(pieces[place], kind=BlockKind.HEADING, level=1), *pieces[place + 1 :])
