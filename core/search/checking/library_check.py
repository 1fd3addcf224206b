"""Checks a text against a library: each sentence is searched for and checked against the passages found."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from core.embedding import reranker_file
from core.errors import LecternError
from core.evidence import Passage
from core.search.checking.checking import Checker, Judge, Verdict
from core.search.checking.claims import claims
from core.search.checking.model_judge import ModelJudge
from core.search.question.query import Query
from core.search.ranking.rerankers import Reranker, load_reranker
from core.search.searcher import Searcher
from core.settings import Settings, UnderstandingSettings
from core.settings.searching import PACKAGED_RERANKER, RerankingSettings
from core.storage.catalogue.filing.names import ALL_DOCUMENTS, Scope


def packaged_judge(claim: str, texts: Sequence[str]) -> NDArray[np.float64]:
    """A ``Judge``: the packaged re-ranker's probability that each text answers the claim. Takes seconds to load."""
    scores = np.asarray(_packaged().score(claim, texts), dtype=np.float64)
    return reranker_file.CALIBRATION.probabilities(np.nan_to_num(scores, nan=-100.0))


@lru_cache(maxsize=1)
def _packaged() -> Reranker:
    return load_reranker(RerankingSettings(model=PACKAGED_RERANKER))


MOST_SENTENCES = 200
Progress = Callable[[int, int], None]


def check_text(
    searcher: Searcher,
    text: str,
    settings: Settings,
    scope: Scope = ALL_DOCUMENTS,
    progress: Progress | None = None,
    judge: Judge = packaged_judge,
) -> list[Verdict]:
    """A verdict for each sentence of a text, in order. Citations in the text are ignored.

    ``progress(done, total)`` is called before each sentence and may raise to stop. Raises ``LecternError`` for a text
    without a sentence or with more than ``MOST_SENTENCES``.
    """
    text_claims = claims(text)
    if not text_claims:
        raise LecternError("The text holds no sentence.", "Give one that says something.")
    if len(text_claims) > MOST_SENTENCES:
        raise LecternError(
            f"The text has {len(text_claims):,} sentences, and {MOST_SENTENCES} are checked at once.",
            "Check it in parts.",
        )
    # A sentence is no question: it has no operators and is not reworded. The whole budget is filled, since passages
    # that contradict it may rank low.
    search_settings = replace(settings, understanding=UnderstandingSettings(filters=False)).with_value(
        "assembly.stop_below", 0
    )
    verdicts: list[Verdict] = []
    for done, claim in enumerate(text_claims):
        if progress:
            progress(done, len(text_claims))
        passages = searcher.search(Query(claim.text, scope), search_settings).passages
        verdicts.append(_checker(passages, judge).check(replace(claim, cited=())))
    return verdicts


def check_answer(text: str, passages: Sequence[Passage], judge: Judge = packaged_judge) -> list[Verdict]:
    """A verdict for each sentence of an answer by the passages it was written from; [] for a text without one."""
    checker = _checker(passages, judge)
    return [checker.check(claim) for claim in claims(text)]


def _checker(passages: Sequence[Passage], judge: Judge) -> Checker:
    return Checker(passages, judge, trusted=lambda: isinstance(judge, ModelJudge) and judge.judged)
