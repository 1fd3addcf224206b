"""The pages of a document that are pictures, read one by one: one that takes too long is given up alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import cache, partial

from core.errors import ParseError, WorkerError
from core.parsing.ocr import tesseract
from core.parsing.ocr.judgement import PageSigns, accounts_for, may_be_scan, says_nothing, unreadable
from core.parsing.ocr.lines import Reading, lines_on, lying
from core.parsing.pdf.lines import TextLine
from core.parsing.sandbox.sandbox import WorkerPool
from core.plain_values import from_values
from core.settings import ParsingSettings
from core.types import Page

PAGE_SECONDS = 20.0
_AT_ONCE = 6  # pages drawn at a time: the file is handed to the worker once for all of them

Draw = Callable[[Sequence[int], int], Mapping[int, tuple[bytes, float]]]
"""Pictures of pages, by number, turned clockwise by so many degrees, and how many of their pixels are a point."""


@cache
def pool() -> WorkerPool:
    """The warm workers of this process; the first takes seconds to load its models."""
    return WorkerPool("core.parsing.ocr.worker")


@dataclass(slots=True)
class Sheets:
    """A document's pages as its file gives them: the first three lists have one entry a page.

    ``heights``: of the frames in which the pages' lines read upright. ``lines``: in reading order. ``doubtful``: the
    places of the pages at which OCR has to look. ``notes``: on who read them.
    """

    pages: list[Page] = field(default_factory=list)
    heights: list[float] = field(default_factory=list)
    lines: list[list[TextLine]] = field(default_factory=list)
    doubtful: list[int] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def take(self, page: Page, height: float, lines: list[TextLine], signs: Sequence[float]) -> None:
        """One more page. ``signs``: shares of it, ``covered``, ``ink`` and ``beside`` of ``PageSigns``."""
        self.pages.append(page)
        self.heights.append(height)
        self.lines.append(lines)
        place = len(self.pages) - 1
        if page.reading != "unread" and may_be_scan(PageSigns(self.layer(place), *map(float, signs))):
            self.doubtful.append(place)

    def layer(self, place: int) -> str:
        """The text layer of a page, one line a line; what tables and figures hold counts too."""
        return "\n".join(map(_words, self.lines[place]))

    def mark(self, place: int, reading: str, confidence: float | None = None) -> None:
        """Note how a page was read."""
        self.pages[place] = replace(self.pages[place], reading=reading, confidence=confidence)


def read_scans(sheets: Sheets, draw: Draw, settings: ParsingSettings, tick: Callable[[int], None]) -> list[str]:
    """Have the pages that are scans read, and return the text layers that gave way to what was read.

    ``draw`` makes the pictures. ``tick`` hears how many pages wait and may raise to stop.
    """
    doubtful, replaced = sheets.doubtful, list[str]()
    languages = _languages(sheets, settings) if doubtful else ""
    for start in range(0, len(doubtful), _AT_ONCE):
        some = doubtful[start : start + _AT_ONCE]
        tick(len(doubtful) - start)
        numbers = [sheets.pages[place].number for place in some]
        pictures = {} if settings.scans == "off" else _pictures(draw, numbers)
        for index, place in enumerate(some, start):
            number, layer = sheets.pages[place].number, sheets.layer(place)
            try:
                picture, scale = pictures[number]
                reading = _read(picture, number, draw, languages, settings, partial(tick, len(doubtful) - index))
            except (KeyError, ParseError):
                reading = None
            if reading is None or (unreadable(layer) and not reading.lines):
                if says_nothing(layer):
                    sheets.mark(place, "unread")
            elif not accounts_for(layer, [line.text for line in reading.lines]):
                replaced.append(layer)
                sheets.lines[place], sheets.heights[place] = lines_on(reading, scale)
                sheets.mark(place, "ocr", reading.confidence)
            elif says_nothing(layer):
                sheets.mark(place, "wordless")
    return replaced


def _pictures(draw: Draw, numbers: Sequence[int]) -> dict[int, tuple[bytes, float]]:
    """Pictures of pages; those that cannot be drawn are left out, and cost the others nothing."""
    try:
        return dict(draw(numbers, 0))
    except ParseError:
        half = len(numbers) // 2
        return {**_pictures(draw, numbers[:half]), **_pictures(draw, numbers[half:])} if half else {}


def _languages(sheets: Sheets, settings: ParsingSettings) -> str:
    """What Tesseract is to look for, as it spells it; "" where the packaged models read."""
    if settings.scans != "tesseract":
        return ""
    if not tesseract.is_there():
        sheets.notes.append("Tesseract is not on the path: the OCR that comes with Lectern read the scanned pages.")
        return ""
    missing = tesseract.missing_languages(settings.scan_languages)
    if missing:
        sheets.notes.append(f"Tesseract has no data for {', '.join(missing)}: install it, or name other languages.")
    return "+".join(name for name in settings.scan_languages.split("+") if name not in missing)


def _read(
    picture: bytes, number: int, draw: Draw, languages: str, settings: ParsingSettings, tick: Callable[[], None]
) -> Reading:
    """The lines of one picture. Raises ``ParseError`` where it cannot be read, or not in time."""
    if languages:
        turn = tesseract.turn_of(picture, PAGE_SECONDS, tick)
        upright = draw([number], -turn)[number][0] if turn else picture
        reading = tesseract.read(upright, languages, PAGE_SECONDS, tick)
        return lying(reading, turn, reading.sheet)
    request = {"task": "read", "memory_bytes": settings.memory_megabytes << 20}
    with closing(pool().ask(request, picture, PAGE_SECONDS, tick)) as messages:
        told = [message for message in messages if message["type"] == "reading"]
    try:
        return from_values(Reading, told[0])
    except (IndexError, ValueError) as error:
        raise WorkerError("the picture could not be read.") from error


def _words(line: TextLine) -> str:
    runs = [run for row in line.table.rows for run in row] if line.table else line.labels
    return " ".join([line.text, *(run.flat for run in runs)]).strip()
