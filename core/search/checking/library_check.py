"""Any text held against a library: each sentence is searched for, and held against the passages that were found."""

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
from core.storage.catalogue.names import ALL_DOCUMENTS, Scope


def packaged_judge(claim: str, texts: Sequence[str]) -> NDArray[np.float64]:
    """``(n,)`` in [0, 1]: its probability that each text answers the claim, were that a question. Loads in seconds."""
    scores = np.asarray(_packaged().score(claim, texts), dtype=np.float64)
    return reranker_file.CALIBRATION.probabilities(np.nan_to_num(scores, nan=-100.0))


@lru_cache(maxsize=1)
def _packaged() -> Reranker:
    return load_reranker(RerankingSettings(model=PACKAGED_RERANKER))


MOST_SENTENCES = 200
Tell = Callable[[int, int], None]


def check_text(
    searcher: Searcher,
    text: str,
    settings: Settings,
    scope: Scope = ALL_DOCUMENTS,
    tell: Tell | None = None,
    judge: Judge = packaged_judge,
) -> list[Verdict]:
    """A verdict for each sentence of a text, in order; numbers in brackets cite nothing here.

    ``tell(done, total)`` may raise to stop. Raises ``LecternError`` for a text without a sentence, or of too many.
    """
    found = claims(text)
    if not found:
        raise LecternError("The text holds no sentence.", "Give one that says something.")
    if len(found) > MOST_SENTENCES:
        raise LecternError(
            f"The text has {len(found):,} sentences, and {MOST_SENTENCES} are checked at once.", "Check it in parts."
        )
    # A sentence is no question: nothing in it is an operator, and no language model is asked to reword it. What speaks
    # against it may stand far down, so the room is filled.
    plain = replace(settings, understanding=UnderstandingSettings(filters=False)).with_value("assembly.stop_below", 0)
    verdicts: list[Verdict] = []
    for done, claim in enumerate(found):
        if tell:
            tell(done, len(found))
        passages = searcher.search(Query(claim.text, scope), plain).passages
        verdicts.append(_checker(passages, judge).check(replace(claim, cited=())))
    return verdicts


def check_answer(text: str, passages: Sequence[Passage], judge: Judge = packaged_judge) -> list[Verdict]:
    """A verdict for each sentence of an answer by the passages it was written from; () where it says nothing."""
    checker = _checker(passages, judge)
    return [checker.check(claim) for claim in claims(text)]


def _checker(passages: Sequence[Passage], judge: Judge) -> Checker:
    return Checker(passages, judge, trusted=lambda: isinstance(judge, ModelJudge) and judge.judged)
