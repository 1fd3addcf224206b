"""Recordings in JSON, as recognisers of speech write them: lists of what was said, each with when and by whom.

What such a list says becomes a transcript, as subtitles do. Recognisers say it several times: as a whole, by sentences
and by words; the others of these are left out.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

from core.parsing.audit.word_audit import words_of
from core.parsing.plain.subtitles import Said
from core.parsing.records.values import TITLES, has_words, key_words, reads_as_sentence

_TEXTS = ("text", "transcript", "sentence", "utterance", "content", "caption", "punctuated word", "word")
_STARTS = ("start", "start time", "start ms", "begin", "begin time", "from", "offset")
_ENDS = ("end", "end time", "end ms", "to")
_LENGTHS = ("duration", "dur")
_BOTH = ("offsets", "timestamp", "timestamps", "time")  # hold start and end
_CLOCK = re.compile(r"(?:(\d+):)?(\d{1,2}):(\d\d(?:[.,]\d+)?)|(\d+(?:\.\d+)?)s?")
_DEEPEST = 20  # no recogniser nests so deeply
_FEWEST = 3
_IN_ORDER = 0.9  # share of those that begin no earlier than the one before
_TEXT_WORDS = 5  # of a text that may say what was spoken
_AGAIN = 0.8  # of the words of a text that were spoken
_LATEST = 1e12  # seconds or milliseconds
_SLOWEST = 0.2  # characters a second; slower ones are counted in milliseconds


def speech(held: object) -> list[Any]:
    """The list in JSON that says most of what was spoken, the one of the fewest parts; [] where there is none.

    >>> said = [{"text": f"They swim {way}.", "start": at} for at, way in enumerate(("out", "back", "on"))]
    >>> speech({"model": "x", "segments": said}) is said, speech([{"text": "A b", "start": 0}])
    (True, [])
    """
    found: list[tuple[int, int, list[Any]]] = []
    pending = [(0, held)]
    while pending:
        depth, value = pending.pop()
        if depth > _DEEPEST:
            return []
        if isinstance(value, list) and _is_speech(value, heard := cues(value)):
            found.append((sum(len(one.words) for one in heard), -len(heard), value))
        elif isinstance(value, dict | list):
            pending.extend((depth + 1, inner) for inner in (value.values() if isinstance(value, dict) else value))
    return max(found, key=lambda one: one[:2])[2] if found else []


def without(held: Any, said: list[Any], whole: Sequence[str] = ()) -> Any:
    """JSON without the list of what was spoken, and without texts and lists that say the same again.

    >>> said = [{"text": f"They swim {way}.", "start": at} for at, way in enumerate(("out", "back", "on"))]
    >>> without({"day": "A day to swim out", "text": "They swim out. They swim back.", "segments": said}, said)
    {'day': 'A day to swim out'}
    """
    whole = whole or words_of(" ".join(one.words for one in cues(said)))
    if held is said:
        return None
    if isinstance(held, dict):
        kept = {key: value if key_words(key) in TITLES else without(value, said, whole) for key, value in held.items()}
        return {key: value for key, value in kept.items() if value not in (None, {}, [])}
    if isinstance(held, list):
        again = " ".join(one.words for one in cues(held, fewest=1))
        rest = [] if again and _says_again(again, whole) else [without(value, said, whole) for value in held]
        return [value for value in rest if value not in (None, {}, [])]
    is_text = isinstance(held, str) and len(held.split()) >= _TEXT_WORDS
    return None if is_text and _says_again(held, whole) else held


def _says_again(text: str, whole: Sequence[str]) -> bool:
    """Whether a text is a part of the whole, or at least half of it in other marks and numerals."""
    words = words_of(text)
    is_part = f" {' '.join(words)} " in f" {' '.join(whole)} "
    return is_part or (2 * len(words) >= len(whole) and is_said(text, Counter(whole)))


def cues(values: Sequence[Any], fewest: int = _FEWEST) -> list[Said]:
    """What each of some values says, with seconds and speaker; [] unless all have words and a time, and are in order.

    >>> cues([{"text": "Hi.", "start": at, "end": at + 900, "speaker": "A"} for at in (0, 1000, 99000)])[2]
    Said(start=99.0, end=99.9, speaker='Speaker A', words='Hi.')
    """
    if len(values) < fewest or not all(isinstance(one, dict) and _said(one) for one in values[:_FEWEST]):
        return []
    heard = [said for one in values if isinstance(one, dict) and (said := _said(one)) is not None]
    in_order = sum(other.start >= one.start for one, other in pairwise(heard))
    if len(heard) < len(values) or in_order < _IN_ORDER * (len(heard) - 1):
        return []
    seconds = heard[-1].end - heard[0].start
    unit = 1000 if sum(len(one.words) for one in heard) < _SLOWEST * seconds else 1
    labels = Counter(key for one in values for key in one if key_words(key).startswith("speaker"))
    named = Counter(key for one in values for key in labels if has_words(str(one.get(key))))
    label = max(labels, key=lambda key: named[key], default="")
    return [
        Said(said.start / unit, said.end / unit, _speaker(one.get(label)), words)
        for said, one in zip(heard, values, strict=True)
        for line in said.words.split("\n")
        if (words := " ".join(line.split()))
    ]


def _is_speech(values: Sequence[Any], heard: Sequence[Said]) -> bool:
    """Whether what was heard are sentences or parts of them, no places in a text, and all that the values tell."""
    if not heard or 2 * sum(has_words(one.words) for one in heard) < len(heard):
        return False
    if 2 * sum(round(one.end - one.start) == len(one.words) for one in heard) > len(heard):
        return False
    told = ((key_words(key), value) for one in values for key, value in one.items() if isinstance(value, str) and value)
    return not any(key in TITLES or (key not in _TEXTS and reads_as_sentence(value)) for key, value in told)


def _said(one: Mapping[str, Any]) -> Said | None:
    by_words = {key_words(key): value for key, value in one.items()}
    said = next((value for words in _TEXTS if isinstance(value := by_words.get(words), str)), None)
    start, end = next((both for words in _BOTH if (both := _both(by_words.get(words)))), (None, None))
    if start is None:
        start = next(_numbers(by_words, _STARTS), None)
    if said is None or start is None:
        return None
    if end is None:
        end = next(_numbers(by_words, _ENDS), None)
    if end is None:
        end = start + next(_numbers(by_words, _LENGTHS), 0.0)
    return Said(start, end, "", said)


def _both(value: object) -> tuple[float | None, float | None] | None:
    """Start and end in one value; ``None`` where it has none."""
    pair = [value.get("from"), value.get("to")] if isinstance(value, dict) else value
    return (_number(pair[0]), _number(pair[1])) if isinstance(pair, list) and len(pair) == 2 else None


def _numbers(by_words: Mapping[str, Any], keys: Sequence[str]) -> Iterator[float]:
    return (number for words in keys if (number := _number(by_words.get(words))) is not None)


def _number(value: object) -> float | None:
    """
    >>> _number(1.5), _number("1.5s"), _number("00:01:02,500"), _number("2021-03-12"), _number(True)
    (1.5, 1.5, 62.5, None, None)
    """
    if isinstance(value, int | float) and not isinstance(value, bool):
        return float(value) if 0 <= value < _LATEST else None
    clock = _CLOCK.fullmatch(value) if isinstance(value, str) else None
    if clock is None:
        return None
    if clock[4]:
        return float(clock[4])
    return 3600 * float(clock[1] or 0) + 60 * float(clock[2]) + float(clock[3].replace(",", "."))


def is_said(text: str, seen: Counter[str]) -> bool:
    """Whether nearly all words of a text are among those seen."""
    words = Counter(words_of(text))
    return (words & seen).total() >= _AGAIN * words.total()


def _speaker(stated: object) -> str:
    if isinstance(stated, bool) or stated is None:
        return ""
    label = " ".join(str(stated).split())
    return f"Speaker {label}" if label.isdecimal() or len(label) == 1 else label
