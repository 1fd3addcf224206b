"""The figures of the shipped re-ranker, written into its model card and into ``figures.json`` beside it.

Usage: python -m benchmarks.reranker_card --workspace DIR

Takes what ``benchmarks.reranker_figures`` kept in the workspace of the shipped weights under the preset
``careful``, and the hash, the size, the calibration and the preset as the code has them. So ``SHA256`` and
``CALIBRATION`` in ``core.embedding.reranker_file`` and the preset are set first, by hand. A suite that is not kept
stays as it is. ``tests/embedding/test_reranker_file.py`` holds that all of them agree.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.reranker_figures import BUDGETS, QUICK, cell_name, column, kept_of, part
from core.embedding import reranker_file
from core.settings import PRESETS, RerankingSettings

PLACE = reranker_file.FILE.parent
SUITES = ("covidqa", "qmsum", "code", "chroma", "scifact")
Figures = dict[str, Any]


def measured(workspace: Path) -> dict[str, Figures]:
    """By part of the suites: how many questions, and the means at each budget, in percent."""
    careful = PRESETS["careful"]
    cells = {
        "quick": QUICK,
        "reranked": cell_name(careful.reranking),
        "careful": cell_name(careful.reranking, careful.assembly.unit),
    }
    found: dict[str, list[Mapping[str, Any]]] = {}
    for suite in SUITES:
        for record in kept_of(workspace, suite, careful.reranking.unit, reranker_file.SHA256).records().values():
            if record["cells"].keys() >= set(cells.values()):
                found.setdefault(part(record), []).append(record)
    return {name: means(records, cells) for name, records in found.items()}


def means(records: Sequence[Mapping[str, Any]], cells: Mapping[str, str]) -> Figures:
    """Of one part. ``cells``: their names in the records, by their names here."""
    measures = list(records[0]["cells"][QUICK])[: len(BUDGETS)]
    rows = {
        name: [round(value, 1) for value in column(records, kept, measures).mean(axis=0).tolist()]
        for name, kept in cells.items()
    }
    return {"measure": measures[0].split("@")[0], "questions": len(records), **rows}


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


def card_of(card: str, figures: Figures) -> str:
    """The model card with these figures.

    >>> row = {"quick": [1.0, 2.0], "reranked": [2.5, 3.0], "careful": [3.0, 4.25]}
    >>> made = {"suites": {"code": row, "qmsum": None}}
    >>> made |= {"sha256": "ab" * 32, "bytes": 1234, "calibration": {"slope": 2.0, "intercept": -1.0}}
    >>> made |= {"measured_with": {"candidates": 30, "blend": 0.4, "neighbour_share": 1.0, "context": "sentences"}}
    >>> card_of("| code | ? | ? | ? |\\n| size | 5 bytes |\\n(20 candidates, blend 0.5)", made)
    '| code | 1.0 / 2.0 | 2.5 / 3.0 | 3.0 / 4.2 |\\n| size | 1,234 bytes |\\n(30 candidates, blend 0.4, neighbours 1)'
    """
    calibration, dials = figures["calibration"], figures["measured_with"]
    measured_so = RerankingSettings(**{name: dials[name] for name in ("candidates", "blend", "neighbour_share")})
    changes = [
        (r"^\| sha256 \| .* \|$", f"| sha256 | `{figures['sha256']}` |"),
        (r"^\| size \| .* \|$", f"| size | {figures['bytes']:,} bytes |"),
        (r"slope \S+ and intercept \S+ ", f"slope {calibration['slope']} and intercept {calibration['intercept']} "),
        (r"\(\d+ candidates, blend [\d.]+(, neighbours [\d.]+)?\)", f"({cell_name(measured_so)})"),
    ]
    for suite, found in figures["suites"].items():
        if found is not None:
            shown = (" / ".join(f"{value:.1f}" for value in found[name]) for name in ("quick", "reranked", "careful"))
            changes.append((rf"^\| {re.escape(suite)} \| .* \|$", f"| {suite} | {' | '.join(shown)} |"))
    for pattern, written in changes:
        card = re.sub(pattern, written, card, flags=re.MULTILINE)
    return card


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--workspace", type=Path, required=True, metavar="DIR")
    options = parser.parse_args(arguments)
    path, card = PLACE / "figures.json", PLACE / "MODEL_CARD.md"
    figures = beside_suites(json.loads(path.read_text(encoding="utf-8")))
    figures["suites"] |= measured(options.workspace)
    path.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")
    card.write_text(card_of(card.read_text(encoding="utf-8"), figures), encoding="utf-8")
    for name, found in figures["suites"].items():
        print(f"{name}: {'not measured' if found is None else found}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
