"""What the answer line reads of a catalogue."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from core.embedding.answer_reader import load
from core.search.answer.marking import Marks
from core.search.answer.support import rarity_of
from core.storage.catalogue import documents
from core.storage.index.lexical import token_holders
from core.storage.store import Store
from core.text.sentences import parts_sentence
from core.types import Block


class StoreReads:
    """``LineReads`` over an open library; ``generation``: of the leaves that were searched, 0 for none.

    ``text(version_id)``: a version's canonical text.
    """

    def __init__(self, store: Store, generation: int, text: Callable[[str], str]) -> None:
        self._store = store
        self._generation = generation
        self._text = text

    def blocks(self, version_id: str, start: int, end: int) -> Sequence[Block]:
        """The blocks that reach into a span, in order, tables with the cells in it and their headers."""
        return documents.blocks(self._store, version_id, start, end)

    def cut(self, version_id: str, place: int) -> bool:
        """Whether a passage that begins or ends there parts a sentence."""
        return parts_sentence(self._text(version_id), place)

    def rarity(self, tokens: Sequence[str]) -> Mapping[str, float]:
        """What tokens weigh among the leaves; nothing is known of them in an empty library."""
        return rarity_of(*token_holders(self._store, self._generation, tokens)) if self._generation else {}


def packaged_reader(question: str, texts: Sequence[str], above: Sequence[str]) -> Sequence[Marks]:
    """Marks answers by the small reader that comes with Lectern, which is loaded when the first question wants it."""
    return load().read(question, texts, above)
