"""One document on the bench: what every recipe needs of it is made once, so that a turned dial costs only the cut."""

from __future__ import annotations

from core.chunking.outline import Outline
from core.chunking.plan import Aids, Chunker, Frame
from core.chunking.prefixes import Prefixes
from core.chunking.readings import Readings
from core.chunking.series import Series
from core.chunking.tree import build_tree, recounted
from core.settings import ChunkingSettings
from core.text.tokens import CharacterCounter, TokenMap
from core.types import ChunkTree, Document, TokenCounter


class Workpiece:
    """A document with its tokens, outline, sentences, sentence vectors and syntax, each made when first needed."""

    def __init__(self, document: Document, counter: TokenCounter, aids: Aids | None = None) -> None:
        self.document = document
        self.counter = counter
        self.aids = aids or Aids()
        self.series = Series(document, self.aids.encoder)
        self.readings = Readings(document)
        self._outline: Outline | None = None
        self._maps: dict[str, TokenMap] = {}

    def frame(self, settings: ChunkingSettings) -> Frame:
        """What a chunker works from under these settings."""
        if self._outline is None:
            self._outline = Outline(self.document)
        if settings.unit not in self._maps:
            ruler = self.counter if settings.unit == "tokens" else CharacterCounter()
            self._maps[settings.unit] = TokenMap(ruler, self.document.text)
        tokens = self._maps[settings.unit]
        prefixes = Prefixes(self._outline, settings, tokens)
        return Frame(self.document, settings, tokens, self._outline, prefixes, self.series, self.aids, self.readings)

    def tree(self, settings: ChunkingSettings, chunker: Chunker, fingerprint: str) -> ChunkTree:
        """The chunk tree under these settings. ``fingerprint``: of the recipe; it is part of every chunk's id."""
        work = self.frame(settings)
        tree = build_tree(work, chunker(work), fingerprint)
        return tree if settings.unit == "tokens" else recounted(tree, self.counter, settings.read_prefix)
