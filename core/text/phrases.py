"""Where a phrase stands in a text that may be written otherwise and reads the same: letters composed or not, ligatures,
hyphens, marks of emphasis and links between its words.
"""

from __future__ import annotations

import re
import unicodedata
from array import array
from bisect import bisect_right
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise

import numpy as np

from core.text.graphemes import is_boundary
from core.text.tokens import is_unspaced

_LIGATURES = {"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st"}
_PARTED = str.maketrans(_LIGATURES)
_MAY_BE_LIGATURE = re.compile("f[fil]|st", re.IGNORECASE)
# All but composed letters of Latin, Greek and Cyrillic, punctuation, ideographs and syllables of Korean, which stay.
# What stands before them may change with them, as a letter does with its mark.
_MAY_CHANGE = re.compile("[^\x00-\u02ff\u0388-\u0482\u2010-\u20cf\u3100-\ua66e\uac00-\ud7a3\ue000-\uf8ff]+")
# Between two words: what closes emphasis, code or a link, the blanks, and what opens another.
_LINKED = r"\](?:\([^()\n]{0,500}\)|\[[^\[\]\n]{0,200}\])?"
_BETWEEN = rf"(?:[*_`~]|{_LINKED})*\s+[*_`~\[]*"
_EMPHASIS = 3  # underscores at most


def occurrences(text: str, words: str) -> Iterator[tuple[int, int]]:
    """``(start, end)`` of the words in a text, from the left, none inside another: whole words, in any case, with any
    blanks between them and what marks them as emphasis, code or a link.

    >>> list(occurrences("An access\\ntoken. Access tokens.", "Access  token")), list(occurrences("東京都", "東京"))
    ([(3, 15)], [(0, 2)])
    >>> text = "The **access** [token](/t) has e\\u0301lan: a ﬁne one."
    >>> [text[start:end] for words in ("access token has", "fine") for start, end in occurrences(text, words)]
    ['access** [token](/t) has', 'ﬁne']
    >>> list(occurrences(text, "élan"))
    [(31, 36)]
    """
    pattern = _pattern(words)
    if pattern is None:
        return
    composed, origins = _composed(text)
    folded = _folded(composed, plain=words.isascii())
    at = 0
    while (match := pattern.search(folded, at)) is not None:
        start, end = match.span()
        # Looked around here, not in the pattern: one that begins with plain letters is searched many times as fast.
        if _goes_on(folded, start, start - 1, -1) or _goes_on(folded, end - 1, end, 1):
            at = start + 1
            continue
        at = end
        if origins is not None:
            start, end = origins[start], origins[bisect_right(origins, origins[end - 1])]
        yield start, end


def longest_letters(words: str) -> tuple[str, bool]:
    """The longest run of plain letters and digits that every text with the words has, "" for none; and whether a
    ligature (``U+FB00`` to ``U+FB06``) may stand for some of them there, as the Kelvin sign may for a k.

    >>> longest_letters("Öffnet die Tür"), longest_letters("fine day"), longest_letters("東京")
    (('ffnet', True), ('fine', True), ('', False))
    """
    longest = max(re.findall(r"[A-Za-z0-9]+", _composed(words)[0]), key=len, default="")
    return longest, _MAY_BE_LIGATURE.search(longest) is not None


@lru_cache(maxsize=64)
def _pattern(words: str) -> re.Pattern[str] | None:
    parts = _folded(_composed(words)[0]).split()
    return re.compile(_BETWEEN.join(re.sub(r"['‘’]", "['‘’]", re.escape(part)) for part in parts)) if parts else None


def _goes_on(text: str, inside: int, outside: int, step: int) -> bool:
    """Whether a word goes on over its edge: never in scripts that are written without spaces, nor over underscores that
    part it from nothing, as marks of emphasis do."""
    if not _is_bounded(text[inside]):
        return False
    for _ in range(_EMPHASIS):
        if 0 <= outside < len(text) and text[outside] == "_":
            outside += step
    return 0 <= outside < len(text) and _is_bounded(text[outside])


def _is_bounded(character: str) -> bool:
    """Whether words of the character's script have ends that show."""
    return (character.isalnum() or character == "_") and not is_unspaced(character)


def _composed(text: str) -> tuple[str, array[int] | None]:
    """The text with its letters and their marks composed, ligatures parted and hyphens alike; and where each of its
    characters stood, and the end: ``None`` where all stand as before.

    >>> _composed("o\\u0308f\\u2010ﬁ"), _composed("öf")
    (('öf-fi', array('q', [0, 2, 3, 4, 4, 5])), ('öf', None))
    """
    if text.isascii():
        return text, None
    text = text.replace("\u2010", "-").replace("\u2011", "-")
    if _is_composed(text):
        return text, None
    pieces: list[str] = []
    places: list[int] = []
    steps: list[int] = []
    done = length = 0  # of the text, of the pieces
    for run in _MAY_CHANGE.finditer(text):
        start = max(0, run.start() - 1)
        piece, moved = _piece(text[start : run.end()])
        if piece is None:
            continue
        pieces += [text[done:start], piece]
        length += start - done
        for place, step in moved:
            places.append(length + place)
            steps.append(step)
        length += len(piece)
        done = run.end()
    pieces.append(text[done:])
    origins = np.ones(length + len(text) - done + 1, np.int64)
    origins[0] = 0
    origins[places] = steps
    return "".join(pieces), array("q", origins.cumsum().tobytes())


@lru_cache(maxsize=4096)
def _piece(run: str) -> tuple[str | None, tuple[tuple[int, int], ...]]:
    """What a run of characters is composed to, ``None`` if it stays; and by how much the origin of its characters, and
    of the one behind them, lies behind that of the one before where that is not 1.

    >>> _piece("o\\u0308"), _piece("ﬁ"), _piece("ö")
    (('ö', ((1, 2),)), ('fi', ((1, 0),)), (None, ()))
    """
    if _is_composed(run):
        return None, ()
    edges = [place for place in range(len(run) + 1) if is_boundary(run, place)]
    pieces: list[str] = []
    origins: list[int] = []
    for low, high in pairwise(edges):
        piece = unicodedata.normalize("NFC", run[low:high].translate(_PARTED))
        pieces.append(piece)
        origins.extend(range(low, high) if piece == run[low:high] else [low] * len(piece))
    moved = [(place, after - before) for place, (before, after) in enumerate(pairwise([*origins, len(run)]), 1)]
    return "".join(pieces), tuple((place, step) for place, step in moved if step != 1)


def _is_composed(text: str) -> bool:
    return unicodedata.is_normalized("NFC", text) and not any(ligature in text for ligature in _LIGATURES)


def _folded(text: str, plain: bool = False) -> str:
    """The text in lower case, each character at its own place. ``plain``: ASCII letters alone, in a fifth of the time.

    >>> _folded("AİßÄ"), _folded("AİßÄ", plain=True)
    ('aİßä', 'aİßÄ')
    """
    if plain:
        return text.encode("utf-8", "surrogatepass").lower().decode("utf-8", "surrogatepass")
    lowered = text.lower()
    if len(lowered) == len(text):
        return lowered
    return "".join(lower if len(lower := character.lower()) == 1 else character for character in text)
