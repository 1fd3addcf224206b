"""Scores a runs file against its suite, in plain Python and by sets of characters; imports nothing of Lectern.

Usage: python tests/evaluation/rescore.py SUITE_DIR RUNS.jsonl

Prints, for each preset, the metrics in percent. It is slow and simple on purpose: it exists to disagree with the
bench if the bench is wrong. Definitions: see DESIGN.md ("The command line") and the metric's name.
"""

import json
import math
import sys
from pathlib import Path


def rows(path):
    """The objects of a JSON Lines file."""
    return [json.loads(line) for line in Path(path).read_text(encoding="utf-8").split("\n") if line.strip()]


def characters(spans):
    """The set of (document, position) that the spans hold."""
    return {(document, position) for document, start, end in spans for position in range(start, end)}


def first_characters(context, budget):
    """The first ``budget`` distinct characters met when reading the spans in order."""
    seen = set()
    for document, start, end in context:
        for position in range(start, end):
            if len(seen) == budget:
                return seen
            seen.add((document, position))
    return seen


def span_scores(context, gold, budget):
    """Recall, attained, precision, IoU and full, as shares; ``gold`` is a set of characters."""
    taken = first_characters(context, budget)
    both = len(taken & gold)
    return {
        f"recall@{budget}": both / len(gold),
        f"attained@{budget}": both / min(budget, len(gold)),
        f"precision@{budget}": both / len(taken) if taken else 0.0,
        f"iou@{budget}": both / len(taken | gold),
        f"full@{budget}": 1.0 if both / len(gold) >= 0.999 else 0.0,
    }


def document_score(ranked, relevant, depth=10):
    """nDCG with binary relevance."""
    gains = [1.0 if name in relevant else 0.0 for name in ranked[:depth]]
    ideal = [1.0] * min(depth, len(relevant))
    return discounted(gains) / discounted(ideal)


def discounted(gains):
    """The sum of gains, each divided by log2 of one more than its rank."""
    return sum(gain / math.log2(index + 2) for index, gain in enumerate(gains))


def rescore(suite, runs):
    """``{preset: {metric: percent}}`` for the runs file ``runs`` of the suite in folder ``suite``."""
    questions = {question["id"]: question for question in rows(Path(suite) / "questions.jsonl")}
    golds = {
        name: characters([(gold["document"], gold["start"], gold["end"]) for gold in question["gold"]])
        for name, question in questions.items()
    }
    found = {}
    asked = {}
    for run in rows(runs):
        question, gold = questions[run["id"]], golds[run["id"]]
        scores = span_scores(run["context"], gold, run["budget"]) if gold else {}
        relevant = set(question.get("relevant_documents") or [])
        first_budget = (run["preset"], run["id"]) not in asked
        if relevant and first_budget:
            scores["ndcg@10"] = document_score(run["documents"], relevant)
        asked.setdefault((run["preset"], run["id"]), []).append(run["budget"])
        for metric, score in scores.items():
            found.setdefault(run["preset"], {}).setdefault(metric, []).append(score)
    for preset, _ in asked:
        missing = [name for name in questions if (preset, name) not in asked]
        if missing:
            raise SystemExit(f"The runs of {preset} lack {len(missing)} questions, the first is {missing[0]}.")
    return {
        preset: {metric: 100 * math.fsum(scores) / len(scores) for metric, scores in metrics.items()}
        for preset, metrics in found.items()
    }


if __name__ == "__main__":
    if len(sys.argv) != 3:
        raise SystemExit(__doc__)
    print(json.dumps(rescore(sys.argv[1], sys.argv[2]), indent=2))
