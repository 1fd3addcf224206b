"""A question as it is asked: its words, where it is asked, and what of it is not to be heeded."""

from __future__ import annotations

from dataclasses import dataclass, field

from core.search.question.analysis import Keys
from core.storage.catalogue.names import ALL_DOCUMENTS, Scope


@dataclass(frozen=True, slots=True)
class Query:
    """``scope``: the documents that are asked. ``ignored``: keys of what was understood of the question and taken away.

    ``asking``: another each time it is asked, which changes nothing in what is found: what was found in part, for want
    of time or of the embedder's server, is remembered for that asking alone, or not at all where it is "".
    """

    question: str
    scope: Scope = ALL_DOCUMENTS
    ignored: Keys = frozenset()
    asking: str = field(default="", compare=False)
