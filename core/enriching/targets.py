"""The targets of references in a document: numbered sections and clauses, captions, notes, sources, anchors."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice, takewhile

from core.text.markup.cited import is_entry, is_reference_heading, numbered_entries, reference_entries
from core.text.outline import Heading, Outline
from core.text.spans import touching, trim
from core.text.values.calendar_names import YEAR
from core.types import Block, BlockKind, Document, Span

CLASSES = {
    **dict.fromkeys("section sections sec sect abschnitt abschnitte ziffer sección § §§".split(), "section"),
    **dict.fromkeys("chapter chapters chap ch kapitel capítulo chapitre".split(), "chapter"),
    **dict.fromkeys("clause clauses paragraph paragraphs".split(), "clause"),
    **dict.fromkeys("part parts".split(), "part"),
    **dict.fromkeys("appendix annex anhang annexe".split(), "appendix"),
    **dict.fromkeys("article articles art artikel artículo".split(), "article"),
    **dict.fromkeys("figure figures fig figs abbildung abbildungen abb figura 그림 図 图".split(), "figure"),
    **dict.fromkeys("table tables tab tabelle tabellen tabla tableau 표 図表 表".split(), "table"),
}
NUMBER = r"(?:\d{1,4}|[A-Z](?![a-z])|[IVXLC]{1,6}(?!\w))(?:\.\d{1,3}){0,5}[a-z]?(?:\(\w{1,3}\)){0,3}"
_WORD = r"(?P<word>§{1,2}|[^\W\d_]{2,10}\.?)"
_LABEL = re.compile(rf"[\s#*_\[>]*{_WORD}[ \u00a0]?(?P<number>{NUMBER}(?:-\d{{1,3}})?)(?![\w])")
_NUMBERED = re.compile(r"[\s#*_]*(?P<number>\d{1,3}(?:\.\d{1,3}){0,5}|[A-Z](?=[.)]))[.):]?(?:\s|[*_]+)")
_CLAUSE = re.compile(r"[\s*_]*(?P<number>\d{1,3}(?:\.\d{1,3}){1,5}|\d{1,3}(?=\.\s))[.):]?\s")
_NOTE = re.compile(r"\s*(?:\[\^(?P<named>[^\]\s]{1,40})\]:|\[(?P<bracket>\d{1,3})\]|(?P<bare>\d{1,3})[.)]?(?=\s))")
_ENTRY = re.compile(r"\s*(?:[-*•]\s+)?(?:\[(?P<bracket>\d{1,3})\]|(?P<bare>\d{1,3})[.)](?=\s))?\s*")
_ALSO_SOURCES = re.compile(r"(?i)(?:\d+[.)]?\s*)?(?:notes and references|citations|footnotes|sources)")
_ENTRY_KINDS = frozenset({BlockKind.PARAGRAPH, BlockKind.LIST, BlockKind.FOOTNOTE})
_SURNAME = re.compile(r"[^\W\d_][\w'’-]+")
_YEAR = re.compile(rf"\b{YEAR}[a-z]?\b")
_ANCHOR = re.compile(r"\{#([\w:.-]{1,200})[^{}\n]{0,100}\}|<a\s+(?:name|id)=[\"']([^\"'<>]{1,200})[\"']")


@dataclass(slots=True)
class Targets:
    """The places of a document by their names; a name of several places is ambiguous and resolves to none.

    ``numbered``: (class, number) to places, with class "" for a number without a word. ``labels``: offsets of the words
    that declare a target, which are no references. ``notes``, ``sources``: by number. ``authors``: surname, year and
    place of each source. ``titles``: by lower-case heading. ``anchors``: by ``slug``. ``repeated``: how often a slug
    was repeated. ``listed``: the last list of sources.
    """

    numbered: dict[tuple[str, str], dict[Span, None]] = field(default_factory=dict)
    labels: set[int] = field(default_factory=set)
    notes: dict[str, list[Span]] = field(default_factory=dict)
    sources: dict[str, list[Span]] = field(default_factory=dict)
    authors: list[tuple[str, str, Span]] = field(default_factory=list)
    titles: dict[str, list[Span]] = field(default_factory=dict)
    anchors: dict[str, Span] = field(default_factory=dict)
    repeated: dict[str, int] = field(default_factory=dict)
    listed: Span | None = None

    def place(self, kind: str, number: str) -> Span | None:
        """The only place of this class and number; ``None`` if there is none, or several.

        Sections fall back to a number without a word, then to similar classes.
        """
        places: Collection[Span] = self.numbered.get((kind, number), ())
        if not places and kind not in {"figure", "table"}:
            places = self.numbered.get(("", number), ())
        if not places and kind in {"section", "clause"}:
            similar = ("section", "clause", "chapter", "part") if kind == "section" else ("clause", "section")
            places = [span for name in similar for span in self.numbered.get((name, number), ())]
        return only(places)

    def author(self, surname: str, year: str) -> Span | None:
        """The only listed source with this first author and year; ``None`` if there is none, or several."""
        return only([span for name, when, span in self.authors if name == surname.lower() and when == year])


def only(places: Collection[Span]) -> Span | None:
    """The place, if there is exactly one; else ``None``."""
    return next(iter(places)) if len(places) == 1 else None


def class_of(word: str) -> str:
    """The class of target that a word announces; "" for none.

    >>> class_of("Secs."), class_of("Sec."), class_of("§"), class_of("Tables")
    ('', 'section', 'section', 'table')
    """
    return CLASSES.get(word.lower().rstrip("."), "")


def slug(title: str) -> str:
    """A heading's anchor in a form that is the same for all generators, such as "#3-1-What_s-new" and "#31-whats-new".

    >>> slug("3.1 What's new, again?"), slug("31-whats_new-again"), slug("Distribution_and_habitat")
    ('31-whats-new-again', '31-whats-new-again', 'distribution-and-habitat')
    """
    return re.sub(r"[\s_-]+", "-", re.sub(r"[^\w\s-]", "", title.lower())).strip("-")


def targets(outline: Outline) -> Targets:
    """All targets of references in a document."""
    document, lookup = outline.document, Targets()
    sources: set[int] = set()
    for index, heading in enumerate(outline.headings):
        _add_section(lookup, document, heading, outline.section(index))
    for listed, blocks in _lists(outline):
        lookup.listed = listed
        for block in blocks:
            sources.add(block.start)
            _add_sources(lookup, document, block)
    for index, block in enumerate(document.blocks):
        if block.kind is BlockKind.CAPTION or block.kind is BlockKind.PARAGRAPH:
            _add_caption(lookup, document, index, block)
        if block.kind is BlockKind.FOOTNOTE or document.text.startswith("[^", block.start):
            _add_note(lookup, document, block)
        if block.kind in (BlockKind.PARAGRAPH, BlockKind.LIST) and block.start not in sources:
            _add_clauses(lookup, document, block)
    for match in _ANCHOR.finditer(document.text):
        at = outline.heading_at(match.start())
        place = outline.section(at) if at >= 0 else Span(match.start(), match.end())
        lookup.anchors.setdefault(slug(match[1] or match[2]), place)
    return lookup


def _add(places: dict[tuple[str, str], dict[Span, None]], key: tuple[str, str], span: Span) -> None:
    places.setdefault(key, {})[span] = None


def _add_section(lookup: Targets, document: Document, heading: Heading, span: Span) -> None:
    """Adds a section by its number, title and anchor."""
    start, title = heading.block.start, heading.text
    raw = document.text[start : min(heading.block.end, start + 120)]
    label = _LABEL.match(raw)
    if label is not None and (kind := class_of(label["word"])) and kind not in {"figure", "table"}:
        _add(lookup.numbered, (kind, label["number"]), span)
        lookup.labels.add(start + label.start("word"))
    elif (number := _NUMBERED.match(raw)) is not None:
        _add(lookup.numbered, ("", number["number"]), span)
        title = title[title.find(number["number"]) + len(number["number"]) :].lstrip(".): ")
    if title:
        lookup.titles.setdefault(" ".join(title.lower().split()), []).append(span)
    base = slug(heading.text)
    anchor, extra = base, lookup.repeated.get(base, 0)
    while anchor in lookup.anchors:
        extra += 1
        anchor = f"{base}-{extra}"
    lookup.repeated[base] = extra
    lookup.anchors[anchor] = span


def _add_caption(lookup: Targets, document: Document, index: int, block: Block) -> None:
    """Adds a figure or table if the block is its caption."""
    label = _LABEL.match(document.text, block.start, min(block.end, block.start + 60))
    if label is None or (kind := class_of(label["word"])) not in {"figure", "table"}:
        return
    after = document.text[label.end() : min(block.end, label.end() + 3)].lstrip("*_] ")
    if block.kind is BlockKind.PARAGRAPH and not after.startswith((":", ".", "–", "—", "|")):
        return  # a sentence that begins with "Table 2 shows" is no caption
    lookup.labels.add(label.start("word"))
    _add(lookup.numbered, (kind, label["number"]), _with_body(document, index, kind))


def _with_body(document: Document, index: int, kind: str) -> Span:
    """The span of a caption; of a table's caption, together with the adjacent table."""
    block = document.blocks[index]
    if kind == "table":
        for near in (index + 1, index - 1):
            if 0 <= near < len(document.blocks) and document.blocks[near].kind is BlockKind.TABLE:
                other = document.blocks[near]
                return Span(min(block.start, other.start), max(block.end, other.end))
    return block.span


def _add_note(lookup: Targets, document: Document, block: Block) -> None:
    """Adds a footnote by its label."""
    note = _NOTE.match(document.text, block.start, block.end)
    if note is not None:
        lookup.labels.add(note.start() + len(note.group()) - len(note.group().lstrip()))
        label = f"^{note['named']}" if note["named"] else note["bracket"] or note["bare"]
        lookup.notes.setdefault(label, []).append(block.span)


def _add_clauses(lookup: Targets, document: Document, block: Block) -> None:
    """Adds numbered clauses that are no headings: "4.2 Nobody has ..."."""
    for part in block.parts or (block.span,):
        clause = _CLAUSE.match(document.text, part.start, min(part.end, part.start + 40))
        if clause is not None and "." in clause["number"]:
            _add(lookup.numbered, ("", clause["number"]), part)


def _lists(outline: Outline) -> Iterator[tuple[Span, Sequence[Block]]]:
    """The lists of sources, each with its span and blocks: under a heading, or below a line that announces one."""
    document = outline.document
    headings = [at for at, heading in enumerate(outline.headings) if _announces_sources(heading.text)]
    sections = [outline.section(at) for at in headings]
    for at, section in zip(headings, sections, strict=True):
        yield section, document.blocks[touching(document.blocks, outline.blocks[at].end, section.end)]
    for index, block in enumerate(document.blocks):
        line = document.text[block.start : min(block.end, block.start + 80)].split("\n")[0]
        if block.kind is not BlockKind.PARAGRAPH or not _announces_sources(line):
            continue
        below = _entries_below(document, index, block.start + len(line))
        if below and not any(section.start <= block.start < section.end for section in sections):
            yield Span(block.start, below[-1].end), below


def _announces_sources(line: str) -> bool:
    words = line.rstrip(" \t.:;¶#*_")
    return is_reference_heading(words) or bool(_ALSO_SOURCES.fullmatch(words))


def _entries_below(document: Document, index: int, line_end: int) -> list[Block]:
    """The blocks of entries after the line that announces them and ends at ``line_end``.

    These are the rest of its paragraph and the following blocks, as long as they begin like entries.
    """
    blocks = document.blocks
    rest = trim(document.text, line_end, blocks[index].end)
    first = [Block(BlockKind.PARAGRAPH, rest.start, rest.end)] if rest else []
    below = (block for block in chain(first, islice(blocks, index + 1, None)) if block.kind is not BlockKind.FURNITURE)
    return list(takewhile(lambda one: one.kind in _ENTRY_KINDS and is_entry(document.text, one.start, one.end), below))


def _add_sources(lookup: Targets, document: Document, block: Block) -> None:
    """Adds the sources of a block by number, and by first author and year."""
    for entry in _entries(document.text, block):
        head = _ENTRY.match(document.text, entry.start, entry.end)
        assert head is not None  # noqa: S101 - every part of it is optional
        if number := head["bracket"] or head["bare"]:
            lookup.sources.setdefault(number, []).append(entry)
            lookup.labels.add(head.start() if not head["bracket"] else head.start("bracket") - 1)
        surname = _SURNAME.match(document.text, head.end(), entry.end)
        year = _YEAR.search(document.text, entry.start, entry.end)
        if surname is not None and year is not None:
            lookup.authors.append((surname.group().lower(), year.group(), entry))


def _entries(text: str, block: Block) -> Sequence[Span]:
    """The entries of a block: its list items, its numbered lines, its references, else the whole block."""
    entries = block.parts or numbered_entries(text, block.start, block.end)
    return entries or reference_entries(text, block.start, block.end) or [block.span]
