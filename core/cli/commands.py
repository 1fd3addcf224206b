"""The commands of ``python -m core``. Every function takes the parsed options and returns the exit code."""

from __future__ import annotations

import os
from argparse import Namespace
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path

from core.chunking import chunk as cut
from core.chunking.auditing import audit as audit_tree
from core.chunking.plan import ChunkerResources
from core.cli import archive as commands_archive
from core.cli import ask as commands_ask
from core.cli import bench as commands_bench
from core.cli import console, contract
from core.cli import mcp as commands_mcp
from core.cli.export import export
from core.cli.judgments import judgments, refit
from core.cli.options import home, language_model, open_to_read, require_library, settings_of, sources_named
from core.cli.queue import run_next
from core.cli.settings import settings as settings_command
from core.cli.watch import watch
from core.embedding import load_model
from core.enriching import enrich
from core.errors import LecternError, LibraryDamagedError, ParseError, StorageError
from core.ingest.cost import cost_of, sentence
from core.ingest.file_reading import require_file
from core.ingest.gathering import Changes, compare, find_files, hash_of, joined, scan
from core.ingest.passwords import Passwords
from core.ingest.prepared import Incoming
from core.ingest.ray_reading import RayCluster, RayReading
from core.ingest.work import apply_handler, ingest_handler
from core.library import Failure, IngestReport, Library, Problem
from core.parsing import parse, parser_fingerprint
from core.parsing.sandbox.syntax import SandboxedSyntax
from core.settings import Settings
from core.storage import backups
from core.storage.catalogue.filing.labels import fold
from core.storage.catalogue.job_rows import Job, NewItem
from core.text.values.numerals import counted

_UNKNOWN = "No source of this library has this name, path or number."


def ingest(options: Namespace) -> int:
    """Queue the files as one job and run it, after any jobs that a killed process left."""
    if options.dry_run:
        return _dry_run(options)
    with Library.open(home(options)) as library:
        library.write_with(None, language_model(urgent=False))
        settings = settings_of(options.preset, options.values, library.settings)
        for password in options.passwords:
            library.passwords.offer(password)
        items, unreadable = find_files(options.paths, library.home, options.ignore)
        if not items and not unreadable:
            raise LecternError("There is no file below the given paths.", "Name a file, or a folder that holds some.")
        library.queue.recover()
        job = library.queue.enqueue("ingest", {"settings": settings.to_dict()}, items)
        reports: dict[int, IngestReport] = {}
        progress = console.Progress()

        def listen(job: Job, report: IngestReport) -> None:
            reports[job.id] = report

        with ExitStack() as stack:
            read = (
                stack.enter_context(_ray_reading(options, library, items, settings)).parse
                if options.engine == "ray"
                else None
            )
            handlers = {
                "ingest": ingest_handler(library, listen, progress.item, read),
                "apply": apply_handler(library, listen),
            }
            while job not in reports and run_next(library, handlers):
                pass
        if job not in reports:
            raise LecternError(library.queue.job(job).reason or "The job was cancelled.")
        report = reports[job]
        try:
            library.queue.dismiss(job)
        except StorageError as error:  # a full disk; the next run dismisses the job
            console.complain(str(error))
    failures = [*unreadable, *report.failures]
    console.answer(
        options,
        {**contract.ingestion(report), "failures": contract.failures(failures)},
        f"{counted(len(report.documents), 'document')}, {counted(len(failures), 'failure')}, "
        f"{counted(report.encoded, 'text')} encoded, "
        f"{report.reused} reused, {report.seconds:.1f} s",
    )
    code = console.exit_code(failures, len(report.documents))
    for reason in dict.fromkeys(document.by_words for document in report.documents if document.by_words):
        console.complain(f"Found by words alone, till they are ingested again or `rebuild` is asked for: {reason}")
    return code


def _ray_reading(options: Namespace, library: Library, items: Sequence[NewItem], settings: Settings) -> RayReading:
    """A reading on Ray of the files that are new to the library or have changed."""
    versions = {row.path: row.version_id for row in library.sources() if row.path}
    changed = [
        Incoming(item.name, item.path)
        for item in items
        if item.path and not (item.path in versions and versions[item.path] == hash_of(item.path))
    ]
    return RayReading(RayCluster(options.address), changed, settings, library.vectors)


def chunk(options: Namespace) -> int:
    """Chunk one file and print its text, blocks, chunks and audit."""
    settings = settings_of(options.preset, options.values, Settings())
    if options.chunker:
        settings = settings.with_value("chunking.chunker", options.chunker)
    model = load_model(settings.embedding)
    path = Path(options.file)
    try:
        require_file(path)
        data = path.read_bytes()
    except OSError as error:
        raise ParseError(
            f"{options.file} cannot be read: {error.strerror}.", "Check the path and its rights."
        ) from error
    passwords = Passwords()
    for password in options.passwords:
        passwords.offer(password)
    document = passwords.open("", lambda password: parse(data, path.name, settings.parsing, password=password))
    parser = parser_fingerprint(document.kind, settings.parsing)
    resources = ChunkerResources(model.encoder, syntax=SandboxedSyntax(settings.parsing))
    tree = cut(document, settings.chunking, model.counter, parser, resources)
    audit = audit_tree(tree)
    result = contract.chunking(options.file, tree, audit, enrich(tree) if options.json else {})
    console.answer(
        options,
        result,
        f"{len(tree.leaves)} leaves, {len(tree.chunks) - len(tree.leaves)} parents, "
        f"{audit.covered:,} of {audit.characters:,} characters covered",
    )
    return 0


def list_sources(options: Namespace) -> int:
    """Print every source with the figures that the Library page shows."""
    with open_to_read(home(options)) as library:
        rows = [{**asdict(row), "path": str(row.path) if row.path else None} for row in library.sources()]
    # A name may contain a newline; escaped, one source is one line.
    lines = [f"{row['id']}  {row['chunks']:>6} chunks  {console.shown(str(row['name']))}" for row in rows]
    console.answer(options, {"sources": rows}, "\n".join(lines))
    return 0


def remove(options: Namespace) -> int:
    """Remove sources by name, path or number; unknown ones are reported as failures."""
    removed: list[str] = []
    failures: list[Failure] = []
    with Library.open(require_library(home(options))) as library:
        for name in options.sources:
            rows = sources_named(library, name)
            for row in rows:
                library.remove(row.id)
                removed.append(row.name)
            if not rows:
                failures.append(Failure(name, _UNKNOWN))
    console.answer(
        options,
        {"removed": removed, "failures": contract.failures(failures)},
        f"{len(removed)} removed",
    )
    return console.exit_code(failures, len(removed))


def tier(options: Namespace) -> int:
    """Drop the vectors of documents, or encode them again. What that saves or costs is printed first.

    ``--older-than`` and ``--unread-for`` select among the named documents, or among all where none is named.
    """
    has_rule = options.older_than or options.unread_for
    if has_rule and options.to != "words":
        raise LecternError("Documents are left to their words by age, not encoded by it.", "Name them.")
    with open_to_read(home(options)) if options.dry_run else Library.open(require_library(home(options))) as library:
        named = {name: sources_named(library, name) for name in options.sources}
        library.scope(options.collections)  # raises for an unknown collection
        collections = {fold(name) for name in options.collections}
        in_collections = [row for row in library.sources() if collections & set(map(fold, row.collections))]
        ids = list(dict.fromkeys(row.id for rows in (*named.values(), in_collections) for row in rows))
        unknown = [Failure(name, _UNKNOWN) for name, rows in named.items() if not rows]
        if has_rule:
            rare = library.cutting.rarely_used(options.older_than, options.unread_for)
            ids = [source for source in rare if source in ids] if options.sources or collections else rare
        elif not ids and not unknown:
            raise LecternError("No document is named.", "Name a source, or a collection that holds some.")
        cost, encoded = library.cutting.tier_cost(ids), 0
        console.complain(cost.leaving if options.to == "words" else cost.encoding)
        if not options.dry_run and options.to == "words":
            library.cutting.leave_to_words(ids)
        elif not options.dry_run:
            report = library.cutting.recut(library.cutting.take_from_words(ids))
            unknown, encoded = [*unknown, *report.failures], report.encoded
    done = 0 if options.dry_run else len(ids)
    console.answer(
        options,
        {"sources": ids, "cost": asdict(cost), "encoded": encoded, "failures": contract.failures(unknown)},
        f"{counted(done, 'source')} {'left to words alone' if options.to == 'words' else 'found by meaning too'}",
    )
    return console.exit_code(unknown, len(ids))


def rebuild(options: Namespace) -> int:
    """Chunk every document anew by the library's settings and rebuild the indexes from the catalogue."""
    with Library.open(require_library(home(options))) as library:
        library.write_with(None, language_model(urgent=False))
        report = library.rebuild()
    console.answer(
        options,
        contract.ingestion(report),
        f"{len(report.documents)} documents rebuilt, {report.encoded} texts encoded, {report.seconds:.1f} s",
    )
    console.complain_of(report.failures)
    return 1 if report.failures else 0


def verify(options: Namespace) -> int:
    """Check a library. The exit code is 1 for problems that remain."""
    try:
        with Library.open(require_library(home(options)), repair=options.repair) as library:
            problems = library.verify(repair=options.repair, progress=console.Progress().looking)
    except LibraryDamagedError as error:
        problems = [Problem(str(error), "catalogue", True)]
    console.answer(
        options,
        {"ok": not problems, "problems": [contract.problem(problem) for problem in problems]},
        "The library is sound." if not problems else counted(len(problems), "problem"),
    )
    for problem in problems:
        console.complain(f"{problem.where}: {problem.what}")
    return 1 if problems else 0


def backup(options: Namespace) -> int:
    """List the backups of a library's catalogue, make one, or restore one: the one named, or the newest."""
    folder = require_library(home(options))
    if options.action == "make":
        with Library.open(folder) as library:
            library.back_up(if_due=False)
    found = backups.backups(folder)
    lines = [f"{item.name}  {item.size_bytes:>12,} bytes" for item in found]
    if options.action == "restore":
        restored = backups.named(folder, options.name)
        backups.restore(folder, restored)
        lines = [f"{restored.name} is restored. The catalogue that was in its place lies in {folder / 'replaced'}."]
    console.answer(
        options,
        {"backups": [{"name": item.name, "revision": item.revision, "bytes": item.size_bytes} for item in found]},
        "\n".join(lines or ["No backups."]),
    )
    return 0


def stats(options: Namespace) -> int:
    """Print counts and sizes."""
    with open_to_read(home(options)) as library:
        figures = asdict(library.stats())
    console.answer(options, figures, "\n".join(f"{name.replace('_', ' ')}: {value}" for name, value in figures.items()))
    return 0


COMMANDS: dict[str, Callable[[Namespace], int]] = {
    "ingest": ingest,
    "watch": watch,
    "chunk": chunk,
    "query": commands_ask.query,
    "ask": commands_ask.ask,
    "why": commands_ask.why,
    "check": commands_ask.check,
    "mcp": commands_mcp.serve,
    "bench": commands_bench.bench,
    "needles": commands_bench.needles,
    "list": list_sources,
    "export": export,
    "remove": remove,
    "tier": tier,
    "rebuild": rebuild,
    "verify": verify,
    "backup": backup,
    "archive": commands_archive.archive,
    "unarchive": commands_archive.unarchive,
    "erase": commands_archive.erase,
    "chroma": commands_archive.chroma,
    "stats": stats,
    "settings": settings_command,
    "judgments": judgments,
    "refit": refit,
}


def _dry_run(options: Namespace) -> int:
    """Print what an ingest would do. Nothing is changed, and no library is created."""
    scans: list[tuple[str, Changes]] = []  # with the folder that its paths are relative to
    failures: list[Failure] = []
    files: list[tuple[str, int]] = []  # (kind, bytes) of the files that would be read
    with ExitStack() as stack:
        folder = home(options)
        library = stack.enter_context(open_to_read(folder)) if os.path.exists(folder / "catalogue.sqlite") else None  # noqa: PTH110
        for path in options.paths:
            try:
                changes = library.scan(Path(path), options.ignore) if library else _all_new(Path(path), options, folder)
            except LecternError as error:
                failures.append(Failure(path, str(error)))
            else:
                files += ((file.kind, file.size_bytes) for file in (*changes.new, *changes.changed))
                scans.append((path if os.path.isdir(path) else os.path.dirname(path), changes))  # noqa: PTH112, PTH120
        writer = language_model(urgent=False)
        chunking = settings_of(options.preset, options.values, library.settings if library else Settings()).chunking
        if library:
            library.write_with(None, writer)
        cost = library.cost(files, chunking) if library else cost_of(None, files, chunking, writer)
    failures += [
        Failure(joined(path, where), reason) for path, changes in scans for where, reason in changes.scan.unreadable
    ]
    same = sum(len(changes.unchanged) for _, changes in scans)
    ignored = sum(len(changes.scan.ignored) for _, changes in scans)
    console.answer(
        options,
        {**contract.dry_run(scans), "failures": contract.failures(failures), "cost": contract.cost(cost)},
        f"{counted(cost.files, 'file')} would be read, {same} are unchanged, {ignored} entries are passed over; "
        f"nothing was done{f'. To read: {sentence(cost)}' if cost.files else ''}",
    )
    console.complain_of(failures)
    return 2 if failures and not scans else 1 if failures else 0


def _all_new(path: Path, options: Namespace, folder: Path) -> Changes:
    """The scan of a path for a library in ``folder`` that does not exist yet."""
    return compare(scan(path, options.ignore, folder), {})[0]
