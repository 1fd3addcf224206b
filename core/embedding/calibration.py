"""Calibration of re-ranker scores to probabilities: fitted to judged passages, stored in the model's folder.

A re-ranker whose folder has no ``FILE`` only orders passages.
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
    """The logistic function that best maps ``(n,)`` raw scores to ``(n,)`` labels, whether each passage answers.

    ``None`` if all labels are equal, or higher scores do not go with answers. NaN scores are ignored. Platt scaling
    ("Probabilistic outputs for support vector machines", 1999, section 2.2) with smoothed targets, which keep the slope
    finite where scores separate the classes perfectly.

    >>> fit = fitted(np.array([-2.0, -1.0, 0.0, 1.0, 2.0, 3.0]), np.array([False, False, True, False, True, True]))
    >>> fit is not None and fit.slope > 0
    True
    """
    has_score = ~np.isnan(scores)
    values, labels = scores[has_score], answers[has_score]
    positives, negatives = int(labels.sum()), int((~labels).sum())
    spread = float(values.std()) if len(values) else 0.0
    if not positives or not negatives or spread < 1e-9:
        return None
    from sklearn.linear_model import LogisticRegression

    # A target between 0 and 1 becomes two weighted examples, one of each class.
    targets = np.where(labels, (positives + 1) / (positives + 2), 1 / (negatives + 2))
    examples = np.tile((values - values.mean()) / spread, 2)[:, None]
    classes = np.repeat([1, 0], len(values))
    model = LogisticRegression(C=np.inf, solver="newton-cholesky", tol=1e-8)
    model.fit(examples, classes, sample_weight=np.concatenate([targets, 1 - targets]))
    slope = float(model.coef_[0, 0] / spread)
    return Calibration(slope, float(model.intercept_[0] - slope * values.mean())) if slope > 0 else None


def write(calibration: Calibration, folder: Path) -> None:
    """Stores it in the model's folder."""
    with written_whole(folder / FILE) as unfinished:
        values = {"slope": calibration.slope, "intercept": calibration.intercept}
        unfinished.write_text(json.dumps(values) + "\n", encoding="utf-8")


def of_folder(folder: Path) -> Calibration | None:
    """The calibration in a model's folder; ``None`` without one. Raises ``ModelError`` if it is damaged."""
    path = folder / FILE
    try:
        modified = path.stat().st_mtime_ns
    except OSError:  # there is no file, or the model's name is no folder
        return None
    return _read(path, modified)


@lru_cache(maxsize=8)
def _read(path: Path, modified: int) -> Calibration:
    """The calibration in a file; cached by the time at which it was ``modified``."""
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
        calibration = Calibration(float(values["slope"]), float(values["intercept"]))
        if not (calibration.slope > 0 and np.isfinite([calibration.slope, calibration.intercept]).all()):
            raise ValueError("it is no rising line")
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ModelError(
            f"The re-ranker's {path.name} cannot be read: {error}: {path.parent}.",
            "Remove it: the re-ranker orders as before, and is asked for no probability.",
        ) from error
    return calibration
