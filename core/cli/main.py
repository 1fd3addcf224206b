"""The entry point of ``python -m core``: it parses the arguments and runs one command.

Exit codes: 0 success; 1 done, with failures or problems found; 2 nothing done. With ``--json``, stdout has only the
JSON object.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from core.errors import LecternError
from core.settings.chunking import CHUNKERS

APP = "http://127.0.0.1:8501"
LIBRARY_HELP = "the library's folder (default: LECTERN_HOME, else data/library)"


def build_parser() -> argparse.ArgumentParser:
    """The parser with all commands and options, for ``main`` and for the tests of the documentation."""
    parser = argparse.ArgumentParser(
        prog="python -m core", description="Lectern on the command line. JSON goes to stdout, sentences to stderr."
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")

    ingest = _command(commands, "ingest", "put files, or folders with all below them, into a library")
    ingest.add_argument("paths", nargs="+", metavar="PATH")
    _add_ignore(ingest)
    ingest.add_argument("--dry-run", action="store_true", help="say what would be read, and do nothing")
    ingest.add_argument("--engine", choices=("own", "ray"), default="own", help="who reads and encodes (default: own)")
    ingest.add_argument("--address", default="", metavar="ADDRESS", help="of a Ray cluster (default: one started here)")
    _add_passwords(ingest)
    _add_settings(ingest)

    watch = _command(commands, "watch", "keep folders in step, until it is stopped")
    watch.add_argument("folders", nargs="*", metavar="FOLDER", help="these alone (default: all that are not paused)")
    _add_ignore(watch)
    watch.add_argument("--once", action="store_true", help="make one pass and end")
    watch.add_argument("--dry-run", action="store_true", help="say what would happen, and do nothing")
    watch.add_argument(
        "--remove-gone", action="store_true", help="with --once: do not ask where much of a folder is gone at once"
    )

    chunk = _command(commands, "chunk", "show how a file is cut, without a library", library=False)
    chunk.add_argument("file", metavar="FILE")
    chunk.add_argument("--chunker", metavar="NAME", help=f"one of {', '.join(CHUNKERS)} (default: the preset's)")
    _add_passwords(chunk)
    _add_settings(chunk)

    for name, text in (
        ("query", "retrieve passages for a question"),
        ("ask", "quote what answers a question, with its places, or say that the library does not say"),
    ):
        _add_question(_command(commands, name, text))
    commands.choices["ask"].add_argument(
        "--markdown", type=Path, metavar="FILE", help="write question, answer and evidence there as Markdown"
    )
    _add_repeatable(commands.choices["ask"], "after", "QUESTION", "the question goes on from this one; repeat")
    why = _command(commands, "why", "tell why a passage is not read for a question, and what would have it read")
    _add_question(why)
    why.add_argument("words", metavar="WORDS", help="of the passage, as they stand there")
    why.add_argument("--source", metavar="SOURCE", help="look there alone: its name, path or number")
    why.add_argument("--place", type=int, default=1, metavar="N", help="the words' place number N (default: 1)")

    check = _command(commands, "check", "hold a text against a library, sentence by sentence")
    check.add_argument("text", metavar="TEXT", help="the text, or - to read it from standard input")
    _add_scope(check)
    _add_settings(check)

    serve = _command(commands, "mcp", "let other programs ask a library, by the Model Context Protocol", prints=False)
    serve.add_argument(
        "--http", type=int, metavar="PORT", help="listen on 127.0.0.1 instead of stdin; the token goes to stderr"
    )
    serve.add_argument("--app", default=APP, metavar="URL", help=f"where links of results lead (default: {APP})")

    bench = _command(commands, "bench", "measure presets on an evaluation suite", library=False)
    bench.add_argument("suite", type=Path, metavar="SUITE_DIR")
    bench.add_argument(
        "--runs", type=Path, metavar="OUT.jsonl", help="write every context, so that anyone can score it"
    )
    bench.add_argument(
        "--work",
        type=Path,
        metavar="DIR",
        help="keep the suite's library and the runs here (default: made and removed; with --grid, beside the library)",
    )
    bench.add_argument("--grid", type=Path, metavar="FILE", help="measure every combination of settings in this file")
    bench.add_argument("--html", type=Path, metavar="OUT.html", help="write the report as one page for a browser")
    bench.add_argument("--save", type=Path, metavar="OUT.json", help="write the whole report, for a later --before")
    beside = bench.add_mutually_exclusive_group()
    beside.add_argument("--against", metavar="NAME", help="compare with this preset or cell: differences and p values")
    beside.add_argument(
        "--before", type=Path, metavar="RUN.json", help="compare with a saved run; exit code 1 where recall got worse"
    )
    _add_repeatable(bench, "token-budget", "N", "measure contexts of N tokens too; repeat", "token_budgets", int)
    bench.add_argument("--answers", action="store_true", help="score the quoted sentences against the suite's answers")
    bench.add_argument(
        "--written", action="store_true", help="score what the language model of the Settings page answers instead"
    )
    bench.add_argument(
        "--ragas", type=Path, metavar="OUT.jsonl", help="write what the first preset read and answered, for Ragas"
    )
    bench.add_argument(
        "--failures", action="store_true", help="say why each question was missed, and try what would have had it"
    )
    bench.add_argument("--dry-run", action="store_true", help="say what it would cost, and run nothing")
    bench.set_defaults(library=None)
    _add_settings(bench, many_presets=True)

    needles = _command(commands, "needles", "plant sentences in a copy of a library, and map which stage loses them")
    _add_repeatable(needles, "tokens", "N", "size of the copy; repeat (default: 10000 and 100000)", kind=int)
    prompts = "with --answers: size of a prompt without retrieval; repeat (default: 1000 and 4000)"
    _add_repeatable(needles, "prompt", "N", prompts, "prompts", int)
    kinds = "plain, reworded, alike, conflicting or several; repeat (default: all)"
    _add_repeatable(needles, "kind", "NAME", kinds, "kinds")
    needles.add_argument("--sentence", metavar="TEXT", default="", help="plant this one, at every depth by itself")
    needles.add_argument("--question", metavar="TEXT", default="", help="that your sentence answers")
    needles.add_argument("--answer", metavar="WORDS", default="", help="that an answer to it has to hold")
    needles.add_argument("--answers", action="store_true", help="ask the language model of the Settings page, too")
    needles.add_argument("--seed", type=int, default=0, metavar="N", help="other sentences with another (default: 0)")
    _add_settings(needles)

    _command(commands, "list", "the sources of a library")
    export = _command(commands, "export", "write documents with their notes and judged questions as Markdown files")
    export.add_argument("sources", nargs="*", metavar="SOURCE", help="these alone, by name, path or number")
    to = export.add_mutually_exclusive_group(required=True)
    to.add_argument("--to", type=Path, metavar="FOLDER", help="where the files go")
    to.add_argument("--chunks", type=Path, metavar="OUT.jsonl", help="write the chunks instead, one JSON object a line")
    remove = _command(commands, "remove", "remove sources by their name, path or number")
    remove.add_argument("sources", nargs="+", metavar="SOURCE")
    tier = _command(
        commands, "tier", "leave documents to their words alone, their vectors dropped, or encode them again"
    )
    tier.add_argument("to", choices=("words", "meaning"))
    tier.add_argument("sources", nargs="*", metavar="SOURCE", help="by name, path or number")
    _add_repeatable(tier, "collection", "NAME", "all that this collection holds now; repeat", "collections")
    for option, rule in (("--older-than", "have not changed"), ("--unread-for", "no question on Ask has read")):
        tier.add_argument(option, type=int, default=0, metavar="DAYS", help=f"those that {rule} for so long (words)")
    tier.add_argument("--dry-run", action="store_true", help="say what that saves or takes, and do nothing")
    _command(commands, "rebuild", "cut every document anew by the library's settings and rebuild the indexes")
    verify = _command(commands, "verify", "check a library from end to end")
    verify.add_argument(
        "--repair", action="store_true", help="mend what originals, backups and catalogue can give back"
    )
    backup = _command(commands, "backup", "copies of a library's catalogue: list, make or restore one")
    backup.add_argument("action", choices=("list", "make", "restore"))
    backup.add_argument("name", nargs="?", default="", metavar="NAME", help="the one to restore (default: the newest)")
    out = _command(commands, "archive", "write a whole library to one ZIP file")
    out.add_argument("file", type=Path, metavar="OUT.zip")
    out.add_argument("--without-vectors", action="store_true", help="smaller; rebuild encodes anew where it comes in")
    into = _command(commands, "unarchive", "make a library, in a new folder, of an archive that is as it was written")
    into.add_argument("file", type=Path, metavar="IN.zip")
    erase = _command(commands, "erase", "leave no trace of what was removed for good, its judgments and edits included")
    erase.add_argument("--copies", action="store_true", help="nor in backups, in what was set aside, in bench reports")
    chroma = _command(commands, "chroma", "where the index of vectors stands; with an address, move it there")
    chroma.add_argument("address", nargs="?", default="", metavar="URL", help="a Chroma server, as http://host:8000")
    chroma.add_argument("--folder", action="store_true", help="have it back in the library's folder")
    _command(commands, "stats", "counts and sizes of a library")
    dials = _command(commands, "settings", "the settings of a library; with others given, it has those from then on")
    dials.add_argument(
        "--from", type=Path, metavar="FILE.json", dest="source", help="take them from what --json printed"
    )
    _add_settings(dials)
    judgments = _command(commands, "judgments", "questions with gold passages: list, import, export or make them")
    judgments.add_argument("action", choices=("list", "import", "export", "make"))
    judgments.add_argument("path", nargs="?", metavar="PATH", help="the data set's file or folder")
    judgments.add_argument(
        "--format",
        choices=("ours", "table", "chroma", "squad", "beir"),
        default="",
        help="of what is imported (default: guessed from the files)",
    )
    judgments.add_argument(
        "--suite", type=Path, metavar="OUT_DIR", help="import into a suite folder of its own, without a library"
    )
    judgments.add_argument(
        "--count", type=int, default=60, metavar="N", help="make so many questions from the documents (default: 60)"
    )
    judgments.add_argument("--seed", type=int, default=0, metavar="N", help="other questions with another (default: 0)")
    judgments.add_argument(
        "--written", action="store_true", help="have the language model of the Settings page write what is made"
    )
    refit = _command(commands, "refit", "fit fusion and blending to a library's judgments, and try them on the others")
    refit.add_argument("--apply", action="store_true", help="make them the library's settings where a gain is shown")
    return parser


def _command(
    commands: argparse._SubParsersAction[argparse.ArgumentParser],
    name: str,
    text: str,
    *,
    library: bool = True,
    prints: bool = True,
) -> argparse.ArgumentParser:
    command = commands.add_parser(name, help=text, description=text.capitalize() + ".")
    if library:
        command.add_argument("--library", type=Path, metavar="DIR", help=LIBRARY_HELP)
    if prints:
        command.add_argument("--json", action="store_true", help="print the JSON object (else a short summary)")
    return command


def _add_question(command: argparse.ArgumentParser) -> None:
    command.add_argument("question", metavar="QUESTION")
    _add_scope(command)
    _add_settings(command)


def _add_scope(command: argparse.ArgumentParser) -> None:
    for name in ("collection", "tag"):
        _add_repeatable(command, name, "NAME", f"ask this {name} alone; repeat", f"{name}s")


def _add_ignore(command: argparse.ArgumentParser) -> None:
    _add_repeatable(command, "ignore", "PATTERN", "pass over, as a line of .gitignore would")


def _add_passwords(command: argparse.ArgumentParser) -> None:
    _add_repeatable(command, "password", "PASSWORD", "try this on encrypted files; it is not kept", "passwords")


def _add_settings(command: argparse.ArgumentParser, *, many_presets: bool = False) -> None:
    command.add_argument(
        "--preset", metavar="NAME", action="append" if many_presets else "store", help="start from a named preset"
    )
    _add_repeatable(command, "set", "STAGE.FIELD=VALUE", "change one setting", "values")


def _add_repeatable(
    command: argparse.ArgumentParser, name: str, metavar: str, text: str, dest: str = "", kind: type = str
) -> None:
    """Add an option that may be repeated. Its values are a list, stored under ``dest`` or else ``name``."""
    command.add_argument(
        f"--{name}", metavar=metavar, action="append", default=[], help=text, dest=dest or name, type=kind
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    options = build_parser().parse_args(arguments)
    # Imported here, so that --help and errors in the arguments are fast.
    from core.cli.commands import COMMANDS

    return run_command(COMMANDS[options.command], options)


def run_command(command: Callable[[argparse.Namespace], int], options: argparse.Namespace) -> int:
    """Run a command and return its exit code. An expected failure is a sentence on stderr and exit code 2."""
    from core.cli.console import complain

    try:
        return command(options)
    except LecternError as error:
        complain(str(error))
        return 2
    except BrokenPipeError:
        # The reader of stdout is gone. Without this, flushing at exit would fail again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 2
    except OSError as error:
        complain(f"{error.filename or 'The output'} cannot be used: {error.strerror or error}.")
        return 2
    except KeyboardInterrupt:
        print("Stopped. What was finished is kept; run the same command to go on.", file=sys.stderr)
        return 2
