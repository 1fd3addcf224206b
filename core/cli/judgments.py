"""The commands ``judgments`` (list, import, export and generate them) and ``refit`` (fit settings to them)."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.cli import console, contract
from core.cli.options import home, needed_model, open_to_read, require_library
from core.errors import LecternError
from core.library import Failure, JudgmentRow, Library

if TYPE_CHECKING:
    from core.evaluation.making.making import MadeQuestion


def judgments(options: Namespace) -> int:
    """List, import, export or make judgments, as ``action`` says."""
    return {"list": _list, "import": _import, "export": _export, "make": _make}[options.action](options)


def _list(options: Namespace) -> int:
    """Print every judgment with the present place of its gold."""
    with open_to_read(home(options)) as library:
        rows = library.judgments()
    lines = [f"{row.id}  {console.shown(row.judgment.question)}  [{console.shown(_place(row))}]" for row in rows]
    console.answer(options, {"judgments": [contract.judgment(row) for row in rows]}, "\n".join(lines))
    return 0


def _place(row: JudgmentRow) -> str:
    if row.unanswerable:
        return "the library does not say"
    return row.lost or f"{row.source} {row.start}-{row.end}"


def _import(options: Namespace) -> int:
    """Import a data set's questions into the library or, with ``--suite``, write them as a suite folder."""
    from core.evaluation.exchange.importing import import_judgments
    from core.evaluation.exchange.judged import write_suite
    from core.evaluation.exchange.uploads import read_path

    form, exchange = read_path(_path(options), options.format)
    if options.suite is not None:
        if exchange.quoted:
            raise LecternError("A table of questions has no documents.", "Import it into a library.")
        folder = write_suite(exchange, options.suite)
        documents, questions = len(exchange.documents), len(exchange.questions)
        console.answer(
            options,
            {"format": form, "suite": str(folder), "documents": documents, "questions": questions, "failures": []},
            f"{questions} questions over {documents} documents written to {folder}",
        )
        return 0
    with Library.open(require_library(home(options))) as library:
        imported = import_judgments(library, exchange)
    failures = [Failure(question, reason) for question, reason in imported.unplaced]
    count, questions = len(imported.judgments), len(exchange.questions) + len(exchange.quoted)
    if exchange.unread:
        console.complain(f"Not read: the columns {', '.join(f'“{console.shown(name)}”' for name in exchange.unread)}.")
    console.answer(
        options,
        {
            "format": form,
            "questions": questions,
            "judgments": list(imported.judgments),
            "failures": contract.failures(failures),
        },
        f"{questions} questions, {count} judgments, {len(failures)} not placed",
    )
    return console.exit_code(failures, count)


def _export(options: Namespace) -> int:
    """Write the judgments with all documents as a suite that measures as the page does. Lost ones are failures."""
    from core.evaluation.exchange.judged import judged_questions, write_judged_suite

    if options.format not in ("", "ours"):
        raise LecternError("Judgments are written as a suite of Lectern's own.", "Leave --format out.")
    path = _path(options)
    with open_to_read(home(options)) as library:
        judged = judged_questions(library)
        if not judged.exchange.questions:
            raise LecternError("No judgment of this library holds.", "There is nothing to export.")
        write_judged_suite(library, path, linked=False)
    written = sorted(file for file in path.rglob("*") if file.is_file())
    failures = [Failure(row.judgment.question, row.lost) for row in judged.lost]
    count = len(judged.exchange.questions)
    console.answer(
        options,
        {"questions": count, "files": [str(file) for file in written], "failures": contract.failures(failures)},
        f"{count} questions written to {path}, {len(failures)} judgments lost",
    )
    return console.exit_code(failures, count)


def _make(options: Namespace) -> int:
    """Generate questions from the documents and store them as judgments of origin "synthetic"."""
    from core.evaluation.making.making import keep, make_questions
    from core.evaluation.making.suggesting import suggested_size

    if options.count < 1:
        raise LecternError(f"--count {options.count} makes nothing.", "Ask for one question or more.")
    ask = needed_model("--written").complete if options.written else None
    watch = console.Progress().counting("question")
    with Library.open(require_library(home(options))) as library:
        made = make_questions(library, options.count, options.seed, watch, ask)
        keep(library, made)
        judgment_count = len(library.judgments())
        size = suggested_size(library.model.counter.count([item.quote for item in made if item.gold]))
    lines = [f"{item.kind}  {console.shown(item.question)}  [{console.shown(item.document)}]" for item in made]
    lines.append(f"{len(made)} questions made and kept, origin synthetic; {options.count} were asked for")
    if size:
        lines.append(f"chunks of {size[0]} to {size[1]} tokens are three to five times the median gold")
    result = {
        "questions": [_question_row(item) for item in made],
        "judgments": judgment_count,
        "asked": options.count,
        "chunk_tokens": size,
    }
    console.answer(options, result, "\n".join(lines))
    return 0 if len(made) == options.count else 1 if made else 2


def _question_row(question: MadeQuestion) -> dict[str, Any]:
    """A generated question with its gold. ``overlap``: share of its words that are in the gold."""
    gold = [{"version_id": place.version_id, **contract.pick(place.span, "start end")} for place in question.gold]
    row = contract.pick(question, "question others kind quote answer overlap")
    return {**row, "source": question.document, "gold": gold}


def refit(options: Namespace) -> int:
    """Fit settings to half of the judgments and validate them on the other; ``--apply`` them where they gain."""
    from core.evaluation.exchange.judged import by_origin, judged_questions
    from core.refitting.fitting import refit as fit
    from core.refitting.taught_rerankers import careful_model

    progress = console.Progress()

    def watch(what: str, share: float) -> None:
        progress.show(f"{100 * share:.0f} %  {what}")

    with Library.open(require_library(home(options))) if options.apply else open_to_read(home(options)) as library:
        judged = judged_questions(library)
        refitted = fit(library, judged, watch=watch, careful=careful_model(library))
        applied = options.apply and bool(refitted.gains)
        if applied:
            library.apply(refitted.onto(library.settings))
    lines = [refitted.sentence]
    lines += [f"{name}: {before:g} -> {after:g}" for name, (before, after) in refitted.changes.items()]
    lines += [refitted.careful_sentence] if refitted.careful else []
    origins = by_origin(question.kind for question in judged.exchange.questions if question.gold)
    lines += [f"The questions: {origins}."] if origins else []
    lines += [f"Applied: {', '.join(refitted.gains)}."] if applied else []
    console.answer(options, contract.refitted(refitted, applied=applied), "\n".join(lines))
    return 1 if options.apply and not applied else 0


def _path(options: Namespace) -> Path:
    if options.path is None:
        raise LecternError(f"judgments {options.action} needs a PATH.", "Name the file or folder of the data set.")
    return Path(options.path)
