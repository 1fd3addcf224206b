"""A document cut for a test, without a tokenizer: every word is a token."""

from __future__ import annotations

import re

import numpy as np

from core.chunking import chunk
from core.parsing import parse
from core.settings import ChunkingSettings, ParsingSettings
from core.types import Chunk, ChunkTree, Document


class WordCounter:
    """Words and marks as tokens."""

    fingerprint = "words"
    specials = 0

    def offsets(self, text):
        found = [match.span() for match in re.finditer(r"\w+|[^\w\s]", text)]
        return np.array(found, dtype=np.int64).reshape(-1, 2)

    def count(self, texts):
        return [len(self.offsets(text)) for text in texts]


def read(text: str, name: str = "page.md") -> Document:
    return parse(text.encode(), name, ParsingSettings())


def cut(document: Document, most: int = 60) -> ChunkTree:
    settings = ChunkingSettings(max_tokens=most, parent_max_tokens=most * 5)
    return chunk(document, settings, WordCounter())


def one_leaf(document: Document) -> ChunkTree:
    """The whole document as one chunk."""
    text = document.text
    start = len(text) - len(text.lstrip())
    end = len(text.rstrip())
    return ChunkTree(document, (Chunk("c" * 32, 0, None, start, end, text[start:end], 1),))
