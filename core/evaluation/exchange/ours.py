"""Lectern's own suites: ``questions.jsonl`` beside ``documents.jsonl`` or ``documents/``.

Beyond what ``core.evaluation.suites`` reads, gold says its ``quote`` and what stands ``before`` and ``after`` it, so
that it can be found again where a document was edited, and a question says its ``origin``. Everything is carried, but
for the text of documents that lie in ``documents/`` and are no plain text.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from core.errors import SuiteError
from core.evaluation import fields
from core.evaluation.exchange.values import Anchor, Exchange, Files, Format
from core.evaluation.suites import DOCUMENTS_FILE, DOCUMENTS_FOLDER, QUESTIONS_FILE, GoldSpan, Question


def read(files: Files) -> Exchange:
    """Questions with their documents, as far as they are there. Unknown fields are passed over."""
    documents = _documents(files)
    questions: dict[str, Question] = {}
    anchors: dict[GoldSpan, Anchor] = {}
    origins: dict[str, str] = {}
    for place, row in fields.rows(files, QUESTIONS_FILE):
        identifier = fields.text(row, "id", place)
        if identifier in questions:
            raise SuiteError(f"{place}: the id {identifier!r} stands there twice.", "Ids must differ.")
        gold = []
        for number, item in enumerate(fields.sequence(row, "gold", place)):
            where = f"{place}, gold {number + 1}"
            span, anchor = _gold(fields.mapping(item, where), where, documents)
            gold.append(span)
            if anchor:
                anchors[span] = anchor
        relevant = None
        if row.get("relevant_documents") is not None:
            names = fields.sequence(row, "relevant_documents", place)
            relevant = tuple(fields.text({"relevant_documents": name}, "relevant_documents", place) for name in names)
            documents |= {name: None for name in relevant if name not in documents}
        answer = None if row.get("answer") is None else fields.text(row, "answer", place, empty=True)
        kind = row["kind"] if isinstance(row.get("kind"), str) else ""
        question = fields.text(row, "question", place)
        questions[identifier] = Question(identifier, question, tuple(gold), answer, relevant, kind)
        if isinstance(row.get("origin"), str):
            origins[identifier] = row["origin"]
    return Exchange(documents, tuple(questions.values()), anchors, origins)


def write(exchange: Exchange) -> dict[str, str]:
    """``questions.jsonl`` and, of the documents whose text is carried, ``documents.jsonl``."""
    texts = [{"name": name, "text": _kept(text)} for name, text in exchange.documents.items() if text is not None]
    return {QUESTIONS_FILE: questions_text(exchange), **({DOCUMENTS_FILE: _lines(texts)} if texts else {})}


def questions_text(exchange: Exchange) -> str:
    """``questions.jsonl`` alone."""
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
            documents[name] = _plain(fields.text(row, "text", place, empty=True))
    folder = f"{DOCUMENTS_FOLDER}/"
    for name, text in files.items():
        if name.startswith(folder):
            documents[name.removeprefix(folder)] = None if text is None else _plain(text)
    return documents


def _plain(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n").removeprefix("\ufeff")


def _kept(text: str) -> str:
    """The text with what ``_plain`` would take out of it replaced, character by character: offsets stay.

    >>> _kept("a\\r\\nb\\rc")
    'a \\nb\\nc'
    """
    text = text.replace("\r\n", " \n").replace("\r", "\n")
    return " " + text[1:] if text.startswith("\ufeff") else text


def _gold(item: Mapping[str, Any], place: str, documents: dict[str, str | None]) -> tuple[GoldSpan, Anchor | None]:
    name = fields.text(item, "document", place)
    start, end = fields.offset(item, "start", place), fields.offset(item, "end", place)
    text = documents.setdefault(name, None)
    if start >= end:
        raise SuiteError(f"{place}: [{start}, {end}) of {name!r} is no span.", "It needs start < end.")
    if text is not None and end > len(text):
        raise SuiteError(f"{place}: [{start}, {end}) leaves {name!r}, which has {len(text)} characters.")
    anchor = None
    if isinstance(item.get("quote"), str) and item["quote"].strip():
        around = [fields.text(item, side, place, empty=True) if side in item else "" for side in ("before", "after")]
        anchor = Anchor(fields.text(item, "quote", place), *around)
    return GoldSpan(name, start, end), anchor


def _lines(rows: list[dict[str, Any]]) -> str:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


FORMAT = Format("Lectern", QUESTIONS_FILE, QUESTIONS_FILE, (DOCUMENTS_FILE, f"{DOCUMENTS_FOLDER}/**/*"), read, write)
