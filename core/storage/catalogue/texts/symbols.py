"""The symbols defined in a library's source code, and resolution of a called name to its definition.

The chunkers ``code`` and ``auto`` record in each chunk's metadata what it defines, imports and calls
(``core.chunking.chunkers.code``). Calls are bare names without the type of the receiver, so a call is resolved only if
one definition is clearly the most likely.
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
_Leaf = tuple[str, int, int, Sequence[str], Sequence[str], Sequence[str]]


@dataclass(frozen=True, slots=True)
class Definition:
    """A function, method or type. ``path``: its qualified name. ``span``: of the leaves that contain it."""

    version_id: str
    path: str
    span: Span


@dataclass(frozen=True, slots=True)
class SymbolTable:
    """The definitions and imports of all code.

    ``definitions``: by unqualified name. ``imported``: all words in the import paths of each version; ``folders``: only
    the last word of each import path.
    """

    definitions: Mapping[str, Sequence[Definition]]
    imported: Mapping[str, Set[str]]
    folders: Mapping[str, Set[str]]

    @classmethod
    def of(cls, leaves: Iterable[_Leaf]) -> SymbolTable:
        """The table of leaves in text order: (version, start, end, symbols defined, units contained in, imports).

        >>> leaves = [
        ...     ("1", 0, 9, ["A", "A.f"], ["A.f"], []), ("1", 9, 20, [], ["A.f"], []), ("2", 0, 5, [], [], [".a"]),
        ... ]
        >>> table = SymbolTable.of(leaves)
        >>> [(definition.path, definition.span) for name in ("A", "f") for definition in table.definitions[name]]
        [('A', Span(start=0, end=9)), ('A.f', Span(start=0, end=20))]
        """
        by_path: dict[tuple[str, str], Definition] = {}
        imported, folders = defaultdict[str, set[str]](set), defaultdict[str, set[str]](set)
        previous_end = -1  # of the leaf before
        for version, start, end, symbols, within, imports in leaves:
            for words in filter(None, map(_WORD.findall, imports)):
                imported[version].update(words)
                folders[version].add(words[-1])
            for path in dict.fromkeys((*symbols, *within)):
                definition = by_path.get((version, path))
                if definition is None and path in symbols:
                    by_path[version, path] = Definition(version, path, Span(start, end))
                elif definition is not None and definition.span.end == previous_end:  # continued, or declared again
                    by_path[version, path] = replace(definition, span=Span(definition.span.start, end))
            previous_end = end
        definitions: defaultdict[str, list[Definition]] = defaultdict(list)
        for definition in by_path.values():
            definitions[(_WORD.findall(definition.path) or [definition.path])[-1]].append(definition)
        return cls(definitions, imported, folders)

    def find(self, name: str, home: str, names: Mapping[str, str]) -> Definition | None:
        """The definition that version ``home`` most likely calls by this name; ``None`` if unknown or ambiguous.

        The first tier with a match decides: the same file; an imported file; a file in an imported folder; top-level
        functions and types in the same folder. Methods are left out of the last tier, because most of them are
        unrelated methods of the same name. ``names``: the file name of each version to consider.
        """
        own, empty = _file(names[home]), frozenset[str]()
        tiers: defaultdict[int, list[Definition]] = defaultdict(list)
        for definition in self.definitions.get(name, ()):
            if definition.version_id in names:
                file = _file(names[definition.version_id])
                in_tier = (
                    definition.version_id == home,
                    file.stem in self.imported.get(home, empty),
                    file.parent.name in self.folders.get(home, empty),
                    file.parent == own.parent and definition.path == name,
                )
                if any(in_tier):
                    tiers[in_tier.index(True)].append(definition)
        candidates = tiers[min(tiers)] if tiers else []
        return candidates[0] if len(candidates) == 1 else None


def _file(name: str) -> PurePosixPath:
    return PurePosixPath(name.replace("\\", "/"))


@row_faults("What was found in the code of the library")
def symbol_table(store: Store, generation: int) -> SymbolTable:
    """The symbols of all code in a generation that was chunked by its syntax."""
    rows = store.rows(
        'SELECT version.id, start, "end", chunk_metadata.metadata FROM chunk_metadata'
        " JOIN chunk ON chunk.row = chunk_metadata.chunk JOIN version ON version.number = chunk.version"
        " WHERE generation = ? AND level = 0"
        " AND json_extract(chunk_metadata.metadata, '$.unit') IS NOT NULL ORDER BY chunk.version, start",
        generation,
    )
    leaves = ((version, start, end, json.loads(metadata)) for version, start, end, metadata in rows)
    return SymbolTable.of(
        (version, start, end, *(metadata.get(name, ()) for name in ("symbols", "within", "imports")))
        for version, start, end, metadata in leaves
    )


@row_faults("What was found in the code of the library")
def calls_of(store: Store, rows: Sequence[int]) -> dict[int, tuple[str, ...]]:
    """The names that leaves call, by leaf row; leaves without calls are absent."""
    stored = store.rows(
        "SELECT chunk, json_extract(metadata, '$.calls') AS calls FROM chunk_metadata"
        " WHERE chunk IN (SELECT value FROM json_each(?)) AND calls IS NOT NULL",
        [int(row) for row in rows],
    )
    return {row: tuple(json.loads(calls)) for row, calls in stored}
