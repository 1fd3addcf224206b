"""Judgments as files: uploads put where their format looks for them, the library's own packed to download."""

from __future__ import annotations

import io
import lzma
import struct
import zipfile
import zlib
from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from pathlib import PurePosixPath

from core.errors import SuiteError
from core.evaluation.exchange import FORMATS, ours
from core.evaluation.exchange.values import Exchange, Format, as_text

NAMES = {"ours": "Lectern", "chroma": "Chroma CSV", "squad": "SQuAD", "beir": "BEIR"}
MOST_BYTES, MOST_FILES = 1_000_000_000, 50_000  # of what an archive unpacks to
# Damaged, locked or in an unknown packing: what the zip module says of it, or the packing's own module beneath.
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
_PLACES = {"ours": "documents", "chroma": "corpora"}  # where documents lie that were given without a folder


def read_uploads(uploads: Mapping[str, bytes], chosen: str = "") -> tuple[str, Exchange]:
    """The format of some uploads, by name or archives of them, and what they say. ``chosen``: the format, "" to guess.

    Raises ``SuiteError`` for what is in no known format, or wrong in its own.
    """
    files = unpacked(uploads)
    name = chosen or guess(files)
    form = FORMATS[name]
    texts = {
        path: as_text(data, path, document=path.startswith("documents/"))
        for path, data in sorted(arranged(files, name).items())
        if any(_found(path, pattern) for pattern in (form.pattern, *form.companions))
    }
    if not texts:
        raise SuiteError(f"There is no {form.title} data in these files.", f"Its main file is {form.file}.")
    return name, form.read(texts)


def _found(path: str, pattern: str) -> bool:
    """Whether ``Path.glob`` would find the file: one star stands for no folders.

    >>> _found("a.json", "*.json"), _found("more/a.json", "*.json"), _found("documents/a/b.md", "documents/**/*")
    (True, False, True)
    """
    deep = "**" in pattern or path.count("/") == pattern.count("/")
    return deep and fnmatchcase(path, pattern.replace("**/*", "*"))


def unpacked(uploads: Mapping[str, bytes]) -> dict[str, bytes]:
    """The files by relative path; an archive's own folder, and paths that would leave it, are left out."""
    files: dict[str, bytes] = {}
    for name, data in uploads.items():
        if name.lower().endswith(".zip"):
            files |= _entries(name, data)
        else:
            files[PurePosixPath(name.replace("\\", "/")).name] = data
    return files


def _entries(name: str, data: bytes) -> dict[str, bytes]:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            infos = [info for info in archive.infolist() if _inside(info.filename) and not info.is_dir()]
            if len(infos) > MOST_FILES or sum(info.file_size for info in infos) > MOST_BYTES:
                raise SuiteError(
                    f"{name} unpacks to more than {MOST_BYTES // 10**9} GB.", "Give the files without the archive."
                )
            tops = {PurePosixPath(info.filename).parts[0] for info in infos}
            one = len(tops) == 1 and all(len(PurePosixPath(info.filename).parts) > 1 for info in infos)
            known = tops & {"documents", "corpora", "qrels"}
            cut = 1 if one and not known else 0
            return {"/".join(PurePosixPath(info.filename).parts[cut:]): archive.read(info) for info in infos}
    except _UNPACKABLE as error:
        reason = str(error).rstrip(".") or "it ends too early"
        raise SuiteError(f"{name} cannot be unpacked: {reason}.", "Unpack it, and give the files.") from error


def _inside(path: str) -> bool:
    """Whether a path stays below its folder, and is no file that systems hide.

    >>> _inside("qrels/test.tsv"), _inside("../x"), _inside("/x"), _inside("a/.DS_Store"), _inside("__MACOSX/a")
    (True, False, False, False, False)
    """
    parts = PurePosixPath(path.replace("\\", "/")).parts
    return bool(parts) and parts[0] not in ("/", "__MACOSX") and not any(part.startswith(".") for part in parts)


def guess(paths: Iterable[str]) -> str:
    """The format of files by their names. Raises ``SuiteError`` where it is none.

    >>> guess(["a.csv", "wiki.md"]), guess(["train.json"]), guess(["corpus.jsonl", "queries.jsonl"]), guess(["q.jsonl"])
    ('chroma', 'squad', 'beir', 'ours')
    """
    names = [PurePosixPath(path) for path in paths if not path.startswith(("documents/", "corpora/"))]
    endings, known = {name.suffix.lower() for name in names}, {name.name for name in names}
    if "corpus.jsonl" in known or ".tsv" in endings:
        return "beir"
    for ending, found in ((".jsonl", "ours"), (".csv", "chroma"), (".json", "squad")):
        if ending in endings:
            return found
    raise SuiteError(
        "These files are no judgments in a format Lectern knows.", "It reads .jsonl, .csv, .json and .zip."
    )


def arranged(files: Mapping[str, bytes], name: str) -> dict[str, bytes]:
    """The files where their format looks for them, whatever folder or name they came with.

    >>> sorted(arranged({"corpus.jsonl": b"", "queries.jsonl": b"", "test.tsv": b""}, "beir"))
    ['corpus.jsonl', 'qrels/test.tsv', 'queries.jsonl']
    >>> sorted(arranged({"mine.jsonl": b"", "tea.md": b""}, "ours")), list(arranged({"wiki.md": b""}, "chroma"))
    (['documents/tea.md', 'questions.jsonl'], ['corpora/wiki.md'])
    """
    form = FORMATS[name]
    return {_home(path, name, form, files): data for path, data in files.items()}


def _home(path: str, name: str, form: Format, files: Mapping[str, bytes]) -> str:
    pure = PurePosixPath(path)
    patterns = (form.pattern, *(companion for companion in form.companions if "/" not in companion))
    if "/" in path or any(pure.match(pattern) for pattern in patterns):
        return path
    if pure.suffix == PurePosixPath(form.file).suffix and form.file not in files:
        return form.file
    if name == "beir":
        return f"qrels/{path}" if pure.suffix == ".tsv" else path
    return f"{_PLACES[name]}/{path}" if name in _PLACES else path


def packed(exchange: Exchange) -> bytes:
    """The judgments as a suite in a .zip, the same bytes for the same judgments."""
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as archive:
        for path, text in ours.write(exchange).items():
            archive.writestr(zipfile.ZipInfo(path), text.encode(), zipfile.ZIP_DEFLATED)  # no time in it
    return held.getvalue()
