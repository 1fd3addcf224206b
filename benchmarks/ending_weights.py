"""What a context's ending goes by, fitted to questions whose gold is known.

    python -m benchmarks.ending_weights SUITE=LIBRARY ... [--tells SUITE=LIBRARY ...] [--questions 300] [--careful 60]

SUITE is a folder of questions, LIBRARY a library that holds its documents under their names, as ``python -m core bench
SUITE --work DIR`` leaves one behind. Every question is asked as it stands and, in turn, of the library without the
documents that hold its gold, or with another question's name in the place of one of its own; ``--careful`` of them
with the re-ranker too. Printed are the weights of ``core.search.context.ending``: a logistic regression of the share
of the gold that is still to come, at each of the first 30 places, brought to the probability that any is by another of
its log-odds alone. Then how well they tell it, and a curve: at each value of ``assembly.stop_below`` the recall that is
kept of the full context's in 8,000 characters, the characters as a share of its, and how many of the questions without
an answer get 300 tokens at most. Learnt from is every second question, the even lines, of suites before ``--tells``;
those behind it, and odd lines, only tell.
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
from core.evaluation.regions import Placed, cut_to_budget, region
from core.evaluation.suites import Question, load_suite
from core.library import Library, Scope
from core.search.answer.asking import named_terms
from core.search.context.ending import LEAST_ANSWERABLE, UNSURE_BUDGET, EndingFeatures, ending_features
from core.search.expansion.expanding import expand
from core.settings import PRESETS, Settings

ROOM = 8000  # characters: how far children grow depends on it
PLACES = 30
STOPS = (0.08, 0.1, 0.12, 0.14, 0.16, 0.18, 0.2, 0.25)


@dataclass(frozen=True, slots=True)
class Asked:
    """One asking, of as many places as fit the room: a row of features for each, and what was read up to its end.

    ``sizes``: characters. ``gold``: a share of the gold. ``left``: the share that comes at the place or behind it.
    ``further``: whether any comes there, beyond the room as well.
    """

    suite: str
    learnt: bool
    answerable: bool
    careful: bool
    table: NDArray[np.float64]
    sizes: NDArray[np.int64]
    gold: NDArray[np.float64]
    further: NDArray[np.bool_]

    @property
    def left(self) -> NDArray[np.float64]:
        return np.asarray(self.gold[-1] - np.append(0.0, self.gold[:-1]))

    def ended(self, chances: NDArray[np.float64], stop: float) -> tuple[float, int]:
        """The share of the gold and the characters of the context that ends where a chance falls below ``stop``."""
        poor = np.flatnonzero(chances[1:] < stop)
        last = int(poor[0]) if len(poor) else len(chances) - 1
        if chances[0] < LEAST_ANSWERABLE:
            last = min(last, max(0, int(np.searchsorted(self.sizes, UNSURE_BUDGET["characters"], "right")) - 1))
        return float(self.gold[last]), int(self.sizes[last])


def main() -> None:
    """Ask, fit, print."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("suites", nargs="+", metavar="SUITE=LIBRARY")
    options.add_argument("--tells", nargs="*", default=[], metavar="SUITE=LIBRARY", help="nothing is learnt from it")
    options.add_argument("--questions", type=int, default=300, help="of each suite")
    options.add_argument("--careful", type=int, default=60, help="of each suite, re-ranked too")
    chosen = options.parse_args()
    asked: list[Asked] = []
    for pair in (*chosen.suites, *chosen.tells):
        suite, _, home = pair.partition("=")
        found = _all(Path(suite), Path(home), chosen.questions, chosen.careful)
        asked += [replace(one, learnt=one.learnt and pair in chosen.suites) for one in found if len(one.table)]
        print(f"{suite}: {len(asked)} askings so far", file=sys.stderr, flush=True)
    _print_weights(asked)


def _all(root: Path, home: Path, count: int, careful: int) -> Iterator[Asked]:
    suite = load_suite(root)
    chosen = sorted(random.Random(7).sample(range(len(suite.questions)), min(count, len(suite.questions))))
    reread = set(random.Random(9).sample(chosen, min(careful, len(chosen))))
    names = [key for question in suite.questions for key in named_terms(question.question)]
    choose = random.Random(8)
    with Library.open(home, write=False) as library:
        versions = {row.name: row.version_id for row in library.sources() if row.version_id}
        for number in chosen:
            question, learnt = suite.questions[number], number % 2 == 1
            held = {gold.document for gold in question.gold}
            others = tuple(version for name, version in versions.items() if name not in held)
            missed = near_miss(question, names, choose)
            askings: list[tuple[Question, Scope]] = [(question, Scope())]
            if missed is not None and number % 4 < 2:
                askings.append((missed, Scope()))
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
    scope: Scope,
    suite: str,
    learnt: bool,
    versions: Mapping[str, str],
) -> Asked:
    ranking = library.searcher.rank(question.question, settings, scope)
    leaves, reads = ranking.leaves, library.searcher.reads(ranking.leaves)
    extents = expand(ranking, settings.expansion, leaves.ends - leaves.starts, ROOM, reads)
    spans: list[Placed] = [(leaves.version_ids[extent.document], extent.start, extent.end) for extent in extents]
    gold = region((versions[one.document], one.start, one.end) for one in question.gold)
    every = region(spans).common(gold)
    sizes, read, further = [], [], []
    for place in range(1, len(spans) + 1):
        further.append(region(spans[: place - 1]).common(gold) < every)
        here = cut_to_budget(spans[:place], ROOM)
        sizes.append(here.size)
        read.append(here.common(gold) / max(gold.size, 1))
        if here.size == ROOM:
            break
    table = ending_features(ranking, [extent.child for extent in extents[: len(sizes)]])
    reread = settings.reranking.model != ""
    return Asked(suite, learnt, bool(question.gold), reread, table, np.array(sizes), np.array(read), np.array(further))


def _print_weights(asked: Sequence[Asked]) -> None:
    from sklearn.metrics import roc_auc_score

    learnt = [one for one in asked if one.learnt]
    counts = {(one.suite, one.answerable): 0 for one in learnt}
    for one in learnt:
        counts[one.suite, one.answerable] += 1
    # Every suite with the same weight, and a question with an answer with twice that of one without.
    shares = [(1 + one.answerable) / counts[one.suite, one.answerable] / len(one.table[:PLACES]) for one in learnt]
    weights = np.concatenate([np.full(len(one.table[:PLACES]), each) for one, each in zip(learnt, shares, strict=True)])
    table = np.concatenate([one.table[:PLACES] for one in learnt])
    left = np.concatenate([one.left[:PLACES] for one in learnt])
    by_share, bias = _fitted(table, left, weights)
    odds = table @ by_share + bias
    further = np.concatenate([one.further[:PLACES] for one in learnt]).astype(float)
    (slope,), offset = _fitted(odds[:, None], further, weights)
    by_share, bias = slope * by_share, slope * bias + offset
    print(
        "WEIGHTS",
        ", ".join(f"{field.name}={value:.2f}" for field, value in zip(fields(EndingFeatures), by_share, strict=True)),
    )
    print("BIAS", round(bias, 2))
    for suite in dict.fromkeys(one.suite for one in asked):
        for careful in (False, True):
            for part, learns in (("", None), (", odd lines", False)):
                tried = [one for one in asked if one.suite == suite and one.careful == careful]
                tried = [one for one in tried if learns is None or one.learnt == learns]
                said = [1 / (1 + np.exp(-(one.table @ by_share + bias))) for one in tried]
                truth = np.concatenate([one.further for one in tried])
                area = roc_auc_score(truth, np.concatenate(said))
                print(f"{suite}{', careful' * careful}{part}: area {area:.3f}", _curve(tried, said), sep="\n")


def _fitted(
    table: NDArray[np.float64], share: NDArray[np.float64], weights: NDArray[np.float64]
) -> tuple[NDArray[np.float64], float]:
    """Weights and bias of a logistic regression of shares from 0 to 1."""
    from sklearn.linear_model import LogisticRegression

    spread = table.std(axis=0) + 1e-9
    says = np.repeat([1, 0], len(table))
    weighed = np.concatenate([share, 1 - share]) * np.tile(weights * len(weights) / weights.sum(), 2)
    model = LogisticRegression(max_iter=5000).fit(np.tile(table / spread, (2, 1)), says, sample_weight=weighed)
    return model.coef_[0] / spread, float(model.intercept_[0])


def _curve(asked: Sequence[Asked], said: Sequence[NDArray[np.float64]]) -> str:
    """A line a value of the dial."""
    pairs = list(zip(asked, said, strict=True))
    found = [pair for pair in pairs if pair[0].answerable]
    full = np.array([(one.gold[-1], one.sizes[-1]) for one, _ in found]).mean(axis=0)
    lines = []
    for stop in STOPS:
        kept, spent = np.array([one.ended(chances, stop) for one, chances in found]).mean(axis=0) / full
        little = [
            one.ended(chances, stop)[1] <= UNSURE_BUDGET["characters"] for one, chances in pairs if not one.answerable
        ]
        lines.append(f"  {stop:.2f}: {kept:.1%} of recall, {spent:.0%} of characters; {np.mean(little):.0%} little")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
