"""The value that every format is read into, and the reading and writing of a data set's files."""

from __future__ import annotations

import csv
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path, PurePath

from core.errors import ParseError, SuiteError
from core.evaluation.fields import shown
from core.evaluation.suites import DOCUMENTS_FOLDER, OWN_TEXT, GoldSpan, Question
from core.parsing.file_kinds import detect_kind
from core.text.anchoring import find_quote, surroundings
from core.types import Span

# The files of a data set: relative path with "/" -> text; ``None`` for a document that is not plain text.
Files = Mapping[str, str | None]


@dataclass(frozen=True, slots=True)
class Anchor:
    """The text of a gold span and around it, to find it again where its offsets do not hold."""

    quote: str
    before: str = ""
    after: str = ""


@dataclass(frozen=True, slots=True)
class Quoted:
    """A question whose gold is known by its words alone.

    ``quotes``: passages that answer it, () where none is given. ``document``: the name of theirs, "" for any.
    ``unanswerable``: the documents are said not to answer it.
    """

    question: str
    quotes: tuple[str, ...] = ()
    answer: str = ""
    document: str = ""
    unanswerable: bool = False


@dataclass(frozen=True, slots=True)
class Exchange:
    """The judgments of a data set, in no particular format.

    ``documents``: name -> text, ``None`` where the data set does not contain it. ``anchors``: of gold whose text is
    known. ``origins``: question id -> who judged it, where that is known. ``quoted``: further questions, whose gold is
    still to be found. ``unread``: headers of columns that nothing was taken from.
    """

    documents: Mapping[str, str | None]
    questions: tuple[Question, ...]
    anchors: Mapping[GoldSpan, Anchor] = field(default_factory=dict)
    origins: Mapping[str, str] = field(default_factory=dict)
    quoted: tuple[Quoted, ...] = ()
    unread: tuple[str, ...] = ()

    def anchor(self, gold: GoldSpan) -> Anchor | None:
        """The anchor of a gold span, if need be from the document's text; ``None`` where neither is known."""
        anchor, text = self.anchors.get(gold), self.documents.get(gold.document)
        if anchor is not None or text is None or gold.end > len(text):
            return anchor
        return Anchor(text[gold.start : gold.end], *surroundings(text, Span(gold.start, gold.end)))


@dataclass(frozen=True, slots=True)
class Format:
    """A format of data sets.

    ``title``: for the user. ``file``: the usual name of its main file. ``pattern``: a glob of such files, each a data
    set of its own. ``companions``: globs of the files that belong to it, in the same folder. ``read``: parses the files
    and raises ``SuiteError`` with file and line, or with the path to the field.
    """

    title: str
    file: str
    pattern: str
    companions: tuple[str, ...]
    read: Callable[[Files], Exchange]


def place_quote(document: str, text: str | None, quote: str, start: int, place: str) -> tuple[GoldSpan, Anchor]:
    """The gold span and anchor of a quotation in a document, near ``start`` if the offset is wrong.

    Where ``text`` is ``None`` the offset is trusted. Raises ``SuiteError`` where the text does not have the quotation.
    """
    if not quote.strip():
        raise SuiteError(
            f"{place}: the answer's text is {shown(quote)}.", "A question without an answer has no answers."
        )
    end = start + len(quote)
    if text is not None and text[start:end] != quote:
        found = find_quote(text, quote, "", "", start)
        if found is None:
            raise SuiteError(f"{place}: {shown(quote)} is not in the text of {document}.", "Check text and offset.")
        start, end = found.start, found.end
        quote = text[start:end]
    return GoldSpan(document, start, end), Anchor(quote)


def read_files(form: Format, path: Path) -> dict[str, str | None]:
    """The files of a data set: all files of the format in folder ``path``, or the file ``path`` and its companions.

    A document that is not plain UTF-8 text is ``None``. Raises ``SuiteError`` for missing or unreadable files.
    """
    if not path.exists():
        raise SuiteError(f"There is no {path}.", "Check the path.")
    files: dict[str, str | None] = {}
    root, patterns = path, [form.pattern, *form.companions]
    if not path.is_dir():
        root = path.parent
        if not any(PurePath(path.name).match(pattern) for pattern in form.companions):
            files[path.name if PurePath(path.name).match(form.pattern) else form.file] = _text(path, document=False)
            patterns = [*form.companions]
    for pattern in patterns:
        for found in sorted(root.glob(pattern)):
            relative = found.relative_to(root)
            if found.is_file() and not any(part.startswith(".") for part in relative.parts):
                files[relative.as_posix()] = _text(found, document=relative.parts[0] == DOCUMENTS_FOLDER)
    if not files:
        raise SuiteError(f"{path} holds no {form.title} data.", f"Its main file is {form.file}.")
    return files


def write_files(files: Mapping[str, str], folder: Path) -> list[Path]:
    """Write the files of a suite into a folder and return their paths. Raises ``SuiteError`` where that fails."""
    written = []
    for name, text in files.items():
        target = folder / name
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(text.encode())
        except OSError as error:
            raise SuiteError(f"{target} cannot be written: {error.strerror}.", "Name another place.") from error
        written.append(target)
    return written


def _text(path: Path, *, document: bool) -> str | None:
    try:
        data = path.read_bytes()
    except OSError as error:
        raise SuiteError(f"{path} cannot be read: {error.strerror}.", "Make it readable, or remove it.") from error
    return as_text(data, str(path), document=document)


def as_text(data: bytes, path: str, *, document: bool) -> str | None:
    """The text of a file; ``None`` for a ``document`` that is not plain text. Raises ``SuiteError`` for other files."""
    if document:
        kind = ""
        with suppress(ParseError):
            kind = detect_kind(data, PurePath(path).name)
        if kind not in OWN_TEXT:
            return None
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        if document:
            return None
        raise SuiteError(f"{path} is not UTF-8.", "Save the file as UTF-8.") from error


@contextmanager
def long_csv_fields() -> Iterator[None]:
    """Lift the csv module's limit of 128 KiB a field, which a passage may exceed."""
    before = csv.field_size_limit(sys.maxsize)
    try:
        yield
    finally:
        csv.field_size_limit(before)
