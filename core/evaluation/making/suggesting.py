"""A few questions to begin with, for a page that is empty: at once, without a search and without a model."""

from __future__ import annotations

from random import Random
from time import perf_counter

from core.evaluation.making.documents import drafts_of
from core.evaluation.making.draft import Draft
from core.library import Library
from core.lru_cache import LruCache

SECONDS = 0.2  # after which no further document is read
_DOCUMENTS, _LONGEST = 8, 60_000  # documents that are looked at, and characters of each
# People ask these first; a cell of a table or the default of a function only where there is nothing else.
_LIKED = ("cause", "number", "definition", "how", "steps", "who", "heading", "date", "place", "name", "table", "code")

_kept: LruCache[tuple[str, ...]] = LruCache(8)


def suggested_questions(library: Library, count: int = 4) -> tuple[str, ...]:
    """Up to ``count`` questions that documents of the library answer, of different documents and kinds where it can.

    Made by the rules of ``make_questions`` without its checks, from a few documents, in about a fifth of a second, and
    remembered as long as the library holds the same. () for a library that is empty, or holds nothing of the kind.
    """
    key = (str(library.home), library.contents(), count)
    return _kept.made(key, lambda: _suggested(library, count))


def _suggested(library: Library, count: int) -> tuple[str, ...]:
    began = perf_counter()
    sources = {row.version_id: row.characters for row in library.sources()}
    # Whatever is long enough to say something, the shorter first: it is read sooner.
    versions = sorted(sources, key=lambda version: (sources[version] > _LONGEST, version))
    Random("lectern suggestions").shuffle(inner := [one for one in versions if 500 <= sources[one] <= _LONGEST])  # noqa: S311
    found: list[list[Draft]] = []
    for version in (inner or versions)[:_DOCUMENTS]:
        drafts = drafts_of(library.document(version), None, _LONGEST)
        if drafts:
            found.append(sorted(drafts, key=lambda draft: (_LIKED.index(draft.kind), len(draft.question))))
        if perf_counter() - began > SECONDS:
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
