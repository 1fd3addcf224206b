"""BEIR (github.com/beir-cellar/beir): ``corpus.jsonl``, ``queries.jsonl`` and ``qrels/*.tsv``, relevance by document.

A document's title becomes the first paragraph of its text. Gold is the whole text of each relevant document;
``relevant_documents`` has their names by descending score. Queries without a judgment are left out, as BEIR itself
does; a query with only scores of 0 is a question without an answer. The format has no spans within a document, answers,
kinds or origins.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator

from core.errors import SuiteError
from core.evaluation import fields
from core.evaluation.exchange.values import Exchange, Files, Format
from core.evaluation.suites import GoldSpan, Question

CORPUS, QUERIES, QRELS = "corpus.jsonl", "queries.jsonl", "qrels/"
HEADER = ("query-id", "corpus-id", "score")


def read(files: Files) -> Exchange:
    """The whole corpus, and the queries that any qrels file judges."""
    documents: dict[str, str | None] = {}
    lengths: dict[str, int] = {}
    for place, row in fields.rows(files, CORPUS):
        name = fields.identifier(row, "_id", place)
        if name in documents:
            raise SuiteError(f"{place}: the document {name!r} stands there twice.", "Ids must differ.")
        title = fields.text(row, "title", place, empty=True) if row.get("title") is not None else ""
        text = fields.text(row, "text", place, empty=True)
        text = f"{title}\n\n{text}" if title.strip() else text
        documents[name], lengths[name] = text, len(text)
    queries = {
        fields.identifier(row, "_id", place): fields.text(row, "text", place)
        for place, row in fields.rows(files, QUERIES)
    }
    scores: dict[str, dict[str, float]] = {}
    for place, query, name, score in _judged(files):
        if query not in queries:
            raise SuiteError(f"{place}: there is no query {query!r} in {QUERIES}.")
        if name not in documents:
            raise SuiteError(f"{place}: there is no document {name!r} in {CORPUS}.")
        scores.setdefault(query, {})[name] = score
    if not scores:
        raise SuiteError(f"{QRELS} judges no query.", "BEIR keeps its judgments in qrels/test.tsv and the like.")
    questions = []
    for query, judged in scores.items():
        relevant = tuple(sorted((name for name in judged if judged[name] > 0), key=lambda name: -judged[name]))
        gold = tuple(GoldSpan(name, 0, lengths[name]) for name in relevant if lengths[name])
        questions.append(Question(query, queries[query], gold, None, relevant))
    return Exchange(documents, tuple(questions))


def _judged(files: Files) -> Iterator[tuple[str, str, str, float]]:
    for name in sorted(name for name in files if name.startswith(QRELS) and name.endswith(".tsv")):
        reader = csv.reader(io.StringIO(fields.file_text(files, name), newline=""), delimiter="\t")
        try:
            for row in reader:
                place = f"{name}, line {reader.line_num}"
                if not row or tuple(row) == HEADER:
                    continue
                if len(row) != len(HEADER):
                    raise SuiteError(
                        f"{place} has {len(row)} columns.", f"It needs {', '.join(HEADER)}, parted by tabs."
                    )
                try:
                    score = float(row[2])
                except ValueError:
                    raise SuiteError(f"{place}: the score is {fields.shown(row[2])}.", "It must be a number.") from None
                yield place, row[0], row[1], score
        except csv.Error as error:
            raise SuiteError(f"{name}, line {reader.line_num} cannot be read ({error}).") from error


FORMAT = Format("BEIR", CORPUS, CORPUS, (QUERIES, f"{QRELS}*.tsv"), read)
