"""What a passage does: it defines, shows, instructs, warns, refers, sums up, or just tells."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from core.types import Block, BlockKind, Chunk, Document

SECTION_TYPES = (
    "definition",
    "example",
    "steps",
    "caveat",
    "reference",
    "table",
    "code",
    "question",
    "summary",
    "prose",
)
_MOSTLY = 0.6  # of a passage's characters

_TITLES: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("question", re.compile(r"(?i)\b(?:faq|frequently asked|q ?& ?a|questions)\b|\?\s*$")),
    ("reference", re.compile(r"(?i)^\W*(?:[\d.]+\s*)?(?:references?|bibliography|works cited|see also|further reading"
                             r"|external"
                             r" links|literatur\w*|index|sources)\W*$")),
    ("summary", re.compile(r"(?i)^\W*(?:[\d.]+\s*)?(?:(?:executive )?summary|abstract|conclusions?|in (?:brief|short"
                           r"|summary)"
                           r"|tl;?dr|key (?:points|takeaways)|highlights|at a glance|zusammenfassung|fazit|resumen"
                           r"|résumé)\b")),
    ("caveat", re.compile(r"(?i)\b(?:caveats?|warnings?|limitations?|known issues|pitfalls|gotchas|precautions|safety"
                          r"|restrictions"
                          r"|what (?:can|may) go wrong|exceptions?|disclaimer)\b")),
    ("definition", re.compile(r"(?i)\b(?:definitions?|glossary|terminology|terms(?: and definitions)?|what is an?)\b")),
    ("example", re.compile(r"(?i)\b(?:examples?|worked example|case study|sample|beispiele?|ejemplos?|exemples?)\b")),
)  # fmt: skip
_STEPS_TITLE = re.compile(
    r"(?i)\b(?:how to|procedure|steps?|order of work|instructions|checklist|installation|installing|setup|set up"
    r"|getting started"
    r"|quick ?start|anleitung|walkthrough|runbook)\b"
)
_MARKUP = re.compile(r"^(?:\s|>|[*_`#]|[-•]\s|\[!)+")
_CAVEAT = re.compile(
    r"(?:NOTE|WARNING|CAUTION|IMPORTANT|DANGER|Note|Warning|Caution|Important|Beware|Danger|Attention|Achtung|Hinweis"
    r"|Avertissement"
    r"|Advertencia)\b(?:\s+that\b|[\]*_]*\s*[:!.–—-]|[\]*_]*\n)|⚠|(?:Be careful|Do not confuse|Keep in mind"
    r"|Take care)\b"
)
_EXAMPLE = re.compile(
    r"(?:For example|For instance|Example\b|E\.g\.|As an example|Suppose\b|Consider\b|Zum Beispiel|Por ejemplo)"
)
_SUMMARY = re.compile(
    r"(?:In summary|In short|To sum(?:marise|marize| up)|In conclusion|Overall,|To conclude|Taken together)\b"
)
_DEFINED = re.compile(
    r"(?:An?\s|The\s|the\s)?(?:term\s)?(?P<mark>[*_`\"“„«]{1,3})(?P<term>[^\n*_`\"”«»]{2,60})"
    r"[*_`\"”“»]{1,3}(?:\s?\([^)\n]{1,40}\))?"
    r",?\s(?:is|are|means?|refers? to|denotes?|stands? for|designates?|shall mean|bedeutet|ist|sind|es|est)\b"
)
_MEANS = re.compile(
    r"(?:An?\s|The\s)?[A-Z]?[\w-]+(?:\s[\w-]+){0,5}\s(?:means\b|refers to\b|is defined as\b|are defined as\b"
    r"|denotes\b|is called\b|is the term\b)"
)
_IS_A = re.compile(r"(?:An?|The)\s[\w-]+(?:\s[\w-]+){0,2}\s(?:is|are)\s(?:an?|any|one)\s[a-z]")
_QUESTION = re.compile(r"(?:Q\d*[.:)]\s|Question[:.]\s)|[A-Z¿][^.!?\n]{5,200}\?(?:\s|$)")
_ORDERED = re.compile(r"\s*(?:\(?\d{1,3}[.)]|\(?[a-z][.)]|Step\s\d|[ivx]{1,4}[.)])\s+\S")
_SENTENCE_STOP = re.compile(r"[.!?](?:\s|$)")


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
    by_kind = _shares(chunk, blocks)
    body = _body(document, chunk, blocks)
    title = chunk.headings[-1] if chunk.headings else ""
    for kind, name in ((BlockKind.CODE, "code"), (BlockKind.TABLE, "table"), (BlockKind.FOOTNOTE, "reference")):
        if by_kind.get(kind, 0) >= _MOSTLY:
            what = {"code": "code", "table": "a table", "reference": "notes"}[name]
            return Classified(name, f"{round(100 * by_kind[kind])} % of it is {what}")
    if (found := _by_words(body)) is not None:
        return found
    ordered = _ordered_items(document, chunk, blocks)
    if ordered >= 2:
        return Classified("steps", f"{ordered} numbered items")
    for name, pattern in _TITLES:
        if (match := pattern.search(title)) is not None:
            return Classified(name, f"its heading says “{match.group().strip()}”" if match.group().strip("? ") else
                              "its heading asks")  # fmt: skip
    if (match := _STEPS_TITLE.search(title)) is not None and (ordered or by_kind.get(BlockKind.LIST, 0) >= 0.3):
        return Classified("steps", f"a list under a heading that says “{match.group()}”")
    if _IS_A.match(body):
        return Classified("definition", "its first sentence says what something is")
    return Classified("prose", "")


def _shares(chunk: Chunk, blocks: Sequence[Block]) -> dict[BlockKind, float]:
    """The share of the passage, headings aside, that each kind of block has."""
    lengths: dict[BlockKind, int] = {}
    for block in blocks:
        lengths[block.kind] = lengths.get(block.kind, 0) + chunk.span.overlap(block.span)
    whole = chunk.end - chunk.start - lengths.pop(BlockKind.HEADING, 0) - lengths.pop(BlockKind.CAPTION, 0)
    return {kind: length / whole for kind, length in lengths.items()} if whole > 0 else {}


def _body(document: Document, chunk: Chunk, blocks: Sequence[Block]) -> str:
    """The first words after the headings, without markup: at most 300 characters."""
    start = chunk.start
    for block in blocks:
        if block.kind is not BlockKind.HEADING or document.text[start : block.start].strip():
            break
        start = min(block.end, chunk.end)
    raw = document.text[start : min(chunk.end, start + 300)].lstrip()
    bare = _MARKUP.sub("", raw)
    return raw if _DEFINED.match(raw) else bare


def _by_words(body: str) -> Classified | None:
    if (match := _CAVEAT.match(body)) is not None:
        return Classified("caveat", f"it begins with “{' '.join(match.group().split()).strip(':.! ')}”")
    if (match := _EXAMPLE.match(body)) is not None:
        return Classified("example", f"it begins with “{match.group()}”")
    if (match := _SUMMARY.match(body)) is not None:
        return Classified("summary", f"it begins with “{match.group().strip(',')}”")
    if (match := _DEFINED.match(body)) is not None:
        return Classified("definition", f"its first sentence says what “{match['term'].strip()}” is")
    stop = _SENTENCE_STOP.search(body)
    first = body[: stop.end()] if stop else body
    if _MEANS.match(first):
        return Classified("definition", "its first sentence says what a term means")
    if _QUESTION.match(first):
        return Classified("question", "it begins with a question")
    return None


def _ordered_items(document: Document, chunk: Chunk, blocks: Sequence[Block]) -> int:
    """Numbered items of lists inside the passage."""
    return sum(
        chunk.start <= part.start < chunk.end and _ORDERED.match(document.text, part.start, part.end) is not None
        for block in blocks
        if block.kind is BlockKind.LIST
        for part in block.parts or (block.span,)
    )
