"""Conditions of a question, resolved in the catalogue: exactly which leaves pass, however few or many they are.

A vector store that filters by itself collects every matching id first, and may miss some; here the ids that pass are
known before anything is searched.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.storage.leaves import LeafTable
from core.storage.shelves import Standing, is_called, load_standings, words_of
from core.storage.store import Store
from core.text.periods import RELATIONS, period, stands, stands_by_version, version_number
from core.text.tokens import is_wide

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
OF_SOURCES = ("type", "in", "genre", *RELATIONS)
OF_TEXT = ("phrase", "not")
_UNSPACED = (("\u0e00", "\u0eff"), ("\u1000", "\u109f"), ("\u1780", "\u17ff"))  # Thai, Lao, Burmese, Khmer


@dataclass(frozen=True, slots=True)
class Condition:
    """Something a question asks of the passages, and where it does so.

    ``kind``: "type", "in" (a document, folder, collection or tag of that name), "genre", a relation to a date or a
    version ("after", "since", "before", "until", "during"), "phrase" or "not" (words that must, must not, be there);
    a leaning may also be an "intent". ``stated``: it filters; inferred, it only lends weight. ``[start, end)``: of the
    question. ``words``: for people.
    """

    kind: str
    value: str
    stated: bool
    start: int
    end: int
    words: str

    @property
    def key(self) -> tuple[str, str]:
        """What tells it from others, wherever it stands in the question."""
        return self.kind, self.value


def set_aside(condition: Condition) -> str:
    """The sentence on a phrase that was left out of account.

    >>> set_aside(Condition("phrase", "two sites", True, 0, 11, "phrase: “two sites”"))
    'No passage has the phrase “two sites”: it was left out.'
    """
    return f"No passage has the {condition.words.replace(': ', ' ', 1)}: it was left out."


@dataclass(frozen=True, slots=True, eq=False)
class Passing:
    """Which leaves pass. ``mask``: (n,) bool, aligned with the leaves. ``alone``: how many each condition would let
    through without the others, in their order. ``aside``: phrases that were left out of account.
    """

    mask: NDArray[np.bool_]
    alone: tuple[int, ...]
    aside: tuple[Condition, ...] = ()


def passing(store: Store, leaves: LeafTable, conditions: Sequence[Condition]) -> NDArray[np.bool_]:
    """(n,) bool aligned with ``leaves``: those for which every condition holds; without any, all of them."""
    return resolve(store, leaves, conditions).mask


def resolve(
    store: Store,
    leaves: LeafTable,
    conditions: Sequence[Condition],
    standings: Sequence[Standing] | None = None,
    *,
    lenient: bool = False,
) -> Passing:
    """Which leaves pass the conditions together, and how many each would let through alone.

    Of a document one live source has to satisfy all conditions on sources at once. Several of one kind must all hold,
    but for "type", "in" and "genre" any of the named will do: nothing is of two types. A phrase passes every leaf that
    has a part of one of its occurrences in the document, so that a cut through its middle hides nothing; of several,
    the document must have all and the leaf one. A "not" passes the leaves that have no part of any occurrence.
    ``standings``: what ``load_standings`` says now. ``lenient``: a phrase that none of the leaves has is set aside, for
    people put terms in quotation marks that documents spell otherwise.
    """
    if not conditions:
        return Passing(np.ones(len(leaves), bool), ())
    with store.reading():
        there = load_standings(store) if standings is None else standings
        of_sources = [condition for condition in conditions if condition.kind in OF_SOURCES]
        of_text = [condition for condition in conditions if condition.kind in OF_TEXT]
        mask = _of_versions(leaves, there, of_sources) if of_sources else np.ones(len(leaves), bool)
        touched = {condition: _touched(store, leaves, condition.value) for condition in dict.fromkeys(of_text)}
    alone = {condition: int(_of_versions(leaves, there, [condition]).sum()) for condition in of_sources}
    aside: list[Condition] = []
    quoted: list[NDArray[np.bool_]] = []
    for condition, those in touched.items():
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
    return Passing(mask, tuple(alone[condition] for condition in conditions), tuple(aside))


def holds(condition: Condition, source: Standing) -> bool:
    """Whether a condition on sources holds for one.

    >>> from core.text.periods import Period, period
    >>> source = Standing("v", "pdf", "pdf", ("Field-Manual.pdf", "Manual"), (), ("boat",), (), "guide",
    ...                   period("2024-05"), ())
    >>> def asked(kind, value): return Condition(kind, value, True, 0, 0, "")
    >>> [holds(asked(*pair), source) for pair in (("type", "pdf"), ("in", "field manual"), ("after", "2024"))]
    [True, True, False]
    """
    match condition.kind:
        case "type":
            return source.kind in TYPES.get(condition.value, (condition.value,)) or source.suffix == condition.value
        case "in":
            wanted = words_of(condition.value)
            places = (*source.names, *source.collections, *source.tags, *source.folders)
            return any(is_called(wanted, place) for place in places)
        case "genre":
            return source.genre.casefold() == condition.value.casefold()
    days = period(condition.value)
    if days is not None:
        return stands(condition.kind, source.days, days)
    return bool(source.version) and stands_by_version(condition.kind, source.version, version_number(condition.value))


def _of_versions(leaves: LeafTable, there: Sequence[Standing], conditions: Sequence[Condition]) -> NDArray[np.bool_]:
    kinds = dict.fromkeys(condition.kind for condition in conditions)
    groups = [[one for one in conditions if one.kind == kind] for kind in kinds]
    versions = {
        source.version_id
        for source in there
        if all(
            (all if group[0].kind in RELATIONS else any)(holds(condition, source) for condition in group)
            for group in groups
        )
    }
    mask = np.array([version_id in versions for version_id in leaves.version_ids], bool)
    return mask[leaves.documents] if len(leaves) else np.zeros(0, bool)


def _touched(store: Store, leaves: LeafTable, words: str) -> NDArray[np.bool_]:
    """The leaves that share a character with an occurrence of the words in their document."""
    touched = np.zeros(len(leaves), bool)
    places = {version_id: place for place, version_id in enumerate(leaves.version_ids)}
    bounds = np.searchsorted(leaves.documents, np.arange(len(leaves.version_ids) + 1))
    for version_id, text in _texts_with(store, words):
        place = places.get(version_id)
        if place is None:
            continue
        found = np.array(list(occurrences(text, words)), np.int64).reshape(-1, 2)
        if not len(found):
            continue
        own = slice(bounds[place], bounds[place + 1])
        first = np.searchsorted(found[:, 1], leaves.starts[own], side="right")  # the first that ends behind its start
        begins = np.append(found[:, 0], np.iinfo(np.int64).max)[first]
        touched[own] = begins < leaves.ends[own]
    return touched


def occurrences(text: str, words: str) -> Iterator[tuple[int, int]]:
    """``(start, end)`` of the words in a text, from the left, none inside another: whole words, in any case, with any
    blanks between them.

    >>> list(occurrences("An access\\ntoken. Access tokens.", "Access  token")), list(occurrences("東京都", "東京"))
    ([(3, 15)], [(0, 2)])
    """
    parts = _folded(words).split()
    if not parts:
        return
    pattern = re.compile(r"\s+".join(re.sub(r"['‘’]", "['‘’]", re.escape(part)) for part in parts))
    folded = _folded(text, plain=words.isascii())
    at = 0
    while (match := pattern.search(folded, at)) is not None:
        start, end = match.span()
        # Looked around here, not in the pattern: one that begins with plain letters is searched many times as fast.
        if _goes_on(folded, start) or _goes_on(folded, end):
            at = start + 1
            continue
        at = end
        yield start, end


def _goes_on(text: str, position: int) -> bool:
    """Whether a word goes on over a position: never in scripts that are written without spaces."""
    return 0 < position < len(text) and _is_bounded(text[position - 1]) and _is_bounded(text[position])


def _folded(text: str, plain: bool = False) -> str:
    """The text in lower case, each character at its own place. ``plain``: ASCII letters alone, in a fifth of the time.

    >>> _folded("AİßÄ"), _folded("AİßÄ", plain=True)
    ('aİßä', 'aİßÄ')
    """
    if plain:
        lowered = text.encode("utf-8", "surrogatepass").lower().decode("utf-8", "surrogatepass")
        return lowered.replace("\u212a", "k")  # the Kelvin sign, the one other character whose lower case is ASCII
    lowered = text.lower()
    if len(lowered) == len(text):
        return lowered
    return "".join(lower if len(lower := character.lower()) == 1 else character for character in text)


def _is_bounded(character: str) -> bool:
    """Whether words of the character's script have ends that show."""
    unspaced = is_wide(character) or any(low <= character <= high for low, high in _UNSPACED)
    return (character.isalnum() or character == "_") and not unspaced


def _texts_with(store: Store, words: str) -> Iterator[tuple[str, str]]:
    """The texts that may hold the words, by version: SQLite looks through them, which spares most of the reading.

    FTS5 is not asked: its tokens are stems of whole terms, which a leaf's edge, a dot or an apostrophe joins and parts,
    so that it would miss some. LIKE finds every text with the letters of the longest plain word: 0.1 s for 30 million
    characters.
    """
    longest = max(re.findall(r"[A-Za-z0-9]+", words), key=len, default="")[:100]
    like = "%" + re.sub(r"[kK]", "_", longest) + "%"  # the Kelvin sign is a k in lower case, and none to SQLite
    with store.reading() as connection:
        found = connection.execute(
            "SELECT id, text FROM version WHERE (text LIKE ? OR length(text) < characters)"  # a NUL ends it for both
            " AND number IN (SELECT version FROM source)",
            (like,),
        )
        yield from found


def chosen(conditions: Sequence[Condition]) -> str:
    """A name for a set of conditions, the same in whatever order they are: for caches."""
    return json.dumps(sorted({condition.key for condition in conditions}))
