"""The card of the selected chunk: its features, references, metadata and near-duplicates, as data for the reader."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from core.enriching.features import Features, Reference
from pages.ui.chunks.cuts import Cut
from pages.ui.chunks.links import Elsewhere, meant
from pages.ui.shared import words

PATIENCE = 0.25  # seconds to wait for the features of a long text's chunks before the card is shown without them
LOOKING = "What is known of it: looking through the whole text …"
STALE = "The index is being made anew: what is known of this chunk is not kept yet."
_VALUES = 8
_PLACES = 24
_LONGEST = 60  # characters of the text of a link
_PLACED = re.compile(r"(?s)(.+) (\d+):(\d+)")
# Metadata of chunkers whose values end with a span: defined terms, used terms, evidence for a statement.
_TERMS = {"terms": "Defines", "uses": "Uses terms", "evidence": "Rests on"}

Place = tuple[str, int, int, str]  # text, start and end of the span it links to (-1: no link), version ("": this one)
Row = tuple[str, str | list[Place]]
NOWHERE_ELSE: Mapping[str, Elsewhere] = MappingProxyType({})


def card(cut: Cut, leaf: str | None) -> dict[str, Any] | None:
    """The card of a chunk for ``show_reader``; ``None`` without a chunk. "waiting": features are still being made."""
    if leaf not in cut.reading.leaves:
        return None
    index = cut.reading.leaves.index(leaf)
    ready = cut.features.wait(PATIENCE)
    found = cut.features.result().get(leaf) if ready else None
    places = linked(cut.version, found.references) if found else NOWHERE_ELSE
    return {
        "leaf": index,
        "features": rows(found, places, cut.version) if found else [],
        "near_duplicates": _near_duplicates(cut, index),
        "notes": [] if found else [STALE if ready else LOOKING],
        "waiting": not ready,
    }


def linked(version: str, references: Iterable[Reference]) -> dict[str, Elsewhere]:
    """The places in the library that a document's links lead to, by target as written; other links are left out."""
    targets = {item.target_url for item in references if item.kind == "link" and not item.target and item.target_url}
    return {target: place for target in targets if (place := meant(target, version))}


def complete(cut: Cut) -> bool:
    """Whether the features of this cut's chunks are made."""
    return cut.features.over


def rows(found: Features, linked: Mapping[str, Elsewhere] = NOWHERE_ELSE, version: str = "") -> list[Row]:
    """The features of a chunk as rows of label and value, without empty ones.

    ``linked``: the places in the library that its links lead to, by target. ``version``: of its document.

    >>> rows(Features(section_type="steps", keywords=("kettle", "tea"), index=2, total=9))
    [('Reads as', 'steps'), ('Place', '2 of 9'), ('Keywords', 'kettle, tea')]
    >>> rows(Features(metadata={"uses": ("Rent 120:180",)}))[1]
    ('Uses terms', [('Rent', 120, 180, '')])
    """
    links = [f"{_short(one.text)} ({one.target_url})" for one in found.references if _leaves(one, linked)]
    candidates: list[Row] = [
        (
            "Reads as",
            "" if found.section_type == "prose" else words.GROWING_WORDS.get(found.section_type, found.section_type),
        ),
        ("Genre", "" if found.genre == "other" else found.genre),
        ("Place", f"{found.index:,} of {found.total:,}"),
        ("Keywords", _listed(found.keywords)),
        ("Names", _listed((*found.names, *found.organisations))),
        ("Symbols", _listed(found.symbols)),
        ("Dates", _listed(found.dates)),
        ("Versions", _listed(found.versions)),
        ("Figures, tables", _listed((*found.figures, *found.tables))),
        ("Refers to", _places(_pointed(found, linked, version))),
        ("Links", _listed(links)),
        *(_metadata(name, values) for name, values in found.metadata.items()),
    ]
    return [(label, value) for label, value in candidates if value]


def _near_duplicates(cut: Cut, index: int) -> list[tuple[int, str]]:
    """The near-duplicates of a leaf in the same document: the other leaf's index, and their similarity in words."""
    return [
        (pair.first if pair.second == index else pair.second, _alike(pair.similarity))
        for pair in cut.near_duplicates
        if index in (pair.first, pair.second)
    ]


def _alike(similarity: float) -> str:
    """A similarity in words.

    >>> _alike(1.0), _alike(0.996)
    ('the same', '99 % alike')
    """
    return "the same" if similarity == 1.0 else f"{int(100 * similarity)} % alike"


def _leaves(one: Reference, linked: Mapping[str, Elsewhere]) -> bool:
    """Whether a reference leads out of the library."""
    address = one.target_url or "#"
    return one.target is None and not address.startswith("#") and address not in linked


def _pointed(found: Features, linked: Mapping[str, Elsewhere], version: str) -> Iterable[Place]:
    for one in found.references:
        if one.target is None and (place := linked.get(one.target_url or "")):
            other, start, end = place
            yield _short(one.text), start, end, "" if other == version else other
        elif not _leaves(one, linked):
            yield _pointer(one)


def _pointer(one: Reference) -> Place:
    said = _short(f"note {one.text}" if one.kind == "footnote" else one.text)
    return (said, one.target.start, one.target.end, "") if one.target else (said, -1, -1, "")


def _metadata(name: str, values: Sequence[str]) -> Row:
    """A row for a chunker's metadata; terms and evidence link to their spans.

    >>> _metadata("first_time", ("10:30",)), _metadata("terms", ("Rent 120:180", "Monthly rent 9:20"))
    (('First time', '10:30'), ('Defines', [('Rent', 120, 180, ''), ('Monthly rent', 9, 20, '')]))
    """
    if name not in _TERMS:
        return name.replace("_", " ").capitalize(), _listed(values)
    placed = filter(None, map(_PLACED.fullmatch, values))
    return _TERMS[name], _places((_short(one[1]), int(one[2]), int(one[3]), "") for one in placed)


def _places(found: Iterable[Place]) -> list[Place]:
    """At most ``_PLACES`` distinct places; a text without a link is dropped if the same text has one elsewhere."""
    distinct = list(dict.fromkeys(found))
    linked_texts = {text for text, start, *_ in distinct if start >= 0}
    kept = [place for place in distinct if place[1] >= 0 or place[0] not in linked_texts]
    return kept if len(kept) <= _PLACES else [*kept[:_PLACES], ("…", -1, -1, "")]


def _short(text: str) -> str:
    return words.shortened(text, _LONGEST)


def _listed(values: Sequence[str]) -> str:
    some = ", ".join(dict.fromkeys(values[:_VALUES]))
    return f"{some}, …" if len(values) > _VALUES else some
