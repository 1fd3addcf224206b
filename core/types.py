"""The vocabulary of Lectern: frozen values whose span laws are checked where they are made.

Offsets are half-open ``[start, end)`` Unicode code points of ``Document.text``, everywhere.
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
        """Number of code points both spans share; 0 where they are apart."""
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
    FURNITURE = "furniture"  # running headers, footers, page numbers: the trailing region


@dataclass(frozen=True, slots=True)
class Cell:
    """One typed table cell. ``value`` is the number, truth value or text the cell states; ``None`` when empty."""

    row: int
    column: int
    start: int
    end: int
    value: CellValue
    header: bool = False


@dataclass(frozen=True, slots=True)
class Block:
    """A structural unit of a document. Blocks are sorted and never overlap.

    ``level``: 1-6 for headings, otherwise 0. ``parts``: where the block may be split without harm, as
    spans inside it in order (list items, table body rows, code lines; empty: sentences decide).
    ``header``: a table's header rows, repeated as prefix when rows are parted; ``None`` when it has none.
    ``language``: of a code block, "" when unknown.
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
    """A hyperlink over ``[start, end)`` of the text (its visible words)."""

    start: int
    end: int
    target: str


@dataclass(frozen=True, slots=True)
class PageBox:
    """The box of one text run: ``[start, end)`` stands on 1-based ``page`` within the rectangle, in points."""

    start: int
    end: int
    page: int
    x0: float
    y0: float
    x1: float
    y1: float


@dataclass(frozen=True, slots=True)
class Page:
    """A page's 1-based number, its size in points and how it was read: "text" (from what the file says, or blank),
    "ocr", "wordless" (a picture in which OCR found no words) or "unread". ``confidence``: of OCR, 0..1.
    """

    number: int
    width: float
    height: float
    reading: str = "text"
    confidence: float | None = None


@dataclass(frozen=True, slots=True)
class WordAudit:
    """Of the words a second, plain extraction finds in a file: where they went. Counts are of occurrences.

    ``words == in_text + in_metadata + sum(dropped) + missing``. ``reader``: how the second reading was made, in words.
    ``dropped``: (reason, words) of what was left out on purpose. ``examples``: some of the missing words, most
    frequent first; () when nothing is missing.
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
    """A file inside a file, such as a mail's: it becomes a document of its own."""

    name: str
    data: bytes


@dataclass(frozen=True, slots=True)
class Document:
    """The canonical text of one document version, and its structure as spans of it.

    ``version_id``: hex SHA-256 of the file's bytes. ``kind``: "markdown", "text", "code", "pdf", ...
    ``title``: never empty. ``title_span``: where the title stands in the text, ``None`` when it is a name.
    ``boxes`` and ``pages`` are empty for formats without pages. ``notes``: sentences about the parse worth showing.
    ``words``: what a second reading of the file says of this one, ``None`` where none was made. ``attachments`` are
    there after parsing alone: the catalogue keeps them as documents of their own.
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
        anchored: tuple[Link | PageBox, ...] = (*self.links, *self.boxes)
        for item in anchored:
            if not 0 <= item.start <= item.end <= len(self.text):
                raise SpanError(f"{item} leaves the text of {len(self.text)} characters.")


@dataclass(frozen=True, slots=True)
class PrefixPart:
    """Text shown before a chunk to some audience, outside its offsets.

    ``kind``: one of ``core.settings.PREFIX_KINDS``. ``source``: where the text was taken from, if it is in the text.
    """

    kind: str
    text: str
    source: Span | None = None


@dataclass(frozen=True, slots=True)
class Chunk:
    """One node of a document's chunk tree.

    ``level`` 0 is a leaf; a parent's level is its child's plus one. ``tokens``: of ``text`` in the embedder's own
    tokens, without special tokens. ``encoder_tokens``: what the encoder reads for a leaf, prefix and special tokens
    included; 0 for parents, which are not encoded. ``headings``: the path at the first body character; of a
    chunk that holds its section's heading and goes on into others, what their paths share. ``reasons``: why it begins
    and ends where it does, then what else its chunker has to say, as short sentences. ``metadata``: what the chunker
    found in it, such as the symbols that a function defines; {} for most.
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
    """All chunks of one document under one recipe: parents before their children, in text order.

    Construction proves laws 1 and 4: every text is its span's, children lie inside their parents, levels count up.
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
            above = by_id.get(chunk.parent_id)
            if above is None or chunk.start < above.start or above.end < chunk.end or above.level != chunk.level + 1:
                raise SpanError(f"Chunk {chunk.chunk_id} does not lie inside a parent one level above it.")

    @property
    def leaves(self) -> tuple[Chunk, ...]:
        return tuple(chunk for chunk in self.chunks if chunk.level == 0)


class TokenCounter(Protocol):
    """The embedder's own tokenizer, seen as arithmetic. ``fingerprint`` names it; ``specials`` are added per input."""

    fingerprint: str
    specials: int

    def offsets(self, text: str) -> NDArray[np.int64]:
        """``(n, 2)`` code point ``[start, end)`` of every token of ``text``, in order, without special tokens."""

    def count(self, texts: Sequence[str]) -> list[int]:
        """Tokens of each text, without special tokens and without truncation."""


class Encoder(Protocol):
    """Text to unit vectors. ``fingerprint``: weights, tokenizer, pooling, length. ``max_tokens`` counts specials."""

    fingerprint: str
    dimension: int
    max_tokens: int

    def encode(self, texts: Sequence[str], progress: Callable[[int], None] | None = None) -> Vectors:
        """``(len(texts), dimension)`` float32, unit norm. ``progress`` gets texts done; it may raise to stop."""


class VectorCache(Protocol):
    """Vectors by content key; what is in it is never encoded again."""

    def known(self, keys: Sequence[str]) -> set[str]:
        """Those of the keys that have a vector."""

    def get(self, keys: Sequence[str]) -> dict[str, Vectors]:
        """The vectors known, by key."""

    def put(self, items: Mapping[str, Vectors]) -> None:
        """Keep these vectors."""


class LexicalIndex(Protocol):
    """Ranked search over analysed tokens."""

    def search(self, tokens: Sequence[str], boosts: Mapping[str, float]) -> tuple[NDArray[np.int64], Vectors]:
        """``(rows, scores)`` of every row that holds a token, rows ascending; higher is better. Others are absent."""

    def holding(self, tokens: Sequence[str]) -> Mapping[str, NDArray[np.int64]]: ...  # ascending rows of each token


class LanguageModel(Protocol):
    """An optional model that writes; nothing needs one."""

    def complete(self, prompt: str) -> str: ...
