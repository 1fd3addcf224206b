"""What sources disagree on, as a person reads it: words of one of them in their order, a gap where values differ."""

from __future__ import annotations

import re
from collections.abc import Collection

from core.assembly.conflicts_words import stems_of
from core.types import Span

GAP = "…"
_BETWEEN = 5  # words that only one side has and that are told, so that it reads as it was written; more become a gap
_MOST = 16  # words told at all
_PIECE = re.compile(r"\S+")
_EDGES = " \t\n.,;:!?*_#>|-–—"


def wording(sentence: str, value: Span, shared: Collection[str]) -> str:
    """The stretch of a sentence that others share, its value a gap; "" where they share no word of it. Pure.

    ``value``: its place in the sentence. ``shared``: stems of words, as ``stems_of`` gives them.

    >>> wording("Note that an access token is valid for 3600 seconds.", Span(39, 51), {"access", "token", "=lifetime"})
    'access token is valid for …'
    >>> wording("Within 5 days, and not a day later, the rent is returned.", Span(7, 13), {"rent", "return"})
    '… rent is returned'
    """
    told: list[tuple[str, bool]] = []  # each word, or the gap, and whether it has to be there
    for piece in _PIECE.finditer(sentence):
        if piece.start() < value.end and value.start < piece.end():
            if not told or told[-1][0] != GAP:
                told.append((GAP, True))
        else:
            told.append((piece.group(), any(stem in shared for stem in stems_of(piece.group()))))
    if not any(wanted and word != GAP for word, wanted in told):
        return ""
    places = [place for place, (_, wanted) in enumerate(told) if wanted]
    words: list[str] = []
    before = places[0]
    for place in places:
        between = [word for word, _ in told[before + 1 : place]]
        words += [*([GAP] if len(between) > _BETWEEN else between), told[place][0]]
        before = place
    if len(words) > _MOST:
        words = [*words[:_MOST], GAP]
    said = " ".join(word for at, word in enumerate(words) if word != GAP or words[max(0, at - 1)] != GAP or at == 0)
    return said.strip(_EDGES)
