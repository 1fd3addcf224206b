"""``Query``: a question, the documents it is asked of, and the parts of its understanding that the user removed."""

from __future__ import annotations

from dataclasses import dataclass, field

from core.search.question.analysis import Keys
from core.storage.catalogue.filing.names import ALL_DOCUMENTS, Scope


@dataclass(frozen=True, slots=True)
class Query:
    """One search request.

    ``scope``: the documents to search. ``ignored``: keys of the chips that the user removed. ``asking``: an id of this
    asking, which does not influence the result. An incomplete result, after a timeout or without the embedder, is
    cached for this id only; "" means not cached.
    """

    question: str
    scope: Scope = ALL_DOCUMENTS
    ignored: Keys = frozenset()
    asking: str = field(default="", compare=False)
