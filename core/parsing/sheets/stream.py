"""Streams the elements of XML parts that are too large to be held in memory as trees."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence
from typing import IO
from zipfile import BadZipFile

from lxml import etree

from core.errors import ParseError
from core.parsing.ooxml.package import SAFELY, Element, first_line, local_name

_SAVE_AGAIN = "Open it in the program that made it, save a copy and add that."


def elements(
    stream: IO[bytes], tags: Sequence[str], part: str, shown: str, within: Sequence[str] = ()
) -> Iterator[tuple[str, Element]]:
    """Yields each element named in ``tags`` ("{*}row") as ("end", element) when it is complete, in the file's order.

    Elements named in ``within`` are yielded twice, as ("start", element) and as ("end", element). An element is cleared
    when the next one is requested. An element inside another with the same name is not yielded by itself.
    Raises ``ParseError`` where the part is damaged or declares entities.
    """
    within_names = {tag.rpartition("}")[2] for tag in within}
    first = True
    try:
        for event, element in etree.iterparse(
            stream,
            events=("start", "end") if within else ("end",),
            tag=[*tags, *within],
            **SAFELY,
        ):
            if first and element.getroottree().docinfo.internalDTD is not None:
                problem = f"{shown} declares entities in its part {part}, which no spreadsheet program does."
                raise ParseError(problem, _SAVE_AGAIN)
            first = False
            if within and next(element.iterancestors(element.tag), None) is not None:
                continue
            if event == "end" or local_name(element) in within_names:
                yield event, element
            if event == "end":
                _clear(element)
    except (etree.XMLSyntaxError, BadZipFile, zlib.error, OSError, EOFError, ValueError, NotImplementedError) as error:
        raise ParseError(
            f"{shown} is damaged: its part {part} cannot be read ({first_line(error)}).", _SAVE_AGAIN
        ) from error


def _clear(element: Element) -> None:
    element.clear()
    parent = element.getparent()
    while parent is not None and element.getprevious() is not None:
        del parent[0]
