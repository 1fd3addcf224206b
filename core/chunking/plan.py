"""What a chunker decides: where chunks begin and end, and why. ``tree`` turns a plan into chunks."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
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
    """Reads the syntax of code that may be hostile, within limits of time and memory. Never raises for a text."""

    def __call__(self, sources: Sequence[tuple[str, str]], /) -> list[Syntax | Unread]:
        """One for each (text, language), in order."""


class SyntaxCache:
    """The syntax of the code spans of one document. What could not be read is not tried again."""

    __slots__ = ("_document", "_known")

    def __init__(self, document: Document) -> None:
        self._document = document
        self._known: dict[CodeSpan, Syntax | Unread] = {}

    def read(self, spans: Sequence[CodeSpan], reader: SyntaxReader) -> list[Syntax | Unread]:
        """Of each (language, span), in order; those not known yet are asked for together."""
        text = self._document.text
        new = [(language, span) for language, span in dict.fromkeys(spans) if (language, span) not in self._known]
        words = {(language, span): text[span.start : span.end] for language, span in new}
        missing = [place for place in new if is_readable(words[place], place[0])]
        found = reader([(words[place], place[0]) for place in missing]) if missing else []
        self._known |= dict.fromkeys(new, Unread.FOREIGN) | dict(zip(missing, found, strict=True))
        return [self._known[one] for one in spans]


Metadata = Mapping[str, tuple[str, ...]]


class SectionStarts(Protocol):
    """A classifier of sentences that open a section. ``fingerprint`` names what it learned."""

    @property
    def fingerprint(self) -> str: ...

    def probability(self, document: Document, sentences: tuple[Span, ...], vectors: Vectors) -> NDArray[np.float64]:
        """``(n,)`` in [0, 1], one for each sentence."""


class Writer(LanguageModel, Protocol):
    """A language model that cuts and contexts may be asked of. ``fingerprint`` names the model and how it is asked to
    write, ``room`` is how many bytes a prompt may have.
    """

    @property
    def fingerprint(self) -> str: ...

    @property
    def room(self) -> int: ...


@dataclass(frozen=True, slots=True)
class ChunkerResources:
    """The models and readers that a chunker may use; without one (``None``) the document is left to another chunker.

    ``writer``: proposes cuts; ``situator``: says what a leaf leaves unsaid, or is found by. ``syntax``: reads
    code; ``None``: it is read in this process, which is for texts that are known not to be hostile. ``tell(done,
    total)``: of what a language model is asked; may raise to stop.
    """

    encoder: Encoder | None = None
    starts: SectionStarts | None = None
    writer: Writer | None = None
    situator: Writer | None = None
    syntax: SyntaxReader | None = None
    tell: Callable[[int, int], None] = lambda done, total: None

    def fingerprint(self, settings: ChunkingSettings) -> str:
        """Names those of the resources that decide the chunks under these dials; "" where none does."""
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
"""The chunkers that read the vectors of a document's sentences."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A planned leaf. ``header``: the table header above it that it is parted from, if any.

    ``body``: where it begins without its overlap; equal to ``start`` when it has none. ``header_kind``: the kind of
    prefix part the header becomes. ``said``: what its row is about, for the embedder; "" is off.
    """

    start: int
    end: int
    begins: str
    ends: str
    body: int
    header: Span | None = None
    header_kind: str = "table_header"
    said: str = ""
    metadata: Metadata = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Group:
    """A planned parent and the leaves inside it, in order."""

    pieces: tuple[Piece, ...]
    begins: str
    ends: str
    header: Span | None = None
    header_kind: str = "table_header"
    metadata: Metadata = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Plan:
    """Parents in order. ``rooted``: they hang under one root, the document. ``notes``: said with every chunk."""

    groups: tuple[Group, ...]
    rooted: bool = False
    notes: tuple[str, ...] = ()

    def saying(self, *notes: str) -> Plan:
        """The same cuts, with these notes before those it has."""
        return replace(self, notes=(*notes, *self.notes))

    def instead(self, chunker: str, why: str) -> Plan:
        """The same cuts, with the note that this chunker made them in place of the one that was asked for.

        >>> Plan(()).instead("structure", "this text has no table").notes
        ('instead: structure; this text has no table',)
        """
        return self.saying(f"instead: {chunker}; {why}")


@dataclass(frozen=True, slots=True)
class ChunkingContext:
    """All a chunker works from: the document, what is known of it, the dials, and the models it may ask."""

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
        """The sentences of all regions in order; a heading, a table and a code block are each one."""
        return self.series.spans

    def vectors(self) -> Vectors | None:
        """``(n, d)`` float32, unit norm, a row for each sentence; ``None`` without an encoder."""
        return self.series.vectors()

    def syntax(self, spans: Sequence[CodeSpan]) -> list[Syntax | Unread]:
        """Of each (language, span) of code, in order; what was read for another cut is not read again."""
        return self.syntax_cache.read(spans, self.resources.syntax or read_sources)

    def room(self, heading: int, header: Span | None = None, inside: bool = False, kind: str = "table_header") -> int:
        """Tokens left for the body of a leaf in this section once its prefix has its share; at least 1."""
        reserve = self.prefixes.reserve(heading, inside)
        return max(1, self.settings.max_tokens - reserve - self.prefixes.header_reserve(header, reserve, kind))

    @property
    def least_room(self) -> int:
        """Tokens that are left for the body of any leaf, whatever stands before it: more is asked of ``room``."""
        return max(1, self.settings.max_tokens // 2 - 2)  # prefixes take half at most, and two line ends

    def overlap(self, room: int) -> int:
        """Tokens of overlap a leaf with so much room may carry: never more than a third of it. 0 is off."""
        return min(self.settings.overlap_room, room // 3)


Chunker = Callable[[ChunkingContext], Plan]
