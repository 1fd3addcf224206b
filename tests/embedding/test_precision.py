"""Who computes a forward pass: one thread where little is read, all of them otherwise, and never fewer afterwards."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
import torch

from core.embedding import precision
from core.embedding.precision import LITTLE, computing


@pytest.fixture
def four_threads(monkeypatch):
    before = torch.get_num_threads()
    monkeypatch.setattr(precision, "_default_threads", lambda: 4)
    torch.set_num_threads(4)
    yield
    torch.set_num_threads(before)


@pytest.mark.parametrize(("characters", "threads"), [(0, 1), (LITTLE, 1), (LITTLE + 1, 4), (None, 4)])
def test_little_is_read_by_one_thread(four_threads, characters, threads):
    with computing(False, characters):
        assert torch.get_num_threads() == threads
    assert torch.get_num_threads() == 4


def test_all_threads_are_back_after_an_error(four_threads):
    with pytest.raises(ZeroDivisionError), computing(False, 1):
        raise ZeroDivisionError
    assert torch.get_num_threads() == 4


def test_a_thread_that_begins_meanwhile_takes_all_for_a_batch(four_threads):
    """What torch was told last counts for every thread that begins, and a question may be read just then."""

    def batch() -> int:
        with computing(False):
            return torch.get_num_threads()

    with computing(False, 1), ThreadPoolExecutor(1) as beside:
        assert beside.submit(batch).result() == 4


@pytest.mark.parametrize("half", [False, True])
def test_bfloat16_where_half(half):
    with computing(half, 1):
        assert torch.is_autocast_enabled("cpu") is half
    assert not torch.is_autocast_enabled("cpu")
