"""The chunks that edits ask for, made as the recipe makes its own: prefix, headings, tokens and id."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import replace

from core.chunking.edits.tree import Remake, Wanted
from core.chunking.plan import ChunkingContext
from core.chunking.prefixes import PATH, encoder_input
from core.chunking.tree import chunk_id
from core.types import BlockKind, Chunk, PrefixPart, Span, TokenCounter

_LARGER = "edited: larger than the dials allow"
_TRUNCATED = "edited: the encoder reads only"
_SIZES = (_LARGER, _TRUNCATED)


def remaker(context: ChunkingContext, fingerprint: str, counter: TokenCounter, reads: int = 0) -> Remake:
    """Makes chunks of a document under its recipe. ``reads``: what the encoder reads of a leaf in tokens, 0 unknown.

    By hand a leaf may be larger than ``max_tokens``, and a parent than its limit: it says so in its reasons, and a
    leaf that the encoder would read only in part says that too.
    """
    tables = [block for block in context.document.blocks if block.kind == BlockKind.TABLE and block.header]
    starts = [block.start for block in tables]

    def header(wanted: Wanted) -> tuple[Span | None, str]:
        """The table header or signature a leaf is parted from, and the kind of prefix part it becomes."""
        for part in wanted.like.prefix:
            if part.kind not in PATH and part.source is not None and part.source.end <= wanted.start:
                return part.source, part.kind
        number = bisect_right(starts, wanted.start) - 1
        if not wanted.level and number >= 0 and wanted.start < tables[number].end:
            return tables[number].header, "table_header"
        return None, "table_header"

    def remake(wanted: Sequence[Wanted]) -> list[Chunk]:
        bare = [
            _bare(context, fingerprint, one, context.prefixes.parts(one.start, one.end, *header(one))) for one in wanted
        ]
        tokens = counter.count([chunk.text for chunk in bare])
        inputs = [encoder_input(chunk, context.settings.read_prefix) for chunk in bare if not chunk.level]
        read = iter(zip(inputs, counter.count(inputs), strict=True))
        made = []
        for chunk, own in zip(bare, tokens, strict=True):
            if chunk.level:
                size = own if context.settings.unit == "tokens" else len(chunk.text)
                limit = context.settings.parent_room if chunk.level == 1 else size
                made.append(_sized(chunk, own, 0, size, limit, context.settings.unit, 0))
                continue
            text, count = next(read)
            size = count if context.settings.unit == "tokens" else len(text)
            whole = count + counter.specials
            made.append(_sized(chunk, own, whole, size, context.settings.max_tokens, context.settings.unit, reads))
        return made

    return remake


def _bare(context: ChunkingContext, fingerprint: str, wanted: Wanted, prefix: tuple[PrefixPart, ...]) -> Chunk:
    document, start, end = context.document, wanted.start, wanted.end
    return Chunk(
        chunk_id=chunk_id(document.version_id, fingerprint, wanted.level, start, end),
        level=wanted.level,
        parent_id=wanted.parent_id,
        start=start,
        end=end,
        text=document.text[start:end],
        tokens=0,
        headings=context.outline.texts(context.outline.path_over(start, end)),
        prefix=prefix,
        reasons=wanted.reasons,
        metadata=wanted.metadata,
    )


def _sized(chunk: Chunk, tokens: int, whole: int, size: int, limit: float, unit: str, reads: int) -> Chunk:
    said = [reason for reason in chunk.reasons if not reason.startswith(_SIZES)]
    if size > limit:
        said.append(f"{_LARGER} ({size} > {int(limit)} {unit})")
    if 0 < reads < whole:
        said.append(f"{_TRUNCATED} {reads} of its {whole} tokens")
    return replace(chunk, tokens=tokens, encoder_tokens=whole, reasons=tuple(said))
