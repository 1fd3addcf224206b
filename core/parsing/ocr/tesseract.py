"""OCR by the program Tesseract, where it is installed and chosen in the settings."""

from __future__ import annotations

import csv
import os
import shutil
import subprocess
from collections.abc import Callable
from io import StringIO
from itertools import groupby

from core.errors import ParseError, WorkerError
from core.parsing.external_programs import run
from core.parsing.ocr.lines import Box, Reading, ReadLine

_WORD = "5"  # the level of a row that is a word
_MIN_CONFIDENCE = 30.0  # percent, of a word


def is_installed() -> bool:
    """Whether the program is on the path."""
    return shutil.which("tesseract") is not None


def missing_languages(languages: str) -> list[str]:
    """Those of ``languages`` ("eng+deu") for which the program has no data; all of them where it is not installed.

    >>> missing_languages("")
    []
    """
    names = [name for name in languages.split("+") if name]
    if not is_installed():
        return names
    listed = subprocess.run(["tesseract", "--list-langs"], capture_output=True, text=True, timeout=20, check=False)
    return [name for name in names if name not in listed.stdout.split()]


def turn_of(picture: bytes, seconds: float, tick: Callable[[], None]) -> int:
    """Degrees by which the page is turned clockwise: 0, 90, 180 or 270; 0 where the program cannot tell."""
    try:
        output = _run(["--psm", "0"], picture, seconds, tick)
    except ParseError:  # the page has too few letters
        return 0
    turns = [line.partition(":")[2].strip() for line in output.splitlines() if line.startswith("Rotate:")]
    return (360 - int(turns[0])) % 360 if turns and turns[0].isdigit() else 0


def read(picture: bytes, languages: str, seconds: float, tick: Callable[[], None]) -> Reading:
    """The lines of an encoded upright picture. ``tick`` is called five times a second and may raise to stop.

    Raises ``WorkerError`` after ``seconds``, and ``ParseError`` with the program's error message.
    """
    return from_table(_run(["--psm", "3", "-l", languages, "tsv"], picture, seconds, tick))


def from_table(table: str) -> Reading:
    """The lines from the program's output, a table of words as tab-separated values.

    >>> names = "level page_num block_num par_num line_num word_num left top width height conf text".split()
    >>> rows = ["1 1 0 0 0 0 0 0 90 50 -1 ", "5 1 1 1 1 1 2 3 20 9 96 Dear", "5 1 1 1 1 2 25 3 20 9 90 Ada,"]
    >>> reading = from_table("\\n".join("\\t".join(row) for row in (names, *(row.split(" ") for row in rows))))
    >>> [(line.text, line.confidence, line.box) for line in reading.lines], reading.sheet
    ([('Dear Ada,', 0.93, (2.0, 3.0, 45.0, 12.0))], (90.0, 50.0))
    """
    rows = list(csv.DictReader(StringIO(table), delimiter="\t", quoting=csv.QUOTE_NONE))
    words = [
        row
        for row in rows
        if row["level"] == _WORD and (row["text"] or "").strip() and float(row["conf"]) >= _MIN_CONFIDENCE
    ]
    lines = []
    for _, group in groupby(words, key=lambda row: (row["block_num"], row["par_num"], row["line_num"])):
        line = list(group)
        confidence = sum(float(word["conf"]) for word in line) / len(line) / 100
        box = _around(line)
        lines.append(ReadLine(" ".join(word["text"].strip() for word in line), round(confidence, 4), box, box))
    page = rows[0] if rows else {"width": "0", "height": "0"}
    return Reading(tuple(lines), (float(page["width"]), float(page["height"])))


def _around(words: list[dict[str, str]]) -> Box:
    lefts, tops = ([float(word[name]) for word in words] for name in ("left", "top"))
    rights = [float(word["left"]) + float(word["width"]) for word in words]
    bottoms = [float(word["top"]) + float(word["height"]) for word in words]
    return min(lefts), min(tops), max(rights), max(bottoms)


def _run(options: list[str], picture: bytes, seconds: float, tick: Callable[[], None]) -> str:
    kept = {name: os.environ[name] for name in ("PATH", "TESSDATA_PREFIX", "SYSTEMROOT") if name in os.environ}
    # Its threads gain little, and block each other on a busy machine.
    env = {**kept, "OMP_THREAD_LIMIT": "1"}
    late = WorkerError(f"it was not read within {seconds:g} seconds.")
    code, output, errors = run(["tesseract", "stdin", "stdout", *options], picture, seconds, late, env=env, tick=tick)
    if code:
        message = " ".join(errors.decode("utf-8", "replace").split())[:200]
        raise ParseError(f"Tesseract could not read it: {message}")
    return output.decode("utf-8", "replace")
