"""Reads the scanned pages of a document by OCR, one by one; a page that takes too long is given up alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import cache, partial

from core.errors import ParseError, WorkerError
from core.parsing.ocr import tesseract
from core.parsing.ocr.judgement import PageSigns, accounts_for, may_be_scan, says_nothing, unreadable
from core.parsing.ocr.lines import Reading, lines_on, on_turned_page
from core.parsing.pdf.lines import TextLine
from core.parsing.sandbox.sandbox import WorkerPool
from core.plain_values import from_values
from core.settings import ParsingSettings
from core.types import Page

PAGE_SECONDS = 60.0  # a page takes a few; on a busy machine of two cores some took more than twenty
_BATCH = 6  # pages that are rendered in one request, for which the worker opens the file once

Draw = Callable[[Sequence[int], int], Mapping[int, tuple[bytes, float]]]
"""Renders pages: from their numbers and the degrees by which they are turned clockwise, to an encoded picture and its
pixels for each point, by page number.
"""


@cache
def pool() -> WorkerPool:
    """This process's pool of OCR workers; the first takes seconds to load its models."""
    return WorkerPool("core.parsing.ocr.worker")


@dataclass(slots=True)
class Sheets:
    """The pages of a document; ``pages``, ``heights`` and ``lines`` have one entry for each page.

    ``heights``: of the pages' upright frames. ``lines``: in reading order. ``doubtful``: indices of the pages that may
    be scans. ``notes``: messages for the user about OCR.
    """

    pages: list[Page] = field(default_factory=list)
    heights: list[float] = field(default_factory=list)
    lines: list[list[TextLine]] = field(default_factory=list)
    doubtful: list[int] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def take(self, page: Page, height: float, lines: list[TextLine], signs: Sequence[float]) -> None:
        """Add a page. ``signs``: its ``covered``, ``ink`` and ``outside`` of ``PageSigns``."""
        self.pages.append(page)
        self.heights.append(height)
        self.lines.append(lines)
        index = len(self.pages) - 1
        if page.reading != "unread" and may_be_scan(PageSigns(self.layer(index), *map(float, signs))):
            self.doubtful.append(index)

    def layer(self, index: int) -> str:
        """The text layer of a page with the words of its tables and figures, one line of text for each line."""
        return "\n".join(map(_words, self.lines[index]))

    def mark(self, index: int, reading: str, confidence: float | None = None) -> None:
        """Record how a page was read."""
        self.pages[index] = replace(self.pages[index], reading=reading, confidence=confidence)


def read_scans(sheets: Sheets, draw: Draw, settings: ParsingSettings, tick: Callable[[int], None]) -> list[str]:
    """Read the doubtful pages by OCR. Where OCR reads more than the text layer has, its lines replace the page's.

    Returns the text layers that were replaced. ``draw`` renders pages. ``tick`` is called with the number of pages that
    remain and may raise to stop.
    """
    doubtful, replaced = sheets.doubtful, list[str]()
    languages = _languages(sheets, settings) if doubtful else ""
    for start in range(0, len(doubtful), _BATCH):
        batch = doubtful[start : start + _BATCH]
        tick(len(doubtful) - start)
        numbers = [sheets.pages[index].number for index in batch]
        pictures = {} if settings.scans == "off" else _pictures(draw, numbers)
        for done, index in enumerate(batch, start):
            number, layer = sheets.pages[index].number, sheets.layer(index)
            try:
                picture, scale = pictures[number]
                reading = _read(picture, number, draw, languages, settings, partial(tick, len(doubtful) - done))
            except (KeyError, ParseError):
                reading = None
            if reading is None or (unreadable(layer) and not reading.lines):
                if says_nothing(layer):
                    sheets.mark(index, "unread")
            elif not accounts_for(layer, [line.text for line in reading.lines]):
                replaced.append(layer)
                sheets.lines[index], sheets.heights[index] = lines_on(reading, scale)
                sheets.mark(index, "ocr", reading.confidence)
            elif says_nothing(layer):
                sheets.mark(index, "wordless")
    return replaced


def _pictures(draw: Draw, numbers: Sequence[int]) -> dict[int, tuple[bytes, float]]:
    """Rendered pages by number, without those that cannot be rendered: the batch is halved until they are alone."""
    try:
        return dict(draw(numbers, 0))
    except ParseError:
        half = len(numbers) // 2
        return {**_pictures(draw, numbers[:half]), **_pictures(draw, numbers[half:])} if half else {}


def _languages(sheets: Sheets, settings: ParsingSettings) -> str:
    """The languages for Tesseract, as its option spells them; "" where the packaged models are used."""
    if settings.scans != "tesseract":
        return ""
    if not tesseract.is_installed():
        sheets.notes.append("Tesseract is not on the path: the OCR that comes with Lectern read the scanned pages.")
        return ""
    missing = tesseract.missing_languages(settings.scan_languages)
    if missing:
        sheets.notes.append(f"Tesseract has no data for {', '.join(missing)}: install it, or name other languages.")
    return "+".join(name for name in settings.scan_languages.split("+") if name not in missing)


def _read(
    picture: bytes, number: int, draw: Draw, languages: str, settings: ParsingSettings, tick: Callable[[], None]
) -> Reading:
    """The lines of one picture. Raises ``ParseError`` where it cannot be read in time."""
    if languages:
        turn = tesseract.turn_of(picture, PAGE_SECONDS, tick)
        upright = draw([number], -turn)[number][0] if turn else picture
        reading = tesseract.read(upright, languages, PAGE_SECONDS, tick)
        return on_turned_page(reading, turn, reading.sheet)
    request = {"task": "read", "memory_bytes": settings.memory_megabytes << 20}
    with closing(pool().ask(request, picture, PAGE_SECONDS, tick)) as messages:
        readings = [message for message in messages if message["type"] == "reading"]
    try:
        return from_values(Reading, readings[0])
    except (IndexError, ValueError) as error:
        raise WorkerError("the picture could not be read.") from error


def _words(line: TextLine) -> str:
    runs = [run for row in line.table.rows for run in row] if line.table else line.labels
    return " ".join([line.text, *(run.flat for run in runs)]).strip()
