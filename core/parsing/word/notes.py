"""Footnotes, endnotes and comments of a Word document: their marks in the text, and what stands before their words."""

from __future__ import annotations

from core.parsing.ooxml.package import Element
from core.parsing.word.numbering import number_as
from core.parsing.word.xml import W, number, value


class Marks:
    """Marks of notes in the order of their references: "[1]" for footnotes, "[i]" for endnotes, or as settings say."""

    def __init__(self, settings: Element | None) -> None:
        """``settings``: ``w:settings``, ``None`` where the file has none."""
        self._forms, self._counts = {}, {}
        for kind, usual in (("footnote", "decimal"), ("endnote", "lowerRoman")):
            properties = None if settings is None else settings.find(f"{W}{kind}Pr")
            self._forms[kind] = value(properties, "numFmt") or usual
            self._counts[kind] = (number(properties, "numStart") or 1) - 1
        self._marks: dict[tuple[str, str], str] = {}

    def mark(self, kind: str, note_id: str) -> str:
        """The mark of a note, counted at its first reference."""
        if (kind, note_id) not in self._marks:
            self._counts[kind] += 1
            self._marks[kind, note_id] = f"[{number_as(self._forms[kind], self._counts[kind])}]"
        return self._marks[kind, note_id]

    def given(self, kind: str, note_id: str) -> str:
        """The mark a note has; "" for one that brings its own."""
        return self._marks.get((kind, note_id), "")


def notes_by_id(root: Element | None, kind: str) -> dict[str, Element]:
    """The notes or comments of their part by id, in their order."""
    elements = () if root is None else root.iterfind(f"{W}{kind}")
    return {element.get(f"{W}id", ""): element for element in elements}
