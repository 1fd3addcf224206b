"""The cache of all that is kept between questions: bounded, in order of use, each value made once."""

from __future__ import annotations

from collections import OrderedDict
from threading import Barrier, Thread

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.lru_cache import LruCache


@given(st.integers(1, 12), st.lists(st.tuples(st.integers(0, 6), st.integers(0, 5)), max_size=40))
def test_it_holds_what_was_used_last_and_fits(most, uses) -> None:
    cache, model = LruCache[tuple[int, int]](most, lambda value: value[1]), OrderedDict()
    for key, weight in uses:
        if key in model:
            model.move_to_end(key)
            assert cache.get(key) == model[key]
        else:
            assert cache.get(key) is None
            model[key] = cache.put(key, (key, weight))
            while sum(value[1] for value in model.values()) > most and len(model) > 1:
                model.popitem(last=False)
        assert cache.values() == list(model.values())


def test_a_value_put_again_takes_the_place_of_the_old_one() -> None:
    cache = LruCache[str](4, len)
    cache.put("a", "aaaa")
    cache.put("a", "a")
    cache.put("b", "bbb")
    assert cache.values() == ["a", "bbb"]


def test_what_several_threads_ask_for_is_made_once() -> None:
    cache, gate, made = LruCache[object](2), Barrier(4), []

    def make() -> object:
        made.append(object())
        return made[-1]

    found: list[object] = []

    def ask() -> None:
        gate.wait()
        found.append(cache.get_or_create("key", make))

    threads = [Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(made) == 1
    assert found == made * 4


def test_what_could_not_be_made_is_tried_again() -> None:
    cache = LruCache[int](2)
    with pytest.raises(ZeroDivisionError):
        cache.get_or_create("key", lambda: 1 // 0)
    assert cache.get_or_create("key", lambda: 3) == 3
