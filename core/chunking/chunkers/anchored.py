"""Chunks around anchors: headings, words that open parts of papers and manuals, and a user's patterns.

An anchor begins a leaf, or lies in its middle.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from time import perf_counter

import regex

from core.chunking.atoms import Atom, Splitter
from core.chunking.chunkers.structure import BlockAtoms, Item, structure
from core.chunking.packing import NO_SECTION
from core.chunking.plan import ChunkingContext, Plan
from core.chunking.units import plan_with_metadata
from core.errors import SettingsError
from core.text.outline import plain_heading
from core.text.sentences import sentence_spans
from core.text.spans import line_bounds
from core.types import BlockKind, Document, Span

_WINDOW = 200  # characters: a user's patterns are searched in windows of a line ...
_WINDOW_OVERLAP = 50  # ... that overlap by this much
LONGEST = 20.0  # seconds that a user's patterns may take in one region, since backtracking may never end
_EDGE = r"[ \t]{0,16}(?:[#>*_-]{1,6}[ \t]{0,4}|\d{1,2}(?:\.\d{1,2}){0,3}\.?[ \t]{1,4}){0,2}(?:\*\*|__)?"
_OPENERS = (  # a line of its own, or before a colon or stop
    "summary|executive summary|abstract|overview|introduction|background|conclusions?|discussion|results|methods"
    "|materials and methods|recommendations|references|appendix|acknowledge?ments"
    "|zusammenfassung|einleitung|fazit|schluss"
    "|ergebnisse|résumé|resumen|conclusión"
    "|заключение|введение|аннотация"
)
_NUMBERED = (
    "theorem|lemma|proof|definition|corollary|proposition|remark|example|exercise|conjecture|axiom|algorithm|claim|satz|beweis"
    "|beispiel|théorème|preuve|definición|теорема|лемма|доказательство|определение"
)
_MARKS = "rfc|note|warning|caution|important|tip|todo|fixme|hinweis|achtung|attention|nota"
_BUILT_IN = re.compile(
    rf"{_EDGE}(?P<word>(?:{_OPENERS})(?=[ \t]*(?:[*_]{{0,2}}[:.—–-]|[*_]{{0,2}}[ \t]*\Z))"
    rf"|(?:{_NUMBERED})(?=[ \t]+\(?[\dA-Z][\d.]{{0,8}}|[ \t]*(?:\([^()\n]{{1,60}}\))?[ \t]*[*_]{{0,2}}[:.]"
    r"|[*_]{0,2}[ \t]*\Z)"
    rf"|(?:{_MARKS})(?=[ \t]*\d{{0,5}}[ \t]*[*_]{{0,2}}:))",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Anchor:
    """``at``: where an anchor begins; ``name``: what it is called in reasons."""

    at: int
    name: str


def find_anchors(document: Document, region: Span, patterns: Sequence[str] = ()) -> list[Anchor]:
    """The anchors of one region in order.

    An anchor is at the first character of a heading, at the beginning of a line that a built-in word opens, or where a
    user's pattern matches within a line. ``patterns``: regular expressions of the package ``regex``. Raises
    ``SettingsError`` where they take longer than ``LONGEST``, because a text is not cut by a part of its anchors.

    >>> text = "Intro.\\nWarning: hot.\\nA proof is long.\\nProof. Obvious.\\nsee RFC 7 here"
    >>> document = Document("v", "text", "t", text)
    >>> [(text[one.at : one.at + 7], one.name) for one in find_anchors(document, Span(0, len(text)), ["RFC [0-9]"])]
    [('Warning', 'Warning'), ('Proof. ', 'Proof'), ('RFC 7 h', 'RFC 7')]
    """
    text = document.text
    headings = {
        block.start: plain_heading(text[block.start : min(block.end, block.start + 80)]) or "heading"
        for block in document.blocks
        if block.kind == BlockKind.HEADING and region.start <= block.start < region.end
    }
    user_patterns = _UserPatterns(text, patterns)
    anchors: dict[int, str] = {}
    for at, end in line_bounds(text, region.start, region.end):
        line = text[at : min(end, at + _WINDOW)]
        indent = len(line) - len(line.lstrip())
        if line.strip():
            if name := headings.pop(at + indent, ""):
                anchors[at + indent] = name
            elif match := _BUILT_IN.match(line):
                anchors[at + indent] = match["word"]
            else:
                anchors |= user_patterns.search(at + indent, end)
    anchors |= headings  # those that no line begins with
    return [Anchor(place, name) for place, name in sorted(anchors.items())]


class _UserPatterns:
    """A user's patterns, searched in windows of lines within a time limit."""

    def __init__(self, text: str, patterns: Sequence[str]) -> None:
        self._text = text
        self._patterns = [regex.compile(pattern, regex.MULTILINE) for pattern in patterns]
        self._left = LONGEST

    def search(self, start: int, end: int) -> dict[int, str]:
        """The first match in every window of the line ``[start, end)``, by its start."""
        first_matches: dict[int, str] = {}
        for low in range(start, end, _WINDOW - _WINDOW_OVERLAP) if self._patterns else ():
            matches = self._matches(low, min(end, low + _WINDOW))
            for at, words in sorted(matches, key=lambda match: match[0])[:1]:
                first_matches[max(start, at)] = words.strip()[:60] or "pattern"
        return first_matches

    def _matches(self, low: int, high: int) -> list[tuple[int, str]]:
        """The first match of each pattern in a window, as (start, text)."""
        begun = perf_counter()
        try:
            matches = [one.search(self._text, low, high, timeout=max(self._left, 0.01)) for one in self._patterns]
        except TimeoutError:
            raise SettingsError(
                f"The patterns in chunking.anchors take more than {LONGEST:g} seconds on this text.",
                "Write plain words, or patterns with fewer parts that repeat.",
            ) from None
        self._left -= perf_counter() - begun
        return [(match.start(), match.group()) for match in matches if match]


_NEAR = 8  # an anchor within max_tokens / 8 after another shares its leaf
_PROSE = frozenset({BlockKind.PARAGRAPH, BlockKind.LIST, BlockKind.QUOTE, BlockKind.FOOTNOTE, BlockKind.CAPTION})


def anchored(context: ChunkingContext) -> Plan:
    """Leaves of ``max_tokens`` that begin at an anchor (``anchor_at`` "start") or have it in their middle ("inside").

    Anchors are headings, words such as Summary, Theorem, Proof, RFC, Note and Warning that open a line, and matches of
    the patterns in ``anchors``. Anchors closer than an eighth of a leaf share one. Text between anchors is cut into
    leaves by size. All leaves begin and end at sentences where one is near, and a heading stays with its body.
    Metadata: the anchors in a chunk.
    """
    anchors = [
        anchor
        for region in context.regions
        for anchor in find_anchors(context.document, region, context.settings.anchors)
    ]
    if not anchors:
        return structure(context).as_fallback("structure", "this text has no anchors")
    spaced = _spaced(context, anchors)
    places = [anchor.at for anchor in anchors]

    def metadata(start: int, end: int) -> dict[str, tuple[str, ...]]:
        names = [anchor.name for anchor in anchors[bisect_left(places, start) : bisect_left(places, end)]]
        return {"anchors": tuple(dict.fromkeys(names))} if names else {}

    begins = context.settings.anchor_at == "start"
    force = _force_starts if begins else _force_windows
    block_atoms = _sentences(context, spaced if begins else ())
    return plan_with_metadata(context, block_atoms, metadata, adjust=lambda atoms: force(context, spaced, atoms))


def _spaced(context: ChunkingContext, anchors: Sequence[Anchor]) -> list[Anchor]:
    """The anchors that get a leaf of their own: those not close after another."""
    near = context.settings.max_tokens // _NEAR
    spaced: list[Anchor] = []
    for anchor in anchors:
        if not spaced or context.tokens.count(spaced[-1].at, anchor.at) > near:
            spaced.append(anchor)
    return spaced


def _sentences(context: ChunkingContext, anchors: Sequence[Anchor]) -> BlockAtoms:
    """A function that cuts prose into sentences, and also at these anchors, so that a leaf can begin there."""
    splitter, text = Splitter(context.tokens), context.document.text
    places = [anchor.at for anchor in anchors]

    def block_atoms(item: Item, number: int, heading: int, limit: int, first_limit: int) -> list[Atom] | None:
        if item.kind not in _PROSE:
            return None
        inside = places[bisect_right(places, item.start) : bisect_left(places, item.end)]
        spans = [
            span
            for start, end in pairwise([item.start, *inside, item.end])
            for span in sentence_spans(text, start, end)
        ]
        return splitter.parts(spans, "sentence", number, limit, first_limit, item.bound)

    return block_atoms


def _force_starts(context: ChunkingContext, anchors: Sequence[Anchor], atoms: list[Atom]) -> None:
    """Forces a leaf to begin at every anchor, or at the table row or line of code that contains it."""
    starts = [atom.start for atom in atoms]
    for anchor in anchors:
        at = bisect_right(starts, anchor.at) - 1
        if at > 0 and anchor.at < atoms[at].end and not atoms[at].why:
            atoms[at].why = f"the anchor “{anchor.name}” stands here"


def _force_windows(context: ChunkingContext, anchors: Sequence[Anchor], atoms: list[Atom]) -> None:
    """Forces a leaf around every anchor: half a leaf before it, until the leaf is full, inside the anchor's section."""
    tokens, starts = context.tokens, [atom.start for atom in atoms]
    free = 0  # the first atom after the last window
    for anchor in anchors:
        at = bisect_right(starts, anchor.at) - 1
        if at < free or anchor.at >= atoms[at].end or atoms[at].opens < NO_SECTION:
            continue  # in a window already, or a heading, which begins its section's first leaf anyway
        room = context.room(atoms[at].heading)
        room -= context.overlap(room)
        first = at
        while first > free and atoms[first].opens == NO_SECTION:
            if tokens.count(atoms[first - 1].start, anchor.at) > room // 2:
                break
            first -= 1
        last = at + 1
        while last < len(atoms) and atoms[last].opens == NO_SECTION:
            if tokens.count(atoms[first].start, atoms[last].end) > room:
                break
            last += 1
        if first:
            atoms[first].why = atoms[first].why or f"a window with the anchor “{anchor.name}” inside starts here"
        if last < len(atoms) and atoms[last].opens == NO_SECTION:
            atoms[last].why = f"the window with the anchor “{anchor.name}” inside ends here"
        free = last
