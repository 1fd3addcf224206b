"""Writes a preset's contexts and answers for Ragas (``EvaluationDataset.from_jsonl``).

One line a question, after ``ragas.dataset_schema.SingleTurnSample`` (0.2 to 0.4): ``user_input``,
``retrieved_contexts``, ``reference_contexts``, ``response``, ``reference``. Fields without a value are left out, as
Ragas does: a bench without ``BenchOptions.answers`` has no responses.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping

from core.evaluation.records import QuestionOutcome
from core.evaluation.regions import Placed
from core.evaluation.reporting.report import BenchReport


def ragas_jsonl(
    report: BenchReport, outcomes: Mapping[str, QuestionOutcome], budget: int, text_of: Callable[[str], str]
) -> str:
    """The JSON Lines of a report's questions with one preset's contexts of ``budget`` characters.

    ``outcomes``: the preset's, by question id. ``text_of(version_id)``: a document's text. Passages come most relevant
    first.
    """
    versions = {item.name: item.version_id for item in report.documents if item.kind}
    texts: dict[str, str] = {}

    def texts_of(spans: Iterable[Placed]) -> list[str]:
        result = []
        for name, start, end in spans:
            if name in versions:
                if name not in texts:
                    texts[name] = text_of(versions[name])
                result.append(texts[name][start:end])
        return result

    lines = []
    for question in report.questions:
        outcome = outcomes[question.id]
        row = {
            "user_input": question.question,
            "retrieved_contexts": texts_of(outcome.contexts[budget]),
            "reference_contexts": texts_of((span.document, span.start, span.end) for span in question.gold),
            "response": outcome.answer,
            "reference": question.answer,
        }
        row = {name: value for name, value in row.items() if value or name == "retrieved_contexts"}
        lines.append(json.dumps(row) + "\n")
    return "".join(lines)
