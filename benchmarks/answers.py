"""Measures how often the library finds and answers, and gives no answer where there is none, on a set of questions.

    python -m benchmarks.answers --documents DIR --questions FILE [--careful] [--library DIR] [--json FILE] [--wrong]

Questions are asked as by ``core ask``, with the library's settings. docs/answers.md describes the format of the file of
questions and the table.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from dataclasses import asdict, replace
from pathlib import Path
from time import perf_counter
from typing import Any

from benchmarks.answers_scoring import Outcome, Question, Reply, area, figures, judged, risk
from core.ingest.gathering import find_files
from core.library import Incoming, Library
from core.settings import Settings, carefully

WARMING = "What is this about?"  # loads the models, so that the first question is not slower
HEADS = ("answerable", "found", "first_of_found", "any_of_found", "first", "silent", "silent_of_found", "invented")


def opened(home: Path, documents: Path) -> Library:
    """The library with the folder's files ingested; opened read-only if none is missing, so that several can ask."""
    if (home / "catalogue.sqlite").exists():
        library = Library.open(home, write=False)
        if not _missing(library, documents):
            return library
        library.close()
    library = Library.open(home)
    for failure in library.ingest(_missing(library, documents)).failures:
        print(f"not read: {failure.source}: {failure.reason}", file=sys.stderr)
    return library


def _missing(library: Library, documents: Path) -> list[Incoming]:
    """The files of the folder that are not in the library."""
    names = {row.name for row in library.sources()}
    items, _ = find_files([str(documents.resolve())], library.home)
    return [Incoming(item.name, item.path) for item in items if item.name not in names]


def asked(library: Library, question: str, settings: Settings) -> Reply:
    """The passages and the answer to a question; quotes below the threshold are included, marked as ``silent``."""
    started = perf_counter()
    result = library.search(question, settings)
    line = library.searcher.answer(result, settings.answering)
    took = (perf_counter() - started) * 1000
    shown = line if line.supported else library.searcher.answer(result, replace(settings.answering, least_support=0.0))
    passages = sorted(result.passages, key=lambda passage: passage.rank)
    return Reply(
        tuple((Path(passage.source).name, passage.text) for passage in passages),
        tuple(f"{quote.told} {quote.text}".strip() for quote in shown.answer.quotes),
        not line.supported,
        line.support.probability,
        took,
    )


def table(outcomes: Sequence[Outcome]) -> str:
    """The figures as a Markdown table: all questions, those in the text's words, those in others, and each kind."""
    kinds = sorted({outcome.question.kind for outcome in outcomes})
    groups: list[tuple[str, Callable[[Outcome], bool]]] = [
        ("all", lambda _: True),
        ("in the text's words", lambda one: not one.question.reworded),
        ("in other words", lambda one: one.question.reworded),
        *((kind, lambda one, kind=kind: one.question.kind == kind) for kind in kinds),
    ]
    rows = [_row(name, [one for one in outcomes if belongs(one)]) for name, belongs in groups]
    heads = " | ".join(("questions", *(head.replace("_", " ") for head in HEADS)))
    return "\n".join([f"| {heads} |", "|---" * (len(HEADS) + 1) + "|", *rows])


def _row(name: str, outcomes: Sequence[Outcome]) -> str:
    found = figures(outcomes)
    shares = [f"{found['answerable']} + {found['unanswerable']}"]
    shares += ["–" if (value := found[head]) is None else f"{value:.0%}" for head in HEADS[1:]]
    return f"| {name} | {' | '.join(shares)} |"


def covered(points: Sequence[tuple[float, float, float]]) -> str:
    """The risk at each tenth of coverage, in one line."""
    tenths = [next((point for point in points if point[0] >= tenth / 10 - 1e-9), None) for tenth in range(1, 11)]
    cells = [f"{point[0]:.0%}: {point[1]:.0%} (≥ {point[2]:.2f})" for point in tenths if point]
    return "coverage: risk (probability)  " + "  ".join(cells)


def wrong(outcomes: Iterable[Outcome]) -> Iterable[str]:
    """A report for each question that was answered wrongly: the question, the expected answer and the reply."""
    for one in outcomes:
        question, reply = one.question, one.reply
        if one.silent if not question.answerable else one.right and not one.silent:
            continue
        expected = " / ".join(question.answers) or "nothing"
        state = "passage found" if one.found else "passage not found" if question.answerable else "invented"
        kept = "kept back: " if one.silent else ""
        line = reply.lines[0][:300].replace("\n", " ") if reply.lines else "no line"
        asked_for = f"{question.id} [{question.kind}] {question.text}\n  {expected} ({', '.join(question.documents)})"
        yield f"{asked_for}\n  {state}, {reply.probability:.2f}, {kept}{line}"


def record(one: Outcome) -> dict[str, Any]:
    """An outcome as data for JSON; of passages only the file names."""
    reply = asdict(one.reply) | {"passages": [name for name, _ in one.reply.passages]}
    return asdict(one.question) | reply | {"found": one.found, "right": one.right, "any_right": one.any_right}


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=Path, required=True, metavar="DIR")
    parser.add_argument("--questions", type=Path, required=True, metavar="FILE")
    parser.add_argument("--library", type=Path, metavar="DIR", help="kept, and used again (default: a temporary one)")
    parser.add_argument("--careful", action="store_true", help="ask with the re-ranker")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write figures and outcomes")
    parser.add_argument("--wrong", action="store_true", help="list what went wrong")
    options = parser.parse_args(arguments)
    lines = options.questions.read_text(encoding="utf-8").splitlines()
    questions = [Question.read(json.loads(line)) for line in lines if line.strip()]
    with ExitStack() as held:
        home = options.library or Path(held.enter_context(tempfile.TemporaryDirectory())) / "library"
        library = held.enter_context(opened(home, options.documents))
        settings = carefully(library.settings) if options.careful else library.settings
        asked(library, WARMING, settings)
        outcomes = [judged(question, asked(library, question.text, settings)) for question in questions]
    points = risk(outcomes)
    print(table(outcomes))
    print(f"\narea under risk against coverage: {area(points):.3f}")
    print(covered(points))
    print(f"milliseconds a question, median: {statistics.median(one.reply.milliseconds for one in outcomes):.0f}")
    if options.wrong:
        print("\n" + "\n".join(wrong(outcomes)))
    if options.json:
        found = {"figures": figures(outcomes), "area": area(points), "risk": points}
        text = json.dumps(found | {"outcomes": [record(one) for one in outcomes]}, ensure_ascii=False, indent=1)
        options.json.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
