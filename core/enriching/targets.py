"""What a document offers to be pointed at: numbered sections and clauses, captions, notes, sources, anchors."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice, takewhile

from core.text.calendar_names import YEAR
from core.text.cited import is_entry, is_reference_heading, numbered_entries, reference_entries
from core.text.outline import Heading, Outline
from core.text.spans import touching, trim
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
_LISTED = frozenset({BlockKind.PARAGRAPH, BlockKind.LIST, BlockKind.FOOTNOTE})
_SURNAME = re.compile(r"[^\W\d_][\w'’-]+")
_YEAR = re.compile(rf"\b{YEAR}[a-z]?\b")
_ANCHOR = re.compile(r"\{#([\w:.-]{1,200})[^{}\n]{0,100}\}|<a\s+(?:name|id)=[\"']([^\"'<>]{1,200})[\"']")


@dataclass(slots=True)
class Targets:
    """Places by what names them. A name that several places bear points to none of them.

    ``numbered``: (class, number) to places; class "" for a number without a word. ``labels``: starts of the words that
    declare a target, which are no references. ``notes``, ``sources``: by number; ``authors``: surname, year, place.
    ``repeated``: how often an anchor came again.
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
        """The one place of this class and number; sections of every name also answer to the bare number."""
        own: Collection[Span] = self.numbered.get((kind, number), ())
        if not own and kind not in {"figure", "table"}:
            own = self.numbered.get(("", number), ())
        if not own and kind in {"section", "clause"}:
            same = ("section", "clause", "chapter", "part") if kind == "section" else ("clause", "section")
            own = [span for name in same for span in self.numbered.get((name, number), ())]
        return only(own)

    def author(self, surname: str, year: str) -> Span | None:
        """The listed source that begins with this surname, of that year."""
        return only([span for name, when, span in self.authors if name == surname.lower() and when == year])


def only(places: Collection[Span]) -> Span | None:
    """The place, where there is just one."""
    return next(iter(places)) if len(places) == 1 else None


def class_of(word: str) -> str:
    """Which kind of target a word announces, "" for none.

    >>> class_of("Secs."), class_of("Sec."), class_of("§"), class_of("Tables")
    ('', 'section', 'section', 'table')
    """
    return CLASSES.get(word.lower().rstrip("."), "")


def slug(title: str) -> str:
    """A heading's anchor in one form, however its generator writes it: "#3-1-What_s-new" and "#31-whats-new" meet.

    >>> slug("3.1 What's new, again?"), slug("31-whats_new-again"), slug("Distribution_and_habitat")
    ('31-whats-new-again', '31-whats-new-again', 'distribution-and-habitat')
    """
    return re.sub(r"[\s_-]+", "-", re.sub(r"[^\w\s-]", "", title.lower())).strip("-")


def targets(outline: Outline) -> Targets:
    """Everything in a document that words may point at."""
    document, found = outline.document, Targets()
    sources: set[int] = set()
    for index, heading in enumerate(outline.headings):
        _take_section(found, document, heading, outline.section(index))
    for listed, blocks in _lists(outline):
        found.listed = listed
        for block in blocks:
            sources.add(block.start)
            _take_sources(found, document, block)
    for index, block in enumerate(document.blocks):
        if block.kind is BlockKind.CAPTION or block.kind is BlockKind.PARAGRAPH:
            _take_caption(found, document, index, block)
        if block.kind is BlockKind.FOOTNOTE or document.text.startswith("[^", block.start):
            _take_note(found, document, block)
        if block.kind in (BlockKind.PARAGRAPH, BlockKind.LIST) and block.start not in sources:
            _take_clauses(found, document, block)
    for match in _ANCHOR.finditer(document.text):
        at = outline.heading_at(match.start())
        place = outline.section(at) if at >= 0 else Span(match.start(), match.end())
        found.anchors.setdefault(slug(match[1] or match[2]), place)
    return found


def _add(places: dict[tuple[str, str], dict[Span, None]], key: tuple[str, str], span: Span) -> None:
    places.setdefault(key, {})[span] = None


def _take_section(found: Targets, document: Document, heading: Heading, span: Span) -> None:
    start, title = heading.block.start, heading.text
    raw = document.text[start : min(heading.block.end, start + 120)]
    label = _LABEL.match(raw)
    if label is not None and (kind := class_of(label["word"])) and kind not in {"figure", "table"}:
        _add(found.numbered, (kind, label["number"]), span)
        found.labels.add(start + label.start("word"))
    elif (number := _NUMBERED.match(raw)) is not None:
        _add(found.numbered, ("", number["number"]), span)
        title = title[title.find(number["number"]) + len(number["number"]) :].lstrip(".): ")
    if title:
        found.titles.setdefault(" ".join(title.lower().split()), []).append(span)
    base = slug(heading.text)
    anchor, extra = base, found.repeated.get(base, 0)
    while anchor in found.anchors:
        extra += 1
        anchor = f"{base}-{extra}"
    found.repeated[base] = extra
    found.anchors[anchor] = span


def _take_caption(found: Targets, document: Document, index: int, block: Block) -> None:
    label = _LABEL.match(document.text, block.start, min(block.end, block.start + 60))
    if label is None or (kind := class_of(label["word"])) not in {"figure", "table"}:
        return
    after = document.text[label.end() : min(block.end, label.end() + 3)].lstrip("*_] ")
    if block.kind is BlockKind.PARAGRAPH and not after.startswith((":", ".", "–", "—", "|")):
        return  # a sentence that begins with "Table 2 shows" declares nothing
    found.labels.add(label.start("word"))
    _add(found.numbered, (kind, label["number"]), _with_body(document, index, kind))


def _with_body(document: Document, index: int, kind: str) -> Span:
    """A table's caption together with the table it stands at."""
    block = document.blocks[index]
    if kind == "table":
        for near in (index + 1, index - 1):
            if 0 <= near < len(document.blocks) and document.blocks[near].kind is BlockKind.TABLE:
                other = document.blocks[near]
                return Span(min(block.start, other.start), max(block.end, other.end))
    return block.span


def _take_note(found: Targets, document: Document, block: Block) -> None:
    note = _NOTE.match(document.text, block.start, block.end)
    if note is not None:
        found.labels.add(note.start() + len(note.group()) - len(note.group().lstrip()))
        label = f"^{note['named']}" if note["named"] else note["bracket"] or note["bare"]
        found.notes.setdefault(label, []).append(block.span)


def _take_clauses(found: Targets, document: Document, block: Block) -> None:
    """Numbered clauses where they are no headings: "4.2 Nobody has ...", and "4. ..." as a list's own item."""
    for part in block.parts or (block.span,):
        clause = _CLAUSE.match(document.text, part.start, min(part.end, part.start + 40))
        if clause is not None and "." in clause["number"]:
            _add(found.numbered, ("", clause["number"]), part)


def _lists(outline: Outline) -> Iterator[tuple[Span, Sequence[Block]]]:
    """Where sources are listed, each with its blocks: under a heading that says so, or below a line that does."""
    document = outline.document
    saying = [at for at, heading in enumerate(outline.headings) if _says_sources(heading.text)]
    under = [outline.section(at) for at in saying]
    for at, section in zip(saying, under, strict=True):
        yield section, document.blocks[touching(document.blocks, outline.blocks[at].end, section.end)]
    for index, block in enumerate(document.blocks):
        line = document.text[block.start : min(block.end, block.start + 80)].split("\n")[0]
        if block.kind is not BlockKind.PARAGRAPH or not _says_sources(line):
            continue
        below = _below(document, index, block.start + len(line))
        if below and not any(section.start <= block.start < section.end for section in under):
            yield Span(block.start, below[-1].end), below


def _says_sources(line: str) -> bool:
    words = line.rstrip(" \t.:;¶#*_")
    return is_reference_heading(words) or bool(_ALSO_SOURCES.fullmatch(words))


def _below(document: Document, index: int, line_end: int) -> list[Block]:
    """The entries below a line that announces them and is no heading: its own paragraph's other lines, if it has any,
    and the blocks after it for as long as they begin as entries do.
    """
    blocks = document.blocks
    own = trim(document.text, line_end, blocks[index].end)
    first = [Block(BlockKind.PARAGRAPH, own.start, own.end)] if own else []
    below = (block for block in chain(first, islice(blocks, index + 1, None)) if block.kind is not BlockKind.FURNITURE)
    return list(takewhile(lambda one: one.kind in _LISTED and is_entry(document.text, one.start, one.end), below))


def _take_sources(found: Targets, document: Document, block: Block) -> None:
    for entry in _entries(document.text, block):
        head = _ENTRY.match(document.text, entry.start, entry.end)
        assert head is not None  # noqa: S101 - every part of it is optional
        if number := head["bracket"] or head["bare"]:
            found.sources.setdefault(number, []).append(entry)
            found.labels.add(head.start() if not head["bracket"] else head.start("bracket") - 1)
        surname = _SURNAME.match(document.text, head.end(), entry.end)
        year = _YEAR.search(document.text, entry.start, entry.end)
        if surname is not None and year is not None:
            found.authors.append((surname.group().lower(), year.group(), entry))


def _entries(text: str, block: Block) -> Sequence[Span]:
    """A list's items, or the lines of a paragraph that begin an entry each, else the block."""
    lined = block.parts or numbered_entries(text, block.start, block.end)
    return lined or reference_entries(text, block.start, block.end) or [block.span]
