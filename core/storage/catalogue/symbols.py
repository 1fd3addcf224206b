"""The symbols of a library's code: where each is defined, told by what its syntax was cut into.

What ``code`` and ``auto`` cut says what it defines, imports and calls (``core.chunking.chunkers.code``). Calls are bare
names: whose method is meant is not known. So a name leads somewhere only where one definition is the likeliest.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from pathlib import PurePosixPath

from core.storage.faults import row_faults
from core.storage.store import Store
from core.types import Span

_WORD = re.compile(r"\w+")
_Cut = tuple[str, int, int, Sequence[str], Sequence[str], Sequence[str]]


@dataclass(frozen=True, slots=True)
class Definition:
    """A function, method or type. ``path``: its name within those around it; ``span``: of the leaves that hold it."""

    version_id: str
    path: str
    span: Span


@dataclass(frozen=True, slots=True)
class SymbolTable:
    """``definitions`` by the last part of their paths; ``imported``: the words of what each version imports, of which
    ``folders`` are the last ones.
    """

    definitions: Mapping[str, Sequence[Definition]]
    imported: Mapping[str, Set[str]]
    folders: Mapping[str, Set[str]]

    @classmethod
    def of(cls, leaves: Iterable[_Cut]) -> SymbolTable:
        """``leaves`` in order: version, start, end, what they define, the units they are of, and what they import.

        >>> cut = [("1", 0, 9, ["A", "A.f"], ["A.f"], []), ("1", 9, 20, [], ["A.f"], []), ("2", 0, 5, [], [], [".a"])]
        >>> [(one.path, one.span) for name in ("A", "f") for one in SymbolTable.of(cut).definitions[name]]
        [('A', Span(start=0, end=9)), ('A.f', Span(start=0, end=20))]
        """
        found: dict[tuple[str, str], Definition] = {}
        imported, folders = defaultdict[str, set[str]](set), defaultdict[str, set[str]](set)
        before = -1  # where the leaf before it ended
        for version, start, end, symbols, within, imports in leaves:
            for words in filter(None, map(_WORD.findall, imports)):
                imported[version].update(words)
                folders[version].add(words[-1])
            for path in dict.fromkeys((*symbols, *within)):
                known = found.get((version, path))
                if known is None and path in symbols:
                    found[version, path] = Definition(version, path, Span(start, end))
                elif known is not None and known.span.end == before:  # it goes on, or is declared again right there
                    found[version, path] = replace(known, span=Span(known.span.start, end))
            before = end
        definitions: defaultdict[str, list[Definition]] = defaultdict(list)
        for one in found.values():
            definitions[(_WORD.findall(one.path) or [one.path])[-1]].append(one)
        return cls(definitions, imported, folders)

    def find(self, name: str, home: str, names: Mapping[str, str]) -> Definition | None:
        """What version ``home`` calls by this name: of its own file, else of a file or a folder that it imports, else a
        function or type, no method, beside it: most methods of a name that is known elsewhere are others' of that name.

        ``names``: of each version's file; others are not looked at. ``None`` where there is none, or are several.
        """
        own, empty = _file(names[home]), frozenset[str]()
        tiers: defaultdict[int, list[Definition]] = defaultdict(list)
        for one in self.definitions.get(name, ()):
            if one.version_id in names:
                file = _file(names[one.version_id])
                near = (
                    one.version_id == home,
                    file.stem in self.imported.get(home, empty),
                    file.parent.name in self.folders.get(home, empty),
                    file.parent == own.parent and one.path == name,
                )
                if any(near):
                    tiers[near.index(True)].append(one)
        nearest = tiers[min(tiers)] if tiers else []
        return nearest[0] if len(nearest) == 1 else None


def _file(name: str) -> PurePosixPath:
    return PurePosixPath(name.replace("\\", "/"))


@row_faults("What was found in the code of the library")
def symbol_table(store: Store, generation: int) -> SymbolTable:
    """The symbols of all code that was cut by its syntax."""
    rows = store.rows(
        'SELECT version.id, start, "end", said.metadata FROM chunk_metadata AS said'
        " JOIN chunk ON chunk.row = said.chunk JOIN version ON version.number = chunk.version"
        " WHERE generation = ? AND level = 0"
        " AND json_extract(said.metadata, '$.unit') IS NOT NULL ORDER BY chunk.version, start",
        generation,
    )
    told = ((version, start, end, json.loads(metadata)) for version, start, end, metadata in rows)
    return SymbolTable.of(
        (version, start, end, *(facts.get(name, ()) for name in ("symbols", "within", "imports")))
        for version, start, end, facts in told
    )


@row_faults("What was found in the code of the library")
def calls_of(store: Store, rows: Sequence[int]) -> dict[int, tuple[str, ...]]:
    """The names that some leaves call, by catalogue row; leaves that call nothing, or are no code, are absent."""
    found = store.rows(
        "SELECT chunk, json_extract(metadata, '$.calls') AS calls FROM chunk_metadata"
        " WHERE chunk IN (SELECT value FROM json_each(?)) AND calls IS NOT NULL",
        [int(row) for row in rows],
    )
    return {row: tuple(json.loads(calls)) for row, calls in found}
