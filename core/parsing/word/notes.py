"""Footnotes, endnotes and comments of a Word document: their elements, and their marks in the text."""

from __future__ import annotations

from core.parsing.ooxml.package import Element
from core.parsing.word.numbering import number_as
from core.parsing.word.xml import W, number, value


class Marks:
    """The marks of notes, numbered in the order of their references: "[1]" for footnotes and "[i]" for endnotes, unless
    the settings state other number formats.
    """

    def __init__(self, settings: Element | None) -> None:
        """``settings``: ``w:settings``, ``None`` where the file has none."""
        self._forms, self._counts = {}, {}
        for kind, default in (("footnote", "decimal"), ("endnote", "lowerRoman")):
            properties = None if settings is None else settings.find(f"{W}{kind}Pr")
            self._forms[kind] = value(properties, "numFmt") or default
            self._counts[kind] = (number(properties, "numStart") or 1) - 1
        self._marks: dict[tuple[str, str], str] = {}

    def mark(self, kind: str, note_id: str) -> str:
        """The mark of a note; its first call gives it the next number."""
        if (kind, note_id) not in self._marks:
            self._counts[kind] += 1
            self._marks[kind, note_id] = f"[{number_as(self._forms[kind], self._counts[kind])}]"
        return self._marks[kind, note_id]

    def known_mark(self, kind: str, note_id: str) -> str:
        """The mark that a note was given; "" for none, as for notes with a custom mark."""
        return self._marks.get((kind, note_id), "")


def notes_by_id(root: Element | None, kind: str) -> dict[str, Element]:
    """The notes or comments of a part by id, in their order. ``kind``: the name of their element."""
    elements = () if root is None else root.iterfind(f"{W}{kind}")
    return {element.get(f"{W}id", ""): element for element in elements}
