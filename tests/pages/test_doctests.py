"""The examples in the pages' docstrings; the pages are not below ``core``, where pytest collects such examples."""

from __future__ import annotations

import doctest
from types import ModuleType

import pytest

from pages.ui import arrivals, state, words, works


@pytest.mark.parametrize("module", [arrivals, state, words, works], ids=lambda module: module.__name__)
def test_docstring_examples_hold(module: ModuleType) -> None:
    outcome = doctest.testmod(module)
    assert outcome.attempted > 0
    assert outcome.failed == 0
