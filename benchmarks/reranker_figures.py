"""What Lectern's own re-ranker is worth on suites: every blend and number of candidates from one reading.

Usage: python -m benchmarks.reranker_figures SUITE_DIR... --workspace DIR [--borrow DIR] [--questions N]
       [--weights FILE] [--unit child] [--blends 0.2,0.5,...] [--candidates 10,20,...] [--contexts passages,sentences]

The best 50 passages of each question are read once and what the re-ranker said of them is kept in the workspace, by the
hash of its weights; orders, contexts and figures are made from that by the product's own code. So the same command goes
on after a stop, another blend reads nothing, and other weights read anew. A question takes some 2 seconds of a
processor: suites may be run side by side, one process each under OMP_NUM_THREADS=1, and the command with ``--no-run``
then prints everything that is kept. Figures of contexts are kept too: after a change of the code give ``--anew``, which
makes them again. ``--contexts`` says what fills them beside passages (``assembly.unit``); what is marked, by which
sentences are chosen, is not kept, so for these it reads again. ``--weights`` tries a file that is not shipped;
``--borrow`` names a bench's workspace whose vectors save encoding; ``--questions`` takes so many of each suite, the
same ones every time.
``benchmarks.reranker_card`` writes what is kept of the shipped weights into their model card.

A line a cell: the headline measure at each budget, its difference to Quick with the paired 95 % interval, and "better"
or "worse" where a paired test says so. Weights are chosen on covidqa, qmsum, code and chroma's even lines, of which the
last table has the mean; chroma's odd lines and scifact only tell.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.chunkers import lent
from core.embedding import CachedEncoder, answer_reader, load_model, reranker_file
from core.embedding.answer_reader import AnswerReader
from core.evaluation.lost_gold import ranked_documents
from core.evaluation.metrics import SPAN_METRICS
from core.evaluation.metrics.ranking import ndcg
from core.evaluation.regions import passages_region, region
from core.evaluation.statistics import compare
from core.evaluation.suites import Question, Suite, load_suite, stage_documents, suite_folder
from core.ingest.prepared import Incoming
from core.library import Library
from core.search.ordering import candidate_passages, in_documents, reorder_ranking
from core.search.question.query import Query
from core.search.ranking.reranking import Readings, read
from core.search.ranking.stage_scores import Ranking
from core.settings import PACKAGED_RERANKER, RerankingSettings, Settings
from core.types import Span

BUDGETS = (1000, 2000, 4000, 8000)
BLENDS = (0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 1.0)
CANDIDATES = (10, 20, 30, 50)
QUICK, PASSAGES = "quick", "passages"
MEASURES = {"qmsum": "attained"}  # whose gold is longer than a budget; of all others "recall"
NDCG = "ndcg@10"
TUNING = ("code", "qmsum", "covidqa", "chroma, even lines")

Record = Mapping[str, Any]
"""Of a question: ``suite``, ``line``, ``id``, ``scores`` of the passages read, best first as Quick has them, ``hash``
of these, whether each is ``gold``, whether its document ``holds`` gold, and ``cells``: figures by cell and measure."""


def part(record: Record) -> str:
    """The part of the suites a record counts for."""
    if record["suite"] != "chroma":
        return str(record["suite"])
    return "chroma, odd lines" if record["line"] % 2 else "chroma, even lines"


@dataclass(frozen=True, slots=True)
class Kept:
    """The records of one suite, unit and weights: a file, the latest line of a question counts."""

    path: Path

    def records(self) -> dict[str, dict[str, Any]]:
        """By question; a last line that was cut off is dropped."""
        lines = self.path.read_text(encoding="utf-8").splitlines(keepends=True) if self.path.is_file() else []
        found = [json.loads(line) for line in lines if line.endswith("\n")]
        return {str(record["id"]): record for record in found}

    def keep(self, record: Record) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(record) + "\n")


def stored_features(workspace: Path, suite: str, unit: str, weights: str) -> Kept:
    """What a workspace keeps of a suite. ``weights``: their SHA-256."""
    return Kept(workspace / f"readings-{suite}-{unit}-{weights[:12]}.jsonl")


def cell_name(settings: RerankingSettings | None, context: str = PASSAGES) -> str:
    """How a cell is called in tables. ``settings``: ``None`` for Quick; ``context``: what fills it.

    >>> cell_name(RerankingSettings("packaged", candidates=20, blend=0.5, neighbour_share=1))
    '20 candidates, blend 0.5, neighbours 1'
    >>> cell_name(None), cell_name(None, "sentences")
    ('quick', 'quick, sentences')
    """
    name = QUICK
    if settings is not None:
        name = f"{settings.candidates} candidates, blend {settings.blend:g}"
        name += f", neighbours {settings.neighbour_share:g}" if settings.neighbour_share else ""
    return name if context == PASSAGES else f"{name}, {context}"


class Bench:
    """One suite in a library of its own, its questions asked with held readings."""

    def __init__(
        self,
        suite: Suite,
        library: Library,
        kept: Kept,
        scorer: AnswerReader,
        settings: RerankingSettings,
        contexts: Sequence[str] = (),
    ):
        """``settings``: the unit, and how many are read. ``contexts``: what fills them beside passages."""
        self._suite, self._library, self._kept, self._settings = suite, library, kept, settings
        self._scorer, self._contexts = scorer, tuple(dict.fromkeys((PASSAGES, *contexts)))
        self._versions = {document.name: document.version_id for document in suite.documents}

    def measure(
        self, line: int, question: Question, cells: Sequence[RerankingSettings], known: Record | None, anew: bool
    ) -> Record:
        """The question's record with all cells; what ``known`` has is not made again, unless ``anew``."""
        searcher, usual = self._library.searcher, Settings()
        ranking = searcher.order(searcher.find(Query(question.question), usual), usual)
        passages, spans = candidate_passages(
            ranking,
            self._settings,
            self._scorer.max_tokens,
            lambda document: searcher.text(ranking.leaves.version_ids[document]),
            searcher.prefixes,
        )
        named = hashlib.sha256("\0".join([question.question, *passages]).encode()).hexdigest()[:16]
        same = known is not None and known["hash"] == named
        figures = dict(known["cells"]) if known and same and not anew else {}
        marked = self._contexts[1:] and not figures.keys() >= set(named(cells, self._contexts))
        if same and known and not marked:
            readings = Readings(np.array(known["scores"], np.float64))
        else:
            readings = in_documents(read(question.question, passages, self._scorer, self._settings), passages, spans)
        for cell in (None, *cells):
            missing = [context for context in self._contexts if cell_name(cell, context) not in figures]
            if missing:
                ordered = ranking
                if cell is not None:
                    few = replace(readings, scores=readings.scores[: cell.candidates])
                    ordered = reorder_ranking(ranking, few, cell, perf_counter())
                for context in missing:
                    figures[cell_name(cell, context)] = self._figures(ordered, question, context)
        gold, holds = self._judged(ranking, question, len(passages))
        return {
            "suite": self._suite.name,
            "line": line,
            "id": question.id,
            "hash": named,
            "scores": [round(float(score), 5) for score in readings.scores],
            "gold": gold,
            "holds": holds,
            "cells": figures,
        }

    def _figures(self, ranking: Ranking, question: Question, filled_with: str) -> dict[str, float]:
        searcher, found = self._library.searcher, {}
        # A figure at a budget is of a full context, as in the bench.
        settings = Settings().with_values({"assembly.unit": filled_with, "assembly.stop_below": 0})
        gold = region((self._versions[span.document], span.start, span.end) for span in question.gold)
        reads = searcher.reads(ranking.leaves)
        measure = MEASURES.get(self._suite.name, "recall")
        for budget in BUDGETS if question.gold else ():
            context, _ = searcher.assemble(ranking, settings, budget, reads)
            read_of_it = passages_region(context.passages, budget)
            found[f"{measure}@{budget}"] = round(SPAN_METRICS[measure](read_of_it, gold, budget), 6)
        if question.relevant_documents:
            relevant = {self._versions[name] for name in question.relevant_documents}
            found[NDCG] = round(ndcg(ranked_documents(ranking, 10), relevant, 10), 6)
        return found

    def _judged(self, ranking: Ranking, question: Question, count: int) -> tuple[list[bool], list[bool]]:
        """Of each candidate, whether half of it or of a gold span is the other's, and whether its document has gold."""
        leaves = ranking.leaves
        versions = {self._versions[span.document] for span in question.gold}
        versions |= {self._versions[name] for name in question.relevant_documents or ()}
        gold, holds = [], []
        for leaf in ranking.pool[ranking.kept[:count]].tolist():
            version = leaves.version_ids[leaves.documents[leaf]]
            place = Span(int(leaves.starts[leaf]), int(leaves.ends[leaf]))
            gold.append(
                any(
                    self._versions[span.document] == version
                    and 2 * Span(span.start, span.end).overlap(place) >= min(span.end - span.start, place.length)
                    for span in question.gold
                )
            )
            holds.append(version in versions)
        return gold, holds


def chosen(suite: Suite, count: int) -> Iterator[tuple[int, Question]]:
    """Lines, from 1, and questions: all of them for 0, else so many, the same every time."""
    lines = [(line, question) for line, question in enumerate(suite.questions, 1) if question.gold]
    some = random.Random(7).sample(lines, min(count, len(lines))) if count else lines
    return iter(sorted(some, key=lambda pair: pair[0]))


def run(suite: Suite, options: argparse.Namespace, cells: Sequence[RerankingSettings], kept: Kept) -> None:
    """Ask what is not known yet, and keep it."""
    wanted = list(chosen(suite, options.questions))
    known = kept.records()
    names = set(named(cells, options.contexts))
    missing = [item for item in wanted if options.anew or names - known.get(item[1].id, {"cells": {}})["cells"].keys()]
    if not missing:
        return
    encoder = load_model(Settings().embedding).encoder
    place = options.workspace / suite_folder(suite)
    with (
        lent(suite, options.borrow) as vectors,
        Library.open(place / "library", encoder=CachedEncoder(encoder, vectors) if vectors else encoder) as library,
    ):
        if len(library.sources()) < len(suite.documents):  # an earlier run may have been stopped here
            staged = stage_documents(suite, place / "documents")
            library.ingest([Incoming(item.path.name, item.path) for item in staged])
        library.apply(Settings())
    with Library.open(place / "library", encoder=encoder) as library:
        library.searcher.encode([question.question for _, question in missing])
        settings = RerankingSettings(
            PACKAGED_RERANKER, candidates=max(*CANDIDATES, *options.candidates), unit=options.unit, timeout_seconds=0
        )
        scorer = answer_reader.load(options.weights, "").reading(reranker_file.MAX_TOKENS, settings.precision)
        bench = Bench(suite, library, kept, scorer, settings, options.contexts)
        begun = perf_counter()
        for done, (line, question) in enumerate(missing, 1):
            kept.keep(bench.measure(line, question, cells, known.get(question.id), options.anew))
            if not done % 50 or done == len(missing):
                spent = perf_counter() - begun
                print(f"{suite.name}: {done} of {len(missing)}, {spent:.0f} s", file=sys.stderr, flush=True)


def named(cells: Sequence[RerankingSettings], contexts: Sequence[str]) -> list[str]:
    """The names of all cells, Quick first, which all others are held against. ``contexts``: beside passages."""
    filled = dict.fromkeys((PASSAGES, *contexts))
    return [cell_name(cell, context) for cell in (None, *cells) for context in filled]


def column(records: Sequence[Record], cell: str, measures: Sequence[str]) -> NDArray[np.float64]:
    """``(questions, measures)`` of a cell, in percent."""
    return 100 * np.array([[record["cells"][cell][name] for name in measures] for record in records])


def tables(records: Sequence[Record], cells: Sequence[str]) -> str:
    """A table a part, and the mean differences over the parts for tuning."""
    parts: dict[str, list[Record]] = {}
    for record in records:
        parts.setdefault(part(record), []).append(record)
    lines, gains = [], {cell: [] for cell in cells}
    for name in sorted(parts, key=lambda name: (name not in TUNING, name)):
        here = parts[name]
        measures = list(here[0]["cells"][QUICK])
        quick = column(here, QUICK, measures)
        lines += ["", f"## {name}{'' if name in TUNING else ' (only tells)'}, {len(here)} questions", ""]
        lines += ["| | " + " | ".join(measures) + " |", "|---" * (len(measures) + 1) + "|"]
        lines.append("| Quick | " + " | ".join(f"{value:.1f}" for value in quick.mean(axis=0)) + " |")
        for cell in cells:
            found = column(here, cell, measures)
            shown = []
            for value, one in zip(found.mean(axis=0), compare({cell: found}, quick)[cell], strict=True):
                verdict = f" {one.verdict}" if one.verdict in ("better", "worse") else ""
                shown.append(f"{value:.1f} ({one.difference:+.1f} [{one.low:+.1f}, {one.high:+.1f}]{verdict})")
            lines.append(f"| {cell} | " + " | ".join(shown) + " |")
            if name in TUNING:
                gains[cell].append((found - quick).mean(axis=0)[: len(BUDGETS)])
    lines += ["", "## Mean gain over the parts for tuning", "", "| | " + " | ".join(map(str, BUDGETS)) + " | mean |"]
    lines.append("|---" * (len(BUDGETS) + 2) + "|")
    for cell, found in gains.items():
        if found:
            mean = np.mean(found, axis=0)
            lines.append(f"| {cell} | " + " | ".join(f"{value:+.2f}" for value in [*mean, mean.mean()]) + " |")
    return "\n".join(lines)


def numbers(kind: type) -> Any:
    return lambda written: tuple(kind(value) for value in written.split(","))


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("suites", type=Path, nargs="+", metavar="SUITE_DIR")
    parser.add_argument("--workspace", type=Path, required=True, metavar="DIR", help="kept between runs")
    parser.add_argument("--borrow", type=Path, metavar="DIR", help="another workspace whose vectors are used")
    parser.add_argument("--questions", type=int, default=0, metavar="N", help="of each suite; 0 takes all")
    parser.add_argument("--weights", type=Path, default=reranker_file.FILE, metavar="FILE")
    parser.add_argument("--unit", default="child", choices=("child", "window", "parent"))
    parser.add_argument("--blends", type=numbers(float), default=BLENDS, metavar="B,...")
    parser.add_argument("--candidates", type=numbers(int), default=CANDIDATES, metavar="N,...")
    parser.add_argument("--neighbours", type=numbers(float), default=(0.0, 1.0), metavar="S,...")
    parser.add_argument("--contexts", type=numbers(str), default=(), metavar="UNIT,...")
    parser.add_argument("--anew", action="store_true", help="make contexts and figures again; nothing is read again")
    parser.add_argument("--no-run", action="store_true", help="only print what is kept")
    options = parser.parse_args(arguments)
    cells = [
        RerankingSettings(PACKAGED_RERANKER, unit=options.unit, candidates=count, blend=blend, neighbour_share=share)
        for count in options.candidates
        for blend in options.blends
        for share in options.neighbours
    ]
    weights = hashlib.sha256(options.weights.read_bytes()).hexdigest()
    names, records = named(cells, options.contexts), []
    for folder in options.suites:
        suite = load_suite(folder)
        kept = stored_features(options.workspace, suite.name, options.unit, weights)
        if not options.no_run:
            run(suite, options, cells, kept)
        ids = {question.id for _, question in chosen(suite, options.questions)}
        whole = (record for record in kept.records().values() if record["cells"].keys() >= set(names))
        records += [record for record in whole if record["id"] in ids]
    print(f"Weights {weights}, unit {options.unit}, {len(records):,} questions")
    if records:
        print(tables(records, names[1:]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
