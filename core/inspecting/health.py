"""Boundary diagnostics: what a tree's cuts sever, leave behind or repeat, with every place."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from core.chunking.auditing import UNEXPLAINED, Audit, audit
from core.enriching.near_duplicates import NearDuplicate, closest, near_duplicates
from core.inspecting.boundaries import Boundary, SentencePlaces, boundaries, holder
from core.inspecting.findings import Defect, Finding, Health, Severity, Unread, unread
from core.inspecting.severed_structures import parted, severed
from core.settings import ChunkingSettings
from core.text.sentences import sentence_spans
from core.types import Chunk, ChunkTree, Span, TokenCounter

TINY_SHARE = 4  # a leaf is tiny below this part of what its limit leaves beside the prefix


def diagnose(
    tree: ChunkTree,
    encoder_limit: int,
    settings: ChunkingSettings,
    counter: TokenCounter,
    sentences: Sequence[Span] | None = None,
    audited: Audit | None = None,
    repeated: Sequence[NearDuplicate] | None = None,
) -> Health:
    """Everything wrong with the cuts of a tree, in text order.

    ``encoder_limit``: ``Encoder.max_tokens``. ``settings``: the recipe of the tree, for its limits and its unit.
    ``counter``: the embedder's. ``sentences``: of the whole text, in order, where they are known. ``audited``: the
    tree's loss audit where it was made. ``repeated``: its leaves that nearly repeat an earlier one, where they are
    known; ``None`` looks for them, as alike as ``ALIKE`` or more.
    """
    document = tree.document
    sentences = sentence_spans(document.text) if sentences is None else sentences
    meeting = boundaries(tree)
    findings = [
        *_lost(tree, audited),
        *_truncated(unread(tree, counter, encoder_limit, settings.read_prefix)),
        *_sizes(tree, settings, counter.specials),
        *_mid_sentence(tree, meeting, SentencePlaces(document.text, document.blocks, sentences)),
        *severed(tree, settings, meeting),
        *parted(tree, meeting),
        *_repeated(tree, closest(near_duplicates(leaf.text for leaf in tree.leaves)) if repeated is None else repeated),
    ]
    kinds = list(Defect)
    findings.sort(key=lambda finding: (finding.start, finding.end, kinds.index(finding.kind), finding.leaf))
    return Health(tuple(findings))


def _lost(tree: ChunkTree, audited: Audit | None) -> Iterator[Finding]:
    starts = [leaf.start for leaf in tree.leaves]
    for gap in (audited or audit(tree)).gaps:
        if gap.reason == UNEXPLAINED:
            leaf = holder(tree.leaves, starts, gap.start)
            words = f"{gap.end - gap.start:,} characters are in no chunk."
            yield Finding(Defect.LOST, Severity.SERIOUS, gap.start, gap.end, leaf, words)


def _truncated(tails: Sequence[Unread]) -> Iterator[Finding]:
    for tail in tails:
        words = f"The encoder stops here: the last {tail.tokens:,} tokens of chunk {tail.leaf + 1} are not searched."
        yield Finding(Defect.TRUNCATED, Severity.SERIOUS, tail.start, tail.end, tail.leaf, words)


def _sizes(tree: ChunkTree, settings: ChunkingSettings, specials: int) -> Iterator[Finding]:
    """Leaves and parents above their limit, and leaves far below it."""
    unit, limit = settings.unit, settings.max_tokens
    leaves = tree.leaves
    for index, leaf in enumerate(leaves):
        own = _size_of(leaf, unit)
        prefix = max(0, leaf.encoder_tokens - specials - leaf.tokens) if unit == "tokens" else 0
        if own + prefix > limit:
            words = f"Chunk {index + 1} has {own + prefix:,} {unit} with its prefix, above the limit of {limit:,}."
            yield Finding(Defect.OVERSIZED, Severity.MODERATE, leaf.start, leaf.end, index, words)
        elif own * TINY_SHARE < limit - prefix and len(leaves) > 1:
            yield _tiny(leaves, index, settings, own, limit - prefix)
    numbers = {leaf.chunk_id: index for index, leaf in enumerate(leaves)}
    first: dict[str, int] = {}
    for chunk in reversed(tree.chunks):
        number = numbers[chunk.chunk_id] if chunk.level == 0 else first.get(chunk.chunk_id, 0)
        if chunk.parent_id is not None:
            first[chunk.parent_id] = number
        size = _size_of(chunk, unit)
        if chunk.level == 1 and size > settings.parent_room:
            words = f"This parent has {size:,} {unit}, above the limit of {settings.parent_room:,}."
            yield Finding(Defect.OVERSIZED, Severity.MODERATE, chunk.start, chunk.end, number, words)


def _tiny(leaves: Sequence[Chunk], index: int, settings: ChunkingSettings, own: int, room: int) -> Finding:
    """A leaf under a quarter of its room; moderate when it would fit into its neighbour of the same section."""
    leaf = leaves[index]
    beside = (leaves[at] for at in (index - 1, index + 1) if 0 <= at < len(leaves))
    fits = any(other.parent_id == leaf.parent_id and _size_of(other, settings.unit) + own <= room for other in beside)
    words = f"Chunk {index + 1} has {own:,} {settings.unit} where {room:,} would fit"
    severity = Severity.MODERATE if fits else Severity.MINOR
    words += ", and would fit into its neighbour." if fits else "."
    return Finding(Defect.TINY, severity, leaf.start, leaf.end, index, words)


def _mid_sentence(tree: ChunkTree, meeting: Sequence[Boundary], places: SentencePlaces) -> Iterator[Finding]:
    text, leaves = tree.document.text, tree.leaves
    for boundary in meeting:
        before, after = leaves[boundary.before], leaves[boundary.after]
        end, start = before.end, after.start  # no chunk begins or ends with a blank
        running = places.across(end, boundary.cut)
        if running is not None:
            said = text[max(0, end - 60) : end].split()[-4:]
            words = f"Chunk {boundary.before + 1} ends inside a sentence, after “{' '.join(said)}”."
            first, kind = max(running.start, before.start), Defect.ENDS_MID_SENTENCE
            yield Finding(kind, Severity.MODERATE, first, end, boundary.before, words, boundary.after)
        if start != boundary.cut:  # an overlap
            running = places.across(_visible_end(text, start), start)
        if running is not None:
            said = text[start : start + 60].split()[:4]
            words = f"Chunk {boundary.after + 1} begins inside a sentence, at “{' '.join(said)}”."
            last, kind = min(running.end, after.end), Defect.STARTS_MID_SENTENCE
            yield Finding(kind, Severity.MODERATE, start, last, boundary.after, words, boundary.before)


def _visible_end(text: str, position: int) -> int:
    """Where the last visible character before ``position`` ends."""
    while position > 0 and text[position - 1].isspace():
        position -= 1
    return position


def _repeated(tree: ChunkTree, found: Sequence[NearDuplicate]) -> Iterator[Finding]:
    leaves = tree.leaves
    for pair in found:
        leaf = leaves[pair.second]
        share = "the same as" if pair.similarity == 1.0 else f"{pair.similarity:.0%} the same as"
        words = f"Chunk {pair.second + 1} is {share} chunk {pair.first + 1}."
        severity = Severity.MODERATE if pair.similarity == 1.0 else Severity.MINOR
        yield Finding(Defect.NEAR_DUPLICATE, severity, leaf.start, leaf.end, pair.second, words, pair.first)


def _size_of(chunk: Chunk, unit: str) -> int:
    """A chunk's own size in ``unit``, without prefix.

    >>> _size_of(Chunk("c", 0, None, 0, 4, "four", 1), "characters")
    4
    """
    return chunk.tokens if unit == "tokens" else chunk.end - chunk.start
