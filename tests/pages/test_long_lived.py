"""What lives long is set aside after a collection that took long; what comes later is collected as ever."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterator

import pytest

from pages.ui.server import long_lived


class Cycle:
    def __init__(self) -> None:
        self.itself = self


@pytest.fixture(autouse=True)
def _watched() -> Iterator[None]:
    long_lived.watch()
    yield
    gc.callbacks.remove(long_lived._set_aside)
    gc.unfreeze()


def test_it_is_set_aside_once_a_collection_takes_long(monkeypatch: pytest.MonkeyPatch) -> None:
    long_lived.watch()
    assert gc.callbacks.count(long_lived._set_aside) == 1
    monkeypatch.setattr(long_lived, "LONG", 1e9)
    gc.collect()
    assert gc.get_freeze_count() == 0, "it was quick"
    monkeypatch.setattr(long_lived, "LONG", -1.0)
    gc.collect(1)
    assert gc.get_freeze_count() == 0, "it did not look at all"
    held = [[number] for number in range(1000)]
    gc.collect()
    assert gc.get_freeze_count() > len(held)
    monkeypatch.setattr(long_lived, "LONG", 1e9)
    lost = weakref.ref(Cycle())
    gc.collect()
    assert lost() is None, "what came later is collected"
    assert len(held) == 1000
