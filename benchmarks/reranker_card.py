"""The figures of the shipped re-ranker, written into its model card and into ``figures.json`` beside it.

    python -m benchmarks.reranker_card FILE.json ...

Takes what ``python -m core bench SUITE_DIR --preset default --preset careful --json`` printed, of one preset or of
both, and the hash, the size, the calibration and the preset as the code has them. So ``SHA256`` and ``CALIBRATION`` in
``core.embedding.reranker_file`` and the preset are set first, by hand. A suite that is not named stays as it is.
``tests/embedding/test_reranker_file.py`` holds that all of them agree.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from core.embedding import reranker_file
from core.evaluation.measuring import BUDGETS
from core.settings import PRESETS, RerankingSettings

PLACE = reranker_file.FILE.parent
MEASURES = {"qmsum": "attained"}  # its gold is longer than a context: of what there is room for
Figures = dict[str, Any]


def measured(files: Sequence[Path]) -> dict[str, Figures]:
    """By suite: how many questions, and the means at each budget in percent, by ``quick`` and ``careful``."""
    found: dict[str, Figures] = {}
    for path in files:
        made = json.loads(path.read_text(encoding="utf-8"))
        measure = MEASURES.get(made["suite"], "recall")
        told = found.setdefault(made["suite"], {"measure": measure, "questions": made["questions"]})
        for preset in made["presets"]:
            name = {"default": "quick"}.get(preset["preset"], preset["preset"])
            told[name] = [round(preset["metrics"][f"{measure}@{budget}"], 1) for budget in BUDGETS]
    return found


def beside_suites(figures: Figures) -> Figures:
    """What ``figures.json`` says beside the suites, as the code has it now."""
    careful, calibration = PRESETS["careful"].reranking, reranker_file.CALIBRATION
    context = PRESETS["careful"].assembly.unit
    return {
        **figures,
        "sha256": reranker_file.SHA256,
        "bytes": reranker_file.FILE.stat().st_size,
        "max_tokens": reranker_file.MAX_TOKENS,
        "calibration": {"slope": calibration.slope, "intercept": calibration.intercept},
        "measured_with": {
            "preset": "careful",
            "candidates": careful.candidates,
            "blend": careful.blend,
            "neighbour_share": careful.neighbour_share,
            "context": context,
        },
    }


def dials_in_words(settings: RerankingSettings) -> str:
    """How many are read, and how their scores are used.

    >>> dials_in_words(RerankingSettings("packaged", candidates=20, blend=0.5, neighbour_share=1))
    '20 candidates, blend 0.5, neighbours 1'
    """
    neighbours = f", neighbours {settings.neighbour_share:g}" if settings.neighbour_share else ""
    return f"{settings.candidates} candidates, blend {settings.blend:g}{neighbours}"


def card_of(card: str, figures: Figures) -> str:
    """The model card with these figures.

    >>> made = {"suites": {"code": {"questions": 248, "quick": [1.0, 2.0], "careful": [3.0, 4.25]}}}
    >>> made |= {"sha256": "ab" * 32, "bytes": 1234, "calibration": {"slope": 2.0, "intercept": -1.0}}
    >>> made |= {"measured_with": {"candidates": 30, "blend": 0.4, "neighbour_share": 1.0, "context": "sentences"}}
    >>> card_of("| code | ? | ? | ? |\\n| size | 5 bytes |\\n(20 candidates, blend 0.5)", made)
    '| code | 248 | 1.0 / 2.0 | 3.0 / 4.2 |\\n| size | 1,234 bytes |\\n(30 candidates, blend 0.4, neighbours 1)'
    """
    calibration, dials = figures["calibration"], figures["measured_with"]
    measured_so = RerankingSettings(**{name: dials[name] for name in ("candidates", "blend", "neighbour_share")})
    changes = [
        (r"^\| sha256 \| .* \|$", f"| sha256 | `{figures['sha256']}` |"),
        (r"^\| size \| .* \|$", f"| size | {figures['bytes']:,} bytes |"),
        (r"slope \S+ and intercept \S+ ", f"slope {calibration['slope']} and intercept {calibration['intercept']} "),
        (r"\(\d+ candidates, blend [\d.]+(, neighbours [\d.]+)?\)", f"({dials_in_words(measured_so)})"),
    ]
    for suite, found in figures["suites"].items():
        shown = (" / ".join(f"{value:.1f}" for value in found[name]) for name in ("quick", "careful"))
        changes.append(
            (rf"^\| {re.escape(suite)} \| .* \|$", f"| {suite} | {found['questions']} | {' | '.join(shown)} |")
        )
    for pattern, written in changes:
        card = re.sub(pattern, written, card, flags=re.MULTILINE)
    return card


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", type=Path, nargs="*", metavar="FILE.json")
    options = parser.parse_args(arguments)
    path, card = PLACE / "figures.json", PLACE / "MODEL_CARD.md"
    figures = beside_suites(json.loads(path.read_text(encoding="utf-8")))
    for suite, found in measured(options.files).items():
        figures["suites"][suite] = figures["suites"].get(suite, {}) | found  # of a preset not measured: what there was
    path.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")
    card.write_text(card_of(card.read_text(encoding="utf-8"), figures), encoding="utf-8")
    for name, found in figures["suites"].items():
        print(f"{name}: {found}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
