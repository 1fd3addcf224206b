"""Classifies what a passage does: definition, example, steps, caveat, reference, summary, question, or prose."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from core.types import Block, BlockKind, Chunk, Document

_MOSTLY = 0.6  # least share of a passage's characters in blocks of one kind
_BY_BLOCKS = ((BlockKind.CODE, "code"), (BlockKind.TABLE, "table"), (BlockKind.FOOTNOTE, "reference"))

# Patterns of the passage's heading; the first match decides.
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
# Patterns of the passage's first words; the first match decides.
_DEFINED = (
    r"(?:An?\s|[Tt]he\s)?(?:term\s)?[*_`\"“„«]{1,3}(?:[^\n*_`\"”«»]{2,60})[*_`\"”“»]{1,3}(?:\s?\([^)\n]{1,40}\))?"
    r",?\s(?:is|are|means?|refers? to|denotes?|stands? for|designates?|shall mean|bedeutet|ist|sind|es|est)\b"
)
_MEANING = (
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
    ("definition", _MEANING),
    ("question", r"Q\d*[.:)]\s|Question[:.]\s|[A-Z¿][^.!?\n]{5,200}\?(?:\s|$)"),
)
# A heading, or first line, that is an API endpoint or a function signature.
_SIGNATURE = re.compile(
    r"[\s#*_`]*(?:\d[\d.]*\s)?(?:(?:GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS)[`*_]*\s+[`*_]*/"
    r"|(?:(?:async|static|public|private|def|class|function|func|fn|void|new)\s)*[A-Za-z_$][\w$]*(?:(?:\.|::|->|#)[\w$]+)*"
    r"(?!\((?:s|es|e|n|en|r|er|in|innen|\d+)\))"  # "Note(s)", "Revenue(2023)"
    r"\((?:[^()\n]|\([^()\n]*\)){0,300}\)(?:\s*(?:->|→|=>|:)\s*[\w.<>\[\], |]{1,80})?[`*_:]*[ \t]*(?:$|\n))"
)
_FIELD = re.compile(
    r"(?im)^[\s#*_`:@-]{0,6}(?:parameters?|params?|arguments?|args|returns?|return values?|raises|throws|request body"
    r"|response|query parameters|path parameters|status codes|exit codes?)\b[*_` \t]*(?::|$)"
)
_IS_A = re.compile(r"(?:An?|The)\s[\w-]+(?:\s[\w-]+){0,2}\s(?:is|are)\s(?:an?|any|one)\s[a-z]")
_MARKUP = re.compile(r"^(?:\s|>|[*_`#]|[-•]\s|\[!)+")
_ORDERED = re.compile(r"\s*(?:\(?\d{1,3}[.)]|\(?[a-z][.)]|Step\s\d|[ivx]{1,4}[.)])\s+\S")


def section_type(document: Document, chunk: Chunk, blocks: Sequence[Block]) -> str:
    """The type of a passage; "prose" where no rule matches. ``blocks``: the blocks that it overlaps.

    The rules, in order: API reference, the kind of most of its blocks, its first words, numbered items, its heading.

    >>> text = "**Race** is the channel that leads the water to the wheel."
    >>> section_type(Document("v", "markdown", "t", text), Chunk("c", 0, None, 0, len(text), text, 9), ())
    'definition'
    """
    lengths = Counter[BlockKind]()
    for block in blocks:
        lengths[block.kind] += chunk.span.overlap(block.span)
    whole = max(1, chunk.end - chunk.start - lengths[BlockKind.HEADING] - lengths[BlockKind.CAPTION])
    title = chunk.headings[-1] if chunk.headings else ""
    body = _body(document, chunk, blocks)
    is_code = lengths[BlockKind.CODE] >= _MOSTLY * whole
    if not is_code and document.kind != "code" and _is_api(title, body, chunk.text):
        return "api_ref"
    for kind, name in _BY_BLOCKS:
        if lengths[kind] >= _MOSTLY * whole:
            return name
    for name, pattern in _OPENINGS:
        if re.match(pattern, body):
            return name
    ordered = _ordered_items(document, chunk, blocks)
    if ordered >= 2:
        return "steps"
    for name, pattern in _TITLES:
        if re.search(pattern, title, re.IGNORECASE):
            return name
    if _STEPS_TITLE.search(title) and (ordered or lengths[BlockKind.LIST] >= 0.3 * whole):
        return "steps"
    if _IS_A.match(body):
        return "definition"
    return "prose"


def _is_api(title: str, body: str, text: str) -> bool:
    """Whether the heading or first line is an endpoint or signature, or the text has two fields such as "Returns:"."""
    has_mark = any("(" in line or "/" in line for line in (title, body[:300]))  # a fast check before the patterns
    if has_mark and (_SIGNATURE.match(title) or _SIGNATURE.match(body)):
        return True
    return len({match.group().strip(" \n#*_`:@-").lower() for match in _FIELD.finditer(text)}) > 1


def _body(document: Document, chunk: Chunk, blocks: Sequence[Block]) -> str:
    """The first 300 characters after the headings, without markup."""
    start = chunk.start
    for block in blocks:
        if block.kind is not BlockKind.HEADING or document.text[start : block.start].strip():
            break
        start = min(block.end, chunk.end)
    raw = document.text[start : min(chunk.end, start + 300)].lstrip()
    return raw if re.match(_DEFINED, raw) else _MARKUP.sub("", raw)


def _ordered_items(document: Document, chunk: Chunk, blocks: Sequence[Block]) -> int:
    """The number of numbered list items in the passage."""
    return sum(
        chunk.start <= part.start < chunk.end and _ORDERED.match(document.text, part.start, part.end) is not None
        for block in blocks
        if block.kind is BlockKind.LIST
        for part in block.parts or (block.span,)
    )
