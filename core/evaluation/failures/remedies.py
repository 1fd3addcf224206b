"""Asks the missed questions of a bench again, each time with one change of settings, in a bench of its own."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from core.evaluation.bench import BenchModels, BenchWatch, run_bench
from core.evaluation.bench_plan import BenchPlan
from core.evaluation.failures.classes import is_missed
from core.evaluation.history import load_measured
from core.evaluation.measuring import TIMED_BUDGET
from core.evaluation.suites import Suite
from core.library import Library
from core.settings import PACKAGED_RERANKER, USUAL_PREFIX, Settings
from core.types import Encoder

FOLDER = "remedies"  # workspace inside a workspace, so that its runs are not in the list of runs
REMEDIES: Mapping[str, str] = {
    "parent": "its whole parent is read",
    "window": "five sentences on each side are read",
    "chunker": "documents are cut {}",
    "prefix": "titles, headings and headers stand before each chunk, up to 64 tokens",
    "reranker": "the re-ranker reads the best again",
}
"""What each remedy does, in words. Of the chunker, its words (``other_chunker``) are filled in."""


@dataclass(frozen=True, slots=True)
class Remedy:
    """The measured effect of one change of settings.

    ``mended``: ids of questions that are no longer missed with it. ``share``: theirs of all failures, in [0, 1].
    ``tokens``: mean difference of the prompt's tokens a question. ``texts``: how many had to be encoded.
    """

    name: str
    mended: tuple[str, ...]
    share: float
    tokens: float
    texts: int


@dataclass(frozen=True, slots=True)
class Remedies:
    """The remedies that were ``tried`` for one preset.

    ``failures``: number of questions with a failure class. ``missed``: those of them that have gold.
    """

    preset: str
    failures: int
    missed: int
    tried: tuple[Remedy, ...]


def other_chunker(settings: Settings) -> str:
    """The chunker that the remedy "chunker" tries."""
    return "structure" if settings.chunking.chunker == "recursive" else "recursive"


def remedies(settings: Settings) -> dict[str, Settings]:
    """The settings with each remedy applied, by its name, without remedies that change nothing.

    >>> list(remedies(Settings())), list(remedies(Settings().with_value("reranking.model", "packaged")))
    (['parent', 'window', 'chunker', 'prefix', 'reranker'], ['parent', 'window', 'chunker', 'prefix'])
    """
    whole = {"expansion.strategy": "parent", "expansion.max_share": 1.0, "expansion.share_decay": 0.0}

    changes: dict[str, dict[str, Any]] = {
        "parent": {**whole, "expansion.kinds": ()},
        "window": {"expansion.strategy": "window", "expansion.window_sentences": 5},
        "chunker": {"chunking.chunker": other_chunker(settings)},
        "prefix": {
            "chunking.prefix": USUAL_PREFIX,
            "chunking.prefix_max_tokens": 64,
            "chunking.vectors": "chunk",
        },
        "reranker": {
            "reranking.model": settings.reranking.model or PACKAGED_RERANKER,
            "reranking.timeout_seconds": 0.0,
        },
    }
    if not settings.reranking.off:
        del changes["reranker"]
    changed = {name: settings.with_values(values) for name, values in changes.items()}
    return {name: item for name, item in changed.items() if item.fingerprint() != settings.fingerprint()}


def tried(
    suite: Suite,
    preset: str,
    settings: Settings,
    workspace: Path,
    run: str,
    library: Path,
    watch: BenchWatch | None = None,
    names: Collection[str] = tuple(REMEDIES),
    encoder: Encoder | None = None,
) -> Remedies:
    """Ask the questions that a preset missed again, with each remedy.

    ``run``: a finished run in ``workspace`` with ``BenchOptions.failures``. ``library``: the folder of the library it
    asked, whose vectors are reused; it is only read. ``names``: the remedies to try. ``encoder``: as in ``run_bench``.
    Finished remedies are not measured again, and a stopped call resumes. Raises what ``run_bench`` raises.
    """
    before = load_measured(workspace, run, preset)
    failed = [item for item in suite.questions if before[item.id].failure]
    missed = [item for item in failed if item.gold]
    changed = {name: item for name, item in remedies(settings).items() if name in names}
    if not (missed and changed):
        return Remedies(preset, len(failed), len(missed), ())
    remedy_workspace = workspace / FOLDER
    missed_suite = replace(suite, questions=tuple(missed))
    with Library.open(library, write=False, encoder=encoder) as source:
        can_reuse = encoder is not None or settings.embedding.is_packaged
        models = BenchModels(source.model.encoder, source.vectors) if can_reuse else BenchModels()
        report = run_bench(BenchPlan(missed_suite, changed), remedy_workspace, models, watch)
    measured = []
    for item in report.presets:
        after = load_measured(remedy_workspace, report.run, item.preset)
        mended = tuple(id_ for id_, outcome in after.items() if not is_missed(outcome.lost[TIMED_BUDGET]))
        tokens = [
            outcome.prompt_tokens[TIMED_BUDGET] - before[id_].prompt_tokens[TIMED_BUDGET]
            for id_, outcome in after.items()
        ]
        measured.append(Remedy(item.preset, mended, len(mended) / len(failed), sum(tokens) / len(tokens), item.encoded))
    return Remedies(preset, len(failed), len(missed), tuple(measured))
