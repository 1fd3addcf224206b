"""Repair of a library: restoring sources of a lost catalogue, and deriving documents again from their originals."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

from core.errors import LecternError, NotFoundError, SettingsError, StorageError
from core.ingest.applying import recut
from core.ingest.ingest import Ingest
from core.ingest.prepared import Incoming
from core.ingest.reports import Failure, Ingested
from core.settings import Settings
from core.storage import keepsakes, rescue
from core.storage.catalogue.filing.labels import Labels
from core.storage.catalogue.filing.sources import find_source
from core.storage.catalogue.filing.tiers import leave_to_words
from core.storage.catalogue.filing.trash import trash_sources
from core.storage.catalogue.texts.documents import version
from core.storage.faults import REPAIR
from core.storage.files import is_hash
from core.storage.keepsakes import Keepsakes, Row
from core.storage.schema.steps import USED_VECTORS
from core.storage.store import Store
from core.storage.verify import Problem, Progress, quietly, verify
from core.text.normalise import storable

READ_AGAIN, ENCODED_AGAIN = "documents read again", "texts encoded again"  # the checks reported as progress
_LOG = logging.getLogger(__name__)


def restore_sources(run: Ingest, records: Sequence[Keepsakes]) -> list[str]:
    """Ingest the originals of all sources in ``records`` that the catalogue lacks, and restore their labels.

    Originals without a source become uploads with a name made from their hash. Returns a sentence for each source that
    could not be restored.
    """
    store = run.store
    newest_complete = max((record.revision for record in records if not record.unread), default=-1)
    lost = [sentence for record in records if record.revision > newest_complete for sentence in record.unread]
    with store.reading() as connection:
        current = _by_name(keepsakes.gather(connection).of("source"))
    recorded = _by_name(
        row for record in records for row in record.of("source") if row.get("type") in ("path", "upload")
    )
    items = []
    for name, row in recorded.items():
        version_id = str(row.get("version_id") or "")
        if name in current and current[name].get("version_id") == version_id:
            continue
        if is_hash(version_id) and (store.files.take_back(version_id) or version(store, version_id)):
            items.append(Incoming(_name(row), keepsakes.source_path(row), version_id))
        else:
            lost.append(f"The original of {_name(row)} is in no folder of the library.")
    lost += _ingest_all(run, items)
    _restore_labels(store, recorded)
    set_aside = [hash_ for hash_ in store.files.hashes_set_aside() if store.files.take_back(hash_)]
    unreferenced = [
        hash_ for hash_ in store.files.hashes() if hash_ in store.files.fresh and hash_ not in store.wanted_files()
    ]
    without_source = store.rows("SELECT id FROM version WHERE number NOT IN (SELECT version FROM source)")
    hashes = dict.fromkeys([*set_aside, *unreferenced, *(version_id for (version_id,) in without_source)])
    return lost + _ingest_all(run, [Incoming(f"recovered-{hash_[:12]}", content_hash=hash_) for hash_ in hashes])


def rederive(run: Ingest, versions: Iterable[str]) -> list[str]:
    """Parse, chunk and encode documents again from their originals; return a sentence for each failure.

    A damaged original is first replaced by the user's file, if that still has the same bytes.
    """
    store = run.store
    all_versions = list(dict.fromkeys(versions))
    for version_id in all_versions:
        if store.files.fault(version_id):
            _heal_original(store, version_id)
    intact = [version_id for version_id in all_versions if not store.files.fault(version_id)]
    with store.transaction():
        for version_id in intact:
            number = store.value("SELECT number FROM version WHERE id = ?", version_id)
            # Invalidate the parser, the recipe and the vector keys, so that nothing is reused.
            store.write("UPDATE version SET parser = '' WHERE number = ?", number)
            store.write("UPDATE recipe SET fingerprint = '' WHERE version = ?", number)
            store.write(
                "UPDATE OR IGNORE vector SET key = 'damaged ' || number WHERE key <> '' AND number IN"
                " (SELECT vector FROM chunk WHERE version = ?1 UNION SELECT alias.vector FROM alias"
                " JOIN chunk ON row = alias.chunk WHERE version = ?1)",
                number,
            )
    report = recut(run, intact)
    store.write(f"DELETE FROM vector WHERE key GLOB 'damaged *' AND number NOT IN ({USED_VECTORS})")
    return [f"{failure.source}: {failure.reason}" for failure in report.failures]


def finish(store: Store, records: Sequence[Keepsakes]) -> None:
    """Raise the library's revision above that of all restored records, save the keepsakes and mark them as restored."""
    latest = max((record.revision for record in records), default=0)
    store.write("UPDATE meta SET value = max(CAST(value AS INTEGER), ?) + 1 WHERE key = 'revision'", latest)
    save_keepsakes_if_possible(store)
    rescue.mark_restored(store.home)


@dataclass(frozen=True, slots=True)
class _Reading:
    """A ``Watch`` that reports to a ``Progress`` of ``verify``."""

    progress: Progress

    def stage(self, index: int, stage: str, done: int, total: int) -> None:
        """Report the number of encoded texts, or of the document that is read."""
        if stage == "encoding":
            self.progress(ENCODED_AGAIN, done, total)
        else:
            self.progress(READ_AGAIN, index + 1, 0)

    def finished(self, index: int, outcome: Ingested | Failure) -> None:
        """Not reported."""


def repair(
    store: Store, problems: Sequence[Problem], make_run: Callable[[], Ingest], progress: Progress = quietly
) -> list[Problem]:
    """Restore everything that was set aside and derive damaged documents again; return the remaining problems.

    ``make_run``: called after the settings are restored, returns an ingest run that uses them.
    """
    records = rescue.set_aside_keepsakes(store.home)
    lost = keepsakes.merge(store, records) if records else []
    run = make_run()
    run.watch = _Reading(progress)
    if not problems:
        return []
    lost += restore_sources(run, records)
    lost += rederive(run, [problem.version for problem in problems if problem.version])
    if records:
        finish(store, records)
    return verify(store, True, progress) + [Problem(sentence, "repair", False) for sentence in lost]


def stored_settings(store: Store) -> tuple[Settings, str]:
    """``(settings, notice)``: the library's settings and "", or the defaults and a sentence if they are unreadable."""
    try:
        return store.settings() or Settings(), ""
    except (SettingsError, StorageError) as error:
        notice = f"{error.problem} Lectern's own are in force. {REPAIR}"
        _LOG.warning("%s", notice)
        return Settings(), notice


def require_settings(notice: str, settings: Settings) -> None:
    """Raise ``SettingsError`` while defaults replace unreadable settings: all documents would be chunked by them.

    ``notice``: as returned by ``stored_settings``. ``settings``: those in use; any that differ from the defaults were
    chosen by the user.
    """
    if notice and settings == Settings():
        raise SettingsError(
            "The library's settings cannot be read, and nothing is read or cut by Lectern's own instead.",
            f"{REPAIR} Or choose settings on the Settings page.",
        )


def save_keepsakes_if_possible(store: Store) -> None:
    """Save the keepsakes if the library is writable. A failure is only logged."""
    if store.writable:
        try:
            keepsakes.save(store)
        except StorageError as error:
            _LOG.info("%s", error)


def _by_name(rows: Iterable[Row]) -> dict[tuple[str, str], Row]:
    return {(str(row.get("type")), str(row.get("path") or row.get("name"))): row for row in rows}


def _name(row: Row) -> str:
    return storable(str(row.get("name")))


def _ingest_all(run: Ingest, items: Sequence[Incoming]) -> list[str]:
    if not items:
        return []
    previous = len(run.failures)
    run.run(items)
    return [f"{failure.source}: {failure.reason}" for failure in run.failures[previous:]]


def _restore_labels(store: Store, recorded: Mapping[tuple[str, str], Row]) -> None:
    labels = Labels(store)
    collections = {collection.name: collection.id for collection in labels.collections()}
    for row in recorded.values():
        with suppress(LecternError, ValueError, TypeError):
            source = find_source(store, name=_name(row), path=keepsakes.source_path(row))
            if source is None:
                continue
            for name in keepsakes.label_names(row, "collections"):
                if name not in collections:
                    collections[name] = labels.create_collection(name)
                labels.collect([source], collections[name])
            for name in keepsakes.label_names(row, "tags"):
                labels.tag([source], name)
            if row.get("note"):
                labels.write_note(source, str(row["note"]))
            if row.get("words_alone"):
                leave_to_words(store, [source])
            if row.get("trashed_at"):
                trash_sources(store, [source])


def _heal_original(store: Store, version_id: str) -> None:
    paths = "SELECT path FROM source WHERE path IS NOT NULL AND version = (SELECT number FROM version WHERE id = ?)"
    for (path,) in store.rows(paths, version_id):
        with suppress(LecternError, OSError, NotFoundError):
            file = keepsakes.decoded_path(path)
            if store.files.hash_of(file) == version_id:
                store.files.stage(file.read_bytes())
                store.files.commit(version_id)
                return
