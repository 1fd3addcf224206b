"""Reports made of numbers, for tests of what is shown of them: everything a bench finds, and no bench."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from core.evaluation.records import QuestionOutcome
from core.evaluation.reporting.report import (
    LOST,
    AskedQuestion,
    BenchDocument,
    BenchReport,
    PresetReport,
    best_scores,
    summarise,
)
from core.evaluation.suites import GoldSpan
from core.settings import PRESETS, Settings

BUDGETS = (1000, 2000, 4000, 8000)
KINDS = ("number", "name", "reason", "")
FORMATS = ("markdown", "pdf", "html")


def made_report(
    presets: Sequence[str] = ("default", "flat", "words-only"),
    *,
    questions: int = 40,
    documents: Sequence[str | BenchDocument] = ("handbook.md", "annual report.pdf", "notes/wiki.html"),
    texts: Sequence[str] = (),
    unanswerable: int = 3,
    suite: str = "made",
    seed: int = 5,
    gap: float = 0.09,
) -> BenchReport:
    """A report that could have been; ``texts``: of the first questions, in place of made ones.

    Each preset is weaker by ``gap`` than the one before, all share what makes a question hard, and every seventh
    question has gold in two documents.
    """
    generator = np.random.default_rng(seed)
    held = tuple(
        BenchDocument(name, f"{row:064x}", FORMATS[row % len(FORMATS)], 20_000 + 1_000 * row)
        if isinstance(name, str)
        else name
        for row, name in enumerate(documents)
    )
    asked = tuple(_question(row, questions, unanswerable, held, texts) for row in range(questions))
    hardness = generator.normal(0.0, 0.9, questions)
    made = tuple(
        _preset(name, place, gap, asked, hardness, np.random.default_rng(seed + 1 + place))
        for place, name in enumerate(presets)
    )
    return BenchReport(
        suite=suite,
        fingerprint="0f" * 32,
        questions=asked,
        presets=made,
        budgets=BUDGETS,
        documents=held,
        failures=(("scan07.pdf", "has no text layer: it needs OCR."),),
        notes=("Question 7: gold [19990, 20010) leaves handbook.md, which has 20000 characters.",),
        skipped=(("max_tokens=900 fusion=rrf", "parents would be smaller than their children."),),
        made_at="2026-11-21T14:02:11+00:00",
        revision=12,
        library="made-0f0f",
    )


def made_measured(report: BenchReport) -> dict[str, dict[str, QuestionOutcome]]:
    """What each preset of the report did with each question, agreeing with its scores."""
    return {
        item.preset: {question.id: _measured(item, row, question) for row, question in enumerate(report.questions)}
        for item in report.presets
    }


def _question(
    row: int, count: int, unanswerable: int, held: Sequence[BenchDocument], texts: Sequence[str]
) -> AskedQuestion:
    text = texts[row] if row < len(texts) else f"What does clause {row} say about the retention of records?"
    if row >= count - unanswerable:
        return AskedQuestion(f"q{row}", text, kind="unanswerable")
    places = sorted({row % len(held), (row + 1) % len(held) if row % 7 == 0 else row % len(held)})
    gold = tuple(GoldSpan(held[place].name, 100 + 37 * row, 100 + 37 * row + 120 + row) for place in places)
    formats = tuple(sorted({held[place].kind for place in places}))
    return AskedQuestion(f"q{row}", text, gold, formats, KINDS[row % len(KINDS)])


def _preset(
    name: str,
    place: int,
    gap: float,
    asked: Sequence[AskedQuestion],
    hardness: np.ndarray,
    generator: np.random.Generator,
) -> PresetReport:
    scores: dict[str, list[float | None]] = {}
    answerable = [bool(question.gold) for question in asked]
    for number, budget in enumerate(BUDGETS):
        drawn = 0.5 + 0.7 * number - gap * place - hardness + generator.normal(0.0, 0.5, len(asked))
        recall = np.clip(1 / (1 + np.exp(-2.4 * drawn)) * 1.12 - 0.06, 0.0, 1.0)
        shares = {
            "recall": recall,
            "attained": recall,
            "precision": recall * 250 / budget,
            "iou": recall * 240 / budget,
            "full": (recall > 0.97).astype(float),
        }
        for metric, values in shares.items():
            scores[f"{metric}@{budget}"] = [
                float(value) if has else None for value, has in zip(values, answerable, strict=True)
            ]
    scores["ndcg@10"] = [float(value) if value is not None else None for value in scores["recall@4000"]]
    frozen = {metric: tuple(values) for metric, values in scores.items()}
    metrics, intervals = summarise(frozen)
    settings = (PRESETS.get(name) or Settings().with_value("chunking.max_tokens", 64 + 8 * place)).to_dict()
    best = [{"dense": 0.7 if has else 0.4, "lexical": 11.0 if has else 6.0} for has in answerable]
    step = {"dense": 1.1, "lexical": 2.0 + place, "fused": 0.4, "neighbours": 0.3, "expand": 0.8, "assemble": 1.7}
    latency = {stage: {"p50": spent, "p95": 1.9 * spent} for stage, spent in step.items()}
    latency["total"] = {"p50": sum(step.values()), "p95": 1.6 * sum(step.values())}
    lost = {}
    for budget in BUDGETS:
        rest = 100 - metrics[f"recall@{budget}"]
        parts = dict(zip(LOST, (0.30, 0.02, 0.28, 0.25, 0.05, 0.04, 0.06), strict=True))
        lost[str(budget)] = {"read": 100 - rest} | {stage: rest * share for stage, share in parts.items()}
    return PresetReport(
        preset=name,
        settings=settings,
        metrics=metrics,
        intervals=intervals,
        seconds={
            "ingest": 12.5 - place,
            "search_p50": 0.006 + place / 1000,
            "search_p95": 0.011,
            "questions": 0.8,
            "total": 20,
        },
        unanswerable=best_scores(best, answerable),
        encoded=900 if not place else 0,
        scores=frozen,
        costs={"texts": 900 + 60 * place, "chunks": 900 + 60 * place, "index_bytes": 1_400_000 + 90_000 * place}
        | {f"characters@{budget}": 0.95 * budget - 13 * (place * place % 5) for budget in BUDGETS}
        | {f"prompt_tokens@{budget}": 0.27 * budget + 120 - 9 * (place * 3 % 5) for budget in BUDGETS},
        latency_ms=latency,
        lost=lost,
    )


def _measured(item: PresetReport, row: int, question: AskedQuestion) -> QuestionOutcome:
    size = sum(span.end - span.start for span in question.gold)
    lost = {}
    for budget in BUDGETS if question.gold else ():
        read = round(size * (item.scores[f"recall@{budget}"][row] or 0.0))
        found = {"read": read, LOST[row % 4]: size - read}
        lost[budget] = {stage: count for stage, count in found.items() if count}
    return QuestionOutcome(
        id=question.id,
        scores={metric: values[row] for metric, values in item.scores.items()},
        contexts={budget: tuple((s.document, s.start, s.end) for s in question.gold) for budget in BUDGETS},
        documents=tuple(span.document for span in question.gold),
        best={"dense": 0.7, "lexical": 11.0},
        ranks={"dense": 3 + row, "lexical": 1, "fused": 2} if question.gold else {},
        lost=lost,
        milliseconds={stage: found["p50"] for stage, found in item.latency_ms.items()} | {"spent": 31.0},
        prompt_tokens={budget: 300 + budget // 4 for budget in BUDGETS},
        characters={budget: budget - 20 for budget in BUDGETS},
    )
