"""What a passage does: it defines, shows, instructs, warns, refers, sums up, or just tells."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from core.types import Block, BlockKind, Chunk, Document

SECTION_TYPES = tuple("definition example steps caveat reference table code question summary prose".split())
_MOSTLY = 0.6  # of a passage's characters
_CONSISTS = ((BlockKind.CODE, "code", "code"), (BlockKind.TABLE, "table", "a table"),
             (BlockKind.FOOTNOTE, "reference", "notes"))  # fmt: skip

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
# Of a passage's first words, the first that fits; the group "said" is quoted, or the whole where there is none.
_DEFINED = (
    r"(?:An?\s|[Tt]he\s)?(?:term\s)?[*_`\"“„«]{1,3}(?P<said>[^\n*_`\"”«»]{2,60})[*_`\"”“»]{1,3}(?:\s?\([^)\n]{1,40}\))?"
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
            r"(?P<said>NOTE|WARNING|CAUTION|IMPORTANT|DANGER|Note|Warning|Caution|Important|Beware|Danger|Attention|Achtung"
            r"|Hinweis|Avertissement|Advertencia)\b(?:\s+that\b|[\]*_]*\s*[:!.–—-]|[\]*_]*\n)|⚠|(?:Be careful"
            r"|Do not confuse|Keep in mind|Take care)\b"
        ),
        "it begins with “{}”",
    ),
    (
        "example",
        r"For example|For instance|Example\b|E\.g\.|As an example|Suppose\b|Consider\b|Zum Beispiel|Por ejemplo",
        "it begins with “{}”",
    ),
    (
        "summary",
        (
            r"(?P<said>In summary|In short|To sum(?:marise|marize| up)|In conclusion|Overall(?=,)|To conclude"
            r"|Taken together)\b"
        ),
        "it begins with “{}”",
    ),
    ("definition", _DEFINED, "its first sentence says what “{}” is"),
    ("definition", _MEANS, "its first sentence says what a term means"),
    ("question", r"Q\d*[.:)]\s|Question[:.]\s|[A-Z¿][^.!?\n]{5,200}\?(?:\s|$)", "it begins with a question"),
)
_IS_A = re.compile(r"(?:An?|The)\s[\w-]+(?:\s[\w-]+){0,2}\s(?:is|are)\s(?:an?|any|one)\s[a-z]")
_MARKUP = re.compile(r"^(?:\s|>|[*_`#]|[-•]\s|\[!)+")
_ORDERED = re.compile(r"\s*(?:\(?\d{1,3}[.)]|\(?[a-z][.)]|Step\s\d|[ivx]{1,4}[.)])\s+\S")


class Classified(NamedTuple):
    """A class and what showed it, as a sentence's part."""

    name: str
    reason: str


def section_type(document: Document, chunk: Chunk, blocks: Sequence[Block]) -> Classified:
    """What the passage does. ``blocks``: those it shares characters with. "prose" when nothing shows anything else.

    What it consists of comes first, then its first words, then the heading it stands under.

    >>> text = "**Race** is the channel that leads the water to the wheel."
    >>> section_type(Document("v", "markdown", "t", text), Chunk("c", 0, None, 0, len(text), text, 9), ())
    Classified(name='definition', reason='its first sentence says what “Race” is')
    """
    lengths = Counter[BlockKind]()
    for block in blocks:
        lengths[block.kind] += chunk.span.overlap(block.span)
    whole = max(1, chunk.end - chunk.start - lengths[BlockKind.HEADING] - lengths[BlockKind.CAPTION])
    for kind, name, what in _CONSISTS:
        if lengths[kind] >= _MOSTLY * whole:
            return Classified(name, f"{round(100 * lengths[kind] / whole)} % of it is {what}")
    body = _body(document, chunk, blocks)
    for name, pattern, reason in _OPENINGS:
        if (match := re.match(pattern, body)) is not None:
            said = match.groupdict().get("said") or match.group()
            return Classified(name, reason.format(" ".join(said.split())))
    ordered = _ordered_items(document, chunk, blocks)
    if ordered >= 2:
        return Classified("steps", f"{ordered} numbered items")
    title = chunk.headings[-1] if chunk.headings else ""
    for name, pattern in _TITLES:
        if (match := re.search(pattern, title, re.IGNORECASE)) is not None:
            said = match.group().strip()
            return Classified(name, f"its heading says “{said}”" if said.strip("? ") else "its heading asks")
    if (match := _STEPS_TITLE.search(title)) is not None and (ordered or lengths[BlockKind.LIST] >= 0.3 * whole):
        return Classified("steps", f"a list under a heading that says “{match.group()}”")
    if _IS_A.match(body):
        return Classified("definition", "its first sentence says what something is")
    return Classified("prose", "")


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
