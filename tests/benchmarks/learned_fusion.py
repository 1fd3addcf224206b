"""What a fusion learned from suites is worth on suites it has not seen, against the hand-set one.

Usage: python -m tests.benchmarks.learned_fusion SUITES_DIR --work DIR [--borrow DIR] [--part NAME]...
       [--in-order]

The first ``LISTED`` leaves of every question under the default are ordered anew by models of
``learned_fusion_models``, and the product fills the contexts:

- *terms*: linear over what the hand-set fusion adds up. It is the same fusion with its dials turned.
- *everything*: linear over these and what else a trace tells: ranks, headings, position, length and the like.
- *trees*: boosted trees over everything.

Each is fitted to the other three suites for tuning and tells of the fourth; fitted to all four, it tells of the odd
lines of chroma and of scifact. *own* is *terms* fitted to one half of the part's own questions and told on the other,
both ways round: what a library's own judgments could teach at best.

The work folder keeps libraries and vectors, and ``--borrow`` names the workspace of other benches whose vectors are
looked at first. All else is made anew by the call, and is the same every time. ``--in-order`` fills no contexts: leaves
are read one after another, neither grown nor joined, in a third of the time.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from core.catalogue_reads import CatalogueReads
from core.embedding import BorrowingEncoder, load_model
from core.evaluation.losses import gold_leaves, ranked_documents
from core.evaluation.measuring import BUDGETS
from core.evaluation.metrics import SPAN_METRICS, ndcg
from core.evaluation.regions import Placed, region, take
from core.evaluation.runs import Names
from core.evaluation.staging import stage_documents, suite_folder
from core.evaluation.statistics import BETTER, WORSE, Comparison, compare_many
from core.evaluation.suites import Question, Suite, load_suite
from core.library import Library
from core.preparing import Incoming
from core.retrieval import Ranking
from core.settings import Settings
from core.storage.leaves import LeafTable
from core.storage.lexical import content_table
from tests.benchmarks.answerable import TUNING, part
from tests.benchmarks.chunkers import lent
from tests.benchmarks.learned_fusion_models import (
    BESIDE,
    TERMS,
    Floats,
    Listed,
    Scorer,
    Words,
    boosted_scorer,
    hand_set_weights,
    linear,
    linear_scorer,
    listed,
)

SUITES = ("covidqa", "qmsum", "code", "chroma", "scifact")
TELLING = ("chroma, odd lines", "scifact")
MEASURES = {"qmsum": "attained"}  # whose gold is longer than a budget; of all others "recall"
NDCG = 10
HAND_SET, OWN = "hand-set", "own"
TOGETHER = 64  # questions encoded at once

Figures = Mapping[str, Mapping[str, Floats]]
"""By part and model: (questions, columns), as ``Shelf.scores`` gives them."""


@dataclass(frozen=True, slots=True, eq=False)
class Asked:
    """A question of a part, and what models see of its ranking under the default."""

    question: Question
    listed: Listed


@dataclass(frozen=True, slots=True, eq=False)
class Shelf:
    """A suite's library, cut by the default. ``in_order``: no contexts are filled."""

    suite: Suite
    library: Library
    names: Names
    in_order: bool = False

    def asked(self) -> Iterator[tuple[str, Asked]]:
        """Every question with gold, and the part it belongs to."""
        versions = {document.name: document.version_id for document in self.suite.documents}
        for line, question in enumerate(self.suite.questions, start=1):
            if line % TOGETHER == 1:
                together = self.suite.questions[line - 1 : line - 1 + TOGETHER]
                self.library.searcher.warm([item.question for item in together], self.library.vectors)
            ranking = self.ranking(question)
            if question.gold and len(ranking.kept):
                one = listed(ranking, _held(question, ranking.leaves, versions), self._words)
                yield part({"suite": self.suite.name, "line": line}), Asked(question, one)

    def ranking(self, question: Question) -> Ranking:
        """Under the default: made anew where it is needed, since all of a suite's together would fill the memory."""
        searcher, settings = self.library.searcher, Settings()
        return searcher.order(searcher.find(question.question, settings), settings)

    def _words(self, rows: Sequence[int]) -> Words:
        store = self.library._store  # the script reads what Searcher reads
        table = content_table(self.library.searcher.snapshot().leaves.generation)
        with store.reading() as connection:
            return {
                row: (f"{title} {headings}".split(), text.split())
                for row, title, headings, text in connection.execute(
                    f"SELECT row, title, headings, text FROM {table} WHERE row IN (SELECT value FROM json_each(?))",
                    (json.dumps(list(rows)),),
                )
            }

    def scores(self, question: Question, ranking: Ranking) -> list[float]:
        """In percent: the suite's measure at each of ``BUDGETS``, their mean, and nDCG where documents are judged."""
        metric = SPAN_METRICS[MEASURES.get(self.suite.name, "recall")]
        gold = region((span.document, span.start, span.end) for span in question.gold)
        leaves, reads = self._leaves(question, ranking), self.library.searcher.reads(ranking.leaves)
        found = []
        for budget in BUDGETS:
            placed = leaves if self.in_order else self._context(question, ranking, budget, reads)
            found.append(100 * metric(take(placed, budget), gold, budget))
        found.append(float(np.mean(found)))
        if question.relevant_documents:
            documents = self.names.ranked(ranked_documents(ranking, 5 * NDCG), question)
            found.append(100 * ndcg(documents, question.relevant_documents, NDCG))
        return found

    def _leaves(self, question: Question, ranking: Ranking) -> tuple[Placed, ...]:
        leaves, order = ranking.leaves, ranking.pool[ranking.kept]
        versions = [leaves.version_ids[document] for document in leaves.documents[order]]
        spans = zip(versions, leaves.starts[order].tolist(), leaves.ends[order].tolist(), strict=True)
        return tuple(self.names.place(version, start, end, question) for version, start, end in spans)

    def _context(self, question: Question, ranking: Ranking, budget: int, reads: CatalogueReads) -> tuple[Placed, ...]:
        context, _ = self.library.searcher.assemble(ranking, Settings(), budget, reads)
        passages = sorted(context.passages, key=lambda passage: passage.rank)
        return tuple(self.names.place(item.version_id, item.start, item.end, question) for item in passages)


def _held(question: Question, leaves: LeafTable, versions: Mapping[str, str]) -> Floats:
    """(leaves,) characters of the question's gold in each."""
    places = {version: place for place, version in enumerate(leaves.version_ids)}
    within = {name: places[version] for name, version in versions.items() if version in places}
    spans = [(span.document, span.start, span.end) for span in question.gold]
    held = np.zeros(len(leaves))
    for leaf in gold_leaves(spans, within, leaves.documents, leaves.starts, leaves.ends):
        held[leaf.index] = sum(end - start for _, start, end in leaf.held)
    return held


@contextmanager
def opened(suite: Suite, work: Path, borrow: Path | None, in_order: bool = False) -> Iterator[Shelf]:
    """The suite's library, built where it is missing; nothing is encoded that is kept somewhere."""
    with ExitStack() as stack:
        kept = stack.enter_context(lent(suite, borrow))
        encoder = load_model(Settings().embedding).encoder
        place = work / suite_folder(suite)
        reader = BorrowingEncoder(encoder, kept) if kept else encoder
        library = stack.enter_context(Library.open(place / "library", encoder=reader))
        if not library.sources():
            staged = stage_documents(suite, place / "documents")
            library.ingest([Incoming(item.path.name, item.path) for item in staged])
        library.apply(Settings())
        yield Shelf(suite, library, Names(suite), in_order)


def reordered(ranking: Ranking, places: NDArray[np.int64], scores: Floats) -> Ranking:
    """The ranking with the leaves at ``places`` of the pool in the order of their scores, before all others."""
    final = ranking.final.copy()
    behind = np.ones(len(final), bool)
    behind[places] = False
    final[places] = scores - scores.min(initial=0.0) + max(np.nan_to_num(final[behind], nan=0.0), default=0.0) + 1e-6
    kept = places[np.argsort(-scores, kind="stable")][: ranking.settings.k]
    return replace(ranking, scores={**ranking.scores, "neighbours": final}, kept=kept)


def scorers(lists: Mapping[str, Sequence[Listed]], parts: Sequence[str]) -> dict[str, dict[str, Scorer]]:
    """By part, the models that tell of it: fitted to the parts for tuning, but never to itself."""
    made: dict[tuple[str, ...], dict[str, Scorer]] = {}
    found: dict[str, dict[str, Scorer]] = {}
    for one in parts:
        seen = tuple(name for name in TUNING if name != one)
        if seen not in made:
            others = {name: lists[name] for name in seen}
            made[seen] = {
                "terms": linear_scorer(others, TERMS),
                "everything": linear_scorer(others, (*TERMS, *BESIDE)),
                "trees": boosted_scorer(others),
            }
        found[one] = made[seen]
    return found


def own_scorers(lists: Sequence[Listed]) -> list[Scorer]:
    """For each of a part's questions, *terms* fitted to the half of them that it does not belong to."""
    halves = [linear_scorer({OWN: lists[begin::2]}, TERMS) for begin in (1, 0)]
    return [halves[at % 2] for at in range(len(lists))]


def told(shelf: Shelf, asked: Mapping[str, Sequence[Asked]], made: Mapping[str, Mapping[str, Scorer]]) -> Figures:
    """What every model gives each question of the shelf's parts."""
    figures: dict[str, dict[str, Floats]] = {}
    for name, some in asked.items():
        own = own_scorers([one.listed for one in some])
        rows: dict[str, list[list[float]]] = {}
        for one, own_one in zip(some, own, strict=True):
            ranking = shelf.ranking(one.question)
            rows.setdefault(HAND_SET, []).append(shelf.scores(one.question, ranking))
            for label, scorer in {**made[name], OWN: own_one}.items():
                learned = reordered(ranking, one.listed.places, scorer(one.listed))
                rows.setdefault(label, []).append(shelf.scores(one.question, learned))
        figures[name] = {label: np.array(found) for label, found in rows.items()}
    return figures


def table(figures: Figures) -> str:
    """The page's table: the hand-set fusion's figures, and of each model the differences, Holm-corrected by part.

    >>> rows = table({"code": {"hand-set": np.zeros((9, 5)), "terms": np.ones((9, 5))}}).splitlines()
    >>> rows[-1]
    '| terms | +1.0 ▲ | +1.0 ▲ | +1.0 ▲ | +1.0 ▲ | +1.0 [+1.0, +1.0] ▲ |'
    """
    lines = []
    for name, found in figures.items():
        measure = MEASURES.get(name.split(",")[0], "recall")
        base = found[HAND_SET]
        heads = [*(f"{measure}@{budget}" for budget in BUDGETS), "mean", f"ndcg@{NDCG}"][: base.shape[1]]
        lines += ["", f"| {name}, {len(base)} questions | {' | '.join(heads)} |", "|---" * (len(heads) + 1) + "|"]
        lines.append(f"| {HAND_SET} | " + " | ".join(f"{mean:.1f}" for mean in base.mean(axis=0)) + " |")
        compared = compare_many({label: rows for label, rows in found.items() if label != HAND_SET}, base)
        for label, cells in compared.items():
            shown = [difference(cell, interval=at == len(BUDGETS)) for at, cell in enumerate(cells)]
            lines.append(f"| {label} | {' | '.join(shown)} |")
    return "\n".join(lines)


def difference(cell: Comparison, interval: bool) -> str:
    """A difference with its sign, its 95 % interval where asked for, and ▲ or ▼ where it is significant."""
    mark = {BETTER: " ▲", WORSE: " ▼"}.get(cell.verdict, "")
    return f"{cell.difference:+.1f}" + (f" [{cell.low:+.1f}, {cell.high:+.1f}]" if interval else "") + mark


def turned(lists: Mapping[str, Sequence[Listed]]) -> str:
    """Which weights of the terms each suite for tuning would have by itself, beside the hand-set ones.

    As long as the hand-set ones, since only their proportions order anything.
    """
    hand = hand_set_weights(Settings().retrieval)
    rows = {HAND_SET: hand}
    for name in (*TUNING, "all four"):
        weights = linear(lists if name == "all four" else {name: lists[name]}, TERMS)
        rows[name] = weights * (np.abs(hand).sum() / np.abs(weights).sum())
    lines = [f"| fitted to | {' | '.join(TERMS)} |", "|---" * (len(TERMS) + 1) + "|"]
    lines += [f"| {name} | {' | '.join(f'{weight:.2f}' for weight in row)} |" for name, row in rows.items()]
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("suites", type=Path, metavar="SUITES_DIR")
    parser.add_argument("--work", type=Path, required=True, metavar="DIR", help="kept between runs")
    parser.add_argument("--borrow", type=Path, metavar="DIR", help="another workspace whose vectors are used")
    parser.add_argument("--in-order", action="store_true", help="fill no contexts")
    parser.add_argument("--part", action="append", choices=(*TUNING, *TELLING), help="told of alone; repeat")
    options = parser.parse_args(arguments)
    parts = options.part or [*TUNING, *TELLING]
    with ExitStack() as stack:
        asked: dict[str, list[Asked]] = {}
        shelves: list[Shelf] = []
        for name in SUITES:
            if name == "scifact" and name not in parts:
                continue
            suite = load_suite(options.suites / name)
            shelf = stack.enter_context(opened(suite, options.work, options.borrow, options.in_order))
            shelves.append(shelf)
            for belongs, one in shelf.asked():
                asked.setdefault(belongs, []).append(one)
            print(f"{name}: asked", file=sys.stderr, flush=True)
        lists = {name: [one.listed for one in some] for name, some in asked.items() if name in TUNING}
        print(turned(lists), flush=True)
        made = scorers(lists, parts)
        for shelf in shelves:
            if here := {name: asked[name] for name in parts if name.startswith(shelf.suite.name)}:
                print(table(told(shelf, here, made)), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
