"""Suggestions for a new library: a few questions, without search or encoder, and a chunk size."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median
from time import perf_counter

from core.evaluation.making.documents import drafts_of
from core.evaluation.making.draft import Draft
from core.library import Library
from core.lru_cache import LruCache

SECONDS = 0.5  # after which no further document is read, once one has yielded a draft
_DOCUMENTS, _LONGEST = 8, 4_000  # documents to read, and characters of each
_PREFERRED_LENGTHS = (800, 200_000)  # characters; documents within these bounds are read first
_LONGEST_QUESTION = 90  # characters that fit on a button
_WITHOUT_PROSE = frozenset({"code", "csv", "xlsx", "xls", "ods", "notebook"})
# Kinds of questions, the most useful first; those of tables are not suggested.
_KIND_ORDER = ("cause", "number", "definition", "how", "steps", "who", "heading", "date")

_SIZES = (3, 5)  # multiples of the median gold
_FEWEST_GOLDS = 6  # of fewer, the median says nothing about the next question

_cache: LruCache[tuple[str, ...]] = LruCache(8)


def suggested_size(golds: Sequence[int]) -> tuple[int, int] | None:
    """A range of chunk sizes in tokens: three to five times the median gold; ``None`` for fewer than six spans.

    ``golds``: the size of each gold span in tokens.

    >>> suggested_size([12, 14, 20, 20, 85, 90]), suggested_size([20])
    ((60, 100), None)
    """
    if len(golds) < _FEWEST_GOLDS:
        return None
    least, most = (round(times * median(golds)) for times in _SIZES)
    return (least, most) if least else None


def suggested_questions(library: Library, count: int = 4) -> tuple[str, ...]:
    """Up to ``count`` questions that the library answers, of different documents and kinds where possible.

    They are drafted by the rules of ``make_questions`` without its checks, from a few documents, in about half a second
    once the grammar is loaded. The result is cached until the library changes. () for a library without English prose.
    """
    key = (str(library.home), library.revision(), count)
    return _cache.get_or_create(key, lambda: _suggested(library, count))


def _suggested(library: Library, count: int) -> tuple[str, ...]:
    start = perf_counter()
    rows = {row.version_id: row for row in library.sources() if row.document_kind not in _WITHOUT_PROSE}
    shortest, longest = _PREFERRED_LENGTHS
    # In the order of their hashes, which is arbitrary, so that no topic or folder is preferred.
    order = sorted(rows, key=lambda version: (not shortest <= rows[version].characters <= longest, version))
    drafts_by_document: list[list[Draft]] = []
    for version in order[:_DOCUMENTS]:
        drafts = [
            draft
            for draft in drafts_of(library.document(version), None, _LONGEST)
            if draft.kind in _KIND_ORDER and len(draft.question) <= _LONGEST_QUESTION
        ]
        if drafts:
            drafts_by_document.append(
                sorted(drafts, key=lambda draft: (_KIND_ORDER.index(draft.kind), draft.gold.start))
            )
        if drafts_by_document and perf_counter() - start > SECONDS:
            break
    questions: list[str] = []
    used_kinds: list[str] = []
    while len(questions) < count and any(drafts_by_document):
        for drafts in drafts_by_document:
            draft = next((draft for draft in drafts if draft.kind not in used_kinds), drafts[0] if drafts else None)
            if draft is None or len(questions) == count:
                continue
            drafts.remove(draft)
            questions.append(draft.question)
            used_kinds.append(draft.kind)
        open_kinds = {draft.kind for drafts in drafts_by_document for draft in drafts}
        if len(used_kinds) >= len(_KIND_ORDER) or open_kinds <= set(used_kinds):
            used_kinds.clear()
    return tuple(questions)
