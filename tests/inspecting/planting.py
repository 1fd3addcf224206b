"""Trees made by hand: a text with marks where it is cut, and a counter for which a word is a token."""

from __future__ import annotations

import re
from itertools import pairwise

import numpy as np

from core.parsing import parse
from core.settings import ParsingSettings
from core.types import Chunk, ChunkTree, Document

CUT = "¦"
WORD = re.compile(r"\S+")


class WordCounter:
    """A token for every word, and two special ones for each input."""

    fingerprint = "words"
    specials = 2

    def offsets(self, text):
        return np.array([match.span() for match in WORD.finditer(text)], dtype=np.int64).reshape(-1, 2)

    def count(self, texts):
        return [len(text.split()) for text in texts]


def document_of(text: str, name: str = "planted.md") -> Document:
    return parse(text.encode(), name, ParsingSettings())


def tree_of(document: Document, spans, headings=None, prefix=()) -> ChunkTree:
    """One parent over leaves with these spans, in order."""
    text = document.text
    whole = (min(start for start, _ in spans), max(end for _, end in spans))

    def made(name, level, parent, start, end, path=()):
        words = len(text[start:end].split())
        read = words + 2 + sum(len(part.text.split()) for part in prefix) if level == 0 else 0
        return Chunk(name, level, parent, start, end, text[start:end], words, read, path, prefix if not level else ())

    leaves = [
        made(f"leaf-{number}", 0, "top", start, end, headings[number] if headings else ())
        for number, (start, end) in enumerate(spans)
    ]
    return ChunkTree(document, (made("top", 1, None, *whole), *leaves))


def cut_tree(marked: str, name: str = "planted.md") -> ChunkTree:
    """The tree of a text cut at every mark; leaves are trimmed."""
    document = document_of(marked.replace(CUT, ""), name)
    places = [0]
    for piece in marked.split(CUT):
        places.append(places[-1] + len(piece))
    spans = []
    for start, end in pairwise(places):
        piece = document.text[start:end]
        if piece.strip():
            first = start + len(piece) - len(piece.lstrip())
            spans.append((first, first + len(piece.strip())))
    return tree_of(document, spans)
