"""Which document of the library a link in another one means: a wiki link by name or alias, any other by its way."""

from __future__ import annotations

import json
import posixpath
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from urllib.parse import unquote

from core.storage.store import Store
from core.text.wiki import WIKI

_SCHEME = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*:")
_ALIASES = ("aliases", "alias")


@dataclass(frozen=True, slots=True)
class Linked:
    """The live documents by what they are called. ``ways``: of each version, the names of its sources as paths.

    ``named``: versions by the last part of a name, its ending aside, and by alias, as both are compared.
    """

    ways: Mapping[str, tuple[str, ...]]
    named: Mapping[str, tuple[str, ...]]

    @classmethod
    def of(cls, sources: Iterable[tuple[str, str, Iterable[str]]]) -> Linked:
        """``sources``: version, name and aliases of each.

        >>> vault = Linked.of([("1", "v/Ducks.md", ["Teal"]), ("2", "v/old/Ducks.md", []), ("3", "v/Pond.md", [])])
        >>> [vault.find(target, "3") for target in ("wiki:Teal#Feed", "wiki:old/ducks", "wiki:Ducks", "old/Ducks.md")]
        [('1', 'Feed'), ('2', ''), ('1', ''), ('2', '')]
        >>> vault.find("wiki:Geese", "3"), vault.find("https://a.org/Ducks.md", "3")
        (None, None)
        """
        ways: defaultdict[str, list[str]] = defaultdict(list)
        named: defaultdict[str, dict[str, None]] = defaultdict(dict)
        for version, name, aliases in sources:
            way = name.replace("\\", "/")
            ways[version].append(way)
            for said in (way, *aliases):
                named[_key(said)][version] = None
        return cls(
            {version: tuple(names) for version, names in ways.items()},
            {key: tuple(versions) for key, versions in named.items()},
        )

    def find(self, target: str, home: str) -> tuple[str, str] | None:
        """The version a link of version ``home`` means, and the heading in it, "" for none; ``None``: none, or several.

        Of several notes of a name the one beside the link's own note is meant, as in Obsidian.
        """
        is_wiki = target.startswith(WIKI)
        if not is_wiki and (_SCHEME.match(target) or target.startswith(("#", "/"))):
            return None
        path, _, heading = unquote(target).removeprefix(WIKI).partition("#")
        found = [version for version in self.named.get(_key(path), ()) if self._fits(version, path, home, is_wiki)]
        if len(found) > 1:
            beside = {posixpath.dirname(way) for way in self.ways.get(home, ())}
            found = [one for one in found if beside & {posixpath.dirname(way) for way in self.ways[one]}]
        return (found[0], "" if heading.startswith("^") else heading) if len(found) == 1 else None

    def _fits(self, version: str, path: str, home: str, is_wiki: bool) -> bool:
        if is_wiki:
            tail = _without_ending(path).casefold()
            return "/" not in path or any(
                f"/{_without_ending(way)}".casefold().endswith(f"/{tail}") for way in self.ways[version]
            )
        meant = {posixpath.normpath(posixpath.join(posixpath.dirname(way), path)) for way in self.ways.get(home, ())}
        return bool(meant & set(self.ways[version]))


def _without_ending(name: str) -> str:
    return name.removesuffix(".md")


def _key(name: str) -> str:
    return _without_ending(name.rpartition("/")[2].strip()).casefold()


def linked(store: Store) -> Linked:
    """What the library's live documents are called."""
    rows = store.rows(
        "SELECT version.id, name, metadata FROM source JOIN version ON version.number = source.version"
        " WHERE trashed_at IS NULL ORDER BY source.id"
    )
    return Linked.of((version, name, _aliases(metadata)) for version, name, metadata in rows)


def _aliases(metadata: str) -> list[str]:
    if not any(name in metadata for name in _ALIASES):
        return []
    said = json.loads(metadata)
    return [alias.strip() for name in _ALIASES for alias in said.get(name, "").split(",") if alias.strip()]
