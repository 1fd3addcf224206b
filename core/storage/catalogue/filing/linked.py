"""Resolves links between documents of the library: wiki links by name or alias, other links by relative path."""

from __future__ import annotations

import json
import posixpath
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from urllib.parse import unquote

from core.storage.store import Store
from core.text.markup.wiki import WIKI

_SCHEME = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*:")
_ALIASES = ("aliases", "alias")


@dataclass(frozen=True, slots=True)
class Linked:
    """An index of the live documents by name.

    ``paths``: the names of each version's sources, as paths. ``by_name``: version ids by alias and by the last part of
    a name without ".md", both casefolded.
    """

    paths: Mapping[str, tuple[str, ...]]
    by_name: Mapping[str, tuple[str, ...]]

    @classmethod
    def of(cls, sources: Iterable[tuple[str, str, Iterable[str]]]) -> Linked:
        """The index of sources, each given as (version id, name, aliases).

        >>> vault = Linked.of([("1", "v/Ducks.md", ["Teal"]), ("2", "v/old/Ducks.md", []), ("3", "v/Pond.md", [])])
        >>> [vault.find(target, "3") for target in ("wiki:Teal#Feed", "wiki:old/ducks", "wiki:Ducks", "old/Ducks.md")]
        [('1', 'Feed'), ('2', ''), ('1', ''), ('2', '')]
        >>> vault.find("wiki:Geese", "3"), vault.find("https://a.org/Ducks.md", "3")
        (None, None)
        """
        paths: defaultdict[str, list[str]] = defaultdict(list)
        by_name: defaultdict[str, dict[str, None]] = defaultdict(dict)
        for version, name, aliases in sources:
            path = name.replace("\\", "/")
            paths[version].append(path)
            for known_as in (path, *aliases):
                by_name[_key(known_as)][version] = None
        return cls(
            {version: tuple(names) for version, names in paths.items()},
            {key: tuple(versions) for key, versions in by_name.items()},
        )

    def find(self, target: str, home: str) -> tuple[str, str] | None:
        """The target of a link in version ``home`` as (version id, heading or ""); ``None`` if unknown or ambiguous.

        Of several documents of that name, the one in the folder of the linking document is meant, as in Obsidian.
        """
        is_wiki = target.startswith(WIKI)
        if not is_wiki and (_SCHEME.match(target) or target.startswith(("#", "/"))):
            return None
        path, _, heading = unquote(target).removeprefix(WIKI).partition("#")
        matches = [version for version in self.by_name.get(_key(path), ()) if self._fits(version, path, home, is_wiki)]
        if len(matches) > 1:
            folders = self._folders(home)
            matches = [version for version in matches if folders & self._folders(version)]
        return (matches[0], "" if heading.startswith("^") else heading) if len(matches) == 1 else None

    def _fits(self, version: str, path: str, home: str, is_wiki: bool) -> bool:
        if is_wiki:
            suffix = _without_extension(path).casefold()
            return "/" not in path or any(
                f"/{_without_extension(own)}".casefold().endswith(f"/{suffix}") for own in self.paths[version]
            )
        targets = {posixpath.normpath(posixpath.join(folder, path)) for folder in self._folders(home)}
        return bool(targets & set(self.paths[version]))

    def _folders(self, version: str) -> set[str]:
        return {posixpath.dirname(path) for path in self.paths.get(version, ())}


def _without_extension(name: str) -> str:
    return name.removesuffix(".md")


def _key(name: str) -> str:
    return _without_extension(name.rpartition("/")[2].strip()).casefold()


def linked(store: Store) -> Linked:
    """The index of the library's live documents."""
    rows = store.rows(
        "SELECT version.id, name, metadata FROM source JOIN version ON version.number = source.version"
        " WHERE trashed_at IS NULL ORDER BY source.id"
    )
    return Linked.of((version, name, _aliases(metadata)) for version, name, metadata in rows)


def _aliases(metadata: str) -> list[str]:
    if not any(name in metadata for name in _ALIASES):
        return []
    values = json.loads(metadata)
    return [alias.strip() for name in _ALIASES for alias in values.get(name, "").split(",") if alias.strip()]
