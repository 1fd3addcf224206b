"""The sentences of a document and their vectors, each made when it is first asked for, and then kept."""

from __future__ import annotations

from functools import cached_property

from core.text.sentences import sentence_spans
from core.text.spans import subtract_spans, touching, trim
from core.types import BlockKind, Document, Encoder, Span, Vectors

SKIPPED = {
    BlockKind.FRONT_MATTER: "front matter, kept as metadata",
    BlockKind.FURNITURE: "running header or footer",
}
_WHOLE = frozenset({BlockKind.HEADING, BlockKind.TABLE, BlockKind.CODE, BlockKind.HTML})


def regions(document: Document) -> list[Span]:
    """The stretches of text that chunks must cover, trimmed: all but front matter and furniture."""
    whole = [Span(0, len(document.text))]
    skipped = [block.span for block in document.blocks if block.kind in SKIPPED]
    kept = subtract_spans(whole, skipped) if skipped else whole
    spans = (trim(document.text, span.start, span.end) for span in kept)
    return [span for span in spans if span is not None]


def sentences(document: Document) -> tuple[Span, ...]:
    """The sentences of all regions in order. A heading, a table, a code block and an HTML block are each one."""
    text = document.text
    found: list[Span] = []
    for region in regions(document):
        position = region.start
        for block in document.blocks[touching(document.blocks, region.start, region.end)]:
            if block.kind not in _WHOLE:
                continue
            found.extend(sentence_spans(text, position, block.start))
            if (whole := trim(text, block.start, block.end)) is not None:
                found.append(whole)
            position = block.end
        found.extend(sentence_spans(text, position, region.end))
    return tuple(found)


class Series:
    """Sentences in order, and a unit vector each. ``encoder`` ``None``: there are no vectors."""

    def __init__(self, document: Document, encoder: Encoder | None) -> None:
        self._document = document
        self._encoder = encoder

    @cached_property
    def spans(self) -> tuple[Span, ...]:
        """As ``sentences`` finds them."""
        return sentences(self._document)

    @cached_property
    def _encoded(self) -> Vectors | None:
        text, encoder = self._document.text, self._encoder
        return encoder.encode([text[span.start : span.end] for span in self.spans]) if encoder is not None else None

    def vectors(self) -> Vectors | None:
        """``(n, d)`` float32, unit norm, a row for each sentence."""
        return self._encoded
