"""The cross-encoder that comes with Lectern, asked whether a text says a sentence."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from core.embedding import reranker_file
from core.search.ranking.rerankers import Reranker, load_reranker
from core.settings.searching import PACKAGED_RERANKER, RerankingSettings


def packaged_judge(claim: str, texts: Sequence[str]) -> NDArray[np.float64]:
    """``(n,)`` in [0, 1]: its probability that each text answers the claim, were that a question. Loads in seconds."""
    scores = np.asarray(_packaged().score(claim, texts), dtype=np.float64)
    return reranker_file.CALIBRATION.probabilities(np.nan_to_num(scores, nan=-100.0))


@lru_cache(maxsize=1)
def _packaged() -> Reranker:
    return load_reranker(RerankingSettings(model=PACKAGED_RERANKER))
