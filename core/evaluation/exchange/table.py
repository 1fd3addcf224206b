"""A plain table of questions, as people keep it: CSV, TSV, JSON Lines or a JSON list, with a header.

A row is a question with the passage that answers it or, where it has none, the answer in the document's words; it may
name the document. Columns go by the names people give them (``COLUMNS``); of others it is told that they were not read.
Offsets are not needed: the words are looked for in the library's documents (``core.evaluation.exchange.importing``).
"""

from __future__ import annotations

import ast
import csv
import io
import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Any

from core.errors import SuiteError
from core.evaluation import fields
from core.evaluation.exchange.values import Exchange, Files, Format, Quoted, long_csv_fields

COLUMNS = {
    "question": "question query user_input",
    "answer": "answer ground_truth reference",
    "passage": "passage quote quotation marked_answer evidence excerpt context contexts",
    "document": "document document_name file file_name filename source",
}
"""What a row says -> the headers it goes by, the first one being ours. Case, blanks and hyphens do not count, and of a
header of several words the last one is enough ("Source quote")."""

NOTHING = frozenset({"unanswerable", "no answer", "n/a"})
"""Answers that say that the documents do not answer the question."""


def read(files: Files) -> Exchange:
    """The questions of every table. Rows that say neither answer nor passage have no quotes."""
    quoted: list[Quoted] = []
    unread: dict[str, None] = {}
    for name in sorted(files):
        for cells in _rows(fields.file_text(files, name), name):
            columns = _columns(cells)
            if "question" not in columns:
                raise SuiteError(
                    f"{name} has no column for the question: its columns are {', '.join(cells)}.",
                    "Call it 'question', the others 'answer' or 'passage', and 'document'.",
                )
            row = {ours: cells[header] for ours, header in columns.items()}
            unread |= dict.fromkeys(header for header in cells if header not in columns.values())
            question, answer = _text(row, "question"), _text(row, "answer")
            if not question:
                continue
            quotes = _texts(row.get("passage"))
            unanswerable = not quotes and answer.casefold() in NOTHING
            quotes = quotes or ((answer,) if answer and not unanswerable else ())
            quoted.append(
                Quoted(question, quotes, "" if unanswerable else answer, _text(row, "document"), unanswerable)
            )
    if not quoted:
        raise SuiteError("There is no row with a question.", "A table has a header and, below it, one question a row.")
    return Exchange({}, (), quoted=tuple(quoted), unread=tuple(unread))


def _rows(text: str, name: str) -> Iterator[Mapping[str, Any]]:
    """The rows, each by the table's own headers."""
    text = text.lstrip()
    if text.startswith("["):
        items = fields.parsed(text, name)
        yield from (fields.mapping(item, f"{name}, {at}") for at, item in enumerate(items, 1))
    elif text.startswith("{"):
        yield from (row for _, row in fields.rows({name: text}, name))
    else:
        yield from _csv_rows(text, name)


def _csv_rows(text: str, name: str) -> Iterator[dict[str, str]]:
    header = text.partition("\n")[0]
    delimiter = max(",;\t|", key=header.count)
    with long_csv_fields():
        try:
            for row in csv.DictReader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True):
                yield {column: value or "" for column, value in row.items() if column and isinstance(value, str | None)}
        except csv.Error as error:
            raise SuiteError(f"{name} is no table ({error}).", "Save it as CSV.") from error


def _columns(headers: Iterable[str]) -> dict[str, str]:
    """Our name of a column -> the first header that has it or, where none does, whose last word has it.

    >>> _columns(["Source quote", "Quote", "Question ID", "Your question", "File-name"])
    {'question': 'Your question', 'passage': 'Quote', 'document': 'File-name'}
    """
    plain = {header: "_".join(header.replace("-", " ").replace("_", " ").lower().split()) for header in headers}
    last = {header: name.rpartition("_")[2] for header, name in plain.items()}
    found = {
        ours: next((header for by in (plain, last) for header, name in by.items() if name in names.split()), None)
        for ours, names in COLUMNS.items()
    }
    return {ours: header for ours, header in found.items() if header is not None}


def _texts(value: object) -> tuple[str, ...]:
    """The passages of a cell: of a list each, written by JSON or by Python (as pandas does), else the one."""
    if isinstance(value, str) and value.lstrip().startswith("["):
        written, readers = value, (json.loads, ast.literal_eval)
        for read_list in readers:
            with suppress(ValueError, SyntaxError, RecursionError, MemoryError):
                value = read_list(written)
                break
    several = value if isinstance(value, list) else [value]
    return tuple(item.strip() for item in several if isinstance(item, str) and item.strip())


def _text(row: Mapping[str, Any], name: str) -> str:
    value = row.get(name)
    return "" if value is None or isinstance(value, list | dict) else str(value).strip()


FORMAT = Format("a table of questions", "questions.csv", "*.[cjt]s[vo]*", (), read)
