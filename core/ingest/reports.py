"""What an ingest comes to: each document, each file that could not be read, and all of it."""

from __future__ import annotations

from dataclasses import dataclass

from core.chunking.auditing import Audit
from core.text.places import PagesRead
from core.types import WordAudit


@dataclass(frozen=True, slots=True)
class Ingested:
    """A document now in the library. ``reused``: nothing about it had changed. ``parent``: of an attachment, the
    version of its mail. ``words``: what a second reading of the file said, ``None`` where none was made. ``read``: how
    its pages were read, ``None`` without pages. ``by_words``: why it is found by its words alone so far, "" where it is
    found by its meaning, too.
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
    """An item that could not be ingested, and the sentence that says why.

    ``problem``: as ``problem_of`` has it.
    """

    source: str
    reason: str
    problem: str = ""


@dataclass(frozen=True, slots=True)
class IngestReport:
    """``encoded``: distinct texts the encoder was given; ``reused``: those whose vectors were known already."""

    documents: tuple[Ingested, ...]
    failures: tuple[Failure, ...]
    encoded: int
    reused: int
    seconds: float
