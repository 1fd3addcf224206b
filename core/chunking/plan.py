"""What a chunker decides: where chunks begin and end, and why. ``tree`` turns a plan into chunks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from core.chunking.outline import Outline
from core.chunking.prefixes import Prefixes
from core.settings import ChunkingSettings
from core.text.spans import subtract_spans, trim
from core.text.tokens import TokenMap
from core.types import BlockKind, Document, Span

SKIPPED = {
    BlockKind.FRONT_MATTER: "front matter, kept as metadata",
    BlockKind.FURNITURE: "running header or footer",
}


@dataclass(frozen=True, slots=True)
class Piece:
    """A planned leaf. ``header``: the table header above it that it is parted from, if any.

    ``body``: where it begins without its overlap; equal to ``start`` when it has none.
    """

    start: int
    end: int
    begins: str
    ends: str
    body: int
    header: Span | None = None


@dataclass(frozen=True, slots=True)
class Group:
    """A planned parent and the leaves inside it, in order."""

    pieces: tuple[Piece, ...]
    begins: str
    ends: str
    header: Span | None = None


@dataclass(frozen=True, slots=True)
class Plan:
    """Parents in order. ``rooted``: they hang under one root, the document."""

    groups: tuple[Group, ...]
    rooted: bool = False


@dataclass(frozen=True, slots=True)
class Frame:
    """All a chunker works from: the document, the dials, its token map, its outline and its prefixes."""

    document: Document
    settings: ChunkingSettings
    tokens: TokenMap
    outline: Outline
    prefixes: Prefixes

    @property
    def regions(self) -> list[Span]:
        """The stretches of text that chunks must cover, trimmed: all but front matter and furniture."""
        text = self.document.text
        skipped = [block.span for block in self.document.blocks if block.kind in SKIPPED]
        spans = (trim(text, span.start, span.end) for span in subtract_spans([Span(0, len(text))], skipped))
        return [span for span in spans if span is not None]

    def room(self, heading: int, header: Span | None = None, inside: bool = False) -> int:
        """Tokens left for the body of a leaf in this section once its prefix has its share; at least 1."""
        reserve = self.prefixes.reserve(heading, inside)
        return max(1, self.settings.max_tokens - reserve - self.prefixes.header_reserve(header, reserve))

    def overlap(self, room: int) -> int:
        """Tokens of overlap a leaf with so much room may carry: never more than a third of it. 0 is off."""
        return min(self.settings.overlap_tokens, room // 3)


def frame(document: Document, settings: ChunkingSettings, tokens: TokenMap) -> Frame:
    """The frame of one document under one recipe."""
    outline = Outline(document)
    return Frame(document, settings, tokens, outline, Prefixes(outline, settings, tokens))


Chunker = Callable[[Frame], Plan]
