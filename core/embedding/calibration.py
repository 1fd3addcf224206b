"""What a re-ranker's scores are worth as probabilities: fitted to what answered and what did not, kept beside weights.

A model folder that has ``FILE`` is calibrated; one without it orders passages, and says nothing of how likely they are.
"""

from __future__ import annotations

import json
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from core.atomic_files import written_whole
from core.embedding.reranker_file import Calibration
from core.errors import ModelError

FILE = "lectern-calibration.json"


def fitted(scores: NDArray[np.float64], answers: NDArray[np.bool_]) -> Calibration | None:
    """The logistic of ``(n,)`` raw scores, best fit to whether each passage answers.

    ``None`` where all do or none does, or where higher scores do not go with answers: nothing can be said then.
    Source: Platt, "Probabilistic outputs for support vector machines", 1999, section 2.2, with its smoothed targets,
    which keep the slope finite where scores part both sorts without a fault.

    >>> made = fitted(np.array([-2.0, -1.0, 0.0, 1.0, 2.0, 3.0]), np.array([False, False, True, False, True, True]))
    >>> made is not None and made.slope > 0
    True
    """
    known = ~np.isnan(scores)
    values, right = scores[known], answers[known]
    yes, no, spread = int(right.sum()), int((~right).sum()), float(values.std()) if len(values) else 0.0
    if not yes or not no or spread < 1e-9:
        return None
    from sklearn.linear_model import LogisticRegression

    # A target between no and yes is an example of both, each with its share of the weight.
    targets = np.where(right, (yes + 1) / (yes + 2), 1 / (no + 2))
    examples = np.tile((values - values.mean()) / spread, 2)[:, None]
    both = np.repeat([1, 0], len(values))
    model = LogisticRegression(C=np.inf, solver="newton-cholesky", tol=1e-8)
    model.fit(examples, both, sample_weight=np.concatenate([targets, 1 - targets]))
    slope = float(model.coef_[0, 0] / spread)
    return Calibration(slope, float(model.intercept_[0] - slope * values.mean())) if slope > 0 else None


def write(calibration: Calibration, folder: Path) -> None:
    """Keep it beside the weights in ``folder``."""
    with written_whole(folder / FILE) as unfinished:
        told = {"slope": calibration.slope, "intercept": calibration.intercept}
        unfinished.write_text(json.dumps(told) + "\n", encoding="utf-8")


def of_folder(folder: Path) -> Calibration | None:
    """What is kept beside the weights in ``folder``; ``None`` where nothing is. Raises ``ModelError`` if damaged."""
    path = folder / FILE
    try:
        changed = path.stat().st_mtime_ns
    except OSError:  # there is none, or the model's name is no folder
        return None
    return _read(path, changed)


@lru_cache(maxsize=8)
def _read(path: Path, changed: int) -> Calibration:
    """``changed``: when the file was written: every question asks, and reads it once."""
    try:
        kept = json.loads(path.read_text(encoding="utf-8"))
        made = Calibration(float(kept["slope"]), float(kept["intercept"]))
        if not (made.slope > 0 and np.isfinite([made.slope, made.intercept]).all()):
            raise ValueError("it is no rising line")
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ModelError(
            f"The re-ranker's {path.name} cannot be read: {error}: {path.parent}.",
            "Remove it: the re-ranker orders as before, and is asked for no probability.",
        ) from error
    return made
