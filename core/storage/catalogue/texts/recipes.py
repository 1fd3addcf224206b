"""Own recipes: chunking settings for one kind of document or one document, instead of the library's.

A document's own recipe takes precedence over that of its kind, and that over the library's; they are not merged. The
recipe of a document is stored under its version id and moves to the next version when its file changes.
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
    """The own recipe of a kind or a document.

    ``scope``: "kind" or "document". ``key``: the document kind or the version id. ``changed_at``: ISO 8601 in UTC.
    ``name``: the document's title, "" for a kind and for a document that is no longer in the library.
    """

    scope: str
    key: str
    chunking: ChunkingSettings
    changed_at: str
    name: str = ""


def own_recipes(store: Store) -> list[OwnRecipe]:
    """All own recipes, kinds first. Raises ``SettingsError`` for a stored value that is no longer allowed."""
    return [
        OwnRecipe(scope, key, _read(values), changed_at, title or "")
        for scope, key, values, changed_at, title in store.rows(
            "SELECT scope, key, chunking, changed_at, title FROM own_recipe"
            " LEFT JOIN version ON scope = 'document' AND version.id = key ORDER BY scope DESC, changed_at, key"
        )
    ]


def overrides(store: Store) -> Overrides:
    """The settings of all own recipes by (scope, key), for ``resolve``."""
    return {(own.scope, own.key): own.chunking for own in own_recipes(store)}


def resolve(library: ChunkingSettings, own: Overrides, kind: str, version_id: str) -> ChunkingSettings:
    """The chunking settings of a document: its own, those of its kind, or the library's.

    >>> small, large = ChunkingSettings(max_tokens=50), ChunkingSettings(max_tokens=200)
    >>> own = {("kind", "pdf"): small, ("document", "v"): large}
    >>> [resolve(ChunkingSettings(), own, "pdf", version).max_tokens for version in "vw"]
    [200, 50]
    """
    return own.get(("document", version_id), own.get(("kind", kind), library))


def own_chunking(store: Store, kind: str, version_id: str, before: str | None = None) -> ChunkingSettings | None:
    """The own settings of one document or its kind; ``None``: the library's apply.

    ``before``: the version whose recipe it will take over, if any.
    """
    values = store.value(
        "SELECT chunking FROM own_recipe WHERE (scope = 'document' AND key IN (?1, ?2))"
        " OR (scope = 'kind' AND key = ?3) ORDER BY scope = 'kind', key <> ?1 LIMIT 1",
        *(version_id, before or version_id, kind),
    )
    return None if values is None else _read(values)


def set_own_recipe(store: Store, scope: str, key: str, chunking: ChunkingSettings | None) -> None:
    """Set the own recipe of a kind or a document; ``None`` deletes it."""
    if chunking is None:
        store.write("DELETE FROM own_recipe WHERE scope = ? AND key = ?", scope, key, contents=False)
    else:
        values = json.dumps(asdict(chunking), sort_keys=True)
        row = (scope, key, values, now())
        store.write("INSERT OR REPLACE INTO own_recipe VALUES (?, ?, ?, ?)", *row, contents=False)


def transfer_recipe(store: Store, version_id: str, successor: str) -> None:
    """Move a document's own recipe to its successor version, unless that has one already."""
    store.write("UPDATE OR IGNORE own_recipe SET key = ? WHERE scope = 'document' AND key = ?", successor, version_id)
    store.write("DELETE FROM own_recipe WHERE scope = 'document' AND key = ?", version_id)


@row_faults("A recipe of one's own")
def _read(values: str) -> ChunkingSettings:
    return settings_from({"chunking": json.loads(values)}).chunking
