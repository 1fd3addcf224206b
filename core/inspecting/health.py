"""Diagnoses the defects of a chunk tree: lost and truncated text, bad sizes, split sentences and structures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from core.chunking.auditing import UNEXPLAINED, Audit, audit
from core.enriching.near_duplicates import NearDuplicate, closest, near_duplicates
from core.inspecting.boundaries import Boundary, SentencePlaces, boundaries, holder
from core.inspecting.findings import Defect, Finding, Health, Severity, Unread, unread
from core.inspecting.severed_structures import separated_blocks, split_blocks
from core.settings import ChunkingSettings
from core.text.sentences import sentence_spans
from core.types import Chunk, ChunkTree, Span, TokenCounter

TINY_SHARE = 4  # a leaf is tiny below a quarter of the size limit less its prefix


def diagnose(
    tree: ChunkTree,
    encoder_limit: int,
    settings: ChunkingSettings,
    counter: TokenCounter,
    sentences: Sequence[Span] | None = None,
    audited: Audit | None = None,
    repeated: Sequence[NearDuplicate] | None = None,
) -> Health:
    """All defects of a tree, in text order.

    ``encoder_limit``: ``Encoder.max_tokens``. ``settings``: the tree's recipe, for its size limits. ``counter``: of the
    embedder's tokens. The others are computed where they are ``None``: ``sentences``, of the whole text in order;
    ``audited``, the tree's loss audit; ``repeated``, leaves that nearly repeat an earlier one.
    """
    document = tree.document
    sentences = sentence_spans(document.text) if sentences is None else sentences
    repeated = closest(near_duplicates(leaf.text for leaf in tree.leaves)) if repeated is None else repeated
    tree_boundaries = boundaries(tree)
    findings = [
        *_lost(tree, audited),
        *_truncated(unread(tree, counter, encoder_limit, settings.read_prefix)),
        *_sizes(tree, settings, counter.specials),
        *_mid_sentence(tree, tree_boundaries, SentencePlaces(document.text, document.blocks, sentences)),
        *split_blocks(tree, settings, tree_boundaries),
        *separated_blocks(tree, tree_boundaries),
        *_repeated(tree, repeated),
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
    """Findings for leaves and parents above their limit, and for leaves far below it."""
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
    leaf_index = {leaf.chunk_id: index for index, leaf in enumerate(leaves)}
    first_leaf: dict[str, int] = {}  # by chunk id; in reverse order, so that the first leaf is entered last
    for chunk in reversed(tree.chunks):
        number = leaf_index[chunk.chunk_id] if chunk.level == 0 else first_leaf.get(chunk.chunk_id, 0)
        if chunk.parent_id is not None:
            first_leaf[chunk.parent_id] = number
        size = _size_of(chunk, unit)
        if chunk.level == 1 and size > settings.parent_room:
            words = f"This parent has {size:,} {unit}, above the limit of {settings.parent_room:,}."
            yield Finding(Defect.OVERSIZED, Severity.MODERATE, chunk.start, chunk.end, number, words)


def _tiny(leaves: Sequence[Chunk], index: int, settings: ChunkingSettings, own: int, limit: int) -> Finding:
    """The finding for a tiny leaf: moderate when it would fit into a neighbour with the same parent, else minor."""
    leaf = leaves[index]
    neighbours = [leaves[other] for other in (index - 1, index + 1) if 0 <= other < len(leaves)]
    siblings = [other for other in neighbours if other.parent_id == leaf.parent_id]
    fits = any(_size_of(other, settings.unit) + own <= limit for other in siblings)
    words = f"Chunk {index + 1} has {own:,} {settings.unit} where {limit:,} would fit"
    severity = Severity.MODERATE if fits else Severity.MINOR
    words += ", and would fit into its neighbour." if fits else "."
    return Finding(Defect.TINY, severity, leaf.start, leaf.end, index, words)


def _mid_sentence(tree: ChunkTree, tree_boundaries: Sequence[Boundary], places: SentencePlaces) -> Iterator[Finding]:
    text, leaves = tree.document.text, tree.leaves
    for boundary in tree_boundaries:
        before, after = leaves[boundary.before], leaves[boundary.after]
        end, start = before.end, after.start  # visible characters: no chunk begins or ends with white space
        sentence = places.across(end, boundary.cut)
        if sentence is not None:
            last_words = text[max(0, end - 60) : end].split()[-4:]
            words = f"Chunk {boundary.before + 1} ends inside a sentence, after “{' '.join(last_words)}”."
            first, kind = max(sentence.start, before.start), Defect.ENDS_MID_SENTENCE
            yield Finding(kind, Severity.MODERATE, first, end, boundary.before, words, boundary.after)
        if start != boundary.cut:  # with an overlap the leaf after begins elsewhere than the one before ends
            sentence = places.across(_visible_end(text, start), start)
        if sentence is not None:
            first_words = text[start : start + 60].split()[:4]
            words = f"Chunk {boundary.after + 1} begins inside a sentence, at “{' '.join(first_words)}”."
            last, kind = min(sentence.end, after.end), Defect.STARTS_MID_SENTENCE
            yield Finding(kind, Severity.MODERATE, start, last, boundary.after, words, boundary.before)


def _visible_end(text: str, position: int) -> int:
    """The end of the last visible character before ``position``."""
    while position > 0 and text[position - 1].isspace():
        position -= 1
    return position


def _repeated(tree: ChunkTree, pairs: Sequence[NearDuplicate]) -> Iterator[Finding]:
    leaves = tree.leaves
    for pair in pairs:
        leaf = leaves[pair.second]
        share = "the same as" if pair.similarity == 1.0 else f"{pair.similarity:.0%} the same as"
        words = f"Chunk {pair.second + 1} is {share} chunk {pair.first + 1}."
        severity = Severity.MODERATE if pair.similarity == 1.0 else Severity.MINOR
        yield Finding(Defect.NEAR_DUPLICATE, severity, leaf.start, leaf.end, pair.second, words, pair.first)


def _size_of(chunk: Chunk, unit: str) -> int:
    """A chunk's size in ``unit``, without its prefix.

    >>> _size_of(Chunk("c", 0, None, 0, 4, "four", 1), "characters")
    4
    """
    return chunk.tokens if unit == "tokens" else chunk.end - chunk.start
