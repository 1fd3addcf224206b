"""What floats over the cells of an Excel sheet: charts, text boxes, diagrams and pictures that are described."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from lxml import etree

from core.parsing.flow import Piece, Words
from core.parsing.inline import safe_target
from core.parsing.ooxml.charts import chart_pieces, diagram_pieces
from core.parsing.ooxml.package import RELATIONS, Element, Package, Relation
from core.parsing.sheets.grid import Area, Drawing, Row, area_of, whole
from core.parsing.sheets.stream import local_name
from core.parsing.word.drawings import description
from core.types import BlockKind

_MAX_DEPTH = 30


@dataclass(frozen=True, slots=True)
class _Parts:
    """What a drawing's elements name by the ids of its relations."""

    package: Package
    relations: dict[str, Relation]
    fill: Callable[[Element], None]

    def root(self, name: str) -> Element | None:
        relation = self.relations.get(name)
        return self.package.optional_root(relation.target) if relation and not relation.external else None


def read_drawings(package: Package, part: str, ids: Sequence[str], fill: Callable[[Element], None]) -> list[Drawing]:
    """The drawings of a sheet, each at the cell it is anchored to. ``ids``: of the sheet's relations.

    ``fill`` gives a chart the data it names and does not hold.
    """
    found: list[Drawing] = []
    inside = [relation.target for name in ids if (relation := package.relations(part).get(name))]
    for target in inside:
        root = package.optional_root(target)
        for anchor in root if root is not None else ():
            pieces = tuple(_pieces(anchor, _Parts(package, package.relations(target), fill), 0))
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
            parts.fill(root)
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


_REFERENCE = re.compile(r"(?:'((?:[^']|'')+)'|([^'!,()]+))!(\$?[A-Z]{1,3}\$?\d+(?::\$?[A-Z]{1,3}\$?\d+)?)")
_MAX_POINTS = 20_000  # of one series
_MAX_ALL_POINTS = 500_000


@dataclass(slots=True)
class ChartData:
    """The cells of all sheets by name, for charts without a copy of their data."""

    sheets: Mapping[str, dict[int, Row]]
    left: int = field(default=_MAX_ALL_POINTS)

    def fill(self, root: Element) -> None:
        """Give every reference of a chart part that holds no data a copy of the cells it names, as they are shown."""
        for reference in list(root.iter("{*}numRef", "{*}strRef")):
            if reference.find("{*}numCache/{*}pt") is not None or reference.find("{*}strCache/{*}pt") is not None:
                continue
            space = reference.tag.rpartition("}")[0]
            cache = etree.SubElement(reference, f"{space}}}strCache")
            for index, text in enumerate(self._texts(reference.findtext("{*}f") or "")):
                if text:
                    point = etree.SubElement(cache, f"{space}}}pt", idx=str(index))
                    etree.SubElement(point, f"{space}}}v").text = text

    def _texts(self, formula: str) -> Iterator[str]:
        """What the cells of a reference show, row by row, "" for blank ones."""
        for match in _REFERENCE.finditer(formula):
            name = match[1].replace("''", "'") if match[1] else match[2]
            rows, area = self.sheets.get(name), area_of(match[3])
            if rows is None or area is None:
                continue
            for row, column in _places(area):
                if self.left <= 0:
                    return
                self.left -= 1
                cell = rows.get(row, {}).get(column)
                yield _printable(cell.text) if cell else ""


def _places(area: Area) -> Iterator[tuple[int, int]]:
    count = 0
    for row in range(area.top, area.bottom + 1):
        for column in range(area.left, area.right + 1):
            if count == _MAX_POINTS:
                return
            count += 1
            yield row, column


def _printable(text: str) -> str:
    """What XML can hold of a text."""
    return "".join(character for character in text if character.isprintable() or character == "\n")
