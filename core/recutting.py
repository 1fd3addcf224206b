"""Cutting a whole library anew, and filling the generation of another embedder beside the one that serves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from core.errors import CancelledError, ModelError
from core.ingest import Failure, Ingest, Ingested, IngestReport, ItemCancelledError, Watch
from core.preparing import Incoming
from core.storage import generations, sources
from core.storage.outbox import apply_outbox


def recut(run: Ingest) -> IngestReport:
    """Run every version in the library through the recipe again; unchanged ones cost nothing."""
    run.keep_sources = True
    return run.run(_all_versions(run))


def fill_generation(run: Ingest, items: int | None = None) -> IngestReport | None:
    """Where the run's embedder is another than the serving one's: fill its generation and flip to it.

    Returns what that cost; ``None`` where nothing had to be done. What fails is listed and stays out: one document
    must not keep the others from their new vectors. Raises ``ModelError`` where all fail: then nothing is flipped.
    ``items``: the run's watch knows so many items that wait for it;
    ``None``: it knows the documents themselves.
    """
    encoder = run.model.encoder
    wanted = generations.begin_generation(run.store, encoder.fingerprint, encoder.dimension)
    if wanted.serving:
        return None
    run.generation = wanted.number
    if run.watch and items is not None:
        run.watch = BeforeItems(run.watch, items, len(_all_versions(run)))
    report = recut(run)
    if report.failures and not report.documents:
        generations.drop_generation(run.store, wanted.number)
        raise ModelError(
            f"No document could be moved to the new embedder: {report.failures[0].reason}",
            "The library is as it was. Choose another embedder, or mend this one and apply it again.",
        )
    failed = generations.unfinished_versions(run.store, wanted.number) if report.failures else []
    generations.serve(run.store, wanted.number, without=failed)
    return report


def drop_others(run: Ingest) -> None:
    """Forget the generations that do not serve."""
    for other in generations.generations(run.store):
        if not other.serving:
            generations.drop_generation(run.store, other.number)
    apply_outbox(run.store)


@dataclass(slots=True)
class BeforeItems:
    """A ``Watch`` for the whole library, told on the first of ``items`` items that wait for it.

    An item cancelled meanwhile hands on to the next; when all are, the work is cancelled.
    """

    watch: Watch
    items: int
    documents: int
    _done: int = 0
    _item: int = 0

    def stage(self, index: int, stage: str, done: int, total: int) -> None:
        """Shows documents done, whatever happens to one of them."""
        while self._item < self.items:
            try:
                self.watch.stage(self._item, "renewing", min(self._done, self.documents), self.documents)
            except ItemCancelledError:
                self._item += 1
            else:
                return
        raise CancelledError("Every file was cancelled.")

    def finished(self, index: int, outcome: Ingested | Failure) -> None:
        """One document more."""
        self._done += 1


def _all_versions(run: Ingest) -> Sequence[Incoming]:
    versions: dict[str, str] = {}
    for source in sources.sources(run.store):
        versions.setdefault(source.version_id, source.name)  # a version is read under its first name
    return [Incoming(name, content_hash=version_id) for version_id, name in versions.items()]
