"""Text to speakers' turns, where enough of it is a conversation, and never where it is a list of fields."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import median

from core.chunking.turn_forms import Label, read_label, voice_of
from core.text.sentences import asks
from core.types import Span

_FEWEST = 3  # turns of a conversation, at least
_SHARE = 0.5  # of the lines that begin a paragraph must begin a turn
_SURE_SHARE = 0.8  # of the labels must be names for the others, which come once, to be names too
_SPOKEN_SHARE = 0.3  # of plain turns must read like speech, not like the values of fields
_BACKCHANNEL = 3  # words
_MORE_WORDS = re.compile(rf"(?:[\W_]*+(?:[^\W\d_][\w'’]*+|\d++)){{{_BACKCHANNEL + 1}}}")
_CUE_NUMBER = re.compile(r"\d{1,6}[ \t]*\Z")
_MARKS = re.compile(r"[.!?…。！？]['\"”’)\]]*$|[,;]\s|\{\w+\}")
_ASKING = frozenset({"Q", "F", "Question", "Frage"})


@dataclass(frozen=True, slots=True)
class Turn:
    """``[start, end)`` from the label to the last word; the words begin at ``body``. ``label``: where the label is.

    ``speaker``, ``time``: as written, "" where none is. ``asks``: it ends with a question. ``counts``: it is more than
    a backchannel ("OK.", "Mm-hm.") and so counts among the turns of a leaf.
    """

    start: int
    end: int
    body: int
    label: Span
    speaker: str
    time: str
    asks: bool
    counts: bool


@dataclass(slots=True)
class _Found:
    """A labelled line, from the first character that is its own (a cue's number) on."""

    start: int
    label: Label
    body: int
    line_end: int


def find_turns(text: str, start: int = 0, end: int | None = None) -> list[Turn]:
    """The turns of ``[start, end)`` in order; [] where the text is no conversation.

    A line without a label belongs to the turn before it. Plain labels (``Name: ``) count where the same names come
    again, at least two of them take turns, they begin at least half of the paragraphs, and what follows them reads
    like speech. Subtitles' cues of one speaker in a row are one turn.

    >>> talk = "Ada: Is it ready?\\nBob: Not yet, no.\\nAda: When will it be?\\nBob: Soon."
    >>> [(turn.speaker, talk[turn.body : turn.end], turn.asks) for turn in find_turns(talk)][:2]
    [('Ada', 'Is it ready?', True), ('Bob', 'Not yet, no.', False)]
    >>> find_turns("Name: Ada\\nBorn: 1815\\nName: Bob\\nBorn: 1820\\nName: Cid\\nBorn: 1830")
    []
    """
    stop = len(text) if end is None else end
    found, openers = _labels(text, start, stop)
    if len(found) < _FEWEST:
        return []
    kept = _settled(found)
    if len(kept) < _FEWEST or len(kept) < _SHARE * openers:
        return []
    kept = _joined_cues(kept)
    turns = [_turn(text, one, after.start if after else stop) for one, after in _pairs(kept)]
    return turns if _is_talk(text, turns, kept) else []


def _pairs(found: Sequence[_Found]) -> list[tuple[_Found, _Found | None]]:
    return list(zip(found, [*found[1:], None], strict=True))


def _labels(text: str, start: int, stop: int) -> tuple[list[_Found], int]:
    """Every labelled line, and how many lines begin a paragraph or a turn."""
    found: list[_Found] = []
    openers, at, blank, number_at = 0, start, True, -1
    while at < stop:
        line_end = text.find("\n", at, stop)
        line_end = stop if line_end < 0 else line_end
        line = text[at:line_end]
        if not line or line.isspace():
            blank = True
        elif label := read_label(line):
            openers += 1
            body = at + label.end
            if label.form == "cue":
                openers -= number_at >= 0
                begin = number_at if number_at >= 0 else at
                body = min(stop, line_end + 1)
                name, offset = voice_of(text[body : body + 200])
                found.append(_Found(begin, replace(label, name=name), body + offset, line_end))
            else:
                found.append(_Found(at, label, body, line_end))
            blank, number_at = False, -1
        else:
            is_number = blank and _CUE_NUMBER.match(line) is not None
            openers += blank
            number_at = at if is_number else -1
            blank = False
        at = line_end + 1
    return found, openers


def _settled(found: list[_Found]) -> list[_Found]:
    """Plain labels must come again to be names, unless nearly all of them do; the other forms are plain enough."""
    times = Counter(one.label.name for one in found)
    kept = [one for one in found if one.label.form != "plain" or times[one.label.name] > 1]
    return found if len(kept) >= _SURE_SHARE * len(found) else kept


def _turn(text: str, found: _Found, stop: int) -> Turn:
    end = found.start + len(text[found.start : stop].rstrip())  # a label begins with no blank
    body = min(found.body, end)
    words = text[body:end].lstrip()
    asking = asks(words[-8:]) or found.label.name in _ASKING
    counts = asking or _MORE_WORDS.match(words, 0, 80) is not None
    label = Span(found.start, found.start + len(text[found.start : body].rstrip()))
    return Turn(found.start, end, end - len(words), label, found.label.name, found.label.time, asking, counts)


def _joined_cues(found: Sequence[_Found]) -> list[_Found]:
    """Cues of one named speaker in a row are one turn."""
    joined: list[_Found] = []
    for one in found:
        before = joined[-1].label if joined else None
        if before and one.label.form == before.form == "cue" and one.label.name and one.label.name == before.name:
            continue
        joined.append(one)
    return joined


def _is_talk(text: str, turns: Sequence[Turn], found: Sequence[_Found]) -> bool:
    if all(one.label.form == "cue" for one in found):
        return True
    speakers = Counter(turn.speaker for turn in turns)
    changes = sum(one.speaker != other.speaker for one, other in pairwise(turns))
    if len(speakers) < 2 or changes < 2 or len(turns) < 1.5 * len(speakers):
        return False
    if any(one.label.form in {"stamped", "nick", "asked"} for one in found):
        return True
    spoken = [text[turn.body : min(turn.end, turn.body + 400)] for turn in turns]
    lengths = [len(words.split()) for words in spoken]
    marked = sum(bool(_MARKS.search(words)) and length > 1 for words, length in zip(spoken, lengths, strict=True))
    return median(lengths) >= 2 and marked >= _SPOKEN_SHARE * len(spoken)
