"""Jupyter notebooks: the cells in order, prose as Markdown, code with its kernel's language, text outputs below it.

The format: https://nbformat.readthedocs.io/en/latest/format_description.html. Notebooks of its third generation (before
2015) are read as the JSON they are.
"""

from __future__ import annotations

import hashlib
import html
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from core.errors import ParseError
from core.parsing.audit.word_audit import audit_words
from core.parsing.file_names import display_name
from core.parsing.flow import Flow, write_piece
from core.parsing.plain.markdown import title_of
from core.parsing.plain.output_table import html_pieces
from core.parsing.plain.written_markdown import write_apart, write_markdown
from core.text.normalise import decode, storable
from core.text.spans import line_spans
from core.types import Block, BlockKind, Document, Span

_ANSI = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
_MAGIC = re.compile(r"%%(\w+)")
_MAGIC_LANGUAGES = {
    **dict.fromkeys(("bash", "sh", "script"), "bash"),
    **dict.fromkeys(("javascript", "js"), "javascript"),
    **{name: name for name in ("html", "latex", "sql", "ruby", "perl", "markdown", "cython")},
    **dict.fromkeys(("R", "r"), "r"),
}
_PYTHON_MAGICS = frozenset({"time", "timeit", "capture", "prun", "python", "python3", "pypy"})
_TEXT_OUTPUTS = ("text/plain", "text", "text/markdown", "text/latex")  # the first there is
_PICTURES = ("image/", "application/", "video/", "audio/")
_TABLE = re.compile(r"<table\b", re.IGNORECASE)
_MARKUP = re.compile(r"<(style|script)\b.*?</\1\s*>|<[^<>]*>", re.IGNORECASE | re.DOTALL)
_OBJECT = re.compile(r"\s*<[^<>\n]*>\s*")  # what Python says of an object for which it has no words
# Why the strings below a key may be left out.
_UNREAD = {
    **dict.fromkeys(
        "metadata id attachments cell_type output_type name nbformat ename evalue language collapsed".split(),
        "settings of the notebook and its cells",
    ),
    **dict.fromkeys(("text/html", "text/markdown", "text/latex"), "outputs in another form than text"),
}


class NotebookParser:
    """The parser of ``.ipynb`` files of nbformat 4. Execution counts and cell ids are left out."""

    name = "notebook"
    version = 3

    def parse(self, data: bytes, name: str, progress: Callable[[str, int, int], None] | None = None) -> Document:
        """The cells as blocks with a blank line between. Raises ``ParseError`` where there is no text."""
        shown = display_name(name)
        source, encoding = decode(data, shown)
        book = read_notebook(source)
        if book is None:
            raise ParseError(f"{shown} is no notebook.", "Save it again from Jupyter and retry.")
        about = _about(book)
        writer = _Writer(about["language"])
        for cell in book["cells"]:
            if isinstance(cell, dict):
                writer.cell(cell)
        text = writer.flow.text
        if not text.strip():
            raise ParseError(f"{shown} is empty: none of its cells holds text.", "Save it again with its content.")
        title, title_span = title_of(text, writer.flow.blocks, name)
        document = Document(
            version_id=hashlib.sha256(data).hexdigest(),
            kind="notebook",
            title=title,
            text=text,
            blocks=tuple(writer.flow.blocks),
            title_span=title_span,
            links=tuple(writer.flow.links),
            metadata={**about, "encoding": encoding},
            notes=tuple(writer.notes()),
        )
        said, dropped = _second_reading(book)
        return replace(document, words=audit_words(document, said, "every string in the notebook's JSON", dropped))


def read_notebook(text: str) -> dict[str, Any] | None:
    """The JSON of a notebook; ``None`` for anything else, damaged JSON included.

    >>> read_notebook('{"cells": [], "nbformat": 4}'), read_notebook('{"cells": []}'), read_notebook("{")
    ({'cells': [], 'nbformat': 4}, None, None)
    """
    if not text.lstrip().startswith("{") or '"nbformat"' not in text:
        return None
    try:
        book = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return book if isinstance(book.get("cells"), list) and isinstance(book.get("nbformat"), int) else None


def is_notebook(data: bytes, name: str = "The file") -> bool:
    """Whether bytes are a notebook's JSON, whatever their encoding."""
    if b"nbformat" not in data:
        return False
    try:
        return read_notebook(decode(data, name).text) is not None
    except ParseError:
        return False


def _joined(value: object) -> str:
    """A multi-line string of the format, a string or a list of lines, as text that can be stored.

    >>> _joined(["a\\n", "b"]), _joined("c\\r\\nd"), _joined(None)
    ('a\\nb', 'c\\nd', '')
    """
    parts = value if isinstance(value, list) else [value]
    text = "".join(part for part in parts if isinstance(part, str))
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return storable(text)


def _at(value: object, *keys: str) -> object:
    """What stands below one key after the other, ``None`` where a part of the way is missing."""
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def _about(book: dict[str, Any]) -> dict[str, str]:
    stated = {
        "kernel": _at(book, "metadata", "kernelspec", "display_name"),
        "language": _at(book, "metadata", "language_info", "name") or _at(book, "metadata", "kernelspec", "language"),
        "language_version": _at(book, "metadata", "language_info", "version"),
        "title": _at(book, "metadata", "title"),
    }
    found = {key: _joined(value)[:200] for key, value in stated.items() if isinstance(value, str) and value.strip()}
    return {**found, "language": found.get("language", "python").strip().lower()[:40]}


@dataclass(slots=True)
class _Writer:
    """Writes cells as text and blocks. ``left``: the number of outputs that are not text, by media type."""

    language: str
    flow: Flow = field(default_factory=Flow)
    left: Counter[str] = field(default_factory=Counter)

    def cell(self, cell: dict[str, Any]) -> None:
        kind = cell.get("cell_type")
        source = _joined(cell.get("source"))
        if kind == "code":
            self._code(source, _language_of_cell(source, self.language))
            for output in cell.get("outputs") or ():
                if isinstance(output, dict):
                    self._output(output)
        elif kind == "raw":
            if (span := write_apart(self.flow, source)) is not None:
                self.flow.blocks.append(Block(BlockKind.PARAGRAPH, span.start, span.end))
        else:
            write_markdown(self.flow, source)
        if isinstance(files := cell.get("attachments"), dict) and files:
            self.left["pictures attached to cells"] += len(files)

    def notes(self) -> Iterator[str]:
        """Notes for the user on what was left out."""
        for what, count in sorted(self.left.items()):
            yield f"Not read: {what} ({count:,})."

    def _code(self, source: str, language: str) -> None:
        if (span := write_apart(self.flow, source)) is not None:
            inside = line_spans(source.strip(), 0, len(source.strip()))
            parts = tuple(Span(span.start + part.start, span.start + part.end) for part in inside)
            self.flow.blocks.append(Block(BlockKind.CODE, span.start, span.end, parts=parts, language=language))

    def _output(self, output: dict[str, Any]) -> None:
        kind = output.get("output_type")
        if kind == "error":
            trace = output.get("traceback")
            lines = [_joined(line) for line in trace] if isinstance(trace, list) else []
            words = "\n".join(lines) or f"{_joined(output.get('ename'))}: {_joined(output.get('evalue'))}"
            self._code(_ANSI.sub("", words), "")
            return
        data = output.get("data")
        held = data if isinstance(data, dict) and data else output
        forms = [key for key in _TEXT_OUTPUTS if key in held]
        said = next((key for key in forms if not _OBJECT.fullmatch(_joined(held[key]))), next(iter(forms), None))
        pieces = tuple(html_pieces(_joined(held["text/html"]))) if _is_read_as_html(held) else ()
        for piece in pieces:
            write_piece(self.flow, piece)
        if said == "text/markdown" and not pieces:
            write_markdown(self.flow, _joined(held[said]), keeps_headings=False)
        elif said is not None and not pieces:
            self._code(_ANSI.sub("", _joined(held[said])), "")
        for media in held:
            if media.startswith(_PICTURES):
                what = "pictures in outputs" if media.startswith("image/") else "interactive outputs, sound or film"
                self.left[what] += 1


def _is_read_as_html(held: dict[str, Any]) -> bool:
    """Whether an output is read from its HTML: where that is a table, or the other form has no words.

    >>> _is_read_as_html({"text/html": "<table>", "text/plain": "a"}), _is_read_as_html({"text/html": "<b>a</b>"})
    (True, True)
    >>> _is_read_as_html({"text/html": "<b>a</b>", "text/plain": "a"}), _is_read_as_html({"text/plain": "<a object>"})
    (False, False)
    """
    page = _joined(held.get("text/html"))
    return bool(page) and bool(_TABLE.search(page) or _OBJECT.fullmatch(_joined(held.get("text/plain")) or "<>"))


def _language_of_cell(source: str, language: str) -> str:
    """The kernel's language, or the one a cell magic names; "" for a magic that is no language.

    >>> [_language_of_cell(text, "python") for text in ("x = 1", "%%bash\\nls", "%%time\\nx", "%%writefile a.txt")]
    ['python', 'bash', 'python', '']
    """
    magic = _MAGIC.match(source.lstrip())
    if magic is None or magic[1] in _PYTHON_MAGICS:
        return language
    return _MAGIC_LANGUAGES.get(magic[1], "")


def _second_reading(book: dict[str, Any]) -> tuple[list[str], dict[str, list[str]]]:
    """Every string of the JSON that a person may have written or read, and of them those left out on purpose.

    Walks the whole of it, knowing nothing of cells; pictures and scripts are no words.
    """
    said: list[str] = []
    dropped: dict[str, list[str]] = {}
    pending: list[tuple[str, object]] = [("", book)]
    while pending:
        reason, value = pending.pop()
        if isinstance(value, dict):
            if _is_read_as_html(value):
                value = _with_html_read(value)
            elif "text/markdown" in value and _OBJECT.fullmatch(_joined(value.get("text/plain"))):
                value = {"text/markdown": value["text/plain"], "output": value["text/markdown"]}
            for key, inner in reversed(value.items()):
                if not key.startswith(_PICTURES):
                    lines = key == "traceback" and isinstance(
                        inner, list
                    )  # lines without their ends; others are one text
                    pending.append((reason or _UNREAD.get(key, ""), [[line] for line in inner] if lines else inner))
        elif isinstance(value, list) and not all(isinstance(item, str) for item in value):
            pending.extend((reason, item) for item in reversed(value))
        elif words := _ANSI.sub("", _joined(value)):
            said.append(words)
            if reason:
                dropped.setdefault(reason, []).append(words)
    return said, dropped


def _with_html_read(held: dict[str, Any]) -> dict[str, Any]:
    """An output whose HTML is read: its words are text, and its other forms are what was left out."""
    page = _MARKUP.sub(" ", _joined(held["text/html"]))
    others = {key: value for key, value in held.items() if key not in ("text/html", "text/plain", "text")}
    return {**others, "text/markdown": _joined(held.get("text/plain")), "output": html.unescape(page)}
