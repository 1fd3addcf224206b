"""What a context's ending goes by, fitted to questions whose gold is known.

    python -m benchmarks.ending_weights SUITE=LIBRARY ... [--questions 300] [--careful 60]

SUITE is a folder of questions, LIBRARY a library that holds its documents under their names, as ``python -m core bench
SUITE --work DIR`` leaves one behind. Every question is asked as it stands and, in turn, of the library without the
documents that hold its gold, or with another question's name in the place of one of its own; ``--careful`` of them
with the re-ranker too. Printed are the weights of ``core.search.context.ending`` (logistic regression of whether gold
is still to come, at each of the first 20 places) and how well they tell it on the questions that were not learnt from.
Learnt from is every second question, the even lines.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.answer_weights import near_miss
from core.evaluation.regions import Placed, region
from core.evaluation.suites import Question, load_suite
from core.library import Library, Scope
from core.search.answer.asking import keys
from core.search.context.ending import UNSURE, Signs, signs
from core.search.expansion import expand
from core.settings import PRESETS, Settings

ROOM = 8000  # characters: how far children grow depends on it
PLACES = 20


@dataclass(frozen=True, slots=True)
class Asked:
    """One asking: a row of signs a place, and whether gold was still to come there."""

    suite: str
    learnt: bool
    answerable: bool
    table: NDArray[np.float64]
    further: NDArray[np.bool_]


def main() -> None:
    """Ask, fit, print."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("suites", nargs="+", metavar="SUITE=LIBRARY")
    options.add_argument("--questions", type=int, default=300, help="of each suite")
    options.add_argument("--careful", type=int, default=60, help="of each suite, re-ranked too")
    chosen = options.parse_args()
    asked: list[Asked] = []
    for pair in chosen.suites:
        suite, _, home = pair.partition("=")
        asked += _all(Path(suite), Path(home), chosen.questions, chosen.careful)
        print(f"{suite}: {len(asked)} askings so far", file=sys.stderr, flush=True)
    _print_weights(asked)


def _all(root: Path, home: Path, count: int, careful: int) -> Iterator[Asked]:
    suite = load_suite(root)
    chosen = sorted(random.Random(7).sample(range(len(suite.questions)), min(count, len(suite.questions))))
    reread = set(random.Random(9).sample(chosen, min(careful, len(chosen))))
    names = [key for question in suite.questions for key in keys(question.question)]
    choose = random.Random(8)
    with Library.open(home, write=False) as library:
        versions = {row.name: row.version_id for row in library.sources() if row.version_id}
        for number in chosen:
            question, learnt = suite.questions[number], number % 2 == 1
            held = {gold.document for gold in question.gold}
            others = tuple(version for name, version in versions.items() if name not in held)
            missed = near_miss(question, names, choose)
            askings: list[tuple[Question, Scope | None]] = [(question, None)]
            if missed is not None and number % 4 < 2:
                askings.append((missed, None))
            elif others:
                askings.append((replace(question, gold=()), Scope(versions=others)))
            presets = ["default", "careful"] if number in reread else ["default"]
            for preset in presets:
                settings = PRESETS[preset].with_value("reranking.timeout_seconds", 0)
                for asking, scope in askings:
                    yield _ask(library, asking, settings, scope, suite.name, learnt, versions)


def _ask(
    library: Library,
    question: Question,
    settings: Settings,
    scope: Scope | None,
    suite: str,
    learnt: bool,
    versions: Mapping[str, str],
) -> Asked:
    ranking = library.searcher.rank(question.question, settings, scope)
    leaves, reads = ranking.leaves, library.searcher.reads(ranking.leaves)
    extents = expand(ranking, settings.expansion, leaves.ends - leaves.starts, ROOM, reads)
    spans: list[Placed] = [(leaves.version_ids[extent.document], extent.start, extent.end) for extent in extents]
    gold = region((versions[one.document], one.start, one.end) for one in question.gold)
    read = [region(spans[:place]).common(gold) for place in range(len(spans) + 1)]
    further = np.array(read[:-1], dtype=np.int64) < read[-1]
    table = signs(ranking, [extent.child for extent in extents])
    return Asked(suite, learnt, bool(question.gold), table[:PLACES], further[:PLACES])


def _print_weights(asked: Sequence[Asked]) -> None:
    from sklearn.linear_model import LogisticRegression
    from sklearn.metrics import roc_auc_score

    learnt = [one for one in asked if one.learnt and len(one.table)]
    counts = {(one.suite, one.answerable): 0 for one in learnt}
    for one in learnt:
        counts[one.suite, one.answerable] += 1
    # Every suite with the same weight, and a question with an answer with twice that of one without.
    shares = [(1 + one.answerable) / counts[one.suite, one.answerable] / len(one.table) for one in learnt]
    weights = np.concatenate([np.full(len(one.table), share) for one, share in zip(learnt, shares, strict=True)])
    table, says = np.concatenate([one.table for one in learnt]), np.concatenate([one.further for one in learnt])
    spread = table.std(axis=0) + 1e-9
    weights *= len(says) / weights.sum()
    fitted = LogisticRegression(max_iter=5000).fit(table / spread, says, sample_weight=weights)
    named = zip(fields(Signs), fitted.coef_[0] / spread, strict=True)
    print("WEIGHTS", ", ".join(f"{field.name}={value:.2f}" for field, value in named))
    print("BIAS", round(float(fitted.intercept_[0]), 2))
    for suite in dict.fromkeys(one.suite for one in asked):
        tried = [one for one in asked if one.suite == suite and not one.learnt and len(one.table)]
        truth = np.concatenate([one.further for one in tried])
        said = fitted.predict_proba(np.concatenate([one.table for one in tried]) / spread)[:, 1]
        likely = fitted.predict_proba(np.array([one.table[0] for one in tried]) / spread)[:, 1]
        answerable = np.array([one.answerable for one in tried])
        print(
            f"{suite}: area {roc_auc_score(truth, said):.3f}, said {said.mean():.1%} and was {truth.mean():.1%};"
            f" unsure at the first place {np.mean(likely[answerable] < UNSURE):.0%} with an answer and"
            f" {np.mean(likely[~answerable] < UNSURE):.0%} without"
        )


if __name__ == "__main__":
    main()
