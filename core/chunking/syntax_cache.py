"""The syntax of a document's code: each piece is read once, however often the document is cut."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from core.syntax import Syntax, Unread, is_readable
from core.types import Document, Span

CodeSpan = tuple[str, Span]


class SyntaxReader(Protocol):
    """Reads the syntax of code that may be hostile, within limits of time and memory. Never raises for a text."""

    def __call__(self, sources: Sequence[tuple[str, str]], /) -> list[Syntax | Unread]:
        """One for each (text, language), in order."""


class SyntaxCache:
    """The syntax of the code spans of one document. What could not be read is not tried again."""

    __slots__ = ("_document", "_known")

    def __init__(self, document: Document) -> None:
        self._document = document
        self._known: dict[CodeSpan, Syntax | Unread] = {}

    def read(self, spans: Sequence[CodeSpan], reader: SyntaxReader) -> list[Syntax | Unread]:
        """Of each (language, span), in order; those not known yet are asked for together."""
        text = self._document.text
        missing: list[tuple[str, str]] = []
        places: list[CodeSpan] = []
        for language, span in dict.fromkeys(spans):
            if (language, span) in self._known:
                continue
            words = text[span.start : span.end]
            if is_readable(words, language):
                missing.append((words, language))
                places.append((language, span))
            else:
                self._known[language, span] = Unread.FOREIGN
        if missing:
            self._known.update(zip(places, reader(missing), strict=True))
        return [self._known[one] for one in spans]
