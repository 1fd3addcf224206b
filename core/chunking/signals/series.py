"""The sentences of a document and their vectors, each made when it is first asked for, and then kept."""

from __future__ import annotations

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

    __slots__ = ("_document", "_encoder", "_spans", "_vectors")

    def __init__(self, document: Document, encoder: Encoder | None) -> None:
        self._document = document
        self._encoder = encoder
        self._spans: tuple[Span, ...] | None = None
        self._vectors: Vectors | None = None

    @property
    def spans(self) -> tuple[Span, ...]:
        """As ``sentences`` finds them."""
        if self._spans is None:
            self._spans = sentences(self._document)
        return self._spans

    def vectors(self) -> Vectors | None:
        """``(n, d)`` float32, unit norm, a row for each sentence."""
        if self._vectors is None and self._encoder is not None:
            text = self._document.text
            self._vectors = self._encoder.encode([text[span.start : span.end] for span in self.spans])
        return self._vectors
