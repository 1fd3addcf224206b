"""What to begin with: a few questions, quickly, without a search and without the encoder; a size for chunks."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median
from time import perf_counter

from core.evaluation.making.documents import drafts_of
from core.evaluation.making.draft import Draft
from core.library import Library
from core.lru_cache import LruCache

SECONDS = 0.5  # after which no further document is read, once one has given something
_DOCUMENTS, _LONGEST = 8, 4_000  # documents that are looked at, and characters of each
_LEAST, _MOST = 800, 200_000  # characters of a document that is looked at before others
_LONGEST_QUESTION = 90  # characters: it stands on a button
_WITHOUT_PROSE = frozenset({"code", "csv", "xlsx", "xls", "ods", "notebook"})
# People ask these first.
_LIKED = ("cause", "number", "definition", "how", "steps", "who", "heading", "date", "place", "name")

_SIZES = (3, 5)  # times the median gold

_kept: LruCache[tuple[str, ...]] = LruCache(8)


def suggested_size(golds: Sequence[int]) -> tuple[int, int] | None:
    """The least and the most tokens of a chunk to begin with: three to five times the median gold.

    ``golds``: tokens of each gold place; ``None`` where there is none.

    >>> suggested_size([12, 20, 90]), suggested_size([])
    ((60, 100), None)
    """
    least, most = (round(times * median(golds or [0])) for times in _SIZES)
    return (least, most) if least else None


def suggested_questions(library: Library, count: int = 4) -> tuple[str, ...]:
    """Up to ``count`` questions that documents of the library answer, of different documents and kinds where it can.

    Made by the rules of ``make_questions`` without its checks, from a few documents, in about half a second once
    the grammar is loaded, and remembered as long as the library stays as it is. () for one that holds no English prose.
    """
    key = (str(library.home), library.revision(), count)
    return _kept.get_or_create(key, lambda: _suggested(library, count))


def _suggested(library: Library, count: int) -> tuple[str, ...]:
    began = perf_counter()
    rows = {row.version_id: row for row in library.sources() if row.kind not in _WITHOUT_PROSE}
    # Every so often another document first: a hash has nothing to do with what it says.
    order = sorted(rows, key=lambda version: (not _LEAST <= rows[version].characters <= _MOST, version))
    found: list[list[Draft]] = []
    for version in order[:_DOCUMENTS]:
        drafts = [
            draft
            for draft in drafts_of(library.document(version), None, _LONGEST)
            if draft.kind != "table" and len(draft.question) <= _LONGEST_QUESTION
        ]
        if drafts:
            found.append(sorted(drafts, key=lambda draft: (_LIKED.index(draft.kind), draft.gold.start)))
        if found and perf_counter() - began > SECONDS:
            break
    chosen: list[str] = []
    kinds: list[str] = []
    while len(chosen) < count and any(found):
        for drafts in found:
            fresh = next((draft for draft in drafts if draft.kind not in kinds), drafts[0] if drafts else None)
            if fresh is None or len(chosen) == count:
                continue
            drafts.remove(fresh)
            chosen.append(fresh.question)
            kinds.append(fresh.kind)
        if len(kinds) >= len(_LIKED) or all(not draft or {one.kind for one in draft} <= set(kinds) for draft in found):
            kinds.clear()
    return tuple(chosen)
