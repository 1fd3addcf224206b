"""Display names of sources, and search scopes by collection, tag and document."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from core.errors import NotFoundError
from core.storage.catalogue.filing.labels import Labels, fold
from core.storage.store import Store

NAME_SEPARATOR = " › "


def shown_names(store: Store) -> dict[int, str]:
    """The display name of every source by id, in the trash or not. An attachment's is ``mail.eml › report.pdf``.

    If several sources have the mail, its name is that of the first, preferably a live one.
    """
    rows = store.rows("SELECT id, name, parent, version FROM source ORDER BY trashed_at IS NOT NULL, id")
    names: dict[int, str] = {source: name for source, name, parent, _ in rows if parent is None}
    first_source: dict[int, int] = {}
    for source, _, _, version in rows:
        first_source.setdefault(version, source)
    attachments = {source: (name, first_source.get(parent)) for source, name, parent, _ in rows if parent is not None}

    def full_name(source: int) -> str:
        if source not in names:
            own, mail = attachments[source]
            names[source] = own if mail is None else full_name(mail) + NAME_SEPARATOR + own
        return names[source]

    return {source: full_name(source) for source, _, _, _ in rows}


def names_of_versions(store: Store) -> dict[int, str]:
    """The display name of each version's first live source, by version number."""
    names = shown_names(store)
    newest_first = store.rows("SELECT version, id FROM source WHERE trashed_at IS NULL ORDER BY id DESC")
    return {version: names[source] for version, source in newest_first}  # the oldest source comes last and wins


@dataclass(frozen=True, slots=True)
class Scope:
    """The documents that a question searches: those with any of the ``collections`` (ids), and any of the ``tags``
    (names), and any of the ``versions`` (ids). An empty field does not restrict.

    >>> Scope().everything, Scope(tags=("work",)).everything
    (True, False)
    """

    collections: tuple[int, ...] = ()
    tags: tuple[str, ...] = ()
    versions: tuple[str, ...] = ()

    @property
    def everything(self) -> bool:
        """Whether the scope includes all documents."""
        return not (self.collections or self.tags or self.versions)


ALL_DOCUMENTS = Scope()


def versions_in(store: Store, scope: Scope) -> Mapping[str, str]:
    """The versions with a live source in the scope, each with the display name of the first such source.

    A collection or tag that was deleted counts as empty.
    """
    conditions = ["source.trashed_at IS NULL"]
    values: list[Sequence[int | str]] = []
    if scope.collections:
        conditions.append(
            "source.id IN (SELECT source FROM collected WHERE collection IN (SELECT value FROM json_each(?)))"
        )
        values.append(scope.collections)
    if scope.tags:
        conditions.append(
            "source.id IN (SELECT source FROM tagged JOIN tag ON tag.id = tagged.tag"
            " WHERE folded IN (SELECT value FROM json_each(?)))"
        )
        values.append([fold(name) for name in scope.tags])
    if scope.versions:
        conditions.append("version.id IN (SELECT value FROM json_each(?))")
        values.append(scope.versions)
    with store.reading():
        names = shown_names(store)
        rows = store.rows(
            "SELECT version.id, source.id FROM source JOIN version ON version.number = source.version"
            f" WHERE {' AND '.join(conditions)} ORDER BY source.id",
            *values,
        )
    versions: dict[str, str] = {}
    for version_id, source in rows:
        versions.setdefault(version_id, names[source])
    return versions


def scope_named(store: Store, collections: Sequence[str], tags: Sequence[str]) -> Scope:
    """The scope of collections and tags by name; a tag may have the "#" it is shown with.

    Raises ``NotFoundError`` listing the existing names.
    """
    with store.reading():
        all_collections = {fold(collection.name): collection for collection in Labels(store).collections()}
        all_tags = {fold(tag.name): tag for tag in Labels(store).tags()}
    tags = [name if fold(name) in all_tags else name.strip().lstrip("#") for name in tags]
    for what, names, existing in (("collection", collections, all_collections), ("tag", tags, all_tags)):
        for name in names:
            if fold(name) not in existing:
                listed = ", ".join(repr(label.name) for label in existing.values())
                raise NotFoundError(
                    f"This library has no {what} {name!r}.",
                    f"It has {listed}." if listed else f"It has no {what} at all.",
                )
    return Scope(
        tuple(all_collections[fold(name)].id for name in collections),
        tuple(all_tags[fold(name)].name for name in tags),
    )
