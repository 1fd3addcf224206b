"""How well the answer line chooses its quotes, and how well it knows that the library does not say.

Usage: python -m tests.benchmarks.answerable SUITE_DIR... --workspace DIR [--borrow DIR] [--questions 200] [--fit]

Every question is asked twice: of the whole library, where it has an answer, and of the library without the documents
that hold its gold or are relevant to it, where it should have none (what other documents happen to say is noise that
no method can tell). What was found is kept in the workspace as it comes: a call that was stopped goes on, and the
weights of ``core.answering.support`` can be fitted again in seconds: ``--fit`` prints them. Weights and threshold are
made of the suites for tuning and the even lines of chroma; the odd lines and scifact only tell.

Columns: *AUC* of the probability. At the threshold, *silent*: share of the questions without an answer that are told
so; *denied*: share of those with an answer that are told there is none; *precision* of "the library does not say" where
both are equally many. *quote@1*, *quote@3*: share of the questions with an answer whose first or first three quotes lie
on the gold by half of the shorter one.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections import Counter
from collections.abc import Container, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.answering import Evidence, Quotable, evidence, quote_scores, rarity_of, sentences_of, support
from core.embedding import BorrowingEncoder, load_model
from core.evaluation.staging import stage_documents, suite_folder
from core.evaluation.suites import Question, Suite, load_suite
from core.library import Library
from core.preparing import Incoming
from core.settings import Settings
from core.storage import documents
from core.storage.lexical import token_holders
from core.storage.scopes import Scope
from core.text.analysis import analyse
from core.types import Passage, Span
from core.whole_files import written_whole
from tests.benchmarks.chunkers import lent

TUNING = ("code", "qmsum", "covidqa", "chroma, even lines")
# At most this share of the questions with an answer may be told that there is none, on the tuning suites.
DENIED = 0.05
RIDGE = 1.0
_TOP = 20

Record = Mapping[str, Any]


def ask(suite: Suite, workspace: Path, borrow: Path | None, count: int, known: Container[int] = ()) -> Iterator[Record]:
    """What is found for ``count`` questions of a suite, each with and without its gold's documents.

    ``known``: lines of questions that are left out, as they were asked before.
    """
    chosen = sorted(random.Random(7).sample(list(enumerate(suite.questions, 1)), count))
    asked = [(line, one) for line, one in chosen if line not in known and (one.gold or one.relevant_documents)]
    if not asked:
        return
    with ExitStack() as stack:
        kept = stack.enter_context(lent(suite, borrow))
        encoder = load_model(Settings().embedding).encoder
        reader = BorrowingEncoder(encoder, kept) if kept else encoder
        place = workspace / suite_folder(suite)
        library = stack.enter_context(Library.open(place / "library", encoder=reader))
        if not library.sources():
            staged = stage_documents(suite, place / "documents")
            library.ingest([Incoming(item.path.name, item.path) for item in staged])
        library.apply(Settings())
        versions = {document.name: document.version_id for document in suite.documents}
        everything = frozenset(source.version_id for source in library.sources())
        for line, question in asked:
            gold = {versions[span.document] for span in question.gold}
            gold |= {versions[name] for name in question.relevant_documents or ()}
            yield _found(library, suite, line, question, versions, None)
            yield _found(library, suite, line, question, versions, Scope(versions=tuple(sorted(everything - gold))))


def _found(
    library: Library, suite: Suite, line: int, question: Question, versions: Mapping[str, str], scope: Scope | None
) -> Record:
    settings = Settings()
    result = library.search(question.question, settings, scope=scope)
    ranking = library.rank(question.question, settings, scope)
    passages = sorted(result.passages, key=lambda passage: passage.rank)
    store = library._store  # the script reads what Searcher reads
    sentences = sentences_of(
        passages,
        lambda version: documents.heading_spans(store, version),
        lambda version, start, end: documents.tables(store, version, start, end),
        lambda version, start, end: documents.code_spans(store, version, start, end),
    )
    vectors = library.searcher.encode([question.question, *(item.reading for item in sentences)])
    order = {id(passage): place for place, passage in enumerate(passages)}
    generation = library.searcher.snapshot().leaves.generation
    holders, total = token_holders(store, generation, list(dict.fromkeys(analyse(question.question))))
    dense = np.sort(np.nan_to_num(ranking.scores["dense"], nan=-1.0))[::-1][:_TOP]
    return {
        "suite": suite.name,
        "line": line,
        "id": question.id,
        "question": question.question,
        "left": scope is not None,
        "df": holders,
        "total": total,
        "gold": [[versions[span.document], span.start, span.end] for span in question.gold],
        "dense": dense.tolist(),
        "passages": [
            {
                "version": item.version_id,
                "title": item.document,
                "headings": item.headings,
                "start": item.start,
                "text": item.text,
                "rank": item.rank,
                "score": item.score,
                "children": [[child.start, child.end] for child in item.children],
            }
            for item in passages
        ],
        "sentences": [
            [order[id(item.passage)], item.span.start, item.span.end, float(vectors[place] @ vectors[0]), item.reading]
            for place, item in enumerate(sentences, 1)
        ],
    }


def part(record: Record) -> str:
    """The part of the suites a record counts for."""
    if record["suite"] != "chroma":
        return str(record["suite"])
    return "chroma, odd lines" if record["line"] % 2 else "chroma, even lines"


def quotables(record: Record) -> list[Quotable]:
    """The candidates of a record as the answer line had them."""
    passages = [
        Passage(
            version_id=item["version"],
            document=item["title"],
            source=item["title"],
            start=item["start"],
            end=item["start"] + len(item["text"]),
            text=item["text"],
            tokens=0,
            chunk_ids=(),
            children=tuple(Span(*child) for child in item["children"]),
            rank=item["rank"],
            score=item["score"],
            reason="",
            headings=tuple(item["headings"]),
        )
        for item in record["passages"]
    ]
    found = []
    for place, start, end, _, *reading in record["sentences"]:
        passage = passages[place]
        text = reading[0] if reading else passage.text[start - passage.start : end - passage.start]
        found.append(Quotable(passage, Span(start, end), text))
    return found


def evidence_of(record: Record) -> Evidence:
    """The evidence of a record, as the product makes it."""
    meaning = np.array([item[3] for item in record["sentences"]], dtype=np.float32)
    rarity = rarity_of(record["df"], record["total"])
    return evidence(record["question"], record["dense"], (), quotables(record), meaning, rarity)


def quoted(record: Record) -> tuple[bool, bool]:
    """Whether the best quote, and whether one of the best three, lies on the gold."""
    items = quotables(record)
    cosines = np.array([[item[3]] for item in record["sentences"]], dtype=np.float32).reshape(-1, 1)
    scores = quote_scores(record["question"], np.ones(1, np.float32), items, cosines)
    hits = [_on_gold(items[place], record["gold"]) for place in np.argsort(-scores, kind="stable")[:3]]
    return bool(hits and hits[0]), any(hits)


def _on_gold(item: Quotable, gold: Sequence[Sequence[Any]]) -> bool:
    for version, start, end in gold:
        span = Span(start, end)
        if version == item.passage.version_id and 2 * span.overlap(item.span) >= min(span.length, item.span.length):
            return True
    return False


def features(found: Sequence[Evidence]) -> NDArray[np.float64]:
    """``(n, 1 + fields)``: a column of ones and the evidence."""
    return np.array([[1.0, *(getattr(item, name.name) for name in fields(Evidence))] for item in found])


def fit(matrix: NDArray[np.float64], answered: NDArray[np.bool_], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Logistic regression by Newton's method, the bias not penalised; ``weights`` of the rows have mean 1.

    >>> made = fit(np.array([[1.0, 0.0], [1.0, 1.0]] * 50), np.array([False, True] * 50), np.ones(100))
    >>> bool(made[1] > 0 > made[0])
    True
    """
    found = np.zeros(matrix.shape[1])
    penalty = RIDGE * np.eye(matrix.shape[1])
    penalty[0, 0] = 0.0
    for _ in range(50):
        likely = 1 / (1 + np.exp(-matrix @ found))
        slope = matrix.T @ (weights * (answered - likely)) - penalty @ found
        curve = (matrix * (weights * likely * (1 - likely))[:, None]).T @ matrix + penalty
        step = np.linalg.solve(curve, slope)
        found = found + step
        if np.abs(step).max() < 1e-9:
            break
    return found


def auc(scores: NDArray[np.float64], answered: NDArray[np.bool_]) -> float:
    """The chance that a question with an answer scores above one without, ties counting half.

    >>> auc(np.array([0.1, 0.4, 0.4, 0.9]), np.array([False, False, True, True]))
    0.875
    """
    above = scores[answered][:, None] - scores[~answered][None, :]
    return float((np.sign(above) + 1).mean() / 2)


def threshold(scores: NDArray[np.float64], answered: NDArray[np.bool_], weights: NDArray[np.float64]) -> float:
    """The highest probability, to two digits, below which at most ``DENIED`` of the answered questions lie."""
    total = weights[answered].sum()
    fitting = [step / 100 for step in range(100) if weights[answered & (scores < step / 100)].sum() <= DENIED * total]
    return max(fitting)


def report(records: Sequence[Record], refit: bool) -> str:
    """The table, and before it the weights where they were fitted anew."""
    found = [evidence_of(record) for record in records]
    answered = np.array([not record["left"] for record in records])
    parts = np.array([part(record) for record in records])
    matrix = features(found)
    tuning = np.isin(parts, TUNING)
    sizes = {name: float((parts == name).sum()) for name in set(parts.tolist())}
    weights = np.array([1 / sizes[name] for name in parts.tolist()])
    weights = weights / weights[tuning].mean()
    lines = []
    if refit:
        made = fit(matrix[tuning], answered[tuning], weights[tuning])
        names = [item.name for item in fields(Evidence)]
        lines.append(
            f"BIAS = {made[0]:.2f}; " + ", ".join(f"{name}={made[at]:.2f}" for at, name in enumerate(names, 1))
        )
        scores = 1 / (1 + np.exp(-matrix @ made))
    else:
        scores = np.array([support(item).probability for item in found])
    least = threshold(scores[tuning], answered[tuning], weights[tuning])
    lines += [
        f"Threshold {least:.2f}: at most {DENIED:.0%} of the tuning questions with an answer are denied it.",
        "",
        "| Questions of | asked | AUC | silent | denied | precision | quote@1 | quote@3 |",
        "|---|---|---|---|---|---|---|---|",
    ]
    groups = [*(name for name in TUNING if name in sizes), *sorted(set(sizes) - set(TUNING))]
    for name in groups:
        here = parts == name
        without, having = scores[here & ~answered], scores[here & answered]
        silent, denied = float((without < least).mean()), float((having < least).mean())
        quotes = [
            quoted(record) for record in records if part(record) == name and not record["left"] and record["gold"]
        ]
        first, three = (100 * float(np.mean([hit[at] for hit in quotes])) if quotes else 0.0 for at in (0, 1))
        precision = silent / (silent + denied) if silent + denied else 0.0
        told = "" if name in TUNING else " (only tells)"
        lines.append(
            f"| {name}{told} | {len(having)} | {auc(scores[here], answered[here]):.3f} | {100 * silent:.0f} "
            f"| {100 * denied:.0f} | {100 * precision:.0f} | {first:.1f} | {three:.1f} |"
        )
    return "\n".join(lines)


def kept_records(path: Path) -> list[Record]:
    """What an earlier call found; a last line that was cut off is dropped."""
    if not path.is_file():
        return []
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    return [json.loads(line) for line in lines if line.endswith("\n")]


def asked_twice(records: Sequence[Record]) -> list[Record]:
    """Those of questions that were asked both ways: a call that was stopped leaves one that was not.

    >>> [one["line"] for one in asked_twice([{"line": 3}, {"line": 3}, {"line": 8}])]
    [3, 3]
    """
    times = Counter(record["line"] for record in records)
    return [record for record in records if times[record["line"]] == 2]


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("suites", type=Path, nargs="+", metavar="SUITE_DIR")
    parser.add_argument("--workspace", type=Path, required=True, metavar="DIR", help="kept between runs")
    parser.add_argument("--borrow", type=Path, metavar="DIR", help="another workspace whose vectors are used")
    parser.add_argument("--questions", type=int, default=200, metavar="N", help="of each suite, chosen once for all")
    parser.add_argument("--fit", action="store_true", help="fit the weights anew and print them")
    options = parser.parse_args(arguments)
    records: list[Record] = []
    for folder in options.suites:
        suite = load_suite(folder)
        kept = options.workspace / f"answerable-{suite.name}.jsonl"
        found = asked_twice(kept_records(kept))
        kept.parent.mkdir(parents=True, exist_ok=True)
        with written_whole(kept) as unfinished:
            unfinished.write_text("".join(json.dumps(record) + "\n" for record in found), encoding="utf-8")
        with kept.open("a", encoding="utf-8") as file:
            known = {record["line"] for record in found}
            count = min(options.questions, len(suite.questions))
            for record in ask(suite, options.workspace, options.borrow, count, known):
                file.write(json.dumps(record) + "\n")
                found.append(record)
        print(f"{suite.name}: {len(found)} asked", file=sys.stderr, flush=True)
        records += found
    print(report(records, options.fit))
    return 0


if __name__ == "__main__":
    sys.exit(main())
