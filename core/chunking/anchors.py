"""Where a text's anchors are: headings, the words papers, proofs and manuals open parts with, and a user's patterns."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from core.chunking.outline import plain_heading
from core.types import BlockKind, Document, Span

_LINE = 200  # characters of a line in which a user's pattern is looked for at once ...
_SHARED = 50  # ... and by how many such stretches of a long line overlap
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
    within one line. ``patterns`` are regular expressions that ``pattern_problem`` let pass.

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
    compiled = [re.compile(pattern, re.MULTILINE) for pattern in patterns]
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
                found |= _own(text, at + indent, end, compiled)
        at = end + 1
    found |= headings
    return [Anchor(place, name) for place, name in sorted(found.items())]


def _own(text: str, start: int, end: int, patterns: Sequence[re.Pattern[str]]) -> dict[int, str]:
    """What the user's patterns find first in every stretch of one line: stretches are short, so that none runs away."""
    found: dict[int, str] = {}
    for low in range(start, end, _LINE - _SHARED) if patterns else ():
        matches = [match for one in patterns if (match := one.search(text, low, min(end, low + _LINE)))]
        for match in sorted(matches, key=re.Match.start)[:1]:
            found[max(start, match.start())] = match.group().strip()[:60] or "pattern"
    return found
