"""What a catalogue that is gone held, put back from the originals; and documents derived again from theirs."""

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
from core.storage.catalogue.documents import version
from core.storage.catalogue.labels import Labels
from core.storage.catalogue.sources import find_source
from core.storage.catalogue.tiers import leave_to_words
from core.storage.catalogue.trash import trash_sources
from core.storage.faults import REPAIR
from core.storage.files import is_hash
from core.storage.keepsakes import Keepsakes, Row
from core.storage.schema.steps import USED_VECTORS
from core.storage.store import Store
from core.storage.verify import Problem, Progress, quietly, verify
from core.text.normalise import storable

READ_AGAIN, ENCODED_AGAIN = "documents read again", "texts encoded again"  # as progress is told of them
_LOG = logging.getLogger(__name__)


def restore_sources(run: Ingest, told: Sequence[Keepsakes]) -> list[str]:
    """Read every original again that a source named and none does now, with its labels; say what is not to be had.

    What no line names any more comes back as an upload under a name made of its hash.
    """
    store = run.store
    whole = max((known.revision for known in told if not known.unread), default=-1)
    lost = [sentence for known in told if known.revision > whole for sentence in known.unread]
    with store.reading() as connection:
        now = _by_name(keepsakes.gather(connection).of("source"))
    lines = _by_name(row for known in told for row in known.of("source") if row.get("type") in ("path", "upload"))
    items = []
    for name, row in lines.items():
        version_id = str(row.get("version_id") or "")
        if name in now and now[name].get("version_id") == version_id:
            continue
        if is_hash(version_id) and (store.files.take_back(version_id) or version(store, version_id)):
            items.append(Incoming(_name(row), keepsakes.source_path(row), version_id))
        else:
            lost.append(f"The original of {_name(row)} is in no folder of the library.")
    lost += _ingested(run, items)
    _put_labels_back(store, lines)
    nameless = [one for one in store.files.hashes_set_aside() if store.files.take_back(one)]
    strays = store.rows("SELECT id FROM version WHERE number NOT IN (SELECT version FROM source)")
    unnamed = [one for one in store.files.hashes() if one in store.files.fresh and one not in store.wanted_files()]
    found = dict.fromkeys([*nameless, *unnamed, *(one for (one,) in strays)])
    return lost + _ingested(run, [Incoming(f"recovered-{one[:12]}", content_hash=one) for one in found])


def rederive(run: Ingest, versions: Iterable[str]) -> list[str]:
    """Read, cut and encode documents anew from their originals; a sentence for each that this could not be done with.

    A damaged original is first replaced by the person's own file, where that still has its bytes.
    """
    store = run.store
    wanted = list(dict.fromkeys(versions))
    for version_id in wanted:
        if store.files.fault(version_id):
            _heal_original(store, version_id)
    whole = [version_id for version_id in wanted if not store.files.fault(version_id)]
    with store.transaction():
        for version_id in whole:
            number = store.value("SELECT number FROM version WHERE id = ?", version_id)
            # No parser and no recipe is named so, and no text has such a key: all of it is made anew.
            store.write("UPDATE version SET parser = '' WHERE number = ?", number)
            store.write("UPDATE recipe SET fingerprint = '' WHERE version = ?", number)
            store.write(
                "UPDATE OR IGNORE vector SET key = 'damaged ' || number WHERE key <> '' AND number IN"
                " (SELECT vector FROM chunk WHERE version = ?1 UNION SELECT alias.vector FROM alias"
                " JOIN chunk ON row = alias.chunk WHERE version = ?1)",
                number,
            )
    report = recut(run, whole)
    store.write(f"DELETE FROM vector WHERE key GLOB 'damaged *' AND number NOT IN ({USED_VECTORS})")
    return [f"{failure.source}: {failure.reason}" for failure in report.failures]


def finish(store: Store, told: Sequence[Keepsakes]) -> None:
    """From now on the library is past all that was put back into it, and this is written down where that can be."""
    latest = max((known.revision for known in told), default=0)
    store.write("UPDATE meta SET value = max(CAST(value AS INTEGER), ?) + 1 WHERE key = 'revision'", latest)
    save_keepsakes_if_possible(store)
    rescue.mark_restored(store.home)


@dataclass(frozen=True, slots=True)
class _Reading:
    """A ``Watch`` that tells which document is read again, and how many texts are encoded."""

    progress: Progress

    def stage(self, index: int, stage: str, done: int, total: int) -> None:
        """May raise, which ends the run."""
        told = (ENCODED_AGAIN, done, total) if stage == "encoding" else (READ_AGAIN, index + 1, 0)
        self.progress(*told)

    def finished(self, index: int, outcome: Ingested | Failure) -> None:
        """Nothing is told of it."""


def repair(
    store: Store, problems: Sequence[Problem], again: Callable[[], Ingest], progress: Progress = quietly
) -> list[Problem]:
    """What is still wrong once all was put back that anything holds, and what could not be had back.

    ``again``: a run by the settings as they are kept by then.
    """
    told = rescue.set_aside_keepsakes(store.home)
    lost = keepsakes.merge(store, told) if told else []
    run = again()
    run.watch = _Reading(progress)
    if not problems:
        return []
    lost += restore_sources(run, told)
    lost += rederive(run, [problem.version for problem in problems if problem.version])
    if told:
        finish(store, told)
    return verify(store, True, progress) + [Problem(sentence, "repair", False) for sentence in lost]


def stored_settings(store: Store) -> tuple[Settings, str]:
    """A library's own settings and ""; where they cannot be read Lectern's, and a sentence that says so."""
    try:
        return store.settings() or Settings(), ""
    except (SettingsError, StorageError) as error:
        notice = f"{error.problem} Lectern's own are in force. {REPAIR}"
        _LOG.warning("%s", notice)
        return Settings(), notice


def require_settings(notice: str, settings: Settings) -> None:
    """Raise ``SettingsError`` where a library's own could not be read: Lectern's would cut and encode all of it anew.

    ``settings``: those in force; once a person has chosen others, they are the library's.
    """
    if notice and settings == Settings():
        raise SettingsError(
            "The library's settings cannot be read, and nothing is read or cut by Lectern's own instead.",
            f"{REPAIR} Or choose settings on the Settings page.",
        )


def save_keepsakes_if_possible(store: Store) -> None:
    """Write the keepsakes of an open library that this process writes; what keeps it from that is logged."""
    if store.writable:
        try:
            keepsakes.save(store)
        except StorageError as error:
            _LOG.info("%s", error)


def _by_name(rows: Iterable[Row]) -> dict[tuple[str, str], Row]:
    return {(str(row.get("type")), str(row.get("path") or row.get("name"))): row for row in rows}


def _name(row: Row) -> str:
    return storable(str(row.get("name")))


def _ingested(run: Ingest, items: Sequence[Incoming]) -> list[str]:
    if not items:
        return []
    done = len(run.failures)
    run.run(items)
    return [f"{failure.source}: {failure.reason}" for failure in run.failures[done:]]


def _put_labels_back(store: Store, lines: Mapping[tuple[str, str], Row]) -> None:
    labels = Labels(store)
    collections = {collection.name: collection.id for collection in labels.collections()}
    for row in lines.values():
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
            place = keepsakes.decoded_path(path)
            if store.files.hash_of(place) == version_id:
                store.files.stage(place.read_bytes())
                store.files.commit(version_id)
                return
