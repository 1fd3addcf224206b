"""The content of drawings in a paragraph: text boxes, alternative text of pictures, charts and diagrams.

Word writes most drawings twice, for newer programs (DrawingML) and older ones (VML); one of the two is read.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from core.parsing.inline import description
from core.parsing.ooxml.package import RELATIONS, Element
from core.parsing.word.xml import ALTERNATE, BOX_CONTENT, DELETIONS, FALLBACK, alternative

_DIAGRAM = "{http://schemas.openxmlformats.org/drawingml/2006/diagram}relIds"
_TEXT_BODY = "{http://schemas.openxmlformats.org/drawingml/2006/main}txBody"
_DRAWN_PARAGRAPH = "{http://schemas.openxmlformats.org/drawingml/2006/main}p"
_DRAWN_TEXT = "{http://schemas.openxmlformats.org/drawingml/2006/main}t"
_WORD_ART = "{urn:schemas-microsoft-com:vml}textpath"
_IMAGE_DATA = "{urn:schemas-microsoft-com:vml}imagedata"
_OFFICE_TITLE = "{urn:schemas-microsoft-com:office:office}title"
_PROPERTIES = ("docPr", "cNvPr")
Kind = Literal["box", "picture", "words", "chart", "diagram", "footnote", "endnote", "comment"]


@dataclass(frozen=True, slots=True)
class Aside:
    """Something that is anchored in a paragraph and written after it.

    ``text``: the description of a picture, drawn words, the relation id of a chart or diagram, or the id of a note.
    ``element``: the content of a text box.
    """

    kind: Kind
    text: str = ""
    element: Element | None = None


def drawn(element: Element) -> list[Aside]:
    """The content of a ``w:drawing``, ``w:pict``, ``w:object`` or ``mc:AlternateContent``, in order.

    A description that a picture and its frame both have is returned once.
    """
    asides: list[Aside] = []
    _collect(element, asides)
    descriptions: set[str] = set()
    distinct = []
    for aside in asides:
        if aside.kind != "picture" or aside.text not in descriptions:
            distinct.append(aside)
        if aside.kind == "picture":
            descriptions.add(aside.text)
    return distinct


def _collect(element: Element, found: list[Aside]) -> None:
    tag = element.tag
    if tag == ALTERNATE:
        _collect_alternative(element, found)
        return
    if tag in DELETIONS:
        return
    if tag == BOX_CONTENT:
        found.append(Aside("box", element=element))
        return
    if tag == _TEXT_BODY:
        lines = ("".join(text.text or "" for text in line.iter(_DRAWN_TEXT)) for line in element.iter(_DRAWN_PARAGRAPH))
        found.append(Aside("words", "\n".join(filter(None, lines))))
        return
    name = tag.rpartition("}")[2]
    aside = _from_attributes(element, name)
    if aside:
        found.append(aside)
    before = len(found)
    for child in element:
        _collect(child, found)
    if name in ("inline", "anchor") and _is_decorative(element.find("{*}docPr")):
        found[before:] = [inside for inside in found[before:] if inside.kind != "picture"]


def _from_attributes(element: Element, name: str) -> Aside | None:
    """The picture, chart, diagram or words that an element of a drawing has in its attributes."""
    if name in _PROPERTIES:
        text = description(element.get("descr") or element.get("title"))
        return Aside("picture", text) if text else None
    if name == "chart" and element.get(f"{RELATIONS}id"):
        return Aside("chart", element.get(f"{RELATIONS}id"))
    if element.tag == _DIAGRAM:
        return Aside("diagram", element.get(f"{RELATIONS}dm", ""))
    if element.tag == _WORD_ART:
        return Aside("words", element.get("string", ""))
    stated = element.get(_OFFICE_TITLE) if element.tag == _IMAGE_DATA else element.get("alt")
    text = description(stated) if stated else ""
    return Aside("picture", text) if text else None


def _is_decorative(properties: Element | None) -> bool:
    """Whether a drawing's properties mark it as decorative; its description is then ignored."""
    mark = None if properties is None else properties.find(".//{*}decorative")
    return mark is not None and mark.get("val", "1") in ("1", "true")


def _collect_alternative(element: Element, found: list[Aside]) -> None:
    """Collect from the first choice, or from the fallback where the choice has no text, as ink has none."""
    before = len(found)
    chosen = alternative(element)
    for branch in (chosen, element.find(FALLBACK)):
        if branch is not None and len(found) == before:
            for child in branch:
                _collect(child, found)
