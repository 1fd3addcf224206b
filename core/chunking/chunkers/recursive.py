"""Recursive splitting by size: at separators of the format, then at paragraphs, sentences, words, characters.

After LangChain's ``RecursiveCharacterTextSplitter``, which most libraries copied, with separators by format
(``core.chunking.signals.separators``); plain text has blank lines alone. Differences:

- A paragraph that is too large is cut at its lines or sentences. Theirs knows blank lines, line ends and spaces, and
  cuts prose wherever the size runs out.
- Pieces are packed evenly, with the least cost. Theirs fills each greedily and leaves small rests.
- Every chunk but a parent's first has overlap, from the beginning of a sentence where one is near, at most a third of
  the chunk. Theirs repeats whole splits only, so a chunk after a long paragraph has none.
- Chunks are spans of the document, so offsets are exact; a title stays with the text below it.
- Parents are packed first, from the same paragraphs, and leaves stay inside them. Theirs splits every parent again.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from core.chunking.atoms import CUT_LEAD_IN, CUT_PARAGRAPH, Atom, Splitter, bind_titles, paragraphs
from core.chunking.leaves import build_groups
from core.chunking.plan import ChunkingContext, Group, Plan
from core.chunking.signals.separators import Mark, marks_in
from core.syntax import Unit, Unread
from core.text.spans import trim
from core.types import Span

_COLONS = (":", "：")
_OPENS = (*_COLONS, "{", "(")


def recursive(context: ChunkingContext) -> Plan:
    """Whole paragraphs packed evenly up to ``max_tokens``; a larger one is cut at its sentences.

    Where cuts are needed, separators stronger than a blank line (headings, rules, fences, the items of code)
    are preferred, outermost first. Parents are paragraphs packed up to ``parent_max_tokens``. All sizes are in
    ``settings.unit``.
    """
    splitter, text = Splitter(context.tokens), context.document.text
    groups: list[Group] = []
    item, units = 0, _units(context)
    for region in context.regions:
        marks = marks_in(context.document, region, units)
        atoms: list[Atom] = []
        for span in _split(text, region, sorted(marks)):
            heading = context.outline.heading_at(span.start)
            room = context.room(heading)
            room -= context.overlap(room)
            mark = marks.get(span.start)
            cut = -mark.strength if mark else CUT_PARAGRAPH
            paragraph_atoms = splitter.whole_or_sentences(span, "paragraph", item, cut, room, room)
            if mark:
                paragraph_atoms[0].what = mark.what
            for atom in paragraph_atoms:
                atom.heading = context.outline.heading_at(atom.start)
            atoms.extend(paragraph_atoms)
            item += 1
        bind_titles(text, atoms)
        _bind_heads(text, atoms, marks)
        groups.extend(build_groups(context, atoms))
    return Plan(tuple(groups))


def _units(context: ChunkingContext) -> Sequence[Unit]:
    """The syntax of a document that is code; () for others, and where no grammar reads it."""
    document = context.document
    if document.kind != "code":
        return ()
    (syntax,) = context.syntax([(document.metadata.get("language", ""), Span(0, len(document.text)))])
    return () if isinstance(syntax, Unread) else syntax.units


def _split(text: str, region: Span, places: Sequence[int]) -> Iterator[Span]:
    """The paragraphs of a region, cut at these places too."""
    for span in paragraphs(text, region.start, region.end):
        inside = places[bisect_right(places, span.start) : bisect_left(places, span.end)]
        for start, end in pairwise([span.start, *inside, span.end]):
            if (piece := trim(text, start, end)) is not None:
                yield piece


def _bind_heads(text: str, atoms: Sequence[Atom], marks: Mapping[int, Mark]) -> None:
    """Keeps a heading with the text under it, or the next heading, and a code item's first line with its body.

    A marked atom is not kept with a title-like line before it (``bind_titles``) unless that line ends with a colon.
    """
    for before, atom in pairwise(atoms):
        mark_before, mark = marks.get(before.start), marks.get(atom.start)
        words = text[before.start : before.end]
        if mark and not words.endswith(_COLONS):
            atom.cut = -mark.strength
        if mark_before and not (mark and _is_outside(mark, mark_before)):
            is_heading = mark_before.heads and "\n" not in words
            if is_heading or words.endswith(_OPENS):
                atom.cut = CUT_LEAD_IN


def _is_outside(mark: Mark, mark_before: Mark) -> bool:
    """Whether a marked text is not part of the marked text before it; an empty heading joins the next of its level."""
    return mark.strength > mark_before.strength or (mark.strength == mark_before.strength and not mark_before.heads)
