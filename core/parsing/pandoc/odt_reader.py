"""Prepares OpenDocument text (.odt, flat .fodt) for pandoc: what pandoc would drop is moved to where it reads it."""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from io import BytesIO
from zipfile import ZIP_DEFLATED, ZipFile

from lxml import etree

from core.errors import ParseError
from core.parsing.flow import ParsedFile, Piece, Words
from core.parsing.inline import comment_head, description, hidden_note, is_repeated_in
from core.parsing.ooxml.package import Element
from core.parsing.pandoc.odt_package import OpenDocument
from core.types import Attachment, BlockKind

_STYLE = "{urn:oasis:names:tc:opendocument:xmlns:style:1.0}"
_TABLE = "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}"
_TEXT = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
_OFFICE = "{urn:oasis:names:tc:opendocument:xmlns:office:1.0}"
_DRAW = "{urn:oasis:names:tc:opendocument:xmlns:drawing:1.0}"
_CHART = "{urn:oasis:names:tc:opendocument:xmlns:chart:1.0}"
_DC = "{http://purl.org/dc/elements/1.1/}"
_HREF = "{http://www.w3.org/1999/xlink}href"
_PARAGRAPHS = (f"{_TEXT}p", f"{_TEXT}h")
_LISTS = (f"{_TEXT}list", f"{_TEXT}list-item", f"{_TEXT}list-header")
_TABLES = tuple(f"{_TABLE}{name}" for name in ("table", "table-header-rows", "table-row", "table-cell"))
_REMOVED, _UNWRAPPED = "gone", "unwrapped"
_MAX_DEPTH = 10  # of lists, as in LibreOffice; pandoc's time doubles with each
_HOLDERS = (f"{_TABLE}table-cell", f"{_TEXT}note-body")  # pandoc reads no headings and tables in them
_UNSEEN = tuple(
    f"{_TEXT}{name}"
    for name in (
        "tracked-changes sequence-decls variable-decls user-field-decls dde-connection-decls script hidden-text number "
        "page-number page-count page-continuation note-citation table-of-content-source illustration-index-source "
        "table-index-source object-index-source user-index-source alphabetical-index-source bibliography-source"
    ).split()
)
# The elements that pandoc reads. Of all others (fields, references, sections, indexes, marks) only the text is kept.
_READ = {
    *_PARAGRAPHS,
    *_LISTS,
    *_TABLES,
    *(f"{_TEXT}{name}" for name in ("span", "s", "tab", "line-break", "a", "note", "note-body")),
    *(f"{_DRAW}{name}" for name in ("frame", "object")),
}
# The levels of LibreOffice's own styles. "Heading" is the one that all its headings are based on.
_HEADINGS = {"Title": 1, "Subtitle": 2, "Heading": 2, **{f"Heading_20_{level}": level for level in range(1, 7)}}
_MOST_REPEATED = 200_000  # elements
_GAPS = frozenset({"NaN", "1.#NAN"})  # in a chart's data


def prepare(data: bytes, name: str) -> ParsedFile:
    """The document for pandoc as the only attachment, with what pandoc does not get: metadata, headers and footers.

    Raises ``ParseError`` for damaged and encrypted files.
    """
    document = OpenDocument(data, name)
    etree.strip_elements(document.content, *_UNSEEN, f"{_OFFICE}forms", with_tail=False)
    hidden = _remove_hidden(document)
    _mark_headings(document)
    for body in document.content.iterfind(f"{_OFFICE}body/{_OFFICE}text"):
        _move_anchored(body, document)
        _repeat(body, name)
        _simplify(body)
    metadata = document.metadata()
    return ParsedFile(
        pieces=tuple(Piece(BlockKind.FURNITURE, Words(line)) for line in _running_lines(document)),
        title=metadata.pop("title", ""),
        metadata=metadata,
        notes=hidden_note(hidden),
        attachments=(Attachment("for pandoc", _packed(document)),),
    )


def _remove_hidden(document: OpenDocument) -> int:
    """Remove hidden sections, paragraphs and words. Returns the number of removed words."""
    hiding = {
        (style.get(f"{_STYLE}family"), style.get(f"{_STYLE}name"))
        for style in _named_styles(document)
        for properties in style
        if properties.get(f"{_TEXT}display") == "none"
    }
    families = {
        f"{_TEXT}p": "paragraph",
        f"{_TEXT}h": "paragraph",
        f"{_TEXT}span": "text",
        f"{_TEXT}section": "section",
    }
    hidden = 0
    for element in document.content.iter(*families):
        name = element.get(f"{_TEXT}style-name")
        if element.get(f"{_TEXT}display") == "none" or (families[element.tag], name) in hiding:
            element.tag = _REMOVED
            hidden += len(" ".join(element.itertext()).split())
    etree.strip_elements(document.content, _REMOVED, with_tail=False)
    return hidden


def _mark_headings(document: OpenDocument) -> None:
    """Turn paragraphs in a style for titles and headings, or in one based on it, into headings."""
    bases = {style.get(f"{_STYLE}name"): style.get(f"{_STYLE}parent-style-name") for style in _named_styles(document)}
    for paragraph in list(document.content.iter(f"{_TEXT}p")):
        name = paragraph.get(f"{_TEXT}style-name")
        level = _HEADINGS.get(name or "") or _HEADINGS.get(bases.get(name) or "")
        if level:
            paragraph.tag = f"{_TEXT}h"
            paragraph.set(f"{_TEXT}outline-level", str(level))


def _named_styles(document: OpenDocument) -> Iterator[Element]:
    for root in (document.styles, document.content):
        if root is not None:
            yield from root.iter(f"{_STYLE}style")


def _move_anchored(body: Element, document: OpenDocument) -> None:
    """Move what is anchored in a paragraph after it: comments, text boxes, data of charts, descriptions of pictures."""
    anchored = [
        element
        for element in body.iter()
        if element.tag == f"{_OFFICE}annotation" or str(element.tag).startswith(_DRAW)
    ]
    for element in reversed(anchored):  # inner ones and later ones first
        if element.tag.endswith(("}image", "}object", "}text-box")):
            continue
        place = next(element.iterancestors(*_PARAGRAPHS), element)
        is_comment = element.tag == f"{_OFFICE}annotation"
        blocks = [_comment(element)] if is_comment else _shape_blocks(element, place, document)
        if blocks is None:
            element.addprevious(etree.Element(f"{_TEXT}s"))
            continue
        for block in reversed(blocks):
            block.tail = None
            place.addnext(block)
        element.tag = _REMOVED
    etree.strip_elements(body, _REMOVED, f"{_OFFICE}annotation-end", with_tail=False)


def _shape_blocks(shape: Element, place: Element, document: OpenDocument) -> list[Element] | None:
    """The content of a shape as blocks; ``None`` for a formula, which pandoc reads in its place."""
    for holder in shape.iterchildren(f"{_DRAW}object"):
        inner = document.object(holder.get(_HREF, ""))
        if inner is not None and inner.tag.endswith("}math"):
            return None
        if charts := list((inner if inner is not None else holder).iter(f"{_CHART}chart")):
            return [block for chart in charts for block in _chart(chart)]
    boxes = [shape, *shape.iterchildren(f"{_DRAW}text-box")]
    blocks = [block for box in boxes for block in box if block.tag in (*_PARAGRAPHS, f"{_TEXT}list", f"{_TABLE}table")]
    if blocks:
        return blocks
    stated = (description(shape.findtext(f"{{*}}{name}")) for name in ("desc", "title"))
    told = next(filter(None, stated), "")
    beside = "\n".join("".join(part.itertext(f"{_TEXT}*")) for part in (place, place.getnext()) if part is not None)
    return [_paragraph(told)] if told and not is_repeated_in(told, beside) else []


def _chart(chart: Element) -> Iterator[Element]:
    """A chart's titles as a caption, and its own copy of the data as a table."""
    titles = [" ".join("".join(title.itertext()).split()) for title in chart.iter("{*}title", "{*}subtitle")]
    if any(titles):
        yield _paragraph("; ".join(filter(None, titles)))
    for table in chart.iterfind(f"{_TABLE}table"):
        for paragraph in table.iter(f"{_TEXT}p"):
            paragraph.text = None if paragraph.text in _GAPS else paragraph.text
        yield deepcopy(table)


def _comment(annotation: Element) -> Element:
    author = annotation.findtext(f"{_DC}creator") or ""
    day = (annotation.findtext(f"{_DC}date") or "").strip()[:10]
    said = " ".join(" ".join("".join(part.itertext()) for part in annotation.iter(*_PARAGRAPHS)).split())
    return _paragraph(comment_head(author, day) + said)


def _paragraph(text: str) -> Element:
    made = etree.Element(f"{_TEXT}p")
    made.text = text
    return made


def _simplify(body: Element) -> None:
    """Replace elements that pandoc does not read by ones that it reads, with the same text and order."""
    for ruby in body.iter(f"{_TEXT}ruby-text"):
        ruby.text = f"({''.join(ruby.itertext())})"
        del ruby[:]
    for link in body.iter(f"{_TEXT}a"):  # in a span pandoc reads its blanks and breaks
        span = etree.Element(f"{_TEXT}span")
        span.text, link.text = link.text, None
        span.extend(link)
        link.append(span)
    for header in list(body.iter(f"{_TEXT}list-header")):  # without a number: more of what stands before it
        before = header.getprevious()
        for child in list(header):
            if before is None:
                header.getparent().addprevious(child)
            else:
                before.append(child)
        header.getparent().remove(header)
    for element in list(body.iter(f"{_TEXT}h", f"{_TABLE}table", f"{_TEXT}list")):
        outer = list(element.iterancestors())
        if any(holder.tag in _HOLDERS for holder in outer):
            element.tag = f"{_TEXT}p" if element.tag == f"{_TEXT}h" else element.tag
        elif element.tag != f"{_TEXT}list" or sum(holder.tag == f"{_TEXT}list" for holder in outer) >= _MAX_DEPTH:
            for holder in outer:
                holder.tag = _UNWRAPPED if holder.tag in _LISTS else holder.tag
    for holder in list(body.iter(*_HOLDERS)):
        etree.strip_tags(holder, *_TABLES, *(_LISTS if holder.tag == f"{_TEXT}note-body" else ()))
    etree.strip_tags(body, *({element.tag for element in body.iter() if isinstance(element.tag, str)} - _READ))


def _running_lines(document: OpenDocument) -> Iterator[str]:
    """The distinct lines of the headers and footers in use, without page numbers."""
    pages = [] if document.styles is None else list(document.styles.iter(f"{_STYLE}master-page"))
    asked = {style.get(f"{_STYLE}master-page-name") for style in _named_styles(document)}
    asked |= {"Standard", *(page.get(f"{_STYLE}next-style-name") for page in pages)}
    seen: set[str] = set()
    for page in pages:
        if page.get(f"{_STYLE}name") not in asked:
            continue
        etree.strip_elements(page, *_UNSEEN, with_tail=False)
        for holder in page:
            for blank in holder.iter(f"{_TEXT}s", f"{_TEXT}tab", f"{_TEXT}line-break"):
                blank.text = " "
            line = " ".join(" ".join("".join(part.itertext()) for part in holder.iter(*_PARAGRAPHS)).split())
            if holder.get(f"{_STYLE}display") != "false" and any(map(str.isalnum, line)) and line not in seen:
                seen.add(line)
                yield line


def _packed(document: OpenDocument) -> bytes:
    """A package of the parts that pandoc reads."""
    content, styles = document.content, deepcopy(document.styles)
    if styles is content or styles is None:
        styles = etree.Element(f"{_OFFICE}document-styles")
    content.tag = f"{_OFFICE}document-content"
    buffer = BytesIO()
    with ZipFile(buffer, "w", ZIP_DEFLATED) as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.text")
        archive.writestr("content.xml", etree.tostring(content, encoding="UTF-8", xml_declaration=True))
        archive.writestr("styles.xml", etree.tostring(styles, encoding="UTF-8", xml_declaration=True))
        for holder in content.iter(f"{_DRAW}object"):
            address = holder.get(_HREF, "").removeprefix("./").rstrip("/")
            formula = document.object(address)
            if formula is not None:
                archive.writestr(f"{address}/content.xml", etree.tostring(formula, encoding="UTF-8"))
    return buffer.getvalue()


def _repeat(body: Element, name: str) -> None:
    """Write out repeated cells and rows, which are stored once with a count that pandoc ignores.

    Raises ``ParseError`` where they are too many.
    """
    left = _MOST_REPEATED
    kinds = {f"{_TABLE}table-cell": "columns", f"{_TABLE}table-row": "rows"}
    for element in reversed(list(body.iter(*kinds))):  # cells before their rows, inner tables before outer ones
        stated = element.attrib.pop(f"{_TABLE}number-{kinds[element.tag]}-repeated", "")
        copies = min(1000, int(stated)) - 1 if stated.isdecimal() and len(stated) < 10 else 0
        if copies < 1 or (kinds[element.tag] == "rows" and not any(map(len, element))):
            continue  # blank rows go on to a sheet's end
        left -= copies * sum(1 for _ in element.iter())
        if left < 0:
            raise ParseError(f"{name} repeats more table cells than can be read.", "Split it into smaller files.")
        for _ in range(copies):
            element.addnext(deepcopy(element))
