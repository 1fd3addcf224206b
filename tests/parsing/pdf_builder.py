"""Small PDFs drawn by tests, and what they read of the documents made of them."""

from __future__ import annotations

from collections.abc import Callable

import pymupdf

from core.parsing import parse
from core.settings import ParsingSettings
from core.types import Block, BlockKind, Document
from tests.parsing.laws import assert_laws

WORDS = (
    "the river runs past the old mill where nobody has ground any corn since the year of the great flood and "
    "every spring children come to look for the stones that the water has carried down from the hills "
).split()


def prose(first: str, count: int) -> str:
    """Deterministic running text of ``count`` words that begins with ``first``."""
    return " ".join([first, *(WORDS[number % len(WORDS)] for number in range(count))])


def pdf(*draw: Callable[[pymupdf.Page], None], width: float = 600, height: float = 800, **metadata: str) -> bytes:
    document = pymupdf.open()
    for one in draw:
        one(document.new_page(width=width, height=height))
    document.set_metadata(metadata)
    return bytes(document.tobytes())


def box(page: pymupdf.Page, x0: float, y0: float, x1: float, y1: float, text: str, size: float = 10) -> None:
    assert page.insert_textbox((x0, y0, x1, y1), text, fontsize=size) >= 0


def parsed(data: bytes, name: str = "a_file.pdf") -> Document:
    document = parse(data, name, ParsingSettings())
    assert_laws(document)
    return document


def texts(document: Document, kind: BlockKind) -> list[str]:
    return [document.text[block.start : block.end] for block in blocks(document, kind)]


def blocks(document: Document, kind: BlockKind) -> list[Block]:
    return [block for block in document.blocks if block.kind is kind]


def levels_of(document: Document) -> list[tuple[int, str]]:
    return [(block.level, document.text[block.start : block.end]) for block in blocks(document, BlockKind.HEADING)]
