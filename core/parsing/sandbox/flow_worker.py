"""The tasks of the child process that alone opens documents that flow: ``python -m core.parsing.sandbox.flow_worker``.

A task is named like the kind it reads. It answers with one "reading" frame (title, metadata, notes, pages), "pieces"
frames, "attachment" frames, "read" and, asked for, those of a second, plain reading of the file for the loss audit.
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
    "jats": "html.jats",
    "xml": "html.xml_prose",
    "subtitles": "plain.subtitles",
    "mbox": "mail.mailbox_reader",
}
"""The module of each kind, below ``core.parsing``.

Each has ``read(data: bytes, name: str) -> ParsedFile`` and may have ``warm_up()``.

Those of ``pandoc``, "epub" aside, are given what pandoc makes of the file in its place.
"""

_ARTICLES = "html.article"  # reads "html" too: what is not a page's article is set aside
_SLICE_CELLS = 20_000  # places in a frame: pieces, items, cells
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
    """A reading as frames, none of them large."""
    yield {"type": "reading", **to_values(replace(reading, pieces=(), attachments=()))}
    for pieces in _slices(reading.pieces):
        yield {"type": "pieces", "pieces": to_values(ParsedFile(tuple(pieces)))["pieces"]}
    for attachment in reading.attachments:
        data = attachment.data
        for place in range(0, max(1, len(data)), _SLICE_BYTES):
            part = base64.b64encode(data[place : place + _SLICE_BYTES]).decode("ascii")
            yield {"type": "attachment", "name": attachment.name, "begins": place == 0, "data": part}
    yield {"type": "read"}


def _slices(pieces: tuple[Piece, ...]) -> Iterator[list[Piece]]:
    """Runs of pieces whose JSON stays small; a piece is never cut."""
    held: list[Piece] = []
    cells = 0
    for piece in pieces:
        held.append(piece)
        cells += 1 + len(piece.items) + sum(map(len, piece.rows)) + len(piece.words.text) // 100
        if cells >= _SLICE_CELLS:
            yield held
            held, cells = [], 0
    if held:
        yield held


def read_second(data: bytes, request: Answer) -> Iterator[Answer]:
    """Frames of a plain reading of the same file: "second", then "words" in slices, those dropped with a reason."""
    second = second_reading(data, str(request["kind"]), str(request["name"]))
    if second is None:
        return
    yield {"type": "second", "reader": second.reader}
    for reason, words in (("", second.words), *second.dropped.items()):
        remaining = iter(words)
        while part := list(islice(remaining, _SLICE_WORDS)):
            yield {"type": "words", "reason": reason, "words": " ".join(part)}


def _prepare(data: bytes, request: Answer) -> Iterator[Answer]:
    """Frames of what is known before pandoc reads the document; the attachment is for pandoc."""
    reader = odt_reader if request["kind"] == "odt" else rtf_reader
    yield from reading_frames(reader.prepare(data, str(request["name"])))


TASKS: dict[str, Task] = {
    **{kind: _task(kind, reader) for kind, reader in READERS.items()},
    "article": _task("html", _ARTICLES),
    "prepare": _prepare,
    "second": read_second,
}


def failures() -> Failures:
    """Anything at all: thirteen formats' libraries fail on damaged files in ways of their own, and here is the border.

    What passes it is one sentence about one file; the process goes on to the next.
    """
    return (Exception,)


def warm_up() -> None:
    """Load every reader and whatever its libraries would load late: behind the shut doors no file can be opened."""
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
    """Every encoding Python has: each is a module that is otherwise loaded when a file first asks for it."""
    for module in iter_modules(encodings.__path__):
        with suppress(LookupError):  # another system's code page, and what is no encoding
            codecs.lookup(module.name)


def main() -> None:
    """Serve requests from standard input until it closes."""
    serve(TASKS, warm_up, failures)


if __name__ == "__main__":
    main()
