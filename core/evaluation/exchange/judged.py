"""A library's judgments as questions: to be measured on, as a suite of its own documents, and to travel.

A suite lies in a folder, and the bench makes a library of it. Its gold holds there only if the bench reads the files as
this library does: run every preset with ``replace(settings, parsing=library.settings.parsing)``.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from core.atomic_files import written_whole
from core.errors import SuiteError
from core.evaluation.exchange import ours
from core.evaluation.exchange.values import Anchor, Exchange, write_files
from core.evaluation.suites import (
    DOCUMENTS_FILE,
    DOCUMENTS_FOLDER,
    QUESTIONS_FILE,
    GoldSpan,
    Question,
    load_suite,
    unique_names,
)
from core.library import JudgmentRow, Library
from core.storage.catalogue.judging import ORIGINS
from core.storage.files import FileStore

ORIGIN_WORDS = {"human": "by hand", "imported": "imported", "synthetic": "by a program"}
_NEW_QUESTIONS = f"{QUESTIONS_FILE}.part"


@dataclass(frozen=True, slots=True)
class Judged:
    """A library's judgments by question. ``names``: what each live version is called, in the order of the sources.

    ``exchange``: the questions and the words of their gold, without the texts of the documents. ``lost``: judgments
    whose gold is not there now, and which are therefore in no question.
    """

    names: Mapping[str, str]
    exchange: Exchange
    lost: tuple[JudgmentRow, ...]


def judged_questions(library: Library, origins: Collection[str] = ORIGINS) -> Judged:
    """The judgments that hold, grouped by question: all its spans, or none where it was judged unanswerable.

    ``origins``: whose judgments are taken. A question's kind is who judged it, so that figures can be told apart by
    it: "human" where a person did, whoever else. A question judged both is one with an answer. A question is named
    after its first judgment, a document after its first source; names are safe and differ.
    """
    first: dict[str, str] = {}
    for source in library.sources():
        first.setdefault(source.version_id, source.name)
    names = dict(zip(first, unique_names(first.values()), strict=True))
    rows = [row for row in library.judgments() if row.judgment.origin in origins]
    asked: dict[str, list[JudgmentRow]] = {}
    for row in rows:
        if row.unanswerable or (row.held and row.version_id in names):
            asked.setdefault(row.judgment.question, []).append(row)
    questions: list[Question] = []
    anchors: dict[GoldSpan, Anchor] = {}
    judges: dict[str, str] = {}
    for text, held in asked.items():
        gold: dict[GoldSpan, None] = {}
        for row in held:
            if row.version_id is not None and row.start is not None and row.end is not None:
                span = GoldSpan(names[row.version_id], row.start, row.end)
                gold[span] = None
                anchors[span] = Anchor(row.judgment.quote, row.judgment.before, row.judgment.after)
        answer = next((row.judgment.answer for row in held if row.judgment.answer), None)
        origin = min((row.judgment.origin for row in held), key=ORIGINS.index)
        questions.append(Question(f"judgment-{held[0].id}", text, tuple(gold), answer, kind=origin))
        judges[questions[-1].id] = origin
    exchange = Exchange(dict.fromkeys(names.values()), tuple(questions), anchors, judges)
    return Judged(names, exchange, tuple(row for row in rows if row.lost))


def with_texts(library: Library, judged: Judged) -> Exchange:
    """The judgments that hold, with the text of every live document, so that they travel."""
    texts = {name: library.document(version).text for version, name in judged.names.items()}
    return replace(judged.exchange, documents=texts)


def by_origin(kinds: Iterable[str]) -> str:
    """Of the kinds of questions that were judged: how many a person judged, how many were imported, how many a program
    made, as words; "" where all are of one origin, as nothing is averaged then.

    >>> by_origin(["human", "synthetic", "synthetic"]), by_origin(["human", "conflict"])
    ('1 by hand, 2 by a program', '')
    """
    counts = Counter(kinds)
    told = [f"{counts[origin]:,} {ORIGIN_WORDS[origin]}" for origin in ORIGINS if counts[origin]]
    return ", ".join(told) if len(told) > 1 else ""


def write_judged_suite(library: Library, folder: Path, origins: Collection[str] = ORIGINS) -> Path:
    """Make ``folder`` the suite of a library: every live document as its original file, and the judgments that hold.

    The files are hard links to the library's originals where the file system allows, else copies: they are for reading.
    An attachment is a file of its own. What is there and right is left alone, so that what a bench keeps for these
    documents serves again; what is not is made beside it and renamed, so that nobody reads half a suite. How many
    judgments are lost, and left out, ``judged_questions`` says. ``origins``: whose judgments are taken.

    Raises ``SuiteError`` where no judgment holds, or the folder cannot be written.
    """
    judged = judged_questions(library, origins)
    if not judged.exchange.questions:
        raise SuiteError(
            "No judgment of this library holds.", "Select an answer on Chunks or Ask and type its question."
        )
    lines = ours.questions_text(judged.exchange).encode()
    originals = FileStore(library.home / "files", writable=False)
    files = {name: originals.path(version) for version, name in judged.names.items()}
    folder = folder.absolute()
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        _require_suite_or_nothing(folder, (DOCUMENTS_FOLDER, QUESTIONS_FILE, _NEW_QUESTIONS))
        if _holds(folder / DOCUMENTS_FOLDER, files):
            _write_questions(folder, lines)
        else:
            _make(folder, files, lines)
    except OSError as error:
        raise SuiteError(
            f"The suite {folder} cannot be written: {error.strerror or error}.", "Make room, or name another folder."
        ) from error
    return folder


def write_suite(exchange: Exchange, folder: Path) -> Path:
    """Make ``folder`` a suite of a data set that carries its documents.

    Raises ``SuiteError`` where a text is not carried, or the folder holds other files or cannot be written.
    """
    missing = [name for name, text in exchange.documents.items() if text is None]
    if missing:
        raise SuiteError(
            f"The data set names {missing[0]!r} without its text.", "Put its file beside, or import into a library."
        )
    _require_suite_or_nothing(folder, {QUESTIONS_FILE, DOCUMENTS_FILE})
    write_files(ours.write(exchange), folder)
    load_suite(folder)
    return folder


def _require_suite_or_nothing(folder: Path, parts: Collection[str]) -> None:
    if folder.exists() and not (folder.is_dir() and {path.name for path in folder.iterdir()} <= set(parts)):
        raise SuiteError(f"{folder} holds other files.", "Name a folder that is empty, or not there yet.")


def _holds(folder: Path, files: Mapping[str, Path]) -> bool:
    """Whether a folder holds these files and nothing else; a copy is told by its size and bytes."""
    if not folder.is_dir() or {path.name for path in folder.iterdir()} != set(files):
        return False
    return all(_same(folder / name, original) for name, original in files.items())


def _same(path: Path, original: Path) -> bool:
    if path.samefile(original):
        return True
    return path.stat().st_size == original.stat().st_size and path.read_bytes() == original.read_bytes()


def _make(folder: Path, files: Mapping[str, Path], lines: bytes) -> None:
    """The whole suite beside its place, then put there; the one that was there goes."""
    beside = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
    try:
        made = beside / "made"
        (made / DOCUMENTS_FOLDER).mkdir(parents=True)
        for name, original in files.items():
            _link(original, made / DOCUMENTS_FOLDER / name)
        (made / QUESTIONS_FILE).write_bytes(lines)
        with suppress(FileNotFoundError):
            folder.rename(beside / "before")
        try:
            made.rename(folder)
        except OSError:
            with suppress(OSError):
                (beside / "before").rename(folder)
            raise
    finally:
        shutil.rmtree(beside, ignore_errors=True)


def _link(original: Path, path: Path) -> None:
    try:
        os.link(original, path)
    except OSError:  # another file system, or one without links
        shutil.copyfile(original, path)


def _write_questions(folder: Path, lines: bytes) -> None:
    path = folder / QUESTIONS_FILE
    if path.is_file() and path.read_bytes() == lines:
        return
    with written_whole(path) as unfinished:
        unfinished.write_bytes(lines)
