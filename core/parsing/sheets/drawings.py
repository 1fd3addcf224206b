"""What floats over the cells of an Excel sheet: charts, text boxes, diagrams and pictures that are described."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from core.parsing.flow import Piece, Words
from core.parsing.inline import description, safe_target
from core.parsing.ooxml.charts import chart_pieces, diagram_pieces
from core.parsing.ooxml.package import RELATIONS, Element, Package, Relation, local_name, whole
from core.parsing.sheets.grid import Drawing
from core.types import BlockKind

_MAX_DEPTH = 30


@dataclass(frozen=True, slots=True)
class _Parts:
    """What a drawing's elements name by the ids of its relations."""

    package: Package
    relations: dict[str, Relation]

    def root(self, name: str) -> Element | None:
        relation = self.relations.get(name)
        return self.package.optional_root(relation.target) if relation and not relation.external else None


def read_drawings(package: Package, part: str, ids: Sequence[str]) -> list[Drawing]:
    """The drawings of a sheet, each at the cell it is anchored to. ``ids``: of the sheet's relations.

    A chart that holds no copy of its data shows its title: the data stand in cells.
    """
    found: list[Drawing] = []
    inside = [relation.target for name in ids if (relation := package.relations(part).get(name))]
    for target in inside:
        root = package.optional_root(target)
        for anchor in root if root is not None else ():
            pieces = tuple(_pieces(anchor, _Parts(package, package.relations(target)), 0))
            if pieces:
                row, column = (whole(anchor.findtext(f"{{*}}from/{{*}}{name}"), 0) for name in ("row", "col"))
                found.append(Drawing(row, column, pieces))
    return found


def _pieces(element: Element, parts: _Parts, depth: int) -> Iterator[Piece]:
    if depth > _MAX_DEPTH:
        return
    for child in element:
        name = local_name(child)
        if name in ("grpSp", "graphicFrame", "graphic", "graphicData"):
            yield from _pieces(child, parts, depth + 1)
        elif name == "AlternateContent":
            yield from _alternative(child, parts, depth + 1)
        elif name in ("sp", "cxnSp"):
            yield from _words(child, parts)
        elif name == "pic":
            told = description(_property(child, "descr") or _property(child, "title"))
            if told:
                yield Piece(BlockKind.CAPTION, Words(told))
        elif name == "chart" and (root := parts.root(child.get(f"{RELATIONS}id", ""))) is not None:
            yield from chart_pieces(root)
        elif name == "relIds" and (root := parts.root(child.get(f"{RELATIONS}dm", ""))) is not None:
            yield from diagram_pieces(root)


def _alternative(element: Element, parts: _Parts, depth: int) -> Iterator[Piece]:
    """The first branch that says something: what newer programs show, else what is left for older ones."""
    for branch in element:
        pieces = list(_pieces(branch, parts, depth))
        if pieces:
            yield from pieces
            return


def _words(shape: Element, parts: _Parts) -> Iterator[Piece]:
    """A text box's paragraphs as lines of one piece, with their links."""
    text = ""
    links: list[tuple[int, int, str]] = []
    for paragraph in shape.iterfind("{*}txBody/{*}p"):
        text += "\n" if text else ""
        for part in paragraph:
            if local_name(part) == "br":
                text += "\n"
            words = part.findtext("{*}t") or ""
            click = part.find("{*}rPr/{*}hlinkClick")
            relation = parts.relations.get(click.get(f"{RELATIONS}id", "")) if click is not None else None
            if words and relation:
                links.append((len(text), len(text) + len(words), safe_target(relation.target)))
            text += words
    if text.strip():
        yield Piece(BlockKind.PARAGRAPH, Words(text, tuple(links)))


def _property(shape: Element, name: str) -> str:
    properties = shape.find(".//{*}cNvPr")
    return "" if properties is None else properties.get(name, "")
