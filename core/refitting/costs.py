"""How long a fit and the training of a re-ranker take, by the speeds that benches on this machine have measured."""

from __future__ import annotations

from core.evaluation.planning import SECONDS_A_PASSAGE, EarlierBenches
from core.refitting.fitting import FINALISTS, MOST_QUESTIONS
from core.refitting.tuning import default_plan
from core.settings import Settings

_LEARNING = 3.0  # times the time of reading a passage: forwards, and twice that backwards


def fit_seconds(questions: int, settings: Settings, careful: Settings, speeds: EarlierBenches) -> float:
    """Estimated seconds of a fit by so many judged questions.

    ``careful``: the settings of Careful, whose re-ranker reads for the training half where ``settings`` has none.

    >>> round(fit_seconds(40, Settings(), Settings().with_value("reranking.model", "packaged"), EarlierBenches()))
    19
    """
    asked = min(questions, MOST_QUESTIONS)
    half = asked / 2
    contexts = asked + (1 + FINALISTS) * half + 2 * half + 2 * half  # searched, read, tried, and read as Careful
    read = settings if not settings.reranking.off else careful
    return contexts * speeds.seconds_an_answer + half * _reading(read, speeds)


def tune_seconds(questions: int, careful: Settings, speeds: EarlierBenches) -> float:
    """Estimated seconds of training the re-ranker by so many judged questions. ``careful``: the settings of Careful.

    >>> round(tune_seconds(200, Settings().with_value("reranking.model", "packaged"), EarlierBenches()) / 60)
    6
    """
    asked = min(questions, MOST_QUESTIONS)
    half, plan = asked / 2, default_plan(asked // 2)
    learning = plan.steps * plan.questions * plan.passages * _LEARNING * _a_passage(careful, speeds)
    return learning + 3 * half * _reading(careful, speeds) + asked * speeds.seconds_an_answer


def _reading(settings: Settings, speeds: EarlierBenches) -> float:
    """Seconds in which the re-ranker reads for one question."""
    return settings.reranking.candidates * _a_passage(settings, speeds)


def _a_passage(settings: Settings, speeds: EarlierBenches) -> float:
    return speeds.seconds_a_passage.get(settings.reranking.model, SECONDS_A_PASSAGE)
