"""Turns the bytes of a file into a ``Document``: one parser per file kind, chosen from ``PARSERS``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Protocol

from core.parsing.audit.word_audit import audit_words
from core.parsing.file_kinds import detect_kind
from core.parsing.flow_parser import FLOW_KINDS, FlowParser
from core.parsing.ooxml.libreoffice import TARGETS, OfficeParser
from core.parsing.pdf.reader import PdfParser
from core.parsing.plain.chat import ChatParser
from core.parsing.plain.markdown import MarkdownParser
from core.parsing.plain.notebook import NotebookParser
from core.parsing.plain.plain import CodeParser, PlainParser
from core.settings import ParsingSettings
from core.text.normalise import decode
from core.types import Document

TEXT_KINDS = frozenset({"markdown", "text", "code"})  # parsed in this process: the document's text is the file's own


class Parser(Protocol):
    """The interface every file format implements. ``name`` and ``version`` identify it in ``parser_fingerprint``."""

    name: str
    version: int

    def parse(self, data: bytes, name: str, progress: Callable[[str, int, int], None] | None = None) -> Document:
        """The document in ``data``; ``name`` is the file's name. Raises ``ParseError`` where it cannot be read.

        ``progress(stage, done, total)`` is called as parsing goes on and may raise ``CancelledError`` to stop it.
        """


def _uses_unstructured(settings: ParsingSettings) -> bool:
    return settings.reader == "unstructured"


PARSERS: dict[str, Callable[[ParsingSettings], Parser]] = {
    "markdown": lambda settings: FlowParser("markdown", settings) if _uses_unstructured(settings) else MarkdownParser(),
    "text": lambda settings: FlowParser("text", settings) if _uses_unstructured(settings) else PlainParser(),
    "code": lambda settings: CodeParser(),
    "notebook": lambda settings: NotebookParser(),
    "chat": lambda settings: ChatParser(),
    "pdf": PdfParser,
    "image": partial(PdfParser, kind="image"),
    **{kind: partial(FlowParser, kind) for kind in FLOW_KINDS},
    **{kind: partial(OfficeParser, kind) for kind in TARGETS},
}


def parse(
    data: bytes,
    name: str,
    settings: ParsingSettings,
    progress: Callable[[str, int, int], None] | None = None,
    password: str | None = None,
) -> Document:
    """The document in ``data``. ``name`` is the file's name: it helps to detect the kind and is the fallback title.

    ``password`` opens an encrypted PDF; other kinds ignore it.
    ``progress(stage, done, total)`` counts pages and may raise ``CancelledError`` to stop.
    Raises ``ParseError`` or a subclass, with a message that names the file.

    >>> parse(b"# Hello\\n", "notes.md", ParsingSettings()).title
    'Hello'
    """
    kind = detect_kind(data, name)
    parser = PdfParser(settings, password) if kind == "pdf" else PARSERS[kind](settings)
    document = parser.parse(data, name, progress)
    if kind in TEXT_KINDS and document.words is None:
        words = audit_words(document, [decode(data).text], "the file's own text")
        document = replace(document, words=words)
    return document


def parser_fingerprint(kind: str, settings: ParsingSettings | None = None) -> str:
    """Name and version of the parser for ``kind``. A document whose stored fingerprint differs is parsed again.

    ``settings``: ``None`` for the defaults. The fingerprint depends on ``reader``, for web pages on ``web_pages``, and
    for PDFs and images on how scans are read.

    >>> found = parser_fingerprint("markdown"), parser_fingerprint("markdown", ParsingSettings(reader="unstructured"))
    >>> [name.rpartition("-")[0] for name in found]  # without the versions
    ['markdown', 'unstructured-markdown']
    """
    parser = PARSERS[kind](settings or ParsingSettings())
    return f"{parser.name}-{parser.version}"
