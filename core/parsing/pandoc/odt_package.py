"""The parts of OpenDocument files, which are packages or, for flat documents, a single XML file."""

from __future__ import annotations

import re
from collections.abc import Mapping
from zipfile import ZipFile

from lxml import etree

from core.errors import ParseError
from core.parsing.ooxml.package import Element, checked, part_of, tree_of

_SAVE_AGAIN = "Open it in LibreOffice, save a copy and add that."
_OBJECT = re.compile(r"(?:\./)?([\w .-]{1,200})/?")
_METADATA: Mapping[str, str] = {
    "title": "title",
    "initial-creator": "author",
    "creator": "author",
    "subject": "subject",
    "keyword": "keywords",
    "description": "description",
    "creation-date": "created",
    "date": "modified",
    "language": "language",
}


class OpenDocument:
    """A document's ``content`` and ``styles``, and the objects embedded in it. ``styles`` may be ``None``."""

    def __init__(self, data: bytes, name: str) -> None:
        """Raises ``ParseError``."""
        self._archive: ZipFile | None = None
        self._meta: Element | None
        if data.startswith(b"PK"):
            self._archive = checked(data, name)
            if b"encryption-data" in self._part("META-INF/manifest.xml"):
                raise ParseError(f"{name} is encrypted with a password.", "Save it without the password and add that.")
            content = tree_of(self._part("content.xml"))
            self.styles = tree_of(self._part("styles.xml"))
            self._meta = tree_of(self._part("meta.xml"))
        else:
            content = self.styles = self._meta = tree_of(data)
        if content is None:
            raise ParseError(f"{name} is damaged: its text (content.xml) cannot be read.", _SAVE_AGAIN)
        self.content = content

    def object(self, address: str) -> Element | None:
        """The content of an embedded object such as a chart or a formula; ``None`` where there is none."""
        return embedded(self._archive, address) if self._archive else None

    def metadata(self) -> dict[str, str]:
        """Title, author, subject, keywords, description, dates and language, as far as the document states them."""
        return metadata_of(self._meta)

    def _part(self, name: str) -> bytes:
        return (part_of(self._archive, name) or b"") if self._archive else b""


def embedded(archive: ZipFile, address: str) -> Element | None:
    """The content of an object embedded in a package, such as a chart; ``None`` where there is none."""
    match = _OBJECT.fullmatch(address)
    return tree_of(part_of(archive, f"{match[1]}/content.xml")) if match else None


def metadata_of(root: Element | None) -> dict[str, str]:
    """The metadata in a document's meta.xml, under the names that all formats use."""
    found: dict[str, list[str]] = {}
    for entry in root.iterfind("{*}meta/*") if root is not None else ():
        key = _METADATA.get(etree.QName(entry).localname if isinstance(entry.tag, str) else "", "")
        words = " ".join((entry.text or "").split())
        if key and words and (key == "keywords" or key not in found):
            found.setdefault(key, []).append(words)
    return {key: ", ".join(words) for key, words in found.items()}
