"""Sentences that stand in the context already: found by their words, left out by their place."""

from __future__ import annotations

from collections.abc import Callable, Collection

from core.text.sentences import is_ended, sentence_spans
from core.text.spans import subtract_spans, trim
from core.types import Span

# Letters and digits a sentence must have to be looked for again: what is shorter ("Yes, it does.") is said again for
# reasons of its own, and so is most of what does not end as a sentence: lines of code, rows, items of a list.
LEAST_LETTERS = 25
LEAST_UNENDED = 100
# What is left beside a repeated sentence is worth a passage from so many characters on: any that says something new is.
SHORTEST_REST = LEAST_LETTERS


def said(sentence: str) -> str:
    """What two sentences have in common that say the same: letters and digits in small; "" for one that is too short.

    >>> said("The Mill  grinds wheat, rye\\nand *barley*.")
    'themillgrindswheatryeandbarley'
    >>> said("Yes, it does."), said("the_mill = grind(wheat, rye, barley)")
    ('', '')
    """
    letters = "".join(filter(str.isalnum, sentence)).casefold()
    return letters if len(letters) >= (LEAST_LETTERS if is_ended(sentence) else LEAST_UNENDED) else ""


def fresh(
    text: str, span: Span, read: Collection[str], held: Callable[[Span], bool] = lambda span: False
) -> tuple[list[Span], set[str]]:
    """The parts of a span that are left without repeated sentences, and what these parts say.

    ``read``: what the context says. ``held(sentence)``: whether it is read at this very place, and so no repetition.
    Parts end where a sentence is left out and nowhere else: each is the text as it stands, and a citation of it holds.
    What one part says twice therefore stays; what an earlier part of the same span says goes.

    >>> mill = "The mill by the river grinds the wheat of all four villages."
    >>> fresh(f"Hear! {mill} It is old, and the oldest of its wheels was made in 1650.", Span(0, 124), {said(mill)})[0]
    [Span(start=67, end=124)]
    """
    told: set[str] = set()  # in the parts that are closed
    part: set[str] = set()
    repeated: list[Span] = []
    for sentence in sentence_spans(text, span.start, span.end):
        words = said(text[sentence.start : sentence.end])
        if not words or held(sentence):
            continue
        if words in read or words in told:
            repeated.append(sentence)
            told |= part
            part = set()
        else:
            part.add(words)
    if not repeated:
        return [span], part
    rests = (trim(text, rest.start, rest.end) for rest in subtract_spans([span], repeated))
    parts = [rest for rest in rests if rest is not None and rest.length >= SHORTEST_REST]
    return parts, told | part
