"""The inputs of chunking for one document, computed once, so that cutting it under other settings is cheap."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property

from core.chunking.plan import Chunker, ChunkerResources, ChunkingContext, SyntaxCache
from core.chunking.prefixes import Prefixes
from core.chunking.signals.series import Series
from core.chunking.tree import build_tree, recounted
from core.settings import ChunkingSettings
from core.text.outline import Outline
from core.text.tokens import CharacterCounter, TokenMap
from core.types import ChunkTree, Document, TokenCounter


class PreparedDocument:
    """A document with its tokens, outline, sentences, sentence vectors and syntax, each computed on first use."""

    def __init__(self, document: Document, counter: TokenCounter, resources: ChunkerResources | None = None) -> None:
        self.document = document
        self.counter = counter
        self.resources = resources or ChunkerResources()
        self.series = Series(document, self.resources.encoder)
        self.syntax_cache = SyntaxCache(document)
        self._maps: dict[str, TokenMap] = {}

    @cached_property
    def outline(self) -> Outline:
        """The heading tree."""
        return Outline(self.document)

    def context(self, settings: ChunkingSettings) -> ChunkingContext:
        """The input of a chunker under these settings; "written" is dropped from ``prefix`` without a ``situator``."""
        if settings.is_written and self.resources.situator is None:
            settings = replace(settings, prefix=tuple(kind for kind in settings.prefix if kind != "written"))
        if settings.unit not in self._maps:
            counter = self.counter if settings.unit == "tokens" else CharacterCounter()
            self._maps[settings.unit] = TokenMap(counter, self.document.text)
        tokens = self._maps[settings.unit]
        prefixes = Prefixes(self.outline, settings, tokens)
        return ChunkingContext(
            self.document, settings, tokens, self.outline, prefixes, self.series, self.resources, self.syntax_cache
        )

    def tree(self, settings: ChunkingSettings, chunker: Chunker, fingerprint: str) -> ChunkTree:
        """The chunk tree under these settings. ``fingerprint``: of the recipe; every chunk id is made from it."""
        context = self.context(settings)
        tree = build_tree(context, chunker(context), fingerprint)
        return tree if settings.unit == "tokens" else recounted(tree, self.counter, settings.read_prefix)
