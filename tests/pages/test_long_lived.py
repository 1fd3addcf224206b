"""What lives long is set aside after a collection that took long; what comes later is collected, and at times all."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterator

import pytest

from pages.ui.server import long_lived

NEVER, ALWAYS = 1e9, -1.0


class Cycle:
    def __init__(self) -> None:
        self.itself = self


@pytest.fixture(autouse=True)
def _watched(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(long_lived, "WHOLE_EVERY", NEVER)
    long_lived.watch()
    yield
    gc.callbacks.remove(long_lived._on_collection)
    gc.unfreeze()


def collect(monkeypatch: pytest.MonkeyPatch, long: float, generation: int = 2) -> None:
    monkeypatch.setattr(long_lived, "LONG", long)
    gc.collect(generation)


def test_it_is_set_aside_until_all_is_looked_at_again(monkeypatch: pytest.MonkeyPatch) -> None:
    long_lived.watch()
    assert gc.callbacks.count(long_lived._on_collection) == 1
    collect(monkeypatch, NEVER)
    collect(monkeypatch, ALWAYS, generation=1)
    assert gc.get_freeze_count() == 0, "it was quick, or did not look at all"
    held = Cycle()
    collect(monkeypatch, ALWAYS)
    assert gc.get_freeze_count() > 1000
    old, new = weakref.ref(held), weakref.ref(Cycle())
    del held
    collect(monkeypatch, NEVER)
    assert new() is None, "what came later is collected"
    assert old() is not None
    monkeypatch.setattr(long_lived, "WHOLE_EVERY", ALWAYS)
    collect(monkeypatch, NEVER)
    assert old() is None
    assert gc.get_freeze_count() == 0
