"""Which documents a question may look into: collections, tags and single documents, resolved in the catalogue."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from core.errors import NotFoundError
from core.storage import labels
from core.storage.labels import fold
from core.storage.names import shown_names
from core.storage.store import Store


@dataclass(frozen=True, slots=True)
class Scope:
    """What a question looks into. A field left empty asks for nothing; of one that is not, any of its values will do,
    and every field must hold: ``collections`` (their ids), ``tags`` (their names), ``versions`` (of documents).

    >>> Scope().everything, Scope(tags=("work",)).everything
    (True, False)
    """

    collections: tuple[int, ...] = ()
    tags: tuple[str, ...] = ()
    versions: tuple[str, ...] = ()

    @property
    def everything(self) -> bool:
        """Nothing is asked for: all documents pass."""
        return not (self.collections or self.tags or self.versions)


def versions_in(store: Store, scope: Scope) -> Mapping[str, str]:
    """The versions that pass, each with the shown name of its first source that does.

    A version passes when one live source of it does. A collection or tag that is gone holds nothing.
    """
    which = ["source.trashed_at IS NULL"]
    values: list[str] = []
    if scope.collections:
        which.append("source.id IN (SELECT source FROM collected WHERE collection IN (SELECT value FROM json_each(?)))")
        values.append(json.dumps(list(scope.collections)))
    if scope.tags:
        which.append(
            "source.id IN (SELECT source FROM tagged JOIN tag ON tag.id = tagged.tag"
            " WHERE folded IN (SELECT value FROM json_each(?)))"
        )
        values.append(json.dumps([fold(name) for name in scope.tags]))
    if scope.versions:
        which.append("version.id IN (SELECT value FROM json_each(?))")
        values.append(json.dumps(list(scope.versions)))
    with store.reading() as connection:
        names = shown_names(connection)
        found: dict[str, str] = {}
        for version_id, source in connection.execute(
            "SELECT version.id, source.id FROM source JOIN version ON version.number = source.version"
            f" WHERE {' AND '.join(which)} ORDER BY source.id",
            values,
        ).fetchall():
            found.setdefault(version_id, names[source])
    return found


def scope_named(store: Store, collections: Sequence[str], tags: Sequence[str]) -> Scope:
    """The scope of collections and tags by their names. Raises ``NotFoundError`` naming those there are."""
    with store.reading():
        held = {fold(known.name): known for known in labels.collections(store)}
        carried = {fold(known.name): known for known in labels.tags(store)}
    for what, wanted, there in (("collection", collections, held), ("tag", tags, carried)):
        for name in wanted:
            if fold(name) not in there:
                spelt = ", ".join(repr(known.name) for known in there.values())
                raise NotFoundError(
                    f"This library has no {what} {name!r}.",
                    f"It has {spelt}." if spelt else f"It has no {what} at all.",
                )
    return Scope(tuple(held[fold(name)].id for name in collections), tuple(carried[fold(name)].name for name in tags))
