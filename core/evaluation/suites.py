"""Evaluation suites: folders of documents and of questions whose gold answers are spans of those documents.

Also writes a suite's documents as files that a library can read.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.errors import ParseError, SuiteError
from core.evaluation import fields
from core.parsing.file_kinds import detect_kind
from core.parsing.file_names import distinct_names
from core.text.normalise import plain_lines

QUESTIONS_FILE = "questions.jsonl"
DOCUMENTS_FILE = "documents.jsonl"
DOCUMENTS_FOLDER = "documents"
_FORMAT = "DESIGN.md and the README describe the format of a suite."


@dataclass(frozen=True, slots=True, order=True)
class GoldSpan:
    """``[start, end)`` of the named document's text answers the question; never empty."""

    document: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class SuiteDocument:
    """One document: a file (``path``; ``text`` is ``None``) or a text of ``documents.jsonl`` (``path`` is ``None``).

    ``name``: the name that questions use. ``version_id``: hex SHA-256 of its bytes, equal for identical documents.
    ``size``: of a file in bytes, of a text in characters.
    """

    name: str
    path: Path | None
    text: str | None
    version_id: str
    size: int = 0


@dataclass(frozen=True, slots=True)
class Question:
    """One question of a suite.

    ``gold``: the spans that answer it; empty for a question without an answer in the library. ``answer``: the reference
    answer, ``relevant_documents``: names; both ``None`` where the suite gives none. ``kind``: the suite's label for
    what makes the question hard, "" for none; no part of the fingerprints.
    """

    id: str
    question: str
    gold: tuple[GoldSpan, ...]
    answer: str | None = None
    relevant_documents: tuple[str, ...] | None = None
    kind: str = ""


@dataclass(frozen=True, slots=True)
class Suite:
    """A suite in folder ``root``: documents in name order, questions in file order."""

    name: str
    root: Path
    documents: tuple[SuiteDocument, ...]
    questions: tuple[Question, ...]

    def documents_fingerprint(self) -> str:
        """Hex SHA-256 of the documents' names and bytes. Suites with equal ones can share a library."""
        return _digest([[item.name, item.version_id] for item in self.documents])

    def fingerprint(self) -> str:
        """Hex SHA-256 of everything that scoring depends on: documents, questions and gold, but not the folder."""
        questions = [
            [
                item.id,
                item.question,
                [[span.document, span.start, span.end] for span in item.gold],
                item.answer,
                item.relevant_documents,
            ]
            for item in self.questions
        ]
        return _digest([self.documents_fingerprint(), questions])


def load_suite(path: Path) -> Suite:
    """The suite in folder ``path``: ``questions.jsonl`` beside either ``documents/`` or ``documents.jsonl``.

    ``documents/`` is read recursively, without names that begin with a dot; a document's name is its path in it, with
    ``/``. Texts of ``documents.jsonl`` get ``\\n`` newlines and lose a byte order mark, so that gold offsets count as
    in a file. Unknown fields are ignored.

    Raises ``SuiteError``, with file and line, for missing, malformed, unknown, duplicate or out-of-range values. Gold
    in files is only checked by the bench, which knows their text.
    """
    if not path.is_dir():
        raise SuiteError(f"{path} is not a folder.", "A suite is a folder with documents and questions.jsonl.")
    folder, lines = path / DOCUMENTS_FOLDER, path / DOCUMENTS_FILE
    if folder.is_dir() and lines.is_file():
        raise SuiteError(f"{path} has both documents/ and documents.jsonl.", "Keep one of them.")
    if folder.is_dir():
        documents = _folder_documents(folder)
    elif lines.is_file():
        documents = _line_documents(lines)
    else:
        raise SuiteError(f"{path} has neither documents/ nor documents.jsonl.", _FORMAT)
    if not documents:
        raise SuiteError(f"{path} has no documents.", _FORMAT)
    questions = _questions(path / QUESTIONS_FILE, {document.name: document for document in documents})
    return Suite(path.resolve().name, path, documents, questions)


def _folder_documents(folder: Path) -> tuple[SuiteDocument, ...]:
    documents = []
    for path in sorted(folder.rglob("*")):
        relative = path.relative_to(folder)
        if any(part.startswith(".") for part in relative.parts) or not path.is_file():
            continue
        try:
            with path.open("rb") as file:
                version_id, size = hashlib.file_digest(file, "sha256").hexdigest(), file.tell()
        except OSError as error:
            raise SuiteError(f"{path} cannot be read: {error.strerror}.", "Make it readable, or remove it.") from error
        documents.append(SuiteDocument(relative.as_posix(), path, None, version_id, size))
    return tuple(sorted(documents, key=lambda document: document.name))


def _line_documents(path: Path) -> tuple[SuiteDocument, ...]:
    documents: dict[str, SuiteDocument] = {}
    for place, row in _rows(path):
        fields.require(row, ("name", "text"), place, _FORMAT)
        name, text = fields.text(row, "name", place), fields.text(row, "text", place, empty=True)
        if name in documents:
            raise SuiteError(f"{place}: the document {name!r} stands there twice.", "Names must differ.")
        text = plain_lines(text)
        documents[name] = SuiteDocument(name, None, text, hashlib.sha256(text.encode()).hexdigest(), len(text))
    return tuple(documents[name] for name in sorted(documents))


def _questions(path: Path, documents: Mapping[str, SuiteDocument]) -> tuple[Question, ...]:
    if not path.is_file():
        raise SuiteError(f"{path} is missing.", _FORMAT)

    def text_of(name: object, place: str) -> str | None:
        if not isinstance(name, str) or name not in documents:
            raise SuiteError(f"{place}: there is no document {fields.shown(name)} in the suite.", "Check the spelling.")
        return documents[name].text

    questions = tuple(question for question, _ in read_questions(_rows(path), text_of))
    if not questions:
        raise SuiteError(f"{path} has no questions.", _FORMAT)
    return questions


def read_questions(
    rows: Iterable[tuple[str, dict[str, Any]]], text_of: Callable[[object, str], str | None]
) -> Iterator[tuple[Question, dict[str, Any]]]:
    """The questions of ``questions.jsonl``, each with the object it was read from. Raises ``SuiteError``.

    ``rows``: (place, object) pairs. ``text_of(name, place)``: the text of a document, ``None`` where it is not known
    yet; raises ``SuiteError`` for an unknown document.
    """
    ids: set[str] = set()
    for place, row in rows:
        fields.require(row, ("id", "question", "gold"), place, _FORMAT)
        identifier, text = fields.text(row, "id", place), fields.text(row, "question", place)
        if identifier in ids:
            raise SuiteError(f"{place}: the id {identifier!r} stands there twice.", "Ids must differ.")
        ids.add(identifier)
        gold = tuple(
            _gold(item, f"{place}, gold {number}", text_of)
            for number, item in enumerate(fields.sequence(row, "gold", place), start=1)
        )
        answer = None if row.get("answer") is None else fields.text(row, "answer", place, empty=True)
        relevant = None
        if row.get("relevant_documents") is not None:
            relevant = tuple(fields.sequence(row, "relevant_documents", place))
            for name in relevant:
                text_of(name, place)
        kind = fields.text(row, "kind", place, empty=True) if isinstance(row.get("kind"), str) else ""
        yield Question(identifier, text, gold, answer, relevant, kind), row


def _gold(item: object, place: str, text_of: Callable[[object, str], str | None]) -> GoldSpan:
    row = fields.mapping(item, f"{place}: a gold span")
    fields.require(row, ("document", "start", "end"), place, _FORMAT)
    name, text = row["document"], text_of(row["document"], place)
    start, end = fields.offset(row, "start", place), fields.offset(row, "end", place)
    if start >= end:
        raise SuiteError(f"{place}: [{start}, {end}) of {name!r} is no span.", "It needs start < end.")
    if text is not None and end > len(text):
        raise SuiteError(
            f"{place}: [{start}, {end}) leaves {name!r}, which has {len(text)} characters.",
            "Offsets count code points, with newlines as one.",
        )
    return GoldSpan(name, start, end)


def _rows(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """The object of each non-blank line, with its place (``questions.jsonl, line 3``)."""
    try:
        data = path.read_bytes()
        text = data.decode()
    except OSError as error:
        raise SuiteError(f"{path} cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise SuiteError(f"{path}, line {line} is not UTF-8.", "Save the file as UTF-8.") from error
    return fields.rows({str(path): text}, str(path))


def _digest(value: object) -> str:
    return hashlib.sha256(json.dumps(value, separators=(",", ":")).encode()).hexdigest()


OWN_TEXT = ("markdown", "text", "code")
"""File kinds whose canonical text is the file's own text, so that gold offsets are offsets in the file."""

_UNSAFE = re.compile(r"[^\w .+()-]")
_LONGEST = 80


@dataclass(frozen=True, slots=True)
class Staged:
    """The name of a suite's document, and the file that holds its bytes."""

    name: str
    path: Path


def stage_documents(suite: Suite, folder: Path) -> tuple[Staged, ...]:
    """Every document of ``suite`` as a file, in the suite's order.

    Files of the suite are used in place. Texts are written below ``folder``, each under a portable name in a numbered
    folder of its own; files that are already there with the right content are not written again.
    """
    staged = []
    for number, document in enumerate(suite.documents):
        path = document.path
        if path is None:
            data = (document.text or "").encode()
            path = folder / f"{number:06d}" / _text_file_name(document.name, data)
            if not path.is_file() or path.read_bytes() != data:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(data)
        staged.append(Staged(document.name, path))
    return tuple(staged)


def safe_name(name: str) -> str:
    """The last part of path ``name`` with only characters that every file system allows, at most 80.

    >>> safe_name("../a/b\\n*.md"), safe_name(".."), safe_name("x/")
    ('b__.md', 'document', 'document')
    """
    last = _UNSAFE.sub("_", re.split(r"[/\\]", name)[-1]).strip(" .")
    stem, dot, extension = last.rpartition(".")
    if dot and len(extension) <= 10:
        last = f"{stem[: _LONGEST - len(extension) - 1]}.{extension}"
    return last[:_LONGEST] or "document"


def unique_names(names: Iterable[str]) -> list[str]:
    """A safe file name for each name, with its extension. Names that some file system cannot tell apart are numbered.

    >>> unique_names(["in/notes.md", "notes.md", "Notes.MD", "b?.txt"])
    ['notes.md', 'notes (2).md', 'Notes (3).MD', 'b_.txt']
    """
    return distinct_names(map(safe_name, names))


def _text_file_name(name: str, data: bytes) -> str:
    """A safe file name under which the bytes are read as plain text: ``.txt`` is appended to other file kinds."""
    safe = safe_name(name)
    try:
        kind = detect_kind(data, safe)
    except ParseError:
        # As plain text it fails again when it is ingested, and the bench lists the reason.
        kind = ""
    return safe if kind in OWN_TEXT else f"{safe}.txt"


def suite_folder(suite: Suite) -> str:
    """The name of the workspace folder for a suite's documents. Suites with equal names and documents share it."""
    return f"{safe_name(suite.name)}-{suite.documents_fingerprint()[:16]}"
