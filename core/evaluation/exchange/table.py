"""A plain table of questions, as people keep it: CSV, TSV, JSON Lines or a JSON list, with a header.

A row is a question with the passage that answers it or, where it has none, the answer in the document's words; it may
name the document. Columns go by the names people give them (``COLUMNS``), others are ignored. Offsets are not needed:
the words are looked for in the library's documents (``core.evaluation.exchange.importing``).
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any

from core.errors import SuiteError
from core.evaluation import fields
from core.evaluation.exchange.values import Exchange, Files, Format, Quoted, long_csv_fields

COLUMNS = {
    "question": "question query user_input",
    "answer": "answer expected_answer short_answer reference_answer ground_truth reference",
    "passage": "passage quote quotation marked_answer evidence excerpt context contexts reference_contexts",
    "document": "document document_name file file_name filename source",
}
"""What a row says -> the headers it goes by, the first one being ours. Case, blanks and hyphens do not count."""

NOTHING = frozenset({"unanswerable", "no answer"})
"""Answers that say that the documents do not answer the question."""


def read(files: Files) -> Exchange:
    """The questions of every table. Rows that say neither answer nor passage have no quotes."""
    quoted: list[Quoted] = []
    for name in sorted(files):
        for row in _rows(fields.file_text(files, name), name):
            question, answer = _text(row, "question"), _text(row, "answer")
            if not question:
                continue
            unanswerable = answer.casefold() in NOTHING
            quotes = _texts(row.get("passage")) or ((answer,) if answer and not unanswerable else ())
            quoted.append(
                Quoted(question, quotes, "" if unanswerable else answer, _text(row, "document"), unanswerable)
            )
    if not quoted:
        raise SuiteError("There is no row with a question.", "A table has a header and, below it, one question a row.")
    return Exchange({}, (), quoted=tuple(quoted))


def _rows(text: str, name: str) -> Iterator[dict[str, Any]]:
    """The rows by our names of the columns. Raises ``SuiteError`` where there is no column of questions."""
    text = text.lstrip()
    if text.startswith("["):
        items = fields.parsed(text, name)
        rows: Iterator[Mapping[str, Any]] = (fields.mapping(item, f"{name}, {at}") for at, item in enumerate(items, 1))
    elif text.startswith("{"):
        rows = (row for _, row in fields.rows({name: text}, name))
    else:
        rows = _csv_rows(text, name)
    for row in rows:
        known = {_column(header): value for header, value in reversed(list(row.items()))}
        if "question" not in known:
            raise SuiteError(
                f"{name} has no column for the question: its columns are {', '.join(row)}.",
                "Call it 'question', the others 'answer' or 'passage', and 'document'.",
            )
        yield known


def _csv_rows(text: str, name: str) -> Iterator[dict[str, str]]:
    header = text.partition("\n")[0]
    delimiter = max(",;\t|", key=header.count)
    with long_csv_fields():
        try:
            for row in csv.DictReader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True):
                yield {column: value or "" for column, value in row.items() if column and isinstance(value, str | None)}
        except csv.Error as error:
            raise SuiteError(f"{name} is no table ({error}).", "Save it as CSV.") from error


def _column(header: str) -> str:
    """Our name of a column, else its own.

    >>> _column("Expected Answer"), _column("File-name"), _column("Remark")
    ('answer', 'document', 'remark')
    """
    plain = "_".join(header.replace("-", " ").replace("_", " ").lower().split())
    return next((ours for ours, names in COLUMNS.items() if plain in names.split()), plain)


def _texts(value: object) -> tuple[str, ...]:
    """The passages of a cell: of a JSON list each, else the one."""
    if isinstance(value, str) and value.lstrip().startswith("["):
        with suppress(ValueError):
            value = json.loads(value)
    several = value if isinstance(value, list) else [value]
    return tuple(item.strip() for item in several if isinstance(item, str) and item.strip())


def _text(row: Mapping[str, Any], name: str) -> str:
    value = row.get(name)
    return "" if value is None or isinstance(value, list | dict) else str(value).strip()


FORMAT = Format("a table of questions", "questions.csv", "*.[cjt]s[vo]*", (), read)
