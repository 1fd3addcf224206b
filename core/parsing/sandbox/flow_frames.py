"""Readings as JSON, for the pipe between a reader's process and this one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from core.parsing.flow import Item, ParsedFile, Piece, TableCell, Words
from core.types import Attachment, BlockKind, Page


def to_json(reading: ParsedFile) -> dict[str, Any]:
    """A reading as JSON, without its attachments, which travel apart as bytes."""
    return {
        "pieces": [
            [
                piece.kind.value,
                _words_out(piece.words),
                piece.level,
                [[_words_out(item.words), item.marker, item.depth] for item in piece.items],
                [[[_words_out(cell.words), cell.value, cell.header] for cell in row] for row in piece.rows],
                piece.header_rows,
                piece.language,
                piece.page,
                list(piece.box),
                piece.aside,
            ]
            for piece in reading.pieces
        ],
        "title": reading.title,
        "metadata": reading.metadata,
        "notes": list(reading.notes),
        "pages": [[page.number, page.width, page.height] for page in reading.pages],
    }


def from_json(value: dict[str, Any], attachments: Sequence[Attachment] = ()) -> ParsedFile:
    """The reading back. Raises ``KeyError``, ``TypeError`` or ``ValueError`` for what no reader wrote.

    >>> reading = ParsedFile((Piece(BlockKind.HEADING, Words("A", ((0, 1, "b:"),)), level=2),), title="T")
    >>> from_json(to_json(reading)) == reading
    True
    """
    return ParsedFile(
        pieces=tuple(_piece_in(row) for row in value["pieces"]),
        title=str(value["title"]),
        metadata={str(key): str(entry) for key, entry in value["metadata"].items()},
        notes=tuple(map(str, value["notes"])),
        pages=tuple(Page(int(n), float(w), float(h)) for n, w, h in value["pages"]),
        attachments=tuple(attachments),
    )


def _piece_in(row: Sequence[Any]) -> Piece:
    kind, words, level, items, rows, header_rows, language, page, box, aside = row
    x0, y0, x1, y1 = map(float, box)
    return Piece(
        BlockKind(kind),
        _words_in(words),
        int(level),
        tuple(Item(_words_in(text), str(marker), int(depth)) for text, marker, depth in items),
        tuple(tuple(TableCell(_words_in(text), stated, bool(head)) for text, stated, head in cells) for cells in rows),
        int(header_rows),
        str(language),
        int(page),
        (x0, y0, x1, y1),
        bool(aside),
    )


def _words_out(words: Words) -> list[Any]:
    return [words.text, *([[list(link) for link in words.links]] if words.links else [])]


def _words_in(value: Sequence[Any]) -> Words:
    links = value[1] if len(value) > 1 else []
    return Words(str(value[0]), tuple((int(a), int(b), str(target)) for a, b, target in links))
