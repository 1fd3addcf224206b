"""Headings and items of code first, then paragraph, sentence, word, character: sizes and separators, no structure.

The practice of LangChain's ``RecursiveCharacterTextSplitter``, which most libraries copied, with separators by format
(``core.chunking.signals.separators``): plain text knows blank lines alone. Where ours parts from it:

- a paragraph that is too large is cut at its lines or sentences; theirs knows blank lines, line ends and spaces, and
  cuts prose wherever the size runs out;
- pieces are packed evenly by least cost; theirs fills each greedily and leaves crumbs;
- overlap is taken before every chunk from inside its parent, from a sentence's beginning where one is near, at most a
  third of the chunk; theirs repeats whole splits alone, so that beside a long paragraph there is none;
- chunks are spans of the document, so an offset cannot be wrong; a title stays with the text it stands over;
- parents are packed from the same paragraphs first, and leaves never leave them; theirs cuts every parent anew.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from core.chunking.atoms import CUT_LEAD_IN, CUT_PARAGRAPH, Atom, Splitter, bind_titles, paragraphs
from core.chunking.leaves import build_groups
from core.chunking.plan import ChunkingContext, Group, Plan
from core.chunking.signals.separators import Mark, marks_in
from core.text.spans import trim
from core.types import Span

_COLONS = (":", "：")
_OPENS = (*_COLONS, "{", "(")


def recursive(context: ChunkingContext) -> Plan:
    """Whole paragraphs packed evenly up to ``max_tokens``; one that does not fit is cut at its sentences.

    Where the format has separators stronger than a blank line (headings, rules, fences, the items of code, sections of
    LaTeX) a leaf or parent that cannot hold all rather begins there, the outermost first; what fits is never parted.
    Parents are sizes too: paragraphs packed up to ``parent_max_tokens``. All sizes are in the settings' ``unit``.
    """
    splitter, text = Splitter(context.tokens), context.document.text
    groups: list[Group] = []
    item = 0
    for region in context.regions:
        marks = marks_in(context.document, region)
        atoms: list[Atom] = []
        for span in _parted(text, region, sorted(marks)):
            heading = context.outline.heading_at(span.start)
            room = context.room(heading)
            room -= context.overlap(room)
            mark = marks.get(span.start)
            cut = -mark.strength if mark else CUT_PARAGRAPH
            found = splitter.whole_or_sentences(span, "paragraph", item, cut, room, room)
            if mark:
                found[0].what = mark.what
            for atom in found:
                atom.heading = context.outline.heading_at(atom.start)
            atoms.extend(found)
            item += 1
        bind_titles(text, atoms)
        _bind_heads(text, atoms, marks)
        groups.extend(build_groups(context, atoms))
    return Plan(tuple(groups))


def _parted(text: str, region: Span, places: Sequence[int]) -> Iterator[Span]:
    """The paragraphs of a region, parted at these places too."""
    for span in paragraphs(text, region.start, region.end):
        inside = places[bisect_right(places, span.start) : bisect_left(places, span.end)]
        for start, end in pairwise([span.start, *inside, span.end]):
            if (piece := trim(text, start, end)) is not None:
                yield piece


def _bind_heads(text: str, atoms: Sequence[Atom], marks: Mapping[int, Mark]) -> None:
    """Keeps a heading with what it stands over, if only the next heading, and an item's first line with what it opens.

    What begins with a mark is bound to no other line that reads like a title; a line that ends with a colon keeps it.
    """
    for before, atom in pairwise(atoms):
        over, mark = marks.get(before.start), marks.get(atom.start)
        words = text[before.start : before.end]
        if mark and not words.endswith(_COLONS):
            atom.cut = -mark.strength
        if over and not (mark and _stands_beside(mark, over)):
            title = over.heads and "\n" not in words
            if title or words.endswith(_OPENS):
                atom.cut = CUT_LEAD_IN


def _stands_beside(mark: Mark, over: Mark) -> bool:
    """Whether what ``mark`` begins is not under ``over``; an empty heading joins the next one of its level."""
    return mark.strength > over.strength or (mark.strength == over.strength and not over.heads)
