"""A bench report to take away: CSV for a spreadsheet, JSON for a script, one HTML file for a reader.

CSV has a header line and RFC 4180's ends of line; write it as UTF-8. A text that a spreadsheet would take for a formula
gets an apostrophe before it (OWASP, "CSV Injection"); numbers stay numbers, the negative ones too.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Mapping, Sequence

from core.evaluation.measuring import SPENT
from core.evaluation.records import QuestionOutcome
from core.evaluation.reporting.breakdown import Value, changed_settings
from core.evaluation.reporting.html_report import html_report
from core.evaluation.reporting.report import LOST, READ, AskedQuestion, BenchReport

__all__ = ["html_report", "presets_csv", "questions_csv", "report_json"]

_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")


def presets_csv(report: BenchReport) -> str:
    """One row a preset: metrics and the bounds of their intervals in percent, costs, milliseconds, and its settings.

    ``set:stage.field`` stands for every setting in which a preset of this report differs from the default. An empty
    cell: the figure does not apply.
    """
    settings = changed_settings(report)
    rows: list[dict[str, Value]] = []
    for item in report.presets:
        row: dict[str, Value] = {
            "suite": report.suite,
            "made_at": report.made_at,
            "preset": item.preset,
            "questions": len(report.questions),
        }
        for metric, mean in item.metrics.items():
            low, high = item.intervals[metric]
            row |= {metric: mean, f"{metric}:low": low, f"{metric}:high": high}
        row |= {
            f"lost@{budget}:{stage}": share for budget, parts in item.lost.items() for stage, share in parts.items()
        }
        row |= {f"cost:{name}": value for name, value in item.costs.items()}
        row["cost:encoded"] = item.encoded
        row |= {f"seconds:{name}": value for name, value in item.seconds.items()}
        row |= {f"ms:{stage}:{at}": spent for stage, found in item.latency_ms.items() for at, spent in found.items()}
        row |= {f"set:{name}": value for name, value in settings[item.preset].items()}
        rows.append(row)
    return _csv(rows)


def questions_csv(report: BenchReport, measured: Mapping[str, Mapping[str, QuestionOutcome]] | None = None) -> str:
    """One row per preset and question with every score, as a share of 1; empty where a metric does not apply.

    ``measured``: by preset and question's id; adds ranks of the best gold leaf, characters of gold by where they went,
    milliseconds, and what was read.
    """
    sizes = {question.id: sum(span.end - span.start for span in question.gold) for question in report.questions}
    rows: list[dict[str, Value]] = []
    for item in report.presets:
        found = (measured or {}).get(item.preset, {})
        for number, question in enumerate(report.questions):
            row = _question_row(item.preset, question, sizes[question.id])
            row |= {metric: values[number] for metric, values in item.scores.items()}
            if question.id in found:
                row |= _measured_row(found[question.id], bool(question.gold))
            rows.append(row)
    return _csv(rows)


def report_json(report: BenchReport) -> str:
    """The whole report, every question's scores included: ``BenchReport.from_dict`` makes an equal one of it.

    Plain ASCII, so that neither a mail nor an editor can spoil it.
    """
    return json.dumps(report.to_dict(scores=True), allow_nan=False)


def _question_row(preset: str, question: AskedQuestion, gold: int) -> dict[str, Value]:
    return {
        "preset": preset,
        "id": question.id,
        "question": question.question,
        "kind": question.kind,
        "formats": ", ".join(question.formats),
        "documents": ", ".join(dict.fromkeys(span.document for span in question.gold)),
        "gold_spans": len(question.gold),
        "gold_characters": gold,
    }


def _measured_row(found: QuestionOutcome, answerable: bool) -> dict[str, Value]:
    row: dict[str, Value] = {f"rank:{stage}": rank for stage, rank in found.ranks.items()}
    for budget, parts in found.lost.items() if answerable else ():
        row |= {f"gold@{budget}:{stage}": parts.get(stage, 0) for stage in (READ, *LOST)}
    row |= {f"ms:{stage}": spent for stage, spent in found.milliseconds.items() if stage != SPENT}
    row |= {f"prompt_tokens@{budget}": count for budget, count in found.prompt_tokens.items()}
    return row | {f"characters@{budget}": count for budget, count in found.characters.items()}


def _csv(rows: Sequence[Mapping[str, Value]]) -> str:
    columns = list(dict.fromkeys(name for row in rows for name in row))
    file = io.StringIO(newline="")
    writer = csv.writer(file)
    writer.writerow(map(_plain, columns))
    writer.writerows(_cells(row, columns) for row in rows)
    return file.getvalue()


def _cells(row: Mapping[str, Value], columns: Iterable[str]) -> list[str | float]:
    found = (row.get(name) for name in columns)
    return ["" if value is None else _plain(value) if isinstance(value, str) else value for value in found]


def _plain(text: str) -> str:
    """Text that no spreadsheet takes for a formula, and that can be written as UTF-8.

    >>> _plain("=1+1"), _plain("a=1"), _plain("\\udc80")
    ("'=1+1", 'a=1', '?')
    """
    written = text.encode("utf-8", "replace").decode().replace("\0", "")
    return f"'{written}" if written.startswith(_FORMULA) else written
