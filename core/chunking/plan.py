"""What a chunker receives (``ChunkingContext``) and returns (``Plan``: where chunks begin and end, and why).

``tree`` turns a plan into chunks.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import compress
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from core.chunking.prefixes import Prefixes
from core.chunking.signals.series import Series, regions
from core.settings import ChunkingSettings
from core.syntax import Syntax, Unread, is_readable, read_sources
from core.text.outline import Outline
from core.text.tokens import TokenMap
from core.types import Document, Encoder, LanguageModel, Span, Vectors

CodeSpan = tuple[str, Span]


class SyntaxReader(Protocol):
    """Parses untrusted source code within limits of time and memory. Never raises because of a text."""

    def __call__(self, sources: Sequence[tuple[str, str]], /) -> list[Syntax | Unread]:
        """One result for each (text, language), in order."""


class SyntaxCache:
    """The syntax trees of one document's code spans, each parsed once; a failure is kept too and not retried."""

    __slots__ = ("_cache", "_document")

    def __init__(self, document: Document) -> None:
        self._document = document
        self._cache: dict[CodeSpan, Syntax | Unread] = {}

    def read(self, spans: Sequence[CodeSpan], reader: SyntaxReader) -> list[Syntax | Unread]:
        """The syntax of each (language, span), in order. Spans not cached yet go to ``reader`` in one call."""
        text = self._document.text
        new = [code_span for code_span in dict.fromkeys(spans) if code_span not in self._cache]
        sources = [(text[span.start : span.end], language) for language, span in new]
        readable = [is_readable(source, language) for source, language in sources]
        requests = list(compress(sources, readable))
        syntaxes = reader(requests) if requests else []
        self._cache |= dict.fromkeys(new, Unread.FOREIGN) | dict(zip(compress(new, readable), syntaxes, strict=True))
        return [self._cache[code_span] for code_span in spans]


Metadata = Mapping[str, tuple[str, ...]]


class SectionStarts(Protocol):
    """A classifier that tells which sentences start a section. ``fingerprint`` identifies the trained model."""

    @property
    def fingerprint(self) -> str: ...

    def probability(self, document: Document, sentences: tuple[Span, ...], vectors: Vectors) -> NDArray[np.float64]:
        """``(n,)`` in [0, 1]: for each sentence the probability that it starts a section."""


class Writer(LanguageModel, Protocol):
    """A language model that proposes cuts or writes chunk contexts.

    ``fingerprint`` identifies the model and its generation settings; ``room`` is the longest prompt in bytes.
    """

    @property
    def fingerprint(self) -> str: ...

    @property
    def room(self) -> int: ...


@dataclass(frozen=True, slots=True)
class ChunkerResources:
    """The models and parsers that a chunker may use. A chunker whose resource is ``None`` falls back to another one.

    ``starts``: classifies section starts. ``writer``: proposes cuts. ``situator``: writes the context, summary and
    questions of leaves. ``syntax``: parses code; ``None`` parses in this process, which is safe for trusted text only.
    ``tell(done, total)``: progress of the calls to a language model; may raise to stop.
    """

    encoder: Encoder | None = None
    starts: SectionStarts | None = None
    writer: Writer | None = None
    situator: Writer | None = None
    syntax: SyntaxReader | None = None
    tell: Callable[[int, int], None] = lambda done, total: None

    def fingerprint(self, settings: ChunkingSettings) -> str:
        """Identifies the resources that decide the chunks under these settings; "" where none does."""
        chunker = settings.chunker
        parts = [self.encoder.fingerprint] if self.encoder is not None and chunker in BY_VECTORS else []
        if self.starts is not None and chunker == "learned":
            parts.append(self.starts.fingerprint)
        if self.writer is not None and chunker == "proposed":
            parts.append(self.writer.fingerprint)
        if self.situator is not None and settings.asks:
            parts.append(self.situator.fingerprint)
        return "|".join(parts)


BY_VECTORS = frozenset({"semantic", "cluster", "learned"})
"""The chunkers that need sentence vectors."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A planned leaf, ``[start, end)``.

    ``body``: where its own text begins, after the overlap; equal to ``start`` without overlap. ``header``: a table
    header or signature that lies outside the leaf and is repeated before it, as a prefix part of kind ``header_kind``.
    ``row_label``: what the table row is about that the leaf begins inside, for the embedder; "" is off. ``begins``,
    ``ends``: the reasons for the two boundaries.
    """

    start: int
    end: int
    begins: str
    ends: str
    body: int
    header: Span | None = None
    header_kind: str = "table_header"
    row_label: str = ""
    metadata: Metadata = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Group:
    """A planned parent and its leaves, in order. The other fields are as in ``Piece``."""

    pieces: tuple[Piece, ...]
    begins: str
    ends: str
    header: Span | None = None
    header_kind: str = "table_header"
    metadata: Metadata = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Plan:
    """The planned parents in order. ``rooted``: put them under one root chunk. ``notes``: reasons of every chunk."""

    groups: tuple[Group, ...]
    rooted: bool = False
    notes: tuple[str, ...] = ()

    def with_notes(self, *notes: str) -> Plan:
        """The same cuts, with these notes before its own."""
        return replace(self, notes=(*notes, *self.notes))

    def as_fallback(self, chunker: str, reason: str) -> Plan:
        """The same cuts, with the note that ``chunker`` made them in place of the chosen one.

        >>> Plan(()).as_fallback("structure", "this text has no table").notes
        ('instead: structure; this text has no table',)
        """
        return self.with_notes(f"instead: {chunker}; {reason}")


@dataclass(frozen=True, slots=True)
class ChunkingContext:
    """Everything a chunker works from: the document and its precomputed views, the settings, and the models."""

    document: Document
    settings: ChunkingSettings
    tokens: TokenMap
    outline: Outline
    prefixes: Prefixes
    series: Series
    resources: ChunkerResources
    syntax_cache: SyntaxCache

    @property
    def regions(self) -> list[Span]:
        """The spans of text that chunks must cover, trimmed: all but front matter and furniture."""
        return regions(self.document)

    @property
    def sentences(self) -> tuple[Span, ...]:
        """The sentences of all regions in order; a heading, a table or a code block counts as one sentence."""
        return self.series.spans

    def vectors(self) -> Vectors | None:
        """``(n, d)`` float32, unit norm, one row per sentence; ``None`` without an encoder."""
        return self.series.vectors()

    def syntax(self, spans: Sequence[CodeSpan]) -> list[Syntax | Unread]:
        """The syntax of each (language, span) of code, in order, from the document's cache where it was parsed."""
        return self.syntax_cache.read(spans, self.resources.syntax or read_sources)

    def room(self, heading: int, header: Span | None = None, inside: bool = False, kind: str = "table_header") -> int:
        """The token budget of a leaf's body in the section of ``heading``, after its prefix; at least 1.

        ``header``, ``kind``: what is repeated before the leaf. ``inside``: the leaf begins with the heading itself.
        """
        reserve = self.prefixes.reserve(heading, inside)
        return max(1, self.settings.max_tokens - reserve - self.prefixes.header_reserve(header, reserve, kind))

    @property
    def least_room(self) -> int:
        """A lower bound of ``room`` for any leaf, whatever its prefix."""
        return max(1, self.settings.max_tokens // 2 - 2)  # a prefix takes at most half, and two line ends

    def overlap(self, room: int) -> int:
        """The token budget of the overlap of a leaf with this ``room``, at most a third of it; 0 is off."""
        return min(self.settings.overlap_room, room // 3)


Chunker = Callable[[ChunkingContext], Plan]
