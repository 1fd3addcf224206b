"""The reader of Word documents (docx, docm). It reads the package's parts with code of its own.

python-docx opens neither documents with macros, nor those of the strict variant, nor those that lack a part.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from core.errors import ParseError
from core.parsing.file_names import display_name, is_title
from core.parsing.flow import ParsedFile, Piece, Words, tidy
from core.parsing.inline import flat, hidden_note
from core.parsing.ooxml.package import RELATIONS, Element, Package
from core.parsing.word.body import Source, StoryReader
from core.parsing.word.groups import grouped, mark_headings, without_numbered_text
from core.parsing.word.notes import Marks, notes_by_id
from core.parsing.word.numbering import Numbering
from core.parsing.word.styles import Styles
from core.parsing.word.xml import W
from core.text.values.numerals import counted
from core.types import BlockKind

_SAVE_AGAIN = "Open it in Word, save a copy and add that."
_NOTE_KINDS = {"footnote": "footnotes", "endnote": "endnotes", "comment": "comments"}
_PAGE_WORDS = frozenset("page pages seite página pagina pág pag strona страница p s of von de di sur z из".split())
_WORD = re.compile(r"[^\W_]+")


def read(data: bytes, name: str) -> ParsedFile:
    """All visible text of the document, and its comments, headers and footers.

    Raises ``ParseError`` where the file is no complete Word document.
    """
    shown = display_name(name)
    package = Package(data, shown)
    try:
        return _read(package, shown)
    except RecursionError as error:
        raise ParseError(f"{shown} nests its content deeper than any page shows it.", _SAVE_AGAIN) from error


def _read(package: Package, shown: str) -> ParsedFile:
    main = package.main_part("word/document.xml")
    root = package.root(main)
    body = root.find(f"{W}body")
    if root.tag != f"{W}document" or body is None:
        raise ParseError(f"{shown} is no Word document: its main part {main} holds no body of text.", _SAVE_AGAIN)
    source = _source(package, main)
    reader = StoryReader(source, main)
    entries = reader.entries(body)
    without_numbered_text(entries)
    mark_headings(entries)
    pieces = grouped(entries)
    for kind, note_id in source.notes:
        if kind == "comment":  # comments that the text does not refer to
            pieces += reader.note(kind, note_id)
    pieces += _furniture(source, main, root)
    properties = package.core_properties()
    return ParsedFile(
        pieces=tuple(pieces),
        title=_title(source.titles, properties.get("title", "")),
        metadata=properties,
        notes=tuple(_notes(source)),
    )


def _source(package: Package, main: str) -> Source:
    styles = Styles(_related_root(package, main, "styles"))
    parts = {kind: (package.related(main, plural) or [""])[0] for kind, plural in _NOTE_KINDS.items()}
    notes = {
        (kind, note_id): element
        for kind, part in parts.items()
        for note_id, element in notes_by_id(package.optional_root(part) if part else None, kind).items()
    }
    return Source(
        package=package,
        styles=styles,
        numbering=Numbering(_related_root(package, main, "numbering"), styles.number_of),
        marks=Marks(_related_root(package, main, "settings")),
        notes=notes,
        note_parts=parts,
    )


def _related_root(package: Package, main: str, kind: str) -> Element | None:
    names = package.related(main, kind)
    return package.optional_root(names[0]) if names else None


def _furniture(source: Source, main: str, root: Element) -> Iterator[Piece]:
    """The distinct headers and footers of all sections, without page numbers."""
    relations = source.package.relations(main)
    seen: set[str] = set()
    parts: dict[str, None] = {}
    for reference in root.iter(f"{W}headerReference", f"{W}footerReference"):
        relation = relations.get(reference.get(f"{RELATIONS}id", ""))
        if relation and not relation.external:
            parts[relation.target] = None
    for part in parts:
        element = source.package.optional_root(part)
        if element is None:
            continue
        words = tidy(flat(StoryReader(source, part, is_furniture=True).pieces(element)))
        if not words.links:
            words = Words("\n".join(line for line in words.text.split("\n") if not _is_page_label(line)))
        if words.text not in seen:
            seen.add(words.text)
            yield Piece(BlockKind.FURNITURE, words)


def _is_page_label(line: str) -> bool:
    """Whether a line is only the label of a page number that was left out.

    >>> [_is_page_label(line) for line in ("Page of", "- -", "第页 共页", "Page layout")]
    [True, True, True, False]
    """
    words = _WORD.findall(line.lower())
    return len(words) <= 3 and all(word in _PAGE_WORDS or set(word) <= set("第页頁共") for word in words)


def _title(titles: list[str], stated: str) -> str:
    """The first real title: of the paragraphs in the style Title, then of the document's properties; else "".

    >>> _title([], "Document1"), _title([], "Budget 2026"), _title(["The lake"], "Budget 2026")
    ('', 'Budget 2026', 'The lake')
    """
    return next((words for words in (*(" ".join(title.split()) for title in titles), stated) if is_title(words)), "")


def _notes(source: Source) -> Iterator[str]:
    left_out = source.left_out
    yield from hidden_note(left_out.hidden)
    if left_out.deleted:
        yield f"Deletions that are still tracked were left out: {counted(left_out.deleted, 'word')}."
    for target in left_out.unread:
        yield f"A file embedded as a part of the text was not read: {target}."
    for part in source.package.damaged:
        yield f"The part {part} is damaged, what it says is missing."
