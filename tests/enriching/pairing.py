"""Pairs of near-duplicates for tests: of texts by name, and what belongs together through them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from core.enriching.twins import Twin, signatures, twins_among


def twins(passages: Sequence[tuple[str, str]], least: float = 0.8) -> list[Twin]:
    """The pairs among (name, text) passages."""
    names, texts = [name for name, _ in passages], [text for _, text in passages]
    return twins_among(zip(names, signatures(texts), strict=True), dict(passages).__getitem__, least)


def groups(pairs: Iterable[Twin]) -> list[set[str]]:
    """What belongs together through any chain of pairs."""
    found: list[set[str]] = []
    for pair in pairs:
        joined = {pair.first, pair.second}.union(*(group for group in found if group & {pair.first, pair.second}))
        found = [group for group in found if not group & joined] + [joined]
    return found
