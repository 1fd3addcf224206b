"""Ingests harmful files: mutants of a valid file of each format, and files that are made to be expensive to read.

Each format is ingested in a process of its own. There nothing may raise, no file may take more than ten seconds longer
than the limits or go without progress for a minute, and memory must stay below 1.5 GB.
"""

from __future__ import annotations

import io
import multiprocessing
import random
import resource
import tempfile
import time
import traceback
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from core.library import Incoming, Library
from core.types import Vectors

_SAMPLES = Path(__file__).resolve().parents[1] / "data/samples/documents"
PROMISED = 20  # the limit in seconds, for parsing and for chunking each
MOST_SILENT = 60.0  # seconds without progress
MOST_MEGABYTES = 1536
_LINES = {
    "tex": "\\section{Herons}\nA heron $x^2$ waits.\n\\begin{itemize}\\item One\\item Two\\end{itemize}\n",
    "rtf": "{\\rtf1\\ansi {\\b Herons} wait \\u233? by the river.\\par Two of them.\\par}",
    "srt": "1\n00:00:01,000 --> 00:00:02,000\nA heron waits.\n\n2\n00:00:03,000 --> 00:00:04,000\nIt flies.\n",
    "json": '{"herons": [{"name": "Ada", "weight": 1.5}, {"name": "Bert", "weight": null}]}',
}
REPEATED = {
    "headings": "# a\n", "dots": ".", "blanks": " ", "quote": '"a, ', "brackets": "[", "images": "![", "parens": "(",
    "quoted": "> ", "items": "- ", "pipes": "|", "ticks": "`", "stars": "*a_", "tags": "<b>", "entities": "&amp;",
    "slashes": "\\", "ideographs": "\u65e5", "marks": "e\u0301\u0301", "turned": "\u202e", "joined": "\U0001f468\u200d",
    "commas": "1,", "returns": "\r", "feeds": "\f", "addresses": "http://a.b/?", "versions": "v1.2.3-", "zeros": "0",
    "rows": "a,b\n", "nulls": "\x01", "fences": "```\n", "sections": "1.1.1.1 ", "dates": "2020-01-01 ",
}  # fmt: skip


class Encoder:
    """An encoder with random vectors seeded by the text's hash: these tests need no meaning."""

    max_tokens = 256
    fingerprint = "torture"
    prompts: Mapping[str, str] = {}

    def __init__(self, dimension: int = 16) -> None:
        self.dimension = dimension

    def encode(self, texts: Any, progress: Any = None) -> Vectors:
        """``(n, dimension) float32``, unit norm."""
        rows = [np.random.default_rng(abs(hash(str(text))) % 2**32).normal(size=self.dimension) for text in texts]
        found = np.array(rows, np.float32).reshape(-1, self.dimension)
        return found / np.linalg.norm(found, axis=1, keepdims=True)


def mutants(whole: bytes, count: int, chance: random.Random) -> Iterator[bytes]:
    """``count`` damaged copies of a file; for ZIP packages, every second copy has one damaged member instead."""
    members: dict[str, bytes] = {}
    with suppress(zipfile.BadZipFile), zipfile.ZipFile(io.BytesIO(whole)) as package:
        members = {name: package.read(name) for name in package.namelist()}
    for number in range(count):
        if members and number % 2:
            name = chance.choice(sorted(members))
            yield packed({**members, name: _mutated(members[name], chance)})
        else:
            yield _mutated(whole, chance)


def _mutated(whole: bytes, chance: random.Random) -> bytes:
    data = bytearray(whole or b" ")
    for _ in range(chance.choice((1, 1, 3, 20))):
        start, length = chance.randrange(len(data)), chance.choice((1, 2, 8, 100))
        part = data[start : start + length]
        match chance.randrange(6):
            case 0:
                data[start] ^= 1 << chance.randrange(8)
            case 1:
                data[start : start + length] = chance.randbytes(len(part))
            case 2:
                data[start : start + length] = part * chance.choice((2, 50, 500))
            case 3 if len(data) > length:
                del data[start : start + length]
            case 4:
                data[start:start] = chance.choice((b"<", b"{", b"\0", b"\xff", b"]]>", b"-1", b"9" * 20, b"&x;"))
            case _ if len(data) > 2 and chance.random() < 0.2:
                del data[chance.randrange(1, len(data)) :]
    return bytes(data)


def hostile() -> Iterator[tuple[str, bytes]]:
    """Small files that are expensive to read, as name and bytes."""
    for name, piece in REPEATED.items():
        text = (piece * (300_000 // len(piece))).encode()
        yield f"{name}.md", text
        yield f"{name}.{('html', 'csv', 'txt')[len(name) % 3]}", text
    laughs = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 12))
    bomb = f'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY l0 "ha">{laughs}]><x>&l11;</x>'.encode()
    deep = b"<?xml version='1.0'?>" + b"<a>" * 200_000
    for kind, part in (("docx", "word/document.xml"), ("pptx", "ppt/presentation.xml"), ("xlsx", "xl/workbook.xml")):
        with zipfile.ZipFile(next(_SAMPLES.glob(f"*.{kind}"))) as package:
            members = {name: package.read(name) for name in package.namelist()}
        for what, data in (("laughs", bomb), ("deep", deep), ("zeros", bytes(300 << 20))):
            yield f"{what}.{kind}", packed({**members, part: data})


def packed(members: Mapping[str, bytes]) -> bytes:
    """A ZIP file of members by name."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as package:
        for name, data in members.items():
            package.writestr(name, data)
    return file.getvalue()


class Silence:
    """A ``Watch`` that measures the longest time without progress, in seconds."""

    def __init__(self) -> None:
        self.last, self.longest = time.monotonic(), 0.0

    def stage(self, *told: object) -> None:
        now = time.monotonic()
        self.last, self.longest = now, max(self.longest, now - self.last)

    def finished(self, *told: object) -> None:
        self.stage()


def peak_megabytes() -> int:
    """The peak memory of this process in megabytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


def _put_in(files: Sequence[tuple[str, bytes]], tell: Callable[[object], None]) -> None:
    """Ingest files and ``tell``: counts of outcomes, the slowest file, the longest silence, peak memory, failures."""
    counts: Counter[str] = Counter()
    fallen, slowest, silence = [], (0.0, ""), (0.0, "")
    with tempfile.TemporaryDirectory() as folder, Library.open(Path(folder) / "library", encoder=Encoder()) as library:
        settings = library.settings.with_value("parsing.timeout_seconds", PROMISED)
        for name, data in files:
            watch, started = Silence(), time.monotonic()
            try:
                report = library.ingest([Incoming(name, content_hash=library.stage(data))], watch, settings)
                counts["read" if report.documents else "refused"] += 1
                counts["given up"] += any(
                    "was given up" in one.reason or "seconds" in one.reason for one in report.failures
                )
            except BaseException:
                fallen.append(f"{name}: {traceback.format_exc()[-800:]}")
            slowest = max(slowest, (time.monotonic() - started, name))
            silence = max(silence, (watch.longest, name))
        fallen += [f"verify: {problem.what}" for problem in library.verify()]
    peak = peak_megabytes()
    if slowest[0] > 2 * PROMISED + 10 or peak > MOST_MEGABYTES:
        fallen.append(f"{slowest[1]} took {slowest[0]:.0f} s, all of them {peak} MB")
    if silence[0] > MOST_SILENT:
        fallen.append(f"{silence[1]} told nothing for {silence[0]:.0f} s")
    tell((dict(counts), slowest, silence, peak, fallen))


def main(count: int, seed: int) -> int:
    """Ingest ``count`` mutants of each format and the hostile files, and print a row for each format."""
    chance = random.Random(seed)
    wholes = {path.suffix[1:]: path.read_bytes() for path in sorted(_SAMPLES.iterdir())}
    wholes |= {kind: line.encode() * 20 if kind == "tex" else line.encode() for kind, line in _LINES.items()}
    sets = {
        kind: [(f"{number}.{kind}", data) for number, data in enumerate(mutants(whole, count, chance))]
        for kind, whole in wholes.items()
        if count
    }
    fell = 0
    for kind, files in {**sets, "hostile": list(hostile())}.items():
        reading, writing = multiprocessing.get_context("spawn").Pipe(duplex=False)
        process = multiprocessing.get_context("spawn").Process(target=_put_in, args=(files, writing.send))
        process.start()
        writing.close()
        try:
            counts, slowest, silence, peak, fallen = reading.recv()
        except EOFError:
            counts, slowest, silence, peak, fallen = {}, (0.0, ""), (0.0, ""), 0, ["the process ended"]
        process.join()
        fell += len(fallen)
        told = ", ".join(f"{number} {what}" for what, number in sorted(counts.items()) if number)
        print(
            f"{kind}: {len(files)} files, {told}; slowest {slowest[0]:.1f} s ({slowest[1]}), silent at most"
            f" {silence[0]:.1f} s ({silence[1]}); {peak} MB; {len(fallen)} fell",
            *fallen,
            sep="\n  ",
            flush=True,
        )
    return 1 if fell else 0
