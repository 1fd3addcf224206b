"""What a re-ranker's scores are worth as probabilities: fitted, kept beside weights, and read with them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some

from core.embedding import calibration
from core.embedding.reranker_file import Calibration
from core.errors import ModelError
from core.search.ranking.reranking import Readings, probabilities
from core.settings import RerankingSettings


def test_the_line_that_made_the_answers_is_found() -> None:
    draw = np.random.default_rng(0)
    scores = draw.normal(5, 8, 20_000)
    answers = draw.random(20_000) < Calibration(0.3, -2.0).probabilities(scores)
    found = calibration.fitted(np.append(scores, np.nan), np.append(answers, True))
    assert found is not None
    assert (found.slope, found.intercept) == (pytest.approx(0.3, abs=0.02), pytest.approx(-2.0, abs=0.15))


@given(some.lists(some.tuples(some.floats(-1e3, 1e3), some.booleans()), max_size=40))
def test_it_rises_with_the_scores_or_there_is_none(pairs: list[tuple[float, bool]]) -> None:
    scores = np.array([score for score, _ in pairs], dtype=float)
    answers = np.array([right for _, right in pairs], dtype=bool)
    found = calibration.fitted(scores, answers)
    if found is None:
        return
    likely = found.probabilities(scores)
    assert np.isfinite([found.slope, found.intercept]).all()
    assert (np.diff(likely[np.argsort(scores)]) >= 0).all()
    # Where the fit is at its best, what it expects is what it was told: Platt's smoothed targets.
    yes, no = int(answers.sum()), int((~answers).sum())
    told = np.where(answers, (yes + 1) / (yes + 2), 1 / (no + 2))
    assert likely.sum() == pytest.approx(told.sum(), rel=1e-2)


@pytest.mark.parametrize("scores", [[1.0, 2.0], [2.0, 1.0, 0.0, -1.0]])
def test_where_nothing_can_be_said_nothing_is(scores: list[float]) -> None:
    answers = np.array([False, False, True, True][: len(scores)])
    assert calibration.fitted(np.array(scores), answers) is None


def test_a_model_folder_that_keeps_one_is_asked_and_a_damaged_one_is_told(tmp_path: Path) -> None:
    readings, settings = Readings(np.array([2.0, np.nan, -3.0])), RerankingSettings(str(tmp_path))
    assert probabilities(readings, settings) is None
    calibration.write(Calibration(0.5, -1.0), tmp_path)
    likely = probabilities(readings, settings)
    assert likely is not None
    assert likely == pytest.approx(Calibration(0.5, -1.0).probabilities(readings.scores), nan_ok=True)
    for damaged in ("{", "[]", '{"slope": "x", "intercept": 0}', '{"slope": -1, "intercept": 0}', '{"slope": 1}'):
        (tmp_path / calibration.FILE).write_text(damaged, encoding="utf-8")
        with pytest.raises(ModelError, match=rf"{calibration.FILE} cannot be read.*Remove it"):
            calibration.of_folder(tmp_path)
