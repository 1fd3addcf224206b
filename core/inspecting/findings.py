"""The defects that a chunk tree can have: their kinds, severities, remedies and places."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from core.chunking.prefixes import encoder_input
from core.settings import PREFIX_KINDS
from core.types import ChunkTree, TokenCounter


class Defect(StrEnum):
    """The kinds of defects, the worst first."""

    LOST = "lost"
    TRUNCATED = "truncated"
    OVERSIZED = "oversized"
    STARTS_MID_SENTENCE = "starts_mid_sentence"
    ENDS_MID_SENTENCE = "ends_mid_sentence"
    TABLE_CUT = "table_cut"
    CODE_CUT = "code_cut"
    ORPHAN_HEADING = "orphan_heading"
    CODE_PARTED = "code_parted"
    LIST_PARTED = "list_parted"
    NEAR_DUPLICATE = "near_duplicate"
    TINY = "tiny"


class Severity(StrEnum):
    """How bad a finding is. SERIOUS: text is not searched. MODERATE: a chunk is misleading. MINOR: worth knowing."""

    SERIOUS = "serious"
    MODERATE = "moderate"
    MINOR = "minor"


@dataclass(frozen=True, slots=True)
class Wording:
    """The words for a kind of defect, in the singular and the plural, and the setting or chunker that helps."""

    one: str
    many: str
    remedy: str

    def counted(self, number: int) -> str:
        """A number of defects in words.

        >>> WORDINGS[Defect.TABLE_CUT].counted(1), WORDINGS[Defect.TABLE_CUT].counted(1200)
        ('1 table cut', '1,200 tables cut')
        """
        return f"{number:,} {self.one if number == 1 else self.many}"


WORDINGS: Mapping[Defect, Wording] = {
    Defect.LOST: Wording(
        "passage in no chunk",
        "passages in no chunk",
        "This is a fault of the chunker: choose another one, and please report it.",
    ),
    Defect.TRUNCATED: Wording(
        "chunk the encoder reads in part",
        "chunks the encoder reads in part",
        "Lower the chunk size, or measure it in tokens instead of characters.",
    ),
    Defect.OVERSIZED: Wording(
        "chunk above the size limit",
        "chunks above the size limit",
        "Raise the size limit, or split the chunk here.",
    ),
    Defect.STARTS_MID_SENTENCE: Wording(
        "chunk begins inside a sentence",
        "chunks begin inside a sentence",
        "Raise the chunk size, or choose a chunker that tears no sentence, such as “So many sentences”.",
    ),
    Defect.ENDS_MID_SENTENCE: Wording(
        "chunk ends inside a sentence",
        "chunks end inside a sentence",
        "Raise the chunk size, or choose a chunker that tears no sentence, such as “So many sentences”.",
    ),
    Defect.TABLE_CUT: Wording(
        "table cut",
        "tables cut",
        "Raise the chunk size to what a table has. Of a larger one, “By structure” and “By table rows” read the header "
        "before each part.",
    ),
    Defect.CODE_CUT: Wording(
        "code block cut",
        "code blocks cut",
        "Raise the chunk size to what a block has. “Whatever fits the document” and “By functions, classes and keys” "
        "cut programs and data between their parts.",
    ),
    Defect.ORPHAN_HEADING: Wording(
        "heading parted from its text",
        "headings parted from their text",
        "Move the boundary before the heading, or choose “By structure”.",
    ),
    Defect.CODE_PARTED: Wording(
        "code block parted from its introduction",
        "code blocks parted from their introduction",
        "Use a larger chunk size, some overlap, or merge the two chunks.",
    ),
    Defect.LIST_PARTED: Wording(
        "list or table parted from its lead-in",
        "lists or tables parted from their lead-in",
        "Merge the two chunks, or raise the chunk size.",
    ),
    Defect.NEAR_DUPLICATE: Wording(
        "chunk says nearly the same as an earlier one",
        "chunks say nearly the same as an earlier one",
        "Disable the repeated chunk, so that it does not take an answer's place.",
    ),
    Defect.TINY: Wording(
        "tiny chunk",
        "tiny chunks",
        "Raise the smallest chunk size, or merge it with a neighbour.",
    ),
}


@dataclass(frozen=True, slots=True)
class Finding:
    """A defect at one place.

    ``[start, end)``: the text to highlight. ``leaf``: index into ``ChunkTree.leaves`` of the leaf that begins or ends
    badly; for text in no leaf, of a leaf next to it. ``sentence``: the description for the user. ``other``: index of
    the leaf that this one repeats or was separated from, ``None`` for none.
    """

    kind: Defect
    severity: Severity
    start: int
    end: int
    leaf: int
    sentence: str
    other: int | None = None

    @property
    def remedy(self) -> str:
        """What helps against the defect, as a sentence."""
        return WORDINGS[self.kind].remedy


@dataclass(frozen=True, slots=True)
class Health:
    """All findings in one tree, in text order."""

    findings: tuple[Finding, ...]

    def of(self, kind: Defect) -> tuple[Finding, ...]:
        """The findings of one kind, in text order."""
        return tuple(finding for finding in self.findings if finding.kind is kind)

    @property
    def counts(self) -> dict[Defect, int]:
        """The number of findings of each kind that has any, the worst kind first.

        >>> Health((Finding(Defect.TINY, Severity.MINOR, 0, 2, 0, "Two words."),)).counts
        {<Defect.TINY: 'tiny'>: 1}
        """
        numbers = dict.fromkeys(Defect, 0)
        for finding in self.findings:
            numbers[finding.kind] += 1
        return {kind: number for kind, number in numbers.items() if number}

    @property
    def severities(self) -> dict[Defect, Severity]:
        """The worst severity among the findings of each kind that has any."""
        order = list(Severity)
        worst: dict[Defect, Severity] = {}
        for finding in self.findings:
            so_far = worst.get(finding.kind, Severity.MINOR)
            worst[finding.kind] = min(so_far, finding.severity, key=order.index)
        return {kind: worst[kind] for kind in Defect if kind in worst}

    @property
    def by_remedy(self) -> dict[str, tuple[Defect, ...]]:
        """The kinds with findings, grouped by remedy; remedies and kinds are ordered by severity, the worst first.

        >>> kinds = (Defect.TINY, Defect.ENDS_MID_SENTENCE, Defect.STARTS_MID_SENTENCE)
        >>> found = Health(tuple(Finding(kind, Severity.MODERATE, 0, 2, 0, "") for kind in kinds)).by_remedy
        >>> [[str(kind) for kind in group] for group in found.values()]
        [['starts_mid_sentence', 'ends_mid_sentence'], ['tiny']]
        """
        order, severities = list(Severity), self.severities
        groups: dict[str, tuple[Defect, ...]] = {}
        for kind in sorted(severities, key=lambda kind: order.index(severities[kind])):
            remedy = WORDINGS[kind].remedy
            groups[remedy] = (*groups.get(remedy, ()), kind)
        return groups


@dataclass(frozen=True, slots=True)
class Unread:
    """The end of a leaf that the encoder truncates: ``[start, end)`` of the text, with ``tokens`` tokens.

    ``leaf``: index of the leaf.
    """

    leaf: int
    start: int
    end: int
    tokens: int


def unread(
    tree: ChunkTree, counter: TokenCounter, limit: int, kinds: Sequence[str] = PREFIX_KINDS
) -> tuple[Unread, ...]:
    """The ends of leaves that the encoder truncates, in text order; () for none.

    ``limit``: ``Encoder.max_tokens``, special tokens included. ``kinds``: the prefix parts that are encoded before the
    leaf's text (``ChunkingSettings.read_prefix``); they use up part of the limit.
    """
    result: list[Unread] = []
    available = max(0, limit - counter.specials)
    for index, leaf in enumerate(tree.leaves):
        if leaf.encoder_tokens <= limit:
            continue
        text = encoder_input(leaf, kinds)
        prefix_length = len(text) - len(leaf.text)
        starts = [int(start) - prefix_length for start, _ in counter.offsets(text)]
        truncated = [start for start in starts[available:] if start >= 0]
        if truncated:
            result.append(Unread(index, leaf.start + truncated[0], leaf.end, len(truncated)))
    return tuple(result)
