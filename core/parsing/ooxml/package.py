"""Office Open XML packages (Word, PowerPoint, Excel): safe access to parts and relations by name.

A package is a ZIP archive of XML parts (ECMA-376 part 2). Namespaces of the strict variant (ISO/IEC 29500 Strict) are
mapped to the common ones. Case and backslashes in part names are ignored.
"""

from __future__ import annotations

import codecs
import posixpath
import re
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from io import BytesIO
from typing import IO, Any, TypeVar
from urllib.parse import unquote
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile

from lxml import etree

from core.errors import ParseError

Element = Any  # lxml's elements come without types
Taken = TypeVar("Taken")
RELATIONS = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
# The options by which every part is parsed: nothing is fetched or expanded, and the size is bounded.
SAFELY: dict[str, Any] = {
    "resolve_entities": False,
    "no_network": True,
    "load_dtd": False,
    "huge_tree": False,
    "remove_comments": True,
    "remove_pis": True,
}

codecs.lookup("cp437")  # for names in old archives; loaded now, because the worker cannot open files later

_MAX_TOTAL_BYTES = 512 << 20
_MAX_RATIO = 200  # repetitive but honest XML was seen at 60
_RATIO_FROM_BYTES = 32 << 20
_MAX_PARTS = 20_000
_SAVE_AGAIN = "Open it in the program that made it, save a copy and add that."
_STRICT = re.compile(rb"""((?:xmlns(?::[\w.-]+)?|Type)\s*=\s*["'])http://purl\.oclc\.org/ooxml/(\w+)/""")
_CORE_NAMES = {
    "title": "title",
    "creator": "author",
    "subject": "subject",
    "keywords": "keywords",
    "description": "description",
    "category": "category",
    "created": "created",
    "modified": "modified",
}


@dataclass(frozen=True, slots=True)
class Relation:
    """A relation. ``kind``: the last part of its type ("hyperlink"). ``target``: a part's name or external address."""

    kind: str
    target: str
    external: bool = False


def checked(data: bytes, shown: str) -> ZipFile:
    """The archive, after its directory was checked against the limits. Nothing is unpacked yet.

    Members never unpack to more than the directory states, so its sums bind. Raises ``ParseError`` naming ``shown``.
    """
    try:
        archive = ZipFile(BytesIO(data))
        entries = archive.infolist()
    except (BadZipFile, NotImplementedError, OSError, ValueError, EOFError) as error:
        raise ParseError(f"{shown} is cut off or damaged: its ZIP archive cannot be read.", _SAVE_AGAIN) from error
    if len(entries) > _MAX_PARTS:
        raise ParseError(f"{shown} holds {len(entries):,} parts; no more than {_MAX_PARTS:,} are read.", _SAVE_AGAIN)
    if any(entry.flag_bits & 1 for entry in entries):
        raise ParseError(f"{shown} is an encrypted ZIP archive.", "Save it without a password and add it again.")
    if any(entry.compress_type not in (ZIP_STORED, ZIP_DEFLATED) for entry in entries):
        raise ParseError(f"{shown} is packed in a way that no Office program uses.", _SAVE_AGAIN)
    total = sum(entry.file_size for entry in entries)
    if total > _MAX_TOTAL_BYTES:
        limit = f"no more than {_MAX_TOTAL_BYTES >> 20} MiB are read"
        raise ParseError(f"{shown} unpacks to {total >> 20:,} MiB; {limit}.", "Split the document into smaller files.")
    if total > _RATIO_FROM_BYTES and total > _MAX_RATIO * len(data):
        raise ParseError(
            f"{shown} is packed {total // len(data):,} to 1, as archives are that exhaust memory.", _SAVE_AGAIN
        )
    return archive


class Package:
    """The parts of one file by name. Names have no leading slash: "word/document.xml".

    ``damaged``: names of optional parts that could not be read, for a note.
    """

    def __init__(self, data: bytes, shown: str) -> None:
        """Raises ``ParseError``, see ``checked``."""
        self._archive = checked(data, shown)
        self._shown = shown
        self._members = {_plain(name): name for name in self._archive.namelist()}
        self._parsed: dict[str, Element | None] = {}
        self._relations: dict[str, dict[str, Relation]] = {}
        self.damaged: list[str] = []

    def main_part(self, usual: str) -> str:
        """The name of the main part, ``usual`` where no relation states it. Raises ``ParseError`` for a missing one."""
        related = [relation.target for relation in self.relations("").values() if relation.kind == "officeDocument"]
        for name in (*related, usual):
            if _plain(name) in self._members:
                return name
        raise ParseError(f"{self._shown} lacks its main part, {usual}.", _SAVE_AGAIN)

    def root(self, name: str) -> Element:
        """The root element of a required part. Raises ``ParseError`` where it is missing or damaged."""
        content = self._content(name)
        if content is None:
            raise ParseError(f"{self._shown} lacks its part {name}.", _SAVE_AGAIN)
        return self._tree(name, content)

    def optional_root(self, name: str) -> Element | None:
        """The root element; ``None`` where the part is missing or damaged. Damaged ones are added to ``damaged``."""
        if name not in self._parsed:
            self._parsed[name] = None
            try:
                content = self._content(name)
                self._parsed[name] = None if content is None else self._tree(name, content)
            except ParseError:
                self.damaged.append(name)
        return self._parsed[name]

    def relations(self, name: str) -> dict[str, Relation]:
        """The relations of a part by their id. ``name`` "": of the package itself."""
        if name not in self._relations:
            folder, _, last = name.rpartition("/")
            root = self.optional_root(f"{folder}/_rels/{last}.rels" if folder else f"_rels/{last}.rels")
            entries = () if root is None else root.iterfind("{*}Relationship")
            self._relations[name] = {
                entry.get("Id", ""): _relation(entry, folder) for entry in entries if entry.get("Target")
            }
        return self._relations[name]

    def related(self, name: str, kind: str) -> list[str]:
        """The names of the parts to which ``name`` has a relation of ``kind``, in order."""
        return [
            relation.target
            for relation in self.relations(name).values()
            if relation.kind == kind and not relation.external
        ]

    def core_properties(self) -> dict[str, str]:
        """Title, author, subject, keywords, description, category, created and modified, as far as stated."""
        for name in self.related("", "core-properties") or ["docProps/core.xml"]:
            root = self.optional_root(name)
            if root is not None:
                stated = {_CORE_NAMES.get(etree.QName(child).localname, ""): child.text for child in root}
                return {key: " ".join(value.split()) for key, value in stated.items() if key and (value or "").strip()}
        return {}

    def stream(self, name: str) -> IO[bytes] | None:
        """A large part, unpacked while it is read; ``None`` where it is missing."""
        member = self._members.get(_plain(name))
        return None if member is None else self._unpacked(name, lambda: self._archive.open(member))

    def _content(self, name: str) -> bytes | None:
        member = self._members.get(_plain(name))
        if member is None:
            return None
        return self._unpacked(name, lambda: self._archive.read(member))

    def _unpacked(self, name: str, take: Callable[[], Taken]) -> Taken:
        try:
            return take()
        except (BadZipFile, zlib.error, OSError, EOFError, ValueError, RuntimeError) as error:
            raise ParseError(f"{self._shown} is damaged: its part {name} cannot be unpacked.", _SAVE_AGAIN) from error

    def _tree(self, name: str, content: bytes) -> Element:
        if b"purl.oclc.org/ooxml" in content:
            content = _STRICT.sub(rb"\1http://schemas.openxmlformats.org/\2/2006/", content)
        try:
            root = etree.fromstring(content, etree.XMLParser(**SAFELY))
        except (etree.XMLSyntaxError, ValueError) as error:
            problem = f"{self._shown} is damaged: its part {name} is not well-formed XML ({first_line(error)})."
            raise ParseError(problem, _SAVE_AGAIN) from error
        if root.getroottree().docinfo.internalDTD is not None:
            problem = f"{self._shown} declares entities in its part {name}, which no Office document does."
            raise ParseError(problem, _SAVE_AGAIN)
        return root


def part_name(folder: str, target: str) -> str:
    """The name of the part to which ``target`` refers in a relation of a part in ``folder``.

    >>> part_name("word", "media/a%20b.png"), part_name("ppt/slides", "../charts/chart1.xml"), part_name("x", "/y/z")
    ('word/media/a b.png', 'ppt/charts/chart1.xml', 'y/z')
    """
    whole = posixpath.join("/", folder, unquote(target).replace("\\", "/"))
    return posixpath.normpath(whole).lstrip("/")


def _relation(entry: Element, folder: str) -> Relation:
    external = entry.get("TargetMode") == "External"
    target = entry.get("Target")
    kind = entry.get("Type", "").rpartition("/")[2]
    return Relation(kind, target if external else part_name(folder, target), external)


def _plain(name: str) -> str:
    """A part's name for comparison: in lower case, with forward slashes."""
    return name.replace("\\", "/").lstrip("/").lower()


def part_of(archive: ZipFile, name: str) -> bytes | None:
    """A member's bytes, ``None`` where it is missing or damaged."""
    try:
        return archive.read(name)
    except (KeyError, BadZipFile, zlib.error, OSError, EOFError, ValueError, RuntimeError):
        return None


def tree_of(content: bytes | None, *, recover: bool = False) -> Element | None:
    """The root element of a small part; ``None`` where it is no XML. ``recover``: whether damaged XML is repaired."""
    try:
        return etree.fromstring(content or b"", etree.XMLParser(recover=recover, **SAFELY))
    except (etree.XMLSyntaxError, ValueError):
        return None


def local_name(element: Element) -> str:
    """An element's name without its namespace."""
    return str(element.tag).rpartition("}")[2]


def whole(text: str | None, otherwise: int = -1) -> int:
    """The count or index a file states; ``otherwise`` where it is missing, negative or absurdly large.

    >>> whole("12"), whole("-1"), whole(None, 1), whole("9" * 5000)
    (12, -1, 1, -1)
    """
    return int(text) if text and len(text) < 10 and text.isdecimal() else otherwise


def first_line(error: Exception) -> str:
    """The first line of an error's message, for the user."""
    return (str(error).splitlines() or [type(error).__name__])[0][:160]
