"""Measures inputs that once were too expensive to read or to search: time, longest time without progress, memory.

Each row runs in a process of its own on a new library. It fails if it takes more than ten seconds longer than the
limits for parsing and for chunking, is without progress for a minute, or uses more than 1.5 GB.
"""

from __future__ import annotations

import base64
import gc
import multiprocessing
import random
import re
import tempfile
import time
import traceback
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from benchmarks.scale_measuring import resident_mb
from benchmarks.torture_files import MOST_MEGABYTES, MOST_SILENT, REPEATED, Encoder, Silence, packed, peak_megabytes
from core.library import Incoming, Library

_PROMISED = 120  # the limit in seconds, for parsing and for chunking each
_MOST_ASKING = 2.0  # most seconds for a question
_QUESTION = 16_000  # length of a question in characters
_SMALL, _STEP = 5000, 1000  # files in all, and in a batch
# Most growth in MB per thousand files of two leaves, over the last two thousand, when SQLite's caches are full. Of it
# the matrix of vectors takes 3, the caches of names and dates 2, Chroma's graph 6.
_MOST_GROWTH = 16.0


def _cells(path: Path) -> None:
    """A workbook of one sheet, a hundred thousand rows of ten numbers."""
    rows = ("".join(f"<c><v>{row * 10 + column}</v></c>" for column in range(10)) for row in range(100_000))
    main, kinds = "http://schemas.openxmlformats.org", "application/vnd.openxmlformats-officedocument.spreadsheetml"
    relations = f"{main}/officeDocument/2006/relationships"
    listed = f'<Relationships xmlns="{main}/package/2006/relationships"><Relationship Id="r1" Type="{relations}/%s"'
    sheet = "".join(f"<row>{row}</row>" for row in rows)
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{main}/package/2006/content-types"><Default Extension="rels" '
        'ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/xl/workbook.xml" '
        f'ContentType="{kinds}.sheet.main+xml"/><Override PartName="/xl/sheet.xml" '
        f'ContentType="{kinds}.worksheet+xml"/></Types>',
        "_rels/.rels": f'{listed % "officeDocument"} Target="xl/workbook.xml"/></Relationships>',
        "xl/_rels/workbook.xml.rels": f'{listed % "worksheet"} Target="sheet.xml"/></Relationships>',
        "xl/workbook.xml": f'<workbook xmlns="{main}/spreadsheetml/2006/main" xmlns:r="{relations}"><sheets>'
        '<sheet name="Cells" sheetId="1" r:id="r1"/></sheets></workbook>',
        "xl/sheet.xml": f'<worksheet xmlns="{main}/spreadsheetml/2006/main"><sheetData>{sheet}</sheetData></worksheet>',
    }
    path.write_bytes(packed({name: part.encode() for name, part in parts.items()}))


def _lines(path: Path, start: str = "") -> None:
    """A CSV table of a million cells, after a ``start``."""
    path.write_text(start + "".join(f"{','.join(map(str, range(n, n + 10)))}\n" for n in range(100_000)), "utf-8")


def _words(path: Path) -> None:
    """A CSV file with ten megabytes of prose after a quotation mark that is never closed."""
    dice = random.Random(3)
    known = re.findall(r"[a-z]{3,}", Path(__file__).with_name("README.md").read_text("utf-8").lower())
    lines = (f"{dice.randrange(10**6)}, {' '.join(dice.choices(known, k=8))}\n" for _ in range(170_000))
    path.write_text('name, note\n"' + "".join(lines), "utf-8")


def _nothing(path: Path) -> None:
    """A gigabyte of zeros."""
    with path.open("wb") as file:
        file.truncate(1 << 30)


_FILES: dict[str, Callable[[Path], object]] = {
    "headings.md": lambda path: path.write_text("# a\n" * 20_000, "utf-8"),
    "dots.txt": lambda path: path.write_text("." * 10_000_000, "utf-8"),
    "base64.txt": lambda path: path.write_bytes(base64.b64encode(random.Random(1).randbytes(7_500_000))),
    "lines-of-base64.txt": lambda path: path.write_bytes(base64.encodebytes(random.Random(1).randbytes(7_500_000))),
    "cells.xlsx": _cells,
    "cells.csv": _lines,
    "numbers-in-a-quote.csv": lambda path: _lines(path, '"'),
    "words-in-a-quote.csv": _words,
    "nothing.txt": _nothing,
    "nothing.pdf": _nothing,
}


def _file(name: str, folder: Path) -> tuple[str, list[str]]:
    """Ingest the file of this name. Returns its row of figures, and its failures as sentences."""
    path = folder / name
    _FILES[name](path)
    with Library.open(folder / "library", encoder=Encoder(384)) as library:
        settings, watch = library.settings.with_value("parsing.timeout_seconds", _PROMISED), Silence()
        started, worked = time.monotonic(), time.process_time()
        report = library.ingest([Incoming(name, path=path)], watch, settings, promptly=True)
        watch.stage()
        took, worked = time.monotonic() - started, time.process_time() - worked
    became = report.failures[0].reason if report.failures else f"{report.documents[0].chunks:,} chunks"
    wrong = [f"{name} took {took:.0f} s"] if took > 2 * _PROMISED + 10 else []
    wrong += [f"{name} told nothing for {watch.longest:.0f} s"] if watch.longest > MOST_SILENT else []
    told = f"{took:.1f} s ({worked:.1f} s of processor here), silent at most {watch.longest:.1f} s"
    return f"{told}, {peak_megabytes()} MB; {became}", wrong


def _questions(folder: Path) -> tuple[str, list[str]]:
    """Search with long questions of one repeated piece, and twice as long ones: no step may be worse than n log n."""
    slowest, wrong = (0.0, 0.0, ""), []
    with Library.open(folder / "library", encoder=Encoder(384)) as library:
        library.ingest([Incoming("a.md", content_hash=library.stage(b"# Herons\n\nA heron v1.2.3-beta waits." * 9))])
        library.search("Where does the heron wait?")
        for name, piece in REPEATED.items():
            took = []
            for length in (_QUESTION, 2 * _QUESTION):
                started = time.process_time()
                library.search((piece * length)[:length])
                took.append(time.process_time() - started)
            slowest = max(slowest, (took[0], took[1], name))
            if took[0] > _MOST_ASKING or took[1] > 3 * max(0.2, took[0]):
                wrong.append(f"a question of {name}: {took[0]:.1f} s, twice as long {took[1]:.1f} s")
    return f"{slowest[0]:.2f} s at most ({slowest[2]}), twice as long {slowest[1]:.2f} s; {peak_megabytes()} MB", wrong


def _small(folder: Path) -> tuple[str, list[str]]:
    """Ingest small files in batches, measuring the memory after each batch and a garbage collection."""
    held: list[int] = []
    dice, words = random.Random(5), re.findall(r"[a-z]{3,}", Path(__file__).read_text("utf-8").lower())
    with Library.open(folder / "library", encoder=Encoder(384)) as library:
        for first in range(0, _SMALL, _STEP):
            items = []
            for number in range(first, first + _STEP):
                prose = ". ".join(" ".join(dice.choices(words, k=12)).capitalize() for _ in range(12))
                staged = library.stage(f"# Note {number}\n\n{prose}.\n".encode())
                items.append(Incoming(f"{number}.md", content_hash=staged))
            library.ingest(items, promptly=True)
            library.search("What says the note?")
            gc.collect()
            held.append(round(resident_mb()))
    growth = (held[-1] - held[2]) / (len(held) - 3)
    wrong = [f"memory grows by {growth:.1f} MB a thousand files"] if growth > _MOST_GROWTH else []
    return f"{held} MB after each {_STEP}, {growth:.1f} MB a thousand at the end", wrong


def _measured(name: str, to: Connection) -> None:
    try:
        with tempfile.TemporaryDirectory() as folder:
            work: Any = {"questions": _questions, "small files": _small}.get(name)
            told, wrong = work(Path(folder)) if work else _file(name, Path(folder))
        if peak_megabytes() > MOST_MEGABYTES:
            wrong.append(f"{name} held {peak_megabytes()} MB")
        to.send((told, wrong))
    except BaseException:
        to.send(("", [traceback.format_exc()[-1500:]]))


def main(wanted: list[str]) -> int:
    """Measure and print the rows of these names, all without names. Returns the exit code: 1 if one failed."""
    spawn, fell = multiprocessing.get_context("spawn"), 0
    for name in wanted or [*_FILES, "questions", "small files"]:
        reading, writing = spawn.Pipe(duplex=False)
        process = spawn.Process(target=_measured, args=(name, writing))
        process.start()
        writing.close()
        try:
            told, wrong = reading.recv()
        except EOFError:
            told, wrong = "", ["the process ended"]
        process.join()
        fell += len(wrong)
        print(f"{name}: {told}", *wrong, sep="\n  FELL ", flush=True)
    return 1 if fell else 0
