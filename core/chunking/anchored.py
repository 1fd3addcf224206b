"""Windows around anchors: a heading, a theorem, a warning or a user's pattern begins a leaf, or stands inside one."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from itertools import pairwise

from core.chunking.anchors import Anchor, find_anchors
from core.chunking.atoms import Atom, Splitter
from core.chunking.packing import NO_SECTION
from core.chunking.plan import Frame, Plan
from core.chunking.structure import BlockAtoms, Item, structure
from core.chunking.units import planned
from core.text.sentences import sentence_spans
from core.types import BlockKind

_NEAR = 8  # an anchor within max_tokens / 8 of the one before shares its window
_PROSE = frozenset({BlockKind.PARAGRAPH, BlockKind.LIST, BlockKind.QUOTE, BlockKind.FOOTNOTE, BlockKind.CAPTION})


def anchored(frame: Frame) -> Plan:
    """Windows of ``max_tokens`` that begin at an anchor (``anchor_at`` "start") or hold it in their middle ("inside").

    Anchors: headings, words such as Summary, Theorem, Proof, RFC, Note and Warning where they open a line, and the
    patterns in ``anchors``. Between anchors ordinary windows cover the text; all begin and end at sentences where
    one is near, slide by ``overlap_tokens``, and keep a heading with its body. Anchors closer than an eighth of a
    window share one. Metadata: the anchors in a chunk.
    """
    found = [
        anchor for region in frame.regions for anchor in find_anchors(frame.document, region, frame.settings.anchors)
    ]
    if not found:
        return structure(frame).instead("structure", "this text has no anchors")
    kept = _apart(frame, found)
    places = [anchor.at for anchor in found]

    def metadata(start: int, end: int) -> dict[str, tuple[str, ...]]:
        names = [anchor.name for anchor in found[bisect_right(places, start - 1) : bisect_right(places, end - 1)]]
        return {"anchors": tuple(dict.fromkeys(names))} if names else {}

    begins = frame.settings.anchor_at == "start"
    adjust = _forced_starts if begins else _forced_windows
    own = _sentences(frame, kept if begins else ())
    return planned(frame, own, metadata, adjust=lambda atoms: adjust(frame, kept, atoms))


def _apart(frame: Frame, anchors: Sequence[Anchor]) -> list[Anchor]:
    """The anchors that begin or centre a window: those that come soon after another share its window."""
    near = frame.settings.max_tokens // _NEAR
    kept: list[Anchor] = []
    for anchor in anchors:
        if not kept or frame.tokens.count(kept[-1].at, anchor.at) > near:
            kept.append(anchor)
    return kept


def _sentences(frame: Frame, anchors: Sequence[Anchor]) -> BlockAtoms:
    """Prose as sentences, parted also at these anchors: those that begin a leaf."""
    splitter, text = Splitter(frame.tokens), frame.document.text
    places = [anchor.at for anchor in anchors]

    def own(item: Item, number: int, heading: int, limit: int, first: int) -> list[Atom] | None:
        if item.kind not in _PROSE:
            return None
        inside = places[bisect_right(places, item.start) : bisect_left(places, item.end)]
        spans = [
            span
            for start, end in pairwise([item.start, *inside, item.end])
            for span in sentence_spans(text, start, end)
        ]
        return splitter.parts(spans, "sentence", number, limit, first, item.bound)

    return own


def _forced_starts(frame: Frame, anchors: Sequence[Anchor], atoms: list[Atom]) -> None:
    """A leaf begins at every anchor, or at the table row or line of code that holds it."""
    starts = [atom.start for atom in atoms]
    for anchor in anchors:
        at = bisect_right(starts, anchor.at) - 1
        if at > 0 and anchor.at < atoms[at].end and not atoms[at].why:
            atoms[at].why = f"the anchor “{anchor.name}” stands here"


def _forced_windows(frame: Frame, anchors: Sequence[Anchor], atoms: list[Atom]) -> None:
    """A leaf begins half a window before every anchor and ends where it is full, both inside the anchor's section."""
    tokens, starts = frame.tokens, [atom.start for atom in atoms]
    free = 0
    for anchor in anchors:
        held = bisect_right(starts, anchor.at) - 1
        if held < free or anchor.at >= atoms[held].end or atoms[held].opens < NO_SECTION:
            continue  # in a window already, or a heading, which begins its section's first leaf in any case
        room = frame.room(atoms[held].heading)
        room -= frame.overlap(room)
        first = held
        while first > free and atoms[first].opens == NO_SECTION:
            if tokens.count(atoms[first - 1].start, anchor.at) > room // 2:
                break
            first -= 1
        last = held + 1
        while last < len(atoms) and atoms[last].opens == NO_SECTION:
            if tokens.count(atoms[first].start, atoms[last].end) > room:
                break
            last += 1
        if first:
            atoms[first].why = atoms[first].why or f"a window with the anchor “{anchor.name}” inside starts here"
        if last < len(atoms) and atoms[last].opens == NO_SECTION:
            atoms[last].why = f"the window with the anchor “{anchor.name}” inside ends here"
        free = last
