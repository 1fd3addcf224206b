"""Paragraph first, then sentence, then word, then character: sizes and blank lines, no structure.

The practice of LangChain's ``RecursiveCharacterTextSplitter``, which most libraries copied. Where ours parts from it:

- a paragraph that is too large is cut at its lines or sentences; theirs knows blank lines, line ends and spaces, and
  cuts prose wherever the size runs out;
- pieces are packed evenly by least cost; theirs fills each greedily and leaves crumbs;
- overlap is taken before every chunk from inside its parent, from a sentence's beginning where one is near, at most a
  third of the chunk; theirs repeats whole splits alone, so that beside a long paragraph there is none;
- chunks are spans of the document, so an offset cannot be wrong; a title stays with the text it stands over;
- parents are packed from the same paragraphs first, and leaves never leave them; theirs cuts every parent anew.
"""

from __future__ import annotations

from core.chunking.atoms import CUT_PARAGRAPH, Atom, Splitter, bind_titles, paragraphs
from core.chunking.leaves import build_groups
from core.chunking.plan import Frame, Group, Plan


def recursive(frame: Frame) -> Plan:
    """Whole paragraphs packed evenly up to ``max_tokens``; one that does not fit is cut at its sentences.

    Parents are sizes too: paragraphs packed up to ``parent_max_tokens``. All sizes are in the settings' ``unit``.
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
