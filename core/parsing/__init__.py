"""Bytes to ``Document``: one parser per kind, chosen from one dictionary."""

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

TEXT_KINDS = frozenset({"markdown", "text", "code"})  # read in this process: their text is the file's own


class Parser(Protocol):
    """Bytes to a document: the seam every format plugs into. Raises ``ParseError`` with a sentence."""

    name: str
    version: int

    def parse(self, data: bytes, name: str, progress: Callable[[str, int, int], None] | None = None) -> Document:
        """``name`` is the file's name. ``progress(stage, done, total)`` may raise ``CancelledError`` to stop."""


def _by_library(settings: ParsingSettings) -> bool:
    return settings.reader == "unstructured"


PARSERS: dict[str, Callable[[ParsingSettings], Parser]] = {
    "markdown": lambda settings: FlowParser("markdown", settings) if _by_library(settings) else MarkdownParser(),
    "text": lambda settings: FlowParser("text", settings) if _by_library(settings) else PlainParser(),
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
    """The document in ``data``; ``name`` helps to tell its kind and, where nothing better is found, is its title.

    ``password`` opens an encrypted PDF; nothing else asks for one.
    ``progress(stage, done, total)`` hears of pages and may raise ``CancelledError`` to stop.
    Raises ``ParseError`` (and its kin) with a sentence that names the file.

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
    """Name and version of the parser for ``kind``: documents parsed under another one are parsed again.

    ``settings`` ``None``: the defaults. Of them the reader makes a difference, for web pages what is kept, and for
    scans who reads them.

    >>> parser_fingerprint("markdown"), parser_fingerprint("markdown", ParsingSettings(reader="unstructured"))
    ('markdown-4', 'unstructured-markdown-2')
    """
    parser = PARSERS[kind](settings or ParsingSettings())
    return f"{parser.name}-{parser.version}"
