"""A data set's files, from the disk and onto it."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path, PurePath

from core.errors import ParseError, SuiteError
from core.evaluation.exchange.values import Format
from core.evaluation.suites import DOCUMENTS_FOLDER, OWN_TEXT
from core.parsing import detect_kind


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
    if document:
        kind = ""
        with suppress(ParseError):
            kind = detect_kind(data, path.name)
        if kind not in OWN_TEXT:
            return None
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        if document:
            return None
        raise SuiteError(f"{path} is not UTF-8.", "Save the file as UTF-8.") from error
