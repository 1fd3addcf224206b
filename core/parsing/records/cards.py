"""Reads the notes of flash cards as Anki exports them as plain text: a table below lines that say how it is written.

Source: https://docs.ankiweb.net/importing/text-files.html, "File Headers".
"""

from __future__ import annotations

import csv
import re
from html import unescape
from io import StringIO

MARK = "#separator:"  # the first line of such a file begins with it
_HEADERS = re.compile(r"(?:#[a-z ]+:.*\n)+")
_FOR_ANKI = {"guid", "notetype"}  # columns
_SEPARATORS = {"comma": ",", "semicolon": ";", "tab": "\t", "space": " ", "pipe": "|", "colon": ":"}
_LONGEST_TITLE = 200  # characters


def notes_of(text: str) -> list[dict[str, str]] | None:
    """The notes: the first field as title unless it is long, the others as texts; the deck if there are several, and
    tags. ``None`` where the lines below the headers are no table.

    >>> notes_of("#separator:tab\\n#html:true\\n#tags column:3\\nDuck?\\tA bird.\\tpond\\n")
    [{'title': 'Duck?', 'text 2': 'A bird.', 'tags': 'pond'}]
    """
    written = _HEADERS.match(text)
    if written is None:
        return None
    headers = dict(line[1:].split(":", 1) for line in written[0].splitlines())
    separator = headers["separator"]
    columns = [(value, key.split()[0]) for key, value in headers.items() if key.endswith(" column")]
    named = {int(place): key for place, key in columns if place.isdecimal()}
    is_html = headers.get("html") == "true"
    delimiter = _SEPARATORS.get(separator.lower(), separator)
    try:
        rows = list(csv.reader(StringIO(text[written.end() :]), delimiter=delimiter))
    except (csv.Error, TypeError):
        return None
    notes: list[dict[str, str]] = []
    for row in rows:
        note: dict[str, str] = {}
        for place, field in enumerate(row, 1):
            if (stated := named.get(place)) in _FOR_ANKI:
                continue
            key = stated or ("text" if "title" in note else "title")
            value = unescape(field) if is_html and "<" not in field else field
            if key == "title" and len(value) > _LONGEST_TITLE:
                key = "text"
            note[f"text {place}" if key == "text" else key] = value
        if any(value.strip() for key, value in note.items() if key in ("title", "text") or key.startswith("text ")):
            notes.append(note)
    if len({note.get("deck") for note in notes}) == 1:
        notes = [{key: value for key, value in note.items() if key != "deck"} for note in notes]
    return notes or None
