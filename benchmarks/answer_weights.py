"""What the answer line weighs its signals by, fitted to questions whose gold is known.

    python -m benchmarks.answer_weights SUITE=LIBRARY ... [--questions 150]

SUITE is a folder as DESIGN.md has it, LIBRARY a library that holds its documents under their names, as ``python -m core
bench SUITE --work DIR`` leaves one behind. Every question is asked up to four times: as it stands, of the library
without the documents that hold its gold, where it names something with another question's name in its place, and with
another's rarest word in the place of its own. Printed are
the weights of ``core.search.answer.scoring`` (softmax regression over the candidates of a question: those that lie on
gold against the others) and of ``core.search.answer.support`` (logistic regression of whether there is an answer), and
what they are worth on the half of the questions that was not learnt from.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass, fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import regex
from numpy.typing import NDArray

from core.evaluation.suites import GoldSpan, Question, load_suite
from core.library import Library, Scope
from core.search.answer.asking import named_terms
from core.search.answer.line import ScoredCandidates
from core.search.answer.scoring import Signals
from core.search.answer.support import Evidence
from core.text.analysis import analyse
from core.types import Span

Matrix = NDArray[np.float64]
PENALTY = 0.002


@dataclass(frozen=True, slots=True)
class Asked:
    """One asking. ``table``: a row of signals for each candidate; ``on_gold``: which lie on gold."""

    suite: str
    learnt: bool
    answerable: bool
    evidence: Evidence
    table: Matrix
    on_gold: NDArray[np.bool_]


def main() -> None:
    """Ask, fit, print."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("suites", nargs="+", metavar="SUITE=LIBRARY")
    options.add_argument("--questions", type=int, default=150, help="of each suite")
    chosen = options.parse_args()
    asked: list[Asked] = []
    for pair in chosen.suites:
        suite, _, home = pair.partition("=")
        asked += _all(Path(suite), Path(home), chosen.questions)
        print(f"{suite}: {len(asked)} askings so far", file=sys.stderr, flush=True)
    _print_scoring([one for one in asked if one.answerable and one.on_gold.any()])
    _print_support(asked)


def _all(root: Path, home: Path, count: int) -> list[Asked]:
    suite = load_suite(root)
    questions = random.Random(7).sample(suite.questions, min(count, len(suite.questions)))
    names = [key for question in suite.questions for key in named_terms(question.question)]
    held_by = Counter(word for question in suite.questions for word in set(_words(question)))
    rare = {one.question: min(_words(one), key=held_by.__getitem__, default="") for one in suite.questions}
    choose = random.Random(8)
    found: list[Asked] = []
    with Library.open(home, write=False) as library:
        versions = {row.name: row.version_id for row in library.sources() if row.version_id}
        for number, question in enumerate(questions):
            learnt = number % 2 == 0
            found.append(_ask(library, question, Scope(), suite.name, learnt))
            held = {gold.document for gold in question.gold}
            others = tuple(version for name, version in versions.items() if name not in held)
            if others:
                found.append(_ask(library, replace(question, gold=()), Scope(versions=others), suite.name, learnt))
            missed = near_miss(question, names, choose), _reworded(question, rare, choose)
            found += [_ask(library, one, Scope(), suite.name, learnt) for one in missed if one is not None]
    return found


def near_miss(question: Question, names: Sequence[str], choose: random.Random) -> Question | None:
    """The question with another of the names in the place of one that it has; ``None`` where it names nothing."""
    own = named_terms(question.question)
    like = [name for name in names if own and name not in own and name[0].isdigit() == own[-1][0].isdigit()]
    if not like:
        return None
    return replace(question, question=question.question.replace(own[-1], choose.choice(like)), gold=())


def _reworded(question: Question, rare: Mapping[str, str], choose: random.Random) -> Question | None:
    """The question with another's rarest word in the place of its own; ``None`` where it has none."""
    own = rare[question.question]
    others = [word for word in rare.values() if word not in ("", own)]
    if not own or not others:
        return None
    return replace(question, question=question.question.replace(own, choose.choice(others)), gold=())


def _words(question: Question) -> list[str]:
    """The words that name nothing by a capital and are no function words."""
    return [word for word in regex.findall(r"(?<!\w)\p{Ll}[\w-]{3,}", question.question) if analyse(word)]


def _ask(library: Library, question: Question, scope: Scope, suite: str, learnt: bool) -> Asked:
    result = library.search(question.question, library.settings, scope=scope)
    scored: ScoredCandidates = library.searcher.score_candidates(result, library.settings.answering)
    rows = np.array([astuple(one) for one in scored.signals]).reshape(len(scored.signals), len(fields(Signals)))
    places = [(item.passage.source, item.span) for item in scored.candidates]
    on_gold = np.array([_lies_on(source, span, question.gold) for source, span in places], bool)
    answerable = bool(question.gold) and (bool(on_gold.any()) or not scored.missing)
    return Asked(suite, learnt, answerable, scored.evidence, rows, on_gold)


def _lies_on(source: str, span: Span, gold: Iterable[GoldSpan]) -> bool:
    """Whether half of a candidate or of a gold span lies in the other."""
    return any(
        one.document == source and 2 * span.overlap(Span(one.start, one.end)) >= min(span.length, one.end - one.start)
        for one in gold
    )


def _print_scoring(asked: Sequence[Asked]) -> None:
    import torch

    learnt = [one for one in asked if one.learnt]
    shares = {suite: 1 / sum(one.suite == suite for one in learnt) for suite in {one.suite for one in learnt}}

    tables = [(one.suite, torch.from_numpy(one.table), torch.from_numpy(one.on_gold)) for one in learnt]
    turned = torch.zeros(len(fields(Signals)), dtype=torch.double, requires_grad=True)
    steps = torch.optim.LBFGS([turned], max_iter=300)

    def loss() -> Any:
        steps.zero_grad()
        total = PENALTY * (turned**2).sum()
        for name, table, on_gold in tables:
            values = table @ turned
            said = torch.logsumexp(values[on_gold], 0) - torch.logsumexp(values, 0)
            total = total - shares[name] / len(shares) * said
        total.backward()
        return total

    steps.step(loss)
    weights: Matrix = turned.detach().numpy()
    _print_weights(Signals, weights)
    for suite in shares:
        tried = [one for one in asked if one.suite == suite and not one.learnt]
        right = np.mean([bool(one.on_gold[np.argmax(one.table @ weights)]) for one in tried])
        print(f"{suite}: best line on gold for {right:.1%} of {len(tried)} questions not learnt from")


def _print_weights(of: type[Signals] | type[Evidence], weights: Matrix) -> None:
    named = {field.name: round(float(value), 2) for field, value in zip(fields(of), weights, strict=True)}
    print(of.__name__, ", ".join(f"{name}={value}" for name, value in named.items()))


def _print_support(asked: Sequence[Asked]) -> None:
    from sklearn.linear_model import LogisticRegression
    from sklearn.metrics import roc_auc_score

    learnt = [one for one in asked if one.learnt]
    counts = {(one.suite, one.answerable): 0 for one in learnt}
    for one in learnt:
        counts[one.suite, one.answerable] += 1
    table = np.array([astuple(one.evidence) for one in learnt])
    says = np.array([one.answerable for one in learnt])
    shares = np.array([1 / counts[one.suite, one.answerable] for one in learnt])
    fitted = LogisticRegression(C=1.0).fit(table, says, sample_weight=shares * len(learnt) / shares.sum())
    _print_weights(Evidence, fitted.coef_[0])
    print("BIAS", round(float(fitted.intercept_[0]), 2))
    for suite in {one.suite for one in asked}:
        tried = [one for one in asked if one.suite == suite and not one.learnt]
        said = fitted.predict_proba(np.array([astuple(one.evidence) for one in tried]))[:, 1]
        truth = np.array([one.answerable for one in tried])
        points = ", ".join(
            f"at {least:.2f} silent on {np.mean(said[truth] < least):.0%} and {np.mean(said[~truth] < least):.0%}"
            for least in (0.2, 0.3, 0.4, 0.5)
        )
        print(f"{suite}: area {roc_auc_score(truth, said):.3f}; of those with and without an answer {points}")


if __name__ == "__main__":
    main()
