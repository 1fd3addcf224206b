"""What presets that are asked together share: done once, and its time borne by all that needed it."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import replace
from time import perf_counter
from typing import Any

from core.search.ranking.finding import order_key
from core.settings import Settings


def reading_key(settings: Settings) -> Hashable:
    """Equal for settings under which a re-ranker reads the same passages, whatever is then made of its opinion.

    >>> careful = Settings().with_value("reranking.model", "packaged")
    >>> reading_key(careful) == reading_key(careful.with_value("reranking.blend", 0.5))
    True
    >>> reading_key(careful) == reading_key(careful.with_value("reranking.candidates", 50))
    False
    """
    opinion = replace(settings.reranking, blend=1.0, keep=0, neighbour_share=0.0, batch_size=1)
    return order_key(replace(settings, reranking=opinion))


class Once:
    """Work by keys, each done for the first preset that needs it; its seconds are borne alike by all that do.

    >>> once = Once(clock=iter([0.0, 2.0, 5.0, 25.0]).__next__)
    >>> once.of("default", "found", list), once.of("careful", "found", list), once.of("careful", "read", list)
    ([], [], [])
    >>> once.seconds("default"), once.seconds("careful")
    (1.0, 21.0)
    """

    def __init__(self, clock: Callable[[], float] = perf_counter) -> None:
        self._clock = clock
        self._made: dict[Hashable, Any] = {}
        self._seconds: dict[Hashable, float] = {}
        self._sharers: dict[Hashable, set[str]] = {}

    def __contains__(self, key: Hashable) -> bool:
        return key in self._made

    def of(self, preset: str, key: Hashable, make: Callable[[], Any]) -> Any:
        """What ``make`` makes, once for a key."""
        self._sharers.setdefault(key, set()).add(preset)
        if key not in self._made:
            started = self._clock()
            self._made[key] = make()
            self._seconds[key] = self._clock() - started
        return self._made[key]

    def part(self, preset: str, whole: Hashable, part: Hashable, seconds: float) -> None:
        """``seconds`` of ``whole`` went to ``part``, which is shared by presets that do not share the whole."""
        self._sharers.setdefault(part, set()).add(preset)
        self._seconds[whole] -= seconds
        self._seconds[part] = self._seconds.get(part, 0.0) + seconds

    def seconds(self, preset: str) -> float:
        """The preset's part of all that was done."""
        return sum(self._seconds[key] / len(names) for key, names in self._sharers.items() if preset in names)
