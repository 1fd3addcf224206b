"""Pseudo-relevance feedback: the question moved to what it found first, without encoding anything.

Source: Rocchio's rule, "Relevance Feedback in Information Retrieval", in Salton (ed.), The SMART Retrieval System,
1971, with no leaves to move away from; on dense vectors: Li et al., "Pseudo Relevance Feedback with Deep Language
Models and Dense Retrievers", ACM TOIS 41(3), 2023.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from core.retrieval.fusion import Scores
from core.types import Vectors


def moved(dense: Scores, vectors: Vectors, first: NDArray[np.int64], share: float) -> Scores:
    """(n,) cosines to the question's vector plus ``share`` of the mean vector of the leaves ``first``.

    ``dense``: cosines to the question itself; ``vectors``: (n, d) of unit norm, aligned with it. The question's vector
    is not needed: both products with it are known. 0 is off, as is an empty ``first``.

    >>> plain = np.array([1.0, 0.0])
    >>> moved(plain, np.eye(2, dtype=np.float32), np.array([1]), 1.0).round(3).tolist()
    [0.707, 0.707]
    """
    if not share or not len(first):
        return dense
    centre = vectors[first].mean(axis=0)
    # |q + s c|² = 1 + 2 s q·c + s² c·c, and q·c is the mean of the cosines of the leaves that c is the mean of.
    squared = 1 + 2 * share * float(dense[first].mean()) + share**2 * float(centre @ centre)
    if squared <= 1e-12:
        return dense
    return np.asarray((dense + share * (vectors @ centre).astype(np.float64)) / np.sqrt(squared))
