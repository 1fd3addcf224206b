"""Children that grow because they need it: prose is read alone, code, tables, lists and talk with their parents."""

from __future__ import annotations

from core.chunking.signals.turns import find_turns
from core.search.expansion.growth import Extent, Growth, parent
from core.text.sentences import is_in_sentences
from core.types import Span

_AROUND = 2000  # characters


def needed(growth: Growth) -> list[Extent]:
    """As ``parent`` for children that do not stand alone; the others as they are. Reads texts and kinds."""
    reads, made = growth.reads, parent(growth)
    for place, extent in enumerate(made):
        child = growth.children[place]
        if stands_alone(reads.text(extent.document), growth.span(child, child), reads.kind(extent.document)):
            made[place] = growth.alone(place, "it is prose, which says what it says by itself")
    return made


def stands_alone(text: str, span: Span, kind: str) -> bool:
    """Whether a passage of a document of that kind is prose and nobody's turn of a conversation.

    A listing's comments may be most of it; they say little apart from what they are about.
    """
    if kind == "code" or not is_in_sentences(text, span):
        return False
    # A span may hold one turn alone, so what stands around it is read too.
    return not find_turns(text, max(0, span.start - _AROUND), min(len(text), span.end + _AROUND))
