"""Reports and runs of a bench that were never measured, for pages that only look at them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from core.evaluation.history import Recording, RunPlan
from core.evaluation.records import QuestionOutcome
from core.evaluation.reporting.report import AskedQuestion, BenchDocument, BenchReport, PresetReport
from core.ingest.jobs import Handler
from core.ingest.reporting import Reporter
from core.library import Incoming, Library
from core.settings import PRESETS
from core.storage.catalogue.job_rows import Job
from core.types import Encoder
from pages.ui.shared import work
from tests.evaluation.made_reports import BUDGETS, made_report

SUITE = "rivers"
HELD = (BenchDocument("guide.pdf", "a" * 64, "pdf", 9000), BenchDocument("notes.md", "b" * 64, "markdown", 4000))
STAGES = {"dense": 3, "lexical": 2, "fused": 2, "neighbours": 4, "kept": 4}


def report(
    presets: Sequence[str] = ("default", "flat", "recursive"),
    questions: int = 24,
    documents: Sequence[BenchDocument] = HELD,
    library: str = "",
) -> BenchReport:
    """A report over made-up scores: every preset clearly weaker than the one before it."""
    made = made_report(presets, questions=questions, documents=documents, unanswerable=2, suite=SUITE, gap=0.4)
    return replace(made, library=library)


def measured(question: AskedQuestion, item: PresetReport, position: int, texts: dict[str, str]) -> QuestionOutcome:
    """What a preset came to with a question: the whole gold read, half of it, or none, by turns."""
    contexts: dict[int, tuple[tuple[str, int, int], ...]] = {}
    for budget in BUDGETS:
        spans = []
        for span in question.gold:
            length = len(texts.get(span.document, "")) or span.end + 200
            shift = (position % 3) * (
                (span.end - span.start) // 2
            )  # all of it stands there, half of it, or next to none
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
        workspace, RunPlan(SUITE, made.fingerprint, {name: PRESETS[name] for name in presets}, {"questions": questions})
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
