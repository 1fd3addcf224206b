"""SQuAD 1.1 and 2.0 (rajpurkar.github.io/SQuAD-explorer): every context is a document, every answer a gold span.

A question with ``is_impossible`` has no gold.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from core.errors import SuiteError
from core.evaluation import fields
from core.evaluation.exchange.values import Anchor, Exchange, Files, Format, place_quote
from core.evaluation.suites import GoldSpan, Question

FILE = "squad.json"


def read(files: Files) -> Exchange:
    """The questions of every JSON file. A context is named by its article, with a number where that has several."""
    documents: dict[str, str | None] = {}
    questions: dict[str, Question] = {}
    anchors: dict[GoldSpan, Anchor] = {}
    for name in sorted(name for name in files if name.endswith(".json")):
        whole = fields.mapping(fields.parsed(fields.file_text(files, name), name), name)
        for place, title, paragraph in _paragraphs(whole, name):
            context = fields.text(paragraph, "context", place, empty=True)
            document = _unique_name(title, context, documents)
            documents[document] = context
            for number, item in enumerate(fields.sequence(paragraph, "qas", place)):
                where = f"{place}.qas[{number}]"
                question, gold_anchors = _question(fields.mapping(item, where), where, document, context)
                if question.id in questions:
                    raise SuiteError(f"{where}: the id {question.id!r} stands there twice.", "Ids must differ.")
                questions[question.id] = question
                anchors |= gold_anchors
    if not questions:
        raise SuiteError("There is no question.", "SQuAD is a JSON file with data, paragraphs and qas.")
    return Exchange(documents, tuple(questions.values()), anchors)


def _paragraphs(whole: Mapping[str, Any], name: str) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """(path of the field, name of the document, paragraph) of each paragraph."""
    for number, item in enumerate(fields.sequence(whole, "data", name)):
        place = f"{name}: data[{number}]"
        article = fields.mapping(item, place)
        title = fields.text(article, "title", place) if "title" in article else f"article {number + 1}"
        paragraphs = fields.sequence(article, "paragraphs", place)
        for count, paragraph in enumerate(paragraphs):
            where = f"{place}.paragraphs[{count}]"
            shown = title if len(paragraphs) == 1 else f"{title} {count + 1}"
            yield where, shown, fields.mapping(paragraph, where)


def _unique_name(title: str, context: str, documents: Mapping[str, str | None]) -> str:
    name, number = title, 2
    while name in documents and documents[name] != context:
        name, number = f"{title} ({number})", number + 1
    return name


def _question(
    item: Mapping[str, Any], place: str, document: str, context: str
) -> tuple[Question, dict[GoldSpan, Anchor]]:
    anchors: dict[GoldSpan, Anchor] = {}
    impossible = item.get("is_impossible", False)
    if not isinstance(impossible, bool):
        raise SuiteError(f"{place}: 'is_impossible' is {fields.shown(impossible)}.", "It must be true or false.")
    answers = [] if impossible else fields.sequence(item, "answers", place)
    if not answers and not impossible:
        raise SuiteError(f"{place} has no answer and is not marked impossible.", "Give one of the two.")
    for number, answer in enumerate(answers):
        where = f"{place}.answers[{number}]"
        row = fields.mapping(answer, where)
        quote, start = fields.text(row, "text", where), fields.offset(row, "answer_start", where)
        span, anchor = place_quote(document, context, quote, start, where)
        anchors[span] = anchor
    identifier, text = fields.identifier(item, "id", place), fields.text(item, "question", place)
    return Question(identifier, text, (*anchors,), answers[0]["text"] if answers else None), anchors


FORMAT = Format("SQuAD", FILE, "*.json", (), read)
