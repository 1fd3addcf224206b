"""Work that presets share: computed once, its time divided among the presets that need it."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import replace
from time import perf_counter
from typing import Any

from core.search.ranking.finding import order_key
from core.settings import Settings


def reading_key(settings: Settings) -> Hashable:
    """A key that is equal for settings under which a re-ranker scores the same passages, however its scores are used.

    >>> careful = Settings().with_value("reranking.model", "packaged")
    >>> reading_key(careful) == reading_key(careful.with_value("reranking.blend", 0.5))
    True
    >>> reading_key(careful) == reading_key(careful.with_value("reranking.candidates", 50))
    False
    """
    scoring_only = replace(settings.reranking, blend=1.0, keep=0, neighbour_share=0.0, batch_size=1)
    return order_key(replace(settings, reranking=scoring_only))


class SharedWork:
    """Computes each key once and divides its seconds equally among the presets that use it.

    >>> shared = SharedWork(clock=iter([0.0, 2.0, 5.0, 25.0]).__next__)
    >>> for preset, key in (("default", "found"), ("careful", "found"), ("careful", "read")):
    ...     shared.result(preset, key, list)
    []
    []
    []
    >>> shared.seconds("default"), shared.seconds("careful")
    (1.0, 21.0)
    """

    def __init__(self, clock: Callable[[], float] = perf_counter) -> None:
        self._clock = clock
        self._results: dict[Hashable, Any] = {}
        self._seconds: dict[Hashable, float] = {}
        self._sharers: dict[Hashable, set[str]] = {}

    def __contains__(self, key: Hashable) -> bool:
        return key in self._results

    def result(self, preset: str, key: Hashable, compute: Callable[[], Any]) -> Any:
        """The result of ``compute``, which is called for the first preset that asks for ``key``."""
        self._sharers.setdefault(key, set()).add(preset)
        if key not in self._results:
            start = self._clock()
            self._results[key] = compute()
            self._seconds[key] = self._clock() - start
        return self._results[key]

    def move(self, preset: str, source: Hashable, target: Hashable, seconds: float) -> None:
        """Move ``seconds`` from ``source`` to ``target`` and let ``preset`` share the target.

        For a part of the work of ``source`` that is also used by presets that do not share all of it.
        """
        self._sharers.setdefault(target, set()).add(preset)
        self._seconds[source] -= seconds
        self._seconds[target] = self._seconds.get(target, 0.0) + seconds

    def seconds(self, preset: str) -> float:
        """The preset's share of the time of all work it needed."""
        return sum(self._seconds[key] / len(names) for key, names in self._sharers.items() if preset in names)
