"""Conditions of a question, resolved in the catalogue: exactly which leaves pass, however few or many they are.

A vector store that filters by itself collects every matching id first, and may miss some; here the ids that pass are
known before anything is searched.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from core.storage.catalogue.source_metadata import SourceMetadata, is_called, source_metadata, words_of
from core.storage.index.leaves import LeafTable
from core.storage.store import Store
from core.text.calendar_names import RELATIONS, has_relation, period
from core.text.phrases import longest_letters, occurrences

# What people call kinds of files, and the kinds of documents meant; anything else is a kind or a name's suffix itself.
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
_NAMING = ("type", "in", "genre")
WITHOUT = "-"  # before the kind of a condition on sources: those for which it does not hold
OF_SOURCES = tuple(f"{sign}{kind}" for sign in ("", WITHOUT) for kind in (*_NAMING, *RELATIONS))
OF_TEXT = ("phrase", "not")


@dataclass(frozen=True, slots=True)
class Condition:
    """Something a question asks of the passages, and where it does so.

    ``kind``: "type", "in" (a document, folder, collection or tag of that name), "genre", a relation to a date
    ("after", "since", "before", "until", "during"), each of these also denied ("-in"), "phrase" or "not" (words
    that must, must not, be there). ``[start, end)``: of the question. ``words``: for people.
    """

    kind: str
    value: str
    start: int
    end: int
    words: str

    @property
    def key(self) -> tuple[str, str]:
        """What tells it from others, wherever it stands in the question."""
        return self.kind, self.value

    @property
    def denied(self) -> bool:
        """Whether it passes the documents of which the opposite is true.

        >>> Condition("-in", "archive", 0, 11, "not in: archive").denied
        True
        """
        return self.kind.startswith(WITHOUT)


def set_aside(condition: Condition) -> str:
    """The sentence on a phrase that was left out of account.

    >>> set_aside(Condition("phrase", "two sites", 0, 11, "phrase: “two sites”"))
    'No passage has the phrase “two sites”: it was left out.'
    """
    return f"No passage has the {condition.words.replace(': ', ' ', 1)}: it was left out."


@dataclass(frozen=True, slots=True, eq=False)
class ExcludedText:
    """Text that is not to be read, whatever stands beside it: what "not" conditions leave out.

    ``[starts, ends)``: (m,) int64, spans of ``documents``, (m,) int32 and rising: the leaves with a part of an
    occurrence, and occurrences that no leaf holds whole. ``whose``: (m,) int64, which of the ``conditions`` it is.
    """

    conditions: tuple[Condition, ...]
    documents: NDArray[np.int32]
    starts: NDArray[np.int64]
    ends: NDArray[np.int64]
    whose: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.documents)

    def within(
        self, document: int, start: int, end: int
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """``starts``, ``ends`` and ``whose`` of what lies in ``[start, end)`` of a document or reaches into it."""
        own = self.documents.dtype.type
        low, high = (int(np.searchsorted(self.documents, own(place))) for place in (document, document + 1))
        starts, ends = self.starts[low:high], self.ends[low:high]
        those = (starts < end) & (ends > start)
        return starts[those], ends[those], self.whose[low:high][those]

    def named(self, whose: NDArray[np.int64]) -> tuple[Condition, ...]:
        """The conditions, each once."""
        return tuple(self.conditions[place] for place in np.unique(whose).tolist())


@dataclass(frozen=True, slots=True, eq=False)
class Passing:
    """Which leaves pass. ``mask``: (n,) bool, aligned with the leaves. ``alone``: how many each condition would let
    through without the others, in their order. ``aside``: phrases that were left out of account. ``excluded``: what may
    not be read beside a leaf that passes, ``None`` for nothing.
    """

    mask: NDArray[np.bool_]
    alone: tuple[int, ...]
    aside: tuple[Condition, ...] = ()
    excluded: ExcludedText | None = None

    @property
    def nbytes(self) -> int:
        """How much memory it takes."""
        spans = self.excluded
        return self.mask.nbytes + (0 if spans is None else len(spans) * 28)

    def taken(self, kept: NDArray[np.bool_]) -> Passing:
        """The same for the leaves that are ``kept``, ``(n,)``."""
        return self if kept.all() else replace(self, mask=self.mask[kept])


def resolve(
    store: Store,
    leaves: LeafTable,
    conditions: Sequence[Condition],
    sources: Sequence[SourceMetadata] | None = None,
    *,
    lenient: bool = False,
) -> Passing:
    """Which leaves pass the conditions together, and how many each would let through alone.

    Of a document one live source has to satisfy all conditions on sources at once, so that "-in" an archive keeps what
    also lies elsewhere. Several of one kind must all hold, but for "type", "in" and "genre" any of the named will do:
    nothing is of two types. A phrase passes every leaf that
    has a part of one of its occurrences in the document, so that a cut through its middle hides nothing; of several,
    the document must have all and the leaf one. A "not" passes the leaves that have no part of any occurrence, and bars
    the others from being read.
    ``sources``: what ``source_metadata`` says now. ``lenient``: a phrase that none of the leaves has is set aside, for
    people put terms in quotation marks that documents spell otherwise.
    """
    if not conditions:
        return Passing(np.ones(len(leaves), bool), ())
    with store.reading():
        there = source_metadata(store) if sources is None else sources
        of_sources = [condition for condition in conditions if condition.kind in OF_SOURCES]
        of_text = [condition for condition in conditions if condition.kind in OF_TEXT]
        mask = _of_versions(leaves, there, of_sources) if of_sources else np.ones(len(leaves), bool)
        found = {condition: _Found.of(store, leaves, condition.value) for condition in dict.fromkeys(of_text)}
    alone = {condition: int(_of_versions(leaves, there, [condition]).sum()) for condition in of_sources}
    aside: list[Condition] = []
    quoted: list[NDArray[np.bool_]] = []
    for condition, occurring in found.items():
        those = occurring.touched
        passes = those if condition.kind == "phrase" else ~those
        alone[condition] = int(passes.sum())
        if condition.kind == "not":
            mask = mask & passes
        elif lenient and not alone[condition]:
            aside.append(condition)
        else:
            quoted.append(those)
            mask = mask & np.isin(leaves.documents, leaves.documents[those])
    if quoted:
        mask = mask & np.any(quoted, axis=0)
    excluded = _excluded(leaves, {condition: one for condition, one in found.items() if condition.kind == "not"})
    return Passing(mask, tuple(alone[condition] for condition in conditions), tuple(aside), excluded)


def holds(condition: Condition, source: SourceMetadata) -> bool:
    """Whether a condition on sources holds for one. What cannot be told of it is denied of it.

    >>> source = SourceMetadata("v", "pdf", "pdf", ("Field-Manual.pdf", "Manual"), (), ("boat",), (), "guide",
    ...                   ("Field-Manual.pdf", "Manual, 2024-05-02", "{}", None, "2026-01-01"))
    >>> def asked(kind, value): return Condition(kind, value, 0, 0, "")
    >>> [holds(asked(*pair), source) for pair in (("type", "pdf"), ("in", "field manual"), ("after", "2024"))]
    [True, True, False]
    >>> [holds(asked(*pair), source) for pair in (("-type", "pdf"), ("-in", "handbook"), ("-after", "2025"))]
    [False, True, True]
    """
    kind = condition.kind.removeprefix(WITHOUT)
    return _is_so(kind, condition.value, source) is not condition.denied


def _is_so(kind: str, value: str, source: SourceMetadata) -> bool:
    match kind:
        case "type":
            return source.kind in TYPES.get(value, (value,)) or source.suffix == value
        case "in":
            wanted = words_of(value)
            places = (*source.names, *source.collections, *source.tags, *source.folders)
            return any(is_called(wanted, place) for place in places)
        case "genre":
            return source.genre.casefold() == value.casefold()
    days = period(value)
    return days is not None and has_relation(kind, source.days, days)


def _of_versions(
    leaves: LeafTable, there: Sequence[SourceMetadata], conditions: Sequence[Condition]
) -> NDArray[np.bool_]:
    kinds = dict.fromkeys(condition.kind for condition in conditions)
    groups = [[one for one in conditions if one.kind == kind] for kind in kinds]
    versions = {
        source.version_id
        for source in there
        if all(
            (any if group[0].kind in _NAMING else all)(holds(condition, source) for condition in group)
            for group in groups
        )
    }
    mask = np.array([version_id in versions for version_id in leaves.version_ids], bool)
    return mask[leaves.documents] if len(leaves) else np.zeros(0, bool)


@dataclass(frozen=True, slots=True, eq=False)
class _Found:
    """Where words stand. ``touched``: (n,) bool, the leaves that share a character with an occurrence in their
    document. ``loose``: (m, 3) int64, document, start and end of the occurrences that the leaf at their start does not
    hold whole.
    """

    touched: NDArray[np.bool_]
    loose: NDArray[np.int64]

    @classmethod
    def of(cls, store: Store, leaves: LeafTable, words: str) -> _Found:
        touched = np.zeros(len(leaves), bool)
        loose = [np.zeros((0, 3), np.int64)]
        places = {version_id: place for place, version_id in enumerate(leaves.version_ids)}
        bounds = np.searchsorted(leaves.documents, np.arange(len(leaves.version_ids) + 1))
        for version_id, text in _texts_with(store, words):
            place = places.get(version_id)
            if place is None:
                continue
            found = np.array(list(occurrences(text, words)), np.int64).reshape(-1, 2)
            if not len(found) or bounds[place] == bounds[place + 1]:
                continue
            own = slice(bounds[place], bounds[place + 1])
            starts, ends = leaves.starts[own], leaves.ends[own]
            first = np.searchsorted(found[:, 1], starts, side="right")  # the first that ends behind its start
            touched[own] = np.append(found[:, 0], np.iinfo(np.int64).max)[first] < ends
            before = np.searchsorted(starts, found[:, 0], side="right") - 1
            outside = found[(before < 0) | (ends[before] < found[:, 1])]
            loose.append(np.column_stack([np.full(len(outside), place), outside]))
        return cls(touched, np.concatenate(loose))


def _excluded(leaves: LeafTable, found: Mapping[Condition, _Found]) -> ExcludedText | None:
    spans = [np.zeros((0, 4), np.int64)]
    for at, one in enumerate(found.values()):
        columns = (leaves.documents, leaves.starts, leaves.ends)
        held = np.column_stack([column[one.touched].astype(np.int64) for column in columns])
        spans += [np.insert(those, 3, at, axis=1) for those in (held, one.loose)]
    every = np.concatenate(spans)
    if not len(every):
        return None
    documents, starts, ends, whose = every[np.argsort(every[:, 0], kind="stable")].T
    return ExcludedText(tuple(found), documents.astype(np.int32), starts, ends, whose)


def _texts_with(store: Store, words: str) -> Iterator[tuple[str, str]]:
    """The texts that may hold the words, by version: SQLite looks through them, which spares most of the reading.

    FTS5 is not asked: its tokens are stems of whole terms, which a leaf's edge, a dot or an apostrophe joins and parts,
    so that it would miss some. LIKE finds every text with the letters of the longest plain word: 0.1 s for 30 million
    characters. Ligatures all begin with the same two bytes of UTF-8, which takes as long again to look for.
    """
    longest, parted = longest_letters(words)
    like = "%" + re.sub(r"[kK]", "_", longest[:100]) + "%"  # the Kelvin sign is a k in lower case, and none to SQLite
    with store.reading() as connection:
        found = connection.execute(
            "SELECT id, text FROM version WHERE (text LIKE ? OR length(text) < characters"  # a NUL ends it for both
            " OR (? AND instr(CAST(text AS BLOB), x'EFAC'))) AND number IN (SELECT version FROM source)",
            (like, parted),
        )
        yield from found


def chosen(conditions: Sequence[Condition]) -> str:
    """A name for a set of conditions, the same in whatever order they are: for caches."""
    return json.dumps(sorted({condition.key for condition in conditions}))
