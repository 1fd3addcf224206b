"""Bytes to ``Document``: one parser per kind, chosen from one dictionary."""

from __future__ import annotations

from collections.abc import Callable

from core.parsing.code import CodeParser
from core.parsing.kinds import detect_kind
from core.parsing.markdown import MarkdownParser
from core.parsing.names import display_name, readable_title
from core.parsing.pdf import PdfParser
from core.parsing.plain import PlainParser
from core.settings import ParsingSettings
from core.types import Document, Parser

__all__ = ["PARSERS", "detect_kind", "display_name", "parse", "parser_fingerprint", "readable_title"]

PARSERS: dict[str, Callable[[ParsingSettings], Parser]] = {
    "markdown": lambda settings: MarkdownParser(),
    "text": lambda settings: PlainParser(),
    "code": lambda settings: CodeParser(),
    "pdf": PdfParser,
}


def parse(
    data: bytes,
    name: str,
    settings: ParsingSettings,
    progress: Callable[[str, int, int], None] | None = None,
) -> Document:
    """The document in ``data``; ``name`` helps to tell its kind and, where nothing better is found, is its title.

    ``progress(stage, done, total)`` hears of pages and may raise ``CancelledError`` to stop.
    Raises ``ParseError`` (and its kin) with a sentence that names the file.

    >>> parse(b"# Hello\\n", "notes.md", ParsingSettings()).title
    'Hello'
    """
    return PARSERS[detect_kind(data, name)](settings).parse(data, name, progress)


def parser_fingerprint(kind: str) -> str:
    """Name and version of the parser for ``kind``: documents parsed under another one are parsed again.

    >>> parser_fingerprint("markdown")
    'markdown-1'
    """
    parser = PARSERS[kind](ParsingSettings())
    return f"{parser.name}-{parser.version}"
