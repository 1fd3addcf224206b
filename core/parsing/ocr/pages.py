"""The pages of a document that are pictures, read one by one: one that takes too long is given up alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import cache

from core.errors import ParseError, WorkerError
from core.parsing.ocr import tesseract
from core.parsing.ocr.judgement import PageSigns, accounts_for, may_be_scan, says_nothing, unreadable
from core.parsing.ocr.layout import lines_on
from core.parsing.ocr.lines import Reading, from_json, lying
from core.parsing.pdf.lines import TextLine
from core.parsing.sandbox.sandbox import WorkerPool
from core.settings import ParsingSettings
from core.types import Page

PAGE_SECONDS = 20.0
_AT_ONCE = 6  # pages drawn at a time: the file is handed to the worker once for all of them
_ABSENT = "Tesseract is not on the path: scanned pages were read by the OCR that comes with Lectern."

Draw = Callable[[Sequence[int], int], Mapping[int, tuple[bytes, float]]]
"""Pictures of pages, by number, turned clockwise by so many degrees, and how many of their pixels are a point."""


@cache
def pool() -> WorkerPool:
    """The warm workers of this process; the first takes seconds to load its models."""
    return WorkerPool("core.parsing.ocr.worker")


@dataclass(slots=True)
class Sheets:
    """A document's pages as its file gives them, by their place: each list has one entry a page.

    ``heights``: of the frames in which the pages' lines read upright. ``lines``: in reading order. ``signs``: shares of
    the page, ``covered``, ``ink`` and ``beside`` of ``PageSigns``.
    """

    pages: list[Page] = field(default_factory=list)
    heights: list[float] = field(default_factory=list)
    lines: list[list[TextLine]] = field(default_factory=list)
    signs: list[tuple[float, float, float]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def layer(self, place: int) -> str:
        """The text layer of a page, one line a line; what tables and figures hold counts too."""
        return "\n".join(_words(line) for line in self.lines[place])

    def doubtful(self) -> list[int]:
        """The places of the pages at which OCR has to look."""
        return [
            place
            for place, page in enumerate(self.pages)
            if page.reading != "unread" and may_be_scan(PageSigns(self.layer(place), *self.signs[place]))
        ]


def read_scans(sheets: Sheets, draw: Draw, settings: ParsingSettings, tick: Callable[[int], None]) -> list[str]:
    """Have the pages that are scans read, and return the text layers that gave way to what was read.

    ``draw`` makes the pictures. ``tick`` hears how many pages wait and may raise to stop.
    """
    doubtful = sheets.doubtful()
    if settings.scans == "off":
        for place in doubtful:
            _give_up(sheets, place)
        return []
    languages = _languages(sheets, settings) if doubtful else ""
    replaced: list[str] = []
    for left, place, reading, scale in _readings(sheets, doubtful, draw, languages, settings, tick):
        tick(left)
        layer = sheets.layer(place)
        if reading is None or (unreadable(layer) and not reading.lines):
            _give_up(sheets, place)
        elif accounts_for(layer, [line.text for line in reading.lines]):
            if says_nothing(layer):
                sheets.pages[place] = replace(sheets.pages[place], reading="wordless")
        else:
            replaced.append(layer)
            sheets.lines[place], sheets.heights[place] = lines_on(reading, scale)
            sheets.pages[place] = replace(sheets.pages[place], reading="ocr", confidence=reading.confidence)
    return replaced


def _give_up(sheets: Sheets, place: int) -> None:
    """Leave a page as it was: unread, unless its text layer is a reading of its own."""
    if says_nothing(sheets.layer(place)):
        sheets.pages[place] = replace(sheets.pages[place], reading="unread")


def _languages(sheets: Sheets, settings: ParsingSettings) -> str:
    """What Tesseract is to look for, as it spells it; "" where the packaged models read."""
    if settings.scans != "tesseract":
        return ""
    if not tesseract.is_there():
        sheets.notes.append(_ABSENT)
        return ""
    missing = tesseract.missing_languages(settings.scan_languages)
    if missing:
        sheets.notes.append(f"Tesseract has no data for {', '.join(missing)}: install it, or name other languages.")
    return "+".join(name for name in settings.scan_languages.split("+") if name not in missing)


def _readings(
    sheets: Sheets,
    places: Sequence[int],
    draw: Draw,
    languages: str,
    settings: ParsingSettings,
    tick: Callable[[int], None],
) -> Iterator[tuple[int, int, Reading | None, float]]:
    """How many pages wait behind it, the place of a page, its reading, and pixels to a point; ``None``: given up."""
    for start in range(0, len(places), _AT_ONCE):
        some = places[start : start + _AT_ONCE]
        try:
            pictures = draw([sheets.pages[place].number for place in some], 0)
        except ParseError:
            pictures = {}
        for index, place in enumerate(some, start=start):
            number, waiting = sheets.pages[place].number, len(places) - index
            picture, scale = pictures.get(number, (b"", 1.0))
            reading = None
            if picture:
                try:
                    reading = _read(picture, number, draw, languages, settings, lambda left=waiting: tick(left))
                except ParseError:
                    reading = None
            yield waiting - 1, place, reading, scale


def _read(
    picture: bytes, number: int, draw: Draw, languages: str, settings: ParsingSettings, tick: Callable[[], None]
) -> Reading:
    """The lines of one picture. Raises ``ParseError`` where it cannot be read, or not in time."""
    if languages:
        turn = tesseract.turn_of(picture, PAGE_SECONDS, tick)
        upright = draw([number], -turn)[number][0] if turn else picture
        return lying(tesseract.read(upright, languages, PAGE_SECONDS, tick), turn)
    request = {"task": "read", "memory_bytes": settings.memory_megabytes << 20}
    with closing(pool().ask(request, picture, PAGE_SECONDS, tick)) as messages:
        told = [message for message in messages if message["type"] == "reading"]
    try:
        return from_json(told[0])
    except (IndexError, KeyError, TypeError, ValueError) as error:
        raise WorkerError("the picture could not be read.") from error


def _words(line: TextLine) -> str:
    runs = [run for row in line.table.rows for run in row] if line.table else line.labels
    return " ".join([line.text, *(run.flat for run in runs)]).strip()
