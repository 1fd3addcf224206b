"""A library's judgments as questions: for a suite of the library's own documents, and for export.

The bench builds another library from the suite's files. The gold is valid there only if the bench parses the files as
this library does: run every preset with ``replace(settings, parsing=library.settings.parsing)``.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
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
    """A library's judgments, grouped by question.

    ``names``: version -> document name, for all live versions in the order of the sources. ``exchange``: the questions
    and anchors, without the documents' texts. ``lost``: judgments whose gold is no longer in a live document; they are
    in no question.
    """

    names: Mapping[str, str]
    exchange: Exchange
    lost: tuple[JudgmentRow, ...]


def judged_questions(library: Library, origins: Collection[str] = ORIGINS) -> Judged:
    """The library's valid judgments of these ``origins``, grouped by question.

    A question has all its gold spans, or none where it was judged unanswerable; spans win where both were judged. Its
    kind is the origin of its judgments, "human" where a person is among them, so that reports can be broken down by it.
    Its id comes from its first judgment. A document is named after its first source, with a safe and unique name.
    """
    first: dict[str, str] = {}
    for source in library.sources():
        first.setdefault(source.version_id, source.name)
    names = dict(zip(first, unique_names(first.values()), strict=True))
    rows = [row for row in library.judgments() if row.judgment.origin in origins]
    rows_by_question: dict[str, list[JudgmentRow]] = {}
    for row in rows:
        if row.unanswerable or (row.held and row.version_id in names):
            rows_by_question.setdefault(row.judgment.question, []).append(row)
    questions: list[Question] = []
    anchors: dict[GoldSpan, Anchor] = {}
    origin_of: dict[str, str] = {}
    for text, judgments in rows_by_question.items():
        gold: dict[GoldSpan, None] = {}
        for row in judgments:
            if row.version_id is not None and row.start is not None and row.end is not None:
                span = GoldSpan(names[row.version_id], row.start, row.end)
                gold[span] = None
                anchors[span] = Anchor(row.judgment.quote, row.judgment.before, row.judgment.after)
        answer = next((row.judgment.answer for row in judgments if row.judgment.answer), None)
        origin = min((row.judgment.origin for row in judgments), key=ORIGINS.index)
        questions.append(Question(f"judgment-{judgments[0].id}", text, tuple(gold), answer, kind=origin))
        origin_of[questions[-1].id] = origin
    exchange = Exchange(dict.fromkeys(names.values()), tuple(questions), anchors, origin_of)
    return Judged(names, exchange, tuple(row for row in rows if row.lost))


def with_texts(library: Library, judged: Judged) -> Exchange:
    """The judgments with the text of every live document, for export."""
    texts = {name: library.document(version).text for version, name in judged.names.items()}
    return replace(judged.exchange, documents=texts)


def by_origin(kinds: Iterable[str]) -> str:
    """How many questions come from each origin, in words; "" where all come from one.

    ``kinds``: of the questions; those that are no origin are not counted.

    >>> by_origin(["human", "synthetic", "synthetic"]), by_origin(["human", "conflict"])
    ('1 by hand, 2 by a program', '')
    """
    counts = Counter(kinds)
    parts = [f"{counts[origin]:,} {ORIGIN_WORDS[origin]}" for origin in ORIGINS if counts[origin]]
    return ", ".join(parts) if len(parts) > 1 else ""


def write_judged_suite(
    library: Library, folder: Path, origins: Collection[str] = ORIGINS, *, linked: bool = True
) -> Path:
    """Write a suite into ``folder``: every live document as its original file, and the judgments of ``origins``.

    ``linked``: the files are hard links to the library's originals where possible; do not write to them. Attachments
    are files of their own. Documents that are already right are kept, so that a bench can reuse their library; else the
    suite is written to a temporary folder and renamed, so that nobody reads an incomplete one.

    Raises ``SuiteError`` where there is no valid judgment, or the folder cannot be written.
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
        if _has_files(folder / DOCUMENTS_FOLDER, files):
            _write_questions(folder, lines)
        else:
            _replace_suite(folder, files, lines, _link if linked else shutil.copyfile)
    except OSError as error:
        raise SuiteError(
            f"The suite {folder} cannot be written: {error.strerror or error}.", "Make room, or name another folder."
        ) from error
    return folder


def write_suite(exchange: Exchange, folder: Path) -> Path:
    """Write a data set with its documents' texts as a suite into ``folder``.

    Raises ``SuiteError`` where a text is missing, or the folder has other files or cannot be written.
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


def _has_files(folder: Path, files: Mapping[str, Path]) -> bool:
    """Whether a folder has exactly these files, as hard links or equal copies."""
    if not folder.is_dir() or {path.name for path in folder.iterdir()} != set(files):
        return False
    return all(_same(folder / name, original) for name, original in files.items())


def _same(path: Path, original: Path) -> bool:
    if path.samefile(original):
        return True
    return path.stat().st_size == original.stat().st_size and path.read_bytes() == original.read_bytes()


def _replace_suite(
    folder: Path, files: Mapping[str, Path], lines: bytes, place: Callable[[Path, Path], object]
) -> None:
    """Write the suite to a temporary folder and move it to ``folder``; the previous suite is deleted."""
    temporary = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
    new, previous = temporary / "made", temporary / "before"
    try:
        (new / DOCUMENTS_FOLDER).mkdir(parents=True)
        for name, original in files.items():
            place(original, new / DOCUMENTS_FOLDER / name)
        (new / QUESTIONS_FILE).write_bytes(lines)
        with suppress(FileNotFoundError):
            folder.rename(previous)
        try:
            new.rename(folder)
        except OSError:
            with suppress(OSError):
                previous.rename(folder)
            raise
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


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
