"""What would have had the missed questions: each asked again with one thing changed, in a bench of its own."""

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

FOLDER = "remedies"  # in a workspace: runs that are none of the list
REMEDIES: Mapping[str, str] = {
    "parent": "its whole parent is read",
    "window": "five sentences on each side are read",
    "chunker": "another chunker cuts",
    "prefix": "titles, headings and headers stand before each chunk, up to 64 tokens",
    "reranker": "the re-ranker reads the best again",
}


@dataclass(frozen=True, slots=True)
class Remedy:
    """One change, really made. ``mended``: ids of questions that were missed and are not with it.

    ``share``: of all failures, 0 to 1. ``tokens``: of the prompt, a question, more than before (or fewer). ``texts``:
    that had to be encoded for it.
    """

    name: str
    mended: tuple[str, ...]
    share: float
    tokens: float
    texts: int


@dataclass(frozen=True, slots=True)
class Remedies:
    """Of one preset. ``missed``: questions of which the documents hold the answer; ``failures``: all of them."""

    preset: str
    failures: int
    missed: int
    tried: tuple[Remedy, ...]


def remedies(settings: Settings) -> dict[str, Settings]:
    """The settings with each remedy by its name; one that they have already is left out.

    >>> list(remedies(Settings())), list(remedies(Settings().with_value("reranking.model", "packaged")))
    (['parent', 'window', 'chunker', 'prefix', 'reranker'], ['parent', 'window', 'chunker', 'prefix'])
    """
    whole = {"expansion.strategy": "parent", "expansion.max_share": 1.0, "expansion.share_decay": 0.0}
    named = {
        "chunking.prefix": USUAL_PREFIX,
        "chunking.prefix_max_tokens": 64,
        "chunking.vectors": "chunk",
    }
    changes: dict[str, dict[str, Any]] = {
        "parent": {**whole, "expansion.parent_ratio": 0.0, "expansion.kinds": ()},
        "window": {"expansion.strategy": "window", "expansion.window_sentences": 5},
        "chunker": {"chunking.chunker": "structure" if settings.chunking.chunker == "recursive" else "recursive"},
        "prefix": named,
        "reranker": {
            "reranking.model": settings.reranking.model or PACKAGED_RERANKER,
            "reranking.timeout_seconds": 0.0,
        },
    }
    if not settings.reranking.off:
        del changes["reranker"]
    found = {name: settings.with_values(values) for name, values in changes.items()}
    return {name: changed for name, changed in found.items() if changed.fingerprint() != settings.fingerprint()}


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
    """Ask what a preset missed again, with each remedy.

    ``run``: the finished bench in ``workspace``, made with ``BenchOptions.failures``. ``library``: that it asked, which
    lends its vectors and is not written. ``names``: of the remedies to try. ``encoder``: as of ``run_bench``. What was
    tried once is not tried again, and what was stopped goes on. Raises what ``run_bench`` raises.
    """
    before = load_measured(workspace, run, preset)
    failed = [item for item in suite.questions if before[item.id].failure]
    missed = [item for item in failed if item.gold]
    changed = {name: one for name, one in remedies(settings).items() if name in names}
    if not (missed and changed):
        return Remedies(preset, len(failed), len(missed), ())
    place = workspace / FOLDER
    part = replace(suite, questions=tuple(missed))
    with Library.open(library, write=False, encoder=encoder) as lender:
        lends = encoder is not None or settings.embedding.is_packaged
        models = BenchModels(lender.model.encoder, lender.vectors) if lends else BenchModels()
        report = run_bench(BenchPlan(part, changed), place, models, watch)
    told = []
    for item in report.presets:
        after = load_measured(place, report.run, item.preset)
        mended = tuple(name for name, one in after.items() if not is_missed(one.lost[TIMED_BUDGET]))
        tokens = [
            one.prompt_tokens[TIMED_BUDGET] - before[name].prompt_tokens[TIMED_BUDGET] for name, one in after.items()
        ]
        told.append(Remedy(item.preset, mended, len(mended) / len(failed), sum(tokens) / len(tokens), item.encoded))
    return Remedies(preset, len(failed), len(missed), tuple(told))
