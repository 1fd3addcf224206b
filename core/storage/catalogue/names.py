"""What sources are called where people read it: an attachment stands behind the mail it came in.

Also the collections, tags and documents a question may look into.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from core.errors import NotFoundError
from core.storage.catalogue.labels import Labels, fold
from core.storage.store import Store

BEHIND = " › "


def shown_names(store: Store) -> dict[int, str]:
    """The shown name of every source, in the trash or not: an attachment's is ``mail.eml › report.pdf``.

    A mail that several sources hold lends the name of its first live one, else of its first.
    """
    rows = store.rows("SELECT id, name, parent, version FROM source ORDER BY trashed_at IS NOT NULL, id")
    names: dict[int, str] = {source: name for source, name, parent, _ in rows if parent is None}
    first: dict[int, int] = {}
    for source, _, _, version in rows:
        first.setdefault(version, source)
    attached = {source: (name, first.get(parent)) for source, name, parent, _ in rows if parent is not None}

    def behind(source: int) -> str:
        if source not in names:
            own, mail = attached[source]
            names[source] = own if mail is None else behind(mail) + BEHIND + own
        return names[source]

    return {source: behind(source) for source, _, _, _ in rows}


def names_of_versions(store: Store) -> dict[int, str]:
    """By version number: the shown name of its first live source."""
    names = shown_names(store)
    last_first = store.rows("SELECT version, id FROM source WHERE trashed_at IS NULL ORDER BY id DESC")
    return {version: names[source] for version, source in last_first}


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


ALL_DOCUMENTS = Scope()


def versions_in(store: Store, scope: Scope) -> Mapping[str, str]:
    """The versions that pass, each with the shown name of its first source that does.

    A version passes when one live source of it does. A collection or tag that is gone holds nothing.
    """
    which = ["source.trashed_at IS NULL"]
    values: list[Sequence[int | str]] = []
    if scope.collections:
        which.append("source.id IN (SELECT source FROM collected WHERE collection IN (SELECT value FROM json_each(?)))")
        values.append(scope.collections)
    if scope.tags:
        which.append(
            "source.id IN (SELECT source FROM tagged JOIN tag ON tag.id = tagged.tag"
            " WHERE folded IN (SELECT value FROM json_each(?)))"
        )
        values.append([fold(name) for name in scope.tags])
    if scope.versions:
        which.append("version.id IN (SELECT value FROM json_each(?))")
        values.append(scope.versions)
    with store.reading():
        names = shown_names(store)
        passing = store.rows(
            "SELECT version.id, source.id FROM source JOIN version ON version.number = source.version"
            f" WHERE {' AND '.join(which)} ORDER BY source.id",
            *values,
        )
    found: dict[str, str] = {}
    for version_id, source in passing:
        found.setdefault(version_id, names[source])
    return found


def scope_named(store: Store, collections: Sequence[str], tags: Sequence[str]) -> Scope:
    """The scope of collections and tags by their names. Raises ``NotFoundError`` naming those there are."""
    with store.reading():
        held = {fold(known.name): known for known in Labels(store).collections()}
        carried = {fold(known.name): known for known in Labels(store).tags()}
    for what, wanted, there in (("collection", collections, held), ("tag", tags, carried)):
        for name in wanted:
            if fold(name) not in there:
                spelt = ", ".join(repr(known.name) for known in there.values())
                raise NotFoundError(
                    f"This library has no {what} {name!r}.",
                    f"It has {spelt}." if spelt else f"It has no {what} at all.",
                )
    return Scope(tuple(held[fold(name)].id for name in collections), tuple(carried[fold(name)].name for name in tags))
