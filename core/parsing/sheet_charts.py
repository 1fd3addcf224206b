"""Charts that only name the cells they show, as programs that never draw write them: their data is put in."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from lxml import etree

from core.parsing.ooxml import Element
from core.parsing.sheet_grid import Area, Row, area_of

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
