"""Errors and notes about a document whose pages were not all read from a text layer."""

from __future__ import annotations

from collections.abc import Sequence

from core.errors import ParseError, TextLayerMissingError
from core.parsing.ocr.judgement import unreadable
from core.parsing.ocr.pages import Sheets
from core.parsing.sandbox.sandbox import REPAIR

_TURN_ON = "Turn on the reading of scans in the settings (parsing.scans), or run OCR over it and add the result."
_AGAIN = (
    "Try again when the machine does less else. If that does not help, scan it again with more light and contrast, or "
    "add its text as a file of its own."
)
_BY_HAND = "Scan it again with more light and contrast, or add its text as a file of its own."


def require_text(sheets: Sheets, damaged: Sequence[int], shown: str, *, repaired: bool, reads_scans: bool) -> None:
    """Raise ``ParseError`` or a subclass where no text was read, with the reason and a remedy.

    ``damaged``: numbers of the pages that could not be read. ``shown``: the file's name.
    """
    layer = "\n".join(sheets.layer(index) for index in range(len(sheets.pages)))
    unread = sum(page.reading == "unread" for page in sheets.pages) - len(damaged)
    letters = sum(map(str.isalnum, layer))
    if letters and not unreadable(layer) and (letters >= 20 or not unread):
        return
    if not sheets.pages or len(damaged) == len(sheets.pages):
        raise ParseError(f"{shown} is damaged or cut short: no page of it can be read.", REPAIR)
    if unread and not reads_scans:
        untold = "a text layer, but its letters cannot be told"
        lacks = untold if unreadable(layer) else "no text layer: its pages are pictures"
        raise TextLayerMissingError(f"{shown} has {lacks}.", _TURN_ON)
    if unread:
        raise TextLayerMissingError(f"{shown} is a scan, and OCR gave up on its pages.", _AGAIN)
    if repaired:
        raise ParseError(f"{shown} is damaged or cut short: its pages hold no text any more.", REPAIR)
    if any(page.reading == "wordless" for page in sheets.pages):
        raise TextLayerMissingError(f"{shown} is a picture in which OCR found no words.", _BY_HAND)
    raise TextLayerMissingError(f"{shown} holds no text: its pages are blank.", "Add the file with its text.")


def notes_on(sheets: Sheets, damaged: Sequence[int], *, reads_scans: bool) -> list[str]:
    """Notes about pages that were read by OCR or not at all."""
    pages_by_reading = {
        reading: [page.number for page in sheets.pages if page.reading == reading and page.number not in damaged]
        for reading in ("ocr", "unread", "wordless")
    }
    notes = list(sheets.notes)
    if damaged:
        notes.append(f"Pages that could not be read: {listed(damaged)}.")
    if pages_by_reading["ocr"]:
        notes.append(f"Scanned pages, read by OCR: {listed(pages_by_reading['ocr'])}.")
    if pages_by_reading["unread"]:
        why = "OCR gave up on them" if reads_scans else "the reading of scans is off"
        notes.append(f"Scanned pages that were not read ({why}): {listed(pages_by_reading['unread'])}.")
    if pages_by_reading["wordless"]:
        notes.append(f"Pages that are pictures in which OCR found no words: {listed(pages_by_reading['wordless'])}.")
    return notes


def listed(numbers: Sequence[int]) -> str:
    """Page numbers as text: the first ten, and how many more there are.

    >>> listed([1, 2]), listed(list(range(1, 13)))
    ('1, 2', '1, 2, 3, 4, 5, 6, 7, 8, 9, 10 and 2 more')
    """
    shown = ", ".join(map(str, numbers[:10]))
    return shown if len(numbers) <= 10 else f"{shown} and {len(numbers) - 10} more"
