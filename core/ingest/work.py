"""The handlers of background jobs: ingesting files, and chunking documents again."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

from core.errors import CancelledError, LecternError, StorageError
from core.ingest.applying import OnItems
from core.ingest.cost import SECONDS_A_DOCUMENT
from core.ingest.ingest import ItemCancelledError
from core.ingest.jobs import Handler
from core.ingest.pace import Pace, share
from core.ingest.prepared import Incoming
from core.ingest.preparing import Parse
from core.ingest.reporting import Reporter
from core.ingest.reports import Failure, Ingested, IngestReport
from core.library import Library
from core.parsing.file_kinds import detect_kind
from core.storage.catalogue.job_rows import Item, Job
from core.storage.index.cache import CatalogueVectors
from core.storage.store import Store, settings_from
from core.types import VectorCache

_PACE = SECONDS_A_DOCUMENT.removeprefix("preference.")


Listener = Callable[[Job, IngestReport], None]
Echo = Callable[[str, str, int, int], None]


class JobWatch:
    """A ``Watch`` that reports progress on the items of a job, and also to ``echo(name, stage, done, total)``.

    ``pace``: estimates the remaining time of the job from the progress.
    """

    def __init__(
        self, reporter: Reporter, items: Sequence[Item], echo: Echo | None = None, pace: Pace | None = None
    ) -> None:
        self._reporter = reporter
        self._items = items
        self._echo = echo
        self._pace = pace

    def stage(self, index: int, stage: str, done: int, total: int) -> None:
        """Report progress. Raises ``ItemCancelledError`` for a cancelled item, ``CancelledError`` for a stopped job."""
        item = self._items[index]
        if self._echo:
            self._echo(item.name, stage, done, total)
        try:
            self._reporter.stage(item.id, stage, done, total)
        except CancelledError:
            self._reporter.check()
            raise ItemCancelledError(index) from None
        if self._pace:
            self._pace.be_at(index, share(stage, done, total))
            self._reporter.foretell(self._pace.seconds_left)

    def finished(self, index: int, outcome: Ingested | Failure) -> None:
        """Mark the item as done or failed, in the transaction that stores the document."""
        item = self._items[index]
        try:
            if isinstance(outcome, Failure):
                self._reporter.finish_item(item.id, None, outcome.reason, outcome.problem)
            else:
                self._reporter.finish_item(item.id, outcome.version_id)
        except CancelledError:
            self._reporter.check()
            raise ItemCancelledError(index) from None
        if self._pace:
            self._pace.end_one(index)
            self._reporter.foretell(self._pace.seconds_left)


def ingest_handler(
    library: Library, listen: Listener | None = None, echo: Echo | None = None, parse: Parse | None = None
) -> Handler:
    """The handler of jobs of kind "ingest", whose items are files and uploads.

    Payload: ``settings`` (optional) become the library's. ``listen``: called with the report. ``parse``: the parser;
    ``None`` for ``core.parsing.parse``.
    """

    def handle(job: Job, reporter: Reporter) -> None:
        items = reporter.items()
        incoming = [Incoming(item.name, item.path, item.content_hash) for item in items]
        stored = job.payload.get("settings")
        settings = settings_from(stored) if stored else None
        earlier = library.preference(_PACE)
        loads = library.cutting.loads([(_kind_by_name(item.name), library.queue.size(item)) for item in items])
        pace = Pace(loads, float(earlier) if earlier else None)
        reporter.foretell(pace.seconds_left)
        try:
            report = library.ingest(incoming, JobWatch(reporter, items, echo, pace), settings, True, parse)
        finally:
            if pace.ended and pace.seconds_a_document is not None:
                with suppress(StorageError):  # on a full disk, only the estimate is lost
                    library.set_preference(_PACE, f"{pace.seconds_a_document:.4g}")
        _conclude(library, job, reporter, report, listen)

    return handle


def _kind_by_name(name: str) -> str:
    """The kind of a file by its name only, for an estimate; "text" for unsupported files, which fail quickly."""
    with suppress(LecternError):
        return detect_kind(b"", name)
    return "text"


def apply_handler(library: Library, listen: Listener | None = None) -> Handler:
    """The handler of jobs of kind "apply", with one item, which chunk documents again.

    Payload: ``settings``, which become the library's, and optionally ``lender``, the folder of a library whose vectors
    are copied instead of encoding anew; or ``scope``, ``key`` and ``chunking`` (``None`` to delete it),
    the own recipe of a kind or a document; or ``versions``, documents whose edits have changed.
    """

    def handle(job: Job, reporter: Reporter) -> None:
        for item in reporter.items():
            report = _applied(library, job.payload, reporter, item)
            reasons = "; ".join(f"{failure.source}: {failure.reason}" for failure in report.failures)
            reporter.finish_item(item.id, reason=reasons)
            _conclude(library, job, reporter, report, listen)

    return handle


def _applied(library: Library, payload: Mapping[str, Any], reporter: Reporter, item: Item) -> IngestReport:
    def watch(documents: int) -> OnItems:
        return OnItems(JobWatch(reporter, [item]), 1, documents)

    if "versions" in payload:
        versions = payload["versions"]
        return library.cutting.recut(versions, watch(len(versions)))
    if "scope" in payload:
        scope, key, values = payload["scope"], payload["key"], payload["chunking"]
        chunking = None if values is None else settings_from({"chunking": values}).chunking
        return library.cutting.apply(scope, key, chunking, watch(len(library.cutting.reached(scope, key))))
    live = {source.version_id for source in library.sources()}
    with _vectors_in(payload.get("lender", "")) as lender:
        return library.apply(settings_from(payload["settings"]), watch(len(live)), lender)


@contextmanager
def _vectors_in(folder: str) -> Iterator[VectorCache | None]:
    """The vectors of the library in a folder; ``None`` where there is none that can be read."""
    with ExitStack() as stack:
        lender = None
        if folder:
            with suppress(LecternError):
                lender = CatalogueVectors(stack.enter_context(closing(Store.open(Path(folder), write=False))))
        yield lender


def _conclude(library: Library, job: Job, reporter: Reporter, report: IngestReport, listen: Listener | None) -> None:
    if listen:  # first, so that the report is not lost if the disk is full
        listen(job, report)
    reporter.result(
        {
            "documents": len(report.documents),
            "failures": [asdict(failure) for failure in report.failures],
            "encoded": report.encoded,
            "reused": report.reused,
            "seconds": report.seconds,
        }
    )
    with suppress(StorageError):  # on a full disk, only the backup is lost
        library.back_up()
        library.measure_recall()
