"""Windows around anchors: a heading, a word that opens parts of papers and manuals, or a user's pattern.

An anchor begins a leaf, or stands inside one.
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
from core.chunking.units import planned
from core.errors import SettingsError
from core.text.outline import plain_heading
from core.text.sentences import sentence_spans
from core.types import BlockKind, Document, Span

_LINE = 200  # characters of a line in which a user's pattern is looked for at once ...
_SHARED = 50  # ... and by how many such stretches of a long line overlap
LONGEST = 20.0  # seconds that a user's patterns may take in one region: a pattern can try for years
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
    """Where an anchor begins, and what it is called in reasons."""

    at: int
    name: str


def find_anchors(document: Document, region: Span, patterns: Sequence[str] = ()) -> list[Anchor]:
    """The anchors of one region in order.

    A heading anchors its first character, a built-in word its line, and a user's pattern the place where it is found,
    within one line. ``patterns``: regular expressions, as the package ``regex`` reads them. Raises ``SettingsError``
    where they take longer than ``LONGEST``: such a text is not cut rather than cut by what was found until then.

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
    own = _OwnPatterns(text, patterns)
    found: dict[int, str] = {}
    at = region.start
    while at < region.end:
        end = text.find("\n", at, region.end)
        end = region.end if end < 0 else end
        line = text[at : min(end, at + _LINE)]
        indent = len(line) - len(line.lstrip())
        if line.strip():
            if name := headings.pop(at + indent, ""):
                found[at + indent] = name
            elif match := _BUILT_IN.match(line):
                found[at + indent] = match["word"]
            else:
                found |= own.found(at + indent, end)
        at = end + 1
    found |= headings
    return [Anchor(place, name) for place, name in sorted(found.items())]


class _OwnPatterns:
    """A user's patterns, looked for in stretches of lines."""

    def __init__(self, text: str, patterns: Sequence[str]) -> None:
        self._text = text
        self._patterns = [regex.compile(pattern, regex.MULTILINE) for pattern in patterns]
        self._left = LONGEST

    def found(self, start: int, end: int) -> dict[int, str]:
        """What is found first in every stretch of one line."""
        found: dict[int, str] = {}
        for low in range(start, end, _LINE - _SHARED) if self._patterns else ():
            matches = self._matches(low, min(end, low + _LINE))
            for at, words in sorted(matches, key=lambda match: match[0])[:1]:
                found[max(start, at)] = words.strip()[:60] or "pattern"
        return found

    def _matches(self, low: int, high: int) -> list[tuple[int, str]]:
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


_NEAR = 8  # an anchor within max_tokens / 8 of the one before shares its window
_PROSE = frozenset({BlockKind.PARAGRAPH, BlockKind.LIST, BlockKind.QUOTE, BlockKind.FOOTNOTE, BlockKind.CAPTION})


def anchored(context: ChunkingContext) -> Plan:
    """Windows of ``max_tokens`` that begin at an anchor (``anchor_at`` "start") or hold it in their middle ("inside").

    Anchors: headings, words such as Summary, Theorem, Proof, RFC, Note and Warning where they open a line, and the
    patterns in ``anchors``. Between anchors ordinary windows cover the text; all begin and end at sentences where
    one is near, slide by ``overlap_tokens``, and keep a heading with its body. Anchors closer than an eighth of a
    window share one. Metadata: the anchors in a chunk.
    """
    found = [
        anchor
        for region in context.regions
        for anchor in find_anchors(context.document, region, context.settings.anchors)
    ]
    if not found:
        return structure(context).instead("structure", "this text has no anchors")
    kept = _apart(context, found)
    places = [anchor.at for anchor in found]

    def metadata(start: int, end: int) -> dict[str, tuple[str, ...]]:
        names = [anchor.name for anchor in found[bisect_right(places, start - 1) : bisect_right(places, end - 1)]]
        return {"anchors": tuple(dict.fromkeys(names))} if names else {}

    begins = context.settings.anchor_at == "start"
    adjust = _forced_starts if begins else _forced_windows
    own = _sentences(context, kept if begins else ())
    return planned(context, own, metadata, adjust=lambda atoms: adjust(context, kept, atoms))


def _apart(context: ChunkingContext, anchors: Sequence[Anchor]) -> list[Anchor]:
    """The anchors that begin or centre a window: those that come soon after another share its window."""
    near = context.settings.max_tokens // _NEAR
    kept: list[Anchor] = []
    for anchor in anchors:
        if not kept or context.tokens.count(kept[-1].at, anchor.at) > near:
            kept.append(anchor)
    return kept


def _sentences(context: ChunkingContext, anchors: Sequence[Anchor]) -> BlockAtoms:
    """Prose as sentences, parted also at these anchors: those that begin a leaf."""
    splitter, text = Splitter(context.tokens), context.document.text
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


def _forced_starts(context: ChunkingContext, anchors: Sequence[Anchor], atoms: list[Atom]) -> None:
    """A leaf begins at every anchor, or at the table row or line of code that holds it."""
    starts = [atom.start for atom in atoms]
    for anchor in anchors:
        at = bisect_right(starts, anchor.at) - 1
        if at > 0 and anchor.at < atoms[at].end and not atoms[at].why:
            atoms[at].why = f"the anchor “{anchor.name}” stands here"


def _forced_windows(context: ChunkingContext, anchors: Sequence[Anchor], atoms: list[Atom]) -> None:
    """A leaf begins half a window before every anchor and ends where it is full, both inside the anchor's section."""
    tokens, starts = context.tokens, [atom.start for atom in atoms]
    free = 0
    for anchor in anchors:
        held = bisect_right(starts, anchor.at) - 1
        if held < free or anchor.at >= atoms[held].end or atoms[held].opens < NO_SECTION:
            continue  # in a window already, or a heading, which begins its section's first leaf in any case
        room = context.room(atoms[held].heading)
        room -= context.overlap(room)
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
