"""The command ``watch``: synchronises folders without the app and prints a line for every event."""

from __future__ import annotations

import signal
from argparse import Namespace
from collections.abc import Collection
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from threading import Event

from core.cli import console, contract
from core.cli.options import home, language_model, require_library
from core.cli.queue import run_next
from core.errors import LecternError
from core.ingest.cost import Cost, sentence
from core.ingest.jobs import Worker
from core.ingest.work import apply_handler, ingest_handler
from core.library import Library
from core.storage.catalogue.filing.folders import Folder
from core.watching.planning import FolderPlan
from core.watching.watcher import Watcher
from core.watching.words import happened, would_happen

_POLL_SECONDS = 0.5  # between checks of the log


def watch(options: Namespace) -> int:
    """Synchronise the named folders, or all that are not paused, until stopped; ``--once``: a single pass."""
    place = home(options)
    if options.dry_run:
        return _dry_run(options, place)
    with Library.open(place if options.folders else require_library(place)) as library:
        library.write_with(None, language_model(urgent=False))
        named = [library.folders.add(Path(path), options.ignore or None) for path in options.folders]
        folders = _select(library, named)
        only = {folder.id for folder in folders}
        latest = library.folders.events(limit=1)
        log = _Log(options, library, folders, latest[0].id if latest else 0)
        if options.once:
            return _run_once(options, library, only, log)
        _watch(library, folders, log)
    return 0


def _select(library: Library, named: Collection[int]) -> list[Folder]:
    folders = [each for each in library.folders.all() if (each.id in named if named else not each.paused)]
    if not folders:
        paused = "Every folder is paused." if library.folders.all() else "There is no folder to keep in step."
        raise LecternError(paused, "Name one: python -m core watch FOLDER.")
    return folders


def _run_once(options: Namespace, library: Library, only: Collection[int], log: _Log) -> int:
    """Run one pass and print its result. Failures, open questions and missing folders give exit code 1."""
    library.queue.recover()
    handlers = {"ingest": ingest_handler(library, echo=console.Progress().item), "apply": apply_handler(library)}
    for plan in library.folders.sweep(only, Event().wait, sure=options.remove_gone):
        console.complain(_plan_words(library, plan))
    while run_next(library, handlers):
        pass
    plans = library.folders.sweep(only, Event().wait, sure=options.remove_gone)
    log.say()
    failed = sum(each.failed for each in library.folders.standing() if each.folder.id in only)
    for plan in plans:
        console.answer(options, _figures(library, plan), f"{plan.folder.path}: {would_happen(plan)}")
    if failed:
        console.complain(f"{failed} files could not be read and are tried again when they change.")
    return 1 if failed or any(plan.problem or plan.asks for plan in plans) else 0


def _watch(library: Library, folders: Collection[Folder], log: _Log) -> None:
    handlers = {"ingest": ingest_handler(library, echo=console.Progress().item), "apply": apply_handler(library)}
    worker, watcher = Worker(library.queue, handlers), Watcher(library.folders, {folder.id for folder in folders})
    # Service managers stop with SIGTERM, which is handled like Ctrl-C.
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        for folder in folders:
            console.complain(f"Keeping in step with {folder.path}. Stop with Ctrl-C.")
        worker.start()
        watcher.start()
        with suppress(KeyboardInterrupt):
            while True:
                log.say()
                Event().wait(_POLL_SECONDS)
    finally:
        watcher.stop()
        worker.stop()
        signal.signal(signal.SIGTERM, before)
    log.say()
    console.complain("Stopped. What was being read goes on the next time.")


def _dry_run(options: Namespace, place: Path) -> int:
    """Print what would happen. The library is opened read-only, so the app may have it open."""
    with Library.open(require_library(place), write=False) as library:
        library.write_with(None, language_model(urgent=False))
        named = [library.folders.draft(Path(path), options.ignore or None) for path in options.folders]
        plans = library.folders.look(named or _select(library, ()))
        for plan in plans:
            console.answer(options, _figures(library, plan), _plan_words(library, plan))
    return 1 if any(plan.problem for plan in plans) else 0


def _figures(library: Library, plan: FolderPlan) -> dict[str, object]:
    cost = _cost(library, plan)
    return {
        "folder": str(plan.folder.path),
        "new": len(plan.new),
        "changed": len(plan.changed),
        "moved": len(plan.moved),
        "gone": len(plan.gone),
        "asks": plan.asks,
        "waiting": len(plan.waiting),
        "reading": plan.at_work,
        "unsupported": plan.unsupported,
        **contract.cost(cost),
        "problem": plan.problem,
    }


def _plan_words(library: Library, plan: FolderPlan) -> str:
    cost = _cost(library, plan)
    cost_words = f"; to read: {sentence(cost)}" if cost.files else ""
    return f"{plan.folder.path}: {would_happen(plan)}{cost_words}"


def _cost(library: Library, plan: FolderPlan) -> Cost:
    return library.cost((file.kind, file.size_bytes) for file in (*plan.new, *plan.changed))


class _Log:
    """Prints new events of the library's folder log, each once."""

    def __init__(self, options: Namespace, library: Library, folders: Collection[Folder], after: int) -> None:
        self._options = options
        self._library = library
        self._paths = {folder.id: folder.path for folder in folders}
        self._after = after

    def say(self) -> None:
        """Print the events since the last call."""
        events = self._library.folders.events(after=self._after, limit=-1, folders=list(self._paths))
        for event in reversed(events):
            self._after = event.id  # before printing, so that a signal in between does not repeat the event
            path = self._paths[event.folder]
            row = {**asdict(event), "folder": str(path)}
            console.answer(self._options, row, f"{event.at}  {path.name}  {happened(event)}")
