"""What every format is read into, and the files of a data set: documents by name, questions with their gold."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path, PurePath

from core.errors import ParseError, SuiteError
from core.evaluation.fields import shown
from core.evaluation.suites import DOCUMENTS_FOLDER, OWN_TEXT, GoldSpan, Question
from core.parsing.file_kinds import detect_kind
from core.text.anchoring import find_quote, surroundings
from core.types import Span

# The files of a data set: relative path with "/", and its text; ``None`` for a document that is no plain text.
Files = Mapping[str, str | None]


@dataclass(frozen=True, slots=True)
class Anchor:
    """The words of a gold span and what stands around them, so that it can be found where offsets do not hold."""

    quote: str
    before: str = ""
    after: str = ""


@dataclass(frozen=True, slots=True)
class Exchange:
    """Judgments as they travel. ``documents``: their texts, ``None`` where the format does not carry it.

    ``anchors``: of the gold whose words are known. ``origins``: who judged a question, by its id, where that is told.
    """

    documents: Mapping[str, str | None]
    questions: tuple[Question, ...]
    anchors: Mapping[GoldSpan, Anchor] = field(default_factory=dict)
    origins: Mapping[str, str] = field(default_factory=dict)

    def anchor(self, gold: GoldSpan) -> Anchor | None:
        """The words of a gold span, from the text where nothing else tells; ``None`` where they are not known."""
        known, text = self.anchors.get(gold), self.documents.get(gold.document)
        if known is not None or text is None or gold.end > len(text):
            return known
        return Anchor(text[gold.start : gold.end], *surroundings(text, Span(gold.start, gold.end)))


@dataclass(frozen=True, slots=True)
class Format:
    """A format that is read. ``read`` raises ``SuiteError`` with file and line, or the way to the field.

    ``title``: for people. ``file``: what its main file is called. ``pattern``: what such files may
    be called; each is a data set of its own. ``companions``: patterns of what belongs to it, in the same folder.
    """

    title: str
    file: str
    pattern: str
    companions: tuple[str, ...]
    read: Callable[[Files], Exchange]


def place_quote(document: str, text: str | None, quote: str, start: int, place: str) -> tuple[GoldSpan, Anchor]:
    """The gold a quotation stands for; where the text is not carried, what the file says of it.

    Raises ``SuiteError`` where the words are not in the text.
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
    """The files of a data set: all those of the format in folder ``path``, or the file ``path`` and its companions.

    Text is UTF-8; a document of a suite that is no plain text is ``None``. Raises ``SuiteError`` for what is not there,
    or cannot be read.
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
    """Write a suite of our own into a folder; returns what was written. ``SuiteError`` where that is not possible."""
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
    """The text of a file of a data set; ``None``: it is a ``document`` of another kind. Raises ``SuiteError``."""
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
