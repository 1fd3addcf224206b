"""What a question hints at, as weight for the leaves that fit: anchors they mention, their sort, genre, place, age."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date

import numpy as np
from numpy.typing import NDArray

from core.enriching import SECTION_TYPES
from core.retrieval.analysis import Understanding
from core.retrieval.anchor_tokens import HEADINGS, runs_of
from core.retrieval.fusion import Scores
from core.retrieval.intents import SECTIONS
from core.retrieval.named_anchors import NamedAnchor
from core.settings.understanding import UnderstandingSettings
from core.storage.conditions import Condition, Passing, holds
from core.storage.leaves import LeafTable
from core.storage.mentions import page_spans, rows_mentioning
from core.storage.section_types import SectionTypes
from core.storage.shelves import Standing, is_called, words_of
from core.storage.store import Store

Mask = NDArray[np.bool_]


def lean(scores: Scores, boosts: Scores) -> Scores:
    """The scores with each leaf's boost added, in standard deviations of the scores; ``nan`` stays ``nan``.

    So a dial means the same whatever the fusion's scale. Where all scores are equal, a deviation counts as 1.

    >>> lean(np.array([1.0, 3.0, np.nan]), np.array([0.5, 0.0, 9.0])).tolist()
    [1.5, 3.0, nan]
    """
    ranked = scores[~np.isnan(scores)]
    deviation = float(ranked.std()) if len(ranked) else 1.0
    return scores + (deviation or 1.0) * boosts


def boosts_of(
    store: Store,
    leaves: LeafTable,
    understood: Understanding,
    settings: UnderstandingSettings,
    sections: SectionTypes | None,
    standings: Sequence[Standing],
    passing: Passing | None = None,
) -> Scores:
    """(n,) float64 aligned with ``leaves``, each boost as its dial says; zeros where nothing is hinted at.

    ``sections``: needed for an intent alone (``None``: it lends nothing). ``standings``: of the live sources.
    ``passing``: which of the leaves are searched, ``None`` for all. An anchor that none of them mentions is left out of
    account, so that one spelt wrongly does not weaken the others.
    """
    boosts = np.zeros(len(leaves))
    searched = np.ones(len(leaves), bool) if passing is None else passing.mask
    if settings.anchors and settings.anchor_boost:
        boosts += settings.anchor_boost * _share(anchored(store, leaves, understood.anchors), searched)
    if settings.intent_boost and sections is not None and (wanted := SECTIONS[understood.intent]):
        boosts += settings.intent_boost * fitting_sections(sections.of(leaves.rows), wanted)
    genres = [one for one in understood.leanings if one.kind == "genre"]
    places = [one for one in understood.leanings if one.kind not in ("genre", "intent")]
    if genres and settings.genre_boost:
        boosts += settings.genre_boost * np.any(_held(leaves, standings, genres), axis=0)
    if places and settings.place_boost:
        boosts += settings.place_boost * _share(_held(leaves, standings, places), searched)
    if settings.prefer_recent:
        newness = recency(standings)
        by_document = np.array([newness.get(version, 0.0) for version in leaves.version_ids])
        boosts += settings.prefer_recent * by_document[leaves.documents] if len(leaves) else 0.0
    return boosts


def fitting_sections(codes: NDArray[np.int8], wanted: Sequence[str]) -> Mask:
    """Which of the section types, given by code, are among the wanted ones."""
    return np.isin(codes, [SECTION_TYPES.index(name) for name in wanted])


def recency(standings: Sequence[Standing]) -> Mapping[str, float]:
    """By version: 1 for the newest document, 0 for the oldest, the others by their rank between; equal days are equal.

    Of documents whose names differ in a version alone, a higher version is never older than a lower one.
    """
    days: dict[str, date] = {}
    for one in standings:
        days[one.version_id] = max(days.get(one.version_id, one.days.last), one.days.last)
    series: dict[tuple[str, ...], list[Standing]] = {}
    for one in standings:
        if one.version:
            series.setdefault(_unversioned(one), []).append(one)
    for editions in series.values():
        newest = date.min
        for one in sorted(editions, key=lambda edition: edition.version):
            newest = days[one.version_id] = max(newest, days[one.version_id])
    order = sorted(set(days.values()))
    last = max(1, len(order) - 1)
    rank = {day: place / last if len(order) > 1 else 1.0 for place, day in enumerate(order)}
    return {version: rank[day] for version, day in days.items()}


def _unversioned(one: Standing) -> tuple[str, ...]:
    """A file name's words without numbers and what announces a version."""
    return tuple(word for word in words_of(one.names[0]) if not word.lstrip("v").isdigit() and word != "version")


def anchored(store: Store, leaves: LeafTable, anchors: Sequence[NamedAnchor]) -> list[Mask]:
    """For each anchor that some leaf has: which do. A file's are all its leaves.

    A page is looked for in the files that are named beside it: every long document has a page 12.
    """
    files = [words_of(anchor.value.rpartition("/")[2]) for anchor in anchors if anchor.kind == "file"]
    named = [place for place, name in enumerate(leaves.names) if any(is_called(words, name) for words in files)]
    found: list[Mask] = []
    for anchor in anchors:
        if anchor.kind == "page":
            mask = _on_page(store, leaves, named, int(anchor.value))
        else:
            bodies, headings = runs_of(anchor)
            rows = [rows_mentioning(store, leaves.generation, bodies), rows_mentioning(
                store, leaves.generation, headings, HEADINGS
            )]  # fmt: skip
            mask = np.isin(leaves.rows, np.concatenate(rows))
            if anchor.kind == "file":
                mask |= np.isin(leaves.documents, named)
        if mask.any():
            found.append(mask)
    return found


def _on_page(store: Store, leaves: LeafTable, documents: Sequence[int], page: int) -> Mask:
    mask = np.zeros(len(leaves), bool)
    for place in documents:
        span = page_spans(store, leaves.version_ids[place], page)
        if span is not None:
            mask |= (leaves.documents == place) & (leaves.starts < span[1]) & (leaves.ends > span[0])
    return mask


def _held(leaves: LeafTable, standings: Sequence[Standing], leanings: Sequence[Condition]) -> list[Mask]:
    """For each leaning, which leaves are of a document for which it holds."""
    found: list[Mask] = []
    for one in leanings:
        versions = {source.version_id for source in standings if holds(one, source)}
        by_document = np.array([version in versions for version in leaves.version_ids], bool)
        found.append(by_document[leaves.documents] if len(leaves) else np.zeros(0, bool))
    return found


def _share(masks: Sequence[Mask], searched: Mask) -> Scores:
    """(n,) float64: of the masks that hold for any leaf ``searched``, the share that holds for each leaf."""
    telling = [mask for mask in masks if (mask & searched).any()]
    return sum(telling, np.zeros(len(searched))) / max(1, len(telling))
