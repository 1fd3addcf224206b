"""The reader of BibTeX and BibLaTeX files, which pandoc converts to CSL-JSON: one heading for each entry."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from core.parsing.flow import Item, ParsedFile, Piece, Words
from core.parsing.html.reader import read as read_page
from core.parsing.records.values import person_name
from core.types import BlockKind

_PEOPLE = {"author": "written by ", "editor": "edited by ", "translator": "translated by ", "director": "directed by "}
_FIRST = ("title", "id", "type", "issued", "abstract", "title-short", *_PEOPLE)  # what has a place of its own


def read(data: bytes, name: str) -> ParsedFile:
    """For each entry: its title as heading, people and date, the abstract, and a list of the other fields.

    An entry that pandoc could not read is "written" as the file has it.

    >>> entry = '[{"id": "a1", "title": "Ducks", "author": [{"family": "Lee", "given": "Ann"}], "abstract": "Two."}]'
    >>> [piece.words.text for piece in read(entry.encode(), "a.bib").pieces]
    ['Ducks', 'Written by Ann Lee. [a1]', 'Two.']
    """
    return ParsedFile(tuple(piece for entry in json.loads(data or b"[]") for piece in entry_pieces(entry, name)))


def entry_pieces(entry: Mapping[str, Any], name: str) -> Iterator[Piece]:
    """The pieces of an entry in CSL-JSON. ``name``: of the file, for messages."""
    if "written" in entry:
        yield Piece(BlockKind.HEADING, Words(entry["id"]), level=1)
        yield Piece(BlockKind.CODE, Words(entry["written"]))
        return

    def plain(value: str) -> str:
        """The text without the tags by which CSL marks small capitals and the like."""
        pieces = read_page(value.encode("utf-8", "replace"), name).pieces if "<" in value else ()
        return " ".join(piece.words.text for piece in pieces) or value

    people = [f"{said}{'; '.join(map(person_name, entry[role]))}" for role, said in _PEOPLE.items() if entry.get(role)]
    issued = _date(entry.get("issued") or {})
    said = ". ".join(f"{part[0].upper()}{part[1:]}".removesuffix(".") for part in (*people, issued) if part)
    title = plain(str(entry.get("title", ""))) or plain(str(entry.get("title-short", ""))) or str(entry["id"])
    yield Piece(BlockKind.HEADING, Words(title), level=1)
    key = f"[{entry['id']}]" if entry["id"] else ""
    yield Piece(BlockKind.PARAGRAPH, Words(". ".join(filter(None, (plain(said), key)))))
    for paragraph in plain(str(entry.get("abstract", ""))).split("\n\n"):
        yield Piece(BlockKind.PARAGRAPH, Words(paragraph))
    others = [f"{field}: {plain(_shown(value))}" for field, value in entry.items() if field not in _FIRST]
    if others:
        yield Piece(BlockKind.LIST, items=tuple(Item(Words(other), "") for other in others))


def _date(stated: Mapping[str, Any]) -> str:
    """
    >>> _date({"date-parts": [[2016, 3]]}), _date({"literal": "in press"}), _date({})
    ('2016-03', 'in press', '')
    """
    days = ["-".join(f"{int(part):02}" for part in day) for day in stated.get("date-parts", ())]
    return "/".join(days) or str(stated.get("literal") or stated.get("raw") or "")


def _shown(value: Any) -> str:
    if isinstance(value, Mapping):
        return _date(value)
    if isinstance(value, list):
        return "; ".join(person_name(one) if isinstance(one, Mapping) else str(one) for one in value)
    return str(value)
