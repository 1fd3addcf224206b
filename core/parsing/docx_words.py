"""Inline text put together: words with their links moved along, and pieces as the words of a cell or a note."""

from __future__ import annotations

from collections.abc import Iterable

from core.parsing.flow import Piece, Words
from core.types import BlockKind


def joined(parts: Iterable[Words], separator: str) -> Words:
    """Words one behind the other; blank ones vanish.

    >>> joined([Words("a"), Words(" "), Words("b", ((0, 1, "#x"),))], ", ")
    Words(text='a, b', links=((3, 4, '#x'),))
    """
    texts: list[str] = []
    links: list[tuple[int, int, str]] = []
    place = 0
    for words in parts:
        if not words.text.strip():
            continue
        place += len(separator) if texts else 0
        texts.append(words.text)
        links += [(place + start, place + end, target) for start, end, target in words.links]
        place += len(words.text)
    return Words(separator.join(texts), tuple(links))


def headed(head: str, words: Words) -> Words:
    """``head`` directly before the words.

    >>> headed("1. ", Words("go", ((0, 2, "#x"),)))
    Words(text='1. go', links=((3, 5, '#x'),))
    """
    moved = tuple((start + len(head), end + len(head), target) for start, end, target in words.links)
    return Words(head + words.text, moved) if head else words


def flat(pieces: Iterable[Piece]) -> Words:
    """All words of pieces in their order, a line each item, row and paragraph; list markers kept."""
    return joined((line for piece in pieces for line in _lines(piece)), "\n")


def _lines(piece: Piece) -> Iterable[Words]:
    if piece.kind is BlockKind.LIST:
        for item in piece.items:
            if item.words.text.strip():
                yield headed(f"{item.marker} " if item.marker else "", item.words)
    elif piece.kind is BlockKind.TABLE:
        for row in piece.rows:
            yield joined((cell.words for cell in row), " ")
    else:
        yield piece.words
