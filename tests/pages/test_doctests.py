"""The examples in the pages' docstrings; the pages are not below ``core``, where pytest collects such examples."""

from __future__ import annotations

import doctest
from importlib import import_module

import pytest

from tests.conftest import ROOT

MODULES = sorted(
    ".".join(path.relative_to(ROOT).with_suffix("").parts)
    for path in (ROOT / "pages" / "ui").rglob("*.py")
    if ">>> " in path.read_text("utf-8")
)


def test_there_are_examples() -> None:
    assert {f"pages.ui.shared.{name}" for name in ("words", "background")} <= set(MODULES)


@pytest.mark.parametrize("module", MODULES)
def test_docstring_examples_hold(module: str) -> None:
    outcome = doctest.testmod(import_module(module))
    assert outcome.attempted > 0
    assert outcome.failed == 0
