"""The result of an ingest: its documents, its failures, and totals."""

from __future__ import annotations

from dataclasses import dataclass

from core.chunking.auditing import Audit
from core.text.places import PagesRead
from core.types import WordAudit


@dataclass(frozen=True, slots=True)
class Ingested:
    """An ingested document.

    ``reused``: it was in the library already and unchanged. ``parent``: the version of an attachment's mail. ``words``:
    the check for lost text, ``None`` where none was made. ``read``: how its pages were read, ``None`` without pages.
    ``by_words``: why it could not be encoded yet, "" if it is.
    """

    source: str
    document: str
    kind: str
    characters: int
    chunks: int
    audit: Audit
    version_id: str
    reused: bool
    parent: str | None = None
    words: WordAudit | None = None
    read: PagesRead | None = None
    by_words: str = ""


@dataclass(frozen=True, slots=True)
class Failure:
    """An item that could not be ingested. ``reason``: why, as a sentence. ``problem``: as in ``problem_of``."""

    source: str
    reason: str
    problem: str = ""


@dataclass(frozen=True, slots=True)
class IngestReport:
    """The result of an ingest. ``encoded``: distinct texts encoded; ``reused``: texts whose vectors were cached."""

    documents: tuple[Ingested, ...]
    failures: tuple[Failure, ...]
    encoded: int
    reused: int
    seconds: float
