"""The shared data types of Lectern: documents, chunks and the protocols between rooms.

All values are frozen, and constructors check that offsets are consistent. Every ``[start, end)`` is a half-open range
of Unicode code points of ``Document.text``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from core.errors import SpanError

Vectors = NDArray[np.float32]
CellValue = str | int | float | bool | None


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A half-open range of code points; ``start <= end``, both non-negative.

    >>> Span(2, 5).length, Span(2, 5).contains(Span(3, 5)), Span(2, 5).overlap(Span(4, 9))
    (3, True, 1)
    """

    start: int
    end: int

    def __post_init__(self) -> None:
        if not 0 <= self.start <= self.end:
            raise SpanError(f"A span needs 0 <= start <= end, got [{self.start}, {self.end}).")

    @property
    def length(self) -> int:
        return self.end - self.start

    def contains(self, other: Span) -> bool:
        return self.start <= other.start and other.end <= self.end

    def overlap(self, other: Span) -> int:
        """Number of code points in both spans; 0 for disjoint spans."""
        return max(0, min(self.end, other.end) - max(self.start, other.start))


class BlockKind(StrEnum):
    HEADING = "heading"
    PARAGRAPH = "paragraph"
    LIST = "list"
    TABLE = "table"
    CODE = "code"
    QUOTE = "quote"
    CAPTION = "caption"
    FOOTNOTE = "footnote"
    HTML = "html"
    RULE = "rule"
    FRONT_MATTER = "front_matter"  # metadata: audited, not chunked
    FURNITURE = "furniture"  # running headers, footers, page numbers; placed at the end of the text


@dataclass(frozen=True, slots=True)
class Cell:
    """One table cell with its 0-based position, its span and its typed ``value``; ``None`` for an empty cell."""

    row: int
    column: int
    start: int
    end: int
    value: CellValue
    header: bool = False


@dataclass(frozen=True, slots=True)
class Block:
    """A structural unit of a document. Blocks are sorted and never overlap.

    ``level``: 1-6 for headings, otherwise 0. ``parts``: the units at which the block may be split, as sorted spans
    inside it (list items, table body rows, code lines); when empty, the block is split at sentences.
    ``header``: the header rows of a table, repeated as a prefix when the table is split; ``None`` without a header.
    ``language``: the programming language of a code block, "" when unknown.
    """

    kind: BlockKind
    start: int
    end: int
    level: int = 0
    parts: tuple[Span, ...] = ()
    header: Span | None = None
    cells: tuple[Cell, ...] = ()
    language: str = ""

    def __post_init__(self) -> None:
        whole = Span(self.start, self.end)
        inner = (*self.parts, *((self.header,) if self.header else ()))
        if not all(whole.contains(part) for part in inner):
            raise SpanError(f"A part lies outside its {self.kind} block {whole}.")
        if not all(self.start <= cell.start <= cell.end <= self.end for cell in self.cells):
            raise SpanError(f"A cell lies outside its {self.kind} block {whole}.")

    @property
    def span(self) -> Span:
        return Span(self.start, self.end)


@dataclass(frozen=True, slots=True)
class Link:
    """A hyperlink whose visible text is ``[start, end)``."""

    start: int
    end: int
    target: str


@dataclass(frozen=True, slots=True)
class PageBox:
    """The bounding box of one text run: ``[start, end)`` on a 1-based ``page``, coordinates in points."""

    start: int
    end: int
    page: int
    x0: float
    y0: float
    x1: float
    y1: float


@dataclass(frozen=True, slots=True)
class Page:
    """A page: its 1-based number, its size in points and how its text was obtained.

    ``reading``: "text" (the text layer of the file, or a blank page), "ocr", "wordless" (OCR found no words in its
    picture) or "unread". ``confidence``: of OCR, 0 to 1; ``None`` without OCR.
    """

    number: int
    width: float
    height: float
    reading: str = "text"
    confidence: float | None = None


@dataclass(frozen=True, slots=True)
class WordAudit:
    """A check for lost text: the words that a second, simpler extraction finds in the file, by where they ended up.

    Counts are of occurrences: ``words == in_text + in_metadata + sum(dropped) + missing``. ``reader``: a description
    of the second extraction. ``dropped``: (reason, count) of words omitted on purpose. ``examples``: some of the
    missing words, most frequent first.
    """

    reader: str
    words: int
    in_text: int
    in_metadata: int = 0
    dropped: tuple[tuple[str, int], ...] = ()
    missing: int = 0
    examples: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file inside another file, such as a mail's attachment. It becomes a document of its own."""

    name: str
    data: bytes


@dataclass(frozen=True, slots=True)
class Document:
    """The canonical text of one document version, and its structure as spans of that text.

    ``version_id``: hex SHA-256 of the file's bytes. ``kind``: "markdown", "text", "code", "pdf", ...
    ``title``: never empty. ``title_span``: the title in the text, ``None`` when the title is the file's name.
    ``boxes`` and ``pages``: empty for formats without pages. ``notes``: sentences about the parse, for display.
    ``words``: the check for lost text, ``None`` where none was made. ``attachments``: set by the parser only; the
    catalogue stores them as documents of their own.
    """

    version_id: str
    kind: str
    title: str
    text: str
    blocks: tuple[Block, ...] = ()
    title_span: Span | None = None
    links: tuple[Link, ...] = ()
    pages: tuple[Page, ...] = ()
    boxes: tuple[PageBox, ...] = ()
    metadata: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    words: WordAudit | None = None
    attachments: tuple[Attachment, ...] = ()

    def __post_init__(self) -> None:
        previous = 0
        for block in self.blocks:
            if block.start < previous or block.end > len(self.text):
                raise SpanError(f"Block {block.kind} [{block.start}, {block.end}) overlaps another or leaves the text.")
            previous = block.end
        ranges: tuple[Link | PageBox, ...] = (*self.links, *self.boxes)
        for item in ranges:
            if not 0 <= item.start <= item.end <= len(self.text):
                raise SpanError(f"{item} leaves the text of {len(self.text)} characters.")


@dataclass(frozen=True, slots=True)
class PrefixPart:
    """Text put before a chunk for the encoder or the reader. It is not part of the chunk's span.

    ``kind``: one of ``core.settings.PREFIX_KINDS``. ``source``: the span it was copied from, ``None`` if it does not
    occur in the document's text.
    """

    kind: str
    text: str
    source: Span | None = None


@dataclass(frozen=True, slots=True)
class Chunk:
    """One node of a document's chunk tree.

    ``level``: 0 for a leaf; a parent is one level above its children. ``tokens``: of ``text``, by the embedder's
    tokenizer, without special tokens. ``encoder_tokens``: the length of a leaf's encoder input, with prefix and special
    tokens; 0 for parents, which are not encoded. ``headings``: the heading path at the first body character; for a
    chunk that starts with its section's heading and spans several sections, their common path. ``reasons``: short
    sentences, first why the chunk begins and ends where it does, then other remarks of the chunker. ``metadata``: what
    the chunker found in the text, such as the symbols that a function defines; often empty.
    """

    chunk_id: str
    level: int
    parent_id: str | None
    start: int
    end: int
    text: str
    tokens: int
    encoder_tokens: int = 0
    headings: tuple[str, ...] = ()
    prefix: tuple[PrefixPart, ...] = ()
    reasons: tuple[str, ...] = ()
    metadata: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not 0 <= self.start < self.end or len(self.text) != self.end - self.start:
            raise SpanError(
                f"Chunk {self.chunk_id} claims [{self.start}, {self.end}) but has {len(self.text)} characters."
            )
        if self.level < 0:
            raise SpanError(f"Chunk {self.chunk_id} has level {self.level}; leaves are level 0.")

    @property
    def span(self) -> Span:
        return Span(self.start, self.end)


@dataclass(frozen=True, slots=True)
class ChunkTree:
    """All chunks of one document by one recipe, in text order, parents before their children.

    The constructor checks that ids are unique, that every chunk's text is the document's text at its span, and that
    every child lies inside a parent one level above it. Raises ``SpanError``.
    """

    document: Document
    chunks: tuple[Chunk, ...]

    def __post_init__(self) -> None:
        text, by_id = self.document.text, {chunk.chunk_id: chunk for chunk in self.chunks}
        if len(by_id) != len(self.chunks):
            raise SpanError("Two chunks of one document share an id.")
        for chunk in self.chunks:
            if text[chunk.start : chunk.end] != chunk.text:
                raise SpanError(f"Chunk {chunk.chunk_id} is not the text of its span.")
            if chunk.parent_id is None:
                continue
            parent = by_id.get(chunk.parent_id)
            if parent is None or not parent.span.contains(chunk.span) or parent.level != chunk.level + 1:
                raise SpanError(f"Chunk {chunk.chunk_id} does not lie inside a parent one level above it.")

    @property
    def leaves(self) -> tuple[Chunk, ...]:
        return tuple(chunk for chunk in self.chunks if chunk.level == 0)


class TokenCounter(Protocol):
    """Counts and locates tokens of the embedder's tokenizer.

    ``fingerprint``: identifies the tokenizer. ``specials``: the number of special tokens it adds to each input.
    """

    fingerprint: str
    specials: int

    def offsets(self, text: str) -> NDArray[np.int64]:
        """Shape ``(tokens, 2)``: ``[start, end)`` of each token of ``text`` in code points, without special tokens."""

    def count(self, texts: Sequence[str]) -> list[int]:
        """The number of tokens of each text, without special tokens and without truncation."""


class Encoder(Protocol):
    """Encodes text as unit vectors of ``dimension``.

    ``fingerprint``: identifies weights, tokenizer, pooling and length. ``max_tokens``: the longest input, special
    tokens included.
    """

    fingerprint: str
    dimension: int
    max_tokens: int

    def encode(self, texts: Sequence[str], progress: Callable[[int], None] | None = None) -> Vectors:
        """One float32 row of unit norm per text: ``(len(texts), dimension)``.

        ``progress`` is called with the number of texts encoded so far; it may raise to stop.
        """


class VectorCache(Protocol):
    """Vectors by content key, so that no input is encoded twice."""

    def known(self, keys: Sequence[str]) -> set[str]:
        """The subset of ``keys`` that have a vector."""

    def get(self, keys: Sequence[str]) -> dict[str, Vectors]:
        """The cached vectors by key; keys without one are absent."""

    def put(self, items: Mapping[str, Vectors]) -> None:
        """Store vectors by key."""


class LexicalIndex(Protocol):
    """Ranked search over analysed tokens."""

    def search(self, tokens: Sequence[str]) -> tuple[NDArray[np.int64], Vectors]:
        """``(rows, scores)`` of every row with at least one of the tokens; rows ascending, higher scores better."""

    def holding(self, tokens: Sequence[str]) -> Mapping[str, NDArray[np.int64]]:
        """The postings of each token: the rows that contain it, ascending."""


class LanguageModel(Protocol):
    """A generative model; every use of one is optional."""

    def complete(self, prompt: str) -> str: ...
