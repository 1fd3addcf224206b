"""What a preset read and answered, as Ragas reads it: ``EvaluationDataset.from_jsonl``.

A line a question, after ``ragas.dataset_schema.SingleTurnSample`` (0.2 to 0.4): ``user_input``, ``retrieved_contexts``,
``reference_contexts``, ``response``, ``reference``. What a question lacks is left out, as Ragas does: a bench without
``BenchOptions.answers`` has no response.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping

from core.evaluation.records import QuestionOutcome
from core.evaluation.regions import Placed
from core.evaluation.reporting.report import BenchReport


def ragas_jsonl(
    report: BenchReport, measured: Mapping[str, QuestionOutcome], budget: int, text_of: Callable[[str], str]
) -> str:
    """The questions of a report with what one preset, ``measured`` by their ids, read within ``budget`` characters.

    ``text_of(version_id)``: a document's text. Passages stand most relevant first.
    """
    versions = {item.name: item.version_id for item in report.documents if item.kind}
    texts: dict[str, str] = {}

    def cut(places: Iterable[Placed]) -> list[str]:
        found = []
        for name, start, end in places:
            if name in versions:
                if name not in texts:
                    texts[name] = text_of(versions[name])
                found.append(texts[name][start:end])
        return found

    lines = []
    for question in report.questions:
        outcome = measured[question.id]
        row = {
            "user_input": question.question,
            "retrieved_contexts": cut(outcome.contexts[budget]),
            "reference_contexts": cut((span.document, span.start, span.end) for span in question.gold),
            "response": outcome.answer,
            "reference": question.answer,
        }
        kept = {name: value for name, value in row.items() if value or name == "retrieved_contexts"}
        lines.append(json.dumps(kept) + "\n")
    return "".join(lines)
