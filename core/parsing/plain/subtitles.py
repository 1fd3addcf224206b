"""The reader of subtitles (SubRip, WebVTT): sentences with their start times and speakers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from io import StringIO
from itertools import pairwise
from typing import NamedTuple

import webvtt
from webvtt.errors import MalformedCaptionError, MalformedFileError

from core.errors import ParseError
from core.parsing.flow import ParsedFile, Piece, Words
from core.text.normalise import decode
from core.types import BlockKind

_VOICE = re.compile(r"<v(?:\.[^\s>]*)?\s+([^>\n]+)>")
_TAG = re.compile(r"</?[a-zA-Z0-9][^<>\n]*>|\{\\[^{}\n]*\}")
_ENDS = re.compile(r"[.?!…。？！][\"'”’»)\]]*\Z")
_COMMA = re.compile(r"(?<=:\d\d),(?=\d{3}\b)")
_NEXT_SPEAKER = ">>"  # in captions
_PAUSE_SECONDS = 4
_LONGEST = 500  # characters of what is said in one piece


class Said(NamedTuple):
    """Words with their seconds from the start, and their speaker where one is marked."""

    start: float
    end: float
    speaker: str
    words: str


def read(data: bytes, name: str) -> ParsedFile:
    """What is said, a paragraph for a sentence or a run of them, each behind its time. Raises ``ParseError``.

    >>> cues = b"WEBVTT\\n\\n00:01.000 --> 00:02.000\\n<v Ada>Ducks\\n\\n00:02.000 --> 00:03.000\\n<v Ada>swim."
    >>> [piece.words.text for piece in read(cues, "a.vtt").pieces]
    ['[00:00:01] Ada: Ducks swim.']
    """
    text = decode(data, name).text.strip()
    is_numbered = text.split("\n", 1)[0].strip().isdigit()
    framed = text if is_numbered or text.startswith("WEBVTT") else f"WEBVTT\n\n{_COMMA.sub('.', text)}"
    try:
        cues = webvtt.from_buffer(StringIO(framed), format="srt" if is_numbered else "vtt")
    except (MalformedFileError, MalformedCaptionError) as error:
        raise ParseError(f"{name} is damaged: its cues cannot be told apart.", "Export the subtitles again.") from error
    lines = list(_unrolled([line for cue in cues.captions for line in _lines(cue)]))
    return ParsedFile(tuple(Piece(BlockKind.PARAGRAPH, Words(said)) for said in paragraphs(lines)))


def _lines(cue: webvtt.Caption) -> Iterator[Said]:
    speaker = ""
    for line in cue.raw_text.split("\n"):
        if voice := _VOICE.search(line):
            speaker = voice[1].strip()
        words = " ".join(unescape(_TAG.sub("", line)).split())
        if words:
            yield Said(cue.start_in_seconds, cue.end_in_seconds, speaker, words)


def _unrolled(lines: list[Said]) -> Iterator[Said]:
    """The cues without lines that live captions repeat while the next line comes in.

    A word alone may be said twice in a row; it counts as repeated where a third of all lines are.
    """
    repeated = [one.words == other.words and other.start <= one.end for one, other in pairwise(lines)]
    rolls = sum(repeated) > len(lines) / 3
    for is_repeated, line in zip([False, *repeated], lines, strict=False):
        if not is_repeated or (" " not in line.words and not rolls):
            yield line


def paragraphs(lines: list[Said]) -> Iterator[str]:
    """A paragraph for each sentence, or run of them, of one speaker, behind its time: "[00:00:01] Ada: Ducks swim."."""
    held: list[Said] = []
    for line in lines:
        if held and (
            line.speaker != held[-1].speaker
            or line.words.startswith(_NEXT_SPEAKER)
            or line.start - held[-1].end > _PAUSE_SECONDS
            or _ENDS.search(held[-1].words)
            or sum(len(one.words) for one in held) > _LONGEST
        ):
            yield _written(held)
            held = []
        held.append(line)
    if held:
        yield _written(held)


def _written(lines: list[Said]) -> str:
    minutes, seconds = divmod(int(lines[0].start), 60)
    stamp = f"[{minutes // 60:02}:{minutes % 60:02}:{seconds:02}]"
    speaker = f" {lines[0].speaker}:" if lines[0].speaker else ""
    return f"{stamp}{speaker} {' '.join(line.words for line in lines)}"
