"""What conditions are held against: each live source's names, labels, folders, genre and day."""

from __future__ import annotations

import json
import os
import re
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from functools import lru_cache
from itertools import takewhile
from pathlib import Path, PurePath

from core.enriching import dates as calendar
from core.storage.catalogue.labels import fold, labels_of
from core.storage.catalogue.names import shown_names
from core.storage.faults import UNPACKING
from core.storage.store import Store
from core.text.calendar_names import Period, period

_WORD = re.compile(r"[^\W_]+")
_YEAR_IN_NAME = re.compile(r"(?<!\d)(?:199\d|20\d\d)(?!\d)")
_PDF_TIME = re.compile(r"D:(\d{4})(\d\d)?(\d\d)?")
# Of a file's own metadata, the first that is there: Office and PDF have the plain ones, the heads of notes any of them.
_STATED = ("date", "updated", "last_updated", "lastmod", "modified", "reviewed", "published", "created")
_HEAD = 1024  # bytes of features that are unpacked at once
_KIND_AND_GENRE = 100  # bytes behind a kind's beginning that hold the genre, if there is one


@dataclass(frozen=True, slots=True)
class SourceMetadata:
    """A live source as conditions see it; texts are folded for comparison.

    ``names``: the shown name, the title. ``suffix``: of the name, without the dot. ``folders``: those that hold it and
    not everything, and the remembered ones. ``genre``: "other" where none is known. ``dated``: by what it may be:
    its shown name, its title, its own metadata as JSON, the file's last change in nanoseconds, when it was added.
    """

    version_id: str
    kind: str
    suffix: str
    names: tuple[str, ...]
    collections: tuple[str, ...]
    tags: tuple[str, ...]
    folders: tuple[str, ...]
    genre: str
    dated: tuple[str, str, str, int | None, str]

    @property
    def days(self) -> Period:
        """What it is dated by: a date in its name, its own metadata, its title, the file's last change, the day it was
        added, the first there is. Read when it is asked for: few questions name a date.
        """
        return _days(*self.dated)


@dataclass(frozen=True, slots=True)
class KnownNames:
    """What a question may name: everything there is, as it is spelt. Without it, no operator names a place.

    ``kinds``: of documents, and their names' suffixes. ``names``: of files, and titles.
    """

    kinds: frozenset[str] = frozenset()
    names: frozenset[str] = frozenset()
    collections: frozenset[str] = frozenset()
    tags: frozenset[str] = frozenset()
    folders: frozenset[str] = frozenset()
    genres: frozenset[str] = frozenset()

    @property
    def places(self) -> frozenset[str]:
        """Everything that something can be "in"."""
        return self.names | self.collections | self.tags | self.folders


@lru_cache(maxsize=65_536)
def words_of(name: str) -> tuple[str, ...]:
    """A name's words as they are compared: however it is joined and capitalised.

    >>> words_of("Security-Policy_v2.docx") == words_of("security policy v2 DOCX")
    True
    """
    return tuple(_WORD.findall(fold(name)))


def is_called(wanted: Sequence[str], name: str) -> bool:
    """Whether the wanted words stand side by side in a name.

    >>> is_called(("security", "policy"), "security-policy.docx"), is_called(("policy", "docx"), "policy.md")
    (True, False)
    """
    own = words_of(name)
    size = len(wanted)
    return size > 0 and any(own[at : at + size] == tuple(wanted) for at in range(len(own) - size + 1))


def known(store: Store, sources: Sequence[SourceMetadata] | None = None) -> KnownNames:
    """What there is to be named in this library; grows stale with ``Store.revision``."""
    there = source_metadata(store) if sources is None else sources
    return KnownNames(
        kinds=frozenset(word for one in there for word in (one.kind, one.suffix) if word),
        names=frozenset(name for one in there for name in one.names),
        collections=frozenset(name for one in there for name in one.collections),
        tags=frozenset(name for one in there for name in one.tags),
        folders=frozenset(name for one in there for name in one.folders),
        genres=frozenset(one.genre for one in there if one.genre != "other"),
    )


def source_metadata(store: Store) -> tuple[SourceMetadata, ...]:
    """All live sources, in the order they were added; genres as far as features are kept for the serving index."""
    with store.reading() as connection:
        names = shown_names(store)
        rows = store.rows(
            "SELECT source.id, version.number, version.id, version.kind, title, metadata, path, modified_ns, added_at"
            " FROM source JOIN version ON version.number = source.version WHERE trashed_at IS NULL ORDER BY source.id"
        )
        collections, tags = labels_of(store, "collected", "collection"), labels_of(store, "tagged", "tag")
        features = connection.execute(
            "SELECT version, features FROM enriched WHERE generation = ?", (int(store.meta("serving") or 0),)
        )
        genres = {version: genre_of(packed) for version, packed in features}
        remembered = tuple(Path(os.fsdecode(path)) for (path,) in store.rows("SELECT path FROM folder"))
    common = len(_common(path for *_, path, _, _ in rows if path is not None))
    return tuple(
        SourceMetadata(
            version_id,
            kind,
            _suffix(names[source]),
            (names[source], title),
            collections.get(source, ()),
            tags.get(source, ()),
            _folders(path, common, remembered) if path is not None else (),
            genres.get(number, "other"),
            (names[source], title, metadata, modified, added),
        )
        for source, number, version_id, kind, title, metadata, path, modified, added in rows
    )


# What is read out of names, paths and metadata is kept: nearly all of them are the same after a change of the library.
_kept = lru_cache(maxsize=65_536)


@_kept
def _parts(path: bytes) -> tuple[str, ...]:
    """Of the folder that a file lies in."""
    return Path(os.fsdecode(path)).parent.parts


@_kept
def _suffix(name: str) -> str:
    return PurePath(name).suffix.removeprefix(".").lower()


def _common(paths: Iterable[bytes]) -> tuple[str, ...]:
    """The parts that the folders of all paths have in common."""
    folders = {_parts(path) for path in paths}
    return tuple(parts[0] for parts in takewhile(lambda parts: len(set(parts)) == 1, zip(*folders, strict=False)))


@_kept
def _folders(path: bytes, common: int, remembered: tuple[Path, ...]) -> tuple[str, ...]:
    """Names of the folders above a file. One that holds every file tells nothing apart, unless it is remembered."""
    above = Path(os.fsdecode(path)).parents
    own = [folder.name for folder in remembered if folder in above]
    return tuple(dict.fromkeys(name for name in (*own, *_parts(path)[common:]) if name))


def stored_genre(store: Store, version_id: str, generation: int) -> str:
    """The genre of one version as it is kept for a generation, "other" where nothing is."""
    found = store.value(
        "SELECT features FROM enriched JOIN version ON version.number = enriched.version"
        " WHERE generation = ? AND version.id = ?",
        *(generation, version_id),
    )
    return "other" if found is None else genre_of(found)


def genre_of(packed: bytes) -> str:
    """The genre that a version's packed features name, "other" for none: the same in all entries, so the first will do.

    It follows the title and the kind, and every quotation mark inside a text is escaped: only the head is unpacked.
    """
    opened = zlib.decompressobj()
    try:
        head = opened.decompress(packed, _HEAD)
        while opened.unconsumed_tail and len(head.partition(b'"kind":"')[2]) < _KIND_AND_GENRE:
            head += opened.decompress(opened.unconsumed_tail, _HEAD)
    except UNPACKING:  # verify names it
        return "other"
    found = re.search(rb'"genre":"([^"]*)"', head)
    return found[1].decode() if found else "other"


@_kept
def _days(name: str, title: str, metadata: str, modified: int | None, added: str) -> Period:
    """``metadata``: of the file itself, as JSON."""
    try:
        known = json.loads(metadata)
        stated = [found for key in _STATED if (found := _day(known.get(key, ""))) is not None]
    except UNPACKING:  # verify names it
        stated = []
    found = _dated(name, True) or next(iter(stated), None) or _dated(title, False)
    if found is not None:
        return found
    moment = datetime.fromtimestamp(modified / 1e9, UTC) if modified is not None else datetime.fromisoformat(added)
    return Period(moment.date(), moment.date())


@_kept
def _dated(name: str, year: bool) -> Period | None:
    """The first date in a name; with ``year``, also a year alone, as files are named by.

    >>> _dated("2024-05 minutes.md", True).last.day, _dated("budget_2023.xlsx", True).first.year, _dated("1984", False)
    (31, 2023, None)
    """
    spaced = re.sub(r"_+", " ", os.path.splitext(name)[0])  # noqa: PTH122 - a name, which need not be a path
    values = [value for _, _, value in sorted(calendar.dates(spaced))]
    alone = _YEAR_IN_NAME.search(spaced) if year else None
    return next((days for value in [*values, *([alone.group()] if alone else [])] if (days := period(value))), None)


def _day(stated: str) -> Period | None:
    """A moment of a file's metadata as a day, however its format writes it."""
    if (pdf := _PDF_TIME.match(stated)) is not None:
        return period("-".join(part for part in pdf.groups() if part))
    plain = stated.strip()
    found = period(plain[:10]) if len(plain) > 10 else period(plain)
    return found if found is not None and date(1970, 1, 2) <= found.first else None  # zero is no date
