"""Recipes of their own: how documents of one kind, or one document, are cut where the library's settings do not decide.

They resolve from the library to the kind to the document; the last wins, whole. A document's own is anchored by value
to its version, as edits are, and goes along when its file changes.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass

from core.settings import ChunkingSettings
from core.storage.faults import row_faults
from core.storage.store import Store, now, settings_from

SCOPES = ("kind", "document")
Overrides = Mapping[tuple[str, str], ChunkingSettings]


@dataclass(frozen=True, slots=True)
class OwnRecipe:
    """``scope``: "kind" or "document"; ``key``: the kind of document, or the version. ``changed_at``: ISO 8601, UTC.

    ``name``: of the document for people, "" for a kind, and for a document that has left the library.
    """

    scope: str
    key: str
    chunking: ChunkingSettings
    changed_at: str
    name: str = ""


def own_recipes(store: Store) -> list[OwnRecipe]:
    """All of them, kinds first. Raises ``SettingsError`` where a stored value is outside what this Lectern allows."""
    return [
        OwnRecipe(scope, key, _read(values), changed_at, title or "")
        for scope, key, values, changed_at, title in store.rows(
            "SELECT scope, key, chunking, changed_at, title FROM own_recipe"
            " LEFT JOIN version ON scope = 'document' AND version.id = key ORDER BY scope DESC, changed_at, key"
        )
    ]


def overrides(store: Store) -> Overrides:
    """All of them by scope and key: what ``resolved`` looks into."""
    return {(own.scope, own.key): own.chunking for own in own_recipes(store)}


def resolved(library: ChunkingSettings, known: Overrides, kind: str, version_id: str) -> ChunkingSettings:
    """How a document is cut.

    >>> small, large = ChunkingSettings(max_tokens=50), ChunkingSettings(max_tokens=200)
    >>> known = {("kind", "pdf"): small, ("document", "v"): large}
    >>> [resolved(ChunkingSettings(), known, "pdf", version).max_tokens for version in "vw"]
    [200, 50]
    """
    return known.get(("document", version_id), known.get(("kind", kind), library))


def own_chunking(store: Store, kind: str, version_id: str, before: str | None = None) -> ChunkingSettings | None:
    """What ``resolved`` finds for one document, ``None`` where the library's settings decide."""
    found = store.value(
        "SELECT chunking FROM own_recipe WHERE (scope = 'document' AND key IN (?1, ?2))"
        " OR (scope = 'kind' AND key = ?3) ORDER BY scope = 'kind', key <> ?1 LIMIT 1",
        *(version_id, before or version_id, kind),
    )
    return None if found is None else _read(found)


def set_own_recipe(store: Store, scope: str, key: str, chunking: ChunkingSettings | None) -> None:
    """Keep how a kind or a document is cut; ``None`` forgets it."""
    if chunking is None:
        store.write("DELETE FROM own_recipe WHERE scope = ? AND key = ?", scope, key, contents=False)
    else:
        values = json.dumps(asdict(chunking), sort_keys=True)
        row = (scope, key, values, now())
        store.write("INSERT OR REPLACE INTO own_recipe VALUES (?, ?, ?, ?)", *row, contents=False)


def transfer_recipe(store: Store, version_id: str, successor: str) -> None:
    """A document's own recipe goes to the version that succeeds it, unless that has one."""
    store.write("UPDATE OR IGNORE own_recipe SET key = ? WHERE scope = 'document' AND key = ?", successor, version_id)
    store.write("DELETE FROM own_recipe WHERE scope = 'document' AND key = ?", version_id)


@row_faults("A recipe of one's own")
def _read(values: str) -> ChunkingSettings:
    return settings_from({"chunking": json.loads(values)}).chunking
