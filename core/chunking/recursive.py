"""Paragraph first, then sentence, then word, then character: sizes and blank lines, no structure."""

from __future__ import annotations

from core.chunking.atoms import CUT_PARAGRAPH, Atom, Splitter, bind_titles, paragraphs
from core.chunking.leaves import build_groups
from core.chunking.plan import Frame, Group, Plan


def recursive(frame: Frame) -> Plan:
    """Whole paragraphs packed evenly up to ``max_tokens``; one that does not fit is cut at its sentences.

    Parents are sizes too: paragraphs packed up to ``parent_max_tokens``. After the separator hierarchy of LangChain's
    ``RecursiveCharacterTextSplitter``, with spans for strings and even packing for greedy.
    """
    splitter = Splitter(frame.tokens)
    groups: list[Group] = []
    item = 0
    for region in frame.regions:
        atoms: list[Atom] = []
        for span in paragraphs(frame.document.text, region.start, region.end):
            heading = frame.outline.heading_at(span.start)
            room = frame.room(heading)
            room -= frame.overlap(room)
            found = splitter.whole_or_sentences(span, "paragraph", item, CUT_PARAGRAPH, room, room)
            for atom in found:
                atom.heading = frame.outline.heading_at(atom.start)
            atoms.extend(found)
            item += 1
        bind_titles(frame.document.text, atoms)
        groups.extend(build_groups(frame, atoms))
    return Plan(tuple(groups))
