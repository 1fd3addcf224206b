"""Runs the library's job queue in the foreground, one job after another."""

from __future__ import annotations

from collections.abc import Mapping
from threading import Event

from core.ingest.jobs import Handler
from core.ingest.reporting import Reporter
from core.library import Library
from core.storage.catalogue.job_rows import Job


def run_next(library: Library, handlers: Mapping[str, Handler]) -> bool:
    """Run the next job; ``False`` when none is waiting.

    On a full disk the queue would retry for ever to store the job's end. Here it stops retrying once the handler has
    returned, as nobody is there to free space.
    """
    has_ended = Event()

    def signalling(handler: Handler) -> Handler:
        def handle(job: Job, reporter: Reporter) -> None:
            try:
                handler(job, reporter)
            finally:
                has_ended.set()

        return handle

    return library.queue.run_next({kind: signalling(handler) for kind, handler in handlers.items()}, has_ended)
