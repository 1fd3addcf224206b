"""Finds headings by typography in pages without heading tags, and running lines that recur on printed sheets."""

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

_MAX_LINE = 120  # characters of a running line
_MIN_TITLE_SHARE = 0.4  # of the stated title; a shorter part of it may be the name of the site
_MIN_SHEETS, _MIN_SHARE = 3, 0.2  # number and share of sheets at whose edges a running line recurs
_EDGE = 4  # pieces before and after the edge of a sheet
_STYLE_BREAK = re.compile(r"(?:page-)?break-(before|after)\s*:\s*(?:always|page)", re.IGNORECASE)


def looks_within(node: Node) -> Iterator[Look]:
    """The look of each text below a node that is not blank."""
    for child in node.children:
        if isinstance(child, Node):
            yield from looks_within(child)
        elif not child.isspace():
            yield look_of(child)


def sheet_edge(style: str) -> str:
    """Whether an element's style has a page break "before" or "after" it; "" for none.

    >>> sheet_edge("page-break-before:always"), sheet_edge("break-after: page"), sheet_edge("color: red")
    ('before', 'after', '')
    """
    found = _STYLE_BREAK.search(style)
    return found[1].lower() if found else ""


def without_running_lines(pieces: Sequence[Piece], edges: Sequence[int]) -> tuple[Piece, ...]:
    """The pieces; short ones that recur at the edges of printed sheets become FURNITURE.

    ``edges``: where sheets end, as the number of pieces before. In the last line of a sheet numbers may differ, as page
    numbers do; elsewhere exactly the same words must recur, because chapters are numbered too.

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
    near_edges = {index for edge in edges for index in range(max(edge - _EDGE, 0), min(edge + _EDGE, len(pieces)))}
    last = {edge - 1 for edge in edges if edge}
    min_count = max(_MIN_SHEETS, _MIN_SHARE * len(set(edges)))
    furniture: set[int] = set()
    for candidates, ignore_numbers in ((near_edges, False), (last, True)):
        lines = [_line(piece, ignore_numbers=ignore_numbers) for piece in pieces]
        at_edges, anywhere = Counter(lines[index] for index in candidates), Counter(lines)
        running = {
            line for line, count in at_edges.items() if line and count >= min_count and 2 * count > anywhere[line]
        }
        furniture |= {index for index, line in enumerate(lines) if line in running}
    return tuple(
        replace(piece, kind=BlockKind.FURNITURE) if index in furniture else piece for index, piece in enumerate(pieces)
    )


def _line(piece: Piece, *, ignore_numbers: bool) -> str:
    """The text of a short paragraph or heading for comparison, "" for other pieces. ``ignore_numbers``: numbers of a
    paragraph are replaced by "#".
    """
    text = " ".join(piece.words.text.split())
    if piece.kind not in (BlockKind.PARAGRAPH, BlockKind.HEADING) or len(text) > _MAX_LINE:
        return ""
    return re.sub(r"\d+", "#", text) if ignore_numbers and piece.kind is BlockKind.PARAGRAPH else text


def with_headings(pieces: Sequence[Piece], looks: Mapping[int, Look]) -> tuple[Piece, ...]:
    """The pieces; where the page has at most one heading tag, paragraphs that look like headings become HEADING.

    ``looks``: of paragraphs, by the ``id`` of the piece.
    """
    if len({piece.words.text for piece in pieces if piece.kind is BlockKind.HEADING}) > 1:
        return tuple(pieces)
    levels = levels_by_look(
        {index: (piece.words, looks[id(piece)]) for index, piece in enumerate(pieces) if id(piece) in looks},
        len(pieces),
    )
    return tuple(
        replace(piece, kind=BlockKind.HEADING, level=levels[index]) if index in levels else piece
        for index, piece in enumerate(pieces)
    )


def with_title(pieces: tuple[Piece, ...], stated: str) -> tuple[Piece, ...]:
    """The pieces; a paragraph before all headings that is the page's title becomes a HEADING of level 1, unless the
    page has one.

    ``stated``: the title in the page's head, which may include the site's name.

    >>> from core.parsing.flow import Words
    >>> pieces = tuple(Piece(BlockKind.PARAGRAPH, Words(text)) for text in ("v2.0", "Duck Class", "It swims."))
    >>> [piece.kind.value for piece in with_title(pieces, "Pond: Duck Class")]
    ['paragraph', 'heading', 'paragraph']
    """
    if any(piece.kind is BlockKind.HEADING and piece.level == 1 for piece in pieces):
        return pieces
    first = next((index for index, piece in enumerate(pieces) if piece.kind is BlockKind.HEADING), len(pieces))
    texts = {index: " ".join(piece.words.text.split()) for index, piece in enumerate(pieces[:first])}
    candidates = [
        index
        for index, text in texts.items()
        if pieces[index].kind is BlockKind.PARAGRAPH
        and len(text) > _MIN_TITLE_SHARE * len(stated)
        and is_part_of_title(text, stated)
    ]
    if not candidates:
        return pieces
    title = max(candidates, key=lambda index: len(texts[index]))
    return (*pieces[:title], replace(pieces[title], kind=BlockKind.HEADING, level=1), *pieces[title + 1 :])
