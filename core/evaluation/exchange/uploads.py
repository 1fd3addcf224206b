"""Judgments as files: reads what a person gives, in whatever format, and packs judgments as a .zip."""

from __future__ import annotations

import csv
import io
import lzma
import struct
import zipfile
import zlib
from collections.abc import Mapping
from fnmatch import fnmatchcase
from pathlib import Path, PurePosixPath

from core.errors import SuiteError
from core.evaluation.exchange import FORMATS, chroma, ours
from core.evaluation.exchange.values import Exchange, Format, as_text, read_files
from core.parsing import parse
from core.settings import ParsingSettings
from core.text.cells import table_rows

NAMES = {"table": "A table", "ours": "Lectern", "chroma": "Chroma CSV", "squad": "SQuAD", "beir": "BEIR"}
_MARK = b"\xef\xbb\xbf"  # that Excel begins a CSV with
SHEETS = (".xlsx", ".xlsm", ".xls", ".ods")
MOST_BYTES, MOST_FILES = 1_000_000_000, 50_000  # limits of an unpacked archive
# Errors of a damaged or encrypted archive, or of an unknown compression, from zipfile and the modules it uses.
_UNPACKABLE = (
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    struct.error,
    EOFError,
    ValueError,
    RuntimeError,
    OSError,
    OverflowError,
)
_FOLDERS = {"ours": "documents", "chroma": "corpora"}  # by format: the folder for documents uploaded without one


def read_uploads(uploads: Mapping[str, bytes], chosen: str = "") -> tuple[str, Exchange]:
    """The name of the uploads' format, and their judgments.

    ``uploads``: bytes by file name; a .zip is unpacked. ``chosen``: the format, "" to guess it.
    Raises ``SuiteError`` if the format is unknown, or a file is not valid in it.
    """
    files = unpacked(uploads)
    name = chosen or guess(files)
    form = FORMATS[name]
    texts = {
        path: as_text(data, path, document=path.startswith("documents/"))
        for path, data in sorted(arranged(files, name).items())
        if any(_matches(path, pattern) for pattern in (form.pattern, *form.companions))
    }
    if not texts:
        raise SuiteError(f"There is no {form.title} data in these files.", f"Its main file is {form.file}.")
    return name, form.read(texts)


def read_path(path: Path, chosen: str = "") -> tuple[str, Exchange]:
    """``read_uploads`` of a file with those that belong to it, or of a folder. Raises ``SuiteError``."""
    try:
        if path.suffix.lower() in (".zip", *SHEETS):
            return read_uploads({path.name: path.read_bytes()}, chosen)
        beside = [item for item in path.iterdir() if item.is_file()] if path.is_dir() else [path]
        name = chosen or guess({item.name: item.read_bytes() for item in beside})
    except OSError as error:
        raise SuiteError(f"{path} cannot be read: {error.strerror}.", "Check the path.") from error
    return name, FORMATS[name].read(read_files(FORMATS[name], path))


def _matches(path: str, pattern: str) -> bool:
    """Whether ``Path.glob`` would find the file: a single star does not match "/".

    >>> _matches("a.json", "*.json"), _matches("a/b.json", "*.json"), _matches("documents/a/b.md", "documents/**/*")
    (True, False, True)
    """
    deep = "**" in pattern or path.count("/") == pattern.count("/")
    return deep and fnmatchcase(path, pattern.replace("**/*", "*"))


def unpacked(uploads: Mapping[str, bytes]) -> dict[str, bytes]:
    """The files by relative path, archives unpacked, spreadsheets as CSV.

    Without the one folder that an archive may consist of, and without hidden files and paths that leave the archive.
    """
    files: dict[str, bytes] = {}
    for name, data in uploads.items():
        if name.lower().endswith(".zip"):
            files |= _entries(name, data)
        elif name.lower().endswith(SHEETS):
            files[f"{PurePosixPath(name).stem}.csv"] = _sheet(name, data)
        else:
            files[PurePosixPath(name.replace("\\", "/")).name] = data
    return files


def _sheet(name: str, data: bytes) -> bytes:
    """The tables of a spreadsheet as one CSV."""
    document, written = parse(data, name, ParsingSettings()), io.StringIO(newline="")
    writer = csv.writer(written)
    for block in document.blocks:
        writer.writerows(table_rows(document.text, block))
    return written.getvalue().encode()


def _entries(name: str, data: bytes) -> dict[str, bytes]:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            infos = [info for info in archive.infolist() if _inside(info.filename) and not info.is_dir()]
            if len(infos) > MOST_FILES or sum(info.file_size for info in infos) > MOST_BYTES:
                raise SuiteError(
                    f"{name} unpacks to more than {MOST_BYTES // 10**9} GB.", "Give the files without the archive."
                )
            paths = {info.filename: PurePosixPath(info.filename).parts for info in infos}
            tops = {parts[0] for parts in paths.values()}
            in_one_folder = len(tops) == 1 and all(len(parts) > 1 for parts in paths.values())
            known = tops & {"documents", "corpora", "qrels"}
            skipped = 1 if in_one_folder and not known else 0
            return {"/".join(paths[info.filename][skipped:]): archive.read(info) for info in infos}
    except _UNPACKABLE as error:
        reason = str(error).rstrip(".") or "it ends too early"
        raise SuiteError(f"{name} cannot be unpacked: {reason}.", "Unpack it, and give the files.") from error


def _inside(path: str) -> bool:
    """Whether a path is relative without "..", and no hidden file or folder.

    >>> _inside("qrels/test.tsv"), _inside("../x"), _inside("/x"), _inside("a/.DS_Store"), _inside("__MACOSX/a")
    (True, False, False, False, False)
    """
    parts = PurePosixPath(path.replace("\\", "/")).parts
    return bool(parts) and parts[0] not in ("/", "__MACOSX") and not any(part.startswith(".") for part in parts)


def guess(files: Mapping[str, bytes]) -> str:
    """The format of files, guessed from their names and first lines. Raises ``SuiteError`` if none fits.

    >>> guess({"a.csv": b"question,references,corpus_id", "wiki.md": b""}), guess({"train.json": b'{"data": []}'})
    ('chroma', 'squad')
    >>> guess({"corpus.jsonl": b"", "queries.jsonl": b""}), guess({"q.jsonl": b'{"question": "?", "gold": []}'})
    ('beir', 'ours')
    >>> guess({"mine.csv": b"Question;Answer\\n?;14"}), guess({"mine.jsonl": b'{"question": "?", "answer": "14"}'})
    ('table', 'table')
    """
    kept = {path: data for path, data in files.items() if not path.startswith(("documents/", "corpora/"))}
    paths = [PurePosixPath(path) for path in kept]
    suffixes = {path.suffix.lower() for path in paths}
    if "corpus.jsonl" in {path.name for path in paths}:
        return "beir"
    heads = [(path.suffix.lower(), kept[str(path)].lstrip(_MARK).lstrip().partition(b"\n")[0]) for path in paths]
    if any(suffix == ".jsonl" and b'"gold"' in head for suffix, head in heads):
        return "ours"
    if any(suffix == ".csv" and all(name.encode() in head for name in chroma.COLUMNS) for suffix, head in heads):
        return "chroma"
    if any(suffix == ".json" and head.startswith(b"{") for suffix, head in heads):
        return "squad"
    if suffixes & {".csv", ".tsv", ".jsonl", ".json"}:
        return "table"
    raise SuiteError(
        "These files are no judgments in a format Lectern knows.",
        "It reads .csv, .tsv, .xlsx, .ods, .jsonl, .json and .zip.",
    )


def arranged(files: Mapping[str, bytes], name: str) -> dict[str, bytes]:
    """The files by the paths at which their format expects them, whatever names they were uploaded with.

    >>> sorted(arranged({"corpus.jsonl": b"", "queries.jsonl": b"", "test.tsv": b""}, "beir"))
    ['corpus.jsonl', 'qrels/test.tsv', 'queries.jsonl']
    >>> sorted(arranged({"mine.jsonl": b"", "tea.md": b""}, "ours")), list(arranged({"wiki.md": b""}, "chroma"))
    (['documents/tea.md', 'questions.jsonl'], ['corpora/wiki.md'])
    """
    form = FORMATS[name]
    return {_expected_path(path, name, form, files): data for path, data in files.items()}


def _expected_path(path: str, name: str, form: Format, files: Mapping[str, bytes]) -> str:
    pure = PurePosixPath(path)
    patterns = (form.pattern, *(companion for companion in form.companions if "/" not in companion))
    if "/" in path or any(pure.match(pattern) for pattern in patterns):
        return path
    if pure.suffix == PurePosixPath(form.file).suffix and form.file not in files:
        return form.file
    if name == "beir":
        return f"qrels/{path}" if pure.suffix == ".tsv" else path
    return f"{_FOLDERS[name]}/{path}" if name in _FOLDERS else path


def packed(exchange: Exchange) -> bytes:
    """The judgments as a suite in a .zip; the same judgments give the same bytes."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for path, text in ours.write(exchange).items():
            archive.writestr(zipfile.ZipInfo(path), text.encode(), zipfile.ZIP_DEFLATED)  # a fixed date, not now
    return buffer.getvalue()
