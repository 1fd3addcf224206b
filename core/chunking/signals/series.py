"""The sentences of a document and their vectors, computed on first use."""

from __future__ import annotations

from functools import cached_property

from core.text.sentences import sentence_spans
from core.text.spans import subtract_spans, touching, trim
from core.types import BlockKind, Document, Encoder, Span, Vectors

SKIPPED = {
    BlockKind.FRONT_MATTER: "front matter, kept as metadata",
    BlockKind.FURNITURE: "running header or footer",
}
_SINGLE_SENTENCE = frozenset({BlockKind.HEADING, BlockKind.TABLE, BlockKind.CODE, BlockKind.HTML})


def skipped_spans(document: Document) -> list[Span]:
    """The spans of front matter and furniture, in order."""
    return [block.span for block in document.blocks if block.kind in SKIPPED]


def regions(document: Document) -> list[Span]:
    """The spans of text that chunks must cover, trimmed: all but front matter and furniture."""
    whole = [Span(0, len(document.text))]
    skipped = skipped_spans(document)
    remaining = subtract_spans(whole, skipped) if skipped else whole
    spans = (trim(document.text, span.start, span.end) for span in remaining)
    return [span for span in spans if span is not None]


def sentences(document: Document) -> tuple[Span, ...]:
    """The sentences of all regions in order; a heading, table, code block or HTML block counts as one sentence."""
    text = document.text
    spans: list[Span] = []
    for region in regions(document):
        position = region.start
        for block in document.blocks[touching(document.blocks, region.start, region.end)]:
            if block.kind not in _SINGLE_SENTENCE:
                continue
            spans.extend(sentence_spans(text, position, block.start))
            if (block_span := trim(text, block.start, block.end)) is not None:
                spans.append(block_span)
            position = block.end
        spans.extend(sentence_spans(text, position, region.end))
    return tuple(spans)


class Series:
    """The sentences of a document in order, each with a unit vector. ``encoder`` ``None``: no vectors."""

    def __init__(self, document: Document, encoder: Encoder | None) -> None:
        self._document = document
        self._encoder = encoder

    @cached_property
    def spans(self) -> tuple[Span, ...]:
        """The spans of the sentences, as ``sentences`` returns them."""
        return sentences(self._document)

    @cached_property
    def _vectors(self) -> Vectors | None:
        text, encoder = self._document.text, self._encoder
        return encoder.encode([text[span.start : span.end] for span in self.spans]) if encoder is not None else None

    def vectors(self) -> Vectors | None:
        """``(n, d)`` float32, unit norm, one row per sentence; ``None`` without an encoder."""
        return self._vectors
