"""The reader of EPUB: the pages of the spine, in order, are read as HTML (EPUB 3.3, sections 4 and 5)."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping
from urllib.parse import unquote
from zipfile import ZipFile

from lxml import etree

from core.errors import ParseError
from core.parsing.flow import ParsedFile
from core.parsing.html.encoding import decoded
from core.parsing.html.source import parse_source
from core.parsing.html.tree import Source
from core.parsing.html.walk import pieces_of
from core.parsing.inline import hidden_note
from core.parsing.ooxml.package import Element, checked, part_of, tree_of
from core.parsing.pandoc.epub_contents import nest, places_in_contents

_PAGES = frozenset({"application/xhtml+xml", "text/html", "text/x-oeb1-document", "application/xml"})
_NCX = "application/x-dtbncx+xml"
_PAGE_SUFFIXES = (".xhtml", ".html", ".htm")
_METADATA: Mapping[str, str] = {
    "creator": "author",
    "description": "description",
    "subject": "keywords",
    "publisher": "publisher",
    "language": "language",
    "date": "created",
    "rights": "rights",
}
_FONT_DISGUISES = ("http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC")
_DAMAGED = "Convert it anew, or open it in a reading program that can save it, and add that."


def read(data: bytes, name: str) -> ParsedFile:
    """The book's pages in order, without its navigation. Raises ``ParseError``."""
    with checked(data, name) as archive:
        place = _package_place(archive, name)
        package = _root(part_of(archive, place), f"its package file {place}", name)
        protected = _protected(archive)
        pages: list[tuple[str, Source]] = []
        missing: list[str] = []
        for page in _spine(package, place):
            if page in protected:
                problem = f"{name} is protected against copying (DRM): its pages are encrypted."
                raise ParseError(problem, "Add a copy without the protection.")
            content = part_of(archive, page)
            if content is None:
                missing.append(page)
            elif content.strip():
                pages.append((page, parse_source(decoded(content, name), page)))
        depths = _depths(archive, package, place)
    if not pages:
        raise ParseError(f"{name} is damaged: none of its pages can be found.", _DAMAGED)
    nest(pages, depths)
    sources = [source for _, source in pages]
    metadata = _metadata(package)
    notes = [f"Pages named by the book that are not in it: {', '.join(missing[:10])}."] if missing else []
    return ParsedFile(
        pieces=pieces_of(*sources),
        title=metadata.pop("title", ""),
        metadata=metadata,
        notes=(*notes, *hidden_note(sum(source.hidden_words for source in sources))),
    )


def _package_place(archive: ZipFile, name: str) -> str:
    """The path of the package file inside the archive."""
    container = part_of(archive, "META-INF/container.xml")
    if container is not None:
        for rootfile in _root(container, "its container file", name).iter("{*}rootfile"):
            place = unquote(rootfile.get("full-path", "")).lstrip("/")
            if place in archive.namelist():
                return place
    for place in archive.namelist():
        if place.lower().endswith(".opf"):
            return place
    raise ParseError(f"{name} is damaged: it lacks its package file, which names its pages.", _DAMAGED)


def _spine(package: Element, place: str) -> Iterator[str]:
    """The paths of the pages in order, each once, without the navigation, which repeats the headings."""
    items = {item.get("id", ""): item for item in package.iter("{*}item")}
    seen: set[str] = set()
    for reference in package.iter("{*}itemref"):
        item = items.get(reference.get("idref", ""))
        if item is None or "nav" in item.get("properties", "").split():
            continue
        path = _path_of(item, place)
        is_page = item.get("media-type") in _PAGES or path.lower().endswith(_PAGE_SUFFIXES)
        if is_page and path not in seen:
            seen.add(path)
            yield path


def _depths(archive: ZipFile, package: Element, place: str) -> Mapping[str, int]:
    """The depth of each address in the book's table of contents; of EPUB 3 where it has that, else of EPUB 2."""
    items = list(package.iter("{*}item"))
    navigation = [item for item in items if "nav" in item.get("properties", "").split()]
    for item in navigation or [item for item in items if item.get("media-type") == _NCX]:
        path = _path_of(item, place)
        root = tree_of(part_of(archive, path), recover=True)
        if root is not None:
            return places_in_contents(root, path)
    return {}


def _path_of(item: Element, place: str) -> str:
    """The path in the archive of an item of the package file at ``place``."""
    return posixpath.normpath(posixpath.join(posixpath.dirname(place), unquote(item.get("href", ""))))


def _protected(archive: ZipFile) -> set[str]:
    """The paths of encrypted members, without obfuscated fonts."""
    root = tree_of(part_of(archive, "META-INF/encryption.xml"), recover=True)
    found = set()
    for entry in root.iter("{*}EncryptedData") if root is not None else ():
        method = next(entry.iter("{*}EncryptionMethod"), None)
        if method is not None and method.get("Algorithm", "") not in _FONT_DISGUISES:
            found |= {unquote(reference.get("URI", "")) for reference in entry.iter("{*}CipherReference")}
    return found


def _metadata(package: Element) -> dict[str, str]:
    found: dict[str, list[str]] = {}
    for entry in package.iterfind("{*}metadata//{http://purl.org/dc/elements/1.1/}*"):
        key = etree.QName(entry).localname
        words = " ".join("".join(entry.itertext()).split())
        if words and (key == "title" or key in _METADATA):
            found.setdefault(_METADATA.get(key, key), []).append(words)
    joined = {key: ", ".join(dict.fromkeys(words)) for key, words in found.items()}
    return {**joined, **({"title": found["title"][0]} if "title" in found else {})}


def _root(content: bytes | None, what: str, name: str) -> Element:
    root = tree_of(content, recover=True)
    if root is None:
        raise ParseError(f"{name} is damaged: {what} cannot be read.", _DAMAGED)
    return root
