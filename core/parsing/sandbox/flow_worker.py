"""The worker process that reads flowing formats: ``python -m core.parsing.sandbox.flow_worker``.

A task has the name of the kind it reads. It answers with one "reading" frame (title, metadata, notes, pages), "pieces"
frames, "attachment" frames, "read" and, if requested, the frames of a second reading of the file for the loss audit.
"""

from __future__ import annotations

import base64
import codecs
import encodings
import mimetypes
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from importlib import import_module
from itertools import islice
from pkgutil import iter_modules
from types import ModuleType

from core.parsing.audit.second_reading import second_reading
from core.parsing.flow import ParsedFile, Piece
from core.parsing.pandoc import odt_reader, rtf_reader
from core.parsing.sandbox.worker import Answer, Failures, Task, answer, serve
from core.plain_values import to_values

READERS = {
    "html": "html.reader",
    "docx": "word.reader",
    "pptx": "slides.reader",
    "xlsx": "sheets.reader",
    "ods": "sheets.ods_reader",
    "csv": "plain.table_text",
    "eml": "mail.reader",
    "msg": "mail.outlook_reader",
    "epub": "pandoc.epub_reader",
    "odt": "pandoc.reader",
    "rtf": "pandoc.reader",
    "rst": "pandoc.reader",
    "org": "pandoc.reader",
    "latex": "pandoc.reader",
    **dict.fromkeys(("asciidoc", "man", "mediawiki"), "pandoc.reader"),
    "bibtex": "pandoc.bibliography_reader",
    "references": "plain.tagged_references",
    "jats": "html.jats",
    "xml": "html.xml_prose",
    "subtitles": "plain.subtitles",
    "mbox": "mail.mailbox_reader",
    "calendar": "mail.calendar_reader",
    "contacts": "mail.contacts_reader",
    "records": "records.reader",
}
"""The module of each kind's reader, below ``core.parsing``.

Each has ``read(data: bytes, name: str) -> ParsedFile`` and may have ``warm_up()``.

Those of ``pandoc``, "epub" excepted, read the output of pandoc instead of the file.
"""

_ARTICLES = "html.article"  # the alternative reader of "html", which keeps a page's article only
_SLICE_CELLS = 20_000  # pieces, items and cells in a frame
_SLICE_BYTES = 3 << 20
_SLICE_WORDS = 50_000
_MODULES: dict[str, ModuleType] = {}


def _task(kind: str, reader: str) -> Task:
    def read(data: bytes, request: Answer) -> Iterator[Answer]:
        name = str(request["name"])
        reading: ParsedFile = _MODULES[reader].read(data, name)
        yield from reading_frames(reading)
        if request.get("second"):
            yield from read_second(data, {"kind": kind, "name": name})

    return read


def reading_frames(reading: ParsedFile) -> Iterator[Answer]:
    """A reading as frames of limited size."""
    yield {"type": "reading", **to_values(replace(reading, pieces=(), attachments=()))}
    for pieces in _slices(reading.pieces):
        yield {"type": "pieces", "pieces": to_values(ParsedFile(tuple(pieces)))["pieces"]}
    for attachment in reading.attachments:
        data = attachment.data
        for offset in range(0, max(1, len(data)), _SLICE_BYTES):
            chunk = base64.b64encode(data[offset : offset + _SLICE_BYTES]).decode("ascii")
            yield {"type": "attachment", "name": attachment.name, "begins": offset == 0, "data": chunk}
    yield {"type": "read"}


def _slices(pieces: tuple[Piece, ...]) -> Iterator[list[Piece]]:
    """The pieces in batches whose JSON stays small. A piece is never split."""
    batch: list[Piece] = []
    cells = 0
    for piece in pieces:
        batch.append(piece)
        cells += 1 + len(piece.items) + sum(map(len, piece.rows)) + len(piece.words.text) // 100
        if cells >= _SLICE_CELLS:
            yield batch
            batch, cells = [], 0
    if batch:
        yield batch


def read_second(data: bytes, request: Answer) -> Iterator[Answer]:
    """Frames of the second reading: "second", then "words" in slices, with the reason why they may be left out."""
    second = second_reading(data, str(request["kind"]), str(request["name"]))
    if second is None:
        return
    yield {"type": "second", "reader": second.reader}
    for reason, words in (("", second.words), *second.dropped.items()):
        remaining = iter(words)
        while batch := list(islice(remaining, _SLICE_WORDS)):
            yield {"type": "words", "reason": reason, "words": " ".join(batch)}


def _prepare(data: bytes, request: Answer) -> Iterator[Answer]:
    """Frames of what is read before pandoc reads the document; the attachment is the input for pandoc."""
    reader = odt_reader if request["kind"] == "odt" else rtf_reader
    yield from reading_frames(reader.prepare(data, str(request["name"])))


TASKS: dict[str, Task] = {
    **{kind: _task(kind, reader) for kind, reader in READERS.items()},
    "article": _task("html", _ARTICLES),
    "prepare": _prepare,
    "second": read_second,
}


def failures() -> Failures:
    """All exceptions: the libraries of many formats fail on damaged files in many ways.

    The file gets an error message, and the process goes on to the next file.
    """
    return (Exception,)


def warm_up() -> None:
    """Load every reader and everything its libraries load lazily: afterwards no file can be opened."""
    mimetypes.init()
    load_codecs()
    rtf_reader.warm_up()
    for name in sorted({*READERS.values(), _ARTICLES}):
        module = import_module(f"core.parsing.{name}")
        _MODULES[name] = module
        prepare: Callable[[], None] | None = getattr(module, "warm_up", None)
        if prepare:
            prepare()
    for data in (b"<p>caf\xe9 <b>na\xefve</b> \x93x\x94</p>", "<p>Привет, мир</p>".encode("cp1251")):
        list(answer(TASKS["html"], data, {"name": "warm.html", "second": True}, failures()))


def load_codecs() -> None:
    """Load all of Python's encodings: each is a module that is otherwise loaded at its first use."""
    for module in iter_modules(encodings.__path__):
        with suppress(LookupError):  # code pages of other systems, and modules that are no encodings
            codecs.lookup(module.name)


def main() -> None:
    """Serve requests from standard input until it closes."""
    serve(TASKS, warm_up, failures)


if __name__ == "__main__":
    main()
