"""The library that the app opens in a test: with the notes of its module, with a model or without, let go of after."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.library import Library
from core.types import Encoder
from tests.fast_encoder import FastEncoder
from tests.pages.apps import filled


@pytest.fixture
def empty_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Where the app's library will lie, beside a shelf of its own and without a language model."""
    from pages.ui.shared import services

    monkeypatch.setenv("LECTERN_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("LECTERN_SHELF", str(tmp_path / "libraries.json"))
    for name in ("LECTERN_API_KEY", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    yield tmp_path / "home"
    services._desk.clear()


@pytest.fixture(scope="module")
def noted(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Path:
    """A library with the module's ``NOTES`` in it, closed, that nothing opens: each test has a copy of its own."""
    folder = tmp_path_factory.mktemp("noted")
    with pytest.MonkeyPatch.context() as patch, filled(folder, patch, request.module.NOTES):
        pass
    return folder / "home"


@pytest.fixture
def home(empty_home: Path, noted: Path) -> Path:
    """The app's library with the module's ``NOTES`` in it, closed."""
    shutil.copytree(noted, empty_home)
    return empty_home


@pytest.fixture
def without_model(monkeypatch: pytest.MonkeyPatch) -> None:
    """From now on every library opens without a model."""
    opened, fast = Library.open, FastEncoder()

    def quickly(home: Path, *, write: bool = True, encoder: Encoder | None = None) -> Library:
        return opened(home, write=write, encoder=encoder or fast)

    monkeypatch.setattr(Library, "open", quickly)
