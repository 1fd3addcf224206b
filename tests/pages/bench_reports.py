"""Reports and runs of a bench that were never measured, for pages that only look at them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from core.evaluation.history import Recording, RunPlan
from core.evaluation.records import QuestionOutcome
from core.evaluation.reporting.report import (
    AskedQuestion,
    BenchDocument,
    BenchReport,
    PresetReport,
    best_scores,
    summarise,
)
from core.evaluation.suites import GoldSpan
from core.ingest.jobs import Handler, Job, Reporter
from core.library import Incoming, Library
from core.settings import PRESETS, Settings
from core.types import Encoder
from pages.ui.shared import work

BUDGETS = (1000, 2000, 4000, 8000)
SPAN = ("recall", "attained", "precision", "iou", "full")
SUITE = "rivers"
KINDS = ("number", "place")
STAGES = {"dense": 3, "lexical": 2, "fused": 2, "neighbours": 4, "kept": 4}


def settings_of(presets: Sequence[str]) -> dict[str, Settings]:
    """The named presets; any other name is the default with a k of its own."""
    k = Settings().retrieval.k
    return {
        name: PRESETS.get(name) or Settings().with_value("retrieval.k", k + number)
        for number, name in enumerate(presets, start=1)
    }


def asked(count: int, documents: Sequence[BenchDocument], unanswerable: int = 2) -> tuple[AskedQuestion, ...]:
    """Questions with one gold span each, the last ones without any."""
    held = [document for document in documents if document.kind]
    found = []
    for number in range(count):
        document = held[number % len(held)]
        start = (number * 37) % max(1, document.characters - 60)
        gold = (GoldSpan(document.name, start, start + 50),) if number < count - unanswerable else ()
        formats = (document.kind,) if gold else ()
        text = f"What does gauge {number} say?"
        found.append(AskedQuestion(f"q{number}", text, gold, formats, KINDS[number % len(KINDS)]))
    return tuple(found)


def preset_report(name: str, settings: Settings, questions: Sequence[AskedQuestion], strength: float) -> PresetReport:
    """A preset that finds about ``strength`` of the gold at 4000 characters."""
    generator = np.random.default_rng(len(name))
    luck = generator.normal(size=len(questions))
    scores: dict[str, tuple[float | None, ...]] = {}
    for metric in SPAN:
        for budget in BUDGETS:
            scale = {"precision": 0.2, "iou": 0.2}.get(metric, 1.0)
            values = np.clip(strength * (budget / 4000) ** 0.25 + 0.3 * luck, 0, 1) * scale
            scores[f"{metric}@{budget}"] = tuple(
                float(value) if question.gold else None for value, question in zip(values, questions, strict=True)
            )
    scores["chunk_recall@10"] = scores["recall@8000"]
    metrics, intervals = summarise(scores)
    best = [{"dense": 0.8 if item.gold else 0.4, "lexical": 9.0 if item.gold else 5.0} for item in questions]
    tokens = {f"prompt_tokens@{budget}": budget / (4.2 + strength) for budget in BUDGETS}
    characters = {f"characters@{budget}": budget * (0.8 + 0.2 * strength) for budget in BUDGETS}
    read = metrics["recall@4000"]
    rest = 100 - read
    return PresetReport(
        preset=name,
        settings=settings.to_dict(),
        metrics=metrics,
        intervals=intervals,
        seconds={"ingest": 1.5, "search_p50": 0.004, "search_p95": 0.009, "questions": 0.3, "total": 8.0},
        unanswerable=best_scores(best, [bool(item.gold) for item in questions]),
        encoded=120,
        scores=scores,
        costs={"texts": 400.0, "chunks": 420.0, "index_bytes": 1_200_000.0, **tokens, **characters},
        latency_ms={
            "dense": {"p50": 1.0, "p95": 2.0},
            "lexical": {"p50": 2.0 + 3 * strength, "p95": 9.0},
            "total": {"p50": 9.0 - 6 * strength, "p95": 11.0},
        },
        lost={
            str(budget): {"read": read, "budget": rest / 2, "ranking": rest / 4, "search": rest / 4}
            for budget in BUDGETS
        },
    )


def report(
    presets: Sequence[str] = ("default", "flat", "recursive"),
    questions: int = 24,
    documents: Sequence[BenchDocument] | None = None,
    library: str = "",
) -> BenchReport:
    """A report over made-up scores: every preset a little weaker than the one before it."""
    held = documents or (
        BenchDocument("guide.pdf", "a" * 64, "pdf", 9000),
        BenchDocument("notes.md", "b" * 64, "markdown", 4000),
        BenchDocument("torn.pdf", "c" * 64, "", 0),
    )
    items = asked(questions, held)
    settings = settings_of(presets)
    rows = [
        preset_report(name, settings[name], items, 0.9 - 0.5 * number / max(1, len(presets)))
        for number, name in enumerate(presets)
    ]
    return BenchReport(
        suite=SUITE,
        fingerprint="f" * 64,
        questions=items,
        presets=tuple(rows),
        budgets=BUDGETS,
        documents=tuple(held),
        failures=(("torn.pdf", "torn.pdf is damaged."),),
        notes=("Question q1: its gold leaves notes.md.",),
        skipped=(("max_tokens=8 overlap_tokens=9", "chunking.overlap_tokens is 9."),),
        made_at="2026-11-20T10:00:00+00:00",
        library=library,
    )


def measured(question: AskedQuestion, item: PresetReport, position: int, texts: dict[str, str]) -> QuestionOutcome:
    """What a preset came to with a question: the whole gold read, half of it, or none, by turns."""
    contexts: dict[int, tuple[tuple[str, int, int], ...]] = {}
    for budget in BUDGETS:
        spans = []
        for span in question.gold:
            length = len(texts.get(span.document, "")) or span.end + 200
            shift = (position % 3) * 25  # 0: all of it stands there, 25: half, 50: none
            spans.append((span.document, span.start + shift, min(length, span.start + shift + 200)))
        contexts[budget] = tuple(spans)
    share = (1.0, 0.5, 0.0)[position % 3]
    lost = {"read": round(50 * share), "budget": 50 - round(50 * share)} if question.gold else {}
    scores = {name: values[position] for name, values in item.scores.items()}
    scores |= {f"recall@{budget}": share if question.gold else None for budget in BUDGETS}
    return QuestionOutcome(
        id=question.id,
        scores=scores,
        contexts=contexts,
        documents=tuple(span.document for span in question.gold),
        best={"dense": 0.8, "lexical": 9.0},
        ranks=STAGES if question.gold else {},
        lost={budget: {name: count for name, count in lost.items() if count} for budget in BUDGETS},
        milliseconds={"dense": 1.0, "lexical": 2.0, "total": 3.0},
        prompt_tokens={budget: budget // 4 for budget in BUDGETS},
        characters=dict.fromkeys(BUDGETS, 200),
    )


def write_run(
    workspace: Path,
    files: dict[str, str],
    encoder: Encoder,
    presets: Sequence[str] = ("default", "flat", "recursive"),
    questions: int = 24,
    *,
    finished: bool = True,
    begun: str = "",
) -> str:
    """A run in ``workspace`` with a library of ``files`` behind it; its folder. ``begun``: when, else now."""
    place = workspace / "rivers-library"
    with Library.open(place, encoder=encoder) as library:
        if not library.sources():
            staged = workspace / "staged"
            staged.mkdir(parents=True, exist_ok=True)
            for name, text in files.items():
                (staged / name).write_text(text, encoding="utf-8")
            library.ingest([Incoming(name, path=staged / name) for name in files])
        documents = tuple(
            BenchDocument(item.name, item.version_id, item.document_kind, len(library.document(item.version_id).text))
            for item in sorted(library.sources(), key=lambda item: item.name)
        )
    made = report(presets, questions, documents, place.name)
    recording = Recording.begin(
        workspace, RunPlan(SUITE, made.fingerprint, settings_of(presets), {"questions": questions})
    )
    for item in made.presets:
        for position, question in enumerate(made.questions):
            recording.journals[item.preset].add(measured(question, item, position, files))
    if begun:
        head = workspace / "runs" / recording.head.folder / "head.json"
        head.write_text(
            json.dumps({**json.loads(head.read_text(encoding="utf-8")), "made_at": begun}), encoding="utf-8"
        )
    if finished:
        recording.finish(made)
    return recording.head.folder


def stopping(library: Library, question: int) -> Handler:
    """The app's own handler, its job cancelled when it tells of this question."""

    def handle(job: Job, reporter: Reporter) -> None:
        tell = reporter.stage

        def stage(item_id: int, words: str, done: int = 0, total: int = 0) -> None:
            if f"question {question} " in words:
                library.queue.cancel(job.id)
            tell(item_id, words, done, total)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(reporter, "stage", stage)
            work.handlers(library)["bench"](job, reporter)

    return handle
