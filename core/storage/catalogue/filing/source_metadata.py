"""Metadata of live sources that conditions filter by: names, labels, folders, genre and date."""

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
from core.storage.catalogue.filing.labels import fold, labels_of
from core.storage.catalogue.filing.names import shown_names
from core.storage.faults import UNPACKING
from core.storage.store import Store
from core.text.values.calendar_names import Period, period

_WORD = re.compile(r"[^\W_]+")
_YEAR_IN_NAME = re.compile(r"(?<!\d)(?:199\d|20\d\d)(?!\d)")
_PDF_TIME = re.compile(r"D:(\d{4})(\d\d)?(\d\d)?")
# Metadata keys with a date, in order of preference. Office and PDF files have some of them, front matter any.
_DATE_KEYS = ("date", "updated", "last_updated", "lastmod", "modified", "reviewed", "published", "created")
_BLOCK_BYTES = 1024  # of features, decompressed at a time
_KIND_AND_GENRE_BYTES = 100  # from the start of a kind's value; if there is a genre, it lies within them


@dataclass(frozen=True, slots=True)
class SourceMetadata:
    """The metadata of a live source.

    ``names``: the display name and the title. ``suffix``: of the name, without the dot. ``folders``: names of the
    watched folders that contain it, and of all folders above it except those that contain every file of the library.
    ``genre``: "other" if unknown. ``dated``: what its date is derived from: display name, title, metadata as JSON,
    modification time of the file in nanoseconds, and the time it was added.
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
        """Its date: that in its name, or else in its metadata, in its title, the last change of its file, or the day it
        was added. Computed on demand, since few questions filter by date.
        """
        return _days(*self.dated)


@dataclass(frozen=True, slots=True)
class KnownNames:
    """All values in the library that the operators of a question can refer to, in their original spelling.

    ``kinds``: document kinds and file suffixes. ``names``: display names and titles.
    """

    kinds: frozenset[str] = frozenset()
    names: frozenset[str] = frozenset()
    collections: frozenset[str] = frozenset()
    tags: frozenset[str] = frozenset()
    folders: frozenset[str] = frozenset()
    genres: frozenset[str] = frozenset()

    @property
    def places(self) -> frozenset[str]:
        """All values of the operator "in"."""
        return self.names | self.collections | self.tags | self.folders


@lru_cache(maxsize=65_536)
def words_of(name: str) -> tuple[str, ...]:
    """A name's words, folded, for comparison independent of punctuation and case.

    >>> words_of("Security-Policy_v2.docx") == words_of("security policy v2 DOCX")
    True
    """
    return tuple(_WORD.findall(fold(name)))


def is_called(words: Sequence[str], name: str) -> bool:
    """Whether a name contains these words as a contiguous sequence.

    >>> is_called(("security", "policy"), "security-policy.docx"), is_called(("policy", "docx"), "policy.md")
    (True, False)
    """
    own = words_of(name)
    size = len(words)
    return size > 0 and any(own[start : start + size] == tuple(words) for start in range(len(own) - size + 1))


def known(store: Store, sources: Sequence[SourceMetadata] | None = None) -> KnownNames:
    """The names in this library, valid until ``Store.revision`` changes. ``sources``: ``None`` reads them."""
    sources = source_metadata(store) if sources is None else sources
    return KnownNames(
        kinds=frozenset(kind for source in sources for kind in (source.kind, source.suffix) if kind),
        names=frozenset(name for source in sources for name in source.names),
        collections=frozenset(name for source in sources for name in source.collections),
        tags=frozenset(name for source in sources for name in source.tags),
        folders=frozenset(name for source in sources for name in source.folders),
        genres=frozenset(source.genre for source in sources if source.genre != "other"),
    )


def source_metadata(store: Store) -> tuple[SourceMetadata, ...]:
    """The metadata of all live sources, in the order they were added; genres from the serving generation's features."""
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
        watched = tuple(Path(os.fsdecode(path)) for (path,) in store.rows("SELECT path FROM folder"))
    common = len(_common_parts(path for *_, path, _, _ in rows if path is not None))
    return tuple(
        SourceMetadata(
            version_id,
            kind,
            _suffix(names[source]),
            (names[source], title),
            collections.get(source, ()),
            tags.get(source, ()),
            _folders(path, common, watched) if path is not None else (),
            genres.get(number, "other"),
            (names[source], title, metadata, modified, added),
        )
        for source, number, version_id, kind, title, metadata, path, modified, added in rows
    )


# Cached across calls: after a change of the library nearly all names, paths and metadata are the same.
_cached = lru_cache(maxsize=65_536)


@_cached
def _folder_parts(path: bytes) -> tuple[str, ...]:
    return Path(os.fsdecode(path)).parent.parts


@_cached
def _suffix(name: str) -> str:
    return PurePath(name).suffix.removeprefix(".").lower()


def _common_parts(paths: Iterable[bytes]) -> tuple[str, ...]:
    """The longest common prefix of the folders of all paths."""
    folders = {_folder_parts(path) for path in paths}
    return tuple(parts[0] for parts in takewhile(lambda parts: len(set(parts)) == 1, zip(*folders, strict=False)))


@_cached
def _folders(path: bytes, common: int, watched: tuple[Path, ...]) -> tuple[str, ...]:
    """Names of the folders above a file, without the first ``common`` ones, and of the watched folders among them."""
    parents = Path(os.fsdecode(path)).parents
    own = [folder.name for folder in watched if folder in parents]
    return tuple(dict.fromkeys(name for name in (*own, *_folder_parts(path)[common:]) if name))


def stored_genre(store: Store, version_id: str, generation: int) -> str:
    """The genre in a version's stored features of a generation; "other" without features."""
    packed = store.value(
        "SELECT features FROM enriched JOIN version ON version.number = enriched.version"
        " WHERE generation = ? AND version.id = ?",
        *(generation, version_id),
    )
    return "other" if packed is None else genre_of(packed)


def genre_of(packed: bytes) -> str:
    """The genre in a version's packed features, "other" if there is none.

    All chunks have the same genre, so the first entry is enough. Only its beginning is decompressed: the genre follows
    the title and the kind. The pattern is safe because quotation marks inside JSON strings are escaped.
    """
    decompressor = zlib.decompressobj()
    try:
        head = decompressor.decompress(packed, _BLOCK_BYTES)
        while decompressor.unconsumed_tail and len(head.partition(b'"kind":"')[2]) < _KIND_AND_GENRE_BYTES:
            head += decompressor.decompress(decompressor.unconsumed_tail, _BLOCK_BYTES)
    except UNPACKING:  # damaged: verify reports it
        return "other"
    match = re.search(rb'"genre":"([^"]*)"', head)
    return match[1].decode() if match else "other"


@_cached
def _days(name: str, title: str, metadata: str, modified: int | None, added: str) -> Period:
    try:
        values = json.loads(metadata)
        stated = next((days for key in _DATE_KEYS if (days := _day(values.get(key, "")))), None)
    except UNPACKING:  # damaged: verify reports it
        stated = None
    days = _date_in_name(name, bare_year=True) or stated or _date_in_name(title, bare_year=False)
    if days is not None:
        return days
    moment = datetime.fromtimestamp(modified / 1e9, UTC) if modified is not None else datetime.fromisoformat(added)
    return Period(moment.date(), moment.date())


@_cached
def _date_in_name(name: str, *, bare_year: bool) -> Period | None:
    """The first date in a name; with ``bare_year`` also a year by itself, as is common in file names.

    >>> _date_in_name("2024-05 minutes.md", bare_year=True).last.day
    31
    >>> _date_in_name("budget_2023.xlsx", bare_year=True).first.year, _date_in_name("1984", bare_year=False)
    (2023, None)
    """
    spaced = re.sub(r"_+", " ", os.path.splitext(name)[0])  # noqa: PTH122 - a name, which need not be a path
    values = [value for _, _, value in sorted(calendar.dates(spaced))]
    year = _YEAR_IN_NAME.search(spaced) if bare_year else None
    return next((days for value in [*values, *([year.group()] if year else [])] if (days := period(value))), None)


def _day(stated: str) -> Period | None:
    """The date of a metadata value in ISO or PDF format; ``None`` for anything else."""
    if (pdf := _PDF_TIME.match(stated)) is not None:
        return period("-".join(part for part in pdf.groups() if part))
    plain = stated.strip()
    days = period(plain[:10]) if len(plain) > 10 else period(plain)
    return days if days is not None and date(1970, 1, 2) <= days.first else None  # a zero timestamp is not a date
