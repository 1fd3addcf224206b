"""The examples in the pages' docstrings; the pages are not below ``core``, where pytest collects such examples."""

from __future__ import annotations

import doctest
from types import ModuleType

import pytest

from pages.ui import (
    arrivals,
    bench_apply,
    bench_axes,
    bench_choices,
    bench_drill,
    bench_plan,
    bench_results,
    bench_words,
    state,
    words,
    works,
)

MODULES = (
    arrivals,
    bench_apply,
    bench_axes,
    bench_choices,
    bench_drill,
    bench_plan,
    bench_results,
    bench_words,
    state,
    words,
    works,
)


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
def test_docstring_examples_hold(module: ModuleType) -> None:
    outcome = doctest.testmod(module)
    assert outcome.attempted > 0
    assert outcome.failed == 0
