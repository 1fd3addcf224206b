"""The queue as commands run it: one job after another, in the foreground."""

from __future__ import annotations

from collections.abc import Mapping
from threading import Event

from core.ingest.jobs import Handler
from core.ingest.reporting import Reporter
from core.library import Library
from core.storage.catalogue.job_rows import Job


def run_next(library: Library, handlers: Mapping[str, Handler]) -> bool:
    """Run the next job, and do not wait for ever to note its end: with a full disk there is nobody to make room.

    ``False`` when none waits.
    """
    over = Event()

    def once(handler: Handler) -> Handler:
        def handle(job: Job, reporter: Reporter) -> None:
            try:
                handler(job, reporter)
            finally:
                over.set()

        return handle

    return library.queue.run_next({kind: once(handler) for kind, handler in handlers.items()}, over)
