"""Lectern's own suites: ``questions.jsonl`` beside ``documents.jsonl`` or ``documents/``.

In addition to what ``core.evaluation.suites`` reads, gold has its ``quote`` and the text ``before`` and ``after`` it,
to find it again in an edited document, and a question has its ``origin``. The format has everything except the text of
files in ``documents/`` that are not plain text.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from core.errors import SuiteError
from core.evaluation import fields
from core.evaluation.exchange.values import Anchor, Exchange, Files, Format
from core.evaluation.suites import DOCUMENTS_FILE, DOCUMENTS_FOLDER, QUESTIONS_FILE, GoldSpan, Question, read_questions
from core.text.normalise import plain_lines


def read(files: Files) -> Exchange:
    """The questions, and the documents that are there. Unknown fields are ignored."""
    documents = _documents(files)
    questions: list[Question] = []
    anchors: dict[GoldSpan, Anchor] = {}
    origins: dict[str, str] = {}

    def text_of(name: object, place: str) -> str | None:
        return documents.setdefault(fields.text({"document": name}, "document", place), None)

    for question, row in read_questions(fields.rows(files, QUESTIONS_FILE), text_of):
        questions.append(question)
        for span, item in zip(question.gold, row["gold"], strict=True):
            if anchor := _anchor(item, f"the gold of {question.id!r}"):
                anchors[span] = anchor
        if isinstance(row.get("origin"), str):
            origins[question.id] = row["origin"]
    return Exchange(documents, tuple(questions), anchors, origins)


def write(exchange: Exchange) -> dict[str, str]:
    """``questions.jsonl`` and, for documents with a text, ``documents.jsonl``; name -> content."""
    texts = [
        {"name": name, "text": _plain_newlines(text)} for name, text in exchange.documents.items() if text is not None
    ]
    return {QUESTIONS_FILE: questions_text(exchange), **({DOCUMENTS_FILE: _lines(texts)} if texts else {})}


def questions_text(exchange: Exchange) -> str:
    """The content of ``questions.jsonl``."""
    return _lines([_row(exchange, question) for question in exchange.questions])


def _row(exchange: Exchange, question: Question) -> dict[str, Any]:
    gold = []
    for span in question.gold:
        anchor = exchange.anchor(span)
        around = {"quote": anchor.quote, "before": anchor.before, "after": anchor.after} if anchor else {}
        gold.append({"document": span.document, "start": span.start, "end": span.end, **around})
    row: dict[str, Any] = {"id": question.id, "question": question.question, "gold": gold}
    if question.answer is not None:
        row["answer"] = question.answer
    if question.relevant_documents is not None:
        row["relevant_documents"] = list(question.relevant_documents)
    if question.kind:
        row["kind"] = question.kind
    if question.id in exchange.origins:
        row["origin"] = exchange.origins[question.id]
    return row


def _documents(files: Files) -> dict[str, str | None]:
    documents: dict[str, str | None] = {}
    if DOCUMENTS_FILE in files:
        for place, row in fields.rows(files, DOCUMENTS_FILE):
            name = fields.text(row, "name", place)
            if name in documents:
                raise SuiteError(f"{place}: the document {name!r} stands there twice.", "Names must differ.")
            documents[name] = plain_lines(fields.text(row, "text", place, empty=True))
    folder = f"{DOCUMENTS_FOLDER}/"
    for name, text in files.items():
        if name.startswith(folder):
            documents[name.removeprefix(folder)] = None if text is None else plain_lines(text)
    return documents


def _plain_newlines(text: str) -> str:
    """The text with ``\\n`` newlines and no byte order mark, of the same length, so that offsets stay valid.

    >>> _plain_newlines("a\\r\\nb\\rc")
    'a \\nb\\nc'
    """
    text = text.replace("\r\n", " \n").replace("\r", "\n")
    return " " + text[1:] if text.startswith("\ufeff") else text


def _anchor(item: Mapping[str, Any], place: str) -> Anchor | None:
    if not (isinstance(item.get("quote"), str) and item["quote"].strip()):
        return None
    around = [fields.text(item, side, place, empty=True) if side in item else "" for side in ("before", "after")]
    return Anchor(fields.text(item, "quote", place), *around)


def _lines(rows: list[dict[str, Any]]) -> str:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


FORMAT = Format("Lectern", QUESTIONS_FILE, QUESTIONS_FILE, (DOCUMENTS_FILE, f"{DOCUMENTS_FOLDER}/**/*"), read)
