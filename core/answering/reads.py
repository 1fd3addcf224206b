"""What the answer line reads of a catalogue."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from core.answering.support import rarity_of
from core.retrieval.bounds import Comparison
from core.retrieval.comparing import Listing, rows_listed
from core.storage import documents
from core.storage.lexical import token_holders
from core.storage.store import Store
from core.text.sentences import parts_sentence
from core.types import Block, Passage, Span


class StoreReads:
    """``LineReads`` over an open library; ``generation``: of the leaves that were searched, 0 for none.

    ``text(version_id)``: a version's canonical text.
    """

    def __init__(self, store: Store, generation: int, text: Callable[[str], str]) -> None:
        self._store = store
        self._generation = generation
        self._text = text

    def headings(self, version_id: str) -> Sequence[Span]:
        """Where a version's headings stand."""
        return documents.heading_spans(self._store, version_id)

    def tables(self, version_id: str, start: int, end: int) -> Sequence[Block]:
        """The tables that reach into a span, with the cells in it and the header."""
        return documents.tables(self._store, version_id, start, end)

    def code(self, version_id: str, start: int, end: int) -> Sequence[Span]:
        """Where listings and raw HTML reach into a span."""
        return documents.code_spans(self._store, version_id, start, end)

    def cut(self, version_id: str, place: int) -> bool:
        """Whether a passage that begins or ends there parts a sentence."""
        return parts_sentence(self._text(version_id), place)

    def rows(self, asked: Comparison, passages: Sequence[Passage], most: int) -> Listing:
        """The rows of tables in the passages that satisfy a comparison which asks to list them."""
        return rows_listed(self._store, asked, passages, most)

    def page(self, version_id: str, offset: int) -> int | None:
        """The page an offset stands on, if the document has pages."""
        return documents.page_at(self._store, version_id, offset)

    def rarity(self, tokens: Sequence[str]) -> Mapping[str, float]:
        """What tokens weigh among the leaves; nothing is known of them in an empty library."""
        return rarity_of(*token_holders(self._store, self._generation, tokens)) if self._generation else {}
