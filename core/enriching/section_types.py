"""What a passage does: it defines, shows, instructs, warns, refers, sums up, or just tells."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from core.types import Block, BlockKind, Chunk, Document

SECTION_TYPES = tuple("definition example steps caveat reference table code question summary prose".split())
_MOSTLY = 0.6  # of a passage's characters
_CONSISTS = ((BlockKind.CODE, "code"), (BlockKind.TABLE, "table"), (BlockKind.FOOTNOTE, "reference"))

# Of headings: what a passage below them is, the first that fits.
_TITLES = (
    ("question", r"\b(?:faq|frequently asked|q ?& ?a|questions)\b|\?\s*$"),
    (
        "reference",
        (
            r"^\W*(?:[\d.]+\s*)?(?:references?|bibliography|works cited|see also|further reading|external links"
            r"|literatur\w*|index|sources)\W*$"
        ),
    ),
    (
        "summary",
        (
            r"^\W*(?:[\d.]+\s*)?(?:(?:executive )?summary|abstract|conclusions?|in (?:brief|short|summary)|tl;?dr"
            r"|key (?:points|takeaways)|highlights|at a glance|zusammenfassung|fazit|resumen|résumé)\b"
        ),
    ),
    (
        "caveat",
        (
            r"\b(?:caveats?|warnings?|limitations?|known issues|pitfalls|gotchas|precautions|safety|restrictions"
            r"|what (?:can|may) go wrong|exceptions?|disclaimer)\b"
        ),
    ),
    ("definition", r"\b(?:definitions?|glossary|terminology|terms(?: and definitions)?|what is an?)\b"),
    ("example", r"\b(?:examples?|worked example|case study|sample|beispiele?|ejemplos?|exemples?)\b"),
)
_STEPS_TITLE = re.compile(
    r"(?i)\b(?:how to|procedure|steps?|order of work|instructions|checklist|installation|installing|setup|set up"
    r"|getting started|quick ?start|anleitung|walkthrough|runbook)\b"
)
# Of a passage's first words, the first that fits.
_DEFINED = (
    r"(?:An?\s|[Tt]he\s)?(?:term\s)?[*_`\"“„«]{1,3}(?:[^\n*_`\"”«»]{2,60})[*_`\"”“»]{1,3}(?:\s?\([^)\n]{1,40}\))?"
    r",?\s(?:is|are|means?|refers? to|denotes?|stands? for|designates?|shall mean|bedeutet|ist|sind|es|est)\b"
)
_MEANS = (
    r"(?:An?\s|The\s)?[A-Z]?[\w-]+(?:\s[\w-]+){0,5}\s(?:means|refers to|is defined as|are defined as|denotes|is called"
    r"|is the term)\b"
)
_OPENINGS = (
    (
        "caveat",
        (
            r"(?:NOTE|WARNING|CAUTION|IMPORTANT|DANGER|Note|Warning|Caution|Important|Beware|Danger|Attention|Achtung"
            r"|Hinweis|Avertissement|Advertencia)\b(?:\s+that\b|[\]*_]*\s*[:!.–—-]|[\]*_]*\n)|⚠|(?:Be careful"
            r"|Do not confuse|Keep in mind|Take care)\b"
        ),
    ),
    (
        "example",
        r"For example|For instance|Example\b|E\.g\.|As an example|Suppose\b|Consider\b|Zum Beispiel|Por ejemplo",
    ),
    (
        "summary",
        (
            r"(?:In summary|In short|To sum(?:marise|marize| up)|In conclusion|Overall(?=,)|To conclude"
            r"|Taken together)\b"
        ),
    ),
    ("definition", _DEFINED),
    ("definition", _MEANS),
    ("question", r"Q\d*[.:)]\s|Question[:.]\s|[A-Z¿][^.!?\n]{5,200}\?(?:\s|$)"),
)
_IS_A = re.compile(r"(?:An?|The)\s[\w-]+(?:\s[\w-]+){0,2}\s(?:is|are)\s(?:an?|any|one)\s[a-z]")
_MARKUP = re.compile(r"^(?:\s|>|[*_`#]|[-•]\s|\[!)+")
_ORDERED = re.compile(r"\s*(?:\(?\d{1,3}[.)]|\(?[a-z][.)]|Step\s\d|[ivx]{1,4}[.)])\s+\S")


def section_type(document: Document, chunk: Chunk, blocks: Sequence[Block]) -> str:
    """What the passage does. ``blocks``: those it shares characters with. "prose" when nothing shows anything else.

    What it consists of comes first, then its first words, then the heading it stands under.

    >>> text = "**Race** is the channel that leads the water to the wheel."
    >>> section_type(Document("v", "markdown", "t", text), Chunk("c", 0, None, 0, len(text), text, 9), ())
    'definition'
    """
    lengths = Counter[BlockKind]()
    for block in blocks:
        lengths[block.kind] += chunk.span.overlap(block.span)
    whole = max(1, chunk.end - chunk.start - lengths[BlockKind.HEADING] - lengths[BlockKind.CAPTION])
    for kind, name in _CONSISTS:
        if lengths[kind] >= _MOSTLY * whole:
            return name
    body = _body(document, chunk, blocks)
    for name, pattern in _OPENINGS:
        if re.match(pattern, body):
            return name
    ordered = _ordered_items(document, chunk, blocks)
    if ordered >= 2:
        return "steps"
    title = chunk.headings[-1] if chunk.headings else ""
    for name, pattern in _TITLES:
        if re.search(pattern, title, re.IGNORECASE):
            return name
    if _STEPS_TITLE.search(title) and (ordered or lengths[BlockKind.LIST] >= 0.3 * whole):
        return "steps"
    if _IS_A.match(body):
        return "definition"
    return "prose"


def _body(document: Document, chunk: Chunk, blocks: Sequence[Block]) -> str:
    """The first words after the headings, without markup: at most 300 characters."""
    start = chunk.start
    for block in blocks:
        if block.kind is not BlockKind.HEADING or document.text[start : block.start].strip():
            break
        start = min(block.end, chunk.end)
    raw = document.text[start : min(chunk.end, start + 300)].lstrip()
    return raw if re.match(_DEFINED, raw) else _MARKUP.sub("", raw)


def _ordered_items(document: Document, chunk: Chunk, blocks: Sequence[Block]) -> int:
    """Numbered items of lists inside the passage."""
    return sum(
        chunk.start <= part.start < chunk.end and _ORDERED.match(document.text, part.start, part.end) is not None
        for block in blocks
        if block.kind is BlockKind.LIST
        for part in block.parts or (block.span,)
    )
