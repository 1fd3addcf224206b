"""Teaching the re-ranker as a durable job: its progress in the queue, what came of it in the job's result."""

from __future__ import annotations

from core.evaluation.judged import judged_questions
from core.jobs import Handler, Job, Reporter
from core.library import Library
from core.refitting.taught import KIND, kept_as
from core.refitting.tuning import tune
from core.storage.store import settings_from

__all__ = ["KIND", "tune_handler"]

_PARTS = 1000  # of the whole bar


def tune_handler(library: Library) -> Handler:
    """Runs jobs of ``KIND``: one item; payload ``settings``, with the re-ranker that is to be bettered.

    The result has ``verdict``, ``sentence``, ``folder`` of the taught model as ``kept_as`` names it ("" where no
    gain was shown), ``trained`` (questions), and mean recall ``before`` and ``after`` on the questions kept out, in
    percent.
    """

    def handle(job: Job, reporter: Reporter) -> None:
        for item in reporter.items():

            def watch(what: str, share: float, item_id: int = item.id) -> None:
                reporter.stage(item_id, what, int(_PARTS * share), _PARTS)

            found = tune(library, judged_questions(library), settings_from(dict(job.payload["settings"])), watch)
            reporter.result(
                {
                    "verdict": found.gain.verdict,
                    "sentence": found.gain.sentence,
                    "folder": kept_as(library.home, str(found.folder or "")),
                    "trained": found.trained,
                    "before": found.gain.before,
                    "after": found.gain.after,
                }
            )
            reporter.finish_item(item.id)

    return handle
