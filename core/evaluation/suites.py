"""Evaluation suites: a folder of documents and questions whose gold answers are spans of those documents."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.errors import SuiteError
from core.evaluation import fields

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
    """One document: a file (``path``, its text unknown until it is parsed) or a text of ``documents.jsonl``.

    ``name``: what questions call it. ``version_id``: hex SHA-256 of its bytes, so identical documents share one.
    ``size``: of a file in bytes, of a text in characters.
    """

    name: str
    path: Path | None
    text: str | None
    version_id: str
    size: int = 0


@dataclass(frozen=True, slots=True)
class Question:
    """``gold`` empty: the library does not say. ``answer`` None and ``relevant_documents`` None: not given.

    ``kind``: the suite's own word for what makes the question hard; "" for none, and no part of any fingerprint.
    """

    id: str
    question: str
    gold: tuple[GoldSpan, ...]
    answer: str | None = None
    relevant_documents: tuple[str, ...] | None = None
    kind: str = ""


@dataclass(frozen=True, slots=True)
class Suite:
    """Documents in name order, questions in file order."""

    name: str
    root: Path
    documents: tuple[SuiteDocument, ...]
    questions: tuple[Question, ...]

    def documents_fingerprint(self) -> str:
        """Hex SHA-256 of the documents' names and bytes: equal means a library built for one serves the other."""
        return _digest([[item.name, item.version_id] for item in self.documents])

    def fingerprint(self) -> str:
        """Hex SHA-256 of all that scoring depends on: documents, questions, gold. Where the folder lies is no part."""
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

    Documents of the folder are taken with all below it (names that begin with a dot are passed over) and are named by
    their path under it, with ``/``. Texts of ``documents.jsonl`` have their newlines made ``\\n`` and lose a byte
    order mark, so gold offsets address them as they address a file. Unknown fields are ignored.

    Raises ``SuiteError``, with file and line, for whatever is missing, malformed, unknown, double or out of range.
    Gold in files is checked against the text when the bench has parsed them.
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
        text = text.replace("\r\n", "\n").replace("\r", "\n").removeprefix("\ufeff")
        documents[name] = SuiteDocument(name, None, text, hashlib.sha256(text.encode()).hexdigest(), len(text))
    return tuple(documents[name] for name in sorted(documents))


def _questions(path: Path, documents: Mapping[str, SuiteDocument]) -> tuple[Question, ...]:
    if not path.is_file():
        raise SuiteError(f"{path} is missing.", _FORMAT)
    questions: dict[str, Question] = {}
    for place, row in _rows(path):
        fields.require(row, ("id", "question", "gold"), place, _FORMAT)
        identifier, text = fields.text(row, "id", place), fields.text(row, "question", place)
        if identifier in questions:
            raise SuiteError(f"{place}: the id {identifier!r} stands there twice.", "Ids must differ.")
        gold = tuple(_gold(item, place, documents) for item in fields.sequence(row, "gold", place))
        answer = None if row.get("answer") is None else fields.text(row, "answer", place, empty=True)
        relevant = None
        if row.get("relevant_documents") is not None:
            judged = fields.sequence(row, "relevant_documents", place)
            relevant = tuple(_known(item, place, documents) for item in judged)
        kind = fields.text(row, "kind", place, empty=True) if isinstance(row.get("kind"), str) else ""
        questions[identifier] = Question(identifier, text, gold, answer, relevant, kind)
    if not questions:
        raise SuiteError(f"{path} has no questions.", _FORMAT)
    return tuple(questions.values())


def _gold(item: object, place: str, documents: Mapping[str, SuiteDocument]) -> GoldSpan:
    if not isinstance(item, dict):
        raise SuiteError(f"{place}: a gold span is {fields.shown(item)}.", 'It must be {"document", "start", "end"}.')
    fields.require(item, ("document", "start", "end"), place, _FORMAT)
    name = _known(item["document"], place, documents)
    start, end = _offset(item, "start", place), _offset(item, "end", place)
    if not 0 <= start < end:
        raise SuiteError(f"{place}: gold [{start}, {end}) of {name!r} is no span.", "It needs 0 <= start < end.")
    text = documents[name].text
    if text is not None and end > len(text):
        raise SuiteError(
            f"{place}: gold [{start}, {end}) leaves {name!r}, which has {len(text)} characters.",
            "Offsets count code points, with newlines as one.",
        )
    return GoldSpan(name, start, end)


def _known(name: object, place: str, documents: Mapping[str, SuiteDocument]) -> str:
    if not isinstance(name, str) or name not in documents:
        raise SuiteError(f"{place}: there is no document {fields.shown(name)} in the suite.", "Check the spelling.")
    return name


def _rows(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Each non-blank line's object with its place, ``questions.jsonl, line 3``."""
    for number, line in enumerate(_lines(path), start=1):
        if not line.strip():
            continue
        place = f"{path}, line {number}"
        try:
            row = json.loads(line.decode("utf-8-sig"))
        except UnicodeDecodeError as error:
            raise SuiteError(f"{place} is not UTF-8.", "Save the file as UTF-8.") from error
        except (ValueError, RecursionError) as error:
            raise SuiteError(f"{place} is not JSON ({error}).", "Each line is one JSON object.") from error
        if not isinstance(row, dict):
            raise SuiteError(f"{place} is {fields.shown(row)}.", "Each line is one JSON object.")
        yield place, row


def _lines(path: Path) -> Iterable[bytes]:
    try:
        return path.read_bytes().split(b"\n")
    except OSError as error:
        raise SuiteError(f"{path} cannot be read: {error.strerror}.") from error


def _offset(row: Mapping[str, Any], name: str, place: str) -> int:
    value = row[name]
    if not isinstance(value, int) or isinstance(value, bool):
        raise SuiteError(f"{place}: {name!r} is {fields.shown(value)}.", "It must be a whole number.")
    return value


def _digest(value: object) -> str:
    return hashlib.sha256(json.dumps(value, separators=(",", ":")).encode()).hexdigest()
