"""Filters of a question ("type:", "in:", dates, phrases, ...), resolved to an exact mask over the leaves.

The mask is computed before the search, instead of handing a filter to the vector store: that would collect all matching
ids itself, and its approximate search may then miss some.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from core.storage.catalogue.filing.source_metadata import SourceMetadata, is_called, source_metadata, words_of
from core.storage.index.leaves import LeafTable
from core.storage.store import Store
from core.text.phrases import longest_letters, occurrences
from core.text.values.calendar_names import RELATIONS, has_relation, period

# Common names of file types and the document kinds they stand for. Any other value is a kind or a file suffix itself.
TYPES: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(("word", "doc"), ("docx", "odt", "rtf")),
    **dict.fromkeys(("excel", "xls", "spreadsheet"), ("xlsx", "ods")),
    **dict.fromkeys(("powerpoint", "ppt", "slides", "presentation"), ("pptx",)),
    **dict.fromkeys(("mail", "email"), ("eml", "msg")),
    **dict.fromkeys(("web", "webpage", "htm"), ("html",)),
    **dict.fromkeys(("md",), ("markdown",)),
    **dict.fromkeys(("txt", "plain"), ("text",)),
    **dict.fromkeys(("ebook",), ("epub",)),
    **dict.fromkeys(("ipynb", "jupyter"), ("notebook",)),
}
_ALTERNATIVES = ("type", "in", "genre")  # several conditions of one of these kinds are joined by OR, others by AND
WITHOUT = "-"  # prefix of a kind: negates a condition on sources
OF_SOURCES = tuple(f"{sign}{kind}" for sign in ("", WITHOUT) for kind in (*_ALTERNATIVES, *RELATIONS))
OF_TEXT = ("phrase", "not")


@dataclass(frozen=True, slots=True)
class Condition:
    """One filter of a question.

    ``kind``: "type", "in" (a document, folder, collection or tag by name), "genre" or a relation to a date ("after",
    "since", "before", "until", "during"), each also negated ("-in"); "phrase" or "not" for words that must or must not
    occur. ``[start, end)``: its span in the question. ``words``: for display.
    """

    kind: str
    value: str
    start: int
    end: int
    words: str

    @property
    def key(self) -> tuple[str, str]:
        """Its identity, independent of its position in the question."""
        return self.kind, self.value

    @property
    def denied(self) -> bool:
        """Whether the condition is negated.

        >>> Condition("-in", "archive", 0, 11, "not in: archive").denied
        True
        """
        return self.kind.startswith(WITHOUT)


def set_aside(condition: Condition) -> str:
    """The message about a phrase that was ignored because no passage contains it.

    >>> set_aside(Condition("phrase", "two sites", 0, 11, "phrase: “two sites”"))
    'No passage has the phrase “two sites”: it was left out.'
    """
    return f"No passage has the {condition.words.replace(': ', ' ', 1)}: it was left out."


@dataclass(frozen=True, slots=True, eq=False)
class ExcludedText:
    """Text spans that "not" conditions exclude from the context, even next to a leaf that passes.

    Each span is a leaf that overlaps an occurrence, or an occurrence that crosses leaf boundaries. All arrays have
    shape (m,): ``documents`` int32 ascending indexes, ``starts`` and ``ends`` int64, ``condition_indexes`` int64 into
    ``conditions``.
    """

    conditions: tuple[Condition, ...]
    documents: NDArray[np.int32]
    starts: NDArray[np.int64]
    ends: NDArray[np.int64]
    condition_indexes: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.documents)

    def within(
        self, document: int, start: int, end: int
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """``(starts, ends, condition_indexes)`` of the spans that overlap ``[start, end)`` of a document."""
        int32 = self.documents.dtype.type
        low, high = (int(np.searchsorted(self.documents, int32(index))) for index in (document, document + 1))
        starts, ends = self.starts[low:high], self.ends[low:high]
        overlapping = (starts < end) & (ends > start)
        return starts[overlapping], ends[overlapping], self.condition_indexes[low:high][overlapping]

    def named(self, condition_indexes: NDArray[np.int64]) -> tuple[Condition, ...]:
        """The distinct conditions at these indexes."""
        return tuple(self.conditions[index] for index in np.unique(condition_indexes).tolist())


@dataclass(frozen=True, slots=True, eq=False)
class Passing:
    """The leaves that pass all conditions.

    ``mask``: (n,) bool, aligned with the leaves. ``counts``: how many leaves pass each condition by itself. ``aside``:
    phrases that were ignored because no leaf has them. ``excluded``: text that must stay out of the context, or
    ``None``.
    """

    mask: NDArray[np.bool_]
    counts: tuple[int, ...]
    aside: tuple[Condition, ...] = ()
    excluded: ExcludedText | None = None

    @property
    def nbytes(self) -> int:
        """The size of the arrays in bytes."""
        spans = self.excluded
        return self.mask.nbytes + (0 if spans is None else len(spans) * 28)

    def subset(self, selected: NDArray[np.bool_]) -> Passing:
        """The same for the leaves selected by an ``(n,)`` mask."""
        return self if selected.all() else replace(self, mask=self.mask[selected])


def resolve(
    store: Store,
    leaves: LeafTable,
    conditions: Sequence[Condition],
    sources: Sequence[SourceMetadata] | None = None,
    *,
    lenient: bool = False,
) -> Passing:
    """Evaluate the conditions: which leaves pass them all, and how many pass each by itself.

    Conditions on sources: one live source of the document must satisfy all of them, so that "-in:archive" keeps a
    document that is also stored elsewhere. Several conditions of the same kind are joined by AND, but by OR for "type",
    "in" and "genre". A "phrase" passes the leaves that overlap one of its occurrences, which may cross leaf boundaries;
    with several phrases, the document must contain all of them and the leaf at least one. A "not" passes the leaves
    that overlap no occurrence, and excludes the other leaves from the context.

    ``sources``: the current ``source_metadata``, ``None`` to read it. ``lenient``: ignore phrases that no leaf
    contains, since users also quote terms that documents spell differently.
    """
    if not conditions:
        return Passing(np.ones(len(leaves), bool), ())
    with store.reading():
        sources = source_metadata(store) if sources is None else sources
        of_sources = [condition for condition in conditions if condition.kind in OF_SOURCES]
        of_text = [condition for condition in conditions if condition.kind in OF_TEXT]
        mask = _mask_by_sources(leaves, sources, of_sources) if of_sources else np.ones(len(leaves), bool)
        matches = {condition: _Matches.of(store, leaves, condition.value) for condition in dict.fromkeys(of_text)}
    counts = {condition: int(_mask_by_sources(leaves, sources, [condition]).sum()) for condition in of_sources}
    ignored: list[Condition] = []
    phrase_masks: list[NDArray[np.bool_]] = []
    for condition, match in matches.items():
        passing = match.leaves if condition.kind == "phrase" else ~match.leaves
        counts[condition] = int(passing.sum())
        if condition.kind == "not":
            mask = mask & passing
        elif lenient and not counts[condition]:
            ignored.append(condition)
        else:
            phrase_masks.append(passing)
            mask = mask & np.isin(leaves.documents, leaves.documents[passing])
    if phrase_masks:
        mask = mask & np.any(phrase_masks, axis=0)
    excluded = _excluded(leaves, {condition: match for condition, match in matches.items() if condition.kind == "not"})
    return Passing(mask, tuple(counts[condition] for condition in conditions), tuple(ignored), excluded)


def holds(condition: Condition, source: SourceMetadata) -> bool:
    """Whether a source satisfies a condition on sources. Unknown values, such as a missing date, satisfy none.

    >>> source = SourceMetadata("v", "pdf", "pdf", ("Field-Manual.pdf", "Manual"), (), ("boat",), (), "guide",
    ...                   ("Field-Manual.pdf", "Manual, 2024-05-02", "{}", None, "2026-01-01"))
    >>> def condition(kind, value): return Condition(kind, value, 0, 0, "")
    >>> [holds(condition(*pair), source) for pair in (("type", "pdf"), ("in", "field manual"), ("after", "2024"))]
    [True, True, False]
    >>> [holds(condition(*pair), source) for pair in (("-type", "pdf"), ("-in", "handbook"), ("-after", "2025"))]
    [False, True, True]
    """
    kind = condition.kind.removeprefix(WITHOUT)
    return _matches(kind, condition.value, source) is not condition.denied


def _matches(kind: str, value: str, source: SourceMetadata) -> bool:
    match kind:
        case "type":
            return source.kind in TYPES.get(value, (value,)) or source.suffix == value
        case "in":
            words = words_of(value)
            names = (*source.names, *source.collections, *source.tags, *source.folders)
            return any(is_called(words, name) for name in names)
        case "genre":
            return source.genre.casefold() == value.casefold()
    days = period(value)
    return days is not None and has_relation(kind, source.days, days)


def _mask_by_sources(
    leaves: LeafTable, sources: Sequence[SourceMetadata], conditions: Sequence[Condition]
) -> NDArray[np.bool_]:
    """(n,) bool: the leaves of documents with a source that satisfies all conditions."""
    kinds = dict.fromkeys(condition.kind for condition in conditions)
    groups = [[condition for condition in conditions if condition.kind == kind] for kind in kinds]
    versions = {
        source.version_id
        for source in sources
        if all(
            (any if group[0].kind in _ALTERNATIVES else all)(holds(condition, source) for condition in group)
            for group in groups
        )
    }
    mask = np.array([version_id in versions for version_id in leaves.version_ids], bool)
    return mask[leaves.documents] if len(leaves) else np.zeros(0, bool)


@dataclass(frozen=True, slots=True, eq=False)
class _Matches:
    """The occurrences of words in all documents.

    ``leaves``: (n,) bool, the leaves that overlap an occurrence. ``crossing``: (m, 3) int64 rows of (document index,
    start, end), the occurrences that do not lie inside a single leaf.
    """

    leaves: NDArray[np.bool_]
    crossing: NDArray[np.int64]

    @classmethod
    def of(cls, store: Store, leaves: LeafTable, words: str) -> _Matches:
        overlapping = np.zeros(len(leaves), bool)
        crossing = [np.zeros((0, 3), np.int64)]
        indexes = {version_id: index for index, version_id in enumerate(leaves.version_ids)}
        bounds = np.searchsorted(leaves.documents, np.arange(len(leaves.version_ids) + 1))
        for version_id, text in _texts_with(store, words):
            document = indexes.get(version_id)
            if document is None:
                continue
            spans = np.array(list(occurrences(text, words)), np.int64).reshape(-1, 2)
            own = slice(bounds[document], bounds[document + 1])
            if not len(spans) or own.start == own.stop:
                continue
            starts, ends = leaves.starts[own], leaves.ends[own]
            first = np.searchsorted(spans[:, 1], starts, side="right")  # the first occurrence that ends after the start
            overlapping[own] = np.append(spans[:, 0], np.iinfo(np.int64).max)[first] < ends
            leaf = np.searchsorted(starts, spans[:, 0], side="right") - 1  # the leaf in which the occurrence starts
            outside = spans[(leaf < 0) | (ends[leaf] < spans[:, 1])]
            crossing.append(np.column_stack([np.full(len(outside), document), outside]))
        return cls(overlapping, np.concatenate(crossing))


def _excluded(leaves: LeafTable, matches: Mapping[Condition, _Matches]) -> ExcludedText | None:
    blocks = [np.zeros((0, 4), np.int64)]
    for index, match in enumerate(matches.values()):
        columns = (leaves.documents, leaves.starts, leaves.ends)
        matching_leaves = np.column_stack([column[match.leaves].astype(np.int64) for column in columns])
        blocks += [np.insert(spans, 3, index, axis=1) for spans in (matching_leaves, match.crossing)]
    spans = np.concatenate(blocks)
    if not len(spans):
        return None
    documents, starts, ends, condition_indexes = spans[np.argsort(spans[:, 0], kind="stable")].T
    return ExcludedText(tuple(matches), documents.astype(np.int32), starts, ends, condition_indexes)


def _texts_with(store: Store, words: str) -> Iterator[tuple[str, str]]:
    """``(version id, text)`` of the documents that may contain the words; a superset, found by SQLite's LIKE.

    FTS5 would miss some: its tokens are stems of whole terms, and a leaf boundary, a dot or an apostrophe may join or
    split them. LIKE looks for the letters of the longest plain word, in 0.1 s for 30 million characters. If the word
    may be spelt with ligatures, all texts with a ligature match: these start with the same two bytes in UTF-8.
    """
    longest, may_have_ligature = longest_letters(words)
    # "k" becomes a wildcard: the Kelvin sign is "k" in lower case for Python, but not for SQLite.
    like = "%" + re.sub(r"[kK]", "_", longest[:100]) + "%"
    with store.reading() as connection:
        yield from connection.execute(
            # LIKE and length() stop at a NUL, so that a text with one is shorter than its stored length.
            "SELECT id, text FROM version WHERE (text LIKE ? OR length(text) < characters"
            " OR (? AND instr(CAST(text AS BLOB), x'EFAC'))) AND number IN (SELECT version FROM source)",
            (like, may_have_ligature),
        )


def conditions_key(conditions: Sequence[Condition]) -> str:
    """A cache key for a set of conditions, independent of their order."""
    return json.dumps(sorted({condition.key for condition in conditions}))
